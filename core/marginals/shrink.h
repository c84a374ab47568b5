/* shrink.h - interactions of tables: shrinks them towards independence by the share of noise in them, or drops those
 * that are mostly noise. Internal to the core. */
#ifndef LDPBENCH_SHRINK_H
#define LDPBENCH_SHRINK_H

#include "marginals/fit.h"
#include "marginals/known.h"
#include "marginals/tables.h"

/* ---- What all interactions of pairs have in common: the few strong directions of their matrix (factors.c) ---- */

struct factors {
    size_t rows, found;                   /* contrasts of all attributes; directions */
    size_t first[LDP_ATTRIBUTES_MAX + 1]; /* of each attribute's contrasts; those of too many values have none */
    double *seen, *weight, *fit, *mixed;  /* room: [rows * rows] */
    double *axis, *image;                 /* room: [FACTORS_MAX * rows] */
    double freedom;                       /* of all interactions' numbers, the part that the fit was free to choose */
    double price; /* logarithm: how much less likely any interactions of that kind were before */
};

/* Room for the attributes of tables. */
enum ldp_status ldp_factors_init(struct factors *factors, struct ldp_pool *pool, const struct tables *tables);

/* Fills target[] of all pairs that tables have from their central moments and the variances of these; 0 where noise
 * alone would do. */
void ldp_factors_find(struct factors *factors, const struct tables *tables, const double *central,
                      const double *variance, double *target);

/* ---- Pairs as tables say that have no negative cell, where that takes much of their noise away (valid.c) ---- */

enum { LDP_MANY_CELLS = 100 /* of a pair that is shrunk by its own risk (plan.c) */ };

struct valid_pairs {
    size_t npairs; /* that are estimated so: of few cells, where tables have both attributes too */
    struct ldp_set *pair;
    size_t *block, *first; /* the tables' block of it; where its cells begin */
    struct nearest nearest;
    double *seen;         /* [first[npairs]]: their valid tables, as central moments */
    double *noise;        /* [pairs]: N_b (shrink.c) that is left in these */
    double *drawn, *mean; /* room */
};

/* Whether every attribute of a set has rare values alone except for one, so that most of an interaction's noise makes
 * cells negative that nearly nobody is in. varies: of each attribute, its variance over that of even values. */
bool ldp_valid_is_rare(uint64_t mask, const double *varies);

/* Room. */
enum ldp_status ldp_valid_init(struct valid_pairs *valid, struct ldp_pool *pool, const struct tables *tables);

/* Finds which pairs gain, their valid tables, and the noise that is left in these. coefs: that agree. varies: as
 * above. */
void ldp_valid_learn(struct valid_pairs *valid, const struct tables *tables, const double *coefs, const double *varies);

/* The valid tables of the same pairs, from other coefficients. */
void ldp_valid_find(struct valid_pairs *valid, const struct tables *tables, const double *coefs);

/* Writes the central moments of valid tables over those of their blocks; lowers variances to the noise that is left. */
void ldp_valid_fill(const struct valid_pairs *valid, const struct tables *tables, double *central);
void ldp_valid_lower(const struct valid_pairs *valid, const struct tables *tables, double *variance);

/* Moves central moments to those of valid tables, for an answer. factor[blocks], keeps[blocks]: of
 * interactions, as in shrink.h; room[blocks]. */
void ldp_valid_answer(const struct valid_pairs *valid, const struct tables *tables, const double *factor,
                      const bool *keeps, double *room, double *central);

/* ---- The shrinking ---- */

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

/* In place of 0, pairs are shrunk to what all of them have in common (factors.c), and interactions of more attributes
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
