/* power_ns.c - power, then the point of the probability simplex nearest to it.
 *
 * Source: NDSS 2020, sec. IV-E. Cost: power's, and expected O(d) for the projection. */
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

const struct ldp_method ldp_method_power_ns = {
    .name = "power_ns",
    .title = "Power, projected onto the simplex",
    .source = "NDSS 2020, sec. IV-E",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER,
    .inner = "power",
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
