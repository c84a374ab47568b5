/* norm_cut.c - the largest estimates are kept until the mass is used up.
 *
 * rescale = 0, the paper's text: if the positive estimates sum to at most 1 they are kept; else those >= theta,
 * the smallest threshold whose kept values sum to at most 1. Kept values stay as they are.
 * rescale = 1, the authors' published code: the value that takes the sum past 1 is kept too, and the kept values
 * are divided by their sum.
 *
 * Source: NDSS 2020, sec. IV-B (the printed bias sum 0 of Figure 2(f) needs rescale). Deviations: equal values
 * stand or fall together in both forms; where the sum never passes 1 the published code scales negative estimates
 * along, ours sets them to 0; where no estimate is positive, rescale gives the uniform distribution.
 * Cost: expected O(d), by selection on the cumulative mass. */
#include "ldpbench.h"
#include "numeric.h"

#include <float.h>

static const struct ldp_param params[] = {
    {.name = "rescale",
     .kind = LDP_FLAG,
     .fallback = 0,
     .min = 0,
     .max = 1,
     .help = "keep the value that takes the sum past 1 and scale the kept ones to sum 1, as the authors' code"},
    {.name = NULL},
};

static size_t scratch_bytes(size_t d)
{
    return d * sizeof(double);
}

/* The largest t > 0 such that the values >= t sum to more than limit; 0 if there is none. Reorders x[m] > 0. */
static double threshold(double *x, size_t m, double limit)
{
    uint64_t state = 0; /* pivots at pseudo-random places: expected linear in any order of x */
    double kept = 0;    /* the sum of the values known to lie above t */

    while (m > 0) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double pivot = x[((state >> 32) * m) >> 32];
        double above = 0, equal = 0;
        size_t left = 0;

        for (size_t i = 0; i < m; i++) {
            above += x[i] > pivot ? x[i] : 0;
            equal += x[i] == pivot ? x[i] : 0;
        }
        if (kept + above > limit) {
            for (size_t i = 0; i < m; i++) {
                x[left] = x[i];
                left += x[left] > pivot;
            }
        } else if (kept + above + equal > limit) {
            return pivot;
        } else {
            kept += above + equal;
            for (size_t i = 0; i < m; i++) {
                x[left] = x[i];
                left += x[left] < pivot;
            }
        }
        m = left;
    }
    return 0;
}

static void apply(const double *param, const struct ldp_protocol *protocol, uint64_t n, const double *est,
                  void *scratch, double *out)
{
    const size_t d = protocol->d;
    const bool rescale = param[0] != 0;
    double *const positive = scratch;
    double t = 0, sum = 0;
    size_t m = 0;

    (void)n;
    for (size_t v = 0; v < d; v++) {
        positive[m] = est[v];
        m += est[v] > 0;
    }
    /* Frequencies that sum to 1 may pass it by a rounding each; that is no reason to drop one. */
    t = threshold(positive, m, 1 + (double)d * DBL_EPSILON);
    for (size_t v = 0; v < d; v++)
        out[v] = est[v] > t || (rescale && est[v] == t) ? est[v] : 0;
    if (!rescale)
        return;
    sum = ldp_sum(out, d);
    for (size_t v = 0; v < d; v++)
        out[v] = sum > 0 ? out[v] / sum : 1 / (double)d;
}

const struct ldp_method ldp_method_norm_cut = {
    .name = "norm_cut",
    .title = "Largest estimates kept up to sum 1",
    .source = "NDSS 2020, sec. IV-B",
    .guarantees = LDP_NONNEGATIVE | LDP_KEEPS_ORDER,
    .params = params,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
