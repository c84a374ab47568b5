/* chain.c - the table of chains, and what holds for all of them. */
#include "privacy/chain.h"

#include "privacy/rounds.h"
#include "protocol/registry.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LDP_CHAIN(id) extern const struct ldp_chain ldp_chain_##id;
#include "chains.def"
#undef LDP_CHAIN

#define LDP_CHAIN(id) &ldp_chain_##id,
const struct ldp_chain *const ldp_chains[] = {
#include "chains.def"
    NULL};

LDP_FIND(chain, ldp_chains)

enum ldp_status ldp_rounds_init(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec, size_t d, uint64_t n,
                                size_t nrounds, double epsilon, double first, struct ldp_reason *reason)
{
    if (!spec->chain)
        return ldp_refuse(reason, "expected a chain, got none");
    if (!ldp_params_valid(spec->chain->params, spec->param))
        return ldp_refuse(reason, "parameters out of their ranges");
    if (d < 2 || d > UINT32_MAX)
        return ldp_refuse(reason, "d = %zu: expected a domain of 2 to 4294967295 values", d);
    if (nrounds < 1 || nrounds > LDP_ROUNDS_MAX)
        return ldp_refuse(reason, "%zu rounds: expected 1 to %d", nrounds, LDP_ROUNDS_MAX);
    if (!isfinite(epsilon) || !(first > 0) || !(first < epsilon))
        return ldp_refuse(reason, "one report has epsilon = %g: expected more than 0 and less than the first's %g",
                          first, epsilon);
    *rounds = (struct ldp_rounds){.chain = spec->chain, .d = d, .rounds = nrounds, .epsilon = epsilon, .first = first};
    memcpy(rounds->param, spec->param, sizeof rounds->param);
    const enum ldp_status status = spec->chain->configure(rounds, spec, reason);
    if (status == LDP_OK && ldp_rounds_users_of(rounds, n, nrounds - 1) == 0)
        return ldp_refuse(reason, "a round without users: expected n of at least %zu, got %" PRIu64, nrounds, n);
    return status;
}

/* Whether rounds can be drawn from the law of a collection each. */
static bool is_separable(const struct ldp_rounds *rounds)
{
    return rounds->chain->form->client && ldp_has_mode(&rounds->report, LDP_COUNTS);
}

/* Whether every client runs: by reports, and where there is no other way. */
static bool runs_clients(const struct ldp_rounds *rounds, enum ldp_mode mode)
{
    return rounds->chain->form->client && (mode == LDP_REPORTS || !rounds->chain->form->collect);
}

size_t ldp_rounds_scratch(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode)
{
    const struct ldp_histogram first = ldp_sequences_round(sequences, 0);
    const size_t together = runs_clients(rounds, mode) ? ldp_rounds_users_bytes(rounds)
                                                       : rounds->chain->form->scratch_bytes(rounds, sequences, mode),
                 apart = is_separable(rounds) ? ldp_collect_scratch(&rounds->report, &first, LDP_COUNTS) : 0;
    return together > apart ? together : apart;
}

void ldp_rounds_collect(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode,
                        bool together, struct ldp_rng *rng, void *scratch, double *support)
{
    assert(rounds->d == sequences->d && rounds->rounds == sequences->rounds);
    if (mode == LDP_COUNTS && !together && is_separable(rounds))
        ldp_rounds_apart.collect(rounds, sequences, mode, rng, scratch, support);
    else if (runs_clients(rounds, mode))
        ldp_rounds_users(rounds, sequences, rng, scratch, support);
    else
        rounds->chain->form->collect(rounds, sequences, mode, rng, scratch, support);
}

uint64_t ldp_rounds_users_of(const struct ldp_rounds *rounds, uint64_t n, size_t round)
{
    return rounds->chain->form->users ? rounds->chain->form->users(rounds, n, round) : n;
}

double ldp_rounds_variance(const struct ldp_rounds *rounds, uint64_t n, size_t round, double f)
{
    const double users = (double)ldp_rounds_users_of(rounds, n, round), all = (double)n;
    const double noise = (rounds->report.s1 + rounds->report.tf * f) / users;
    return users < all ? noise + f * (1 - f) / users * (all - users) / (all - 1) : noise;
}

/* The sums over the domain of the variances in a round, and of the products of the frequencies in two. */
static double variances(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, size_t round)
{
    const struct ldp_histogram histogram = ldp_sequences_round(sequences, round);
    double sum = 0;
    for (size_t v = 0; v < rounds->d; v++)
        sum += ldp_rounds_variance(rounds, histogram.n, round, (double)histogram.counts[v] / (double)histogram.n);
    return sum;
}

static double products(const struct ldp_sequences *sequences, size_t s, size_t t)
{
    const struct ldp_histogram a = ldp_sequences_round(sequences, s), b = ldp_sequences_round(sequences, t);
    double sum = 0;
    for (size_t v = 0; v < a.d; v++)
        sum += (double)a.counts[v] / (double)a.n * ((double)b.counts[v] / (double)b.n);
    return sum;
}

