/* implied.h - interactions that others imply: of maximum entropy, given those of fewer attributes or those that are
 * known. Internal to the core. */
#ifndef LDPBENCH_IMPLIED_H
#define LDPBENCH_IMPLIED_H

#include "marginals/fit.h"
#include "marginals/tables.h"

/* Of the wanted marginals of a workload, from what tables have. */
struct implied {
    uint32_t *map;           /* [first[nsets]]: coefficients of the marginals among the tables', UINT32_MAX: none */
    uint32_t *block;         /* [coefs]: of each coefficient */
    double *t;               /* [first[nsets]]: the last fit of each marginal */
    double *sum, *count;     /* [coefs]: room */
    double *x, *room;        /* room: of a marginal; of a fit */
    bool *closed;            /* room: by subset of a marginal */
    uint32_t *index;         /* room: of the parts of a fit */
    struct fit_part *part;   /* room */
    struct fit_mean *mean;   /* room */
};

/* Room. Must be cleared in every case. */
enum ldp_status ldp_implied_init(struct implied *implied, const struct tables *tables);
void ldp_implied_clear(struct implied *implied);

/* Sets target[coefs], central moments, of the interactions of `order` attributes and more, and of those that no table
 * has, given those of fewer: means of all wanted marginals that have them. central: moments from tables, coefs: their
 * single attributes; factor: of each block, by which its moments are shrunk to their target. Orders ascend from 3;
 * nothing changes where no interaction of order - 1 was kept. Marginals of many cells are left out. */
void ldp_implied_find(struct implied *implied, const struct tables *tables, const double *coefs, const double *central,
                      const double *factor, size_t order, double *target);

/* out: the wanted marginals some interactions of which no table has, given all others; 0 in other marginals. */
void ldp_implied_answer(struct implied *implied, const struct tables *tables, const double *coefs, double *out);

#endif
