/* open_cells.h - the cells that open claims need more repetitions of. */
#ifndef LDPBENCH_OPEN_CELLS_H
#define LDPBENCH_OPEN_CELLS_H

#include "support/failure.h"

#include <stdbool.h>
#include <stddef.h>

/* A cell of a run in a folder of results, by its canonical text. The texts are borrowed. */
struct open_cell {
    const char *folder, *run, *cell;
    double needed; /* the repetitions that would decide a claim, about; INFINITY: not known */
};

struct open_cells {
    struct open_cell *cell; /* in the order in which they were added */
    size_t count, room;
    bool was_asked; /* a cell was added since this was last cleared */
};

/* Appends a cell. A cell whose text is empty is passed over: it cannot be run by itself. */
int open_cells_add(struct open_cells *cells, const char *folder, const char *run, const char *cell,
                   struct failure *failure);

/* Keeps the first `count` cells only. */
void open_cells_shorten(struct open_cells *cells, size_t count);

/* Sets `needed` of the cells from index `first` on. */
void open_cells_need(struct open_cells *cells, size_t first, double needed);

/* Sorts by folder, run and cell, and keeps each cell once, with what the nearest of its claims needs. Afterwards
 * open_cells_find returns a cell; NULL: it is not in the list. */
void open_cells_sort(struct open_cells *cells);
const struct open_cell *open_cells_find(const struct open_cells *cells, const struct open_cell *cell);
void open_cells_clear(struct open_cells *cells);

#endif
