/* map_colours.c - the colours of a map. A region has no mark that would tell it from another, so colours that are as
 * good for curves (a method and its variant, say) are too close here: the subject that is most often the best has its
 * own colour, the next ones theirs, or a spare one, as long as it is far enough from those before, the rest one grey.
 */
#include "figures/map.h"

#include <math.h>

static const uint32_t grey = 0x8c8c8c;

/* A colour mixed with white. */
uint32_t map_shade(uint32_t colour, double part)
{
    uint32_t mixed = 0;

    for (int shift = 0; shift <= 16; shift += 8) {
        const double own = (double)(colour >> shift & 0xff);

        mixed |= (uint32_t)lround(255 - part * (255 - own)) << shift;
    }
    return mixed;
}

/* How bright a colour looks, from 0 to 1 (Rec. 709). */
static double brightness(uint32_t colour)
{
    return (0.2126 * (colour >> 16 & 0xff) + 0.7152 * (colour >> 8 & 0xff) + 0.0722 * (colour & 0xff)) / 255;
}

/* A dark colour is mixed with white, so that names and lines within its region can be read. */
static uint32_t readable(uint32_t colour)
{
    static const double least = 0.45;
    const double own = brightness(colour);

    return own < least ? map_shade(colour, (1 - least) / (1 - own)) : colour;
}

/* How far two colours look apart: 0 the same, 1 black and white (weighted by red, after Riemersma). */
static double colour_distance(uint32_t a, uint32_t b)
{
    const double red = (double)(a >> 16 & 0xff) - (double)(b >> 16 & 0xff);
    const double green = (double)(a >> 8 & 0xff) - (double)(b >> 8 & 0xff);
    const double blue = (double)(a & 0xff) - (double)(b & 0xff);
    const double mean = ((double)(a >> 16 & 0xff) + (double)(b >> 16 & 0xff)) / 512;

    return sqrt((2 + mean) * red * red + 4 * green * green + (3 - mean) * blue * blue) / (3 * 255);
}

/* The colours that are taken already. */
struct taken {
    uint32_t colour[SUBJECTS_MAX + 1];
    size_t count;
};

static bool take(struct taken *taken, uint32_t colour)
{
    static const double least = 0.15;

    for (size_t i = 0; i < taken->count; i++)
        if (colour_distance(colour, taken->colour[i]) < least)
            return false;
    taken->colour[taken->count++] = colour;
    return true;
}

/* Gives a subject its own colour, or a spare one; false: all are too close to those that are taken. */
static bool choose(struct map *map, size_t subject, uint32_t own, struct taken *taken)
{
    const struct style *const style = map->figures->style;
    uint32_t colour = readable(own);
    bool free_one = take(taken, colour);

    for (size_t i = 0; !free_one && i < style->nspares; i++) {
        colour = readable(style->spare[i].colour);
        free_one = take(taken, colour);
    }
    map->look[subject].colour = free_one ? colour : grey;
    map->other[subject] = !free_one;
    return free_one;
}

/* Colours for those that win, in the order given; false: some have none. */
static bool choose_all(struct map *map, const size_t *order, const struct look *look, struct taken *taken)
{
    bool all = true;

    for (size_t i = 0; i < map->nsubjects; i++)
        if (map->best_somewhere[order[i]]) /* NOLINT(clang-analyzer-core.*) */
            all &= choose(map, order[i], look[order[i]].colour, taken);
    return all;
}

void map_colours(struct map *map)
{
    size_t order[SUBJECTS_MAX];
    struct look look[SUBJECTS_MAX];

    for (size_t s = 0; s < map->nsubjects; s++) {
        size_t at = s;

        for (; at > 0 && map->wins[order[at - 1]] < map->wins[s]; at--)
            order[at] = order[at - 1];
        order[at] = s;
    }
    style_looks(map->figures->style, map->label, map->nsubjects, look);
    struct taken none = {.count = 0}, others = {.colour = {grey}, .count = 1};
    /* The grey of the rest is kept free only where it is needed. */
    if (!choose_all(map, order, look, &none))
        choose_all(map, order, look, &others);
}
