/* grr.c - generalised randomised response, also called direct encoding.
 *
 * The report is the user's value with probability p = e/(e+d-1), e = exp(epsilon), and each other value with
 * q = 1/(e+d-1): NDSS 2020, eq. 3; Kairouz, Bonawitz, Ramage, ICML 2016. The same law written as a mixture: with
 * probability p - q the value is kept, else the report is uniform over all d.
 *
 *     Var(F_v) = n (d-2+e)/(e-1)^2 + n_v (d-2)/(e-1)
 *     Cov(c_v, c_w) = -(n_v p q + n_w p q + (n-n_v-n_w) q^2)
 *
 * By counts: kept_v ~ Binomial(n_v, p - q); the other reports are one uniform multinomial. Cost O(d); by reports O(n +
 * d). */
#include "protocol/attack_success.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"

struct own {
    struct ldp_retention retention; /* the value is kept */
};
LDP_OWN(struct own);

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double epsilon = ldp_coin_epsilon(protocol->epsilon), e = ldp_exp(epsilon),
                 total = e + (double)(protocol->d - 1);
    protocol->p = e / total;
    protocol->q = 1 / total;
    const double kept = ldp_expm1(epsilon) / total; /* p - q */
    ldp_gap_set(protocol, kept);
    own_set(protocol, (struct own){ldp_retention_init(epsilon, (double)protocol->d, kept)});
    protocol->report_words = 1;
    protocol->report_limit = protocol->d;
    protocol->state_bytes = protocol->d * sizeof(uint64_t);
    return LDP_OK;
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const struct ldp_coin keep = own_of(protocol).retention.keep;
    const uint64_t d = protocol->d;
    struct ldp_rng own = *rng; /* which no report can overwrite */
    for (size_t i = 0; i < m; i++) {
        const uint64_t other = rng_below(&own, d); /* drawn always: a branch would be mispredicted */
        reports[i] = ldp_coin_heads(keep, &own) ? values[i] : other;
    }
    *rng = own;
}

static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    return protocol->d * sizeof(uint64_t);
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    uint64_t *const uniform = scratch;
    struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
    while (ldp_kept_next(&kept, rng))
        memcpy(support + kept.first, kept.users, kept.size * sizeof *support);
    ldp_multinomial_uniform(rng, kept.rest, protocol->d, uniform);
    for (size_t v = 0; v < protocol->d; v++)
        support[v] += (double)uniform[v];
}

/* No report supports two values. */
static struct ldp_variance_terms set_variance(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                              const double *f, int64_t *work)
{
    const double p = protocol->p, q = protocol->q, scale = protocol->gap * protocol->gap;
    const double one = -p * q / scale;
    const double neither = -q * q / scale;
    return ldp_covariances(protocol, member, size, one, neither);
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    if (report[0] >= protocol->d)
        return -INFINITY;
    return ldp_log(protocol->p) - (report[0] == value ? 0 : ldp_coin_epsilon(protocol->epsilon));
}

static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    *out = (struct ldp_cost){ldp_code_bits(protocol->d), 1, (double)protocol->d};
}

/* A report supports one value. */
static void overlap_of(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    ldp_overlap_set(overlap, protocol->d, 1 / (double)protocol->d, 0, 0);
}

static enum ldp_status unsupported(const struct ldp_protocol *protocol, const uint32_t *list, double *none)
{
    ldp_unsupported_subsets(1, (double)protocol->d, 1, protocol->d, none);
    return LDP_OK;
}

const struct ldp_oracle ldp_oracle_grr = {
    .name = "grr",
    .title = "Generalised randomised response",
    .source = "NDSS 2020, sec. III-A, eq. 3",
    .flags = LDP_ORACLE_SUMS_TO_ONE,
    .configure = configure,
    .client = client,
    .server = ldp_counters_server,
    .support = ldp_counters_support,
    .plan_bytes = ldp_kept_plan_bytes,
    .plan = ldp_kept_plan,
    .scratch_bytes = scratch_bytes,
    .counts = counts,
    .set_variance = set_variance,
    .log_likelihood = log_likelihood,
    .odds = ldp_kept_odds,
    .cost = cost,
    .overlap = overlap_of,
    .unsupported = unsupported,
};
