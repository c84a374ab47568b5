/* known.h - fits of maximum entropy of the requested marginals to the interactions that tables have, and the
 * interactions that follow from these. Internal to the core. */
#ifndef LDPBENCH_MARGINALS_KNOWN_H
#define LDPBENCH_MARGINALS_KNOWN_H

#include "marginals/fit.h"
#include "marginals/tables.h"

struct known_fits {
    const struct tables *tables;
    size_t size;     /* attributes of the largest marginal */
    uint8_t *last;   /* [nsets]: interactions of fewer attributes are given to the largest fit */
    bool *closed;    /* room: by subset of a marginal */
    uint32_t *index; /* room: of the parts of a fit, a marginal's cells at least */
    struct fit_part *part;
    bool disjoint; /* whether no two parts of the last list share an attribute */
    size_t nknown; /* subsets of the last marginal that are known */
    struct fit_mean *mean;
    double *room;
};

/* Room for fits of the requested marginals. extra: of all that is known about those that no table covers, by parts or
 * means; else of any order, of binary attributes by means. */
enum ldp_status ldp_known_init(struct known_fits *own, struct ldp_pool *pool, const struct tables *tables, bool extra);

/* out: the answers to the workload from coefficients of consistent tables, with room for what is beyond them: a sum of
 * cells if a table covers the marginal, else of maximum entropy. */
void ldp_known_answer(struct known_fits *own, const double *coefs, double *out);

/* ---- Interactions that others imply: of maximum entropy, given those of fewer attributes or the known ones ---- */

/* Of the requested marginals of a workload, from what tables have. */
struct implied {
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
