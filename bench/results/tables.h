/* tables.h - writes the tables that an experiment's task declares, from a complete store. */
#ifndef LDPBENCH_TABLES_H
#define LDPBENCH_TABLES_H

#include "run/store.h"
#include "stats/summary.h"
#include "tasks/task.h"

#include <stdio.h>

/* A table that is being written. */
struct table_writer {
    const struct experiment *experiment;
    struct store *store;
    struct failure *failure;
    const struct task_table *table;
    FILE *out;
    size_t cell;
    char *cell_text; /* the columns of the cell */
    double *value;   /* [repetitions], for reading series */
};

/* Writes every table of the experiment into a folder, each completely or not at all. */
int tables_write(const struct experiment *experiment, struct store *store, const char *folder, struct failure *failure);

/* For tables that write their rows themselves. Reads a series from the store and summarises it. */
int table_summary(struct table_writer *writer, size_t cell, size_t series, struct summary *summary);

/* Writes a row of series, or one whose measures are given: summaries[measures of the table]. */
int table_write_row(struct table_writer *writer, size_t cell, const struct table_row *row);
void table_write_summaries(struct table_writer *writer, const struct table_row *row, const struct summary *summaries);

#endif
