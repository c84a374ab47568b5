/* norm_sub.c - constrained least squares: the point of the probability simplex nearest to the estimate,
 *
 *     est'_v = max(est_v - tau, 0),   tau such that sum_v est'_v = 1.
 *
 * Source: NDSS 2020, sec. IV-C and app. A. The published loop equals this only where the positive parts sum to at
 * least 1, and stops one user short of it; ours is the projection always. Cost: expected O(d). */
#include "ldpbench.h"
#include "simplex.h"

static size_t scratch_bytes(size_t d)
{
    return d * sizeof(double);
}

static void apply(const double *param, const struct ldp_protocol *protocol, uint64_t n, const double *est,
                  void *scratch, double *out)
{
    (void)param, (void)n;
    ldp_simplex_project(est, protocol->d, scratch, out);
}

const struct ldp_method ldp_method_norm_sub = {
    .name = "norm_sub",
    .title = "Projection onto the simplex",
    .source = "NDSS 2020, sec. IV-C, app. A",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
