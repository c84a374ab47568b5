/* fit.c - the prior of a family that has the moments of the estimates, or maximises their likelihood.
 *
 *     moments              E f = mean of x, Var f = population variance of x minus s^2; for one parameter only E f
 *     maximum likelihood   the parameters that maximise sum_v log int p(f) exp(-(x_v - f)^2 / (2 s^2)) df
 *
 * Source: Jia and Gong, INFOCOM 2019, eq. 17 to 20 and eq. 16, which they maximise by gradient steps.
 *
 * Every family shrinks to a point: gaussian, laplace and log_normal at any count that they have, poisson and
 * exponential at 0, power_law at 1. If the estimates spread no more than their noise, the likelihood increases all the
 * way to that point, and the limit, a law without spread, is the answer.
 *
 * The likelihood has a closed form only for gaussian, and may have several maxima. One parameter: a grid from the limit
 * to beyond all estimates, in steps that grow with the parameter, then a search between neighbours. Two parameters: at
 * each of many widths a few locations that suit the estimates; from the best two of these starts the simplex method.
 * The likelihood is then within 1e-6 of its maximum.
 *
 * A log evidence is smooth on the scale of s. So the estimates in a panel of s / 2 are replaced by the 16 Chebyshev
 * nodes of the panel, each weighted with the sum of its Lagrange polynomial over these estimates: sums over all
 * estimates become sums over a few hundred nodes, equal to about 1e-10 per estimate, and a fit costs no more for many
 * values. */
#include "priors/fit.h"
#include "numerics/numeric.h"
#include "priors/chebyshev.h"
#include "priors/optimise.h"
#include "priors/power_law.h"
#include "priors/zeta.h"

#include <assert.h>

/* ---- The sample ---- */

/* Adds to weight[j] the value at t of the polynomial that is 1 at node j and 0 at the others. */
static void add_lagrange(double t, double weight[LDP_CHEBYSHEV])
{
    double part[LDP_CHEBYSHEV], sum = 0;
    for (int j = 0; j < LDP_CHEBYSHEV; j++) {
        const double away = t - ldp_chebyshev_node[j];
        if (away == 0) {
            weight[j] += 1;
            return;
        }
        part[j] = ldp_chebyshev_weight(j) / away;
        sum += part[j];
    }
    for (int j = 0; j < LDP_CHEBYSHEV; j++)
        weight[j] += part[j] / sum;
}

/* Replaces x[0 .. count - 1] by the nodes of [least, least + width], ascending. */
static void add_panel(struct ldp_sample *sample, double least, double width, const double *x, size_t count)
{
    double weight[LDP_CHEBYSHEV] = {0};
    for (size_t i = 0; i < count; i++)
        add_lagrange(2 * ((x[i] - least) / width) - 1, weight);
    for (int j = LDP_CHEBYSHEV; j-- > 0; sample->m++) {
        sample->x[sample->m] = least + width * (0.5 + 0.5 * ldp_chebyshev_node[j]);
        sample->weight[sample->m] = weight[j];
    }
}

void ldp_sample_init(struct ldp_sample *sample, double n, double s, bool lattice, double *x, double *weight, size_t d)
{
    const double width = 0.5 * s * (lattice && s < 1 ? s : 1);
    *sample = (struct ldp_sample){.n = n, .s = s, .d = d, .x = x, .weight = weight};
    sample->mean = ldp_sum(x, d) / (double)d;
    size_t above = 0;
    for (size_t v = 0; v < d; v++) {
        sample->variance += (x[v] - sample->mean) * (x[v] - sample->mean) / (double)d;
        above += x[v] > 3 * s;
    }
    sample->above = (double)above / (double)d;
    sample->median = x[d / 2];
    sample->largest = x[d - 1];
    for (size_t v = 0, end; v < d; v = end) {
        const double least = x[v];
        for (end = v + 1; end < d && x[end] - least < width;)
            end++;
        if (x[end - 1] == least) {
            sample->x[sample->m] = least;
            sample->weight[sample->m++] = (double)(end - v);
        } else if (end - v > LDP_CHEBYSHEV) {
            add_panel(sample, least, width, x + v, end - v);
        } else {
            for (size_t i = v; i < end; i++) {
                sample->x[sample->m] = x[i];
                sample->weight[sample->m++] = 1;
            }
        }
    }
}

/* ---- Moments ---- */

