/* stein.h - how far to shrink a noisy table to another before it is projected onto the simplex. Internal to the core.
 */
#ifndef LDPBENCH_STEIN_H
#define LDPBENCH_STEIN_H

#include "marginals/tables.h"

/* The factor, 0 to 1, of x - base, of the smallest estimated risk. x[cells], base[cells]: sum to 1; x with noise of
 * this variance in each cell. 0 unless that risk is clearly below the one of base. moves: the squared distance of what
 * the factor leads to from base. room[2 * cells], scratch: ldp_simplex_scratch_bytes(cells). */
double ldp_stein_factor(const double *x, const double *base, size_t cells, double variance, double *room, void *scratch,
                        double *moves);

/* The factor of an attribute to uniform, and of a pair to the central moments target[coefficients], from coefficients
 * of tables that agree and have it. room[4 * cells]. */
double ldp_stein_single(const struct tables *tables, const double *coefs, size_t attribute, double *room,
                        void *scratch);
double ldp_stein_pair(const struct tables *tables, const double *coefs, const double *target, const struct ldp_set *set,
                      double *room, void *scratch, double *moves);

#endif
