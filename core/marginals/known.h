/* known.h - fits of maximum entropy of the requested marginals to the interactions that tables have. Internal to the
 * core. */
#ifndef LDPBENCH_MARGINALS_KNOWN_H
#define LDPBENCH_MARGINALS_KNOWN_H

#include "marginals/fit.h"
#include "marginals/tables.h"

struct known_fits {
    const struct tables *tables;
    uint8_t *last;   /* [nsets]: interactions of fewer attributes are given to the largest fit */
    bool *closed;    /* room: by subset of a marginal */
    uint32_t *index; /* room: of the parts of a fit, a marginal's cells at least */
    struct fit_part *part;
    bool disjoint; /* whether no two parts of the last list share an attribute */
    size_t nknown; /* subsets of the last marginal that are known */
    struct fit_mean *mean;
    double *room;
};

/* A requested marginal. */
struct known_marginal {
    const struct ldp_set *set;
    size_t first, cells, order; /* order: interactions of fewer attributes are given */
    bool is_binary;
};

/* Room for fits of the requested marginals. beyond: of all that is known about those that no table covers, by parts or
 * means; else of any order, of binary attributes by means. */
enum ldp_status ldp_known_init(struct known_fits *own, struct ldp_pool *pool, const struct tables *tables, bool beyond);

struct known_marginal ldp_known_marginal(const struct known_fits *own, size_t i, size_t order);

/* The largest parts of which all interactions are known, the largest first: their number. */
size_t ldp_known_list(struct known_fits *own, const struct known_marginal *marginal);

#define KNOWN_WEIGHT 1e5

/* What is known: the coefficients of a marginal's own table, each with the weight of KNOWN_WEIGHT users without noise,
 * or (x NULL) those of all tables, each with its precision. */
struct known {
    const double *x, *coefs;
};

/* Those parts as tables, in own->part; once after each list. */
void ldp_known_fill(struct known_fits *own, const struct known_marginal *marginal, size_t nparts, struct known known);

/* t: of largest entropy, given those tables. */
void ldp_known_fit_parts(struct known_fits *own, const struct known_marginal *marginal, size_t nparts, double *t);

/* The same of a marginal of binary attributes, given its interactions; t may be known.x. */
void ldp_known_fit_means(struct known_fits *own, const struct known_marginal *marginal, struct known known, double *t);

/* out: the answers to the workload from coefficients of consistent tables, with room for what is beyond them: a sum of
 * cells if a table covers the marginal, else of maximum entropy. */
void ldp_known_answer(struct known_fits *own, const double *coefs, double *out);

/* Whether a table has a block; all have the total. */
static inline bool ldp_known_has(const struct tables *tables, size_t block)
{
    return block != CLOSURE_NONE && (tables->closure.mask[block] == 0 || tables->has[block]);
}

#endif
