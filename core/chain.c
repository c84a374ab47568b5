/* chain.c - the table of chains, and what holds for all of them. */
#include "chain.h"

#include "registry.h"
#include "rounds/rounds.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

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
        return ldp_refuse(reason, "one report has epsilon = %g: expected more than 0 and less than the memo's %g",
                          first, epsilon);
    *rounds = (struct ldp_rounds){.chain = spec->chain, .d = d, .rounds = nrounds, .epsilon = epsilon, .first = first};
    for (size_t i = 0; i < LDP_PARAMS_MAX; i++)
        rounds->param[i] = spec->param[i];
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

size_t ldp_rounds_scratch(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode)
{
    const struct ldp_histogram first = ldp_sequences_round(sequences, 0);
    const size_t together = rounds->chain->form->scratch_bytes(rounds, sequences, mode),
                 apart = is_separable(rounds) ? ldp_collect_scratch(&rounds->report, &first, LDP_COUNTS) : 0;
    return together > apart ? together : apart;
}

void ldp_rounds_collect(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode,
                        bool together, struct ldp_rng *rng, void *scratch, double *support)
{
    assert(rounds->d == sequences->d && rounds->rounds == sequences->rounds);
    if (mode == LDP_COUNTS && !together && is_separable(rounds))
        ldp_rounds_apart.collect(rounds, sequences, mode, rng, scratch, support);
    else
        rounds->chain->form->collect(rounds, sequences, mode, rng, scratch, support);
}

uint64_t ldp_rounds_users_of(const struct ldp_rounds *rounds, uint64_t n, size_t round)
{
    return rounds->chain->form->users ? rounds->chain->form->users(rounds, n, round) : n;
}

/* The sum over the domain of n times the covariance of two rounds, where so many users hold one value in both. */
static double covariance(const struct ldp_rounds *rounds, double alike)
{
    const double d = (double)rounds->d;
    struct ldp_round_covariance share;
    rounds->chain->form->covariance(rounds, &share);
    return alike * (share.both + (d - 1) * share.equal) + (1 - alike) * (2 * share.one + (d - 2) * share.neither);
}

void ldp_rounds_errors(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences,
                       struct ldp_round_errors *out)
{
    const double d = (double)rounds->d, t = (double)rounds->rounds, users = (double)sequences->n * d;
    const double variance = d * rounds->report.s1 + rounds->report.tf; /* of a round, summed over the domain */
    const double pairs = t * (t - 1);
    struct ldp_sequence_facts facts;
    ldp_sequences_facts(sequences, &facts);
    *out = (struct ldp_round_errors){
        .round = variance / users,
        .average = (variance + pairs * covariance(rounds, pairs > 0 ? facts.alike / pairs : 1) / t) / t / users,
        .trend = rounds->rounds > 1 ? 2 * (variance - covariance(rounds, facts.ends)) / users : 0,
    };
}
