/* svg.h - pictures in fewer bytes. */
#ifndef LDPBENCH_SVG_H
#define LDPBENCH_SVG_H

/* The same picture, as gnuplot draws it, to a tenth of a pixel: coordinates of one decimal, polygons as paths with
 * relative steps, no blanks at the start of lines. Texts stay as they are. Malloc'd; NULL if out of memory. */
char *svg_compact(const char *svg);

#endif
