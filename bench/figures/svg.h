/* svg.h - the pictures that gnuplot draws, in fewer bytes. */
#ifndef LDPBENCH_FIGURES_SVG_H
#define LDPBENCH_FIGURES_SVG_H

#include <stddef.h>
#include <stdio.h>

/* Writes an SVG of gnuplot with a title and a description (NULL: its own). To a tenth of a pixel it shows the same:
 * coordinates have one decimal, polygons and lines are paths of relative steps, groups of the same style are one, empty
 * ones and the titles of curves are left out, and every > of a text is escaped, which gnuplot does not (XML forbids ]]>
 * in texts). */
void svg_write(FILE *out, const char *svg, size_t length, const char *title, const char *description);

#endif
