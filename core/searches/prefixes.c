/* prefixes.c - see prefixes.h. Cost: the candidates of all levels, and one split of the users. */
#include "searches/prefixes.h"

#include <math.h>
#include <stdio.h>

void prefix_levels(struct prefix_plan *plan, unsigned first, unsigned step, unsigned length)
{
    plan->levels = 0;
    for (unsigned at = first;; at += step) {
        plan->length[plan->levels] = at < length ? at : length;
        plan->weight[plan->levels++] = 1;
        if (at >= length)
            return;
    }
}

enum ldp_status prefix_check(const struct prefix_plan *plan, const struct ldp_search_input *input,
                             struct ldp_reason *reason)
{
    const struct ldp_strings *strings = input->strings;
    const size_t first = search_ways(strings, plan->length[0], plan->pad);

    if (plan->levels > input->histogram.n)
        return ldp_refuse(reason, "expected at least as many users as groups, got %.17g users for %u levels",
                          (double)input->histogram.n, plan->levels);
    for (unsigned i = 0; i < plan->levels; i++) {
        char where[32];

        snprintf(where, sizeof where, "level %u", i + 1);
        if (search_check_candidates(strings, where, i > 0 ? (double)plan->keep : 1,
                                    plan->length[i] - (i > 0 ? plan->length[i - 1] : 0), plan->pad, reason) != LDP_OK)
            return LDP_EINVAL;
    }
    if (plan->keep > first)
        return ldp_refuse(reason, "keep = %zu: expected at most the %zu candidates of the first level", plan->keep,
                          first);
    return LDP_OK;
}

enum ldp_status prefix_run(struct ldp_search_state *state, const struct prefix_plan *plan)
{
    const ldp_uint128 root = 0;
    struct search_round round = {.epsilon = state->input.epsilon, .parent = &root, .nparents = 1, .pad = plan->pad};
    enum ldp_status status = search_split(state, plan->levels, plan->weight, plan->by_chance);

    state->kept.count = 0;
    for (unsigned i = 0; status == LDP_OK && i < plan->levels && round.nparents > 0; i++) {
        const double *est;
        size_t count;

        round.group = i;
        round.to = plan->length[i];
        status = search_round(state, &round, &est, &count);
        if (status == LDP_OK)
            status = search_keep(state, &round, est, plan->keep, plan->least, &state->other);

        /* The parents are in the one list, what is kept goes into the other. */
        const struct search_kept swap = state->kept;

        state->kept = state->other;
        state->other = swap;
        round.from = round.to;
        round.parent = state->kept.key;
        round.nparents = state->kept.count;
    }
    return status == LDP_OK ? search_found(state, &state->kept, plan->most) : status;
}
