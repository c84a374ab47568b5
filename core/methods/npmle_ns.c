/* npmle_ns.c - npmle, then the point of the probability simplex nearest to it.
 *
 * Cost: npmle's, and expected O(d) for the projection. */
#include "numerics/simplex.h"

const struct ldp_method ldp_method_npmle_ns = {
    .name = "npmle_ns",
    .title = "Maximum-likelihood prior, projected onto the simplex",
    .source = "npmle; the projection as NDSS 2020, sec. IV-E",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER,
    .inner = "npmle",
    .scratch_bytes = ldp_numbers_bytes,
    .apply = ldp_simplex_apply,
};
