/* arrange.h - which column of a table is the x axis of a picture, which tells curves apart, which panels. */
#ifndef LDPBENCH_FIGURES_ARRANGE_H
#define LDPBENCH_FIGURES_ARRANGE_H

#include "figures/rows.h"

/* What a user asks for; NULL: chosen from what was swept. */
struct figure_wishes {
    const char *x, *y, *panels, *curves;
    bool all_pages;
};

/* The rows of one picture and what their columns are for. Keys are numbers of columns, SIZE_MAX: none. */
struct arrangement {
    const struct figure_rows *rows;
    const char *query; /* "": the table has none */
    uint32_t *row;     /* [nrows] */
    size_t nrows;
    size_t x; /* none: curves stand side by side, by their names */
    size_t y; /* of a map; else none */
    size_t curve;
    size_t *panel; /* [npanel] keys that differ between panels */
    size_t npanel;
    size_t *common; /* [ncommon] keys that are the same everywhere */
    size_t ncommon;
    /* [nrows] */
    uint32_t *curve_of, *panel_of;
    size_t ncurves, npanels;
    uint32_t *picture_of; /* [nrows] by the keys of panels but the one that was asked for */
    size_t npictures;
    uint32_t *first_of_curve, *first_of_panel; /* a row of rows of each */
};

/* Arranges rows (of which it takes over the list). 0, or -1 with the failure set. */
int arrange(const struct figure_rows *rows, const char *query, uint32_t *row, size_t nrows,
            const struct figure_wishes *wishes, struct arrangement *out, struct failure *failure);
/* The same where axes and what is compared are known; x is not among the keys of panels, nor is y. */
int arrange_map(const struct figure_rows *rows, const char *query, uint32_t *row, size_t nrows, size_t x, size_t y,
                size_t subject, struct arrangement *out, struct failure *failure);
void arrangement_clear(struct arrangement *arrangement);

/* The number of values that a key takes where all else that is told by texts is the same: how far it was swept. */
size_t swept_values(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t key, size_t x);

/* What tells rows apart by a key where x is an axis: its value, or, of a label with the parameter x, the rest. */
uint32_t key_identity(const struct figure_rows *rows, size_t row, size_t key, size_t x);

/* x of a row (by its place among the arrangement's): a number; NAN: it has none, and is a line across. */
double arrangement_x(const struct arrangement *arrangement, size_t at);

#endif
