/* absent.h - the largest of many independent binomials of one law, exactly, without the others: support counts of
 * candidates with zero frequency. Internal to the core.
 *
 * With a sketch they are counts, whose law its cells decide (sketches/absent_counts.h). */
#ifndef LDPBENCH_SEARCHES_ABSENT_H
#define LDPBENCH_SEARCHES_ABSENT_H

#include "sketches/absent_counts.h"

/* Binomial(n, q), `left` times; all of them are at most `bound`, the larger ones have been drawn. */
struct absent {
    double n, q;
    uint64_t left;
    double bound;
    double above; /* P(X > bound) */
    bool counts;  /* of a sketch: */
    struct ldp_absent_counts sketch;
};

/* n >= 1, 0 < q < 1. */
struct absent absent_init(uint64_t n, double q, uint64_t count);
struct absent absent_of_sketch(struct ldp_absent_counts sketch);

/* The next lower bound, with at least `expected` on average above it; -infinity if these would be a large part of
 * all. */
double absent_next(struct absent *absent, double expected);

/* Lowers the bound to one that absent_next() found. Gives the values above it to `add`, in any order: which of the
 * numbers have them is uniformly random. Stops if `add` fails. */
enum ldp_status absent_lower(struct absent *absent, double bound, struct ldp_rng *rng,
                             enum ldp_status (*add)(void *context, double value), void *context);

/* One of those left. */
double absent_draw(const struct absent *absent, struct ldp_rng *rng);

#endif
