/* open.h - the cells that open claims need more repetitions of, as `ldpbench run --cells` reads them. */
#ifndef LDPBENCH_AGREEMENT_OPEN_H
#define LDPBENCH_AGREEMENT_OPEN_H

#include <stddef.h>

/* A cell of a run in a folder of results, by its canonical text. The texts are borrowed. */
struct open_cell {
    const char *folder, *run, *cell;
    double needed; /* the repetitions that would decide a claim, about; INFINITY: not known */
};

struct open_cells {
    struct open_cell *cell; /* in the order in which they were added */
    size_t count, room;
};

/* Appends a cell. A cell whose text is empty is passed over: it cannot be run by itself. */
void open_cells_add(struct open_cells *cells, const char *folder, const char *run, const char *cell);

#endif
