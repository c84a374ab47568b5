/* stein.h - how far to shrink a noisy table to uniform before it is projected onto the simplex. Internal to the core.
 */
#ifndef LDPBENCH_STEIN_H
#define LDPBENCH_STEIN_H

#include <stddef.h>

/* The factor, 0 to 1, of the smallest estimated risk. x[cells]: sums to 1, with noise of this variance in each cell.
 * room[2 * cells], scratch: ldp_simplex_scratch_bytes(cells). */
double ldp_stein_factor(const double *x, size_t cells, double variance, double *room, void *scratch);

#endif
