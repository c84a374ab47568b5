/* open_cells.c - see open_cells.h. */
#include "agreement/open_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int open_cells_add(struct open_cells *cells, const char *folder, const char *run, const char *cell,
                   struct failure *failure)
{
    if (!cell[0])
        return 0;
    cells->was_asked = true;
    if (cells->count == cells->room) {
        const size_t room = 2 * cells->room + 64;
        struct open_cell *const more = realloc(cells->cell, room * sizeof *more);

        if (!more)
            return fail_memory(failure);
        cells->cell = more;
        cells->room = room;
    }
    cells->cell[cells->count++] = (struct open_cell){folder, run, cell, INFINITY};
    return 0;
}

void open_cells_shorten(struct open_cells *cells, size_t count)
{
    if (count < cells->count)
        cells->count = count;
}

static int by_place(const void *a, const void *b)
{
    const struct open_cell *const x = a, *const y = b;
    const int folders = strcmp(x->folder, y->folder), runs = folders != 0 ? folders : strcmp(x->run, y->run);

    return runs != 0 ? runs : strcmp(x->cell, y->cell);
}

void open_cells_need(struct open_cells *cells, size_t first, double needed)
{
    for (size_t i = first; i < cells->count; i++)
        cells->cell[i].needed = needed;
}

void open_cells_sort(struct open_cells *cells)
{
    size_t count = 0;

    if (cells->count > 0)
        qsort(cells->cell, cells->count, sizeof *cells->cell, by_place);
    for (size_t i = 0; i < cells->count; i++) {
        struct open_cell *const last = count > 0 ? &cells->cell[count - 1] : NULL;

        if (!last || by_place(last, &cells->cell[i]) != 0)
            cells->cell[count++] = cells->cell[i];
        else
            last->needed = fmin(last->needed, cells->cell[i].needed);
    }
    cells->count = count;
}

const struct open_cell *open_cells_find(const struct open_cells *cells, const struct open_cell *cell)
{
    return cells->count > 0 ? bsearch(cell, cells->cell, cells->count, sizeof *cells->cell, by_place) : NULL;
}

void open_cells_clear(struct open_cells *cells)
{
    free(cells->cell);
    *cells = (struct open_cells){0};
}
