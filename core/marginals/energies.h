/* energies.h - how large the interactions of tables are: a posterior over a grid of laws. Internal to the core. */
#ifndef LDPBENCH_ENERGIES_H
#define LDPBENCH_ENERGIES_H

#include "marginals/shrink.h"

struct energies {
    /* [number of attributes]: expected squared size, over its bound, of an interaction that no table has. */
    double unseen[LDP_SET_MAX + 1];
    double *block; /* [coefs] of each block that tables have: expected squared size, phi */
};

/* Expected energies before anybody has answered. coefs: number of coefficients, as for shrinking. Clear in any case. */
enum ldp_status ldp_energies_init(struct energies *energies, size_t coefs);
void ldp_energies_clear(struct energies *energies);

/* The squared distance |t|^2 of an attribute that tables have from uniform, and the noise in that. */
double ldp_energies_square(const struct tables *tables, const double *coefs, size_t attribute, double *noise);

/* The scale of an interaction's energy: about that of Cramer's V = 1. t2[attributes]: their squared distances from
 * uniform. */
double ldp_energies_bound(const uint32_t *cardinality, uint64_t mask, const double *t2);

/* Learns how far single attributes are from uniform, from coefficients of tables that agree; sets the factors by which
 * that should be shrunk. */
void ldp_energies_learn_singles(struct energies *energies, struct shrinking *shrinking, const struct tables *tables,
                                const double *coefs);

/* Learns from coefficients of tables that agree; sets the factors by which shrinking multiplies interactions. */
void ldp_energies_learn(struct energies *energies, struct shrinking *shrinking, const struct tables *tables,
                        const double *coefs);

#endif
