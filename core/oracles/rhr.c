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
#include "numerics/numeric.h"
#include "oracles/likelihood.h"
#include "protocol/attack_success.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"
#include "random/permutation.h"
#include "random/rng.h"
#include "sampling/hadamard.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct own {
    struct ldp_retention retention; /* block and sign are kept */
    struct ldp_response response;
    uint64_t B, m, K;
};
LDP_OWN(struct own);

enum { BLOCKS, DECODE, RULE }; /* the last one is part of what decides streams */
enum { PUBLISHED, LIKELIHOOD };

static const char *const decoders[] = {"published", "likelihood", NULL};

static const struct ldp_param params[] = {
    [BLOCKS] = {.name = "B",
                .kind = LDP_INTEGER,
                .fallback = NAN,
                .min = 1,
                .max = 0x1p32,
                .choices = ldp_powers_of_two,
                .help = "blocks, a power of two below 2 d; default: by rule"},
    [DECODE] = LDP_PARAM_CHOICE("decode", decoders, PUBLISHED, LIKELIHOOD,
                                "published: add up the signs; likelihood: given the rows, by the noise of each report"),
    [RULE] = LDP_PARAM_RULE(
        "default of B: that of lowest variance, or (published) 2^(min(log2 d, ceil(epsilon / ln 2)) - 1)"),
    {0},
};

/* s1 and tf over permutations. */
static void variance_of(double B, double K, double epsilon, double *s1, double *tf)
{
    const double r = ldp_exp(-epsilon), kept = ldp_coin_gap(epsilon) / (1 + (2 * B - 1) * r),
                 other = 2 * r / (1 + (2 * B - 1) * r); /* (1 - kept)/B */
    const double rho = (K / B - 1) / (K - 1);
    *s1 = (rho * kept + other) / (kept * kept);
    *tf = (kept + other) / (kept * kept) - 1 - *s1;
}

static uint64_t blocks_of(double rule, uint64_t K, double d, double epsilon)
{
    if (rule == LDP_PUBLISHED) {
        const double bits = ceil(epsilon / 0.6931471805599453);
        uint64_t B = 1;
        for (double b = 1; b < bits && 2 * B < K; b++)
            B *= 2;
        return B;
    }
    double least = INFINITY;
    uint64_t best = 1;
    for (uint64_t B = 1; B <= K; B *= 2) {
        double s1, tf;
        variance_of((double)B, (double)K, epsilon, &s1, &tf);
        if (s1 + tf / d < least) {
            least = s1 + tf / d;
            best = B;
        }
    }
    return best;
}

/* Replaces m values by their positions after the public permutation. */
static void permute(const struct ldp_protocol *protocol, uint32_t *x, size_t m)
{
    const struct own own = own_of(protocol);
    if (own.B == 1) /* no block is like another */
        return;
    struct ldp_permutation permutation;
    ldp_permutation_init(&permutation, protocol->public_seed, "rhr", own.K);
    ldp_permutation_apply(&permutation, x, m);
}

static const struct ldp_oracle by_likelihood;

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon);
    uint64_t K = 2;
    while (K < protocol->d)
        K *= 2;
    const uint64_t B = isnan(spec->param[BLOCKS]) ? blocks_of(spec->param[RULE], K, (double)protocol->d, epsilon)
                                                  : (uint64_t)spec->param[BLOCKS];
    if ((B & (B - 1)) != 0)
        return ldp_refuse(reason, "B = %" PRIu64 ": expected a power of two", B);
    if (B > K)
        return ldp_refuse(reason, "B = %" PRIu64 ": expected at most %" PRIu64 " for d = %zu", B, K, protocol->d);
    protocol->param[BLOCKS] = (double)B;
    const double kept = ldp_coin_gap(epsilon) / (1 + (2 * (double)B - 1) * r);
    const struct ldp_response response = {(size_t)K, (size_t)(K / B), kept, 2 * r / ldp_coin_gap(epsilon),
                                          true,      permute};
    own_set(protocol, (struct own){ldp_retention_init(epsilon, 2 * (double)B, kept), response, B, K / B, K});
    protocol->p = 0.5 + 0.5 * kept;
    protocol->q = 0.5;
    ldp_gap_set(protocol, kept / 2);
    variance_of((double)B, (double)K, epsilon, &protocol->s1, &protocol->tf);
    protocol->report_words = 1;
    protocol->report_limit = 2 * K;
    protocol->state_bytes = 2 * (size_t)K * sizeof(int64_t);
    if (B > 1) {
        protocol->flags |= LDP_ORACLE_UNEVEN;
        protocol->support_size = ldp_blocks_support(protocol->d);
    }
    if (spec->param[DECODE] == LIKELIHOOD) {
        protocol->oracle = &by_likelihood;
        ldp_response_configure(protocol);
    }
    return LDP_OK;
}

/* A report: sign K + block m + row. */
static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    struct ldp_rng stream = *rng; /* which no report can overwrite */
    const struct own own = own_of(protocol);
    const uint64_t row_mask = own.m - 1, all = 2 * own.K - 1;
    uint32_t at = 0;
    for (size_t i = 0; i < m; i++) {
        if (i == 0 || values[i] != values[i - 1]) {
            at = values[i];
            permute(protocol, &at, 1);
        }
        const bool kept = ldp_coin_heads(own.retention.keep, &stream);
        const uint64_t random = rng_next(&stream), row = random & row_mask, column = at & row_mask;
        reports[i] = kept ? ldp_parity(row & column) * own.K + (at - column) + row : random & all;
    }
    *rng = stream;
}

