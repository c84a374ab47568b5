/* data.h - the data file of a picture: its numbers, its texts and the choices of the program, for plots/KIND.gp.
 * plots/README.md describes the blocks. */
#ifndef LDPBENCH_FIGURES_DATA_H
#define LDPBENCH_FIGURES_DATA_H

#include "figures/page.h"
#include "support/text.h"

void data_write(const struct page *page, FILE *out);

/* paper.c: gnuplot measures no text before it draws. What follows from the widths of texts is decided here. */

/* The lines of a text; more of it than fits is cut off. */
struct texts paper_title(const struct page *page, const struct panel *panel);
struct texts paper_ytitle(const struct page *page, const struct panel *panel);
struct texts paper_caption(const struct page *page);

/* As much of a name as there is room for under an axis. Malloc'd. */
char *paper_name(const char *name);

/* Inches, as laid out: in type of the usual size. */
double paper_width(const struct page *page);

/* Lays a page out for a width in inches and a size of type in points, 0: the usual ones. */
void paper_set(struct page *page, double width, double type);

/* How many of these columns of panels have room on it, at least 1. */
size_t paper_columns(double width, double type, size_t columns);

/* Inches to the left of a column of panels. */
double paper_left(const struct page *page, size_t column);

/* Inches above and below a row of panels. */
struct margins {
    double above, below;
};
struct margins paper_margins(const struct page *page, size_t row);

/* The step between drawn labels of an x axis for which there is room. */
size_t paper_label_stride(const struct page *page, const struct axis *axis);

/* Rows of the longest key that fit into the width. */
size_t paper_key_rows(const struct page *page);

#endif
