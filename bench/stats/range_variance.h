/* range_variance.h - exact variances of ranges of ordered values. */
#ifndef LDPBENCH_RANGE_VARIANCE_H
#define LDPBENCH_RANGE_VARIANCE_H

#include "ldpbench.h"

/* The number of users times the mean variance of the totals of all ranges of so many percent of the values, of
 * unprocessed estimates, each value held by as many users. NAN where it is not known exactly or takes more than seconds
 * (interval.h, LDP_RANGES_MAX). */
double range_variance(const struct ldp_protocol *protocol, double percent);

#endif