/* The mean of that over all pairs of different rounds: |sum_t f_t|^2 - sum_t |f_t|^2. */
static double mean_product(const struct ldp_sequences *sequences)
{
    const double t = (double)sequences->rounds, n = (double)sequences->n;
    double sum = 0;
    if (!sequences->values || sequences->rounds == 1)
        return products(sequences, 0, 0);
    for (size_t v = 0; v < sequences->d; v++) {
        double total = 0;
        for (size_t s = 0; s < sequences->rounds; s++)
            total += (double)sequences->counts[s * sequences->d + v] / n;
        sum += total * total;
    }
    for (size_t s = 0; s < sequences->rounds; s++)
        sum -= products(sequences, s, s);
    return sum / (t * (t - 1));
}

/* The sum over the domain of the covariances in two rounds, in which a part `equal` of the users have one value. */
static double covariances(const struct ldp_rounds *rounds, uint64_t n, double equal, double product)
{
    const double d = (double)rounds->d;
    struct ldp_round_covariance share;
    rounds->chain->form->covariance(rounds, n, &share);
    return (equal * (share.both + (d - 1) * share.equal) + (1 - equal) * (2 * share.one + (d - 2) * share.neither) +
            product * share.product) /
           (double)n;
}

void ldp_rounds_errors(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences,
                       struct ldp_round_errors *out)
{
    const size_t last = rounds->rounds - 1;
    const double d = (double)rounds->d, t = (double)rounds->rounds, pairs = t * (t - 1);
    const uint64_t n = sequences->n;
    struct ldp_sequence_facts facts;
    double sum = 0, within = 0, ends = 0;
    ldp_sequences_facts(sequences, &facts);
    for (size_t s = 0; s <= last; s++)
        sum += variances(rounds, sequences, s);
    if (last > 0) {
        within = covariances(rounds, n, facts.equal_pairs / pairs, mean_product(sequences));
        ends = covariances(rounds, n, facts.ends, products(sequences, 0, last));
    }
    *out = (struct ldp_round_errors){
        .round = sum / t / d,
        .average = (sum + pairs * within) / (t * t) / d,
        .trend = last > 0 ? (variances(rounds, sequences, 0) + variances(rounds, sequences, last) - 2 * ends) / d : 0,
    };
}

void ldp_rounds_protection(const struct ldp_rounds *rounds, struct ldp_protection *out)
{
    const bool is_private = !(rounds->report.oracle->flags & LDP_ORACLE_NOT_PRIVATE);
    *out = (struct ldp_protection){.report = is_private ? rounds->report.epsilon : INFINITY};
    rounds->chain->form->protect(rounds, out);
    if (rounds->rounds == 1)
        out->unchanged = out->sequence_low = out->sequence_high = out->report;
}

double ldp_rounds_memos(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences)
{
    double sum = 0;
    if (!rounds->chain->form->memos)
        return NAN;
    for (size_t m = 1; m <= sequences->rounds; m++)
        if (sequences->distinct[m] > 0)
            sum += (double)sequences->distinct[m] * rounds->chain->form->memos(rounds, m);
    return rounds->epsilon * sum / (double)sequences->n;
}

/* Whether the chain at an epsilon, in *rounds then, protects the target. */
struct search {
    const struct ldp_chain_spec *spec;
    size_t d, nrounds;
    uint64_t n;
    enum ldp_equal equal;
    double target, share;
};

static enum ldp_status protects(const struct search *search, double epsilon, struct ldp_rounds *rounds, bool *good,
                                struct ldp_reason *reason)
{
    struct ldp_protection all;
    const enum ldp_status status = ldp_rounds_init(rounds, search->spec, search->d, search->n, search->nrounds, epsilon,
                                                   search->share * epsilon, reason);
    if (status != LDP_OK)
        return status;
    ldp_rounds_protection(rounds, &all);
    *good = (search->equal == LDP_EQUAL_REPORT      ? all.report
             : search->equal == LDP_EQUAL_UNCHANGED ? all.unchanged
                                                    : all.sequence_high) <= search->target * (1 + 1e-12);
    return LDP_OK;
}

enum ldp_status ldp_rounds_equal(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec, size_t d, uint64_t n,
                                 size_t nrounds, enum ldp_equal equal, double target, double share,
                                 struct ldp_reason *reason)
{
    const double least = 1e-9 * target, most = 1e9 * target;
    const struct search search = {spec, d, nrounds, n, equal, target, share};
    if (equal == LDP_EQUAL_MEMO)
        return ldp_rounds_init(rounds, spec, d, n, nrounds, target, share * target, reason);
    /* The target is protected at `low`, and not at twice as much. */
    double low = target;
    bool good = false;
    enum ldp_status status = protects(&search, low, rounds, &good, reason);
    const bool up = good;
    while (status == LDP_OK && good == up && low > least && low < most) {
        low *= up ? 2 : 0.5;
        status = protects(&search, low, rounds, &good, reason);
    }
    if (status != LDP_OK)
        return status;
    if (low <= least) { /* the instantaneous response shows which reports have the same memoized response, however
                           private memoized responses are */
        struct ldp_protection all;
        ldp_rounds_protection(rounds, &all);
        if (isinf(all.report))
            return ldp_refuse(reason, "%s is not private", rounds->report.oracle->name);
        return ldp_refuse(reason,
                          "with memoized reports of any budget all sequences have epsilon %.4g or more: expected more",
                          all.sequence_high);
    }
    low /= up ? 2 : 1;
    for (double step = low / 2; status == LDP_OK && step > 1e-12 * low; step /= 2) {
        status = protects(&search, low + step, rounds, &good, reason);
        if (good)
            low += step;
    }
    return status == LDP_OK ? protects(&search, low, rounds, &good, reason) : status;
}
