/* cell_repetitions.h - repetitions of single cells, where they need more than the others. */
#ifndef LDPBENCH_CONFIG_CELL_REPETITIONS_H
#define LDPBENCH_CONFIG_CELL_REPETITIONS_H

#include "tasks/experiment.h"

/* Reads a file whose lines are a number of repetitions, a tab and a cell as run --dry-run --verbose prints it
 * (`ldpbench agree --format open` writes such lines), into the experiment: cells that it does not name keep what the
 * config asks for. Bad input: a line of another form, a cell that is not the experiment's, a cell twice, a config that
 * asks for a precision. */
int cell_repetitions_read(const char *path, struct experiment *experiment, struct failure *failure);

#endif
