/* map_names.c - names within a map, so that it can be read without colours: each subject's name is written at the
 * widest stretch of its own points, if that is wide enough. */
#include "figures/map.h"

#include "results/style.h"

#include <stdlib.h>
#include <string.h>

static const double line_height = 0.1; /* of a name, as a fraction of the panel */

/* The width of a letter, as a fraction of the panel's width. */
static double letter_width(const struct page *page)
{
    return page->columns > 2 ? 0.035 : page->columns > 1 ? 0.026 : 0.016;
}

/* A stretch of points: columns [first, end) of some rows. */
struct stretch {
    size_t first, end;
    double width, middle_x, middle_y;
};

static double edge_x(const struct map *map, const struct panel *panel, size_t i)
{
    return axis_place(&panel->x, map_edge(&panel->x, map->at_x, map->nx, i));
}

static double edge_y(const struct map *map, const struct panel *panel, size_t i)
{
    return axis_place(&panel->y, map_edge(&panel->y, map->at_y, map->ny, i));
}

/* Whether all of rows [y, until) have the subject at column x. */
static bool all_are(const struct map *map, const uint32_t *subject, uint32_t s, size_t x, size_t y, size_t until)
{
    for (; y < until; y++)
        if (subject[y * map->nx + x] != s)
            return false;
    return true;
}

/* The widest stretch of a subject that is at least as high as a line. */
static struct stretch widest(const struct map *map, const struct panel *panel, const uint32_t *subject, uint32_t s)
{
    struct stretch best = {.width = 0};

    for (size_t y = 0; y < map->ny; y++) {
        size_t until = y + 1;

        while (until < map->ny && edge_y(map, panel, until) - edge_y(map, panel, y) < line_height)
            until++;
        if (edge_y(map, panel, until) - edge_y(map, panel, y) < line_height)
            break;
        for (size_t x = 0, end; x < map->nx; x = end + 1) {
            for (end = x; end < map->nx && all_are(map, subject, s, end, y, until);)
                end++;
            const double from = edge_x(map, panel, x), to = edge_x(map, panel, end);

            if (end > x && to - from > best.width)
                best = (struct stretch){x, end, to - from, (from + to) / 2,
                                        (edge_y(map, panel, y) + edge_y(map, panel, until)) / 2};
        }
    }
    return best;
}

void map_names(const struct map *map, struct page *page, struct panel *panel, const uint32_t *subject)
{
    for (uint32_t s = 0; s < map->nsubjects; s++) {
        const struct stretch place = widest(map, panel, subject, s);
        char *const name = style_name(map->figures->style, map->label[s]);

        if (place.width > 0 && place.width > letter_width(page) * (double)strlen(name))
            page_remark(panel, name, place.middle_x, place.middle_y, 0);
        free(name);
    }
}
