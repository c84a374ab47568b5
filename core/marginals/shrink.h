/* shrink.h - interactions of tables: shrinks them towards independence by the share of noise in them, or drops those
 * that are mostly noise. Internal to the core. */
#ifndef LDPBENCH_SHRINK_H
#define LDPBENCH_SHRINK_H

#include "marginals/tables.h"

struct shrinking {
    bool shrinks; /* if not, it drops */
    /* For interactions of this many attributes, beyond those of their subsets: the mean square of a coefficient times
     * its cells, over the smallest cardinality minus one; 0 if it is not significant. */
    double energy[LDP_SET_MAX + 1];
    double *central, *variance, *own_variance; /* room */
};

/* coefs: the largest number of coefficients of any tables. Must be cleared in every case. */
enum ldp_status ldp_shrinking_init(struct shrinking *shrinking, bool shrinks, size_t coefs);
void ldp_shrinking_clear(struct shrinking *shrinking);

/* In place: shrinks or drops interactions of two and more attributes, of coefficients of tables that agree. learns: by
 * energies estimated from these; else by those of the last call that did. */
void ldp_shrinking_run(struct shrinking *shrinking, const struct tables *tables, bool learns, double *coefs);

/* The smallest cardinality among a block's attributes minus one: a bound of the energy of a dependence (Cramer's V). */
double ldp_shrinking_bound(const uint32_t *cardinality, uint64_t mask);

#endif
