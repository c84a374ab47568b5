/* prefixes.h - searches that extend frequent prefixes level by level, a group of users each. */
#ifndef LDPBENCH_PREFIXES_H
#define LDPBENCH_PREFIXES_H

#include "searches/round.h"

/* Level i: prefixes of length[i] symbols, asked of group i. */
struct prefix_plan {
    unsigned levels;
    unsigned length[SEARCH_LENGTH_MAX]; /* ascending; the last is the strings' */
    double weight[SEARCH_LENGTH_MAX];   /* of each group */
    bool by_chance;                     /* who is in which group; else the sizes are as the weights say */
    size_t keep;
    double least; /* the smallest estimate that is kept, a frequency */
    bool pad;
    size_t most; /* of the answer; 0: all */
};

/* Levels of first, first + step, ... symbols, of equal weight. */
void prefix_levels(struct prefix_plan *plan, unsigned first, unsigned step, unsigned length);

/* Whether the candidates of every level are few enough, there are as many as are kept, and no more groups than users.
 */
enum ldp_status prefix_check(const struct prefix_plan *plan, const struct ldp_search_input *input,
                             struct ldp_reason *reason);
enum ldp_status prefix_run(struct ldp_search_state *state, const struct prefix_plan *plan);

#endif
