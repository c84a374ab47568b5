/* energies.h - how large the interactions of tables are: a posterior over a grid of laws. Internal to the core. */
#ifndef LDPBENCH_ENERGIES_H
#define LDPBENCH_ENERGIES_H

#include "marginals/shrink.h"

/* Of an interaction's squared size: the mean, phi; and mean^2 / mean square, the probability of one that is 0 or else
 * phi / presence. */
struct energy {
    double mean, presence;
};

/* How uneven the values of each attribute are. */
struct uneven {
    double square[LDP_ATTRIBUTES_MAX];     /* |t|^2, their squared distance from uniform, 0 .. c - 1 */
    double dependence[LDP_ATTRIBUTES_MAX]; /* its factor of the energy of interactions; 1: even */
    double sampling[LDP_ATTRIBUTES_MAX];   /* its factor of the variance by choosing users; 1: even, 0: one value */
    double filled[LDP_ATTRIBUTES_MAX];     /* (sum sqrt p)^2 / c, the part of its values that users have; 1: even */
};

struct energies {
    struct energy unseen[LDP_SET_MAX + 1]; /* [number of attributes]: over its bound, if no table has it */
    struct energy *block;                  /* [coefs]: of each block that tables have */
};

/* Expected energies before anybody has answered. coefs: number of coefficients, as for shrinking. */
enum ldp_status ldp_energies_init(struct energies *energies, struct ldp_pool *pool, size_t coefs);

/* Before anybody has answered: of each attribute, one value is more frequent than the others. */
void ldp_energies_expect_uneven(const uint32_t *cardinality, size_t d, struct uneven *uneven);

/* From coefficients of tables that agree; attributes that they do not have are taken to be even. */
void ldp_energies_find_uneven(const struct tables *tables, const double *coefs, struct uneven *uneven);

/* The scale of an interaction's energy: about that of Cramer's V = 1. */
double ldp_energies_bound(const uint32_t *cardinality, uint64_t mask, const struct uneven *uneven);

/* Estimates from coefficients of tables that agree; sets the factors by which shrinking multiplies interactions.
 * energies: NULL, or gets what is estimated. */
void ldp_energies_learn(struct energies *energies, struct shrinking *shrinking, const struct tables *tables,
                        const double *coefs);

/* ---- Single attributes, where they are mostly noise ---- */

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
