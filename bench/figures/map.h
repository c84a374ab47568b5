/* map.h - a map over two swept keys and the colours of its regions. */
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
    double *at_x, *at_y;  /* in increasing order */
    size_t nx, ny;
    const char *label[SUBJECTS_MAX];
    struct look look[SUBJECTS_MAX]; /* map_colours chooses them */
    bool other[SUBJECTS_MAX];       /* those for which there is no colour left: one grey shows all of them */
    size_t wins[SUBJECTS_MAX];      /* points at which it is the best */
    size_t nsubjects;
};

/* map_colours.c: a colour for each subject that is the best somewhere, all of which can be told apart. */
void map_colours(struct map *map);

/* A colour mixed with white. */
uint32_t map_shade(uint32_t colour, double part);

#endif
