/* power_law.h - posterior means under a power-law prior. */
#ifndef LDP_POWER_LAW_H
#define LDP_POWER_LAW_H

#include "ldp.h"

size_t ldp_power_law_scratch(void);

/* Prior P(k) proportional to k^-a on k = 1 .. n, 0 <= a <= 64, and noise N(0, s^2), s <=
 * LDP_MOST_USERS (prior.h), in users; est[d] as frequencies.
 * mean[d], unless NULL: the posterior means as frequencies, from 1/n to 1. evidence[d], unless NULL: for x = n est_v
 * log sum_k k^-a exp(-(x - k)^2 / (2 s^2)). */
void ldp_power_law(double a, double n, double s, const double *est, size_t d, void *scratch, double *mean,
                   double *evidence);

/* Posterior means of est[d] under the power law of exponent a, each by the noise of its own class.
 */
size_t ldp_power_means_scratch(size_t d);
void ldp_power_means(const struct ldp_protocol *protocol, double n, double a, const double *est, void *scratch,
                     double *mean);

#endif
