/* sweep.c - see sweep.h. */
#include "config/sweep.h"

#include "numerics/numeric.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_different(const struct json_at *at, const struct sweep *sweep, struct failure *failure)
{
    assert(sweep->count > 0 && sweep->values);
    double *const sorted = xcalloc(sweep->count, sizeof *sorted);

    memcpy(sorted, sweep->values, sweep->count * sizeof *sorted);
    qsort(sorted, sweep->count, sizeof *sorted, by_number);
    int result = 0;
    for (size_t i = 1; i < sweep->count && result == 0; i++) {
        char text[NUMBER_TEXT];

        if (sorted[i] == sorted[i - 1])
            result = json_fail(at, failure, "expected different values, got %s twice", format_number(sorted[i], text));
    }
    free(sorted);
    return result;
}

/* ---- Steps ---- */

/* An object as it is written; without a file where a key is absent. */
struct sweep_steps {
    struct json_at from, to, step, points;
    size_t scale;
};

enum { SCALE_LINEAR, SCALE_LOG };
static const char *const scales[] = {[SCALE_LINEAR] = "linear", [SCALE_LOG] = "log", NULL};

/* The ranges of from, to and step depend on the axis. */
static const struct config_type config_axis = {CONFIG_STORED(STORED_PLACE, struct json_at)};
#define CONFIG_AXIS(member) .type = &config_axis, CONFIG_MEMBER(struct sweep_steps, member, struct json_at)

const struct config_key sweep_keys[] = {
    KEY("from", "the first value", "0.2", .required = true, CONFIG_AXIS(from), .what = "a value of the swept key"),
    KEY("to", "the last value, if a step reaches it", "4", .required = true, CONFIG_AXIS(to),
        .what = "a value of the swept key"),
    KEY("step", "each value is the one before it plus this", "0.2", CONFIG_AXIS(step), .what = "a number > 0"),
    KEY("points", "how many values there are, `from` and `to` among them", "25", CONFIG_AXIS(points),
        .what = "an integer from 2 to 1000000"),
    KEY("scale", "of `points`: whether neighbours have the same difference or the same ratio", "\"log\"",
        CONFIG_CHOICE(struct sweep_steps, scale), .choices = scales, .fallback = SCALE_LINEAR),
    {.name = NULL},
};

/* The numbers that the axis takes. */
struct sweep_bounds {
    bool integer;
    double min, max;
};

static int check_one_way(const struct json_at *at, const struct sweep_steps *steps, struct failure *failure)
{
    if (!steps->step.file && !steps->points.file)
        return json_fail(at, failure, "missing key \"step\" or \"points\"");
    if (steps->step.file && steps->points.file)
        return json_expected(at, failure, "one of \"step\" and \"points\"");
    struct json_at scale;
    if (!steps->points.file && json_member(at, "scale", &scale))
        return json_expected(&scale, failure, "\"scale\" together with \"points\" only");
    return 0;
}

static double rounded(double value)
{
    char text[NUMBER_TEXT];

    snprintf(text, sizeof text, "%.12g", value);
    return strtod(text, NULL);
}

static int sweep_reserve(const struct json_at *at, double count, struct sweep *sweep, struct failure *failure)
{
    if (count > SWEEP_MAX)
        return json_expected(at, failure, "at most %d values", SWEEP_MAX);
    sweep->count = (size_t)count;
    sweep->values = xcalloc(sweep->count, sizeof *sweep->values);
    return 0;
}

static int by_step(const struct json_at *at, const struct sweep_steps *steps, const struct sweep_bounds *axis,
                   double from, double to, struct sweep *sweep, struct failure *failure)
{
    double step = 1;

    if (config_number(&steps->step, axis->integer, axis->integer ? 1 : nextafter(0, 1), WHOLE_MAX, &step, failure) != 0)
        return -1;

    const double quotient = (to - from) / step;
    const double count = 1 + floor(quotient + 1e-9 * fmax(1, quotient)); /* 3.8 / 0.2 is a little below 19 */
    const bool whole = from == floor(from) && step == floor(step);

    if (sweep_reserve(at, count, sweep, failure) != 0)
        return -1;
    for (size_t i = 0; i < sweep->count; i++)
        sweep->values[i] = whole || i == 0 ? from + (double)i * step : fmin(rounded(from + (double)i * step), to);
    return 0;
}

