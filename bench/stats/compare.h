/* compare.h - did a measured number change? Tests on repetitions, one row at a time. */
#ifndef LDPBENCH_COMPARE_H
#define LDPBENCH_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

/* The sample behind one measured number. */
struct sample {
    size_t n; /* repetitions in which it was defined */
    double mean, sd;
    const double *value; /* [length] in order of repetition, NAN where undefined; NULL: only mean and sd are known */
    size_t length;
    bool exact; /* the mean is known exactly: n, sd and value say nothing */
};

/* The sample of values, which it refers to. */
struct sample sample_of(const double *value, size_t length);

/* The standard error of its mean. */
double sample_error(const struct sample *sample);

struct comparison {
    double change;         /* relative: (result - baseline) / |baseline|; 0 where both are 0 */
    double standard_error; /* of the change */
    double t, df;          /* the statistic (0 where there is none) and its degrees of freedom */
    double p;              /* two-sided; 1 where the samples are the same */
    double adjusted;       /* p after Holm's correction */
    double detectable;     /* smallest relative change that would be found, see compare_all; NAN: none can be */
};

/* The t test of one row: on paired differences where paired is set (both samples have values; repetitions in which both
 * are defined count), else Welch's. Differences of the numbers, not of their logarithms: their mean is what tables
 * show, and the difference of two samples of one skewed law is symmetric, so the t statistic keeps its level.
 *
 * If the values do not vary, t is undefined: for pairs any difference counts as certain, p = 0. Otherwise a change
 * has the p of the exact test by ranks. */
void compare_samples(const struct sample *baseline, const struct sample *result, bool paired,
                     struct comparison *comparison);

/* Repeats the test with at most this number of degrees of freedom. */
void compare_limit(struct comparison *comparison, double df);

/* p after Holm's correction: step by step, the least first, times the number of those left. adjusted may be p. */
void holm(const double *p, size_t count, double *adjusted);

/* Holm's step-down correction over all rows, at a family-wise level, and what could have been detected: the relative
 * change that the test of Holm's first step (level / count, two-sided) finds with probability 0.8. */
void compare_all(struct comparison *comparisons, size_t count, double level);

#endif
