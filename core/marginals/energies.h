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

/* Estimates how far single attributes are from uniform, from coefficients of tables that agree; sets the factors by
 * which that should be shrunk. */
void ldp_energies_learn_singles(struct energies *energies, struct shrinking *shrinking, const struct tables *tables,
                                const double *coefs);

/* Estimates from coefficients of tables that agree; sets the factors by which shrinking multiplies interactions.
 * energies: NULL, or gets what is estimated. */
void ldp_energies_learn(struct energies *energies, struct shrinking *shrinking, const struct tables *tables,
                        const double *coefs);

#endif
