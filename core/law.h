/* law.h - values of a collection whose estimates have about the same variance. Internal to the core. */
#ifndef LDPBENCH_LAW_H
#define LDPBENCH_LAW_H

#include "ldpbench.h"

/* The values of a protocol with trials, in classes whose s1 differ by at most 10 %, in ascending order. Values without
 * a report in their block, which say nothing, have the mean s1 of all. */
struct ldp_classes {
    size_t nclasses;
    double *s1;       /* [nclasses]: the mean of a class */
    uint32_t *first;  /* [nclasses + 1] */
    uint32_t *member; /* [d]: the values of class i from first[i] on, in their order */
};

/* In scratch of ldp_classes_bytes(d). */
struct ldp_classes ldp_classes_of(const struct ldp_protocol *protocol, void *scratch);
size_t ldp_classes_bytes(size_t d);

/* Posterior means of est[d] under the power law of exponent a (priors/power_law.h), each by the noise of its own class.
 */
size_t ldp_power_means_scratch(size_t d);
void ldp_power_means(const struct ldp_protocol *protocol, double n, double a, const double *est, void *scratch,
                     double *mean);

/* s1 of each value, those that say nothing as above. */
double ldp_value_s1(const struct ldp_protocol *protocol, size_t v);

/* The estimate that a value whom nobody holds exceeds with probability `share` at most: by the exact law of its count,
 * or of a sketch's cells where they are kept; by a normal law elsewhere.
 *
 *     struct ldp_absent_thresholds thresholds = {.collection = collection, .share = share};
 *     for (v = 0; v < d; v++)
 *         use(ldp_threshold(&thresholds, v));
 *
 * Values of one block share theirs. */
enum { LDP_THRESHOLD_ROOM = 256 };
struct ldp_absent_thresholds {
    const struct ldp_collection *collection;
    double share;
    bool normal; /* a normal law for all */
    bool known[LDP_THRESHOLD_ROOM];
    double trials[LDP_THRESHOLD_ROOM], threshold[LDP_THRESHOLD_ROOM]; /* by the reports of a block */
};
double ldp_threshold(struct ldp_absent_thresholds *thresholds, size_t v);

#endif
