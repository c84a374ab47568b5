/* shrink.h - interactions of tables: shrinks them towards independence by the share of noise in them, or drops those
 * that are mostly noise. Internal to the core. */
#ifndef LDPBENCH_SHRINK_H
#define LDPBENCH_SHRINK_H

#include "marginals/factors.h"
#include "marginals/known.h"
#include "marginals/tables.h"
#include "marginals/valid.h"

/* A block of several attributes, beyond those of its subsets. */
struct interaction {
    size_t block;
    double size, bound;   /* v_b, and u_b, which energies.c sets */
    double square, noise; /* L_b |r_b|^2, N_b */
};

struct shrinking {
    bool shrinks; /* if not, it drops */
    /* For interactions of this many attributes, beyond those of their subsets: the squared error that is expected of
     * them afterwards, over that of their noise. Of single attributes 1: they stay. */
    double left[LDP_SET_MAX + 1];
    double *factor;                   /* [blocks]: what interactions are multiplied by */
    bool *keeps;                      /* [blocks]: stays as it is seen in the answer, whatever its factor; NULL: none */
    double *central, *variance, *raw; /* room */
    double *target;                   /* [coefs]: where central moments are shrunk to; NULL: 0 */
    double *learnt; /* [coefs], with targets: the central moments that factors and targets are estimated from */
    struct valid_pairs valid; /* whose moments these are from valid tables */
    struct factors factors;   /* of pairs */
    struct implied implied;   /* of more attributes */
    bool has_common;          /* whether their targets are not all 0 */
    struct interaction *list; /* room: those of one number of attributes */
};

/* coefs: the largest number of coefficients of any tables. */
enum ldp_status ldp_shrinking_init(struct shrinking *shrinking, struct ldp_pool *pool, bool shrinks, size_t coefs);

enum ldp_motion { LDP_TAKE_OUT, LDP_PUT_BACK, LDP_ADD_SQUARES };

/* Takes the means out of the coefficients x of the table of a set, which become central moments, or puts them back; or
 * adds the variances that taking them out adds. coefs: of single attributes, uniform if tables do not have them. */
void ldp_shrinking_move(const struct tables *tables, const struct ldp_set *set, const double *coefs,
                        enum ldp_motion motion, double *x);

/* Central moments and their variances, of coefficients of tables that agree: in shrinking->central and ->variance. */
void ldp_shrinking_centre(struct shrinking *shrinking, const struct tables *tables, const double *coefs);

/* Fills the list with the interactions of so many attributes, after ldp_shrinking_centre. Returns their number. */
size_t ldp_shrinking_list(struct shrinking *shrinking, const struct tables *tables, size_t order);

/* Whether an interaction is moved to its target. Questions that are parts of tables leave some unknown: their factor is
 * 0. */
bool ldp_shrinking_moves(const struct tables *tables, size_t block);

/* In place of 0, pairs are shrunk to what all of them have in common (factors.h), and interactions of more attributes
 * to those of maximum entropy, given those of fewer (known.h). */
enum ldp_status ldp_shrinking_aim(struct shrinking *shrinking, struct ldp_pool *pool, const struct tables *tables);

/* The targets of pairs, after ldp_shrinking_centre; has: whether they have any, else 0. */
void ldp_shrinking_find_pairs(struct shrinking *shrinking, const struct tables *tables, bool has);

/* The targets of interactions of so many attributes and more, from those of fewer, shrunk by their factors; orders
 * ascend from 3 (known.h). coefs: those that ldp_shrinking_centre got. */
void ldp_shrinking_find_targets(struct shrinking *shrinking, const struct tables *tables, const double *coefs,
                                size_t order);

/* In place: shrinks or drops interactions of two and more attributes, of coefficients of tables that agree, by the
 * factors that were estimated (energies.h). */
void ldp_shrinking_run(struct shrinking *shrinking, const struct tables *tables, double *coefs);

/* The smallest cardinality among a block's attributes minus one: a bound of the energy of a dependence (Cramer's V). */
double ldp_shrinking_bound(const uint32_t *cardinality, uint64_t mask);

#endif
