/* acceptance.h - intervals of exact level that are short where a prior is right. Internal to the core.
 *
 * For a true theta, in units of the noise's standard deviation, accept the estimates l .. u for which phi(y - theta) /
 * marginal(y) is largest, with probability 1 - alpha in all; the interval of an estimate y is every theta that accepts
 * it. It covers theta with probability 1 - alpha for every theta, whatever the prior. */
#ifndef LDPBENCH_ACCEPTANCE_H
#define LDPBENCH_ACCEPTANCE_H

#include "laws/count_law.h"

enum { LDP_CURVE_POINTS = 1301, LDP_ACCEPTANCE_POINTS = 460 };

/* The prior G as estimates see it: K(y) = log int exp(t y - t^2 / 2) dG(t) and its slope, the posterior mean, at y =
 * FIRST + i STEP. */
#define LDP_CURVE_FIRST (-9.0)
#define LDP_CURVE_STEP 0.02
struct ldp_prior_curve {
    double K[LDP_CURVE_POINTS], slope[LDP_CURVE_POINTS];
};

/* The estimates low .. high that are accepted for each true value theta, both increasing. below and above: the ends as
 * normal quantiles, in standard deviations at theta (not set where the law is that of a count). */
struct ldp_acceptance {
    double theta[LDP_ACCEPTANCE_POINTS], low[LDP_ACCEPTANCE_POINTS], high[LDP_ACCEPTANCE_POINTS];
    double below[LDP_ACCEPTANCE_POINTS], above[LDP_ACCEPTANCE_POINTS];
};

/* The split form: the prior decides up to theta = score_from - 4, the tails are equal from score_from on, as in the
 * score interval, and there is a transition between. score_from INFINITY: the prior decides everywhere. tf_ratio and
 * square_ratio: the variance at theta is 1 + tf_ratio theta + square_ratio theta^2. counts: the collection whose
 * support counts have the law of a count, of which unit is the noise's standard deviation, as a frequency; NULL: the
 * law is normal. */
struct ldp_acceptance_rule {
    double alpha, score_from, tf_ratio, square_ratio;
    const struct ldp_collection *counts;
    double unit;
};

void ldp_acceptance_init(struct ldp_acceptance *acceptance, const struct ldp_prior_curve *curve,
                         const struct ldp_acceptance_rule *rule);

/* The theta that accept y, up to the largest of the table, where low or high is INFINITY. */
void ldp_acceptance_invert(const struct ldp_acceptance *acceptance, double y, double *low, double *high);

/* l and u of one theta under the prior alone, and the probability below l. */
double ldp_acceptance_at(const struct ldp_prior_curve *curve, double alpha, double theta, double *l, double *u);

/* The intervals of all estimates by the split form, with the score interval beyond the table, or the exact one where
 * counts are few. */
struct ldp_split_room {
    struct ldp_acceptance acceptance;
    struct ldp_count_intervals counts;
};

void ldp_split_intervals(const struct ldp_collection *collection, double level, const struct ldp_prior_curve *curve,
                         struct ldp_split_room *room, double *low, double *high);

#endif
