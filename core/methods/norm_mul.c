/* norm_mul.c - negative estimates become 0, the rest is scaled:
 *
 *     est'_v = max(est_v, 0) / sum_w max(est_w, 0).
 *
 * Source: NDSS 2020, sec. IV-B. If no estimate is positive, the quotient is undefined and the answer is uniform. Cost:
 * O(d). */
#include "ldp.h"
#include "numerics/numeric.h"

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const double *const est = collection->est;
    const size_t d = collection->protocol->d;
    const double sum = ldp_sum_positive(est, d, out);
    for (size_t v = 0; v < d; v++)
        out[v] = sum > 0 ? out[v] / sum : 1 / (double)d;
}

const struct ldp_method ldp_method_norm_mul = {
    .name = "norm_mul",
    .title = "Positive estimates scaled to sum 1",
    .source = "NDSS 2020, sec. IV-B",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER,
    .apply = apply,
};
