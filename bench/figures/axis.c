/* axis.c - see page.h. */
#include "figures/page.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const struct span no_span = {INFINITY, -INFINITY};

void span_add(struct span *span, double value)
{
    if (value < span->low)
        span->low = value;
    if (value > span->high)
        span->high = value;
}

bool span_empty(const struct span *span)
{
    return !(span->low <= span->high);
}

struct span span_union(struct span a, struct span b)
{
    return (struct span){fmin(a.low, b.low), fmax(a.high, b.high)};
}

void axis_linear(struct axis *axis, struct span span, bool with_unit)
{
    const double largest = fmax(fabs(span.low), fabs(span.high));
    /* Labels have ten digits: numbers that differ less are shown as one. */
    const double length = span.high - span.low > 1e-8 * largest ? span.high - span.low : largest > 0 ? largest : 1;

    *axis = (struct axis){.scale = AXIS_LINEAR, .low = span.low, .high = span.high, .unit = 1};
    if (span.low != 0)
        axis->low -= 0.04 * length;
    axis->high += 0.04 * length;
    if (with_unit && (largest >= 10000 || (largest < 0.001 && largest > 0)))
        axis->unit = pow(10, floor(log10(largest)));
}

void axis_log(struct axis *axis, struct span span)
{
    const double margin = fmax(1.15, pow(span.high / span.low, 0.05));

    assert(span.low > 0);
    *axis =
        (struct axis){.scale = AXIS_LOG, .low = span.low / margin, .high = span.high * margin, .unit = 1, .base = 10};
}

void axis_signed_log(struct axis *axis, struct span span, double bend)
{
    *axis = (struct axis){
        .scale = AXIS_SIGNED_LOG, .low = fmin(span.low, 0), .high = fmax(span.high, 0), .bend = bend, .unit = 1};
    axis->high = fmax(axis->high * 1.6, bend);
    axis->low = axis->low < 0 ? fmin(axis->low * 1.6, -bend) : 0;
}

void axis_names(struct axis *axis, size_t count)
{
    *axis = (struct axis){.scale = AXIS_NAMES, .low = 0.5, .high = (double)count + 0.5, .unit = 1};
}

static bool powers_of_two(const double *value, size_t count)
{
    int exponent;

    for (size_t i = 0; i < count; i++)
        if (value[i] < 1 || frexp(value[i], &exponent) != 0.5)
            return false;
    return true;
}

/* Whether at least five values over a factor of four are spread logarithmically: neighbours have the same ratio within
 * 5 %, which leaves room for rounding to whole numbers. */
static bool same_ratios(const double *value, size_t count)
{
    if (count < 5 || !(value[0] > 0) || value[count - 1] < 4 * value[0])
        return false;
    const double ratio = pow(value[count - 1] / value[0], 1 / (double)(count - 1));

    for (size_t i = 0; i + 1 < count; i++)
        if (fabs(value[i + 1] / value[i] / ratio - 1) > 0.05)
            return false;
    return true;
}

void axis_swept(struct axis *axis, const double *value, size_t count)
{
    const double low = value[0], high = value[count - 1], length = high > low ? high - low : 1;

    *axis = (struct axis){.scale = AXIS_LINEAR, .low = low - 0.03 * length, .high = high + 0.03 * length, .unit = 1};
    const bool doubles = count > 4 && high / low >= 16 && powers_of_two(value, count);

    if (doubles || same_ratios(value, count) || (low > 0 && high / low >= 50 && value[(count - 1) / 2] < high / 4)) {
        axis->scale = AXIS_LOG;
        axis->low = low / pow(high / low, 0.04);
        axis->high = high * pow(high / low, 0.04);
        axis->base = powers_of_two(value, count) ? 2 : 10;
    } else if (high >= 10000) {
        axis->unit = pow(10, ceil(log10(high) - 1e-9) - 1);
    }
}

/* The scale of a signed logarithmic axis: value / bend up to bend, then a unit for each decade. */
static double signed_log(double value, double bend)
{
    const double size = fabs(value) / bend;

    return copysign(size <= 1 ? size : 1 + log10(size), value);
}

double axis_at(const struct axis *axis, double value)
{
    if (axis->scale == AXIS_LOG)
        return log(value / axis->low) / log(axis->high / axis->low);
    if (axis->scale == AXIS_SIGNED_LOG) {
        const double low = signed_log(axis->low, axis->bend), high = signed_log(axis->high, axis->bend);

        return (signed_log(value, axis->bend) - low) / (high - low);
    }
    return (value - axis->low) / (axis->high - axis->low);
}