struct ldp_prior ldp_fit_moments(enum ldp_prior_family family, double mean, double variance)
{
    const double least = 1e-50; /* a mean below it counts as 0 */
    const struct ldp_prior at_mean = {LDP_POINT, mean, 0}, at_zero = {LDP_POINT, 0, 0};
    switch (family) {
    case LDP_GAUSSIAN: return variance > 0 ? (struct ldp_prior){family, mean, sqrt(variance)} : at_mean;
    case LDP_LAPLACE: return variance > 0 ? (struct ldp_prior){family, mean, sqrt(variance / 2)} : at_mean;
    case LDP_POISSON:
    case LDP_EXPONENTIAL: return mean > least ? (struct ldp_prior){family, mean, 0} : at_zero;
    case LDP_LOG_NORMAL: {
        const double ratio = variance / mean / mean, square = ldp_log1p(ratio < 1e300 ? ratio : 1e300);
        return !(mean > least)   ? at_zero
               : !(variance > 0) ? at_mean
                                 : (struct ldp_prior){family, ldp_log(mean) - square / 2, sqrt(square)};
    }
    default: assert(false); return at_mean;
    }
}

/* ---- Maximum likelihood ---- */

static double log_likelihood(const struct ldp_prior *prior, const struct ldp_sample *sample, double *evidence,
                             void *scratch)
{
    double sum = 0;
    if (prior->family == LDP_POWER_LAW) {
        double h0, h1;
        ldp_zeta_sums(prior->a, sample->n, &h0, &h1);
        for (size_t j = 0; j < sample->m; j++)
            evidence[j] = sample->x[j] / sample->n;
        ldp_power_law(prior->a, sample->n, sample->s, evidence, sample->m, scratch, NULL, evidence);
        for (size_t j = 0; j < sample->m; j++)
            sum += sample->weight[j] * evidence[j];
        return sum - (double)sample->d * ldp_log(h0);
    }
    if (prior->family == LDP_LOG_NORMAL) {
        assert(ldp_log_normal_scratch() <= ldp_power_law_scratch());
        ldp_log_normal_evidence(prior, sample->s, sample->x, sample->m, scratch, evidence);
        for (size_t j = 0; j < sample->m; j++)
            sum += sample->weight[j] * evidence[j];
        return sum;
    }
    for (size_t j = 0; j < sample->m; j++) {
        double log_evidence;
        ldp_posterior_mean(prior, sample->s, sample->x[j], &log_evidence);
        sum += sample->weight[j] * log_evidence;
    }
    return sum;
}

struct likelihood {
    enum ldp_prior_family family;
    const struct ldp_sample *sample;
    double *evidence;
    void *scratch;
};

/* The parameter of a one-parameter family: 0 at theta = 0, at first linear and later exponential in theta, from a
 * hundredth of the noise on. */
static double growing(double theta, double s)
{
    return 0.01 * s * ldp_expm1(theta);
}

static double growing_inverse(double parameter, double s)
{
    return ldp_log1p(100 * (parameter / s));
}

/* The prior for parameters of any value. */
static struct ldp_prior prior_at(const struct likelihood *likelihood, const double *theta)
{
    const double s = likelihood->sample->s;
    switch (likelihood->family) {
    case LDP_POWER_LAW: return (struct ldp_prior){LDP_POWER_LAW, ldp_expm1(theta[0]), 0};
    case LDP_POISSON:
    case LDP_EXPONENTIAL:
        return (struct ldp_prior){theta[0] > 0 ? likelihood->family : LDP_POINT, growing(theta[0], s), 0};
    default: return (struct ldp_prior){likelihood->family, theta[0], ldp_exp(theta[1])};
    }
}

static double value_at(const void *context, const double *theta)
{
    const struct likelihood *const likelihood = context;
    const struct ldp_prior prior = prior_at(likelihood, theta);
    /* So far out doubles fail, and the prior no longer changes. */
    if (likelihood->family == LDP_LOG_NORMAL && !(fabs(theta[0]) < 1e4 && fabs(theta[1]) < 30 && theta[1] < 7))
        return -INFINITY;
    const double value = log_likelihood(&prior, likelihood->sample, likelihood->evidence, likelihood->scratch);
    return value > -INFINITY ? value : -INFINITY; /* not NAN */
}

