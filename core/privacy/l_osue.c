/* l_osue.c - optimised unary encoding, then symmetric.
 *
 * The memoized response is oue at epsilon; a bit of it is kept with probability p2, else turned,
 *
 *     p2 - q2 = tanh(first/2) / tanh(epsilon/2),    p2 + q2 = 1,
 *
 * and both rounds together are oue at `first` exactly. Of the four chains of unary encoding it has the least variance
 * of a value that nobody holds.
 *
 * Source: Arcolezi et al., Digital Communications and Networks 2022, L-OSUE. */
#include "privacy/rounds.h"

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    return ldp_rounds_set_unary(rounds, "oue", reason);
}

const struct ldp_chain ldp_chain_l_osue = {
    .name = "l_osue",
    .title = "Longitudinal optimised, then symmetric unary encoding",
    .source = "Arcolezi et al., DCN 2022",
    .configure = configure,
    .form = &ldp_rounds_unary,
};
