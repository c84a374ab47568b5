/* posterior.h - populations that are compatible with one collection, by empirical Bayes. */
#ifndef LDPBENCH_POSTERIOR_H
#define LDPBENCH_POSTERIOR_H

#include "ldp.h"
#include "support/failure.h"

struct tables; /* posterior_private.h */

/* Fitted to one estimate; read-only while draws are made. Start from all zero. */
struct posterior {
    size_t d, ngroups, nclasses;
    const struct ldp_sets *sets; /* NULL: none */
    double *value;               /* [d], estimates with the sum 1 */
    uint32_t *bin;               /* [d] */
    uint32_t *group;             /* [d], the value's set; the last group: values without one */
    double *chance;              /* [ngroups][nclasses], of a group's class */
    bool is_fewest_atoms;        /* the law of the fewest points that suit the estimates, in place of a smooth one */
    double trust;                /* chance that a group is drawn by its class's law, not by the common one */
    struct tables *tables;       /* laws and likelihoods */
    size_t d_room, groups_room;
};

/* Fits to est[d], made by a protocol with noise from n users. Values of one set may be more similar than others; sets
 * (NULL: none) must outlive the draws. Memory of an earlier fit is reused. */
void posterior_fit(struct posterior *posterior, const struct ldp_protocol *protocol, uint64_t n, const double *est,
                   const struct ldp_sets *sets);

/* frequency[d] of one population, >= 0, their sum about 1. */
void posterior_draw(const struct posterior *posterior, struct ldp_rng *rng, double *frequency);

void posterior_clear(struct posterior *posterior);

#endif
