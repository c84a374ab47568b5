/* oue.c - optimised unary encoding.
 *
 * The report is d bits: the user's own bit is 1 with probability p = 1/2, every other bit with q = 1/(e+1), e =
 * exp(epsilon). All bits are independent, and so are the support counts.
 *
 *     Var(F_v) = n 4e/(e-1)^2 + n_v
 *
 * Source: NDSS 2020, sec. III-C (where q is misprinted as 1/e); Wang et al., USENIX Security 2017, sec. 4.3.
 * The client's q is a multiple of 2^-128, rounded up (coin.h).
 * Cost: O(d) by counts, n d/64 words by reports. */
#include "protocol/attack_success.h"
#include "protocol/bits.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"

LDP_OWN(struct ldp_unary);

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon);
    protocol->p = 0.5;
    protocol->q = r / (1 + r);
    ldp_gap_set(protocol, ldp_coin_gap(epsilon) / (2 * (1 + r)));
    const struct ldp_coin fair = {UINT64_C(1) << 63, 0}, lie = ldp_coin_rounded_down(epsilon, 1, 0, 1, 1);
    ldp_unary_set(protocol, (struct ldp_unary){fair, ldp_coin_turned(lie)});
    return LDP_OK;
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const size_t words = protocol->report_words;
    const uint64_t tail = ldp_bits_tail(protocol->d);
    ldp_bits_bernoulli(rng, own_of(protocol).other, reports, m * words);
    for (size_t i = 0; i < m; i += 64) {
        uint64_t coins = rng_next(rng);
        for (size_t u = i; u < m && u < i + 64; u++, coins >>= 1) {
            uint64_t *const report = reports + u * words;
            report[words - 1] &= tail;
            const size_t w = values[u] / 64, bit = values[u] % 64;
            report[w] = (report[w] & ~(UINT64_C(1) << bit)) | (coins & 1) << bit;
        }
    }
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const size_t words = protocol->report_words;
    if (ldp_unary_valid(protocol, report, NULL) != LDP_OK)
        return -INFINITY;
    const size_t ones = ldp_bits_ones(report, words) - (report[value / 64] >> value % 64 & 1);
    const double zeros = (double)(protocol->d - 1 - ones);
    /* log q = log(1-q) - epsilon */
    return ldp_log(0.5) + ldp_log(1 - protocol->q) * ((double)ones + zeros) -
           (double)ones * ldp_coin_epsilon(protocol->epsilon);
}

const struct ldp_oracle ldp_oracle_oue = {
    .name = "oue",
    .title = "Optimised unary encoding",
    .source = "NDSS 2020, sec. III-C",
    .configure = configure,
    .client = client,
    .log_likelihood = log_likelihood,
    LDP_UNARY_ENTRIES,
};
