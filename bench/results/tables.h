/* tables.h - what the tables of several tasks share: the columns of a cell, statistics over repetitions. */
#ifndef LDPBENCH_TABLES_H
#define LDPBENCH_TABLES_H

#include "config/frequency.h"
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

/* One point of the frequency grid. */
struct grid_point {
    size_t idataset;
    const struct dataset *dataset;
    const struct oracle_choice *oracle;
    double epsilon;
};

size_t grid_size(const struct frequency *frequency);
struct grid_point grid_point(const struct frequency *frequency, size_t cell);

/* The first cell whose measurements have the same keys. */
size_t grid_kind(const struct frequency *frequency, size_t cell);

/* Canonical text of a point, with every parameter and the way of simulation. Malloc'd. */
char *grid_key(const struct frequency *frequency, size_t cell);

/* `experiment,dataset,d,n,oracle,epsilon`, then `,name` unless it is NULL; no comma after it. */
void write_grid_columns(FILE *out, const char *experiment, const struct grid_point *point, const char *name);

/* Where a measurement of an evaluation stands, by its index. */
struct measurement {
    const struct query_choice *query;
    size_t method, point, measure;
};

size_t measurement_count(const struct frequency *frequency, size_t idataset);
struct measurement measurement_at(const struct frequency *frequency, size_t idataset, size_t index);

/* Canonical text of a measurement: method, query, point and measure with all their parameters. */
char *measurement_key(const struct frequency *frequency, size_t idataset, size_t index);

/* `,query,parameter`: its label, and the point of its sweep or nothing. */
void write_query_columns(FILE *out, size_t idataset, const struct measurement *at);

#endif
