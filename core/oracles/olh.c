/* olh.c - optimised local hashing.
 *
 * A user draws a hash function H (a fresh 64-bit seed of the family in hash.h), and reports the seed and y:
 * y = H(v) with probability p = e/(e+g-1), e = exp(epsilon), each other of the g symbols with 1/(e+g-1); as a mixture,
 * H(v) is kept with probability (e-1)/(e+g-1), else y is uniform over all g. A report supports the values w with
 * H(w) = y: q = 1/g.
 *
 *     Var(F_v) = n (e+g-1)^2 / ((e-1)^2 (g-1)) + n_v ((g-1)^2 - e) / ((e-1)(g-1))
 *
 * Source: NDSS 2020, sec. III-B, eq. 4 (where p is misprinted as (e-1)/(e+g-1)); Wang et al., USENIX Security 2017.
 * g = round(e) + 1, as in the authors' code, is the whole number nearest to the g with the least variance of a value
 * with zero frequency: another whole number is better by at most 2.1 % (just below e = 3/2). If e is more than a tenth
 * of d, a smaller g has a smaller mean variance, because values that users have count too (15 times smaller at d = 4,
 * epsilon = 8). There grr or ss is the better choice, and g stays what the papers mean by olh. g is capped at 2^31,
 * where epsilon > 21 and g no longer matters. decode = likelihood is flh with so many functions that frequencies are
 * known as if each user had an own one: from epsilon = 2 on, base has .82 (2), .74 (3), .68 (4) of the error, power_ns
 * or mix .90, .85, .83 (Zipf 1.5, d = 256, n = 5000). By counts: given H(v) and y the H(w) of the other values are
 * uniform and independent, so the support counts are independent. Cost O(d); by reports n d hashes. */
#include "hashing/hash.h"
#include "laws/optimum.h"
#include "protocol/attack_success.h"
#include "protocol/craft.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"
#include "protocol/tally.h"
#include "sampling/subsets.h"

#include <inttypes.h>

struct own {
    struct ldp_retention retention; /* H(v) is kept */
    uint32_t g;
};
LDP_OWN(struct own);

enum { SUPPORT, LIKELIHOOD };
static const char *const decoders[] = {"support", "likelihood", NULL};

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("g", NAN, 2, LDP_HASH_G_MAX, "size of the hashed domain; default round(e^epsilon) + 1"),
    LDP_PARAM_ATTACK_WEIGHT,
    LDP_PARAM_CHOICE("decode", decoders, SUPPORT, LIKELIHOOD, "support: add up the counts; likelihood: flh"),
    {0},
};
static const char *const later[] = {"attack_weight", "decode", NULL};

/* A server that adds up keeps no seeds; those of a list it knows. Ten thousand, or as many as cost a hundredth. */
static enum ldp_status become_flh(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                  struct ldp_reason *reason)
{
    struct ldp_oracle_spec flh = ldp_spec_default("flh");
    if (!isnan(spec->param[0]) || spec->param[1] > 0)
        return ldp_refuse(reason, "decode = likelihood: expected the default g, and no attack_weight");
    const double g = fmin(floor(ldp_exp(fmin(protocol->epsilon, 11)) + 0.5) + 1, 1 << 16);
    flh.param[0] = fmin(fmax(flh.param[0], ceil(101 * ((double)protocol->d - 1) / (g - 1))), floor((1 << 21) / g));
    return ldp_protocol_become(protocol, &flh, reason);
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    if (spec->param[2] == LIKELIHOOD)
        return become_flh(protocol, spec, reason);
    const double most = protocol->epsilon < 22 ? floor(ldp_exp(protocol->epsilon) + 0.5) + 1 : LDP_HASH_G_MAX,
                 least = fmin(most, LDP_HASH_G_MAX),
                 g = ldp_chosen(protocol, spec, least, 2, fmin(fmax((double)protocol->d, least), LDP_HASH_G_MAX));
    const double epsilon = ldp_coin_epsilon(protocol->epsilon), r = ldp_exp(-epsilon);
    protocol->param[0] = g;
    protocol->p = 1 / (1 + (g - 1) * r);
    protocol->q = 1 / g;
    const double kept = ldp_coin_gap(epsilon) * protocol->p;
    ldp_gap_set(protocol, kept * (1 - protocol->q));
    own_set(protocol, (struct own){.retention = ldp_retention_init(epsilon, g, kept), .g = (uint32_t)g});
    protocol->report_words = 2;
    protocol->state_bytes = protocol->d * sizeof(uint64_t);
    return LDP_OK;
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const struct own own = own_of(protocol);
    for (size_t i = 0; i < m; i++)
        reports[2 * i] = rng_next(rng);
    ldp_hash_clients(values, m, own.g, reports);
    for (size_t i = 0; i < m; i++) {
        const uint64_t other = rng_below(rng, own.g); /* drawn always: a branch would be mispredicted */
        reports[2 * i + 1] = ldp_coin_heads(own.retention.keep, rng) ? reports[2 * i + 1] : other;
    }
}

static void server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state)
{
    ldp_hash_support(reports, m, protocol->d, own_of(protocol).g, state);
}

static void tally(const struct ldp_protocol *protocol, void *state, uint64_t n, struct ldp_tally *tally)
{
    ldp_tally_each(tally, state, protocol->d, n);
}

/* Any seed is possible. */
static enum ldp_status valid(const struct ldp_protocol *protocol, const uint64_t *report, struct ldp_reason *reason)
{
    const uint32_t g = own_of(protocol).g;
    if (report[1] >= g)
        return ldp_refuse(reason, "expected a hash value below g = %" PRIu32 ", got %" PRIu64, g, report[1]);
    return LDP_OK;
}

