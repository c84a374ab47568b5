/* count_law.h - the law of how many reports support a value: C = Bin(n_v, p) + Bin(n - n_v, q), where n_v of n users
 * have it. Intervals use it where counts are too few for the normal law. Internal to the core. */
#ifndef LDPBENCH_COUNT_LAW_H
#define LDPBENCH_COUNT_LAW_H

#include "laws/interval.h"

struct ldp_count_law {
    double p, q, own, others; /* own + others = n; own may be a fraction */
};

/* P(C >= c) and its logarithm; c a whole number. */
double ldp_count_tail(const struct ldp_count_law *law, double c);
double ldp_count_log_tail(const struct ldp_count_law *law, double c);

/* The largest c from 0 to n with P(C >= c) >= share. */
double ldp_count_largest(const struct ldp_count_law *law, double share);

/* The reports that say something of one value, given the public randomness of the collection: C = Bin(n_v, p) +
 * Bin(trials - n_v, q) of them support it; its support is C + offset. n_v may be above trials: the law then has no
 * meaning for single reports, but its moments and tails serve (hr). */
struct ldp_count_trials {
    double trials, p, q, offset;
};
struct ldp_count_trials ldp_count_trials_of(const struct ldp_protocol *protocol, uint64_t n, size_t v);

/* The same of a value in whose block there are so many reports; law.trials is not NULL. */
struct ldp_count_trials ldp_count_trials_with(const struct ldp_protocol *protocol, uint64_t n, double trials);

/* The least n_v from 0 to n with P(C >= c | C >= given) >= share; n + 1 if there is none. given 0: no condition. */
double ldp_count_least(const struct ldp_count_trials *trials, double n, double c, double given, double share);

/* True if the support counts of the protocol have this law. */
bool ldp_count_law_suits(const struct ldp_protocol *protocol);

/* True if they have it, and the mean count of an absent value is below 1000, so that far tails are not those of a
 * normal law. */
bool ldp_counts_are_few(const struct ldp_protocol *protocol, uint64_t n, size_t v);

/* The count of an estimate of v, from 0 to its trials. */
double ldp_count_of(const struct ldp_collection *collection, const struct ldp_count_trials *trials, double x);

/* The least count of an estimate above x; blocks have lattices of their own. */
double ldp_count_above(const struct ldp_collection *collection, const struct ldp_count_trials *trials, double x);

/* Room for intervals that have been computed: many values have the same count. */
enum { LDP_COUNT_ROOM = 4096 };
struct ldp_count_intervals {
    double above, below; /* the error probabilities of all of them */
    bool half;           /* the observed count counts half in each tail (mid-p) */
    double count[LDP_COUNT_ROOM], trials[LDP_COUNT_ROOM], low[LDP_COUNT_ROOM], high[LDP_COUNT_ROOM];
};

/* Empties the room for intervals that the true value is above, or below, with these probabilities at most. */
void ldp_count_intervals_init(struct ldp_count_intervals *room, double above, double below);

/* All n_v / n for which P(C <= c) >= above and P(C >= c) >= below, c the count of est[v]. */
void ldp_count_interval(const struct ldp_collection *collection, struct ldp_count_intervals *room, size_t v,
                        double *low, double *high);

/* The same of every value, with equal tails; half: mid-p. scratch: a room. The entries of kinds that do nothing else.
 */
size_t ldp_count_scratch(size_t d);
void ldp_count_each(const struct ldp_collection *collection, double level, bool half, void *scratch, double *low,
                    double *high);

/* Intervals of all values whose error probability is alpha, in equal tails, which may be far: exact where counts are
 * few, else those of score. */
void ldp_far_intervals(const struct ldp_collection *collection, double alpha, struct ldp_count_intervals *room,
                       double *low, double *high);

#endif
