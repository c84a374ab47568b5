/* planned.h - the parts of pem_planned: the choice of a plan, and the search that plans again after each level.
 * Internal to the core. */
#ifndef LDPBENCH_PLANNED_H
#define LDPBENCH_PLANNED_H

#include "searches/expected.h"

/* What the caller gave; 0: by the plan. */
struct planned_given {
    unsigned step;
    size_t keep;
    double pilot, fdr;
    bool known;
};

/* The largest number of prefixes that a level may keep. */
size_t planned_most_kept(const struct planned_given *given, size_t requested);

/* Levels after the first plan->levels, which are done or fixed, for the prefixes kept[..] of a level: see
 * planned_choose_rest. */
struct planned_kept {
    struct search_level level;
    const double *est; /* [count], descending; NULL: before any answer */
    size_t count;
};

/* The estimate that the `keep` largest have at least, of at most count; -infinity if no candidate is left out. */
double planned_threshold(const struct planned_kept *kept, size_t keep);

/* Chooses levels, shares and kept prefixes from plan->levels on; laws have their weights. kept: the answers of the last
 * level done, NULL before the first. The expected F1 is returned, and the rest in *forecast unless NULL. */
double planned_choose_rest(const struct ldp_search_input *input, const struct planned_given *given, struct laws *laws,
                           const struct planned_kept *kept, struct prefix_plan *plan,
                           struct ldp_search_forecast *forecast);

/* Sets the estimate of a candidate at the last of the levels, and its frequency by that and those of its prefixes,
 * before[levels - 1]. */
void planned_score(const struct search_level *level, unsigned levels, const double *before, double est,
                   struct search_scored *scored);

enum ldp_status planned_run(struct ldp_search_state *state, const struct planned_given *given,
                            const struct prefix_plan *plan);

#endif
