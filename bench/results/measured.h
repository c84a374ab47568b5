/* measured.h - measured errors of an earlier run, for comparison: from a result folder, a store, or a table. */
#ifndef LDPBENCH_MEASURED_H
#define LDPBENCH_MEASURED_H

#include "stats/compare.h"
#include "support/failure.h"

#include <stdint.h>

/* One row: what was measured, and its repetitions. */
struct measured_row {
    char *key; /* the table's key columns, or the store's cell and series */
    struct sample sample;
};

struct measured {
    const char *path;
    struct measured_row *row; /* sorted by key */
    size_t count;
    bool from_store; /* every repetition is known */

    /* From run.json (folders) or the store's keys; NULL or false where not known. */
    char *config; /* text */
    bool has_origin;
    uint64_t seed;
    long version; /* LDP_ALGORITHM_VERSION */

    double *values; /* [of all rows] */
    size_t nvalues;
};

/* path is a folder, a file *.sqlite or a CSV table with the columns mse, sd, repetitions. want_table: read a folder's
 * mse.csv although it has a store. 0, or -1 with the failure told. */
int measured_load(const char *path, bool want_table, struct measured *measured, struct failure *failure);
void measured_clear(struct measured *measured);

/* Whether a folder or file path offers a store, and where: malloc'd, or NULL. */
char *measured_store_path(const char *path);

/* The CSV table of a folder (its mse.csv) or the path itself; NULL for a store. Malloc'd. */
char *measured_table_path(const char *path);

#endif
