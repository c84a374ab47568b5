/* rhr.c - recursive Hadamard response: Hadamard response with a public row of the matrix.
 *
 * K = 2^ceil(log2 d) positions in B blocks of m = K/B, B a power of two; a public random permutation, new in each
 * collection, puts value x in block i at column j. Each user has a public uniform row y < m and sends the block and the
 * sign H[j][y] by randomised response over all 2 B pairs: kept with probability KAP = (e-1)/(e+2B-1), e = exp(epsilon),
 * else uniform. A report supports x fully if its block and sign are those of x, and by half if the block is another:
 * with S[i][y] the sum of signs and W its transforms, c_x = (n + W_i[j]) / 2, p = (1 + KAP)/2, q = 1/2.
 *
 * Given the permutation, P the share of users in x's block,
 *
 *     Var(F_x) = n (e+2B-1)(2 + P (e-1))/(e-1)^2 - n_x,
 *
 * as for hr with as many blocks, but estimates of different values are uncorrelated; s1 and tf are means over
 * permutations. log2 B + 1 bits of a report are private and sent, log2 m are public.
 *
 * decode = likelihood takes away what values add by the rows, which are known, and weights reports by their noise
 * (likelihood.c): with nine tenths of the users at one value, epsilon = 4, B = 1, a quarter of the variance is left.
 *
 * Source: Chen, Kairouz, Ozgur, NeurIPS 2020, for b = log2 B + 1 bits. Deviations: the permutation; the default B has
 * the least s1 + tf/d. rule = published: b = min(log2 K, ceil(epsilon / ln 2)), as in the authors' code; the
 * likelihood is ours. Cost by counts K log K, with the pairs (row, sign) of kept reports drawn as in hm; by reports n +
 * K log K. */
#include "oracles/response.h"
#include "protocol/attack_success.h"
#include "random/permutation.h"
#include "sampling/hadamard.h"

#include <inttypes.h>

enum { BLOCKS, DECODE, RULE }; /* the last one is part of what decides streams */
enum { PUBLISHED, LIKELIHOOD };

static const char *const decoders[] = {"published", "likelihood", NULL};

static const struct ldp_param params[] = {
    [BLOCKS] = LDP_PARAM_POWER_OF_TWO("B", NAN, 1, 0x1p32, "blocks, a power of two below 2 d; default: by rule"),
    [DECODE] = LDP_PARAM_CHOICE("decode", decoders, PUBLISHED, LIKELIHOOD,
                                "published: add up the signs; likelihood: given the rows, by the noise of each report"),
    [RULE] = LDP_PARAM_RULE(
        "default of B: that of lowest variance, or (published) 2^(min(log2 d, ceil(epsilon / ln 2)) - 1)"),
    {0},
};

/* s1 and tf over permutations. */
static void variance_of(uint64_t blocks, size_t positions, double epsilon, double *s1, double *tf)
{
    const double B = (double)blocks, K = (double)positions, r = ldp_exp(-epsilon),
                 kept = ldp_coin_gap(epsilon) / (1 + (2 * B - 1) * r),
                 other = 2 * r / (1 + (2 * B - 1) * r); /* (1 - kept)/B */
    const double rho = (K / B - 1) / (K - 1);
    *s1 = (rho * kept + other) / (kept * kept);
    *tf = (kept + other) / (kept * kept) - 1 - *s1;
}

static uint64_t published_blocks(uint64_t K, double epsilon)
{
    const double bits = ceil(epsilon / 0.6931471805599453);
    uint64_t B = 1;
    for (double b = 1; b < bits && 2 * B < K; b++)
        B *= 2;
    return B;
}

/* Replaces m values by their positions after the public permutation. */
static void permute(const struct ldp_protocol *protocol, uint32_t *x, size_t m)
{
    const struct ldp_response of = own_of(protocol).response;
    if (of.B > 1) /* else all positions are alike */
        ldp_permute(protocol->public_seed, "rhr", of.K, x, m);
}

