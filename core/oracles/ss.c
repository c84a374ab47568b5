/* ss.c - subset selection.
 *
 * The report is a set of k of the d values. With probability p = k e/(k e + d - k), e = exp(epsilon), it holds the
 * user's value and k-1 others, else k others; all such sets are equally likely. q = (k - p)/(d - 1).
 *
 *     Var(F_v) = n s1 + n_v tf as for every pure oracle; sum_v c_v = n k, so the estimates sum to 1.
 *
 * Source: NDSS 2020, sec. III-C; Ye and Barg, IEEE Trans. Inf. Theory 2018; Wang et al., arXiv:1607.08025.
 * The default k is d/(e+1) rounded down or up (at least 1), whichever has the smaller s1 + tf/d; the paper's nearest
 * whole number costs up to 2.5 % more. p is always the general one: the text's p = 1/2 is right only if d/(e+1) is a
 * whole number, and violates the privacy guarantee otherwise.
 *
 * A report is the set as d bits, which have no order: a list that starts with the user's value would reveal it. The
 * client draws a Bernoulli set and then adds or drops random values until the size is right; given its size, such a set
 * is uniform.
 *
 * By counts: as a mixture, with probability al = k (e-1)/(k e + d - k) the report is "v and a uniform (k-1)-set of the
 * others" (forced), else a uniform k-set of all d (free). The column sums of such rows are drawn without making the
 * rows, by halving the domain (subsets.h); the joint law is exact. Cost O(d log d) binomials, almost independent of n;
 * by reports n d/64 words. */
#include "laws/optimum.h"
#include "protocol/attack_success.h"
#include "protocol/bits.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"
#include "sampling/subsets.h"

struct own {
    struct ldp_retention
        retention;           /* the row is forced: v and a uniform (k-1)-set of the others; its coin is not tossed */
    struct ldp_coin include; /* p: the set holds v */
    uint32_t k;
};
LDP_OWN(struct own);

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER(
        "k", NAN, 1, UINT32_MAX,
        "size of the reported set, below d; default d / (e^epsilon + 1), rounded to where the variance is less"),
    LDP_PARAM_ATTACK_WEIGHT,
    {0},
};

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    const double d = (double)protocol->d, epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon),
                 gap = ldp_coin_gap(epsilon);
    const double k = ldp_chosen(protocol, spec, (double)ldp_optimum_size(protocol->d, epsilon), 1, d - 1);
    if (k > d - 1)
        return ldp_refuse(reason, "k = %.0f: expected a set smaller than d = %.0f", k, d);
    protocol->param[0] = k;
    protocol->p = k / (k + (d - k) * r);
    protocol->q = (k - protocol->p) / (d - 1);
    ldp_gap_set(protocol, k * gap / (k + (d - k) * r) * (d - k) / (d - 1));
    own_set(protocol, (struct own){.retention = {.kept = k * gap / (k + (d - k) * r)},
                                   .include = ldp_coin_rounded_down(epsilon, k, 0, k, d - k),
                                   .k = (uint32_t)k});
    protocol->report_words = ldp_bits_words(protocol->d);
    protocol->state_bytes = ldp_planes_bytes(protocol->d);
    return LDP_OK;
}

/* ---- Reports ---- */

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const size_t words = protocol->report_words, k = own_of(protocol).k;
    const struct ldp_coin include = own_of(protocol).include;
    /* Start with a set of about the right size: eight bits are enough. A small set is filled faster from the empty
     * set. */
    uint64_t start = (uint64_t)k * 256 / protocol->d;
    if (start < 16)
        start = 0;
    ldp_bits_bernoulli(rng, (struct ldp_coin){start << 56, 0}, reports, m * words);
    for (size_t i = 0; i < m; i++) {
        uint64_t *const set = reports + i * words;
        const uint64_t in = ldp_coin_heads(include, rng);
        ldp_bits_resize(set, protocol->d, k - (size_t)in, &values[i], 1, rng);
        set[values[i] / 64] |= in << values[i] % 64;
    }
}

/* k values, targets first. */
static void craft(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
                  uint64_t *reports)
{
    for (size_t i = 0; i < m; i++)
        ldp_bits_craft(protocol->d, own_of(protocol).k, craft->target, craft->r, rng,
                       reports + i * protocol->report_words);
}

