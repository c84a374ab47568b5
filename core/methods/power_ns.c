/* power_ns.c - power, then the point of the probability simplex nearest to it.
 *
 * Source: NDSS 2020, sec. IV-E. Cost: power's, and expected O(d) for the projection. */
#include "numerics/simplex.h"

const struct ldp_method ldp_method_power_ns = {
    .name = "power_ns",
    .title = "Power, projected onto the simplex",
    .source = "NDSS 2020, sec. IV-E",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER,
    .inner = "power",
    .scratch_bytes = ldp_numbers_bytes,
    .apply = ldp_simplex_apply,
};
