/* results.h - the one reader of what was measured: the tables in the store of a result folder, with every repetition of
 * every row. CSV files are exports and are not read.
 *
 * A table comes with its declaration (table.h): which columns are keys, which measures it has, which of them are better
 * when they are less. Code that compares, ranks or draws uses the declaration and names no table, key or measure. */
#ifndef LDPBENCH_RESULTS_H
#define LDPBENCH_RESULTS_H

#include "stats/setting.h"
#include "support/failure.h"
#include "support/index_map.h"
#include "tasks/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cJSON;
struct provenance;
struct results;

/* Opens a folder or a store (one beside a run.json is opened as its folder). Bad input (exit status 2) where it is none
 * of them. */
int results_open(const char *path, struct results **out, struct failure *failure);
void results_close(struct results *results); /* NULL is allowed */

/* The facts of a store's keys and of run.json. */
struct results_origin {
    uint64_t seed;
    long version;                        /* LDP_ALGORITHM_VERSION */
    const char *config;                  /* its text; NULL: not known */
    bool any_time;                       /* repetitions were added until something was decided */
    const struct provenance *provenance; /* run.json; NULL: there is none */
    const struct cJSON *run;             /* the same as JSON */
};

const struct results_origin *results_origin(const struct results *results);

/* ---- tables ---- */

size_t results_count(const struct results *results);

/* The declaration of a table; needs no reading. */
const struct table *results_declared(const struct results *results, size_t index);

/* A measure of a row. */
struct result_number {
    double mean, sd, stderr_; /* NAN: undefined, or not in the table */
    size_t n;                 /* repetitions in which it was defined */
    size_t repetitions;
    const double *value; /* [repetitions] in their order, an undefined one NAN; NULL: not known */
    bool exact;          /* the table states no error of it: it was computed */
    bool differs;        /* the table's numbers are not those that the values give */
};

struct result_table {
    const struct table *table;
    const char *path;
    bool any_time; /* as its results */
    size_t nkeys, nfacts, nmeasures, nrows;
    const char *const *key_name;        /* [nkeys], in the order of the declaration */
    size_t experiment;                  /* the key that holds the experiment's name; SIZE_MAX: there is none */
    const char *const *fact_name;       /* [nfacts] */
    const struct interned *value;       /* [nkeys]: the different texts of a key, in the order of their first rows */
    const uint32_t *code;               /* [nkeys * nrows]: the number of each row's text, one key after another */
    const char *const *fact;            /* [nrows * nfacts] */
    const struct result_number *number; /* [nrows * nmeasures] */
    /* [nrows], NULL where no repetitions are known: canonical text of the row's cell, which
     * distinguishes data of one name; a number that is equal for rows of the same collections. */
    const char *const *cell;
    const int64_t *collection;
};

/* Reads a table, once. NULL with a failure that names file, line and column. Rows with the same keys are an error. */
const struct result_table *results_table(struct results *results, size_t index, struct failure *failure);

/* The index of a key in a row's keys; SIZE_MAX where the table has none of that name. */
size_t result_key_index(const struct result_table *table, const char *name);
/* The index of the key, or of the fact, that is a part (not PART_NONE); SIZE_MAX where the table has none. */
size_t result_key_of(const struct result_table *table, enum column_part part);
size_t result_fact_of(const struct result_table *table, enum column_part part);

/* The part of a key. */
enum column_part result_key_part(const struct result_table *table, size_t key);
const char *result_key(const struct result_table *table, size_t row, size_t key);
const uint32_t *result_codes(const struct result_table *table, size_t key); /* [nrows] */

const char *result_fact(const struct result_table *table, size_t row, size_t fact);
const struct result_number *result_number(const struct result_table *table, size_t row, size_t measure);

/* A measure as tests take it. */
struct sample result_sample(const struct result_table *table, size_t row, size_t measure);

/* The setting of some rows in a measure (stats/setting.h), with the condition that the table has for it. To be cleared.
 */
struct row_setting {
    struct setting setting;
    struct sample *sample; /* [2 * count] */
};

struct row_setting result_setting(const struct result_table *table, const size_t *row, size_t count, size_t measure,
                                  double level);
void result_setting_clear(struct row_setting *setting);

/* Its result. */
struct setting_result result_judge(const struct result_table *table, const size_t *row, size_t count, size_t measure,
                                   double level);

/* Rows of group g: row[first[g]] .. row[first[g + 1] - 1], in the order of the table, as are the groups. */
struct row_groups {
    size_t *row, *first;
    size_t count;
};

/* Groups `count` rows, of which a group has the same texts in all keys but the given ones and the experiment's name. To
 * be cleared. */
struct row_groups result_groups(const struct result_table *table, const size_t *row, size_t count,
                                const bool *differing);
void result_groups_clear(struct row_groups *groups);

/* ---- all columns, as text ---- */

/* Calls for each row of a table, in order, with a text for each column, as its CSV file has it; first for the names of
 * the columns. */
struct rows;
int rows_each_text(const struct rows *rows, const struct table *table, size_t index,
                   int (*visit)(void *context, const char *const *field, size_t count, struct failure *failure),
                   void *context, struct failure *failure);
int results_each(struct results *results, size_t index,
                 int (*visit)(void *context, const char *const *field, size_t count, struct failure *failure),
                 void *context, struct failure *failure);

/* tables.c: writes every table that an experiment's task declares into a folder, from a complete store, each completely
 * or not at all. kept: those that are as they were. */
struct experiment;
struct store;
int tables_write(const struct experiment *experiment, struct store *store, const char *folder, bool *kept,
                 struct failure *failure);

#endif
