/* log_normal.c - posterior means under a log-normal prior:
 *
 *     int f p(f) w(f) df / int p(f) w(f) df,   log f ~ N(a, b^2),   w(f) = exp(-(x - f)^2 / (2 s^2)).
 *
 * The variable is w, f = s log(1 + e^w): logarithmic below s and linear above, so that the integrand is smooth in w on
 * one scale. The trapezoidal rule is summed outwards from the higher of its modes.
 *
 * Source: Jia and Gong, INFOCOM 2019, eq. 11 and 12, for a family that they mention. Cost: 50 to 300 terms. */
#include "numerics/numeric.h"
#include "priors/prior.h"

#include <stdbool.h>

/* -log of the least weight that counts, relative to the largest. */
#define NEGLIGIBLE 42.0

#define SQRT_2_PI 2.50662827463100050

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

/* A root of the slope in [lo, hi], where it falls from >= 0 to <= 0, to about a hundredth of the integrand's scale. */
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
        /* A Newton step if steps shrink fast, else bisection. */
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

/* The modes, the highest first; returns their number, 1 or 2. If x^2 > 8 s^2 / b^2, the slope falls, rises between two
 * known points, and falls again. */
static int find_modes(const struct log_normal *law, double out[2])
{
    const double a = law->a, b = law->b, s = law->s, x = law->x, root = x * x - 8 * (s / b) * (s / b);
    double hi = a;
    if (x > 0 && ldp_log(x) > a)
        hi = ldp_log(x);
    double lo = a;
    if (x > 0 && ldp_log(x) < a)
        lo = ldp_log(x);
    for (double step = 1; x <= 0 && slope(law, lo) < 0; step *= 2)
        lo -= step;
    int count = 0;
    if (x > 0 && root > 0) {
        /* The smaller root of 2 f^2 - x f + s^2 / b^2 without cancellation. */
        const double upper = (x + sqrt(root)) / 4, at_upper = ldp_log(upper);
        const double at_lower = ldp_log((s / b) * (s / b) / (2 * upper));
        double fall = at_lower;
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

/* Counts below f = e^deep s, deep = -45 - log(1 + |x| / s), are treated as 0. A law with b > WIDE may have much of its
 * mass there. */
#define WIDE 4.0

/* The lattice of the trapezoidal rule, steps of h in w from a mode f0 = e^t0 on, not below `bottom`; and the sums over
 * it: f0 + moment / mass is the mean. Terms are relative to the largest. */
struct lattice {
    double f0, z0, share, odds, h, bottom, log_first, log_largest;
    double mass, moment;
};

/* The mode to double precision, and the integrand there. */
static struct lattice lattice_at(const struct log_normal *law, double mode, double zero)
{
    double t0 = mode > zero ? mode : zero, f0 = ldp_exp(t0);
    /* Far above the noise the last bit of the logarithm would be worth many s: two steps of f = x - s^2 (log f - a) /
     * (b^2 f). */
    for (int i = 0; i < 2 && f0 * law->b > 10 * law->s; i++) {
        f0 = law->x - law->s / f0 * law->s * (t0 - law->a) / (law->b * law->b);
        t0 = ldp_log(f0);
    }
    const double z0 = (t0 - law->a) / law->b, square = 0.5 * z0 * z0, noise = (law->x - f0) / law->s;
    return (struct lattice){.f0 = f0,
                            .z0 = z0,
                            .share = -ldp_expm1(-f0 / law->s),
                            .odds = ldp_expm1(f0 / law->s),
                            .log_first = mode > zero ? 0 : -square,
                            .log_largest = -(mode > zero ? square : 0) - 0.5 * noise * noise};
}

/* The w of f = s log(1 + e^w). */
static double w_of(double f, double s)
{
    return f / s + ldp_log(-ldp_expm1(-f / s));
}

/* Adds the term of point i; returns its logarithm. In terms of v = i h, f - f0 = s log(1 + share (e^v - 1)), share = 1
 * - e^(-f0 / s), odds = e^(f0 / s) - 1. */
static double add_point(const struct log_normal *law, struct lattice *lattice, double i)
{
    const double s = law->s, f0 = lattice->f0, v = i * lattice->h;
    double step = s * ldp_log1p(lattice->share * ldp_expm1(v)), f = f0 + step, log_ratio = ldp_log1p(step / f0);
    if (v < -1 && f0 < 30 * s) { /* f - f0 would cancel */
        f = s * ldp_log1p(lattice->odds * ldp_exp(v));
        step = f - f0;
        log_ratio = ldp_log(f / f0);
    }
    if (!(f > 1e-280 * s))
        return -INFINITY;
    /* As differences from f0, since both squares may be huge. */
    const double by = log_ratio / law->b, prior = -by * (lattice->z0 + 0.5 * by);
    const double noise = step / s * ((law->x - f0 - 0.5 * step) / s), log_term = lattice->log_first + prior + noise;
    const double term = ldp_exp(log_term) * -ldp_expm1(-f / s) * (s / f);
    lattice->mass += term;
    lattice->moment += term * step;
    return log_term;
}

/* Adds everything below the bottom: the sum of a normal density is its distribution function half a step above its last
 * point, plus Euler and Maclaurin's terms at a midpoint; h / b = r is at most 0.1. */
static void add_zero(const struct log_normal *law, struct lattice *lattice)
{
    const double w = w_of(lattice->f0, law->s) + (lattice->bottom - 0.5) * lattice->h;
    const double z = (ldp_log(law->s) + w - law->a) / law->b, noise = law->x / law->s, r = lattice->h / law->b;
    const double r2 = r * r, z2 = z * z, third = (z2 - 3) * 7 / 5760, fifth = ((z2 - 10) * z2 + 15) * 31 / 967680;
    const double ends = z * ldp_exp(-0.5 * z2) / SQRT_2_PI * r2 * (1. / 24 - r2 * (third - r2 * fifth));
    const double mass = (ldp_normal_cdf(z) + ends) * ldp_exp(-0.5 * noise * noise - lattice->log_largest);
    lattice->mass += mass * SQRT_2_PI / r;
    lattice->moment -= mass * SQRT_2_PI / r * lattice->f0;
}

/* Each adds points from i on until a term is negligible or `end` is passed, and returns the point after the last. */
static double add_upwards(const struct log_normal *law, struct lattice *lattice, double i, double end)
{
    while (i <= end && add_point(law, lattice, i) >= -NEGLIGIBLE)
        i++;
    return i;
}

static double add_downwards(const struct log_normal *law, struct lattice *lattice, double i, double end)
{
    while (i >= end && i >= lattice->bottom && add_point(law, lattice, i) >= -NEGLIGIBLE)
        i--;
    if (i < lattice->bottom)
        add_zero(law, lattice);
    return i;
}

double ldp_log_normal_mean(const struct ldp_prior *prior, double s, double x, double *evidence)
{
    const struct log_normal law = {prior->a, prior->b, s, x};
    const double deep = law.b > WIDE ? -45 - ldp_log1p(fabs(x) / s) : -INFINITY, zero = ldp_log(s) + deep;
    double mode[2];
    const int modes = find_modes(&law, mode);
    struct lattice lattice = lattice_at(&law, mode[0], zero);
    const double f0 = lattice.f0, width = 1 / sqrt(1 / (s * s) + 1 / (law.b * f0) / (law.b * f0));
    if (width < 1e-13 * f0) { /* the posterior cannot be distinguished from f0 */
        if (evidence)
            *evidence = lattice.log_largest + ldp_log(width / f0 / law.b);
        return f0;
    }
    const bool both = modes == 2 && log_integrand(&law, mode[1]) > lattice.log_largest - NEGLIGIBLE;
    /* Below s a step of h changes log f by h, above s by h s / f: fine enough for the prior at the lower mode. */
    const double low = (both && mode[1] < mode[0] ? ldp_exp(mode[1]) : f0) / s, scale = law.b * (low > 1 ? low : 1);
    lattice.h = 0.4 * (scale < 1 ? scale : 1);
    lattice.bottom = fmin(0, ceil((deep - w_of(f0, s)) / lattice.h));
    const double above = add_upwards(&law, &lattice, 0, INFINITY);
    const double below = add_downwards(&law, &lattice, -1, -INFINITY);
    if (both) { /* Terms between the modes may be negligible. */
        const double f1 = ldp_exp(mode[1] > zero ? mode[1] : zero);
        const double other = floor((w_of(f1, s) - w_of(f0, s)) / lattice.h + 0.5);
        if (other > above) {
            add_upwards(&law, &lattice, other, INFINITY);
            add_downwards(&law, &lattice, other - 1, above + 1);
        } else if (other < below) {
            add_downwards(&law, &lattice, other, -INFINITY);
            add_upwards(&law, &lattice, other + 1, below - 1);
        }
    }
    if (evidence)
        *evidence = lattice.log_largest + ldp_log(lattice.mass * lattice.h / (law.b * SQRT_2_PI));
    return f0 + lattice.moment / lattice.mass;
}
