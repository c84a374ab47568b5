/* stored.h - the results of the last complete run in a store, read without its config. */
#ifndef LDPBENCH_STORED_H
#define LDPBENCH_STORED_H

#include "run/store_rows.h"
#include "support/failure.h"
#include "tasks/task.h"

#include <stddef.h>

struct stored;

/* Opens a store for reading; fails if no run was completed. */
int stored_open(const char *path, struct stored **out, struct failure *failure);
void stored_close(struct stored *stored);

/* The rows of its tables. */
const struct rows *stored_rows(const struct stored *stored);

/* Cells in the order of the run's grid. */
size_t stored_cells(const struct stored *stored);

/* A cell's canonical text: `version=V|seed=S|` and what the task calls it. */
const char *stored_cell_key(const struct stored *stored, size_t cell);

/* A cell's series, equal ones once, and the measured values: value[repetitions], an undefined one NAN. */
size_t stored_series_count(const struct stored *stored, size_t cell);
int stored_values(struct stored *stored, size_t cell, size_t series, double *value, struct failure *failure);

#endif
