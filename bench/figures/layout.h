/* layout.h - the positions of all parts of a page on paper: numbers for plots/page.gp.
 *
 * The layout contains only numbers, in sections with two empty lines between them. Texts are written as the numbers of
 * their bytes: gnuplot joins them again and never reads a text as part of a program. Lengths are fractions of the
 * picture's width and height, from its lower left corner; lengths within a panel are fractions of that panel. Sections:
 *
 *     0  format width height texts tics panels layers rows    (inches; how many rows the sections below have; the byte
 *                                                             at which the rows of layers begin)
 *     1  x0 x1 y0 y1 frame, then from and to of: tics of x, tics of y, boxes, bands, lines, bars, points  (panels)
 *     2  text byte                                        (a row for each byte of each text, texts numbered from 1)
 *     3  x y align angle size colour markup               (a row for each text; markup: exponents of numbers)
 *     4  place                                            (tics of all panels)
 *     5  point size dash width colour start count         (layers; their rows: the byte after `rows`, and how many)
 *
 * The rows of layers follow in binary, as doubles, which gnuplot finds without reading what is before them:
 *
 *     boxes   x and y of the middle, x from and to, y from and to, colour
 *     bands   x, y from, y to
 *     bars    x, y from, 0, height
 *     lines   x, y; NAN ends a line
 *     points  x, y
 *
 * Before the first layer there is one row out of sight, which every kind of layer can take. */
#ifndef LDPBENCH_FIGURES_LAYOUT_H
#define LDPBENCH_FIGURES_LAYOUT_H

#include "figures/page.h"

#include <stdio.h>

enum picture_format { PICTURE_SVG, PICTURE_PDF, PICTURE_PNG };

/* Writes the layout; false if out of memory. The caller checks out for errors. */
bool layout_write(const struct page *page, enum picture_format format, FILE *out);

#endif
