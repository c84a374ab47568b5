/* coverage.h - what queries about intervals measure: whether intervals cover the true value, and how wide they are.
 * Internal to the core. */
#ifndef LDPBENCH_QUERIES_COVERAGE_H
#define LDPBENCH_QUERIES_COVERAGE_H

#include "laws/interval.h"

enum { LDP_COVERAGE_MEASURES = 3 };
#define LDP_COVERAGE_LEVEL 0.95

/* coverage, width, all. */
extern const struct ldp_measure ldp_coverage_measures[];

/* A collection with the estimates that intervals of this level are put around. */
static inline struct ldp_collection ldp_coverage_of(const struct ldp_collection *collection, const double *est)
{
    return (struct ldp_collection){collection->protocol, collection->n, collection->support, est};
}
/* Intervals so far; all zero: none. */
struct ldp_coverage {
    double count, covered, width;
};

void ldp_coverage_add(struct ldp_coverage *coverage, double low, double high, double truth);

/* The measures; NAN if there is no interval. */
void ldp_coverage_measure(const struct ldp_coverage *coverage, const struct ldp_protocol *protocol, uint64_t n,
                          double out[LDP_COVERAGE_MEASURES]);

#endif
