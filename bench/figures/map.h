/* map.h - shared by maps over two swept keys: their axes, the rows at each point, contour lines. */
#ifndef LDPBENCH_FIGURES_MAP_H
#define LDPBENCH_FIGURES_MAP_H

#include "figures/figures.h"

enum { SUBJECTS_MAX = 64 };

/* A picture of one query and point. */
struct map {
    struct figures *figures;
    const struct figure_rows *rows;
    const char *query;
    size_t x, y, subject; /* keys */
    size_t measure;
    double *at_x, *at_y; /* in increasing order */
    size_t nx, ny;
    const char *label[SUBJECTS_MAX];
    struct look look[SUBJECTS_MAX]; /* map_colours chooses them */
    bool other[SUBJECTS_MAX];       /* those for which there is no colour left: one grey shows all of them */
    bool best_somewhere[SUBJECTS_MAX];
    size_t wins[SUBJECTS_MAX]; /* points at which it is the best */
    size_t nsubjects;
};

/* The distinct numbers of a key among rows, sorted. Malloc'd. */
double *map_numbers(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t key, size_t *count);

/* The lower end of the i-th cell; i = count gives the upper end of the last. */
double map_edge(const struct axis *axis, const double *at, size_t count, size_t i);

/* row_of[(y * nx + x) * nsubjects + subject]: the row of that point of a panel, UINT32_MAX: none. Malloc'd. */
uint32_t *map_rows(const struct map *map, const struct arrangement *a, size_t panel);

/* Adds the contour line where the numbers at the points cross a level; NAN crosses none. */
void map_level(const struct map *map, struct panel *panel, struct layer *layer, const double *number, double level);

/* Adds a panel with axes and titles: the keys that differ between panels, and the axes. */
struct panel *map_panel(const struct map *map, struct page *page, const struct arrangement *a, size_t number);

/* map_colours.c: a colour for each subject that is the best somewhere, all of which can be told apart; once the panels
 * are judged. */
void map_colours(struct map *map);

/* A colour mixed with white. */
uint32_t map_shade(uint32_t colour, double part);

/* map_names.c: names of subjects in their regions. subject[y * nx + x]: the subject of the point, UINT32_MAX: none. */
void map_names(const struct map *map, struct page *page, struct panel *panel, const uint32_t *subject);

#endif
