/* npmle_ns.c - npmle, then the point of the probability simplex nearest to it.
 *
 * Cost: npmle's, and expected O(d) for the projection. */
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

const struct ldp_method ldp_method_npmle_ns = {
    .name = "npmle_ns",
    .title = "Maximum-likelihood prior, projected onto the simplex",
    .source = "npmle; the projection as NDSS 2020, sec. IV-E",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER,
    .inner = "npmle",
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
