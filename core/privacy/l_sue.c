/* l_sue.c - symmetric unary encoding in both rounds: RAPPOR.
 *
 * The memoized response is sue at epsilon; a bit of it is kept with probability p2, else turned,
 *
 *     p2 - q2 = tanh(first/4) / tanh(epsilon/4),    p2 + q2 = 1,
 *
 * and both rounds together are sue at `first` exactly.
 *
 * Source: Erlingsson, Pihur, Korolova, CCS 2014 (without its Bloom filter); Arcolezi et al., Digital Communications and
 * Networks 2022, L-SUE, whose formula for p2 is the same number but cancels for a small epsilon. */
#include "privacy/rounds.h"

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    return ldp_rounds_set_unary(rounds, "sue", reason);
}

const struct ldp_chain ldp_chain_l_sue = {
    .name = "l_sue",
    .title = "Longitudinal symmetric unary encoding (RAPPOR)",
    .source = "CCS 2014; Arcolezi et al., DCN 2022",
    .configure = configure,
    .form = &ldp_rounds_unary,
};
