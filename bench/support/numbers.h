/* numbers.h - numbers as text, and in order. */
#ifndef LDPBENCH_NUMBERS_H
#define LDPBENCH_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_TEXT = 40 /* bytes that hold any number */ };

/* The shortest decimal text that reads back as the same double; whole numbers below 1e15 without an
 * exponent. Returns text. */
const char *format_number(double value, char text[NUMBER_TEXT]);

/* A whole number of at most 15 digits with a comma after each group of thousands, written into text; any other text is
 * returned as it is. */
enum { THOUSANDS_TEXT = 24 };
const char *group_thousands(const char *number, char text[THOUSANDS_TEXT]);

enum { WHOLE_TEXT = 21 };

/* The digits of a whole number; returns how many. */
size_t format_whole(uint64_t value, char text[WHOLE_TEXT]);

/* The finite decimal number that a text begins with and where it ends; NULL where it begins with none. */
const char *parse_number(const char *text, double *value);

/* The finite decimal number that a text consists of; NAN where it is anything else. */
double text_number(const char *text);

static inline double square(double x)
{
    return x * x;
}

/* Equal, or both undefined. */
static inline bool same_number(double a, double b)
{
    return a == b || (a != a && b != b);
}

static inline size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The order of doubles, for qsort and bsearch; none of them NAN. */
int by_number(const void *a, const void *b);

/* Puts texts that are all numbers in their order. */
void sort_numbers(char **text, size_t count);

/* Removes duplicates from sorted numbers; returns how many are left. */
size_t numbers_once(double *number, size_t count);

/* A range of numbers. An end that is the double next to a shorter number, or the least normal double, is
 * written as an open end at that number; an end at or beyond the largest double is left out. */
struct range {
    bool has_min, has_max, min_open, max_open;
    double min, max;
};

struct range range_of(double min, double max);

#endif
