/* the.c - thresholding with histogram encoding.
 *
 * The user's one-hot vector gets Laplace noise of scale 2/epsilon on each entry; entries above a threshold theta
 * support their values. So the support bits are independent, with
 *
 *     p = 1 - exp(epsilon (theta - 1)/2)/2,    q = exp(-epsilon theta/2)/2.
 *
 * Source: Wang et al., USENIX Security 2017, sec. 4.3. theta is where s1 = q(1-q)/(p-q)^2 is least: with u =
 * exp(epsilon theta/2) and h = exp(-epsilon/2) it is (2u-1)/(2u-1-h u^2)^2, whose derivative vanishes where
 * 3 h u^2 - 2 (1+h) u + 1 = 0, at the greater root. From 1/2 at small epsilon it goes to 1. That
 * is the paper's theta, of least variance where nobody holds the value; below d = 128 and at large epsilon, where held
 * values count, a smaller one has the smaller mean variance (half of it at d = 4, epsilon = 8).
 *
 * Deviation: the paper's user sends the noisy vector and the server thresholds it. Thresholding looks at nothing but
 * the report, so here the client does it: the same supports, d bits in place of d numbers, and no less privacy. p and q
 * are coins of their doubles: the log ratio is log((2-x)(2-y)) + epsilon/2, x = 2 (1-p), y = 2 q, below epsilon by more
 * than their rounding. Cost: O(d) by counts, n d/64 words by reports. */
#include "bits.h"
#include "numeric.h"
#include "pure.h"

#include <math.h>

static const struct ldp_param params[] = {
    {.name = "theta",
     .kind = LDP_REAL,
     .fallback = NAN,
     .min = 0.5,
     .max = 1,
     .help = "threshold; default: the one of least variance"},
    {0},
};

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    (void)reason;
    double theta = spec->param[0];
    const double epsilon = 2 * ldp_coin_epsilon(protocol->epsilon / 2), h = ldp_exp(-epsilon / 2);
    if (isnan(theta)) {
        const double w = (1 + h + sqrt(1 - h + h * h)) / 3; /* h u */
        protocol->p = 1 - w / 2;
        protocol->q = h / (2 * w);
        theta = 1 + 2 * ldp_log(w) / epsilon;
    } else {
        protocol->p = 1 - ldp_exp(epsilon * (theta - 1) / 2) / 2;
        protocol->q = ldp_exp(-epsilon * theta / 2) / 2;
    }
    protocol->param[0] = theta;
    ldp_unary_set(protocol, (struct ldp_unary){ldp_coin_of(protocol->p), ldp_coin_of(protocol->q)});
    protocol->report_words = ldp_bits_words(protocol->d);
    protocol->state_bytes = ldp_planes_bytes(protocol->d);
    return LDP_OK;
}

const struct ldp_oracle ldp_oracle_the = {
    .name = "the",
    .title = "Thresholding with histogram encoding",
    .source = "USENIX Security 2017, sec. 4.3",
    .flags = LDP_ORACLE_INDEPENDENT,
    .params = params,
    .configure = configure,
    .client = ldp_unary_client,
    .server = ldp_planes_server,
    .support = ldp_planes_support,
    .plan_bytes = ldp_pure_plan_bytes,
    .plan = ldp_pure_plan,
    .counts = ldp_pure_counts,
    .log_likelihood = ldp_unary_log_likelihood,
    .odds = ldp_unary_odds,
    .cost = ldp_unary_cost,
};
