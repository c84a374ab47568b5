/* norm_sub.c - constrained least squares: the point of the probability simplex nearest to the estimate,
 *
 *     est'_v = max(est_v - tau, 0),   tau such that sum_v est'_v = 1.
 *
 * Source: NDSS 2020, sec. IV-C and app. A. The published loop equals this only if the positive parts sum to at least 1,
 * and stops one user short of it; ours is always the projection. Cost: expected O(d). */
#include "numerics/simplex.h"

const struct ldp_method ldp_method_norm_sub = {
    .name = "norm_sub",
    .title = "Projection onto the simplex",
    .source = "NDSS 2020, sec. IV-C, app. A",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER,
    .scratch_bytes = ldp_numbers_bytes,
    .apply = ldp_simplex_apply,
};
