/* tables.h - what the tables of several tasks share: statistics over repetitions, writing. */
#ifndef LDPBENCH_TABLES_H
#define LDPBENCH_TABLES_H

#include "run/store.h"

#include <stdio.h>

/* Mean, standard deviation (n - 1) and standard error over repetitions, summed in their order.
 * Undefined values are left out; n counts the others. */
struct summary {
    size_t n;
    double mean, sd, stderr_;
};

struct summary summarise(const double *value, size_t n);

/* What writing a table takes. */
struct table_writer {
    const struct experiment *experiment;
    struct store *store;
    struct failure *failure;
    double *value;                 /* [repetitions], for reading series */
    const struct ldp_query *query; /* that a table is about; NULL: no single one */
};

/* Writes one table whole or not at all. */
int write_table(const struct table_writer *writer, const char *folder, const char *name,
                int (*write)(const struct table_writer *, FILE *));

/* Reads a series from the store and summarises it. */
int read_summary(const struct table_writer *writer, size_t cell, size_t series, struct summary *summary);

#endif
