/* names.c - see names.h. */
#include "names.h"

#include "datasets.h"
#include "experiment.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The digits of a number d.ddd 10^exponent, without zeros at the end. */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* The fewest digits that read back, from 15 on. A value of 10^-16 to 10^15 is m 2^e with 53 bits of m, so that P = m
 * 5^k below has 128 bits at most: value 10^k = P 2^-s exactly, and a neighbour is half-way at P +- 5^k / 2. False where
 * that does not hold. */
static bool find_decimal(double value, struct decimal *decimal)
{
    int e, k, s;
    uint64_t m;
    ldp_uint128 power, P;

    if (!(value >= 1e-16 && value < 1e15))
        return false;
    m = (uint64_t)ldexp(frexp(value, &e), 53);
    e -= 53;
    if (m == UINT64_C(1) << 52) /* the neighbour below is nearer */
        return false;
    k = 16 - (int)floor((e + 52) * 0.30103);
    do { /* 17 digits before the point; the estimate may be one too many */
        if (k > 32)
            return false;
        power = 1;
        for (int i = 0; i < k; i++)
            power *= 5;
        P = m * power;
        s = -(e + k);
        assert(s > 0 && s < 128);
    } while (P >> s >= UINT64_C(100000000000000000) && k--);
    assert(P >> s >= UINT64_C(10000000000000000));
    decimal->exponent = 16 - k;
    for (unsigned dropped = 100; dropped > 0; dropped /= 10) {
        const ldp_uint128 unit = (ldp_uint128)dropped << s, rest = P % unit;
        uint64_t digits = (uint64_t)(P / unit);
        const bool up = rest > unit - rest || (rest == unit - rest && digits % 2 == 1);
        const ldp_uint128 twice = 2 * (up ? unit - rest : rest);

        if (twice > power || (twice == power && m % 2 == 1))
            continue;
        digits += up;
        for (uint64_t scale = UINT64_C(100000000000000000) / dropped; digits >= scale; scale *= 10)
            decimal->exponent++;
        while (digits % 10 == 0)
            digits /= 10;
        decimal->digits = digits;
        return true;
    }
    return false;
}

/* As %g writes it. */
static void write_decimal(const struct decimal *decimal, bool negative, char text[NUMBER_TEXT])
{
    const int exponent = decimal->exponent;
    char digits[24];
    const int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)decimal->digits);

    if (negative)
        *text++ = '-';
    if (exponent < -4)
        snprintf(text, NUMBER_TEXT - 1, "%c%s%se-%02d", digits[0], n > 1 ? "." : "", digits + 1, -exponent);
    else if (exponent < 0)
        snprintf(text, NUMBER_TEXT - 1, "0.%.*s%s", -exponent - 1, "000", digits);
    else
        snprintf(text, NUMBER_TEXT - 1, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
}

static bool reads_back(double value, int digits, char text[NUMBER_TEXT])
{
    snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
    return strtod(text, NULL) == value;
}

const char *format_number(double value, char text[NUMBER_TEXT])
{
    struct decimal decimal;

    if (fabs(value) < 1e15 && value == floor(value))
        snprintf(text, NUMBER_TEXT, "%.0f", value);
    else if (find_decimal(fabs(value), &decimal))
        write_decimal(&decimal, value < 0, text);
    else if (!reads_back(value, 15, text))
        snprintf(text, NUMBER_TEXT, "%.*g", reads_back(value, 16, text) ? 16 : 17, value);
    else
        for (int digits = 1; !reads_back(value, digits, text); digits++) /* a subnormal needs less than 15 */
            continue;
    return text;
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