/* The probability of the seed, 2^-64, times the probability of y. */
static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    if (valid(protocol, report, NULL) != LDP_OK)
        return -INFINITY;
    const bool own = report[1] == ldp_hash(report[0], value, own_of(protocol).g);
    return ldp_log(protocol->p) - (own ? 0 : ldp_coin_epsilon(protocol->epsilon)) - 64 * ldp_log(2);
}

/* ---- Malicious users ---- */

enum { CRAFT_MAX = LDP_CRAFT_FEW };

/* Whether the report supports the targets and none of the values to be avoided; y becomes the first target's symbol. */
static bool is_exact(const struct ldp_craft *craft, uint64_t seed, uint32_t g, uint64_t *y)
{
    if (craft->r > 0)
        *y = ldp_hash(seed, craft->target[0], g);
    for (size_t k = 0; k < craft->r + craft->avoided; k++)
        if ((ldp_hash(seed, craft->target[k], g) == *y) != (k < craft->r))
            return false;
    return true;
}

/* For `exact`, so many that the seeds to be tried are not above the budget in the mean. */
static size_t craft_most(const struct ldp_protocol *protocol, const struct ldp_craft *craft)
{
    if (!craft->exact)
        return CRAFT_MAX;
    return 1 + (size_t)(ldp_log((double)craft->budget) / ldp_log((double)own_of(protocol).g));
}

static void craft(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
                  uint64_t *reports)
{
    const uint32_t g = own_of(protocol).g;
    for (size_t i = 0; i < m; i++) {
        uint64_t *const report = reports + 2 * i;
        if (!craft->exact) {
            ldp_craft_seed(craft, g, false, rng, report);
            continue;
        }
        do {
            report[0] = rng_next(rng);
            report[1] = rng_below(rng, g);
        } while (!is_exact(craft, report[0], g, &report[1]));
    }
}

/* a = a b up to x^r. */
static void multiply(double *a, const double *b, size_t r)
{
    for (size_t k = r + 1; k-- > 0;) {
        double sum = 0;
        for (size_t i = 0; i <= k; i++)
            sum += a[i] * b[k - i];
        a[k] = sum;
    }
}

/* F(s), the probability that no symbol has more than s of r targets: r! [x^r] (sum_{i<=s} (x/g)^i / i!)^g. */
static double all_within(size_t s, size_t r, uint32_t g)
{
    double power[CRAFT_MAX + 1] = {1}, base[CRAFT_MAX + 1] = {0}, term = 1;
    for (size_t i = 0; i <= s; i++) {
        base[i] = term;
        term /= (double)g * (double)(i + 1);
    }
    for (uint32_t left = g; left > 0; left /= 2) {
        if (left % 2)
            multiply(power, base, r);
        multiply(base, base, r);
    }
    double result = power[r];
    for (size_t i = 2; i <= r; i++)
        result *= (double)i;
    return result;
}

/* The best of `budget` seeds supports s targets with probability F(s)^budget - F(s-1)^budget, each s of them alike, and
 * every other value with probability 1/g. */
static void craft_counts(const struct ldp_protocol *protocol, const struct ldp_craft *craft, uint64_t m,
                         struct ldp_rng *rng, void *scratch, double *support)
{
    const uint32_t g = own_of(protocol).g;
    const size_t d = protocol->d, r = craft->r < CRAFT_MAX ? craft->r : CRAFT_MAX;
    double law[CRAFT_MAX] = {0}, before = 0, forced[CRAFT_MAX] = {0}, sum[CRAFT_MAX], all[CRAFT_MAX] = {0};
    uint64_t users[CRAFT_MAX];
    for (size_t s = 1; s <= r; s++) {
        const double best = s == r ? 1 : ldp_pow(all_within(s, r, g), (double)craft->budget);
        law[s - 1] = fmax(best - before, 0);
        before = fmax(best, before);
    }
    ldp_multinomial(rng, m, law, r, users);
    for (size_t s = 1; s <= r; s++) {
        if (users[s - 1] == 0)
            continue;
        if (s < r)
            ldp_subsets(rng, r, s, (double)users[s - 1], forced, scratch, sum);
        for (size_t i = 0; i < r; i++)
            all[i] += s < r ? sum[i] : (double)users[s - 1];
    }
    struct ldp_binomial other;
    ldp_binomial_init(&other, m, protocol->q);
    for (size_t v = 0; v < d; v++)
        support[v] = (double)ldp_binomial_draw(&other, rng);
    for (size_t i = 0; i < r; i++)
        support[craft->target[i]] = all[i];
}

/* The seed of H and y; every value is hashed for every report. */
static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    *out = (struct ldp_cost){64 + ldp_code_bits(own_of(protocol).g), (double)protocol->d, (double)protocol->d};
}

/* Hash values of different values are independent. */
static void overlap_of(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    const double q = protocol->q;
    ldp_overlap_set(overlap, protocol->d, q, q * q, q * q * q);
}

const struct ldp_oracle ldp_oracle_olh = {
    .name = "olh",
    .title = "Optimised local hashing",
    .source = "NDSS 2020, sec. III-B, eq. 4",
    .flags = LDP_ORACLE_INDEPENDENT,
    .params = params,
    .later = later,
    .configure = configure,
    .client = client,
    .valid = valid,
    .server = server,
    .support = ldp_counters_support,
    .tally = tally,
    .plan_bytes = ldp_kept_plan_bytes,
    .plan = ldp_pure_plan,
    .counts = ldp_pure_counts,
    .log_likelihood = log_likelihood,
    .odds = ldp_kept_odds,
    .craft = craft,
    .craft_most = craft_most,
    .craft_counts = craft_counts,
    .cost = cost,
    .overlap = overlap_of,
    .unsupported = ldp_unsupported_by_q,
};
