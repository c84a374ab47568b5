/* continuous.c - real-valued noise: Laplace, and gamma for sums of it (Marsaglia and Tsang, A simple method for
 * generating gamma variables, ACM TOMS 26, 2000). */
#include "numerics/numeric.h"
#include "random/rng.h"

#include <assert.h>

double ldp_laplace(struct ldp_rng *rng)
{
    const uint64_t bits = rng_next(rng);
    const double size = -ldp_log(rng_unit(bits)); /* of the top 52 bits */
    return bits & 1 ? -size : size;
}

/* log(1+t) - t + t^2/2 - t^3/3 for t > -1. */
static double lambda(double t)
{
    const double t2 = t * t;
    if (t2 > 0.01)
        return ldp_log1p(t) - t + t2 * (0.5 - t * (1.0 / 3));
    const double even = 1.0 / 4 + t2 * (1.0 / 6 + t2 * (1.0 / 8 + t2 * (1.0 / 10 + t2 * (1.0 / 12 + t2 * (1.0 / 14)))));
    const double odd = 1.0 / 5 + t2 * (1.0 / 7 + t2 * (1.0 / 9 + t2 * (1.0 / 11 + t2 * (1.0 / 13))));
    return -t2 * t2 * (even - t * odd);
}

double ldp_gamma(struct ldp_rng *rng, double shape)
{
    assert(shape >= 1 && shape <= (double)LDP_USERS_MAX);
    const double a = shape - 1.0 / 3, scale = 1 / sqrt(9 * a);
    for (;;) {
        const double z = ldp_normal_quantile(rng_uniform(rng)), t = z * scale, z2 = z * z;
        if (t <= -1)
            continue;
        const double u = rng_uniform(rng);
        /* Their squeeze, then the law itself. */
        if (u < 1 - 0.0331 * z2 * z2 || ldp_log(u) < 3 * a * lambda(t))
            return a * ((1 + t) * (1 + t) * (1 + t));
    }
}
