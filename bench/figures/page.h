/* page.h - a page of panels: what is to be drawn, in the units of its axes. layout.h places it on paper.
 *
 * Whatever wants memory and gets none sets `failed` and does nothing; so it is asked once, at the end. Texts are
 * copied, and cleaned (label.h). */
#ifndef LDPBENCH_FIGURES_PAGE_H
#define LDPBENCH_FIGURES_PAGE_H

#include "figures/axis.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How a curve looks. Points, dashes: as plots/page.gp numbers them. */
struct look {
    int point, dash;
    double size, width;
    uint32_t colour; /* 0xAARRGGBB, AA: 0 opaque, 255 invisible */
};

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
    struct look look;
    char *name;   /* whose numbers these are; NULL: nobody's */
    double shift; /* to the right, as a fraction of the panel's width: next to others at the same x */
    double (*row)[LAYER_NUMBERS];
    size_t nrows;
};

/* A text within a panel, at fractions of its width and height. */
struct remark {
    char *text;
    double x, y;
    int align; /* -1 starts there, 0 is centred there, 1 ends there */
    bool small;
};

struct panel {
    char *title, *xtitle, *ytitle; /* NULL: none */
    struct axis x, y;
    char **name; /* of an axis of names; NULL: none */
    size_t nnames;
    struct layer *layer;
    size_t nlayers;
    struct remark *remark;
    size_t nremarks;
};

/* One line of a legend. */
struct entry {
    char *text;
    struct look look;
    bool line, point, box;
    size_t column; /* of panels under which it stands, where there is a legend for each column; else 0 */
};

struct page {
    char *name;    /* of the picture's file, without its format */
    char *caption; /* NULL: none */
    size_t columns;
    bool wide; /* as wide as a page of two columns, not as one column */
    double panel_height;
    bool column_legends;
    struct panel *panel; /* row by row */
    size_t npanels;
    struct entry *entry;
    size_t nentries;
    bool failed;
};

void page_init(struct page *page, const char *name);
void page_clear(struct page *page);

/* A new panel at the end; it stays where it is until the next one is made. NULL if out of memory. */
struct panel *page_panel(struct page *page);

/* Sets a text: a copy of text, cleaned; NULL leaves none. */
void page_text(struct page *page, char **where, const char *text);

struct layer *page_layer(struct page *page, struct panel *panel, enum layer_kind kind, struct look look,
                         const char *name);
void page_row(struct page *page, struct layer *layer, double a, double b, double c, double d, double e);
void page_remark(struct page *page, struct panel *panel, const char *text, double x, double y, int align);
void page_name(struct page *page, struct panel *panel, const char *name);
void page_entry(struct page *page, const char *text, struct look look, bool line, bool point, bool box, size_t column);

/* The numbers that a page shows, tab-separated, with lines of # about its panels: for other programs that draw. */
void page_numbers(const struct page *page, FILE *out);

#endif
