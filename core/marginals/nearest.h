/* nearest.h - the tables nearest to given ones that agree and have no negative cell: one convex problem. Internal to
 * the core. */
#ifndef LDPBENCH_MARGINALS_NEAREST_H
#define LDPBENCH_MARGINALS_NEAREST_H

#include "marginals/contrasts.h"

/* Coefficients (contrasts.h) of all subsets of some sets, and the room to fit them. */
struct nearest {
    const uint32_t *cardinality;
    const struct ldp_set *sets; /* the tables that must have no negative cell */
    size_t nsets;
    const size_t *first; /* [nsets + 1]: where the cells of a table begin */
    struct closure closure;
    uint32_t *map;   /* [first[nsets]]: coefficients of the tables */
    double *inverse; /* [ncoefs]: of the precision, by the caller; 0: the coefficient stays as it is */
    double *start;   /* [ncoefs]: the given coefficients, by the caller */
    double *weight;  /* [ncoefs]: cells of the block / inverse; 0 where that is 0 */
    double *a;       /* [ncoefs] */
    double *step;    /* [nsets] */
    double *work, *first_cells, *before, *dual,
        *last; /* [first[nsets]]: room; E r, and E a and y of the last round; y */
};

struct nearest_result {
    bool near;        /* the gap is as small as demanded */
    double objective; /* sum p |a - start|^2 / 2 over coefficients, times the cells of their block */
    double gap;       /* what the objective is above the least possible one, at most */
    size_t rounds;
};

enum ldp_status ldp_nearest_init(struct nearest *nearest, struct ldp_pool *pool, const uint32_t *cardinality,
                                 const struct ldp_set *sets, size_t nsets, const size_t *first);

/* After inverse is set. same_step: of all tables. */
void ldp_nearest_weigh(struct nearest *nearest, bool same_step);

/* The tables of coefficients. */
void ldp_nearest_expand(const struct nearest *nearest, const double *a, double *out);

/* out[first[nsets]]: tables that agree, sum to 1 and have no negative cell, nearest to those of start: the objective is
 * above the least one by at most `gap` of itself. If it is not after so many rounds, cells may still be negative. */
struct nearest_result ldp_nearest_run(struct nearest *nearest, double gap, size_t rounds, double *out);

#endif
