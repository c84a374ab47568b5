/* em - expectation maximisation through the channel of an ordered oracle.
 *
 *     f_i <- f_i sum_j M[j,i] c_j / (n (M f)_j),   from f = 1/d,
 *
 * until a round changes the log likelihood sum_j c_j log (M f)_j by less than 1e-3 e^epsilon, which is not looked at in
 * the first two rounds, or for 10,000 rounds (wave.h). The early stop is part of the method, and its only
 * regulariser: the limit, the maximum of the likelihood, is rougher.
 *
 * Source: Li, Wang, Lopuhaa-Zwakenberg, Skoric, Li, SIGMOD 2020. Cost: O(d) per round; 1000 to 4000 rounds. */
#include "ordinal/wave.h"

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    ldp_wave_fit(protocol, collection->support, ldp_wave_em_tau(protocol), NULL, scratch, out);
}

/* Oracles that it suits estimate by it themselves. */
static const char *same_as(const double *param)
{
    return "base";
}

const struct ldp_method ldp_method_em = {
    .name = "em",
    .title = "Expectation maximisation, stopped early",
    .source = "SIGMOD 2020",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE,
    .same_as = same_as,
    .suits = ldp_wave_suits,
    .needs = "an oracle whose reports are near the value, such as sw",
    .by_support = true,
    .scratch_bytes = ldp_wave_scratch,
    .apply = apply,
};
