/* map_grid.c - see map.h. */
#include "figures/map.h"

#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double *map_numbers(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t key, size_t *count)
{
    double *const number = xmalloc(nrows + 1, sizeof *number);

    *count = 0;
    size_t n = 0;
    for (size_t i = 0; number && i < nrows; i++) {
        const double value = rows->key[key].number[rows->key[key].of_row[row[i]]];

        if (!isnan(value))
            number[n++] = value;
    }
    if (n > 0)
        qsort(number, n, sizeof *number, by_number);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || number[i] != number[i - 1])
            number[(*count)++] = number[i];
    return number;
}

static size_t place_of(const double *number, size_t count, double value)
{
    const double *const found = bsearch(&value, number, count, sizeof *number, by_number);

    return found ? (size_t)(found - number) : SIZE_MAX;
}

/* The middle between two neighbours on the axis's scale. */
static double between(const struct axis *axis, double a, double b)
{
    return axis->scale == AXIS_LOG ? sqrt(a * b) : (a + b) / 2;
}

double map_edge(const struct axis *axis, const double *at, size_t count, size_t i)
{
    if (count == 1)
        return i == 0 ? at[0] - 0.5 : at[0] + 0.5;
    if (i > 0 && i < count)
        return between(axis, at[i - 1], at[i]);
    if (axis->scale == AXIS_LOG)
        return i == 0 ? at[0] * sqrt(at[0] / at[1]) : at[i - 1] * sqrt(at[i - 1] / at[i - 2]);
    return i == 0 ? at[0] - (at[1] - at[0]) / 2 : at[i - 1] + (at[i - 1] - at[i - 2]) / 2;
}

/* An axis as wide as its cells. */
static void map_axis(struct axis *axis, const double *at, size_t count)
{
    axis_swept(axis, at, count);
    const double low = map_edge(axis, at, count, 0), high = map_edge(axis, at, count, count);

    axis->low = low;
    axis->high = high;
}

uint32_t *map_rows(const struct map *map, const struct arrangement *a, size_t panel)
{
    const struct figure_key *const kx = &map->rows->key[map->x], *const ky = &map->rows->key[map->y];
    const size_t count = map->nx * map->ny * map->nsubjects;
    uint32_t *const row_of = xmalloc(count + 1, sizeof *row_of);

    memset(row_of, 0xff, count * sizeof *row_of);
    for (size_t i = 0; i < a->nrows; i++) {
        if (a->panel_of[i] != panel)
            continue;
        const uint32_t row = a->row[i];
        const size_t x = place_of(map->at_x, map->nx, kx->number[kx->of_row[row]]);
        const size_t y = place_of(map->at_y, map->ny, ky->number[ky->of_row[row]]);
        const char *const label = figure_key_text(map->rows, row, map->subject);
        size_t s = 0;

        while (s < map->nsubjects && strcmp(map->label[s], label) != 0)
            s++;
        if (x != SIZE_MAX && y != SIZE_MAX && s < map->nsubjects)
            row_of[(y * map->nx + x) * map->nsubjects + s] = row;
    }
    return row_of;
}

/* ---- lines of one level ---- */

/* Where a number crosses a level along a side of a square of four points: the fraction of the side, or -1. */
static double crossing(double a, double b, double at)
{
    return (a < at) != (b < at) ? (at - a) / (b - a) : -1;
}

/* A position between two neighbours on the axis's scale. */
static double along(const struct axis *axis, double a, double b, double part)
{
    return axis->scale == AXIS_LOG ? a * pow(b / a, part) : a + part * (b - a);
}

/* The segments of one level in the square at (x, y). */
static void add_square(const struct map *map, struct panel *panel, struct layer *layer, const double corner[4],
                       size_t x, size_t y, double at)
{
    const double x0 = map->at_x[x], x1 = map->at_x[x + 1], y0 = map->at_y[y], y1 = map->at_y[y + 1];
    const double part[4] = {crossing(corner[0], corner[1], at), crossing(corner[1], corner[3], at),
                            crossing(corner[2], corner[3], at), crossing(corner[0], corner[2], at)};
    size_t points = 0;

    for (int side = 0; side < 4; side++) {
        if (part[side] < 0)
            continue;
        page_row(layer,
                 side == 1   ? x1
                 : side == 3 ? x0
                             : along(&panel->x, x0, x1, part[side]),
                 side == 0   ? y0
                 : side == 2 ? y1
                             : along(&panel->y, y0, y1, part[side]),
                 0, 0, 0);
        if (++points % 2 == 0)
            page_row(layer, NAN, NAN, 0, 0, 0);
    }
}

void map_level(const struct map *map, struct panel *panel, struct layer *layer, const double *number, double level)
{
    for (size_t y = 0; y + 1 < map->ny; y++)
        for (size_t x = 0; x + 1 < map->nx; x++) {
            const double *const first = number + y * map->nx + x;
            const double corner[4] = {first[0], first[1], first[map->nx], first[map->nx + 1]};

            if (isfinite(corner[0] + corner[1] + corner[2] + corner[3]))
                add_square(map, panel, layer, corner, x, y, level);
        }
}

/* ---- titles ---- */

static char *axis_words(const struct map *map, size_t key)
{
    const struct style *const style = map->figures->style;

    return style_axis(style, style_key(style, map->rows->name, map->rows->key[key].name, map->rows->key[key].part),
                      NULL, map->query);
}

struct panel *map_panel(const struct map *map, struct page *page, const struct arrangement *a, size_t number)
{
    struct panel *const panel = page_panel(page);
    char *const title = figures_words(map->figures, page->name, a, a->first_of_panel[number], a->panel, a->npanel);
    char *const x = axis_words(map, map->x), *const y = axis_words(map, map->y);

    map_axis(&panel->x, map->at_x, map->nx);
    map_axis(&panel->y, map->at_y, map->ny);
    page_text(&panel->title, *title ? title : NULL);
    figures_axis_title(&panel->xtitle, x, panel->x.unit);
    if (number % page->columns == 0)
        figures_axis_title(&panel->ytitle, y, panel->y.unit);
    free(title);
    free(x);
    free(y);
    return panel;
}
