/* estimate.c - see estimate.h. */
#include "agreement/estimate.h"

#include "stats/summary.h"
#include "support/numbers.h"

#include <assert.h>
#include <math.h>

struct estimate estimate_mean(const struct sample *sample)
{
    const double error = sample->n > 1 ? sample_error(sample) : INFINITY;

    return (struct estimate){.value = sample->mean, .error = error};
}

/* The standard error of the mean of x a_r + y b_r over repetitions, of which n are paired. */
static double error_of_sum(const struct sample *a, double x, const struct sample *b, double y, bool paired)
{
    const size_t n = a->n < b->n ? a->n : b->n;

    if (!paired || !a->value || !b->value)
        return sqrt(square(x * estimate_mean(a).error) + square(y * estimate_mean(b).error));
    const struct summary summary = summarise_sum(a->value, x, b->value, y, n);
    return summary.n > 1 ? summary.stderr_ : INFINITY;
}

struct estimate estimate_difference(const struct sample *a, const struct sample *b, bool paired)
{
    return (struct estimate){.value = a->mean - b->mean, .error = error_of_sum(a, 1, b, -1, paired)};
}

/* The delta method: the ratio's influence of one repetition is (a_r - (A / B) b_r) / B. */
struct estimate estimate_ratio(const struct sample *a, const struct sample *b, bool paired)
{
    const double ratio = a->mean / b->mean;

    return (struct estimate){.value = ratio, .error = error_of_sum(a, 1 / b->mean, b, -ratio / b->mean, paired)};
}

enum claim_verdict judge_below(const struct sample *a, const struct sample *b, bool paired, double *z)
{
    const struct estimate difference = estimate_difference(a, b, paired);
    const double size = fmax(fabs(a->mean), fabs(b->mean));

    *z = difference.error > 0 ? -difference.value / difference.error : difference.value == 0 ? 0 : -INFINITY;
    if (difference.error == 0 && difference.value < 0)
        *z = INFINITY;
    if (fabs(difference.value) + DECIDED * difference.error <= NEGLIGIBLE * size)
        return EQUAL;
    return *z > DECIDED ? AGREES : *z < -DECIDED ? DIFFERS : UNDECIDED;
}

enum claim_verdict judge_between(struct estimate estimate, double low, double high)
{
    const double reach = DECIDED * estimate.error;
    const double below = low - NEGLIGIBLE * fabs(low), above = high + NEGLIGIBLE * fabs(high);

    assert(low <= high);
    if (!(estimate.error < INFINITY))
        return UNDECIDED;
    if (estimate.value - reach >= below && estimate.value + reach <= above)
        return AGREES;
    return estimate.value + reach < low || estimate.value - reach > high ? DIFFERS : UNDECIDED;
}

/* By how much a is above bound * b. */
static struct estimate excess(const struct sample *a, const struct sample *b, bool paired, double bound)
{
    return (struct estimate){.value = a->mean - bound * b->mean, .error = error_of_sum(a, 1, b, -bound, paired)};
}

/* Whether an excess is shown to be above 0; none of either sign counts as shown where it has no error. */
static bool is_above(struct estimate excess)
{
    return excess.error < INFINITY && excess.value - DECIDED * excess.error >= 0;
}

static double least_z(double z, struct estimate margin)
{
    const double of = margin.error > 0 ? margin.value / margin.error : margin.value < 0 ? -INFINITY : INFINITY;

    return isnan(z) || of < z ? of : z;
}

enum claim_verdict judge_ratio(const struct sample *a, const struct sample *b, bool paired, double low, double high,
                               double *z)
{
    bool inside = true, outside = false;
    double least = NAN;

    assert(low <= high);
    if (low > -INFINITY) {
        const struct estimate margin = excess(a, b, paired, low);

        inside = is_above(excess(a, b, paired, low - NEGLIGIBLE * fabs(low)));
        outside = margin.error < INFINITY && margin.value + DECIDED * margin.error < 0;
        least = least_z(least, margin);
    }
    if (high < INFINITY) {
        struct estimate margin = excess(a, b, paired, high),
                        reach = excess(a, b, paired, high + NEGLIGIBLE * fabs(high));

        margin.value = -margin.value;
        reach.value = -reach.value;
        inside = inside && is_above(reach);
        outside = outside || (margin.error < INFINITY && margin.value + DECIDED * margin.error < 0);
        least = least_z(least, margin);
    }
    if (z)
        *z = least;
    return inside ? AGREES : outside ? DIFFERS : UNDECIDED;
}

/* Errors fall with the root of repetitions. */
static double growth(double error, double room)
{
    return room > 0 ? fmax(1, square(DECIDED * error / room)) : INFINITY;
}

double growth_below(const struct sample *a, const struct sample *b, bool paired)
{
    const struct estimate difference = estimate_difference(a, b, paired);
    const double effect = fabs(difference.value), negligible = NEGLIGIBLE * fmax(fabs(a->mean), fabs(b->mean));

    return growth(difference.error, fmax(effect, negligible - effect));
}

double growth_between(struct estimate estimate, double low, double high)
{
    const double below = low - NEGLIGIBLE * fabs(low), above = high + NEGLIGIBLE * fabs(high);

    if (estimate.value < low && estimate.value >= below)
        return growth(estimate.error, fmax(low - estimate.value, estimate.value - below));
    if (estimate.value > high && estimate.value <= above)
        return growth(estimate.error, fmax(estimate.value - high, above - estimate.value));
    return growth(estimate.error, estimate.value < low    ? low - estimate.value
                                  : estimate.value > high ? estimate.value - high
                                                          : fmin(estimate.value - below, above - estimate.value));
}

double growth_ratio(const struct sample *a, const struct sample *b, bool paired, double low, double high)
{
    double error = 0;

    if (!(b->mean > 0))
        return INFINITY;
    if (low > -INFINITY)
        error = fmax(error, excess(a, b, paired, low).error / b->mean);
    if (high < INFINITY)
        error = fmax(error, excess(a, b, paired, high).error / b->mean);
    return growth_between((struct estimate){a->mean / b->mean, error}, low, high);
}

void keep_largest(double *squares, size_t count)
{
    static const double share = 0.9;
    double all = 0, taken = 0;

    for (size_t i = 0; i < count; i++)
        all += squares[i];
    while (taken < share * all) {
        size_t largest = 0;

        for (size_t i = 1; i < count; i++)
            largest = squares[i] > squares[largest] ? i : largest;
        if (!(squares[largest] > 0))
            break;
        taken += squares[largest];
        squares[largest] *= -1; /* taken */
    }
    for (size_t i = 0; i < count; i++)
        squares[i] = squares[i] < 0 ? -squares[i] : 0;
}

void tally_add(struct tally *tally, enum claim_verdict verdict)
{
    tally->n[verdict]++;
}

enum claim_verdict tally_verdict(const struct tally *tally)
{
    if (tally->n[DIFFERS] > 0)
        return DIFFERS;
    if (tally->n[UNDECIDED] > 0)
        return UNDECIDED;
    return tally->n[AGREES] > 0 ? AGREES : EQUAL;
}
