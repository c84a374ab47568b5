/* design.h - which attributes go into one table: covering designs. Internal to the core. */
#ifndef LDPBENCH_DESIGN_H
#define LDPBENCH_DESIGN_H

#include "synopsis.h"

/* The binomial coefficient, k of n; infinite if it overflows a double. */
double ldp_design_choose(size_t n, size_t k);

/* m sets of l attributes out of d, all different from one another: every attribute, then every pair, as often and as
 * evenly as possible. m <= C(d, l), 1 <= l <= d. The first m' of them are the design of m' sets, for m < C(d, l).
 * LDP_ENOMEM. */
enum ldp_status ldp_design_cover(const uint32_t *cardinality, size_t d, size_t l, size_t m, struct ldp_set *set);

/* The rank of a set among all sets of its size out of d attributes, from 0, in the order of ldp_design_all. */
double ldp_design_rank(size_t d, const struct ldp_set *set);

/* All sets of l attributes out of those in `of` that hold all in `with`: returns their number; set NULL: only the
 * number. */
size_t ldp_design_all(uint64_t of, uint64_t with, size_t l, struct ldp_set *set, size_t room);

/* All sets of l attributes that hold a wanted set of k attributes (0: of any number up to l): returns their number, or
 * any above `most` if there are more than that. set[2 most]. */
size_t ldp_design_holding(const struct ldp_workload *workload, size_t l, size_t k, struct ldp_set *set, size_t most);

#endif
