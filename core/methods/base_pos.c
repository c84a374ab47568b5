/* base_pos.c - negative estimates become 0:
 *
 *     est'_v = max(est_v, 0).
 *
 * Source: NDSS 2020, sec. IV-A. Biased upwards, most where the truth is near 0. Cost: O(d). */
#include "ldpbench.h"

static void apply(const double *param, const struct ldp_protocol *protocol, uint64_t n, const double *est,
                  void *scratch, double *out)
{
    (void)param, (void)n, (void)scratch;
    for (size_t v = 0; v < protocol->d; v++)
        out[v] = est[v] > 0 ? est[v] : 0;
}

const struct ldp_method ldp_method_base_pos = {
    .name = "base_pos",
    .title = "Negative estimates set to 0",
    .source = "NDSS 2020, sec. IV-A",
    .guarantees = LDP_NONNEGATIVE | LDP_KEEPS_ORDER,
    .apply = apply,
};
