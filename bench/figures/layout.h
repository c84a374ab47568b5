/* layout.h - the positions of all parts of a page on paper: numbers for plots/page.gp.
 *
 * The layout contains only numbers, in sections with two empty lines between them. Texts are written as the numbers of
 * their bytes: gnuplot joins them again and never reads a text as part of a program. Lengths are fractions of the
 * picture's width and height, from its lower left corner; lengths within a panel are fractions of that panel. Sections:
 *
 *     0  format width height texts tics panels layers     (inches; how many rows the sections below have)
 *     1  text byte                                        (a row for each byte of each text, texts numbered from 1)
 *     2  x y align angle size colour markup               (a row for each text; markup: exponents of numbers)
 *     3  place                                            (tics of all panels)
 *     4  x0 x1 y0 y1 frame, then from and to of: tics of x, tics of y, boxes, bands, lines, bars, points  (panels)
 *     5  point size dash width colour                     (layers)
 *     6, 7, ...                                           (the rows of layers 1, 2, ..., as page.h says) */
#ifndef LDPBENCH_FIGURES_LAYOUT_H
#define LDPBENCH_FIGURES_LAYOUT_H

#include "figures/page.h"

#include <stdio.h>

enum picture_format { PICTURE_SVG, PICTURE_PDF, PICTURE_PNG };

/* Writes the layout; false if out of memory. The caller checks out for errors. */
bool layout_write(const struct page *page, enum picture_format format, FILE *out);

#endif
