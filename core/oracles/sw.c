/* sw.c - square wave, the discrete variant: values that are near in their order.
 *
 * The outputs are j = 0 .. d + 2b - 1. The report of v is each of the L = 2b + 1 outputs v .. v + 2b with probability
 * p = e / (L e + d - 1), each of the d - 1 others with q = 1 / (L e + d - 1), e = exp(epsilon). Written as a mixture:
 * with probability L (p - q) the report is v + uniform on 0 .. 2b (near), else uniform over all outputs.
 *
 * The default is b = floor(d (epsilon e - e + 1) / (2 e (e - 1 - epsilon))), below d/2.
 *
 * The estimate is that of the method em: expectation maximisation with the published stop, which is not unbiased. Its
 * variance is not known; s1 is that of the value 0 if it is estimated as (c_0/n - q) / (p - q), and nobody holds
 * it.
 *
 * Source: Li, Wang, Lopuhaa-Zwakenberg, Skoric, Li, SIGMOD 2020.
 *
 * By counts (exact): near_v ~ Binomial(n_v, L (p - q)), the other reports are one uniform multinomial. Outputs are cut
 * into blocks of L. The window of v has L - v mod L outputs in the block of v, the rest in the next one; a binomial
 * shares the near reports among the two. Upwards, the reports of a block that are still to be placed are uniform on
 * what remains of it, whichever v they come from, so that each output takes a binomial of them; downwards likewise for
 * those of the next block. Cost O(d) binomials; by reports O(n + d). */
#include "numeric.h"
#include "protocol.h"
#include "pure.h"
#include "rng.h"
#include "wave.h"

#include <math.h>

struct own {
    struct ldp_retention retention; /* the report is near the value */
    uint32_t window;                /* L */
};
LDP_OWN(struct own);

static const struct ldp_param params[] = {
    {.name = "b",
     .kind = LDP_INTEGER,
     .fallback = NAN,
     .min = 0,
     .max = UINT32_MAX / 2,
     .help = "half-width of the window: that many outputs on each side are as likely as the value's own; below d/2; "
             "default: by epsilon, as published"},
    {0},
};

/* (epsilon e - e + 1) / (2 e (e - 1 - epsilon)); both differences cancel near 0. */
static double published_width(double x)
{
    if (x < 1e-3)
        return (1 - x / 3 + x * x / 12 - x * x * x / 60) / (1 + x / 3 + x * x / 12 + x * x * x / 60) / 2;
    return (x + ldp_expm1(-x)) / (2 * (ldp_expm1(x) - x));
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double d = (double)protocol->d, epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon);
    const double b = isnan(spec->param[0]) ? floor(d * published_width(epsilon)) : spec->param[0];
    if (2 * b >= d)
        return ldp_refuse(reason, "b = %.0f: expected a number below d/2 = %g", b, d / 2);
    const double L = 2 * b + 1, all = L + (d - 1) * r;
    protocol->param[0] = b;
    protocol->p = 1 / all;
    protocol->q = r / all;
    const double range = -ldp_expm1(-epsilon) / all; /* p - q */
    own_set(protocol, (struct own){.retention = {ldp_coin_rounded_down(epsilon, L, L, L, d - 1), L * range},
                                   .window = (uint32_t)L});
    protocol->s1 = protocol->q * (1 - protocol->q) / (range * range);
    protocol->support_size = protocol->d + (size_t)(L - 1);
    protocol->report_words = 1;
    protocol->report_limit = protocol->support_size;
    protocol->state_bytes = protocol->support_size * sizeof(uint64_t);
    return LDP_OK;
}

/* ---- Reports ---- */

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const struct own own = own_of(protocol);
    for (size_t i = 0; i < m; i++)
        reports[i] = ldp_coin_heads(own.retention.keep, rng) ? values[i] + rng_below(rng, own.window)
                                                             : rng_below(rng, protocol->support_size);
}

static void support_of(const struct ldp_protocol *protocol, void *state, uint64_t n, double *support)
{
    const uint64_t *const count = state;
    (void)n;
    for (size_t j = 0; j < protocol->support_size; j++)
        support[j] = (double)count[j];
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    if (report[0] >= protocol->support_size)
        return -INFINITY;
    const bool near = report[0] >= value && report[0] - value < own_of(protocol).window;
    return ldp_log(protocol->p) - (near ? 0 : ldp_coin_epsilon(protocol->epsilon));
}

