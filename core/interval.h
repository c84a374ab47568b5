/* interval.h - intervals for the frequencies that an estimate approximates.
 *
 * An interval is about the frequencies f_v = n_v / n of the users at hand: over new noise and new public randomness it
 * contains f_v with the probability that its row states. All are computed from the unprocessed estimate x, whose exact
 * variance is (s1 + tf f) / n (NDSS 2020, eq. 5), and are cut to [0, 1], the range of f, so that no coverage is
 * lost. */
#ifndef LDPBENCH_INTERVAL_H
#define LDPBENCH_INTERVAL_H

#include "ldpbench.h"

/* A kind of interval, ldp_interval_<id> in core/intervals/<id>.c; a line in intervals.def registers it. */
struct ldp_interval {
    const char *name;
    const char *title; /* and what its level means */
    const char *source;
    const struct ldp_param *params;    /* NULL: none */
    size_t (*scratch_bytes)(size_t d); /* NULL: none */

    /* True if the interval is valid for a protocol that meets the general condition of ldp_interval_suits; NULL: it
     * always is. */
    bool (*suits)(const struct ldp_protocol *protocol);

    /* Turns est[d], unprocessed, into low[d] <= high[d] in [0, 1]; NAN for values without an interval. 0 < level <
     * 1. */
    void (*apply)(const double *param, const struct ldp_protocol *protocol, uint64_t n, double level, const double *est,
                  void *scratch, double *low, double *high);
};

extern const struct ldp_interval *const ldp_intervals[]; /* NULL-terminated */
const struct ldp_interval *ldp_interval_find(const char *name);

/* LDP_OK if (s1 + tf f) / n is the variance of each single estimate, which intervals assume, and the interval suits;
 * LDP_EINVAL with the reason if values share a hash function, a block or a row. */
enum ldp_status ldp_interval_suits(const struct ldp_interval *interval, const struct ldp_protocol *protocol,
                                   struct ldp_reason *reason);

/* The score interval of one estimate: {f in [0, 1]: (x - f)^2 <= z^2 (s1 + tf f) / n}. Internal to the core. */
void ldp_score_interval(const struct ldp_protocol *protocol, uint64_t n, double z, double x, double *low, double *high);

/* The z of a two-sided level, from its complement: P(|Z| > z) = alpha. Internal to the core. */
double ldp_interval_z(double alpha);

/* The (k+1)-th largest of est[d], k < d; work[2 d]. Internal to the core. */
double ldp_interval_threshold(const double *est, size_t d, size_t k, double *work);

#endif
