/* l_grr.c - generalised randomised response in both rounds.
 *
 * The memoized response is grr at epsilon. With a(x) = (e^x - 1)/(e^x - 1 + d), the probability that grr keeps a value,
 * the second round keeps the memoized response with probability a(first)/a(epsilon), else it reports a uniform value:
 * both together are grr at `first` exactly.
 *
 * Source: Arcolezi et al., Digital Communications and Networks 2022, L-GRR. Deviation: the paper's p2 solves
 * (p1 p2 + q1 q2)/(p1 q2 + q1 p2) = e^first, which leaves out the memoized responses that are neither of the two
 * values, and is right for d = 2 only: one report is then far more private than asked, and thousandfold as noisy. */
#include "privacy/rounds.h"

static const struct ldp_param params[] = {
    LDP_PARAM_PUBLISHED("the published p2, with which one report is more private than asked"),
    {.name = NULL},
};

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    return ldp_rounds_set_symbols(rounds, spec->param[0] != 0, reason);
}

const struct ldp_chain ldp_chain_l_grr = {
    .name = "l_grr",
    .title = "Longitudinal randomised response",
    .source = "Arcolezi et al., DCN 2022",
    .params = params,
    .configure = configure,
    .form = &ldp_rounds_symbols,
};
