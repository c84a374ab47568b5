/* prior.c - posterior means of a count f with noise N(0, s^2), for the families of priors.
 *
 * With Q(z) = P(Z > z), t(z) = z + phi(z) / Phi(z) the mean of N(z, 1) above 0 and u = x - a:
 *
 *     point         a
 *     gaussian      a + u b^2 / (b^2 + s^2)
 *     laplace       a + w1 s t(m1 / s) - w2 s t(-m2 / s),   m1 = u - s^2 / b, m2 = u + s^2 / b,
 *                   w1 : w2 = e^(-u/b) Phi(m1 / s) : e^(u/b) Phi(-m2 / s), w1 + w2 = 1
 *     exponential   s t(x / s - s / a)
 *     poisson       sum_k k p_k w_k / sum_k p_k w_k,   p_k = a^k / k!,   w_k = exp(-(x - k)^2 / (2 s^2))
 *     log_normal    a quadrature (log_normal.c)
 *
 * Source: Jia and Gong, INFOCOM 2019, eq. 11 and 12. Closed forms by completing squares, written so that nothing
 * cancels where a weight underflows. Poisson: log-concave in k, summed outwards from its mode. If the summand is wide,
 * only every h-th k is summed (the trapezoidal rule, with an error below e^-40 for such a summand).
 *
 * Cost: about ten operations; poisson about 30 terms. */
#include "priors/prior.h"
#include "numerics/numeric.h"

#include <assert.h>
#include <stdbool.h>

/* -log of the least weight that counts, relative to the largest. */
#define NEGLIGIBLE 42.0

#define LOG_2_PI 1.83787706640934548
#define SQRT_2_PI 2.50662827463100050

/* t(z): for z << 0 by the continued fraction 1 / (a + 2 / (a + 3 / (a + ..))), a = -z, since z + .. would cancel. */
static double mean_above_zero(double z)
{
    if (z >= 0)
        return z + ldp_exp(-0.5 * z * z) / (SQRT_2_PI * ldp_normal_cdf(z));
    if (z > -6)
        return z + 1 / (SQRT_2_PI * ldp_normal_tail_scaled(-z));
    double fraction = -z;
    for (int k = 20; k >= 2; k--)
        fraction = k / fraction - z;
    return 1 / fraction;
}

/* log Phi(z) + z^2 / 2 for z < 0, log Phi(z) above. */
static double log_part(double z)
{
    return ldp_log(z < 0 ? ldp_normal_tail_scaled(-z) : ldp_normal_cdf(z));
}

static double point(const struct ldp_prior *prior, double s, double x, double *evidence)
{
    const double z = (x - prior->a) / s;
    if (evidence)
        *evidence = -z * z / 2;
    return prior->a;
}

static double gaussian(const struct ldp_prior *prior, double s, double x, double *evidence)
{
    const double ratio = s / prior->b, u = x - prior->a, total = prior->b * prior->b + s * s;
    if (evidence)
        *evidence = -u * u / (2 * total) - 0.5 * ldp_log(total / (s * s));
    return prior->a + u / (1 + ratio * ratio);
}

static double laplace(const struct ldp_prior *prior, double s, double x, double *evidence)
{
    const double b = prior->b, side = x < prior->a ? -1 : 1, u = side * (x - prior->a);
    const double z1 = u / s - s / b, z2 = u / s + s / b;
    /* log w2 - log w1, both without their common factor. */
    const double log_second = ldp_log(ldp_normal_tail_scaled(z2)) - (z1 < 0 ? 0 : 0.5 * z1 * z1);
    const double log_first = log_part(z1), ratio = ldp_exp(log_second - log_first);
    if (evidence)
        *evidence = log_first + ldp_log1p(ratio) - (z1 < 0 ? u / s * (u / s) / 2 : u / b - s / b * (s / b) / 2) -
                    ldp_log(2 * b / (s * SQRT_2_PI));
    return prior->a + side * s * (mean_above_zero(z1) - ratio * mean_above_zero(-z2)) / (1 + ratio);
}

