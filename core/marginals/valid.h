/* valid.h - pairs of attributes as tables say that have no negative cell, where that takes much of their noise away.
 * Internal to the core. */
#ifndef LDPBENCH_VALID_H
#define LDPBENCH_VALID_H

#include "marginals/nearest.h"
#include "marginals/tables.h"

#include <stdbool.h>

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

#endif