/* Sets of k of d values, for a user who has one of the two values, or neither. */
static struct ldp_variance_terms set_variance(const struct ldp_protocol *protocol, const uint32_t *member, size_t size,
                                              const double *f, int64_t *work)
{
    const double p = protocol->p, q = protocol->q, k = protocol->param[0], d = (double)protocol->d,
                 scale = protocol->gap * protocol->gap;
    const double third = d > 2 ? (p * (k - 1) * (k - 2) + (1 - p) * k * (k - 1)) / ((d - 1) * (d - 2)) : 0;
    const double one = (p * (k - 1) / (d - 1) - p * q) / scale;
    const double neither = (third - q * q) / scale;
    return ldp_covariances(protocol, member, size, one, neither);
}

static enum ldp_status valid(const struct ldp_protocol *protocol, const uint64_t *report, struct ldp_reason *reason)
{
    const size_t k = own_of(protocol).k, size = ldp_bits_ones(report, protocol->report_words);
    if (ldp_unary_valid(protocol, report, reason) != LDP_OK)
        return LDP_EINVAL;
    return size == k ? LDP_OK : ldp_refuse(reason, "expected a set of k = %zu values, got %zu", k, size);
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    const size_t k = own_of(protocol).k;
    if (valid(protocol, report, NULL) != LDP_OK)
        return -INFINITY;
    double l = ldp_log(protocol->p); /* - log binomial(d-1, k-1) */
    for (size_t i = 1; i < k; i++)
        l -= ldp_log((double)(protocol->d - i) / (double)i);
    return report[value / 64] >> value % 64 & 1 ? l : l - ldp_coin_epsilon(protocol->epsilon);
}

/* Given whether it holds v, a set is uniform: the odds are those of p, scaled by the numbers of sets with v and
 * without. */
static size_t odds(const struct ldp_protocol *protocol, struct ldp_odds *factor)
{
    const struct own own = own_of(protocol);
    *factor = (struct ldp_odds){
        .heads_hi = own.include.hi, .heads_lo = own.include.lo, .times = protocol->d - own.k, .over = own.k};
    return 1;
}

/* ---- Counts ---- */

static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    return protocol->d * sizeof(double) + ldp_subsets_bytes(protocol->d, own_of(protocol).k);
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    const size_t d = protocol->d;
    const double kept = own_of(protocol).retention.kept;
    double *const forced = scratch;
    double users[LDP_BINOMIALS_MAX], share[LDP_BINOMIALS_MAX], all = 0;
    for (size_t v = 0, m; v < d; v += m) {
        m = d - v < LDP_BINOMIALS_MAX ? d - v : LDP_BINOMIALS_MAX;
        for (size_t i = 0; i < m; i++) {
            users[i] = (double)histogram->counts[v + i];
            share[i] = kept;
        }
        ldp_binomials(rng, m, users, share, forced + v);
        for (size_t i = 0; i < m; i++)
            all += forced[v + i];
    }
    ldp_subsets(rng, d, own_of(protocol).k, (double)histogram->n - all, forced, forced + d, support);
}

/* The set as a list of values or as d bits, whichever is shorter. */
static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const double k = own_of(protocol).k, d = (double)protocol->d, list = k * ldp_code_bits(protocol->d);
    *out = (struct ldp_cost){list < d ? list : d, k, d};
}

static void overlap_of(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    const double k = protocol->param[0], d = (double)protocol->d, one = k / d, two = one * (k - 1) / (d - 1);
    ldp_overlap_set(overlap, protocol->d, one, two, two * (k - 2) / (d - 2));
}

static enum ldp_status unsupported(const struct ldp_protocol *protocol, const uint32_t *list, double *none)
{
    ldp_unsupported_subsets(protocol->param[0], (double)protocol->d, 1, protocol->d, none);
    return LDP_OK;
}

const struct ldp_oracle ldp_oracle_ss = {
    .name = "ss",
    .title = "Subset selection",
    .source = "NDSS 2020, sec. III-C",
    .flags = LDP_ORACLE_SUMS_TO_ONE,
    .params = params,
    LDP_ATTACK_WEIGHT_LATER,
    .configure = configure,
    .client = client,
    .valid = valid,
    .server = ldp_planes_server,
    .support = ldp_planes_support,
    .scratch_bytes = scratch_bytes,
    .counts = counts,
    .set_variance = set_variance,
    .log_likelihood = log_likelihood,
    .odds = odds,
    .craft = craft,
    .cost = cost,
    .overlap = overlap_of,
    .unsupported = unsupported,
};
