/* calm_shrunk.c - calm, with every interaction shrunk by how much of it is noise.
 *
 * The tables of calm hold interactions of two and more attributes, many of which are only noise if epsilon is small.
 * Each is shrunk towards the product of the frequencies of its attributes, by a factor that is estimated from the
 * tables themselves (shrink.c). If all attributes are independent, the answers become those of `product`.
 *
 * Not in CALM; the rest is calm's. */
#include "marginals/chosen.h"

static const struct ldp_param params[] = {CHOSEN_ROWS, {.name = NULL}};

static enum ldp_status open_state(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    return ldp_chosen_open(spec, workload, true, state, reason);
}

const struct ldp_synopsis ldp_synopsis_calm_shrunk = {
    .name = "calm_shrunk",
    .title = "CALM's tables, interactions shrunk by how much of them is noise",
    .source = "CALM, CCS 2018, and Johnstone and Silverman 2004",
    .params = params,
    .takes_sets = true,
    .method = "norm_sub",
    .is_attackable = true,
    .open = open_state,
    .close = ldp_chosen_close,
    .collect = ldp_chosen_collect,
    .answer = ldp_chosen_answer,
    .intervals = ldp_chosen_intervals,
    .facts = ldp_chosen_facts,
    .predict = ldp_chosen_predict,
};
