/* fit.h - the prior of a family that suits estimates. Internal to the core. */
#ifndef LDPBENCH_FIT_H
#define LDPBENCH_FIT_H

#include "priors/prior.h"

#include <stdbool.h>

/* Estimates x_v in users with noise N(0, s^2), s > 0, and the nodes that replace them in sums: sum_j weight_j g(x_j) is
 * sum_v g(x_v) for log evidences g. */
struct ldp_sample {
    double n, s;           /* users */
    double mean, variance; /* of the estimates; the variance is the population's */
    double median, largest;
    double above; /* share of the estimates above 3 s */
    size_t d, m;
    double *x, *weight; /* [m], ascending */
};

/* Makes a sample from x[d], ascending. The sample keeps using x[d] and weight[d]. `lattice`: the family has whole
 * counts only, which noise below 1 does not smooth. */
void ldp_sample_init(struct ldp_sample *sample, double n, double s, bool lattice, double *x, double *weight, size_t d);

/* The member of a family with this mean and variance; for families of one parameter, with this mean. If there is none,
 * the point that the family shrinks to. Not for power_law (zeta.h). */
struct ldp_prior ldp_fit_moments(enum ldp_prior_family family, double mean, double variance);

/* The member of a family that makes the sample most likely, or the point that the family shrinks to if that is as
 * likely. evidence[m] is for power_law and log_normal, scratch of ldp_power_law_scratch() bytes for both. */
struct ldp_prior ldp_fit_likelihood(enum ldp_prior_family family, const struct ldp_sample *sample, double *evidence,
                                    void *scratch);

#endif
