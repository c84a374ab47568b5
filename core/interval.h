/* interval.h - intervals of the frequencies that an estimate is of.
 *
 * An interval is about the frequencies f_v = n_v / n of the users at hand: over new noise and new public randomness it
 * holds f_v with the probability that its row states. All start from the unprocessed estimate x, whose exact variance
 * is (s1 + tf f) / n (NDSS 2020, eq. 5), and are cut to [0, 1], where f is, so that no coverage is lost. */
#ifndef LDPBENCH_INTERVAL_H
#define LDPBENCH_INTERVAL_H

#include "ldpbench.h"

/* A kind of interval, ldp_interval_<id> in core/intervals/<id>.c; its line in intervals.def makes it known. */
struct ldp_interval {
    const char *name;
    const char *title; /* and what its level means */
    const char *source;
    const struct ldp_param *params;    /* NULL: none */
    size_t (*scratch_bytes)(size_t d); /* NULL: none */

    /* Whether it means anything for a protocol of which ldp_interval_suits' own condition holds; NULL: for any. */
    bool (*suits)(const struct ldp_protocol *protocol);

    /* est[d], unprocessed, to low[d] <= high[d] in [0, 1]; NAN for values of which nothing is said. 0 < level < 1. */
    void (*apply)(const double *param, const struct ldp_protocol *protocol, uint64_t n, double level, const double *est,
                  void *scratch, double *low, double *high);
};

extern const struct ldp_interval *const ldp_intervals[]; /* NULL-terminated */
const struct ldp_interval *ldp_interval_find(const char *name);

/* LDP_OK where (s1 + tf f) / n is the variance of each single estimate, on which intervals rest, and the interval
 * suits; LDP_EINVAL with the reason where a hash function, a block or a row is shared by values. */
enum ldp_status ldp_interval_suits(const struct ldp_interval *interval, const struct ldp_protocol *protocol,
                                   struct ldp_reason *reason);

/* The score interval of one estimate: {f in [0, 1]: (x - f)^2 <= z^2 (s1 + tf f) / n}. Internal to the core. */
void ldp_score_interval(const struct ldp_protocol *protocol, uint64_t n, double z, double x, double *low, double *high);

/* The z of a two-sided level, its complement given: P(|Z| > z) = alpha. Internal to the core. */
double ldp_interval_z(double alpha);

/* The (k+1)-th largest of est[d], k < d; work[2 d]. Internal to the core. */
double ldp_interval_threshold(const double *est, size_t d, size_t k, double *work);

#endif
