/* binomials.h - exact binomial draws of many different laws at once, with the processor's vectors. Internal to the
 * core.
 */
#ifndef LDPBENCH_BINOMIALS_H
#define LDPBENCH_BINOMIALS_H

#include "ldp.h"

/* The most draws of one call. */
enum { LDP_BINOMIALS_MAX = 256 };

/* out[i] ~ Binomial(n[i], p[i]), i < m, independent; n whole, from 0 to 2^53. The laws are those of ldp_binomial. The
 * random words are used in a different order, which is the same at every vector level. */
void ldp_binomials(struct ldp_rng *rng, size_t m, const double *n, const double *p, double *out);

/* What ldp_binomials draws, 256 at a time, for one n and one p; any m. */
void ldp_binomials_same(struct ldp_rng *rng, size_t m, double n, double p, double *out);

/* The same as ldp_binomials for one p and whole numbers, one by one where most n are small. */
void ldp_binomials_shared(struct ldp_rng *rng, size_t m, const uint64_t *n, double p, uint64_t *out);

#endif