static const struct ldp_oracle by_likelihood;

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double epsilon = ldp_coin_epsilon(protocol->epsilon);
    uint64_t K = 2;
    while (K < protocol->d)
        K *= 2;
    const uint64_t B = !isnan(spec->param[BLOCKS])          ? (uint64_t)spec->param[BLOCKS]
                       : spec->param[RULE] == LDP_PUBLISHED ? published_blocks(K, epsilon)
                                                            : ldp_best_blocks(variance_of, K, K, protocol->d, epsilon);
    if ((B & (B - 1)) != 0)
        return ldp_refuse(reason, "B = %" PRIu64 ": expected a power of two", B);
    if (B > K)
        return ldp_refuse(reason, "B = %" PRIu64 ": expected at most %" PRIu64 " for d = %zu", B, K, protocol->d);
    variance_of(B, K, epsilon, &protocol->s1, &protocol->tf);
    ldp_response_configure(
        protocol,
        (struct ldp_response){.B = (size_t)B, .K = (size_t)K, .m = (size_t)(K / B), .rows = true, .position = permute},
        spec->param[DECODE] == LIKELIHOOD ? &by_likelihood : NULL);
    return LDP_OK;
}

/* A report: sign K + block m + row. */
static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    struct ldp_rng stream = *rng; /* which no report can overwrite */
    const struct ldp_response_own own = own_of(protocol);
    const uint64_t K = own.response.K, row_mask = own.response.m - 1, all = 2 * K - 1;
    uint32_t at = 0;
    for (size_t i = 0; i < m; i++) {
        if (i == 0 || values[i] != values[i - 1]) {
            at = values[i];
            permute(protocol, &at, 1);
        }
        const bool kept = ldp_coin_heads(own.retention.keep, &stream);
        const uint64_t random = rng_next(&stream), row = random & row_mask, column = at & row_mask;
        reports[i] = kept ? ldp_parity(row & column) * K + (at - column) + row : random & all;
    }
    *rng = stream;
}

static void support_of(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const size_t K = own_of(protocol).response.K, m = own_of(protocol).response.m;
    int64_t *const W = state;
    for (size_t first = 0; first < K; first += m) {
        int64_t reports = 0;
        for (size_t y = first; y < first + m; y++) {
            reports += W[y] + W[K + y];
            W[y] -= W[K + y];
        }
        ldp_fwht(W + first, m);
        W[K + first] = reports;
    }
    ldp_response_write(protocol, n, W, W + K, support);
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const struct ldp_response of = own_of(protocol).response;
    if (report[0] >= 2 * of.K)
        return -INFINITY;
    permute(protocol, &value, 1);
    const uint64_t sign = report[0] / of.K, y = report[0] % of.K, mask = of.m - 1;
    const bool fits = y / of.m == value / of.m && sign == ldp_parity(y & value & mask);
    const double kept = of.kept, truth = kept + (1 - kept) / (2 * (double)of.B);
    return ldp_log(truth / (double)of.m) - (fits ? 0 : ldp_coin_epsilon(protocol->epsilon));
}

/* As in hr, over public rows; the sign of a sum of columns is the product of theirs, which need not be that of the
 * report. */
static void overlap_of(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    const double B = (double)own_of(protocol).response.B, one = 0.5 / B;
    ldp_overlap_set(overlap, protocol->d, one, B > 1 ? 0 : one / 2, B > 2 ? 0 : B > 1 ? (double)NAN : one / 4);
}

static enum ldp_status unsupported(const struct ldp_protocol *protocol, const uint32_t *list, double *none)
{
    const struct ldp_response of = own_of(protocol).response;
    const double m = (double)of.m, K = (double)of.K, first = 1 / m; /* row 0 has the sign + everywhere */
    ldp_unsupported_subsets(m / 2, K, 1 - first, protocol->d, none);
    ldp_unsupported_subsets(m, K, first / 2, protocol->d, none);
    ldp_unsupported_independent(0, first / 2, protocol->d, none);
    return LDP_OK;
}

#define ENTRIES                                                                                                        \
    LDP_RESPONSE_ENTRIES, .name = "rhr", .title = "Recursive Hadamard response",                                       \
                          .source = "Chen, Kairouz, Ozgur, NeurIPS 2020", .params = params,                            \
                          .decoding = (const char *const[]){"decode", NULL}, .configure = configure, .client = client, \
                          .log_likelihood = log_likelihood, .overlap = overlap_of, .unsupported = unsupported

const struct ldp_oracle ldp_oracle_rhr = {
    ENTRIES, .support = support_of, .observe = ldp_blocks_observe,
    .set_variance =
        ldp_uncorrelated, /* estimates of different values are uncorrelated, though they depend on each other */
};

static const struct ldp_oracle by_likelihood = {ENTRIES, LDP_BY_LIKELIHOOD};
