/* judge.c - see agreement.h. */
#include "agreement/agreement.h"

#include "stats/setting.h"
#include "stats/summary.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

struct estimate estimate_of(double value, double error)
{
    return (struct estimate){.value = value, .error = error, .reach = DECIDED * error};
}

double estimate_z(struct estimate estimate)
{
    return estimate.reach > 0    ? DECIDED * estimate.value / estimate.reach
           : estimate.value == 0 ? 0
                                 : copysign(INFINITY, estimate.value);
}

struct estimate estimate_from(double value, double error, size_t n)
{
    enum { FEW = 1000 };

    if (n < 2 || !(error < INFINITY))
        return (struct estimate){value, INFINITY, INFINITY};
    const double few = gsl_cdf_tdist_Qinv(gsl_cdf_ugaussian_Q(DECIDED), (double)n - 1) / DECIDED;
    return (struct estimate){value, error, (error > 0 && n < FEW ? few : 1) * DECIDED * error};
}

struct estimate estimate_mean(const struct sample *sample)
{
    return estimate_from(sample->mean, sample->n > 1 ? sample_error(sample) : INFINITY, sample->n);
}

/* The mean of x a_r + y b_r over repetitions. */
static struct estimate estimate_sum(const struct sample *a, double x, const struct sample *b, double y, bool paired)
{
    if (paired && a->value && b->value) {
        const struct summary sum =
            summarise_sum(a->value, x, b->value, y, a->length < b->length ? a->length : b->length);
        return estimate_from(sum.mean, sum.n > 1 ? sum.stderr_ : INFINITY, sum.n);
    }
    const struct estimate of_a = estimate_mean(a), of_b = estimate_mean(b);
    return (struct estimate){x * a->mean + y * b->mean, hypot(x * of_a.error, y * of_b.error),
                             hypot(x * of_a.reach, y * of_b.reach)};
}

struct estimate estimate_difference(const struct sample *a, const struct sample *b, bool paired)
{
    return estimate_sum(a, 1, b, -1, paired);
}

/* The delta method: the ratio's influence of one repetition is (a_r - (A / B) b_r) / B. */
struct estimate estimate_ratio(const struct sample *a, const struct sample *b, bool paired)
{
    const double ratio = a->mean / b->mean;
    struct estimate estimate = estimate_sum(a, 1 / b->mean, b, -ratio / b->mean, paired);

    estimate.value = ratio;
    return estimate;
}

/* Whether the difference is negligible by what was seen of it. */
static bool seems_equal(const struct sample *a, const struct sample *b, bool paired)
{
    const struct estimate difference = estimate_difference(a, b, paired);

    return fabs(difference.value) + difference.reach <= NEGLIGIBLE * fmax(fabs(a->mean), fabs(b->mean));
}

bool is_equal(const struct sample *a, const struct sample *b, bool paired)
{
    if (!seems_equal(a, b, paired) || !a->value || !b->value)
        return seems_equal(a, b, paired);
    const struct sample pair[] = {*a, *b};
    const struct setting setting = {
        .sample = pair, .count = 2, .low = -INFINITY, .high = INFINITY, .level = EQUAL_LEVEL, .any_time = true};
    return setting_equal(&setting, 0, 1, NEGLIGIBLE) < EQUAL_LEVEL;
}

enum claim_result judge_side(enum relation relation, double z)
{
    if (relation == NOT_BELOW)
        return z < -DECIDED ? DIFFERS : AGREES;
    z = relation == BELOW ? -z : z;
    return z > DECIDED ? AGREES : z < -DECIDED ? DIFFERS : INCONCLUSIVE;
}

enum claim_result judge_below(const struct sample *a, const struct sample *b, bool paired, double *z)
{
    *z = -estimate_z(estimate_difference(a, b, paired));
    if (*z > DECIDED)
        return AGREES;
    if (seems_equal(a, b, paired))
        return is_equal(a, b, paired) ? EQUAL : INCONCLUSIVE;
    return *z < -DECIDED ? DIFFERS : INCONCLUSIVE;
}

enum claim_result judge_between(struct estimate estimate, double low, double high)
{
    const double reach = estimate.reach;
    const double below = low - NEGLIGIBLE * fabs(low), above = high + NEGLIGIBLE * fabs(high);

    if (!(reach < INFINITY))
        return INCONCLUSIVE;
    if (estimate.value - reach >= below && estimate.value + reach <= above)
        return AGREES;
    return estimate.value + reach < low || estimate.value - reach > high ? DIFFERS : INCONCLUSIVE;
}

enum claim_result judge_ratio(const struct sample *a, const struct sample *b, bool paired, double low, double high,
                              double *z)
{
    const double bound[] = {low, high}, sign[] = {1, -1};
    bool inside = true, external = false;
    double least = NAN;

    for (size_t i = 0; i < 2; i++) {
        if (isinf(bound[i]))
            continue;
        /* By how much the ratio keeps the bound, and one that is a little wider; none of either sign counts as kept
         * where it has no error. */
        const double wider = bound[i] - sign[i] * NEGLIGIBLE * fabs(bound[i]);
        const struct estimate margin = estimate_sum(a, sign[i], b, -sign[i] * bound[i], paired),
                              wide = estimate_sum(a, sign[i], b, -sign[i] * wider, paired);
        const double of = margin.reach > 0 || margin.value < 0 ? estimate_z(margin) : (double)INFINITY;

        inside = inside && wide.reach < INFINITY && wide.value - wide.reach >= 0;
        external = external || (margin.reach < INFINITY && margin.value + margin.reach < 0);
        least = isnan(least) || of < least ? of : least;
    }
    if (z)
        *z = least;
    return inside ? AGREES : external ? DIFFERS : INCONCLUSIVE;
}

enum claim_result tally_result(const struct tally *tally)
{
    if (tally->n[DIFFERS] > 0)
        return DIFFERS;
    if (tally->n[INCONCLUSIVE] > 0)
        return INCONCLUSIVE;
    return tally->n[AGREES] > 0 && tally->n[AGREES] >= tally->n[EQUAL] ? AGREES : EQUAL;
}
