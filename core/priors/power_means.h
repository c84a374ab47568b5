/* power_means.h - posterior means under a power law, with the noise of each value. Internal to the core. */
#ifndef LDPBENCH_POWER_MEANS_H
#define LDPBENCH_POWER_MEANS_H

#include "ldpbench.h"

/* Posterior means of est[d] under the power law of exponent a (priors/power_law.h), each by the noise of its own class.
 */
size_t ldp_power_means_scratch(size_t d);
void ldp_power_means(const struct ldp_protocol *protocol, double n, double a, const double *est, void *scratch,
                     double *mean);

#endif
