/* thresholds.h - the least estimate that noise alone seldom gives. Internal to the core. */
#ifndef LDPBENCH_THRESHOLDS_H
#define LDPBENCH_THRESHOLDS_H

#include "ldp.h"

/* The estimate that a value with zero frequency exceeds with probability `share` at most: by the exact law of its
 * count, or of a sketch's cells where they are kept; by a normal law elsewhere.
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
static inline size_t ldp_threshold_slot(double trials)
{
    return 61 * (size_t)(uint32_t)(int64_t)trials % LDP_THRESHOLD_ROOM;
}
double ldp_threshold_find(struct ldp_absent_thresholds *thresholds, size_t v);

static inline double ldp_threshold(struct ldp_absent_thresholds *thresholds, size_t v)
{
    const double *const trials = thresholds->collection->protocol->law.trials;
    const double own = trials ? trials[v] : 0;
    const size_t position = ldp_threshold_slot(own);
    return own == thresholds->trials[position] ? thresholds->threshold[position] : ldp_threshold_find(thresholds, v);
}

#endif
