/* sue.c - symmetric unary encoding, basic RAPPOR without memoization.
 *
 * The report is d bits: the user's own bit is 1 with probability p = a/(a+1), a = exp(epsilon/2), every other bit with
 * q = 1 - p. All bits are independent, and so are the support counts.
 *
 *     Var(F_v) = n a/(a-1)^2
 *
 * Source: Cormode, Maddock, Maple, PVLDB 2021, sec. 3.3; Erlingsson, Pihur, Korolova, CCS 2014; Wang et al., USENIX
 * Security 2017, sec. 4.2. The client's p and q are multiples of 2^-128, rounded towards each other (coin.h). Cost:
 * O(d) by counts, n d/64 words by reports. */
#include "protocol/attack_success.h"
#include "protocol/bits.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double half = ldp_coin_epsilon(protocol->epsilon / 2), r = ldp_exp(-half);
    protocol->p = 1 / (1 + r);
    protocol->q = r / (1 + r);
    const double gap = ldp_coin_gap(half);
    ldp_gap_set(protocol, gap / (1 + r));
    /* p + q = 1 exactly, where doubles would leave a rounding error. */
    protocol->s1 = r / (gap * gap);
    protocol->tf = 0;
    const struct ldp_coin own = ldp_coin_rounded_down(half, 1, 0, 1, 1);
    ldp_unary_set(protocol, (struct ldp_unary){own, ldp_coin_turned(own)});
    return LDP_OK;
}

const struct ldp_oracle ldp_oracle_sue = {
    .name = "sue",
    .title = "Symmetric unary encoding",
    .source = "PVLDB 2021, sec. 3.3",
    .configure = configure,
    .client = ldp_unary_client,
    .log_likelihood = ldp_unary_log_likelihood,
    LDP_UNARY_ENTRIES,
};
