/* fit.h - distributions of maximum entropy for given marginals, which need not have a joint law; over binary
 * attributes, for given means of products of signs. Internal to the core. */
#ifndef LDPBENCH_MARGINALS_FIT_H
#define LDPBENCH_MARGINALS_FIT_H

#include "marginals/contrasts.h"
#include "marginals/synopsis.h"

/* One marginal to fit. */
struct fit_part {
    size_t cells;
    double weight;         /* 1 / variance of a cell of the target; > 0 */
    const uint32_t *index; /* [cells of the whole]: the cell of the part that each belongs to */
    const double *target;  /* [cells] */
    double *lambda, *sum;  /* [cells]: room */
};

enum { FIT_PART_ROOM = 3 /* doubles for each cell */ };

/* A part in room[FIT_PART_ROOM * cells]; its target, to be filled, comes first. */
struct fit_part ldp_fit_part(size_t cells, double weight, const uint32_t *index, double *room);

struct fit_result {
    size_t sweeps;
    double change; /* of any part in the last sweep, the sum over its cells */
};

enum { FIT_SWEEPS = 300 /* that are enough, or change little after that */ };

/* t[cells], not negative, of sum 1. most: sweeps. */
struct fit_result ldp_fit_maximum_entropy(size_t cells, struct fit_part *part, size_t nparts, size_t most, double *t);

/* index[cells of the set]: the cell of a table over `part`, a subset of the attributes, to which each cell of a table
 * over `set` belongs. */
void ldp_fit_index(const struct ldp_set *set, const struct ldp_set *part, const uint32_t *cardinality, uint32_t *index);

/* Adds a table over `set` to one over `part`. index[cells of the set]: room. */
void ldp_fit_sum(const struct ldp_set *set, const uint32_t *cardinality, const double *table,
                 const struct ldp_set *part, uint32_t *index, double *out);

/* ---- Binary attributes ---- */

enum { FIT_BINARY_MEANS = 128 /* with a matrix */, FIT_BINARY_SIZE = 16 /* the most attributes */ };

/* The mean of the product of the signs (+1 for 0, -1 for 1) of the attributes in mask; the last attribute is bit 0. */
struct fit_mean {
    uint32_t mask;
    double target, weight; /* weight: 1 / variance of the target; > 0 */
};

/* Doubles of room. */
size_t ldp_fit_binary_room(size_t size, size_t nmeans);

/* t[2^size], positive, of sum 1: the maximum of entropy(t) - sum_i weight_i/2 (mean_i(t) - target_i)^2. Returns the
 * number of steps. */
size_t ldp_fit_binary(size_t size, const struct fit_mean *mean, size_t nmeans, double *room, double *t);

/* ---- The tables nearest to given ones that agree and have no negative cell: one convex problem (nearest.c) ---- */

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
