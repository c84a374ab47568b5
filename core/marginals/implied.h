/* implied.h - interactions that others imply: of maximum entropy, given those of fewer attributes or those that are
 * known. Internal to the core. */
#ifndef LDPBENCH_IMPLIED_H
#define LDPBENCH_IMPLIED_H

#include "marginals/known.h"

/* Of the requested marginals of a workload, from what tables have. */
struct implied {
    size_t size; /* attributes of the largest marginal */
    struct known_fits fits;
    uint32_t *map;                /* [first[nsets]]: coefficients of the marginals among the tables', or UINT32_MAX */
    uint32_t *block;              /* [coefs]: of each coefficient */
    double *t;                    /* [first[nsets]]: the last fit of each marginal, its central moments */
    uint8_t *fitted;              /* [nsets]: the order of that; 0: none */
    double *single, *sum, *count; /* [coefs]: room */
};

/* Room. */
enum ldp_status ldp_implied_init(struct implied *implied, struct ldp_pool *pool, const struct tables *tables);

/* Central moments (shrink.h): of tables, each block to be shrunk to its target by its factor. */
struct central_moments {
    const double *coefs; /* single attributes */
    const double *central, *factor;
    double *target; /* [coefs] */
};

/* Sets the targets of interactions of `order` attributes and more, and of those that no table has, from those of fewer:
 * means of all requested marginals that have them. Orders ascend from 3 to LDP_SET_MAX; nothing changes where no
 * further interaction is kept. Marginals of many cells are left out. LDP_SET_MAX + 1: the interactions that no table
 * has, for an answer. */
void ldp_implied_find(struct implied *implied, const struct tables *tables, const struct central_moments *given,
                      size_t order);

/* out: coefficients of the requested marginals, where no table has them as the last call found. */
void ldp_implied_answer(struct implied *implied, const struct tables *tables, const double *coefs, double *out);

#endif
