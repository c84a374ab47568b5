/* once.c - each user reports in one round, drawn at random, with all of epsilon: T rounds together are epsilon-private,
 * whatever their users hold. Users are dealt into groups as large as possible alike. A round has T times the noise of a
 * collection from all users, and the error of choosing them; the mean over rounds has the noise of one collection.
 *
 * Source: none, for comparison (sampling users). */
#include "privacy/rounds.h"

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    return ldp_rounds_set_apart(rounds, spec, rounds->epsilon, reason);
}

const struct ldp_chain ldp_chain_once = {
    .name = "once",
    .title = "Each user reports in one round",
    .source = "for comparison",
    .takes_oracle = true,
    .configure = configure,
    .form = &ldp_rounds_dealt,
};
