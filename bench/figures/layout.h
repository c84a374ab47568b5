/* layout.h - where a page's panels, texts and keys are. gnuplot measures no text before it draws, so what follows from
 * the widths of texts is decided here: lines of titles, margins, rows of keys, how many tics have room. Inches. */
#ifndef LDPBENCH_FIGURES_LAYOUT_H
#define LDPBENCH_FIGURES_LAYOUT_H

#include "figures/page.h"
#include "support/text.h"

/* The lines of the titles of a panel, and the width of the labels beside it. */
struct titles {
    struct texts above, x, y;
    double labels;
};

struct layout {
    double width, height, plot_width;
    double left, between, right;     /* beside the first column, between columns, beside the last one */
    double above, below, below_last; /* each row */
    double top, foot;                /* from the top to the first panel, to the key */
    size_t rows, columns, keys, key_rows;
    struct titles *titles; /* of each panel */
    size_t npanels;
    struct texts caption;
};

struct layout layout_make(const struct page *page);
void layout_clear(struct layout *layout);

/* The middle of a key; of a line of a panel's title of y, and of a line of the caption from the top. */
double layout_middle(const struct layout *layout, size_t key);
double layout_ytitle(const struct layout *layout, size_t panel, size_t line);
double layout_caption(const struct layout *layout, size_t line);

/* The distance of the caption from the edge. */
extern const double layout_margin;

/* About how many tics of an axis have room; the step between its own labels for which there is room. */
double layout_tics(const struct layout *layout, const struct axis *axis, bool across);
size_t layout_stride(const struct layout *layout, const struct axis *axis);

/* As much of a name as there is room for under an axis. Malloc'd. */
char *layout_name(const char *name);

#endif
