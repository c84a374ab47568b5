/* numbers.c - see numbers.h. */
#include "support/numbers.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reads_back(double value, int digits, char text[NUMBER_TEXT])
{
    snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
    return strtod(text, NULL) == value;
}

size_t format_whole(uint64_t value, char text[WHOLE_TEXT])
{
    char digit[WHOLE_TEXT];
    size_t first = sizeof digit - 1;

    digit[first] = '\0';
    do
        digit[--first] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    memcpy(text, digit + first, sizeof digit - first);
    return sizeof digit - 1 - first;
}

const char *format_number(double value, char text[NUMBER_TEXT])
{
    if (fabs(value) < 1e15 && value == floor(value)) {
        *text = '-'; /* also of -0, as printf writes it */
        format_whole((uint64_t)fabs(value), text + (signbit(value) != 0));
    } else if (!reads_back(value, 15, text)) {
        if (!reads_back(value, 16, text))
            snprintf(text, NUMBER_TEXT, "%.17g", value);
    } else if (fabs(value) < DBL_MIN) { /* a subnormal number needs less than 15 */
        for (int digits = 1; !reads_back(value, digits, text); digits++)
            continue;
    }
    return text;
}

const char *group_thousands(const char *number, char text[THOUSANDS_TEXT])
{
    const size_t sign = *number == '-', length = strlen(number);

    if (length == sign || length > 15 + sign || strspn(number + sign, "0123456789") != length - sign)
        return number;
    char *to = text;
    for (size_t i = 0; i < length; i++) {
        if (i > sign && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = number[i];
    }
    *to = '\0';
    return text;
}

/* strtod alone would take white space, hexadecimal numbers and words. */
const char *parse_number(const char *text, double *value)
{
    const size_t length = strspn(text, "+-0123456789.eE");
    char *end;

    *value = strtod(text, &end);
    return length > 0 && end == text + length && isfinite(*value) ? end : NULL;
}

double text_number(const char *text)
{
    double value;
    const char *const end = parse_number(text, &value);

    return end && !*end ? value : (double)NAN;
}

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

int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

size_t numbers_once(double *number, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++)
        if (kept == 0 || number[i] != number[kept - 1])
            number[kept++] = number[i];
    return kept;
}

static int by_written_number(const void *a, const void *b)
{
    const double x = text_number(*(char *const *)a), y = text_number(*(char *const *)b);

    return (x > y) - (x < y);
}

void sort_numbers(char **text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (isnan(text_number(text[i])))
            return;
    qsort(text, count, sizeof *text, by_written_number);
}
