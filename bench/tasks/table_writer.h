/* table_writer.h - a table that is being written, for tasks that write rows themselves. */
#ifndef LDPBENCH_TABLE_WRITER_H
#define LDPBENCH_TABLE_WRITER_H

#include "stats/summary.h"
#include "tasks/task.h"

#include <stdbool.h>

struct store;      /* run/store.h */
struct row_writer; /* run/rows.h */

/* A table that is being written. */
struct table_writer {
    const struct experiment *experiment;
    struct store *store;
    struct row_writer *rows;
    struct failure *failure;
    const struct task_table *table;
    size_t cell;
    double *value; /* [repetitions], for reading series */
    bool failed;   /* a row could not be added */
};

/* The repetitions of a cell; the values of a series in all of them; an accumulated vector of the block that begins with
 * repetition `first`; adds a row, whose series are those of its measures if it is measured. Defined where stores are
 * (run/rows.c). */
uint32_t table_repetitions(const struct table_writer *writer, size_t cell);
int table_series(const struct table_writer *writer, size_t cell, size_t series, double *value);
int table_sums(const struct table_writer *writer, size_t cell, size_t sums, uint32_t first, double *vector);

int table_add_row(const struct table_writer *writer, const struct table_row *row, bool measured,
                  const struct summary *summaries);

/* The moments of all repetitions of a cell from a sum that holds those of each block: how many, then `count` means,
 * then as many sums of squared deviations; moments has room for two such vectors. */
int table_moments(const struct table_writer *writer, size_t cell, size_t sums, size_t count, double *moments);

/* Reads a series and summarises it. */
int table_summary(struct table_writer *writer, size_t cell, size_t series, struct summary *summary);

/* Writes a row of series, or one whose measures are given: summaries[measures of the table]. What goes wrong with the
 * latter is noted in `failed`. */
int table_write_row(struct table_writer *writer, size_t cell, const struct table_row *row);
void table_write_summaries(struct table_writer *writer, const struct table_row *row, const struct summary *summaries);

#endif
