/* names.h - texts that several parts of the program share: names and near misses, labels, numbers, ranges. */
#ifndef LDPBENCH_NAMES_H
#define LDPBENCH_NAMES_H

#include "ldpbench.h"

enum {
    NUMBER_TEXT = 40, /* bytes that hold any number */
    RANGE_TEXT = 128, /* bytes that hold any range */
    NAMES_MAX = 64    /* longest list of names, its NULL included */
};

/* The shortest decimal text that reads back as the same double; whole numbers below 1e15 without an
 * exponent. Returns text. */
const char *format_number(double value, char text[NUMBER_TEXT]);

/* The finite decimal number that a text begins with and where it ends; NULL where it begins with none. */
const char *parse_number(const char *text, double *value);

/* A range of numbers as people write it: an end that is the next double of a shorter number is an open one at
 * that number, as is the least normal double; an end at or beyond the largest double is none. */
struct range {
    bool has_min, has_max, min_open, max_open;
    double min, max;
};

struct range range_of(double min, double max);

/* "a number > 0", "an integer from 1 to 1024". Returns text. */
const char *format_range(bool integer, double min, double max, char text[RANGE_TEXT]);

bool text_ends_with(const char *text, const char *end);

/* The name of a NULL-terminated list that is nearest to a text, if it is near enough to be a slip of the
 * keyboard; otherwise NULL. The first of several equally near ones. */
const char *name_nearest(const char *text, const char *const *names);

/* Names of a registry, NULL-terminated, in its order. */
void oracle_names(const char *names[NAMES_MAX]);
void method_names(const char *names[NAMES_MAX]);
void query_names(const char *names[NAMES_MAX]);
void dataset_type_names(const char *names[NAMES_MAX]);
void task_names(const char *names[NAMES_MAX]);

/* `olh(g=2)`: a name with those parameters that are not the default, or with all of them; a default derived
 * from d and epsilon is called `auto`. Malloc'd, NULL for want of memory. */
char *algorithm_text(const char *name, const struct ldp_param *params, const double *value, bool all);

#endif
