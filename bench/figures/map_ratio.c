/* map_ratio.c - compares the two methods that are most often the best at each point of two swept keys: the ratio of
 * their errors as a diverging colour, with the line where they are equal. */
#include "figures/map.h"

#include "support/memory.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 5 }; /* steps of colour on either side */

/* Blue where the first is better, orange where the second is; white where they are equal. */
static const uint32_t first_colour = 0x0060a8, second_colour = 0xd06000;
static const double full_ratio = 2;

static uint32_t mix(uint32_t colour, double part)
{
    uint32_t mixed = 0;

    for (int shift = 0; shift <= 16; shift += 8)
        mixed |= (uint32_t)lround(255 - part * (255 - (double)(colour >> shift & 0xff))) << shift;
    return mixed;
}

/* log2 of the first's error over the second's; below 0 where the first is better. */
static uint32_t ratio_colour(double ratio)
{
    const double part = fmin(fabs(ratio) / log2(full_ratio), 1);

    return mix(ratio < 0 ? first_colour : second_colour, floor(part * STEPS + 0.5) / STEPS);
}

/* The two subjects that are the best at the most points; false if there are fewer than two. */
static bool choose_pair(const struct map *map, size_t pair[2])
{
    pair[0] = pair[1] = SIZE_MAX;
    for (size_t s = 0; s < map->nsubjects; s++) {
        if (map->wins[s] == 0)
            continue;
        if (pair[0] == SIZE_MAX || map->wins[s] > map->wins[pair[0]]) {
            pair[1] = pair[0];
            pair[0] = s;
        } else if (pair[1] == SIZE_MAX || map->wins[s] > map->wins[pair[1]]) {
            pair[1] = s;
        }
    }
    return pair[1] != SIZE_MAX;
}

static void add_boxes(const struct map *map, struct panel *panel, const double *ratio)
{
    const struct look none = {0};
    struct layer *const layer = page_layer(panel, LAYER_BOXES, none, "ratio");

    for (size_t y = 0; y < map->ny; y++)
        for (size_t x = 0, end; x < map->nx; x = end) {
            const double first = ratio[y * map->nx + x];

            for (end = x + 1; end < map->nx; end++) {
                const double next = ratio[y * map->nx + end];

                if (isnan(next) != isnan(first) || (!isnan(first) && ratio_colour(next) != ratio_colour(first)))
                    break;
            }
            if (!isnan(first))
                page_row(layer, map_edge(&panel->x, map->at_x, map->nx, x),
                         map_edge(&panel->x, map->at_x, map->nx, end), map_edge(&panel->y, map->at_y, map->ny, y),
                         map_edge(&panel->y, map->at_y, map->ny, y + 1), ratio_colour(first));
        }
}

static void add_panel(const struct map *map, struct page *page, const struct arrangement *a, const size_t pair[2],
                      size_t number)
{
    const struct look line = {.dash = 1, .width = 1.1, .colour = 0x000000};
    const double *const mean = map->rows->measure[map->measure].mean;
    struct panel *const panel = map_panel(map, page, a, number);
    double *const ratio = xcalloc(map->nx * map->ny, sizeof *ratio);
    uint32_t *const row_of = map_rows(map, a, number);

    for (size_t i = 0; i < map->nx * map->ny; i++) {
        const uint32_t one = row_of[i * map->nsubjects + pair[0]], other = row_of[i * map->nsubjects + pair[1]];

        ratio[i] = one != UINT32_MAX && other != UINT32_MAX && mean[one] > 0 && mean[other] > 0
                       ? log2(mean[one] / mean[other])
                       : (double)NAN;
    }
    add_boxes(map, panel, ratio);
    map_level(map, panel, page_layer(panel, LAYER_LINE, line, "equal"), ratio, 0);
    free(row_of);
    free(ratio);
}

static void add_words(const struct map *map, struct page *page, const struct arrangement *a, const size_t pair[2])
{
    const struct look line = {.dash = 1, .width = 1.1, .colour = 0x000000};
    const struct look first = {.colour = first_colour}, second = {.colour = second_colour};
    const struct ldp_measure *const about = &map->rows->measure[map->measure].about;
    char *const one = style_name(map->figures->style, map->label[pair[0]]);
    char *const other = style_name(map->figures->style, map->label[pair[1]]);
    char *const measure = style_measure(map->figures->style, about, map->query);
    char *const common = figures_words(map->figures, page->name, a, a->first_of_panel[0], a->common, a->ncommon);
    char *const sentence = xformat("%s of %s over that of %s; full colour: half or twice as much", measure, one, other);

    page_entry(page, one, first, false, false, true, 0);
    page_entry(page, other, second, false, false, true, 0);
    page_entry(page, "equal", line, true, false, false, 0);
    figures_caption(map->figures, page, sentence, common, figure_repetitions(map->rows),
                    "; the colour of the smaller one");
    free(one);
    free(other);
    free(measure);
    free(common);
    free(sentence);
}

int map_ratio(const struct map *map, const struct arrangement *a, const char *label, struct failure *failure)
{
    char *const longer = xformat("%s-ratio", label), *const name = figures_name(map->figures, longer);
    size_t pair[2];
    int result = 0;

    if (map->rows->measure[map->measure].about.better == LDP_LESS && choose_pair(map, pair)) {
        struct page page;

        page_init(&page, "map", name);
        figures_grid(map->figures, &page, a->npanels);
        for (size_t i = 0; i < a->npanels; i++)
            add_panel(map, &page, a, pair, i);
        add_words(map, &page, a, pair);
        result = figures_emit(map->figures, &page, failure);
        page_clear(&page);
    }
    free(longer);
    free(name);
    return result;
}
