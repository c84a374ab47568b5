/* curves.h - pictures of curves: shared by their making (curves.c) and their words (curves_words.c). */
#ifndef LDPBENCH_FIGURES_CURVES_H
#define LDPBENCH_FIGURES_CURVES_H

#include "figures/figures.h"

/* A row of the arrangement in the order in which it is drawn. */
struct curve_point {
    uint32_t panel, curve;
    double x; /* NAN: a horizontal line */
    uint32_t row;
};

struct curves {
    struct figures *figures;
    const char *picture; /* its name */
    const struct figure_rows *rows;
    const struct arrangement *a;
    bool counts;                /* squared errors are shown in counts */
    size_t *measure, nmeasures; /* that have a value */
    size_t actual;              /* a measure drawn as lines in addition to points; SIZE_MAX: none */
    bool *log;                  /* [nmeasures] */
    struct curve_point *point;  /* [a->nrows] */
    size_t *first;              /* [a->npanels * a->ncurves + 1] the first point of each curve of each panel */
    double *x;                  /* [nx] in increasing order */
    size_t nx;
    struct look *look; /* [a->ncurves], so */
    char **name;
    int *side;
    size_t nsides;
    size_t columns;
    double *mark; /* [a->npanels]: x of a vertical line; NAN: none */
    bool marked, undrawn, banded;
};

/* Title of the x axis; "" if curves are drawn side by side. Malloc'd, as the next one. */
char *curves_x_title(const struct curves *p);

/* Axis title of a measure: includes the query, unless the measure belongs only to that query. */
char *curves_measure(const struct curves *p, size_t measure);

/* Whether the axis titles distinguish the measures. */
bool curves_axes_differ(const struct curves *p);

/* Entries of the curves of some sides below a column, and the meaning of points and lines if these differ. */
void curves_legend(const struct curves *p, struct page *page, int sides, size_t column);

void curves_caption(const struct curves *p, struct page *page);

#endif
