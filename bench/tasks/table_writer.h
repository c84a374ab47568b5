/* table_writer.h - a table that is being written, for tasks that write rows themselves. */
#ifndef LDPBENCH_TABLE_WRITER_H
#define LDPBENCH_TABLE_WRITER_H

#include "stats/summary.h"
#include "tasks/task.h"

#include <stdio.h>

struct store; /* run/store.h, which has these functions */

/* How the numbers of an experiment are read. */
struct table_source {
    uint32_t (*repetitions)(const struct store *store, size_t cell);
    int (*series)(struct store *store, size_t cell, size_t series, double *value, struct failure *failure);
    int (*sums)(struct store *store, size_t cell, size_t sums, uint32_t first, double *vector, struct failure *failure);
};

/* A table that is being written. */
struct table_writer {
    const struct experiment *experiment;
    const struct table_source *source;
    struct store *store;
    struct failure *failure;
    const struct task_table *table;
    FILE *out;
    size_t cell;
    char *cell_text; /* the columns of the cell */
    double *value;   /* [repetitions], for reading series */
};

/* The repetitions of a cell; the values of a series in all of them; an accumulated vector of the block that begins with
 * repetition `first`. */
uint32_t table_repetitions(const struct table_writer *writer, size_t cell);
int table_series(const struct table_writer *writer, size_t cell, size_t series, double *value);
int table_sums(const struct table_writer *writer, size_t cell, size_t sums, uint32_t first, double *vector);

/* Reads a series and summarises it. */
int table_summary(struct table_writer *writer, size_t cell, size_t series, struct summary *summary);

/* Writes a row of series, or one whose measures are given: summaries[measures of the table]. */
int table_write_row(struct table_writer *writer, size_t cell, const struct table_row *row);
void table_write_summaries(struct table_writer *writer, const struct table_row *row, const struct summary *summaries);

#endif
