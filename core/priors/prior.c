/* prior.c - posterior means of a count f with noise N(0, s^2), for five families of priors.
 *
 * With Q(z) = P(Z > z), t(z) = z + phi(z) / Phi(z) the mean of N(z, 1) above 0 and u = x - a:
 *
 *     gaussian      a + u b^2 / (b^2 + s^2)
 *     laplace       a + w1 s t(m1 / s) - w2 s t(-m2 / s),   m1 = u - s^2 / b, m2 = u + s^2 / b,
 *                   w1 : w2 = e^(-u/b) Phi(m1 / s) : e^(u/b) Phi(-m2 / s), w1 + w2 = 1
 *     exponential   s t(x / s - s / a)
 *     poisson       sum_k k p_k w_k / sum_k p_k w_k,   p_k = a^k / k!,   w_k = exp(-(x - k)^2 / (2 s^2))
 *     log_normal    int f p(f) w(f) df / int p(f) w(f) df,   log f ~ N(a, b^2)
 *
 * Source: Jia and Gong, INFOCOM 2019, eq. 11 and 12. Closed forms by completing squares, written so that nothing
 * cancels where a weight underflows. Poisson: log-concave in k, summed outwards from its mode, and where the summand is
 * wide over every h-th k only (the trapezoidal rule, whose error is below e^-40 for such a summand). Log-normal: f = s
 * log(1 + e^w) is like a logarithm below s and linear above, so that the integrand is smooth in w on one scale;
 * trapezoidal again, outwards from the higher of its modes.
 *
 * Cost: some ten operations; poisson and log_normal about 50 to 300 terms. */
#include "priors/prior.h"
#include "numeric.h"

#include <math.h>
#include <stdbool.h>

/* -log of the least weight that counts, relative to the largest. */
#define NEGLIGIBLE 42.0

#define LOG_2_PI 1.83787706640934548
#define SQRT_2_PI 2.50662827463100050

/* t(z): for z << 0 by the continued fraction 1 / (a + 2 / (a + 3 / (a + ..))), a = -z, since z + .. would cancel. */
static double mean_above_zero(double z)
{
    double fraction = -z;

    if (z >= 0)
        return z + ldp_exp(-0.5 * z * z) / (SQRT_2_PI * ldp_normal_cdf(z));
    if (z > -6)
        return z + 1 / (SQRT_2_PI * ldp_normal_tail_scaled(-z));
    for (int k = 20; k >= 2; k--)
        fraction = k / fraction - z;
    return 1 / fraction;
}