static void support_of(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const struct own own = own_of(protocol);
    const size_t K = (size_t)own.K, m = (size_t)own.m;
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
    struct ldp_chunk chunk = {.d = protocol->d};
    while (ldp_chunk_next(&chunk)) {
        permute(protocol, chunk.value, chunk.size);
        for (size_t i = 0; i < chunk.size; i++)
            support[chunk.first + i] = (double)((int64_t)n + W[chunk.value[i]]) / 2;
        for (size_t i = 0; own.B > 1 && i < chunk.size; i++)
            support[protocol->d + chunk.first + i] = (double)W[K + chunk.value[i] / m * m];
    }
    if (own.B > 1)
        ldp_seed_write(protocol->public_seed, support + 2 * protocol->d);
}

static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    const size_t counters = 4 * (size_t)own_of(protocol).K * sizeof(int64_t);
    return protocol->state_bytes > counters ? protocol->state_bytes : counters;
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    const struct own own = own_of(protocol);
    const size_t K = (size_t)own.K;
    int64_t *const N = scratch;
    memset(N, 0, 2 * K * sizeof *N);
    struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
    while (ldp_kept_next(&kept, rng)) {
        uint32_t at[LDP_BINOMIALS_MAX];
        ldp_kept_values(&kept, at);
        permute(protocol, at, kept.size);
        for (size_t i = 0; i < kept.size; i++)
            N[at[i]] = (int64_t)kept.users[i];
    }
    for (size_t first = 0; first < K && own.m > 1; first += (size_t)own.m)
        ldp_hadamard_signs(rng, N + first, K, (size_t)own.m);
    uint64_t *const uniform = (uint64_t *)(void *)(N + 2 * K);
    ldp_multinomial_uniform(rng, kept.rest, 2 * K, uniform);
    for (size_t y = 0; y < 2 * K; y++)
        N[y] += (int64_t)uniform[y];
    protocol->oracle->support(protocol, N, histogram->n, support);
}

/* A report of another block is half a support. */
static double support_unit(const struct ldp_protocol *protocol)
{
    return protocol->oracle == &by_likelihood ? 0 : own_of(protocol).B == 1 ? 1 : 0.5;
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const struct own own = own_of(protocol);
    if (report[0] >= 2 * own.K)
        return -INFINITY;
    permute(protocol, &value, 1);
    const uint64_t sign = report[0] / own.K, y = report[0] % own.K, mask = own.m - 1;
    const bool fits = y / own.m == value / own.m && sign == ldp_parity(y & value & mask);
    const double kept = own.retention.kept, truth = kept + (1 - kept) / (2 * (double)own.B);
    return ldp_log(truth / (double)own.m) - (fits ? 0 : ldp_coin_epsilon(protocol->epsilon));
}

static size_t odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    return ldp_retention_odds(protocol, 2 * own_of(protocol).B, factor);
}

static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const struct own own = own_of(protocol);
    const double K = (double)own.K;
    *out = (struct ldp_cost){ldp_code_bits(2 * own.K), 1, K * ldp_code_bits(own.m) + (double)protocol->d};
}

/* As in hr, over public rows; the sign of a sum of columns is the product of theirs, which need not be that of the
 * report. */
static void overlap_of(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    const double B = (double)own_of(protocol).B, one = 0.5 / B;
    ldp_overlap_set(overlap, protocol->d, one, B > 1 ? 0 : one / 2, B > 2 ? 0 : B > 1 ? (double)NAN : one / 4);
}

static enum ldp_status unsupported(const struct ldp_protocol *protocol, const uint32_t *list, double *none)
{
    const struct own own = own_of(protocol);
    const double m = (double)own.m, K = (double)own.K, first = 1 / m; /* row 0 has the sign + everywhere */
    ldp_unsupported_subsets(m / 2, K, 1 - first, protocol->d, none);
    ldp_unsupported_subsets(m, K, first / 2, protocol->d, none);
    ldp_unsupported_independent(0, first / 2, protocol->d, none);
    return LDP_OK;
}

#define ENTRIES                                                                                                        \
    .name = "rhr", .title = "Recursive Hadamard response", .source = "Chen, Kairouz, Ozgur, NeurIPS 2020",             \
    .flags = LDP_ORACLE_PUBLIC, .params = params, .decoding = (const char *const[]){"decode", NULL},                   \
    .configure = configure, .client = client, .server = ldp_counters_server, .support_unit = support_unit,             \
    .plan_bytes = ldp_kept_plan_bytes, .plan = ldp_kept_plan, .scratch_bytes = scratch_bytes, .counts = counts,        \
    .log_likelihood = log_likelihood, .odds = odds, .cost = cost, .overlap = overlap_of, .unsupported = unsupported

const struct ldp_oracle ldp_oracle_rhr = {
    ENTRIES, .support = support_of, .observe = ldp_blocks_observe,
    .set_variance =
        ldp_uncorrelated, /* estimates of different values are uncorrelated, though they depend on each other */
};

static const struct ldp_oracle by_likelihood = {ENTRIES, LDP_BY_LIKELIHOOD};
