/* robust.h - the robust t test that comparisons use (setting.h): whether the mean of differences is above 0. */
#ifndef LDPBENCH_ROBUST_H
#define LDPBENCH_ROBUST_H

#include "stats/compare.h"

/* Differences of two candidates: how many (infinite: the difference is known), their mean, the sum of squares about it,
 * and the largest size of one. */
struct differences {
    double n, mean, squares, largest;
};

/* By how much a candidate is better than another in repetitions in which both are defined, each plus a part of the size
 * of the other's value. Of a sample of which only mean and deviation are known: as if independent of the other, the
 * largest as large as the deviation allows. room: of the longer sample. */
struct differences differences_of(const struct sample *better, const struct sample *other, bool more, double part,
                                  double *room);

/* u a - v b in repetitions in which both are defined, u, v > 0; 0 where values are the same and u = v. */
struct differences differences_weighted(const struct sample *a, double u, const struct sample *b, double v,
                                        double *room);

/* Student's t of the differences and of one more, -bad / 2. Above 0 only where the mean is; 0 where nothing is known.
 */
double robust_t(const struct differences *differences, double bad);

/* Two-sided p of a t statistic of n values: of Student's test, or of the one that holds at any time of looking. */
double robust_p(double t, double n, bool any_time);

/* p, two-sided, that the mean of the differences is above 0; 1 where it is not. */
double robust_above(const struct differences *differences, bool any_time);

/* The largest size of a value of a sample that is defined, or of its mean. */
double largest_size(const struct sample *sample);

/* Whether two values are the same but for rounding, or both undefined; whether two samples are in every repetition. */
bool same_value(double x, double y);
bool same_values(const struct sample *a, const struct sample *b);

/* Exact McNemar test: p, one-sided, that a sample is undefined in more repetitions than another. */
double undefined_more(const struct sample *sample, const struct sample *other);

/* Means of two samples over the repetitions that both have. */
struct pair_means {
    double x, y;
};
struct pair_means pair_means_of(const struct sample *x, const struct sample *y);

#endif
