/* open_cells.c - see open_cells.h. */
#include "agreement/open_cells.h"

#include <stdlib.h>
#include <string.h>

bool open_cells_has(const struct open_cells *cells, const char *folder, const char *run, const char *cell)
{
    for (size_t i = 0; i < cells->count; i++)
        if (strcmp(cells->cell[i].cell, cell) == 0 && strcmp(cells->cell[i].run, run) == 0 &&
            strcmp(cells->cell[i].folder, folder) == 0)
            return true;
    return false;
}

int open_cells_add(struct open_cells *cells, const char *folder, const char *run, const char *cell,
                   struct failure *failure)
{
    if (!cell[0])
        return 0;
    cells->was_asked = true;
    if (open_cells_has(cells, folder, run, cell))
        return 0;
    struct open_cell *const more = realloc(cells->cell, (cells->count + 1) * sizeof *more);
    if (!more)
        return fail_memory(failure);
    cells->cell = more;
    more[cells->count++] = (struct open_cell){folder, run, cell};
    return 0;
}

void open_cells_shorten(struct open_cells *cells, size_t count)
{
    if (count < cells->count)
        cells->count = count;
}

void open_cells_clear(struct open_cells *cells)
{
    free(cells->cell);
    *cells = (struct open_cells){0};
}
