/* simplex.h - Euclidean projection onto the probability simplex. */
#ifndef LDP_SIMPLEX_H
#define LDP_SIMPLEX_H

#include <stddef.h>

/* out[d] is the point of {x >= 0, sum x = 1} nearest to est[d]; work[d]. No two overlap. Defined for every
 * finite est. */
void ldp_simplex_project(const double *est, size_t d, double *work, double *out);

#endif
