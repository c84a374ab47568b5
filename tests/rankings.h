/* rankings.h - rankings of the methods of one oracle, as `recommend` makes them. */
#ifndef LDPBENCH_TESTS_RANKINGS_H
#define LDPBENCH_TESTS_RANKINGS_H

#include "stats/ranking.h"

/* Completes a plan by the oracle that made the supports and is the only candidate, and by all threads; asserts that
 * there are rankings of so many points. */
struct rankings rankings_of_oracle(struct ranking_plan plan, const struct ldp_protocol *protocol, size_t points);

#endif
