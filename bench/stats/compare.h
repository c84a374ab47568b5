/* compare.h - did an error change? Statistics on repetitions. */
#ifndef LDPBENCH_COMPARE_H
#define LDPBENCH_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

/* What is known of one measured error. */
struct sample {
    size_t n; /* repetitions */
    double mean, sd;
    const double *value; /* [n] in order of repetition; NULL: only mean and sd are known */
};

struct comparison {
    double change;         /* relative: (result - baseline) / baseline; 0 where both are 0 */
    double standard_error; /* of the change */
    double df;             /* degrees of freedom of the t statistic */
    double p;              /* two-sided; 1 where the samples are the same */
    double adjusted;       /* p after Holm's correction */
    double detectable;     /* smallest relative change that would be found, see compare_all; NAN: none can be */
};

/* The t test of one row: on paired differences where paired is set (both samples have values; the shorter length
 * counts), else Welch's. Differences of errors, not of their logarithms: the mean error is what tables show, and the
 * difference of two samples of one skewed law is symmetric, so the t statistic keeps its level. */
void compare_samples(const struct sample *baseline, const struct sample *result, bool paired,
                     struct comparison *comparison);

/* Adds to the error of a change another, independent one, a standard deviation with its degrees of freedom: the
 * standard error, the degrees of freedom (Welch and Satterthwaite's) and p change. */
void compare_widen(struct comparison *comparison, double sd, double df);

/* Holm's step-down correction over all rows, at a family-wise level, and what could have been detected: the relative
 * change that the test of Holm's first step (level / count, two-sided) finds with probability 0.8. -1 for want of
 * memory. */
int compare_all(struct comparison *comparisons, size_t count, double level);

#endif
