/* range.c - see range.h. */
#include "config/range.h"

#include "support/numbers.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t number_length(double value)
{
    char text[NUMBER_TEXT];

    return strlen(format_number(value, text));
}

struct range range_of(double min, double max)
{
    const double below = min > 0 && min <= DBL_MIN ? 0 : nextafter(min, -INFINITY), above = nextafter(max, INFINITY);
    struct range range = {.has_min = min > -DBL_MAX, .has_max = max < DBL_MAX};

    range.min_open = range.has_min && number_length(below) < number_length(min);
    range.max_open = range.has_max && number_length(above) < number_length(max);
    range.min = range.min_open ? below : min;
    range.max = range.max_open ? above : max;
    return range;
}

const char *format_range(bool integer, double min, double max, char text[RANGE_TEXT])
{
    const char *const kind = integer ? "an integer" : "a number";
    const struct range range = range_of(min, max);
    char low[NUMBER_TEXT];

    format_number(range.min, low);
    char high[NUMBER_TEXT];
    format_number(range.max, high);
    if (range.has_min && range.has_max && !range.min_open && !range.max_open)
        snprintf(text, RANGE_TEXT, "%s from %s to %s", kind, low, high);
    else if (range.has_min && range.has_max)
        snprintf(text, RANGE_TEXT, "%s %s %s and %s %s", kind, range.min_open ? ">" : ">=", low,
                 range.max_open ? "<" : "<=", high);
    else if (range.has_min)
        snprintf(text, RANGE_TEXT, "%s %s %s", kind, range.min_open ? ">" : ">=", low);
    else if (range.has_max)
        snprintf(text, RANGE_TEXT, "%s %s %s", kind, range.max_open ? "<" : "<=", high);
    else
        snprintf(text, RANGE_TEXT, "%s", kind);
    return text;
}
