/* prior.h - posterior means of one count under a family of priors. Internal to the core. */
#ifndef LDPBENCH_PRIOR_H
#define LDPBENCH_PRIOR_H

#include <math.h>
#include <stddef.h>

/* In the order of calibrate's choices; the others shrink to a point. */
enum ldp_prior_family {
    LDP_POWER_LAW,
    LDP_GAUSSIAN,
    LDP_LAPLACE,
    LDP_POISSON,
    LDP_EXPONENTIAL,
    LDP_LOG_NORMAL,
    LDP_POINT
};

/* No count is further from 0, and no noise larger: beyond, squares would overflow. */
#define LDP_MOST_USERS 1e100

/* The standard deviation of a count, n s1 being its variance; not more than LDP_MOST_USERS, also if n s1 is no number.
 */
static inline double ldp_noise_users(double n, double s1)
{
    const double variance = n * s1;
    return variance < LDP_MOST_USERS * LDP_MOST_USERS ? sqrt(variance) : LDP_MOST_USERS;
}

/* A law of true counts, in users. */
struct ldp_prior {
    enum ldp_prior_family family;
    /* power_law: exponent >= 0; gaussian: mean, standard deviation >= 0; laplace: mean, scale > 0; poisson and
     * exponential: mean > 0; log_normal: mean and standard deviation > 0 of the logarithm; point: the count. */
    double a, b;
};

/* E(f | x) where f has the prior and x = f + N(0, s^2), s > 0: to 1e-11 of the largest of |x|, s and the prior's own
 * scale. *evidence, unless NULL: log of the density of x times s sqrt(2 pi). Not for power_law, which takes many
 * estimates at once (power_law.h). */
double ldp_posterior_mean(const struct ldp_prior *prior, double s, double x, double *evidence);

/* The same for log_normal. */
double ldp_log_normal_mean(const struct ldp_prior *prior, double s, double x, double *evidence);

/* The evidence alone, of x[m], ascending, with that many bytes of scratch. */
size_t ldp_log_normal_scratch(void);
void ldp_log_normal_evidence(const struct ldp_prior *prior, double s, const double *x, size_t m, void *scratch,
                             double *evidence);

#endif
