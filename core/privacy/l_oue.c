/* l_oue.c - optimised unary encoding in both rounds.
 *
 * The memoized response is oue at epsilon; a bit of it that is 1 is reported as 1 with probability p2 = 1/2, one that
 * is 0 with q2, the root of a quadratic equation (rounds/unary.c). There is none if e^first > (2 e^epsilon + 1)/3.
 *
 * Source: Arcolezi et al., Digital Communications and Networks 2022, L-OUE. */
#include "privacy/rounds.h"

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    return ldp_rounds_set_half(rounds, "oue", reason);
}

const struct ldp_chain ldp_chain_l_oue = {
    .name = "l_oue",
    .title = "Longitudinal optimised unary encoding",
    .source = "Arcolezi et al., DCN 2022",
    .configure = configure,
    .form = &ldp_rounds_unary,
};
