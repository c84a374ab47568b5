/* norm_cut.c - the largest estimates are kept until the mass is used up.
 *
 * rescale = 0, the paper's text: if the positive estimates sum to at most 1 they are kept; else those >= theta,
 * the smallest threshold whose kept values sum to at most 1. Kept values stay as they are.
 * rescale = 1, the authors' published code: the value that takes the sum past 1 is kept too, and the kept values
 * are divided by their sum.
 *
 * Source: NDSS 2020, sec. IV-B (the printed bias sum 0 of Figure 2(f) needs rescale). Deviations: equal values are kept
 * or dropped together in both forms; a sum is more than 1 when it is above 1 + 2^-40, far more than the rounding of
 * estimates that sum to 1; if the sum never passes 1, the published code scales negative estimates too, ours sets them
 * to 0; if no estimate is positive, rescale gives the uniform distribution. Cost: expected O(d), by selection on the
 * cumulative mass. */
#include "ldp.h"
#include "numerics/numeric.h"

static const struct ldp_param params[] = {
    LDP_PARAM_FLAG(
        "rescale", false,
        "keep the value that takes the sum past 1 and scale the kept ones to sum 1, as the authors' code does"),
    {.name = NULL},
};

/* An unevaluated sum of two doubles: whether a sum passes 1 must not depend on the order of its terms. */
struct sum {
    double hi, lo;
};

static void sum_add(struct sum *sum, double x)
{
    const double hi = sum->hi + x, part = hi - sum->hi;
    sum->lo += (sum->hi - (hi - part)) + (x - part);
    sum->hi = hi;
}

/* Estimates of grr and ss sum to 1; an excess that is only rounding must not drop a value. */
static bool sum_passes_one(const struct sum *sum)
{
    return (sum->hi - 1) + (sum->lo - 0x1p-40) > 0;
}

/* The largest t > 0 such that the values >= t sum to more than 1; 0 if there is none. Reorders x[m] > 0. */
static double threshold(double *x, size_t m)
{
    uint64_t state = 0;       /* pivots at pseudo-random positions: expected linear in any order of x */
    struct sum kept = {0, 0}; /* of the values known to be above t */
    while (m > 0) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double pivot = x[((state >> 32) * m) >> 32];
        struct sum above = kept;
        size_t equal = 0;
        for (size_t i = 0; i < m; i++) {
            sum_add(&above, x[i] > pivot ? x[i] : 0);
            equal += x[i] == pivot;
        }
        struct sum from = above;
        for (size_t i = 0; i < equal; i++)
            sum_add(&from, pivot);
        size_t left = 0;
        if (sum_passes_one(&above)) {
            left = ldp_keep_above(x, m, pivot);
        } else if (sum_passes_one(&from)) {
            return pivot;
        } else {
            kept = from;
            for (size_t i = 0; i < m; i++) {
                x[left] = x[i];
                left += x[left] < pivot;
            }
        }
        m = left;
    }
    return 0;
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const double *const est = collection->est;
    const size_t d = collection->protocol->d;
    const bool rescale = param[0] != 0;
    double *const positive = scratch;
    size_t m = 0;
    for (size_t v = 0; v < d; v++) {
        positive[m] = est[v];
        m += est[v] > 0;
    }
    const double t = threshold(positive, m);
    for (size_t v = 0; v < d; v++)
        out[v] = est[v] > t || (rescale && est[v] == t) ? est[v] : 0;
    if (!rescale)
        return;
    const double sum = ldp_sum(out, d);
    for (size_t v = 0; v < d; v++)
        out[v] = sum > 0 ? out[v] / sum : 1 / (double)d;
}

const struct ldp_method ldp_method_norm_cut = {
    .name = "norm_cut",
    .title = "Largest estimates kept up to sum 1",
    .source = "NDSS 2020, sec. IV-B",
    .guarantees = LDP_NONNEGATIVE | LDP_KEEPS_ORDER,
    .params = params,
    .scratch_bytes = ldp_numbers_bytes,
    .apply = apply,
};
