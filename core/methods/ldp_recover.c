/* ldp_recover.c - the estimate without malicious users of an assumed ratio eta = m / n to genuine ones, on the simplex.
 *
 * The published method subtracts eta times the estimate that malicious users would give alone, spread over all values,
 * from (1 + eta) est, and takes the nearest point of the simplex. What is subtracted is the same for every value, and a
 * constant drops out of the projection: est' = norm_sub of (1 + eta) est. (Published code spreads it over the positive
 * estimates; then the same holds where norm_sub's threshold is above 0, as it is unless the noise is small.) The factor
 * bends frequent values upwards, so the error of data without attack grows with eta.
 *
 * Source: Sun et al., LDPRecover, ICDE 2024 (arXiv:2403.09351), without known targets. Cost: expected O(d). */
#include "numerics/arena.h"
#include "numerics/simplex.h"

static const struct ldp_param params[] = {
    LDP_PARAM_REAL("eta", 0.2, 0, 10, "assumed malicious users over genuine ones"),
    {0},
};

static size_t scratch_bytes(size_t d)
{
    return ldp_aligned(d * sizeof(double)) + d * sizeof(double);
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const size_t d = collection->protocol->d;
    struct ldp_arena arena = {scratch, 0};
    double *const larger = ldp_take(&arena, d * sizeof *larger), *const work = ldp_take(&arena, d * sizeof *work);
    for (size_t v = 0; v < d; v++)
        larger[v] = (1 + param[0]) * collection->est[v];
    ldp_simplex_project(larger, d, work, out);
}

const struct ldp_method ldp_method_ldp_recover = {
    .name = "ldp_recover",
    .title = "LDPRecover: projection of (1 + eta) times the estimate",
    .source = "Sun et al., ICDE 2024",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER | LDP_COUNTERMEASURE,
    .params = params,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
