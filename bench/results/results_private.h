/* results_private.h - shared by the files of the reader of results. */
#ifndef LDPBENCH_RESULTS_PRIVATE_H
#define LDPBENCH_RESULTS_PRIVATE_H

#include "results/declared.h"
#include "results/results.h"
#include "support/csv.h"
#include "support/text.h"

struct provenance;
struct stored;

/* A table of one measure of a store by itself. */
struct stored_table {
    struct table table;
    struct ldp_measure measures[2];
};

/* One table, and what it was read from. */
struct part {
    struct result_table out;
    const struct declared_table *declared; /* of run.json; NULL: of this program, or of the store alone */
    struct stored_table *of_store;         /* freed with the results; NULL: it is of a file */
    bool loaded;
    struct csv csv;
    const char **names, **fields, **cells; /* what `out` points to */
    struct result_number *numbers;
    double *values;
};

struct results {
    char *path;
    enum results_kind kind;
    struct results_origin origin;
    struct provenance *provenance; /* NULL: there is no run.json */
    const struct cJSON *run;
    struct declared declared;
    struct task_tables known; /* by this program's tasks */
    struct stored *stored;    /* NULL: not asked for, or none */
    struct part *part;
    size_t count;
    struct texts texts;
};

/* Reads a CSV table, and its values from the store. */
int part_load(struct results *results, struct part *part, struct failure *failure);

/* Of a store by itself: lists a table for each measure; reads one. */
int results_list_stored(struct results *results, struct failure *failure);
int part_load_stored(struct results *results, struct part *part, struct failure *failure);
void part_clear(struct part *part); /* all but its declaration */

/* A cell's canonical text without the part that all cells share. */
const char *stored_cell_name(const struct stored *stored, size_t cell);

#endif
