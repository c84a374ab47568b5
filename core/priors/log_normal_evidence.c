/* log_normal_evidence.c - the evidence of many estimates under one log-normal prior:
 *
 *     E(x) = int p(t) exp(-(x - e^t)^2 / (2 s^2)) dt,   t ~ N(a, b^2).
 *
 * One lattice serves all of them: the trapezoidal rule in w, f = s log(1 + e^w), with steps fine enough for the noise
 * and for the prior where it is narrowest. Its weights are computed once; an estimate then takes the points within
 * REACH of it. Points further away add at most e^(-REACH^2 / 2). An estimate whose sum is not far above that, and a
 * prior that needs too many points, are left to log_normal.c, estimate by estimate. Below BOTTOM, f counts as 0; that
 * part of the prior is given by its distribution function, with Euler and Maclaurin's terms as in log_normal.c.
 *
 * Terms are computed for several vector levels with the same bytes. Cost: about a hundred exponentials for the lattice
 * and 60 for an estimate; log_normal.c has five or six per term. */
#include "numerics/numeric.h"
#include "priors/prior.h"
#include "simd/simd.h"

#define SQRT_2_PI 2.50662827463100050
#define REACH 11.0     /* in units of s */
#define SPREAD 9.3     /* of the prior, in units of b: e^(-SPREAD^2 / 2) is left out */
#define BOTTOM (-45.0) /* w */
#define WIDE 4.0       /* b from which the prior's part below BOTTOM is summed up */
#define LEAST 1e-10    /* of a sum: what SPREAD leaves out is 10^-20 */

enum { POINTS = 2048 };

/* Points in units of s, and the prior's weights. */
struct lattice {
    size_t m;
    double zero;                                    /* the prior's weight at 0 */
    double f[POINTS], weight[POINTS], term[POINTS]; /* term: of the estimate at hand */
};

/* The w of f = s e^t. */
static double w_of_log_ratio(double log_ratio)
{
    const double ratio = ldp_exp(log_ratio);
    return ratio < 1e-3 ? log_ratio + 0.5 * ratio : ratio + ldp_log(-ldp_expm1(-ratio));
}

/* The mass of the prior below a point, by Euler and Maclaurin, for a sum with steps of r standard deviations that
 * starts half a step above z. */
static double below(double z, double r)
{
    const double r2 = r * r, z2 = z * z, third = (z2 - 3) * 7 / 5760, fifth = ((z2 - 10) * z2 + 15) * 31 / 967680;
    return ldp_normal_cdf(z) + z * ldp_exp(-0.5 * z2) / SQRT_2_PI * r2 * (1. / 24 - r2 * (third - r2 * fifth));
}

/* False if it would take too many points. most: the largest estimate, in units of s. */
static bool lattice_init(struct lattice *lattice, const struct ldp_prior *prior, double s, double most)
{
    const double b = prior->b, log_s = ldp_log(s), first = prior->a - SPREAD * b - log_s;
    const double last = prior->a + SPREAD * b - log_s, low = first > 0 ? ldp_exp(first < 700 ? first : 700) : 1;
    const double scale = b * low, h = 0.4 * (scale < 1 ? scale : 1);
    if (first < BOTTOM && b < WIDE)
        return false;
    double w = w_of_log_ratio(first > BOTTOM ? first : BOTTOM);
    const double top = most + REACH > 1 ? most + REACH : 1, end = last < ldp_log(top) ? w_of_log_ratio(last) : top;
    if (!(end - w < h * (POINTS - 2)))
        return false;
    lattice->zero = first > BOTTOM ? 0 : below((log_s + w - 0.5 * h - prior->a) / b, h / b);
    lattice->m = 0;
    for (; w < end + h; w += h) {
        const double f = w > 40 ? w : ldp_log1p(ldp_exp(w)), z = (log_s + ldp_log(f) - prior->a) / b;
        lattice->f[lattice->m] = f;
        lattice->weight[lattice->m++] = h / (b * SQRT_2_PI) * ldp_exp(-0.5 * z * z) * (-ldp_expm1(-f) / f);
    }
    return true;
}

/* Terms of an estimate y, in units of s. */
LDP_INLINE void terms(double y, const double *restrict f, const double *restrict weight, size_t m, double *restrict out)
{
#pragma omp simd
    for (size_t i = 0; i < m; i++)
        out[i] = weight[i] * ldp_exp(-0.5 * (y - f[i]) * (y - f[i]));
}

LDP_VECTORS(void, terms, (double y, const double *f, const double *weight, size_t m, double *out),
            terms(y, f, weight, m, out))

typedef void terms_function(double y, const double *f, const double *weight, size_t m, double *out);

size_t ldp_log_normal_scratch(void)
{
    return sizeof(struct lattice);
}

void ldp_log_normal_evidence(const struct ldp_prior *prior, double s, const double *x, size_t m, void *scratch,
                             double *evidence)
{
    terms_function *const level = LDP_BEST(terms);
    struct lattice *const lattice = scratch;
    const bool shared = m > 0 && lattice_init(lattice, prior, s, x[m - 1] / s);
    size_t first = 0, end = 0;
    for (size_t j = 0; j < m; j++) {
        const double y = x[j] / s;
        double sum = 0;
        if (shared) {
            while (first < lattice->m && lattice->f[first] < y - REACH)
                first++;
            end = end < first ? first : end;
            while (end < lattice->m && lattice->f[end] <= y + REACH)
                end++;
            level(y, lattice->f + first, lattice->weight + first, end - first, lattice->term);
            sum = ldp_sum(lattice->term, end - first) + lattice->zero * ldp_exp(-0.5 * y * y);
        }
        if (sum > LEAST)
            evidence[j] = ldp_log(sum);
        else
            ldp_posterior_mean(prior, s, x[j], &evidence[j]);
    }
}
