/* simplex.h - Euclidean projection onto the probability simplex. */
#ifndef LDP_SIMPLEX_H
#define LDP_SIMPLEX_H

#include "ldp.h"
#include "numerics/numeric.h"

/* out[d] is the point of {x >= 0, sum x = 1} nearest to est[d]; work[d]. None of these arrays overlap. Defined for
 * every finite est. */
void ldp_simplex_project(const double *est, size_t d, double *work, double *out);

/* The projection as a method, with scratch of ldp_numbers_bytes. */
void ldp_simplex_apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out);

#endif
