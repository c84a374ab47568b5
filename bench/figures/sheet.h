/* sheet.h - paper sizes, and writing the sections of a layout (layout.h). */
#ifndef LDPBENCH_FIGURES_SHEET_H
#define LDPBENCH_FIGURES_SHEET_H

#include "figures/page.h"

#include <stdio.h>

/* Inches. A column and a page of the usual two-column papers. */
static const double column_width = 3.5, page_width = 7.16;
static const double edge = 0.05, tic_gap = 0.055;

/* Sizes of type, in points. */
static const double tic_size = 7, title_size = 7.5, legend_size = 7.5, caption_size = 8;

enum { INK = 0x000000, QUIET_INK = 0x333333 };

enum section { LETTERS, TEXTS, TICS, PANELS, LAYERS, ROWS, SECTIONS };

enum { PANEL_COLUMNS_MAX = 16 };

struct sheet {
    const struct page *page;
    double width, height;
    double left[PANEL_COLUMNS_MAX], right; /* margins of a column of panels */
    double plot_width;
    FILE *out[SECTIONS];
    char *text[SECTIONS];
    size_t size[SECTIONS];
    size_t count[SECTIONS]; /* rows so far */
};

bool sheet_open(struct sheet *sheet);

/* Closes what is open; false if anything was not written. */
bool sheet_close(struct sheet *sheet);

double inches(double points);
double line_height(double size);
double text_width(const char *text, double size);

/* Position and style of a text: inches from the upper left corner; align -1: it starts at the position, 0: is centred
 * there, 1: ends there. */
struct place {
    double x, y;
    int align;
    double angle, size;
    uint32_t colour;
};

/* Writes the first bytes of a text, with an ellipsis if the rest is cut off. */
void put_text(struct sheet *sheet, const char *text, size_t length, bool cut_off, struct place place);

/* Writes as much of a text as fits into a width. */
void put_fitting(struct sheet *sheet, const char *text, double width, struct place place);

/* A number with an exponent, in gnuplot's markup. */
void put_number(struct sheet *sheet, const char *label, struct place place);

/* The position of a panel: inches from the upper left corner, y0 the upper end. */
struct frame {
    double x0, x1, y0, y1;
};

/* A panel: its frame, then tics of both axes (NULL: none), then its layers. */
void write_frame(struct sheet *sheet, const struct frame *frame, bool drawn);
void write_tics(struct sheet *sheet, const struct axis *axis);
void write_layers(struct sheet *sheet, const struct panel *panel);

/* legend.c: the height of the legends, and writing them below a position; false if out of memory. */
double legends_height(const struct sheet *sheet);
bool write_legends(struct sheet *sheet, double top);

#endif
