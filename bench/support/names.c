/* names.c - see names.h. */
#include "support/names.h"

#include "dataset.h"
#include "tasks/task.h"

#include <assert.h>
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

const char *format_number(double value, char text[NUMBER_TEXT])
{
    if (fabs(value) < 1e15 && value == floor(value))
        snprintf(text, NUMBER_TEXT, "%.0f", value);
    else if (!reads_back(value, 15, text))
        snprintf(text, NUMBER_TEXT, "%.*g", reads_back(value, 16, text) ? 16 : 17, value);
    else
        for (int digits = 1; !reads_back(value, digits, text); digits++) /* a subnormal needs less than 15 */
            continue;
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

static size_t number_length(double value)
{
    char text[NUMBER_TEXT];

    return strlen(format_number(value, text));
}

struct range range_of(double min, double max)
{
    double below = min > 0 && min <= DBL_MIN ? 0 : nextafter(min, -INFINITY), above = nextafter(max, INFINITY);
    struct range range = {.has_min = min > -DBL_MAX, .has_max = max < DBL_MAX};

    range.min_open = range.has_min && number_length(below) < number_length(min);
    range.max_open = range.has_max && number_length(above) < number_length(max);
    range.min = range.min_open ? below : min;
    range.max = range.max_open ? above : max;
    return range;
}

const char *format_range(bool integer, double min, double max, char text[RANGE_TEXT])
{
    const char *kind = integer ? "an integer" : "a number";
    struct range range = range_of(min, max);
    char low[NUMBER_TEXT], high[NUMBER_TEXT];

    format_number(range.min, low);
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

bool text_ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);

    return length >= tail && strcmp(text + length - tail, end) == 0;
}

enum { NAME_LENGTH = 40 }; /* longer texts are not slips of a name */

/* Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours. */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t row[3][NAME_LENGTH + 1], *before = row[0], *last = row[1], *now = row[2], *spare;

    for (size_t j = 0; j <= nb; j++)
        last[j] = before[j] = j;
    for (size_t i = 1; i <= na; i++) {
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            now[j] = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < now[j])
                now[j] = last[j] + 1;
            if (now[j - 1] + 1 < now[j])
                now[j] = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
        spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[nb];
}

const char *name_nearest(const char *text, const char *const *names)
{
    size_t length = strlen(text), least = SIZE_MAX;
    const char *nearest = NULL;

    if (length == 0 || length > NAME_LENGTH)
        return NULL;
    for (; *names; names++) {
        size_t name_length = strlen(*names), longer = length > name_length ? length : name_length, distance;

        if (name_length > NAME_LENGTH)
            continue;
        distance = edit_distance(text, length, *names, name_length);
        if (distance <= (longer + 2) / 3 && distance < longer && distance < least) {
            least = distance;
            nearest = *names;
        }
    }
    return nearest;
}

#define COLLECT(list)                                                                                                  \
    do {                                                                                                               \
        size_t i = 0;                                                                                                  \
        for (; (list)[i]; i++) {                                                                                       \
            assert(i + 1 < NAMES_MAX);                                                                                 \
            names[i] = (list)[i]->name;                                                                                \
        }                                                                                                              \
        names[i] = NULL;                                                                                               \
    } while (0)

void oracle_names(const char *names[NAMES_MAX])
{
    COLLECT(ldp_oracles);
}

void method_names(const char *names[NAMES_MAX])
{
    COLLECT(ldp_methods);
}

void query_names(const char *names[NAMES_MAX])
{
    COLLECT(ldp_queries);
}

void dataset_type_names(const char *names[NAMES_MAX])
{
    COLLECT(dataset_types);
}

void task_names(const char *names[NAMES_MAX])
{
    COLLECT(tasks);
}

char *algorithm_text(const char *name, const struct ldp_param *params, const double *value, bool all)
{
    const char *separator = "(";
    char *text = NULL, number[NUMBER_TEXT];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fputs(name, out);
    for (; params && params->name; params++, value++) {
        if (!all && (*value == params->fallback || (isnan(*value) && isnan(params->fallback))))
            continue;
        fprintf(out, "%s%s=", separator, params->name);
        if (isnan(*value))
            fputs("auto", out);
        else if (params->kind == LDP_CHOICE)
            fputs(params->choices[(size_t)*value], out);
        else if (params->kind == LDP_FLAG)
            fputs(*value != 0 ? "true" : "false", out);
        else
            fputs(format_number(*value, number), out);
        separator = " "; /* not a comma: labels are fields of CSV tables */
    }
    if (*separator == ' ')
        putc(')', out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