/* A value between the ends, rounded. */
static double between(const struct sweep_bounds *axis, double value, double to)
{
    return axis->integer ? fmin(floor(value + 0.5), to) : fmin(rounded(value), to);
}

static int by_points(const struct json_at *at, const struct sweep_steps *steps, const struct sweep_bounds *axis,
                     double from, double to, struct sweep *sweep, struct failure *failure)
{
    uint64_t points = 2;

    if (json_integer(&steps->points, 2, SWEEP_MAX, &points, failure) != 0)
        return -1;
    if (to == from)
        return json_expected(&steps->to, failure, "more than \"from\"");
    if (steps->scale == SCALE_LOG && from <= 0)
        return json_expected(&steps->from, failure, "a number > 0 on a logarithmic scale");
    if (sweep_reserve(at, (double)points, sweep, failure) != 0)
        return -1;
    for (size_t i = 0; i < sweep->count; i++) {
        const double share = (double)i / (double)(points - 1);
        const double value = steps->scale == SCALE_LOG ? from * ldp_pow(to / from, share) : from + share * (to - from);

        sweep->values[i] = i == 0 ? from : i + 1 == sweep->count ? to : between(axis, value, to);
    }
    return 0;
}

static int steps_read(const struct json_at *at, const struct sweep_bounds *axis, struct sweep *sweep,
                      struct failure *failure)
{
    struct sweep_steps steps = {0};
    double from = 0, to = 0;

    if (config_check(at, sweep_keys, NULL, failure) != 0 || config_read(at, sweep_keys, &steps, failure) != 0 ||
        check_one_way(at, &steps, failure) != 0 ||
        config_number(&steps.from, axis->integer, axis->min, axis->max, &from, failure) != 0 ||
        config_number(&steps.to, axis->integer, axis->min, axis->max, &to, failure) != 0)
        return -1;
    if (to < from)
        return json_expected(&steps.to, failure, "at least \"from\"");
    const int result = steps.step.file ? by_step(at, &steps, axis, from, to, sweep, failure)
                                       : by_points(at, &steps, axis, from, to, sweep, failure);
    return result == 0 ? check_different(at, sweep, failure) : -1;
}

static int values_read(const struct json_at *at, bool integer, double min, double max, struct sweep *sweep,
                       struct failure *failure)
{
    if (json_is_object(at))
        return steps_read(at, &(struct sweep_bounds){integer, min, max}, sweep, failure);
    if (!json_is_list(at) && !json_is_number(at)) {
        char range[RANGE_TEXT];

        return json_expected(at, failure, "%s, a list of them, or a sweep {\"from\", \"to\", \"step\"}",
                             format_range(integer, min, integer ? fmin(max, WHOLE_MAX) : max, range));
    }
    sweep->count = 1;
    struct json_at element = *at;
    if (json_is_list(at) && json_list(at, "a list of numbers", &element, &sweep->count, failure) != 0)
        return -1;
    if (sweep->count > SWEEP_MAX)
        return json_expected(at, failure, "at most %d values", SWEEP_MAX);
    sweep->values = xcalloc(sweep->count, sizeof *sweep->values);
    size_t i = 0;
    do
        if (config_number(&element, integer, min, max, &sweep->values[i++], failure) != 0)
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

void sweep_constant(double value, struct sweep *sweep)
{
    sweep->values = xcalloc(1, sizeof *sweep->values);
    sweep->values[0] = value;
    sweep->count = 1;
}

void sweep_clear(struct sweep *sweep)
{
    free(sweep->values);
    *sweep = (struct sweep){0};
}

/* ---- Keys ---- */

static int key_read(const struct config_key *key, const struct json_at *at, void *out, struct failure *failure)
{
    return sweep_read(at, key->type->of[0]->form == FORM_WHOLE, key->min, key->max, out, failure);
}

#define SWEEP_OF(type)                                                                                                 \
    .form = FORM_SWEEP, .of = (const struct config_type *const[]){type, NULL}, .read = key_read,                       \
    CONFIG_STORED(STORED_SWEEP, struct sweep)
const struct config_type config_sweep = {SWEEP_OF(&config_real)};
const struct config_type config_whole_sweep = {SWEEP_OF(&config_whole)};
