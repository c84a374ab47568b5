/* map_colours.c - the colours of a map. A region has no mark that would tell it from another, so colours that are as
 * good for curves (a method and its variant, say) are too close here: the subject that is most often the best has its
 * own colour, the next ones theirs, or a spare one, as long as it is far enough from those before, the rest one grey.
 */
#include "figures/map.h"

#include <math.h>

static const uint32_t grey = 0x8c8c8c;

static double channel(uint32_t colour, int shift)
{
    return (double)(colour >> shift & 0xff);
}

uint32_t map_shade(uint32_t colour, double part)
{
    uint32_t mixed = 0;

    for (int shift = 0; shift <= 16; shift += 8)
        mixed |= (uint32_t)lround(255 - part * (255 - channel(colour, shift))) << shift;
    return mixed;
}

/* A dark colour is mixed with white, so that names and lines within its region can be read: how bright it looks, from 0
 * to 1, is after Rec. 709. */
static uint32_t readable(uint32_t colour)
{
    static const double least = 0.45;
    const double own = (0.2126 * channel(colour, 16) + 0.7152 * channel(colour, 8) + 0.0722 * channel(colour, 0)) / 255;

    return own < least ? map_shade(colour, (1 - least) / (1 - own)) : colour;
}

/* How far two colours look apart: 0 the same, 1 black and white (weighted by red, after Riemersma). */
static double colour_distance(uint32_t a, uint32_t b)
{
    const double red = channel(a, 16) - channel(b, 16), green = channel(a, 8) - channel(b, 8),
                 blue = channel(a, 0) - channel(b, 0), mean = (channel(a, 16) + channel(b, 16)) / 512;

    return sqrt((2 + mean) * red * red + 4 * green * green + (3 - mean) * blue * blue) / (3 * 255);
}

/* Takes a colour if it is far enough from those that are taken. */
static bool take(uint32_t colour, uint32_t *taken, size_t *count)
{
    static const double least = 0.15;

    for (size_t i = 0; i < *count; i++)
        if (colour_distance(colour, taken[i]) < least)
            return false;
    taken[(*count)++] = colour;
    return true;
}

/* Gives the subjects that win, in this order, their own colours or spare ones; the first `count` of taken are not to be
 * used. Whether all have one; the others are grey. */
static bool choose(struct map *map, const size_t *order, const struct look *own, uint32_t *taken, size_t count)
{
    const struct style *const style = map->figures->style;
    bool all = true;

    for (size_t i = 0; i < map->nsubjects && map->wins[order[i]] > 0; i++) {
        const size_t s = order[i];
        uint32_t colour = readable(own[s].colour);
        bool found = take(colour, taken, &count);

        for (size_t k = 0; !found && k < style->nspares; k++)
            found = take(colour = readable(style->spare[k].colour), taken, &count);
        map->look[s].colour = found ? colour : grey;
        map->other[s] = !found;
        all &= found;
    }
    return all;
}

void map_colours(struct map *map)
{
    size_t order[SUBJECTS_MAX] = {0};
    struct look look[SUBJECTS_MAX];
    uint32_t taken[SUBJECTS_MAX + 1] = {grey};

    for (size_t s = 0; s < map->nsubjects; s++) {
        size_t at = s;

        for (; at > 0 && map->wins[order[at - 1]] < map->wins[s]; at--)
            order[at] = order[at - 1];
        order[at] = s;
    }
    style_looks(map->figures->style, map->label, map->nsubjects, look);
    /* The grey of the rest is kept free only where it is needed. */
    if (!choose(map, order, look, taken, 0)) {
        taken[0] = grey;
        choose(map, order, look, taken, 1);
    }
}
