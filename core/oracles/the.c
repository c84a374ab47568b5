/* the.c - thresholding with histogram encoding.
 *
 * The user's one-hot vector gets Laplace noise of scale 2/epsilon on each entry; entries above a threshold theta
 * support their values. The support bits are therefore independent, with
 *
 *     p = 1 - exp(epsilon (theta - 1)/2)/2,    q = exp(-epsilon theta/2)/2.
 *
 * Source: Wang et al., USENIX Security 2017, sec. 4.3. theta minimises s1 = q(1-q)/(p-q)^2: with u = exp(epsilon
 * theta/2) and h = exp(-epsilon/2) it is (2u-1)/(2u-1-h u^2)^2, whose derivative vanishes where 3 h u^2 - 2 (1+h) u + 1
 * = 0, at the larger root. theta grows from 1/2 at small epsilon to 1. That is the paper's theta, with the least
 * variance for a value with zero frequency; below d = 128 and at large epsilon, where values that users have count, a
 * smaller theta has a smaller mean variance (half of it at d = 4, epsilon = 8).
 *
 * Deviation: the paper's user sends the noisy vector and the server thresholds it. Thresholding needs only the report,
 * so here the client does it: the support counts are the same, a report has d bits in place of d numbers, and the
 * privacy is no weaker. The log ratio is log((2-x)(2-y)) + epsilon/2, x = 2 (1-p), y = 2 q, which is below epsilon, but
 * only by some epsilon^2/8: the coins of p and q are multiples of 2^-128, rounded down and up (coin.h). Cost: O(d) by
 * counts, n d/64 words by reports. */
#include "laws/optimum.h"
#include "protocol/attack_success.h"
#include "protocol/bits.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"

static const struct ldp_param params[] = {
    LDP_PARAM_REAL("theta", NAN, 0.5, 1, "threshold; default: the one of lowest variance"),
    LDP_PARAM_ATTACK_WEIGHT,
    {0},
};

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double given = spec->param[1] > 0 ? ldp_chosen(protocol, spec, 1, 0.5, 1) : spec->param[0];
    double theta = given;
    const double epsilon = 2 * ldp_coin_epsilon(protocol->epsilon / 2), h = ldp_exp(-epsilon / 2);
    if (isnan(theta)) {
        const double w = (1 + h + sqrt(1 - h + h * h)) / 3; /* h u */
        protocol->p = 1 - w / 2;
        protocol->q = h / (2 * w);
        /* 1 - w, which is small at small epsilon */
        const double m = -ldp_expm1(-epsilon / 2), less = (m + (m - m * m) / (1 + sqrt(1 - m + m * m))) / 3;
        theta = 1 + 2 * ldp_log1p(-less) / epsilon;
        ldp_gap_set(protocol, (less + (m - less) / w) / 2);
    } else {
        protocol->p = 1 - ldp_exp(epsilon * (theta - 1) / 2) / 2;
        protocol->q = ldp_exp(-epsilon * theta / 2) / 2;
        ldp_gap_set(protocol, -(ldp_expm1(epsilon * (theta - 1) / 2) + ldp_expm1(-epsilon * theta / 2)) / 2);
    }
    protocol->param[0] = theta;
    const struct ldp_thresholds coins = ldp_coin_thresholds(epsilon, given);
    ldp_unary_set(protocol, (struct ldp_unary){coins.own, coins.other});
    return LDP_OK;
}

const struct ldp_oracle ldp_oracle_the = {
    .name = "the",
    .title = "Thresholding with histogram encoding",
    .source = "USENIX Security 2017, sec. 4.3",
    .params = params,
    LDP_ATTACK_WEIGHT_LATER,
    .configure = configure,
    .client = ldp_unary_client,
    .log_likelihood = ldp_unary_log_likelihood,
    LDP_UNARY_ENTRIES,
};