/* log Phi(z) + z^2 / 2 for z < 0, log Phi(z) above. */
static double log_part(double z)
{
    return ldp_log(z < 0 ? ldp_normal_tail_scaled(-z) : ldp_normal_cdf(z));
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

static double poisson(const struct ldp_prior *prior, double s, double x, double *evidence)
{
    const double lambda = prior->a, s2 = s * s;
    /* The mode is about the root of log(lambda / k) + (x - k) / s^2, concave in log k: Newton's method from above. */
    double log_k = ldp_log(lambda > x ? lambda : x), mass = 1, moment = 0, k0, h = 1;

    for (int i = 0; i < 1000; i++) {
        const double k = ldp_exp(log_k);
        const double change = (ldp_log(lambda) - log_k + (x - k) / s2) / (1 + k / s2);

        log_k += change;
        if (change > -1e-8) /* its square is left */
            break;
    }
    k0 = floor(ldp_exp(log_k) + 0.5);
    if (k0 > 100) {
        const double width = 1 / sqrt(1 / k0 + 1 / s2);

        h = width > 3.2 ? floor(width / 1.6) : 1;
    }
    for (int side = -1; side <= 1; side += 2)
        for (double i = side;; i += side) {
            const double k = k0 + i * h, log_w = k < 0 ? -INFINITY : poisson_term(lambda, s, x, k0, k);
            double w;

            if (log_w < -NEGLIGIBLE)
                break;
            w = ldp_exp(log_w);
            mass += w;
            moment += i * h * w;
        }
    if (evidence)
        *evidence = ldp_log(h * mass) - (x - k0) / s * ((x - k0) / s) / 2 -
                    (k0 > 0 ? deviance(k0, lambda) + 0.5 * (ldp_log(k0) + LOG_2_PI) + ldp_stirling_error(k0) : lambda);
    return k0 + moment / mass;
}

/* ---- Log-normal ---- */

/* log of the integrand over t = log f, and its derivative. */
struct log_normal {
    double a, b, s, x;
};

static double log_integrand(const struct log_normal *law, double t)
{
    const double prior = (t - law->a) / law->b, noise = (law->x - ldp_exp(t)) / law->s;

    return -0.5 * prior * prior - 0.5 * noise * noise;
}

static double slope(const struct log_normal *law, double t)
{
    const double f = ldp_exp(t);

    return (law->x - f) / law->s * (f / law->s) - (t - law->a) / (law->b * law->b);
}

/* A root of the slope in [lo, hi], where it falls from >= 0 to <= 0, to a hundredth of the integrand's scale or so. */
static double mode(const struct log_normal *law, double lo, double hi)
{
    double t = 0.5 * (lo + hi), last = hi - lo;

    for (int i = 0; i < 200; i++) {
        const double f = ldp_exp(t), at = slope(law, t);
        const double curvature = (2 * f - law->x) / law->s * (f / law->s) + 1 / (law->b * law->b);
        double next = t + at / curvature;

        if (at >= 0)
            lo = t;
        else
            hi = t;
        /* Newton's step where it shrinks fast, else half the interval. */
        if (!(next > lo && next < hi && fabs(next - t) < 0.5 * last))
            next = 0.5 * (lo + hi);
        last = fabs(next - t);
        if (curvature > 0 && last < 1e-3 / sqrt(curvature))
            return next;
        if (next == t)
            break;
        t = next;
    }
    return t;
}

/* Both modes where there are two; the highest first. Returns how many. Where x^2 > 8 s^2 / b^2, the slope falls, rises
 * between two known points, and falls. */
static int modes(const struct log_normal *law, double out[2])
{
    const double a = law->a, b = law->b, s = law->s, x = law->x, root = x * x - 8 * (s / b) * (s / b);
    double lo = a, hi = a, fall;
    int count = 0;

    if (x > 0 && ldp_log(x) > a)
        hi = ldp_log(x);
    if (x > 0 && ldp_log(x) < a)
        lo = ldp_log(x);
    for (double step = 1; x <= 0 && slope(law, lo) < 0; step *= 2)
        lo -= step;
    if (x > 0 && root > 0) {
        /* The smaller root of 2 f^2 - x f + s^2 / b^2 without cancellation. */
        const double upper = (x + sqrt(root)) / 4, at_upper = ldp_log(upper);
        const double at_lower = ldp_log((s / b) * (s / b) / (2 * upper));

        fall = at_lower;
        if (fall > lo && slope(law, fall) <= 0)
            out[count++] = mode(law, lo, fall < hi ? fall : hi);
        fall = at_upper;
        if (fall < hi && slope(law, fall) >= 0)
            out[count++] = mode(law, fall > lo ? fall : lo, hi);
    }
    if (count == 0)
        out[count++] = mode(law, lo, hi);
    if (count == 2 && log_integrand(law, out[0]) < log_integrand(law, out[1])) {
        const double other = out[0];

        out[0] = out[1];
        out[1] = other;
    }
    return count;
}

static double log_normal(const struct ldp_prior *prior, double s, double x, double *evidence)
{
    const struct log_normal law = {prior->a, prior->b, s, x};
    double at[2], mass = 0, moment = 0, largest, lowest = INFINITY;
    const int count = modes(&law, at);
    double f0 = ldp_exp(at[0]);

    /* Far above the noise the logarithm's last bit would be many s: two steps of f = x - s^2 (log f - a) / (b^2 f). */
    for (int i = 0; i < 2 && f0 * law.b > 10 * s; i++) {
        f0 = x - s / f0 * s * (at[0] - law.a) / (law.b * law.b);
        at[0] = ldp_log(f0);
    }
    /* f = s log(1 + e^w); in terms of the steps v = w - w0 from the mode f0, f - f0 = s log(1 + share (e^v - 1)). */
    const double share = -ldp_expm1(-f0 / s), odds = ldp_expm1(f0 / s);
    const double other = count == 2 ? at[1] : at[0];
    /* Below s a step changes log f by itself, above by s / f of it: fine enough for the prior at the lower mode. */
    const double low = ldp_exp(other < at[0] ? other : at[0]) / s, scale = law.b * (low > 1 ? low : 1);
    const double h = 0.4 * (scale < 1 ? scale : 1);

    largest = -0.5 * (at[0] - law.a) / law.b * ((at[0] - law.a) / law.b) - 0.5 * (x - f0) / s * ((x - f0) / s);
    lowest = count == 2 && log_integrand(&law, other) > largest - NEGLIGIBLE ? other : at[0];
    for (int side = -1; side <= 1; side += 2)
        for (double i = side < 0 ? -1 : 0;; i += side) {
            double step = s * ldp_log1p(share * ldp_expm1(i * h)), f = f0 + step, t = at[0] + ldp_log1p(step / f0);
            double log_w, w;

            if (i * h < -1 && f0 < 30 * s) { /* f - f0 would cancel */
                f = s * ldp_log1p(odds * ldp_exp(i * h));
                step = f - f0;
                t = ldp_log(f);
            }
            const double z1 = (t - law.a) / law.b, z2 = (x - f0 - step) / s;

            log_w = -0.5 * z1 * z1 - 0.5 * z2 * z2 - largest;
            if (log_w < -NEGLIGIBLE && (side < 0 ? t < lowest : t > lowest))
                break;
            if (!(f > 1e-280 * s))
                break;
            w = ldp_exp(log_w) * -ldp_expm1(-f / s) * (s / f);
            mass += w;
            moment += w * step;
        }
    if (evidence)
        *evidence = largest + ldp_log(mass * h / (law.b * SQRT_2_PI));
    return f0 + moment / mass;
}

double ldp_posterior_mean(const struct ldp_prior *prior, double s, double x, double *evidence)
{
    switch (prior->family) {
    case LDP_GAUSSIAN: return gaussian(prior, s, x, evidence);
    case LDP_LAPLACE: return laplace(prior, s, x, evidence);
    case LDP_POISSON: return poisson(prior, s, x, evidence);
    case LDP_EXPONENTIAL: return exponential(prior, s, x, evidence);
    case LDP_LOG_NORMAL: break;
    }
    return log_normal(prior, s, x, evidence);
}
