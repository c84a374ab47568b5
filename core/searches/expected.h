/* expected.h - what a search by prefixes is expected to find under laws of frequencies, and how likely laws are given
 * its answers. Internal to the core. */
#ifndef LDPBENCH_EXPECTED_H
#define LDPBENCH_EXPECTED_H

#include "searches/law.h"
#include "searches/prefixes.h"

/* A level: the variance of an estimate of frequency f is (s1 + tf f + f (1 - f)) / users. */
struct search_level {
    unsigned length;
    double s1, tf, users, candidates;
};

/* False if the oracle cannot ask so many. */
bool search_level_open(const struct ldp_search_input *input, double candidates, double users, unsigned length,
                       struct search_level *level);

/* P(Z > z) of the standard normal, 1.2e-7 relative, in a tenth of the time of ldp_normal_cdf. */
double search_tail(double z);

/* P(est > threshold) for a candidate of frequency f, its standard deviation, and the candidates that nobody holds. */
double search_above(const struct search_level *level, double f, double threshold);
double search_spread(const struct search_level *level, double f);
double search_empty(const struct law *law, const struct search_level *level);

/* plan->weight: of all users, a part. Levels from `from` on are expected, with the groups' `after` as it is; the
 * threshold of the last level is the best. The mean over the laws. */
bool prefix_expected(const struct prefix_plan *plan, unsigned from, const struct ldp_search_input *input,
                     const struct laws *laws, struct ldp_search_forecast *out);

/* After the answers of a level: est[count] are the largest estimates, descending. Adds the log-likelihood of each law
 * to its weight. And those weights as a posterior, those of little weight 0. */
void laws_learn(struct laws *laws, const struct search_level *level, const double *est, size_t count);
void laws_weigh(struct laws *laws);

/* The level keeps the candidates above a threshold; laws_try_keep: in a plan that is tried. */
void laws_try_keep(struct laws *laws, const struct search_level *level, double threshold);
void laws_keep(struct laws *laws, const struct search_level *level, double threshold);

#endif