/* heads / L + tails / outputs, over tails / outputs. */
static size_t odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    const struct own own = own_of(protocol);
    *factor = (struct ldp_odds){.heads_hi = own.retention.keep.hi,
                                .heads_lo = own.retention.keep.lo,
                                .one = true,
                                .times = protocol->support_size,
                                .over = own.window};
    return 1;
}

/* ---- Counts ---- */

static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    (void)histogram;
    return 2 * protocol->d * sizeof(double) + protocol->support_size * sizeof(uint64_t);
}

/* The near reports of each value: those in the block of the value, and those in the next. Returns the others. */
static uint64_t draw_near(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                          struct ldp_rng *rng, double *in_block, double *in_next)
{
    const double L = own_of(protocol).window;
    struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
    while (ldp_kept_next(&kept, rng)) {
        double share[LDP_BINOMIALS_MAX];
        for (size_t i = 0; i < kept.size; i++)
            share[i] = (L - fmod((double)(kept.first + i), L)) / L;
        ldp_binomials(rng, kept.size, kept.users, share, in_block + kept.first);
        for (size_t i = 0; i < kept.size; i++)
            in_next[kept.first + i] = kept.users[i] - in_block[kept.first + i];
    }
    return kept.rest;
}

/* Draws how many reports of the pool, uniform on `outputs` outputs, take this one. */
static double take(struct ldp_rng *rng, double *pool, size_t outputs)
{
    const double taken = outputs == 1 ? *pool : (double)ldp_binomial(rng, (uint64_t)*pool, 1 / (double)outputs);
    *pool -= taken;
    return taken;
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    const size_t d = protocol->d, outputs = protocol->support_size, L = own_of(protocol).window;
    uint64_t *const uniform = scratch;
    double *const in_block = (double *)(uniform + outputs), *const in_next = in_block + d, pool = 0;
    const uint64_t rest = draw_near(protocol, histogram, plan, rng, in_block, in_next);
    ldp_multinomial_uniform(rng, rest, outputs, uniform);
    for (size_t j = 0; j < outputs; j++) {
        pool += j < d ? in_block[j] : 0;
        support[j] = (double)uniform[j] + take(rng, &pool, L - j % L);
    }
    for (size_t j = outputs; j-- > 0;) {
        pool += j >= L - 1 ? in_next[j - (L - 1)] : 0;
        support[j] += take(rng, &pool, j % L + 1);
    }
}

/* ---- Estimate ---- */

static size_t estimate_bytes(const struct ldp_protocol *protocol)
{
    return ldp_wave_scratch(protocol->d);
}

static void estimate(const struct ldp_protocol *protocol, uint64_t n, const double *support, void *scratch, double *est)
{
    (void)n;
    ldp_wave_fit(protocol, support, ldp_wave_em_tau(protocol), NULL, scratch, est);
}

/* About 2000 rounds of four passes. */
static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const double d = (double)protocol->d, outputs = (double)protocol->support_size;
    *out = (struct ldp_cost){ldp_code_bits(protocol->support_size), 1, 4000 * (d + outputs)};
}

/* The windows of the first and the last value, and of one between them. */
static void overlap_of(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    const double L = own_of(protocol).window, all = (double)protocol->support_size, apart = (double)protocol->d - 1;
    ldp_overlap_set(overlap, protocol->d, L / all, fmax(0, L - apart) / all, 2 * L <= apart ? 0 : (double)NAN);
}

const struct ldp_oracle ldp_oracle_sw = {
    .name = "sw",
    .title = "Square wave",
    .source = "SIGMOD 2020",
    .flags = LDP_ORACLE_SUMS_TO_ONE | LDP_ORACLE_BIASED | LDP_ORACLE_ORDINAL | LDP_ORACLE_WINDOWS,
    .params = params,
    .configure = configure,
    .client = client,
    .server = ldp_counters_server,
    .support = support_of,
    .plan_bytes = ldp_kept_plan_bytes,
    .plan = ldp_kept_plan,
    .scratch_bytes = scratch_bytes,
    .counts = counts,
    .estimate_bytes = estimate_bytes,
    .estimate = estimate,
    .log_likelihood = log_likelihood,
    .odds = odds,
    .cost = cost,
    .overlap = overlap_of,
};
