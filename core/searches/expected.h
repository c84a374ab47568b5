/* expected.h - what a search by prefixes is expected to find under laws of frequencies, and how likely laws are given
 * its answers. Internal to the core. */
#ifndef LDPBENCH_EXPECTED_H
#define LDPBENCH_EXPECTED_H

#include "searches/law.h"
#include "searches/prefixes.h"

/* A level: the variance of an estimate of frequency f is (s1 + tf f + f (1 - f)) / users. If the support of a value is
 * binomial, with the probability q + f (p - q), as where users choose what they support on their own; else p is 0. */
struct search_level {
    unsigned length;
    double s1, tf, users, candidates, p, q;
};

/* An interval of 95 % for the frequency of a candidate, given that it has this estimate and is chosen because it is at
 * least `least`. */
void search_interval(const struct search_level *level, double est, double least, double *low, double *high);

/* A level of so many candidates, asked by this protocol. */
struct search_level search_level_of(const struct ldp_protocol *protocol, double candidates, double users,
                                    unsigned length);

/* The same by the oracle of a search. False if it cannot ask so many. */
bool search_level_open(const struct ldp_search_input *input, double candidates, double users, unsigned length,
                       struct search_level *level);

/* P(Z > z) of the standard normal, 1.2e-7 relative, in a tenth of the time of ldp_normal_cdf. */
double search_tail(double z);

/* P(est > threshold) for a candidate of frequency f, its standard deviation, and the candidates with zero frequency. */
double search_above(const struct search_level *level, double f, double threshold);
double search_spread(const struct search_level *level, double f);

/* P(est >= threshold), for a candidate with zero frequency, and the density of an estimate, up to a factor that is the
 * same for all f; of the binomial law if that is known, whose tail is heavier than the normal one where users are few.
 */
double search_noise_above(const struct search_level *level, double threshold);
double search_density(const struct search_level *level, double est, double f);
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
