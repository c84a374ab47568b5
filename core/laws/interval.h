/* interval.h - intervals for the frequencies that an estimate approximates.
 *
 * An interval is about the frequencies f_v = n_v / n of the users at hand: over new noise and new public randomness it
 * contains f_v with the probability that its row states. All are computed from the unprocessed estimate x, whose exact
 * variance is (s1 + tf f) / n (NDSS 2020, eq. 5), or with shared hash functions (s1 + tf f + square f^2) / n, and are
 * cut to [0, 1], the range of f, so that no coverage is lost. */
#ifndef LDPBENCH_INTERVAL_H
#define LDPBENCH_INTERVAL_H

#include "ldp.h"

/* n Var(est_v) = s1 + tf f_v + square f_v^2, in an observed collection. */
static inline struct ldp_variance_terms ldp_variance_terms_of(const struct ldp_protocol *protocol, size_t v)
{
    const struct ldp_law *const law = &protocol->law;
    return (struct ldp_variance_terms){ldp_law_s1(protocol, v), law->trials ? law->tf : protocol->tf, law->square};
}

/* The same, of a mean value. */
static inline struct ldp_variance_terms ldp_variance_terms_mean(const struct ldp_protocol *protocol)
{
    return (struct ldp_variance_terms){protocol->s1, protocol->tf, protocol->law.square};
}

/* A type of interval, ldp_interval_<id> in core/intervals/<id>.c; a line in intervals.def registers it. */
struct ldp_interval {
    const char *name;
    const char *title; /* and what its level means */
    const char *source;
    const struct ldp_param *params;    /* NULL: none */
    size_t (*scratch_bytes)(size_t d); /* NULL: none */

    /* True if the interval is valid for a protocol that meets the general condition of ldp_interval_suits; NULL: it
     * always is. */
    bool (*suits)(const struct ldp_protocol *protocol);
    const char *unsuited; /* why it does not suit other protocols; NULL if suits is NULL */
    bool takes_cells;     /* it needs the collection's support, and the cells of a sketch (law.decoded) */

    /* low[d] <= high[d] in [0, 1], 0 < level < 1; NAN for values without an interval. est is the unprocessed estimate.
     */
    void (*apply)(const double *param, const struct ldp_collection *collection, double level, void *scratch,
                  double *low, double *high);
};

extern const struct ldp_interval *const ldp_intervals[]; /* NULL-terminated */
const struct ldp_interval *ldp_interval_find(const char *name);

/* LDP_OK if the estimates are unbiased, their law (struct ldp_law) is known, and the interval suits, at this level;
 * LDP_EINVAL with the reason otherwise. */
enum ldp_status ldp_interval_suits(const struct ldp_interval *interval, const struct ldp_protocol *protocol,
                                   double level, struct ldp_reason *reason);

/* The part of that which is known before there is a collection; LDP_ENOMEM. */
enum ldp_status ldp_interval_will_suit(const struct ldp_interval *interval, const struct ldp_protocol *protocol,
                                       struct ldp_reason *reason);

/* Whether the variance of sums is known, and score suits, or the oracle has intervals of its own; LDP_EINVAL with the
 * reason if not. Of the collection only the protocol, and whether its support is kept. */
enum ldp_status ldp_set_interval_suits(const struct ldp_collection *collection, double level,
                                       struct ldp_reason *reason);

/* The most ranges of a width whose exact mean variance is found, where each takes O(d): some seconds. */
enum { LDP_RANGES_MAX = 4096 };

/* True for estimates of a tree, also where half of the users report otherwise: variances differ by value. */
bool ldp_interval_by_sets(const struct ldp_protocol *protocol);

/* True if ldp_set_interval has intervals for the collection: the variance of sums is known, or the oracle has its own.
 */
bool ldp_set_interval_known(const struct ldp_collection *collection);

/* True if the variance of sums has a known form, for a protocol that score intervals suit. */
bool ldp_set_variance_known(const struct ldp_protocol *protocol);

/* Where it is known: the variance of the total of member[size], as set_variance of an oracle, which takes f and work.
 * n: users, 0: many; of a collection to come, unless the protocol is observed, f[d] are the true frequencies. */
struct ldp_variance_terms ldp_set_variance_terms(const struct ldp_protocol *protocol, uint64_t n,
                                                 const uint32_t *member, size_t size, const double *f, int64_t *work);

/* n times the mean variance of the totals of all ranges of so many values, n and f[d] as above; NAN if it is not known
 * or there are too many ranges. scratch: ldp_set_interval_bytes(d) + 4 d. */
double ldp_range_variance(const struct ldp_protocol *protocol, uint64_t n, const double *f, size_t width,
                          void *scratch);

/* The score interval of the total frequency of member[size], values that differ, chosen before the data were seen. work
 * has ldp_set_interval_bytes(d), aligned as by malloc: room for most spaces that hold d values (pgr, pi_rappor). */
size_t ldp_set_interval_bytes(size_t d);
void ldp_set_interval(const struct ldp_collection *collection, double level, const uint32_t *member, size_t size,
                      int64_t *work, double *low, double *high);

/* True unless values share the cells of a sketch: few values collide, but their errors are large, so that far tails are
 * not normal. Internal to the core. */
bool ldp_interval_normal_tails(const struct ldp_protocol *protocol);
#define LDP_INTERVAL_NORMAL_TAILS                                                                                      \
    .suits = ldp_interval_normal_tails, .unsuited = "values share cells, so far tails of the estimates are not normal"

/* The score interval of one estimate: {f in [0, 1]: (x - f)^2 <= z^2 (s1 + tf f + square f^2) / n}. Internal to the
 * core. */
void ldp_score_interval(const struct ldp_variance_terms *spread, double n, double z, double x, double *low,
                        double *high);

/* The standard deviation of an estimate whose true frequency of v is f, cut to [0, 1]. Internal to the core. */
double ldp_interval_sd(const struct ldp_collection *collection, size_t v, double f);

/* The z of a two-sided level, from its complement: P(|Z| > z) = alpha. Internal to the core. */
double ldp_interval_z(double alpha);

/* The (k+1)-th largest of est[d], k < d; work[2 d]. Internal to the core. */
double ldp_interval_threshold(const double *est, size_t d, size_t k, double *work);

#endif
