/* sweep.c - see sweep.h. */
#include "config/sweep.h"

#include "config/parts.h"
#include "support/limits.h"
#include "support/numbers.h"
#include "support/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int value_read(const struct json_at *at, bool integer, double min, double max, double *out,
                      struct failure *failure)
{
    uint64_t whole = 0;

    if (!integer)
        return json_number(at, min, max, out, failure);
    if (json_integer(at, (uint64_t)min, (uint64_t)fmin(max, WHOLE_MAX), &whole, failure) != 0)
        return -1;
    *out = (double)whole;
    return 0;
}

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static int check_different(const struct json_at *at, const struct sweep *sweep, struct failure *failure)
{
    double *sorted = malloc(sweep->count * sizeof *sorted);
    int result = 0;

    if (!sorted)
        return fail_memory(failure);
    memcpy(sorted, sweep->values, sweep->count * sizeof *sorted);
    qsort(sorted, sweep->count, sizeof *sorted, compare_numbers);
    for (size_t i = 1; i < sweep->count && result == 0; i++) {
        char text[NUMBER_TEXT];

        if (sorted[i] == sorted[i - 1])
            result =
                json_fail(at, failure, "expected values that differ, got %s twice", format_number(sorted[i], text));
    }
    free(sorted);
    return result;
}

static double rounded(double value)
{
    char text[NUMBER_TEXT];

    snprintf(text, sizeof text, "%.12g", value);
    return strtod(text, NULL);
}

static int steps_read(const struct json_at *at, bool integer, double min, double max, struct sweep *sweep,
                      struct failure *failure)
{
    static const char *const keys[] = {"from", "to", "step", NULL};
    struct json_at from_at, to_at, step_at;
    double from = 0, to = 0, step = 1;

    if (json_keys(at, keys, NULL, failure) != 0 || json_require(at, "from", &from_at, failure) != 0 ||
        json_require(at, "to", &to_at, failure) != 0 || json_require(at, "step", &step_at, failure) != 0 ||
        value_read(&from_at, integer, min, max, &from, failure) != 0 ||
        value_read(&to_at, integer, min, max, &to, failure) != 0 ||
        value_read(&step_at, integer, integer ? 1 : nextafter(0, 1), WHOLE_MAX, &step, failure) != 0)
        return -1;
    if (to < from)
        return json_expected(&to_at, failure, "at least \"from\"");

    const double quotient = (to - from) / step;
    const double steps = floor(quotient + 1e-9 * fmax(1, quotient)); /* 3.8 / 0.2 is a little below 19 */
    const bool whole = from == floor(from) && step == floor(step);

    if (steps >= SWEEP_MAX)
        return json_expected(at, failure, "at most %d values", SWEEP_MAX);
    sweep->count = (size_t)steps + 1;
    sweep->values = malloc(sweep->count * sizeof *sweep->values);
    if (!sweep->values)
        return fail_memory(failure);
    for (size_t i = 0; i < sweep->count; i++)
        sweep->values[i] = whole || i == 0 ? from + (double)i * step : fmin(rounded(from + (double)i * step), to);
    return check_different(at, sweep, failure);
}

static int values_read(const struct json_at *at, bool integer, double min, double max, struct sweep *sweep,
                       struct failure *failure)
{
    struct json_at element = *at;
    size_t i = 0;

    if (json_is_object(at))
        return steps_read(at, integer, min, max, sweep, failure);
    if (!json_is_list(at) && !json_is_number(at)) {
        char range[RANGE_TEXT];

        return json_expected(at, failure, "%s, a list of them, or {\"from\", \"to\", \"step\"}",
                             format_range(integer, min, integer ? fmin(max, WHOLE_MAX) : max, range));
    }
    sweep->count = 1;
    if (json_is_list(at) && json_list(at, "a list of numbers", &element, &sweep->count, failure) != 0)
        return -1;
    if (sweep->count > SWEEP_MAX)
        return json_expected(at, failure, "at most %d values", SWEEP_MAX);
    sweep->values = malloc(sweep->count * sizeof *sweep->values);
    if (!sweep->values)
        return fail_memory(failure);
    do
        if (value_read(&element, integer, min, max, &sweep->values[i++], failure) != 0)
            return -1;
    while (i < sweep->count && json_next(&element));
    return check_different(at, sweep, failure);
}

int sweep_read(const struct json_at *at, bool integer, double min, double max, struct sweep *sweep,
               struct failure *failure)
{
    *sweep = (struct sweep){0};
    if (values_read(at, integer, min, max, sweep, failure) == 0)
        return 0;
    sweep_clear(sweep);
    return -1;
}

int sweep_constant(double value, struct sweep *sweep, struct failure *failure)
{
    sweep->values = malloc(sizeof *sweep->values);
    if (!sweep->values)
        return fail_memory(failure);
    sweep->values[0] = value;
    sweep->count = 1;
    return 0;
}

void sweep_clear(struct sweep *sweep)
{
    free(sweep->values);
    *sweep = (struct sweep){0};
}

/* ---- Keys ---- */

static int key_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    return sweep_read(at, key->type == &config_whole_sweep, key->min, key->max, out, failure);
}

int sweep_absent(const struct config_key *key, void *out, struct failure *failure)
{
    return sweep_constant(isnan(key->fallback) ? 0 : key->fallback, out, failure);
}

/* A number, a list of them, or steps. */
static cJSON *key_schema(const struct config_key *key)
{
    const bool whole = key->type == &config_whole_sweep;
    cJSON *ways, *keys, *schema = schema_any(&ways), *steps = schema_object(&keys);
    const double max = whole ? fmin(key->max, WHOLE_MAX) : key->max;

    cJSON_AddItemToArray(ways, schema_number(whole, key->min, max));
    cJSON_AddItemToArray(ways, schema_list(schema_number(whole, key->min, max)));
    cJSON_AddItemToArray(ways, steps);
    schema_add(keys, "from", schema_number(whole, key->min, max));
    schema_add(keys, "to", schema_number(whole, key->min, max));
    schema_add(keys, "step", schema_number(whole, whole ? 1 : nextafter(0, 1), WHOLE_MAX));
    schema_require(steps, "from");
    schema_require(steps, "to");
    schema_require(steps, "step");
    if (!key->required && !isnan(key->fallback))
        schema_add_number(schema, "default", key->fallback);
    return schema;
}

static char *key_words(const struct config_key *key)
{
    const bool whole = key->type == &config_whole_sweep;
    char range[RANGE_TEXT];

    return text_format("%s; a list or a sweep of them",
                       format_range(whole, key->min, whole ? fmin(key->max, WHOLE_MAX) : key->max, range));
}

const struct config_type config_sweep = {sizeof(struct sweep), key_read, sweep_absent, key_schema, key_words};
const struct config_type config_whole_sweep = {sizeof(struct sweep), key_read, sweep_absent, key_schema, key_words};
