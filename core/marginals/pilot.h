/* pilot.h - a first part of the users reports pairs of attributes: how much attributes depend on each other. Internal
 * to the core. */
#ifndef LDPBENCH_PILOT_H
#define LDPBENCH_PILOT_H

#include "marginals/shrink.h"

/* Dependence among attributes, as measured by the pilot. */
struct dependence {
    /* [attribute]: squared deviation from uniform times the number of cells. */
    double deviation[LDP_ATTRIBUTES_MAX];
    double single; /* the same per coefficient, mean over the attributes: 0 to 1 */
    double pair;   /* squared deviation of two from the product of theirs, times their cells, over the smaller
                      cardinality minus one: 0 to 1 */
    double pair_error, numbers; /* the standard error of noise alone; of how many squares it is that of the sum */
    double unseen;              /* the relative variance from pairs that the pilot did not ask for */
};

struct pilot {
    size_t m;            /* pairs; 0: there is no pilot */
    struct ldp_set *set; /* [m] */
    struct tables tables;
    struct shrinking shrinking;
    double *coefs;
};

/* Pairs for a pilot of this share of the users: at most `most`, with at most `cells` cells, every attribute equally
 * often; none if there is room for fewer than one of every attribute. To be cleared in any case. */
enum ldp_status ldp_pilot_pairs(struct pilot *pilot, const struct ldp_records *records, double share, size_t most,
                                size_t cells);

/* The pairs' tables from this many users in all. */
enum ldp_status ldp_pilot_init(struct pilot *pilot, const struct ldp_workload *workload, uint64_t users,
                               const struct ldp_method_spec *method, struct ldp_reason *reason);
void ldp_pilot_clear(struct pilot *pilot);

/* True if it could find a dependence that is worth tables of pairs. share: its users among all. */
bool ldp_pilot_is_useful(const struct pilot *pilot, double share);

/* The probability of finding so large a dependence of two if it is only `pair`. */
double ldp_pilot_chance(const struct dependence *dependence, double pair);

/* From the tables x. */
struct dependence ldp_pilot_look(struct pilot *pilot, const double *x);

#endif
