/* split.c - a new collection in every round, epsilon/T each: T reports together are epsilon-private, whatever their
 * users have. The error of a round grows with T^2, that of the mean over rounds with T.
 *
 * Source: none, for comparison (sequential composition). */
#include "privacy/rounds.h"

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    return ldp_rounds_set_apart(rounds, spec, rounds->epsilon / (double)rounds->rounds, reason);
}

const struct ldp_chain ldp_chain_split = {
    .name = "split",
    .title = "The budget split among the rounds",
    .source = "for comparison",
    .takes_oracle = true,
    .configure = configure,
    .form = &ldp_rounds_apart,
};
