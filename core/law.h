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

/* s1 of a value, those that say nothing as above; `law` and `s1` are the protocol's. The first is for loops over values
 * of a copy of the law with trials, which a compiler makes vectors of. */
static inline double ldp_value_s1_in(const struct ldp_law *law, double s1, size_t v)
{
    const double trials = law->trials[v], least = trials < law->least ? law->least : trials,
                 own = law->s1 + law->per_trial * (least > law->most ? law->most : least);
    return own > 0 ? own : s1;
}

static inline double ldp_value_s1(const struct ldp_protocol *protocol, size_t v)
{
    return protocol->law.trials ? ldp_value_s1_in(&protocol->law, protocol->s1, v) : protocol->s1;
}

/* The estimate that a value whom nobody holds exceeds with probability `share` at most: by the exact law of its count,
 * or of a sketch's cells where they are kept; by a normal law elsewhere.
 *
 *     struct ldp_absent_thresholds thresholds = ldp_absent_thresholds_of(collection, share);
 *     for (v = 0; v < d; v++)
 *         use(ldp_threshold(&thresholds, v));
 *
 * Values of one block share theirs. Of many blocks it is looked for at a few numbers of reports only: how many standard
 * deviations it is above the mean is a smooth function of them, and where that leaves a doubt which count it is, the
 * law is asked. */
enum { LDP_THRESHOLD_ROOM = 256, LDP_THRESHOLD_NODES = 4 };
struct ldp_absent_thresholds {
    const struct ldp_collection *collection;
    double share;
    bool asked, tabulated;                                            /* whether nodes serve, if that was asked */
    double middle, half;                                              /* of the range of 1 / sqrt(reports of a block) */
    double at[LDP_THRESHOLD_NODES];                                   /* standard deviations above the mean */
    double trials[LDP_THRESHOLD_ROOM], threshold[LDP_THRESHOLD_ROOM]; /* by the reports of a block; NAN: none */
};
struct ldp_absent_thresholds ldp_absent_thresholds_of(const struct ldp_collection *collection, double share);

/* For ldp_threshold: where it is looked up first; what does the rest. */
static inline size_t ldp_threshold_place(double trials)
{
    return 61 * (size_t)(uint32_t)(int64_t)trials % LDP_THRESHOLD_ROOM;
}
double ldp_threshold_find(struct ldp_absent_thresholds *thresholds, size_t v);

static inline double ldp_threshold(struct ldp_absent_thresholds *thresholds, size_t v)
{
    const double *const trials = thresholds->collection->protocol->law.trials;
    const double own = trials ? trials[v] : 0;
    const size_t place = ldp_threshold_place(own);
    return own == thresholds->trials[place] ? thresholds->threshold[place] : ldp_threshold_find(thresholds, v);
}

#endif