static double exponential(const struct ldp_prior *prior, double s, double x, double *evidence)
{
    const double ratio = s / prior->a, z = x / s - ratio;
    if (evidence)
        *evidence = log_part(z) - (z < 0 ? x / s * (x / s) / 2 : x / prior->a - ratio * ratio / 2) -
                    ldp_log(prior->a / (s * SQRT_2_PI));
    return s * mean_above_zero(z);
}

/* k log(k / k0) + k0 - k, k >= 0. */
static double deviance(double k, double k0)
{
    const double e = (k - k0) / k0;
    return k > 0 ? k0 * ((1 + e) * ldp_log1p(e) - e) : k0;
}

/* log of p_k w_k over its value at k0. */
static double poisson_term(double lambda, double s, double x, double k0, double k)
{
    const double step = k - k0, noise = step / s * ((2 * x - k - k0) / s) / 2;
    if (k0 == 0) /* Stirling's formula starts at 1 */
        return noise + k * ldp_log(lambda) - (k > 0 ? k * ldp_log(k) - k + 0.5 * (ldp_log(k) + LOG_2_PI) : 0) -
               ldp_stirling_error(k);
    return noise + step * ldp_log(lambda / k0) - deviance(k, k0) -
           (k > 0 ? 0.5 * ldp_log(k / k0) : -0.5 * (ldp_log(k0) + LOG_2_PI)) - ldp_stirling_error(k) +
           ldp_stirling_error(k0);
}

/* The k at which log(lambda / k) = (k - x) / s^2: with k = s^2 w, w + log w = y. Newton's method in log w, from the
 * right: the left side is convex and increasing. */
static double poisson_mode(double lambda, double s, double x)
{
    const double s2 = s * s, level = ldp_log(lambda / s2), y = x / s2 + level;
    double log_w = y > 1 ? ldp_log(y) : y;
    for (int i = 0; i < 20; i++) {
        const double w = ldp_exp(log_w), change = (w + log_w - y) / (1 + w);
        log_w -= change;
        if (change < 1e-8) /* the remaining error is its square */
            break;
    }
    return y > 1 ? x + s2 * (level - log_w) : s2 * ldp_exp(log_w);
}

static double poisson(const struct ldp_prior *prior, double s, double x, double *evidence)
{
    const double lambda = prior->a, mode = poisson_mode(lambda, s, x), k0 = mode > 0.5 ? floor(mode + 0.5) : 0;
    const double width = k0 > 0 ? 1 / sqrt(1 / k0 + 1 / (s * s)) : 0;
    const double h = k0 > 100 && width > 3.2 ? floor(width / 1.6) : 1;
    double mass = 1, moment = 0;
    for (int side = -1; side <= 1; side += 2)
        for (double i = side;; i += side) {
            const double k = k0 + i * h, log_w = k < 0 ? -INFINITY : poisson_term(lambda, s, x, k0, k);
            /* NAN ends the sum too. Nor if h is below the last digit of k0: then k0 is the answer. */
            if (!(log_w >= -NEGLIGIBLE) || h < 1e-13 * k0)
                break;
            const double w = ldp_exp(log_w);
            mass += w;
            moment += i * h * w;
        }
    if (h < 1e-13 * k0)
        mass = width * SQRT_2_PI > 1 ? width * SQRT_2_PI / h : 1;
    if (evidence)
        *evidence = ldp_log(h * mass) - (x - k0) / s * ((x - k0) / s) / 2 -
                    (k0 > 0 ? deviance(k0, lambda) + 0.5 * (ldp_log(k0) + LOG_2_PI) + ldp_stirling_error(k0) : lambda);
    return k0 + moment / mass;
}

double ldp_posterior_mean(const struct ldp_prior *prior, double s, double x, double *evidence)
{
    switch (prior->family) {
    case LDP_POINT: return point(prior, s, x, evidence);
    case LDP_GAUSSIAN: return gaussian(prior, s, x, evidence);
    case LDP_LAPLACE: return laplace(prior, s, x, evidence);
    case LDP_POISSON: return poisson(prior, s, x, evidence);
    case LDP_EXPONENTIAL: return exponential(prior, s, x, evidence);
    case LDP_LOG_NORMAL: return ldp_log_normal_mean(prior, s, x, evidence);
    case LDP_POWER_LAW: break;
    }
    assert(false);
    return x;
}
