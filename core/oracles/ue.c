/* ue.c - unary encoding with p free.
 *
 * The report is d bits: the user's own bit is 1 with probability p, every other bit with q. All bits are independent,
 * and so are the support counts. With r = exp(-epsilon), q = p r/(1 - p + p r) spends all of epsilon, and
 *
 *     p - q = p (1-p) (1-r)/(1 - p + p r),    s1 = r/(p (1-p) (1-r)^2),    tf = ((1-p)^2 - p^2 r)/(p (1-p) (1-r)).
 *
 * p = 1/2 is oue, p = 1/(1 + sqrt(r)) is sue. The default has the least mean variance s1 + tf/d: the derivative
 * vanishes where (1 - r^2) p^2 - 2 A p + A = 0, A = 1 - r + r d, so that
 *
 *     p = 1/(1 + sqrt(r (d - 1 + r)/A)):
 *
 * sue's at d = 2, from where it falls to oue's. A larger p makes a report easier to guess where few values are
 * frequent.
 *
 * Source: Wang et al., USENIX Security 2017, sec. 4.2; Arcolezi and Gambs, arXiv 2503.01482, sec. 5, who choose p for a
 * weighted sum of attack success and variance. The closed form is ours. The client's p is that of the double, its q a
 * multiple of 2^-128, rounded up (coin.h). Cost: O(d) by counts, n d/64 words by reports. */
#include "laws/optimum.h"
#include "protocol/attack_success.h"
#include "protocol/bits.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"

static const double LEAST = 0x1p-20; /* of p - q, over 1 - r: below, digits of p and q decide the estimates */

static const struct ldp_param params[] = {
    LDP_PARAM_REAL("p", NAN, 0.5, 1 - 0x1p-53,
                   "probability that the own bit is 1; default: the one of lowest mean variance"),
    LDP_PARAM_ATTACK_WEIGHT,
    {0},
};

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double epsilon = ldp_coin_epsilon(protocol->epsilon), d = (double)protocol->d, r = ldp_exp(-epsilon),
                 gap = ldp_coin_gap(epsilon);
    const double p = ldp_chosen(protocol, spec, 1 / (1 + sqrt(r * (d - 1 + r) / (gap + r * d))), 0.5, 1 - 0x1p-20),
                 zero = 1 - p + p * r;
    if (p * (1 - p) < LEAST * zero)
        return ldp_refuse(reason, "p = %.9g: expected less, as p - q = %.3g is lost in rounding", p,
                          p * (1 - p) * gap / zero);
    protocol->param[0] = p;
    protocol->p = p;
    protocol->q = p * r / zero;
    ldp_gap_set(protocol, p * (1 - p) * gap / zero);
    /* Whole numbers, as p is a double of at least 1/2. */
    const double one = p * 0x1p53, other = (1 - p) * 0x1p53;
    const struct ldp_coin absent = ldp_coin_rounded_down(epsilon, other, 0, other, one);
    ldp_unary_set(protocol, (struct ldp_unary){ldp_coin_of(p), ldp_coin_turned(absent)});
    return LDP_OK;
}

const struct ldp_oracle ldp_oracle_ue = {
    .name = "ue",
    .title = "Unary encoding with p free",
    .source = "USENIX Security 2017, sec. 4.2",
    .params = params,
    LDP_ATTACK_WEIGHT_LATER,
    .configure = configure,
    .client = ldp_unary_client,
    .log_likelihood = ldp_unary_log_likelihood,
    LDP_UNARY_ENTRIES,
};