static struct ldp_prior fit_one(const struct likelihood *likelihood)
{
    const struct ldp_sample *const sample = likelihood->sample;
    const double largest = sample->largest > sample->s ? sample->largest : sample->s;
    double theta;
    /* At 64 a power law is a point at 1 in double precision. */
    const double hi = likelihood->family == LDP_POWER_LAW ? ldp_log(65) : growing_inverse(2 * largest + 1, sample->s);
    ldp_maximise_one(value_at, likelihood, 0, hi, (int)ceil(hi / (likelihood->family == LDP_POWER_LAW ? 0.1 : 0.4)),
                     &theta);
    return prior_at(likelihood, &theta);
}

/* A starting point of the search, and the size of its first steps. */
struct start {
    double theta[2], step[2], value;
};

/* Keeps the best two of all starts. */
static void try_start(const struct likelihood *likelihood, double a, double b, double step, struct start best[2])
{
    struct start start = {{a, ldp_log(b)}, {step, 0.5}, 0};
    start.value = value_at(likelihood, start.theta);
    if (start.value > best[0].value) {
        best[1] = best[0];
        best[0] = start;
    } else if (start.value > best[1].value) {
        best[1] = start;
    }
}

/* Widths from a hundredth of the noise on; at the mean and at the median. */
static void start_laplace(const struct likelihood *likelihood, struct start best[2])
{
    const struct ldp_sample *const sample = likelihood->sample;
    const double most = 2 * sqrt(sample->variance) + sample->s;
    for (double b = 0.01 * sample->s; b < most; b *= 3)
        for (int i = 0; i < 2; i++)
            try_start(likelihood, i ? sample->median : sample->mean, b, 0.3 * (sample->s + b), best);
}

/* Widths from a spread of a third of the noise on; at the location that gives the law the mean of the estimates, or
 * their median, or the same share above 3 s as among the estimates. */
static void start_log_normal(const struct likelihood *likelihood, struct start best[2])
{
    const struct ldp_sample *const sample = likelihood->sample;
    const double s = sample->s, mean = sample->mean > 0.1 * s ? sample->mean : 0.1 * s;
    const double median = sample->median > 0.3 * s ? sample->median : 0.3 * s, relative = s / (mean > s ? mean : s);
    const struct ldp_prior moments = ldp_fit_moments(LDP_LOG_NORMAL, sample->mean, sample->variance - s * s);
    for (double b = 0.3 * relative; b < 400; b *= 3) {
        const double step = 0.5 * sqrt(b * b + relative * relative);
        try_start(likelihood, ldp_log(mean) - b * b / 2, b, step, best);
        try_start(likelihood, ldp_log(median), b, step, best);
        if (sample->above > 0 && sample->above < 1)
            try_start(likelihood, ldp_log(3 * s) + b * ldp_normal_quantile(sample->above), b, step, best);
    }
    if (moments.family == LDP_LOG_NORMAL)
        try_start(likelihood, moments.a, moments.b, 0.5 * sqrt(moments.b * moments.b + relative * relative), best);
}

static struct ldp_prior fit_two(const struct likelihood *likelihood)
{
    const struct ldp_sample *const sample = likelihood->sample;
    const bool counts = likelihood->family == LDP_LOG_NORMAL;
    const struct ldp_prior point = {LDP_POINT, counts && sample->mean < 0 ? 0 : sample->mean, 0};
    struct start best[2] = {{.value = -INFINITY}, {.value = -INFINITY}};
    if (counts)
        start_log_normal(likelihood, best);
    else
        start_laplace(likelihood, best);
    for (int i = 0; i < 2; i++)
        if (best[i].value > -INFINITY)
            best[i].value = ldp_maximise_two(value_at, likelihood, best[i].theta, best[i].step);
    const struct start *const found = best[1].value > best[0].value ? &best[1] : &best[0];
    if (!(found->value > log_likelihood(&point, sample, likelihood->evidence, likelihood->scratch)))
        return point;
    return prior_at(likelihood, found->theta);
}

struct ldp_prior ldp_fit_likelihood(enum ldp_prior_family family, const struct ldp_sample *sample, double *evidence,
                                    void *scratch)
{
    const struct likelihood likelihood = {family, sample, evidence, scratch};
    switch (family) {
    case LDP_GAUSSIAN: return ldp_fit_moments(family, sample->mean, sample->variance - sample->s * sample->s);
    case LDP_LAPLACE:
    case LDP_LOG_NORMAL: return fit_two(&likelihood);
    default: return fit_one(&likelihood);
    }
}
