/* draw.h - from a page to a file of a picture, by gnuplot. */
#ifndef LDPBENCH_FIGURES_DRAW_H
#define LDPBENCH_FIGURES_DRAW_H

#include "figures/layout.h"
#include "support/failure.h"

#include <stdio.h>
#include <sys/types.h>

/* picture_formats[PICTURE_NUMBERS] are a page's numbers; they need no gnuplot. */
enum { PICTURE_NUMBERS = PICTURE_PNG + 1, PICTURE_FORMATS };

extern const char *const picture_formats[PICTURE_FORMATS + 1]; /* "svg", "pdf", "png", "tsv", NULL */

/* A picture while gnuplot draws it. */
struct drawing {
    int format;
    char *name, *file, *title; /* of the picture, of its file, of an SVG */
    FILE *layout, *output, *errors;
    pid_t child;     /* 0: none */
    char *numbers;   /* of a picture of numbers */
    size_t nnumbers; /* bytes */
};

/* Lays a page out and starts gnuplot on it. script: plots/page.gp. To be ended in any case. */
int draw_begin(struct drawing *drawing, const struct page *page, int format, const char *script,
               struct failure *failure);

/* Waits for gnuplot and puts the picture into the folder as NAME.FORMAT, where it appears whole or not at all; folder
 * NULL: drops it. origin: one line that says what the picture is drawn from; an SVG carries it as its description, the
 * page's caption as its title. */
int draw_end(struct drawing *drawing, const char *folder, const char *origin, struct failure *failure);

/* Copies an SVG of gnuplot's with another title and description, and with every > of a text escaped, which gnuplot
 * leaves as it is (XML forbids ]]> in texts). */
void finish_svg(FILE *out, const char *svg, size_t length, const char *title, const char *description);

#endif
