/* range.h - ranges of numbers as messages and schemas have them. */
#ifndef LDPBENCH_CONFIG_RANGE_H
#define LDPBENCH_CONFIG_RANGE_H

#include <stdbool.h>

/* A range of numbers as text. An end that is the double next to a shorter number, or the least normal double, is
 * written as an open end at that number; an end at or beyond the largest double is left out. */
struct range {
    bool has_min, has_max, min_open, max_open;
    double min, max;
};

struct range range_of(double min, double max);

enum { RANGE_TEXT = 128 /* bytes that hold any range */ };

/* "a number > 0", "an integer from 1 to 1024". Returns text. */
const char *format_range(bool integer, double min, double max, char text[RANGE_TEXT]);

#endif
