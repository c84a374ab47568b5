/* arrange.h - chooses the column of a table for the x axis of a picture, and those for its curves and panels. */
#ifndef LDPBENCH_FIGURES_ARRANGE_H
#define LDPBENCH_FIGURES_ARRANGE_H

#include "results/rows.h"
#include "support/index_map.h"

/* Key columns of the table that the user chose; NULL: chosen from the swept keys. */
struct figure_wishes {
    const char *x, *curves;
    bool all_pages;
    double width; /* of pictures, inches; 0: by the number of panels */
    double type;  /* size in points; 0: the usual one */
};

/* The rows of one picture and the roles of their columns. Keys are numbers of columns, SIZE_MAX: none. */
struct arrangement {
    const struct figure_rows *rows;
    const char *query; /* "": the table has none */
    uint32_t *row;     /* [nrows] */
    size_t nrows;
    size_t x; /* none: curves are drawn side by side, labelled by their names */
    size_t y; /* of a map; otherwise none */
    size_t curve;
    size_t *panel; /* [npanel] keys that differ between panels */
    size_t npanel;
    size_t *common; /* [ncommon] keys with the same value in all rows */
    size_t ncommon;
    /* [nrows] */
    uint32_t *curve_of, *panel_of;
    size_t ncurves, npanels;
    uint32_t *first_of_curve, *first_of_panel; /* the number of a row of each */
};

/* Arranges rows. 0, or -1 with the failure set; to be cleared in any case. */
int arrange(const struct figure_rows *rows, const char *query, const uint32_t *row, size_t nrows,
            const struct figure_wishes *wishes, struct arrangement *out, struct failure *failure);
/* The same with given axes and compared key; neither x nor y is among the keys of panels. */
struct arrangement arrange_map(const struct figure_rows *rows, const char *query, const uint32_t *row, size_t nrows,
                               size_t x, size_t y, size_t subject);

/* The columns of a grid of panels that differ in several keys: the values of the last one, if these are few; else 0. */
size_t arrangement_grid(const struct arrangement *arrangement);
void arrangement_clear(struct arrangement *arrangement);

/* The number of values that a key takes among rows that agree in all keys with text values: how far it was swept. */
size_t swept_values(const struct figure_rows *rows, const uint32_t *row, size_t nrows, size_t key, size_t x);

/* The identity of a row's key when x is an axis: its value, or, for a label with the parameter x, the rest of it. */
uint32_t key_identity(const struct figure_rows *rows, size_t row, size_t key, size_t x);

/* Text of a row's key, without those parameters of a label that are axes. */
const char *arrangement_text(const struct arrangement *arrangement, size_t row, size_t key);

/* x of a row, given by its index in the arrangement; NAN: it has none and is drawn as a horizontal line. */
double arrangement_x(const struct arrangement *arrangement, size_t at);

#endif
