/* results_private.h - shared by the files of the reader of results. */
#ifndef LDPBENCH_RESULTS_PRIVATE_H
#define LDPBENCH_RESULTS_PRIVATE_H

#include "results/declared.h"
#include "results/results.h"
#include "run/store_rows.h"
#include "support/csv.h"
#include "support/text.h"

struct provenance;
struct stored;

/* One table, and what it was read from. */
struct table_source {
    struct result_table out;
    size_t index; /* in the store */
    bool loaded;
    struct csv csv;                       /* of a table without a store */
    struct texts texts;                   /* of numbers among the facts */
    const char **names, **facts, **cells; /* what `out` points to */
    struct interned *key_texts;
    uint32_t *key_codes;
    int64_t *collections;
    struct result_number *numbers;
    double **values, *value; /* blocks of repetitions; the room that is left in the last one */
    size_t nvalues, values_room, left;
};

struct results {
    char *path;
    enum results_kind kind;
    struct results_origin origin;
    struct provenance *provenance; /* NULL: there is no run.json */
    const struct cJSON *run;
    struct declared declared;
    struct task_tables known; /* by this program's tasks; of tables without a store */
    struct stored *stored;    /* NULL: there is none */
    struct table_source *part;
    size_t count, room;
    struct texts texts;
};

/* Reads a table from the store; from a CSV file. */
int part_load_rows(struct results *results, struct table_source *part, struct failure *failure);
int part_load_csv(struct results *results, struct table_source *part, struct failure *failure);
void part_clear(struct table_source *part); /* all but its declaration */

/* Allocates names, keys, facts and numbers; sets how many there are of each. */
void part_make_room(struct table_source *part, size_t nrows);

/* Sets the text of a key of a row; those of the rows before are set. */
void part_set_key(struct table_source *part, size_t row, size_t key, const char *text);

/* Demands that no two rows have the same keys. */
int part_check_once(const struct result_table *out, struct failure *failure);

/* Takes what a column of that role says of a number. */
void number_take(struct result_number *number, enum column_role role, double value);

/* Demands that a number of the table's measure m is in its range, and completes it by what its columns leave out: n,
 * the standard deviation or error. */
int number_complete(const struct result_table *out, size_t row, size_t m, struct result_number *number,
                    struct failure *failure);

/* A cell's canonical text without the part that all cells share. */
const char *stored_cell_name(const struct stored *stored, size_t cell);

#endif
