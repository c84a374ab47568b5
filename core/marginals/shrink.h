/* shrink.h - shrinks interactions towards independence, by the share of noise in them. Internal to the core. */
#ifndef LDPBENCH_SHRINK_H
#define LDPBENCH_SHRINK_H

#include "marginals/tables.h"

struct shrinking {
    /* For interactions of this many attributes, beyond those of their subsets: the mean square of a coefficient times
     * its cells, over the smallest cardinality minus one. */
    double energy[LDP_SET_MAX + 1];
    double *central; /* room */
};

/* coefs: the largest number of coefficients of any tables. Must be cleared in every case. */
enum ldp_status ldp_shrinking_init(struct shrinking *shrinking, size_t coefs);
void ldp_shrinking_clear(struct shrinking *shrinking);

/* The energies, from coefficients of tables that agree. */
void ldp_shrinking_learn(struct shrinking *shrinking, const struct tables *tables, const double *coefs);

/* In place: interactions of two and more attributes. */
void ldp_shrinking_apply(struct shrinking *shrinking, const struct tables *tables, double *coefs);

/* The smallest cardinality among a block's attributes minus one: a bound of the energy of a dependence (Cramer's V). */
double ldp_shrinking_bound(const uint32_t *cardinality, uint64_t mask);

#endif
