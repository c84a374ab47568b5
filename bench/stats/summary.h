/* summary.h - mean and standard deviation over repetitions: the one of this program. */
#ifndef LDPBENCH_SUMMARY_H
#define LDPBENCH_SUMMARY_H

#include <stddef.h>

/* Mean, spread (n - 1 in the denominator) and standard error, summed in order. Undefined values (NAN) are left out; n
 * counts the others. The mean of none and the spread of fewer than two are NAN. Equal values have exactly their value
 * as mean, and spread 0. */
struct summary {
    size_t n;
    double mean, sd, variance, stderr_;
};

struct summary summarise(const double *value, size_t n);

/* The same of x a[i] + y b[i]; b NULL: of x a[i]. */
struct summary summarise_sum(const double *a, double x, const double *b, double y, size_t n);

#endif
