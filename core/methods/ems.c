/* ems - expectation maximisation with smoothing, through the channel of an ordered oracle.
 *
 * Each round of em is followed by f_i <- (f_(i-1) + 2 f_i + f_(i+1)) / 4, at both ends (2, 1) / 3. It stops once a
 * round changes the log likelihood by less than 1e-3, which is not looked at in the first two rounds, or after 10,000
 * rounds. The bandwidth is in values, so the bias depends on d: state d with every result.
 *
 * Source: Li, Wang, Lopuhaa-Zwakenberg, Skoric, Li, SIGMOD 2020. Published code smooths all values but the last, and
 * some copies return em. Cost: O(d) per round; 500 to 1600 rounds. */
#include "ordinal/wave.h"

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_kernel kernel = ldp_kernel_binomial(1);
    ldp_wave_fit(collection->protocol, collection->support, 1e-3, &kernel, scratch, out);
}

const struct ldp_method ldp_method_ems = {
    .name = "ems",
    .title = "Expectation maximisation with smoothing",
    .source = "SIGMOD 2020",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE,
    .suits = ldp_wave_suits,
    .needs = "an oracle whose reports are near the value, such as sw",
    .by_support = true,
    .scratch_bytes = ldp_wave_scratch,
    .apply = apply,
};
