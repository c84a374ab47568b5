/* draw.h - draws a page into a picture file with gnuplot. */
#ifndef LDPBENCH_FIGURES_DRAW_H
#define LDPBENCH_FIGURES_DRAW_H

#include "figures/page.h"
#include "support/failure.h"

#include <stdio.h>
#include <sys/types.h>

enum picture_format { PICTURE_SVG, PICTURE_PDF, PICTURE_PNG };

/* picture_formats[PICTURE_NUMBERS] is the format of a page's numbers, which needs no gnuplot. */
enum { PICTURE_NUMBERS = PICTURE_PNG + 1, PICTURE_FORMATS };

extern const char *const picture_formats[PICTURE_FORMATS + 1]; /* "svg", "pdf", "png", "tsv", NULL */

/* A picture while gnuplot draws it. */
struct drawing {
    int format;
    char *name;                /* of the picture */
    char *title, *description; /* of an SVG */
    FILE *script, *output, *errors;
    pid_t child; /* 0: none */
    double deadline;
};

/* Starts gnuplot on a page. plots: the folder of scripts. origin: one line that names the source of the picture; an SVG
 * has it as its description, and the page's caption as its title. Call draw_end in any case. */
int draw_begin(struct drawing *drawing, const struct page *page, int format, const char *plots, const char *origin,
               struct failure *failure);

/* Waits for gnuplot and puts the picture into the folder as NAME.FORMAT, either complete or not at all; folder NULL:
 * discards it, with the failure as it is. */
int draw_end(struct drawing *drawing, const char *folder, struct failure *failure);

/* Writes into a folder NAME.gp: gnuplot NAME.gp draws the picture again; plots NULL: NAME.tsv, its numbers. */
int draw_beside(const struct page *page, const char *folder, const char *plots, struct failure *failure);

/* script.c: a page as one gnuplot script, plots/style.gp and plots/KIND.gp, then the panels with their numbers. It
 * draws to standard output in the format of its variable `format`. */
int script_write(const struct page *page, const char *plots, FILE *out, struct failure *failure);

#endif
