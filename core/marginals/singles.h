/* singles.h - the frequencies of single attributes, where they are mostly noise. Internal to the core. */
#ifndef LDPBENCH_SINGLES_H
#define LDPBENCH_SINGLES_H

#include "marginals/energies.h"

/* The variance of each attribute over that of even values, from coefficients of tables that agree. */
void ldp_singles_variances(const struct tables *tables, const double *coefs, double varies[LDP_ATTRIBUTES_MAX]);

/* Attributes that are mostly noise are moved towards uniform, in place: those of many values by the risk that is
 * estimated of their own table, the others by what all attributes have in common; not those of rare values. energies:
 * NULL, or gets what is estimated. Returns the mean of the squared factors. room[4 * values of an attribute], scratch:
 * ldp_numbers_bytes of as many. */
double ldp_singles_shrink(struct energies *energies, struct shrinking *shrinking, const struct tables *tables,
                          double *coefs, double *room, void *scratch);

/* The factor, 0 to 1, of x - base, of the smallest estimated risk. x[cells], base[cells]: sum to 1; x with noise of
 * this variance in each cell. 0 unless that risk is clearly below the one of base. moves: the squared distance of what
 * the factor leads to from base. room[2 * cells], scratch: ldp_numbers_bytes(cells). */
double ldp_stein_factor(const double *x, const double *base, size_t cells, double variance, double *room, void *scratch,
                        double *moves);

#endif
