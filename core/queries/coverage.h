/* coverage.h - what queries about intervals measure: whether intervals hold the truth, and how wide they are. Internal
 * to the core. */
#ifndef LDPBENCH_QUERIES_COVERAGE_H
#define LDPBENCH_QUERIES_COVERAGE_H

#include "interval.h"

enum { LDP_COVERAGE_MEASURES = 3 };
#define LDP_COVERAGE_LEVEL 0.95

/* coverage, width, all. */
extern const struct ldp_measure ldp_coverage_measures[];

/* Intervals of this level around estimates est[d]. */
struct ldp_interval_input ldp_coverage_input(const struct ldp_protocol *protocol,
                                             const struct ldp_population *population, const double *est);

/* Intervals so far; all zero: none. */
struct ldp_coverage {
    double count, held, width;
};

void ldp_coverage_add(struct ldp_coverage *coverage, double low, double high, double truth);

/* The measures; NAN if there is no interval. */
void ldp_coverage_measure(const struct ldp_coverage *coverage, const struct ldp_protocol *protocol, uint64_t n,
                          double out[LDP_COVERAGE_MEASURES]);

#endif
