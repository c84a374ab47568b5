/* norm.c - the missing mass is spread evenly:
 *
 *     est'_v = est_v + (1 - sum_w est_w) / d.
 *
 * Source: NDSS 2020, sec. IV-B. Unbiased, sums to 1, may be negative. Cost: O(d). */
#include "ldp.h"
#include "numerics/numeric.h"

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const double *const est = collection->est;
    const size_t d = collection->protocol->d;
    const double share = (1 - ldp_sum(est, d)) / (double)d;
    for (size_t v = 0; v < d; v++)
        out[v] = est[v] + share;
}

const struct ldp_method ldp_method_norm = {
    .name = "norm",
    .title = "Missing mass spread evenly",
    .source = "NDSS 2020, sec. IV-B",
    .guarantees = LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER | LDP_UNBIASED,
    .apply = apply,
};
