/* rare.h - pairs of attributes some of whose values are rare, from tables that have no negative cell. Internal to the
 * core. */
#ifndef LDPBENCH_RARE_H
#define LDPBENCH_RARE_H

#include "marginals/nearest.h"
#include "marginals/tables.h"

enum { LDP_MANY_CELLS = 100 /* of a pair that is shrunk by its own risk (waves.c) */ };

struct rare_pairs {
    size_t ncandidates, *candidate; /* blocks of pairs of few cells that tables have, with both attributes */
    size_t npairs;                  /* those that are rare */
    struct ldp_set *pair;
    size_t *block, *first; /* the tables' block of it; where its cells begin */
    struct nearest nearest;
    double *seen;         /* [first[npairs]]: their valid tables, as central moments */
    double *noise;        /* [pairs]: N_b (shrink.c) that is left in these */
    double *drawn, *mean; /* room */
};

/* Room. Must be cleared in every case. */
enum ldp_status ldp_rare_init(struct rare_pairs *rare, const struct tables *tables);
void ldp_rare_clear(struct rare_pairs *rare);

/* Finds which pairs are rare, and the noise that is left in valid tables of them. coefs: that agree. varies: of each
 * attribute, its variance over that of even values. */
void ldp_rare_learn(struct rare_pairs *rare, const struct tables *tables, const double *coefs, const double *varies);

/* The valid tables of pairs that are known to be rare, from other coefficients. */
void ldp_rare_find(struct rare_pairs *rare, const struct tables *tables, const double *coefs);

/* Writes the central moments of rare pairs over those of their blocks; lowers variances to the noise that is left. */
void ldp_rare_fill(const struct rare_pairs *rare, const struct tables *tables, double *central);
void ldp_rare_lower(const struct rare_pairs *rare, const struct tables *tables, double *variance);

/* Moves the central moments of rare pairs to those of valid tables, for an answer. factor[blocks], keeps[blocks]: of
 * interactions, as in shrink.h; room[blocks]. */
void ldp_rare_answer(const struct rare_pairs *rare, const struct tables *tables, const double *factor,
                     const bool *keeps, double *room, double *central);

#endif
