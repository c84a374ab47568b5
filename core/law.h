/* law.h - values of a collection whose estimates have about the same variance. Internal to the core. */
#ifndef LDPBENCH_LAW_H
#define LDPBENCH_LAW_H

#include "ldpbench.h"

/* Walks over classes of values whose s1 differ by at most 10 %:
 *
 *     struct ldp_classes classes = {.protocol = protocol};
 *     while (ldp_classes_next(&classes))
 *         use(classes.s1, values v with ldp_classes_has(&classes, v));
 *
 * Values without a report in their block, which say nothing, have the mean s1 of all. */
struct ldp_classes {
    const struct ldp_protocol *protocol;
    double least, most; /* s1 of the class */
    double s1;          /* their mean */
    size_t size;
};

bool ldp_classes_next(struct ldp_classes *classes);

static inline bool ldp_classes_has(const struct ldp_classes *classes, size_t v)
{
    const double s1 = ldp_law_s1(classes->protocol, v);
    return s1 >= classes->least && s1 <= classes->most;
}

/* Copies the members of a class out of x[d], and back. Returns their number. */
size_t ldp_classes_gather(const struct ldp_classes *classes, const double *x, double *of_class);
void ldp_classes_scatter(const struct ldp_classes *classes, const double *of_class, double *x);

/* Posterior means of est[d] under the power law of exponent a (priors/power_law.h), each by the noise of its own class.
 */
size_t ldp_power_means_scratch(size_t d);
void ldp_power_means(const struct ldp_protocol *protocol, double n, double a, const double *est, void *scratch,
                     double *mean);

/* s1 of each value, those that say nothing as above. */
double ldp_value_s1(const struct ldp_protocol *protocol, size_t v);

/* Walks over values in their order: the estimate that one whom nobody holds exceeds with probability `share` at most,
 * by the exact law of its count, or of a sketch's cells where they are kept; by a normal law elsewhere.
 *
 *     struct ldp_absent_thresholds thresholds = {.collection = collection, .share = share};
 *     for (v = 0; v < d; v++)
 *         use(ldp_threshold(&thresholds, v)); */
struct ldp_absent_thresholds {
    const struct ldp_collection *collection;
    double share;
    bool known;
    double trials, threshold; /* the last one, and of how many reports */
};
double ldp_threshold(struct ldp_absent_thresholds *thresholds, size_t v);

#endif
