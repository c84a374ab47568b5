/* draw.h - from a page to a file of a picture, by gnuplot. */
#ifndef LDPBENCH_FIGURES_DRAW_H
#define LDPBENCH_FIGURES_DRAW_H

#include "figures/layout.h"
#include "support/failure.h"

/* picture_formats[PICTURE_NUMBERS] are a page's numbers; they need no gnuplot. */
enum { PICTURE_NUMBERS = PICTURE_PNG + 1, PICTURE_FORMATS };

extern const char *const picture_formats[PICTURE_FORMATS + 1]; /* "svg", "pdf", "png", "tsv", NULL */

/* Draws a page as FOLDER/NAME.FORMAT, which appears whole or not at all. script: plots/page.gp. origin: one line that
 * says what the picture is drawn from; an SVG carries it as its description, the page's caption as its title. */
int draw_page(const struct page *page, int format, const char *script, const char *folder, const char *origin,
              struct failure *failure);

/* Copies an SVG of gnuplot's with another title and description, and with every > of a text escaped, which gnuplot
 * leaves as it is (XML forbids ]]> in texts). */
void finish_svg(FILE *out, const char *svg, size_t length, const char *title, const char *description);

#endif
