/* singles.h - the frequencies of single attributes, where they are mostly noise. Internal to the core. */
#ifndef LDPBENCH_SINGLES_H
#define LDPBENCH_SINGLES_H

#include "marginals/tables.h"

/* Shrinking of tables of one attribute each. */
struct singles {
    double factor[LDP_ATTRIBUTES_MAX]; /* by which an attribute's distance from uniform is multiplied */
    double left;                       /* the mean of the squared factors: the share of the noise that is left */
    double *raw;                       /* room */
};

/* coefs: of the tables. Must be cleared in every case. */
enum ldp_status ldp_singles_init(struct singles *singles, size_t coefs);
void ldp_singles_clear(struct singles *singles);

/* Keeps the coefficients of tables that agree, before they are made valid. */
void ldp_singles_keep(struct singles *singles, const struct tables *tables, const double *coefs);

/* The factors, from the coefficients that were kept and those made valid: 1, if products of these are expected to be
 * nearer to the workload's marginals than uniform ones. */
void ldp_singles_learn(struct singles *singles, struct tables *tables, const double *coefs);

/* In place. */
void ldp_singles_shrink(const struct singles *singles, const struct tables *tables, double *coefs);

#endif
