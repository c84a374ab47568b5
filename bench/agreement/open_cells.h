/* open_cells.h - the cells that open claims need more repetitions of. */
#ifndef LDPBENCH_OPEN_CELLS_H
#define LDPBENCH_OPEN_CELLS_H

#include "support/failure.h"

#include <stdbool.h>
#include <stddef.h>

/* A cell of a run in a folder of results, by its canonical text. The texts are borrowed. */
struct open_cell {
    const char *folder, *run, *cell;
};

struct open_cells {
    struct open_cell *cell; /* each once, in the order in which they were added */
    size_t count;
    bool was_asked; /* a cell was added, or was in the list already, since this was last cleared */
};

/* Adds a cell, unless it is in the list. A cell whose text is empty is passed over: it cannot be run by itself. */
int open_cells_add(struct open_cells *cells, const char *folder, const char *run, const char *cell,
                   struct failure *failure);
bool open_cells_has(const struct open_cells *cells, const char *folder, const char *run, const char *cell);

/* Drops all cells but the first so many. */
void open_cells_shorten(struct open_cells *cells, size_t count);
void open_cells_clear(struct open_cells *cells);

#endif
