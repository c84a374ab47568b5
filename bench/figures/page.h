/* page.h - a page of panels: the content to be drawn, in the units of its axes. script.h writes it for gnuplot.
 * Texts are copied, and cleaned (label.h). */
#ifndef LDPBENCH_FIGURES_PAGE_H
#define LDPBENCH_FIGURES_PAGE_H

#include "results/style.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* ---- axes (axis.c): the scale of each and its range; gnuplot chooses the tics ---- */

enum axis_scale {
    AXIS_LINEAR,
    AXIS_LOG,
    AXIS_SIGNED_LOG, /* linear from -bend to bend, logarithmic beyond */
    AXIS_NAMES       /* positions 1, 2, ... with names */
};

struct axis {
    enum axis_scale scale;
    double low, high, bend;
    double unit; /* labels are in this unit */
    double base; /* of a logarithmic axis: tics are its powers */
};

/* A range of values. */
struct span {
    double low, high;
};

/* An empty one; span_add extends it and ignores NAN. */
extern const struct span no_span;
void span_add(struct span *span, double value);
bool span_empty(const struct span *span);
struct span span_union(struct span a, struct span b);

/* Axes slightly wider than the values. span > 0 for the logarithmic one. On a linear axis of large numbers the labels
 * are in a unit, a power of ten. */
void axis_linear(struct axis *axis, struct span span, bool with_unit);
void axis_log(struct axis *axis, struct span span);
void axis_signed_log(struct axis *axis, struct span span, double bend);
void axis_names(struct axis *axis, size_t count);

/* An axis for values at which something was measured, in increasing order: logarithmic if they are spread
 * logarithmically (over a factor of 50, or with equal ratios), of base 2 if they are powers of two. */
void axis_swept(struct axis *axis, const double *value, size_t count);

/* The position of a value on the axis: 0 at its low end, 1 at its high end, or outside of these. */
double axis_at(const struct axis *axis, double value);

/* ---- panels ---- */

/* Layers of a panel are drawn in this order. */
enum layer_kind {
    LAYER_BOXES,  /* x from, x to, y from, y to, colour */
    LAYER_BAND,   /* x, y from, y to */
    LAYER_LINE,   /* x, y; a row of NAN ends a line */
    LAYER_BARS,   /* x, y from, y to */
    LAYER_POINTS, /* x, y */
    LAYER_KINDS
};

enum { LAYER_NUMBERS = 5 };

struct layer {
    enum layer_kind kind;
    struct style style;
    char *name; /* of the curve that the numbers belong to; NULL: none */
    double (*row)[LAYER_NUMBERS];
    size_t nrows, rows_room;
};

/* A text within a panel, at fractions of its width and height. */
struct remark {
    char *text;
    double x, y;
    int align; /* -1: starts at x, 0: is centred at x, 1: ends at x */
};

struct panel {
    char *title, *xtitle, *ytitle; /* NULL: none */
    struct axis x, y;
    char **name; /* of an axis of names; NULL: none */
    size_t nnames, names_room;
    struct layer *layer;
    size_t nlayers, layers_room;
    struct remark *remark;
    size_t nremarks, remarks_room;
};

/* One line of a legend. */
struct entry {
    char *text;
    struct style style;
    bool line, point, box;
    size_t column; /* of panels, if there is a legend under each column; otherwise 0 */
};

struct page {
    const char *kind; /* plots/KIND.gp draws it */
    char *name;       /* of the picture's file, without its format */
    char *caption;    /* NULL: none */
    size_t columns;
    double width; /* of the paper, inches; 0: a column, or a page of two where there are several panels */
    double zoom;  /* its inches and points are so many of those that follow; 0: 1 */
    double panel_height;
    bool column_legends;
    struct panel *panel; /* row by row */
    size_t npanels, panels_room;
    struct entry *entry;
    size_t nentries, entries_room;
};

/* Inches: a column and a page of the usual two-column papers. */
#define PAPER_COLUMN 3.5
#define PAPER_PAGE 7.16
#define PAPER_TYPE 7.5 /* points */

/* Columns of so many panels that are seen together. */
size_t page_grid(size_t panels);

/* How many of these columns of panels have room on it, at least 1. */
size_t page_columns(double width, double type, size_t columns);

/* A page without panels; takes over its picture's name. */
struct page page_of(const char *kind, char *name);
void page_clear(struct page *page);

/* Appends a panel; the pointer is valid until the next one is appended. So is that of a layer of a panel. */
struct panel *page_panel(struct page *page);

/* Sets a text to a cleaned copy of text, or to NULL. */
void page_text(char **where, const char *text);

struct layer *page_layer(struct panel *panel, enum layer_kind kind, struct style style, const char *name);
void page_row(struct layer *layer, double a, double b, double c, double d, double e);
void page_remark(struct panel *panel, const char *text, double x, double y, int align);
void page_name(struct panel *panel, const char *name);
void page_entry(struct page *page, const char *text, struct style style, bool line, bool point, bool box, size_t under);

/* Writes the numbers of a page, tab-separated, with comment lines (#) about its panels, for other plotting programs. */
void page_numbers(const struct page *page, FILE *out);

#endif
