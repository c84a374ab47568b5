/* fresh.c - a new collection in every round, `first` each, without memoized responses: what one report protects alone.
 * T rounds spend T first, whether values change or not.
 *
 * Source: none, for comparison. */
#include "privacy/rounds.h"

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    return ldp_rounds_set_apart(rounds, spec, rounds->first, reason);
}

const struct ldp_chain ldp_chain_fresh = {
    .name = "fresh",
    .title = "No memoization: a new report in every round",
    .source = "for comparison",
    .takes_oracle = true,
    .configure = configure,
    .form = &ldp_rounds_apart,
};
