/* kinds.c - steps that kinds of pictures share; see figures.h. */
#include "figures/figures.h"

#include "support/memory.h"

#include <stdlib.h>

bool figures_has_wishes(const struct figures *figures)
{
    const struct figure_wishes *const wishes = &figures->wishes;

    return wishes->x || wishes->y || wishes->curves || wishes->panels;
}

int figures_each_point(struct figures *figures, const struct figure_rows *rows, figure_point *draw,
                       struct failure *failure)
{
    const size_t query = figure_key_of(rows, PART_QUERY), parameter = figure_key_of(rows, PART_POINT);
    const size_t points = parameter == SIZE_MAX ? 1 : rows->key[parameter].nvalues;
    int result = 0;

    for (size_t i = 0; result == 0 && i < rows->key[query].nvalues * points; i++) {
        const size_t q = i / points, p = i % points;
        size_t nrows;
        uint32_t *const row = figure_point_rows(rows, q, p, &nrows);

        if (nrows > 0)
            result = draw(figures, rows, rows->key[query].text[q],
                          parameter == SIZE_MAX ? "" : rows->key[parameter].text[p], row, nrows, failure);
        free(row);
    }
    return result;
}

void figures_name_curves(const struct figures *figures, const char *picture, const struct arrangement *a, char **name,
                         struct look *look)
{
    const char **const label = xcalloc(a->ncurves, sizeof *label);

    for (size_t c = 0; c < a->ncurves; c++) {
        label[c] = figure_key_text(a->rows, a->first_of_curve[c], a->curve);
        const char *const own = figures_own_name(figures, picture, label[c]);
        name[c] = own ? xstrdup(own) : style_name(figures->style, label[c]);
    }
    style_looks(figures->style, label, a->ncurves, look);
    free(label);
}

void figures_grid(const struct figures *figures, struct page *page, size_t npanels)
{
    figures_columns(figures, page, npanels < 3 ? npanels : npanels == 4 ? 2 : 3);
    page->panel_height = page->columns > 2 ? 1.4 : 1.9;
}
