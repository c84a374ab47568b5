/* statistics.h - shared by tests that draw random numbers. Every bound takes the number of comparisons made with it, so
 * that the whole suite, and not one check, fails by chance with probability STATISTICS_ALPHA. */
#ifndef LDPBENCH_STATISTICS_H
#define LDPBENCH_STATISTICS_H

#include "ldp.h"

/* The chance that one suite's family of comparisons fails though all is well. Seeds are fixed, so a failure does not
 * come and go; under LDPBENCH_VERIFY=1 they are fresh. */
#define STATISTICS_ALPHA 1e-6

/* Chi-square test of observed[0..k-1] against probabilities that sum to 1 (or less: what is missing is a cell of its
 * own that expects no draws but rounding). Neighbouring cells are pooled until each expects at least 10. Returns the
 * p-value; 0 where a cell of probability 0 was drawn; 1 where all cells pool into one. */
double statistics_chi_square(const uint64_t *observed, const double *probability, size_t k);

/* Neyman's smooth test of the same: means of the first four Hermite polynomials of the standardised cell number,
 * against their exact means and variances. Sees a shift, a wrong width or skew far sooner than chi-square does. Returns
 * the p-value of the largest of the four. */
double statistics_smooth(const uint64_t *observed, const double *probability, size_t k);

/* The p-value of two samples having the same law, by counts of the same k cells. */
double statistics_chi_square_two(const uint64_t *a, const uint64_t *b, size_t k);

/* The |z| that the largest of `comparisons` standard normal scores exceeds with probability STATISTICS_ALPHA. */
double statistics_z_bound(size_t comparisons);

/* The p-value that the smallest of `comparisons` p-values falls below with probability STATISTICS_ALPHA. */
double statistics_p_bound(size_t comparisons);

/* z-score of a sample mean: (mean - expected) / sqrt(variance / m). 0 if both differences are 0. */
double statistics_z(double mean, double expected, double variance, double m);

/* z-score of the sample variance of m draws against variance, with the fourth central moment `fourth` of the law. */
double statistics_z_variance(double sample, double variance, double fourth, double m);

/* Kolmogorov-Smirnov: the p-value of x[0..m-1], which gets sorted, against the uniform law on (0, 1). */
double statistics_kolmogorov(double *x, size_t m);

/* The p-value of x[0..m-1] and y[0..m-1], which get sorted, having the same law; too large where the law has atoms. */
double statistics_kolmogorov_two(double *x, double *y, size_t m);

/* By how much a number may differ from the one that was printed so ("24.9", ".0340", "149e1"): half of the last digit's
 * unit, and the rounding of doubles. */
double statistics_half_digit(const char *printed);

/* Running mean and covariance matrix of vectors of length d (Welford). */
struct moments {
    size_t d, m;
    double *mean;       /* [d] */
    double *covariance; /* [d * d], sums of products until moments_covariance divides */
};

struct moments *moments_new(size_t d);
void moments_free(struct moments *moments);
void moments_add(struct moments *moments, const double *x);
double moments_covariance(const struct moments *moments, size_t i, size_t j);

/* True if LDPBENCH_VERIFY=1 requests the long runs. */
bool statistics_verify(void);

/* A standard normal number. */
double statistics_normal(struct ldp_rng *rng);

/* n repetitions; in a build with sanitizers, which look for wrong accesses and are ten times slower, a tenth of them,
 * but `least` (at most n). */
size_t statistics_repetitions(size_t n, size_t least);

/* This number of repetitions of draws, or a hundred times as many under LDPBENCH_VERIFY=1. */
size_t statistics_draws(size_t draws);

/* The fixed seed, or under LDPBENCH_VERIFY=1 one from /dev/urandom, printed so that a failure can be repeated with
 * LDPBENCH_SEED. */
uint64_t statistics_seed(uint64_t fixed);

#endif
