/* l_soue.c - symmetric unary encoding, then optimised.
 *
 * The memoized response is sue at epsilon; a bit of it that is 1 is reported as 1 with probability p2 = 1/2, one that
 * is 0 with q2, the root of a quadratic equation (rounds/unary.c). There is none if e^first > a (2 a + 1)/(a + 2), a =
 * exp(epsilon/2).
 *
 * Source: Arcolezi et al., Digital Communications and Networks 2022, L-SOUE. */
#include "privacy/rounds.h"

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    return ldp_rounds_set_half(rounds, "sue", reason);
}

const struct ldp_chain ldp_chain_l_soue = {
    .name = "l_soue",
    .title = "Longitudinal symmetric, then optimised unary encoding",
    .source = "Arcolezi et al., DCN 2022",
    .configure = configure,
    .form = &ldp_rounds_unary,
};
