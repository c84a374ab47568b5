/* apart.c - chains without memoized responses: each round is a collection of its own. */
#include "privacy/rounds.h"

struct ldp_oracle_spec ldp_rounds_oracle(const char *name)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name)};
    ldp_params_default(spec.oracle->params, spec.param);
    return spec;
}

enum ldp_status ldp_rounds_set_apart(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec, double epsilon,
                                     struct ldp_reason *reason)
{
    const struct ldp_oracle_spec oue = ldp_rounds_oracle("oue");
    return ldp_protocol_init(&rounds->report, spec->oracle ? spec->oracle : &oue, rounds->d, epsilon, reason);
}

static size_t scratch_bytes(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode)
{
    const struct ldp_histogram histogram = ldp_sequences_round(sequences, 0);
    return ldp_collect_scratch(&rounds->report, &histogram, mode);
}

static void collect(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode,
                    struct ldp_rng *rng, void *scratch, double *support)
{
    for (size_t t = 0; t < rounds->rounds; t++) {
        const struct ldp_histogram histogram = ldp_sequences_round(sequences, t);
        ldp_collect(&rounds->report, &histogram, mode, rng, scratch, support + t * rounds->report.support_size);
    }
}

static void covariance(const struct ldp_rounds *rounds, uint64_t n, struct ldp_round_covariance *out)
{
    *out = (struct ldp_round_covariance){0};
}

/* T independent reports, of values that may all differ. */
static void protect(const struct ldp_rounds *rounds, struct ldp_protection *out)
{
    const double all = (double)rounds->rounds * out->report;
    out->unchanged = out->sequence_low = out->sequence_high = out->accounted = all;
}

const struct ldp_round_form ldp_rounds_apart = {
    .scratch_bytes = scratch_bytes,
    .collect = collect,
    .covariance = covariance,
    .protect = protect,
};

/* ---- fresh: a new collection in every round, `first` each, without memoized responses: what one report protects
 * alone. T rounds spend T first, whether values change or not.
 *
 * split: epsilon/T each: T reports together are epsilon-private, whatever their users have. The error of a round grows
 * with T^2, that of the mean over rounds with T.
 *
 * Source: none, for comparison (sequential composition). */

extern const struct ldp_chain ldp_chain_split;

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    const bool splits = spec->chain == &ldp_chain_split;
    return ldp_rounds_set_apart(rounds, spec, splits ? rounds->epsilon / (double)rounds->rounds : rounds->first,
                                reason);
}

#define APART(id, title_)                                                                                              \
    const struct ldp_chain ldp_chain_##id = {.name = #id,                                                              \
                                             .title = title_,                                                          \
                                             .source = "for comparison",                                               \
                                             .takes_oracle = true,                                                     \
                                             .configure = configure,                                                   \
                                             .form = &ldp_rounds_apart}

APART(fresh, "No memoization: a new report in every round");
APART(split, "The budget split among the rounds");
