/* adaptive.c - grr or oue, whichever has the smaller variance.
 *
 * grr if d < 3 e + 2, e = exp(epsilon), else oue: at d = 3 e + 2 the variances of a value with zero frequency,
 * (d-2+e)/(e-1)^2 and 4e/(e-1)^2, are equal.
 *
 * Source: Zhang et al., CCS 2018 (CALM), eq. 3. With the f-terms of both variances the threshold would move a little;
 * the paper's rule is kept. The protocol becomes that of the chosen oracle. */
#include "protocol/protocol.h"

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const bool few = (double)protocol->d < 3 * ldp_exp(protocol->epsilon) + 2;
    const struct ldp_oracle_spec chosen = {.oracle = ldp_oracle_find(few ? "grr" : "oue")};
    return ldp_protocol_become(protocol, &chosen, reason);
}

const struct ldp_oracle ldp_oracle_adaptive = {
    .name = "adaptive",
    .title = "grr where d < 3 e^epsilon + 2, else oue",
    .source = "CALM, CCS 2018, eq. 3",
    .configure = configure,
};
