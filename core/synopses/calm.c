/* calm.c - consistent adaptive local marginals.
 *
 * m tables of l attributes each are collected from m groups of users with the whole epsilon, and made consistent,
 * non-negative and of sum 1. A marginal inside one of them is a sum of its cells, any other is the one of maximum
 * entropy. If neither m nor l is given, they are chosen by what a first part of the users reports (choice.c), or with
 * theta by one threshold of the error (threshold.c).
 *
 * Source: Zhang, Wang, Li, He, Chen, CALM, CCS 2018. The second half of the paper was not available to us: consistency,
 * non-negativity and reconstruction are this project's (tables.c, reconstruct.c), and so is the choice of m and l. */
#include "marginals/chosen.h"

static const struct ldp_param params[] = {CHOSEN_ROWS, {.name = NULL}};

static enum ldp_status open_state(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    return ldp_chosen_open(spec, workload, false, state, reason);
}

const struct ldp_synopsis ldp_synopsis_calm = {
    .name = "calm",
    .title = "Consistent tables of a covering design, maximum entropy beyond them",
    .source = "CALM, CCS 2018",
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
