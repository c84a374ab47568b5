/* binomial_half.h - fair binomial draws, many at once. Internal to the core. */
#ifndef LDPBENCH_HALVES_H
#define LDPBENCH_HALVES_H

#include "ldp.h"

/* The most draws of one call. */
enum { LDP_HALVES_MAX = 256 };

/* heads[i] ~ Binomial(total[i], 1/2), i < m <= LDP_HALVES_MAX, independent; the arrays may be the same. Fastest where
 * small totals are next to each other. The result is the same at every vector level. */
void ldp_halves(struct ldp_rng *rng, size_t m, const uint64_t *total, uint64_t *heads);

#endif
