/* blh.c - binary local hashing: olh with g = 2.
 *
 * The user's value is hashed to a bit, which is flipped with probability 1/(e+1), e = exp(epsilon): p = e/(e+1),
 * q = 1/2.
 *
 *     Var(F_v) = n ((e+1)/(e-1))^2 - n_v
 *
 * Source: Cormode, Maddock, Maple, PVLDB 2021, sec. 3.4; Bassily and Smith, STOC 2015. The protocol becomes that of
 * olh; see olh.c for the rest. Cost: O(d) by counts, n d hashes by reports. */
#include "protocol/protocol.h"

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const struct ldp_oracle_spec olh = {.oracle = ldp_oracle_find("olh"), .param = {2}};
    return ldp_protocol_become(protocol, &olh, reason);
}

const struct ldp_oracle ldp_oracle_blh = {
    .name = "blh",
    .title = "Binary local hashing",
    .source = "PVLDB 2021, sec. 3.4",
    .configure = configure,
};
