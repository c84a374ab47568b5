/* calibrate.c - posterior mean under a prior of a chosen family, fitted to the estimates.
 *
 * In counts, x = n est_v is the true count f plus noise N(0, s^2), s^2 = n s1 (the f-term dropped), and the answer is
 * E(f | x). Families (prior): power_law on 1 .. n, gaussian, laplace, poisson, exponential, log_normal. Fits (fit):
 *
 *     mean_variance        E f = mean of x, Var f = population variance of x minus s^2; for one parameter only E f
 *     maximum_likelihood   the parameters that maximise sum_v log int p(f) exp(-(x_v - f)^2 / (2 s^2)) df
 *
 * power_law fitted by its mean is power. For gaussian both fits are the same.
 *
 * Source: Jia and Gong, INFOCOM 2019, sec. III: eq. 11, 12 (posterior mean), 14 (noise), 15 (power law), 16
 * (likelihood), 17 to 20 (mean and variance). The fits are in fit.c: the likelihood to 1e-6, over estimates in
 * ascending order, so that the answer does not depend on how values are numbered. Posterior means are exact for the
 * parameters (prior.c, log_normal.c, power_law.c). For poisson and log_normal, estimates that lie close together are
 * interpolated, with an error of at most 1e-13 s.
 *
 * beta > 0: answers below the threshold of base_cut with alpha = beta become 0 (sec. IV-B, with eq. 22).
 *
 * If the fit has no solution, or the likelihood only rises towards a limit, the prior is a point and all answers are
 * equal to it: the mean of x (gaussian, laplace, log_normal if Var f <= 0), or 0 (poisson, exponential, log_normal if E
 * f <= 0). Noise below 1e-20 of a user counts as no noise: the answer is x itself, or the nearest value that the family
 * has. Counts are clipped to 1e100 users in absolute value, and so is their noise.
 *
 * Cost: O(d); for poisson and log_normal up to about a hundred terms for each isolated value and for each of at most
 * about a thousand nodes; maximum likelihood adds about a hundred times a few hundred evaluations. */
#include "laws/classes.h"
#include "numerics/arena.h"
#include "numerics/numeric.h"
#include "priors/chebyshev.h"
#include "priors/fit.h"
#include "priors/power_law.h"
#include "priors/zeta.h"

enum { MEAN_VARIANCE, MAXIMUM_LIKELIHOOD };

#define NO_NOISE 1e-20

enum { NODES = LDP_CHEBYSHEV, PANELS = 128 };

/* In the order of enum ldp_prior_family. */
static const char *const families[] = {"power_law",   "gaussian",   "laplace", "poisson",
                                       "exponential", "log_normal", NULL},
                         *const fits[] = {"mean_variance", "maximum_likelihood", NULL};

static const struct ldp_param params[] = {
    LDP_PARAM_CHOICE("prior", families, LDP_POWER_LAW, LDP_LOG_NORMAL, "family of the distribution of true counts"),
    LDP_PARAM_CHOICE("fit", fits, MEAN_VARIANCE, MAXIMUM_LIKELIHOOD, "how its parameters are found"),
    LDP_PARAM_REAL("beta", 0, 0, 1e15, "answers below base_cut's threshold for this alpha are set to 0; 0: none"),
    {.name = NULL},
};

/* Posterior means of x[d], in place, for families where each is a sum of many terms. Estimates are grouped from the
 * smallest up into panels of width s / 4, and interpolated where that needs fewer sums. The posterior mean is smooth on
 * the scale of s: with the nearest singularity s / 2 away, where the answer jumps from 0 to x, 16 nodes are exact to
 * 1e-13 s. */
static void interpolated_means(const struct ldp_prior *prior, double s, double *x, size_t d, double (*value)[NODES])
{
    const double width = s / 4;
    double least = x[0];
    for (size_t v = 1; v < d; v++)
        least = x[v] < least ? x[v] : least;
    size_t members[PANELS] = {0};
    for (size_t v = 0; v < d; v++)
        if (x[v] - least < PANELS * width)
            members[(size_t)((x[v] - least) / width)]++;
    for (size_t panel = 0; panel < PANELS; panel++)
        for (size_t j = 0; j < NODES && members[panel] > NODES; j++)
            value[panel][j] =
                ldp_posterior_mean(prior, s, least + width * ((double)panel + 0.5 + 0.5 * ldp_chebyshev_node[j]), NULL);
    for (size_t v = 0; v < d; v++) {
        const double position = (x[v] - least) / width;
        const size_t panel = position < PANELS ? (size_t)position : 0;
        if (position < PANELS && members[panel] > NODES)
            x[v] = ldp_chebyshev_interpolate(value[panel], 2 * (position - (double)panel) - 1);
        else
            x[v] = ldp_posterior_mean(prior, s, x[v], NULL);
    }
}

/* Turns x[d] into posterior means, in place; value[PANELS][NODES] is scratch. */
static void posterior_means(const struct ldp_prior *prior, double s, double *x, size_t d, double (*value)[NODES])
{
    /* With noise below 2 users the answers of a law on whole counts have steps, and its sums few terms. */
    if (prior->family == LDP_LOG_NORMAL || (prior->family == LDP_POISSON && s >= 2)) {
        interpolated_means(prior, s, x, d, value);
        return;
    }
    for (size_t v = 0; v < d; v++)
        x[v] = ldp_posterior_mean(prior, s, x[v], NULL);
}

/* The same, each by its own noise. */
static void gaussian_means(const struct ldp_prior *prior, const struct ldp_protocol *protocol, double n,
                           double *restrict x)
{
    const struct ldp_law law = protocol->law;
    const double a = prior->a, s1 = protocol->s1, ratio = n / prior->b / prior->b;
    for (size_t v = 0; v < protocol->d; v++)
        x[v] = a + (x[v] - a) / (1 + ratio * ldp_value_s1_in(&law, s1, v));
}

/* The same, where a mean is a sum by the noise of the value's class. */
static void own_means(const struct ldp_prior *prior, const struct ldp_protocol *protocol, double n, double *x,
                      void *scratch)
{
    if (prior->family == LDP_GAUSSIAN && prior->b > 0) {
        gaussian_means(prior, protocol, n, x);
        return;
    }
    if (prior->family != LDP_POISSON && prior->family != LDP_LOG_NORMAL) {
        for (size_t v = 0; v < protocol->d; v++)
            x[v] = ldp_posterior_mean(prior, ldp_noise_users(n, ldp_value_s1(protocol, v)), x[v], NULL);
        return;
    }
    struct ldp_arena arena = {scratch, 0};
    double(*const value)[NODES] = ldp_take(&arena, PANELS * sizeof *value);
    double *const means = ldp_take(&arena, protocol->d * sizeof *means);
    const struct ldp_classes classes = ldp_classes_of(protocol, arena.block + arena.bytes);
    for (size_t i = 0; i < protocol->d; i++)
        means[i] = x[classes.member[i]];
    for (size_t i = 0; i < classes.nclasses; i++) {
        const uint32_t first = classes.first[i];
        posterior_means(prior, ldp_noise_users(n, classes.s1[i]), means + first, classes.first[i + 1] - first, value);
    }
    for (size_t i = 0; i < protocol->d; i++)
        x[classes.member[i]] = means[i];
}

/* The value of a family that is nearest to x. */
static double nearest(enum ldp_prior_family family, double x)
{
    if (family == LDP_GAUSSIAN || family == LDP_LAPLACE)
        return x;
    if (x < 0)
        return 0;
    return family == LDP_POISSON ? floor(x + 0.5) : x;
}

static size_t power_law_bytes(void)
{
    return ldp_aligned(ldp_power_means_scratch(0));
}

static size_t scratch_bytes(size_t d)
{
    return ldp_aligned(ldp_power_means_scratch(d)) + 3 * d * sizeof(double);
}

/* The prior fitted to the estimates x[d], in users. */
static struct ldp_prior fit_prior(enum ldp_prior_family family, bool likely, double n, double s, const double *x,
                                  size_t d, void *scratch)
{
    double *const sorted = (double *)(void *)((char *)scratch + power_law_bytes());
    if (likely) {
        for (size_t v = 0; v < d; v++)
            sorted[v] = x[v];
        ldp_sort(sorted, d, sorted + d);
        struct ldp_sample sample;
        ldp_sample_init(&sample, n, s, family == LDP_POWER_LAW || family == LDP_POISSON, sorted, sorted + d, d);
        return ldp_fit_likelihood(family, &sample, sorted + 2 * d, scratch);
    }
    const double mean = ldp_sum(x, d) / (double)d;
    double variance = 0;
    for (size_t v = 0; v < d; v++)
        variance += (x[v] - mean) * (x[v] - mean) / (double)d;
    return ldp_fit_moments(family, mean, variance - s * s);
}

static void estimate(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double *const est = collection->est;
    const size_t d = protocol->d;
    const enum ldp_prior_family family = (enum ldp_prior_family)param[0];
    const bool likely = param[1] == MAXIMUM_LIKELIHOOD;
    const double n = (double)collection->n, s = ldp_noise_users(n, protocol->s1);
    for (size_t v = 0; v < d; v++)
        out[v] = fmin(fmax(n * est[v], -LDP_MOST_USERS), LDP_MOST_USERS);
    if (family == LDP_POWER_LAW) {
        const double a = likely && s > NO_NOISE ? fit_prior(family, likely, n, s, out, d, scratch).a
                                                : ldp_zeta_fit(n * (ldp_sum(est, d) / (double)d), n);
        ldp_power_means(protocol, n, a, est, scratch, out);
        return;
    }
    if (s > NO_NOISE) {
        const struct ldp_prior prior = fit_prior(family, likely, n, s, out, d, scratch);
        if (protocol->law.trials)
            own_means(&prior, protocol, n, out, scratch);
        else
            posterior_means(&prior, s, out, d, scratch);
    } else {
        for (size_t v = 0; v < d; v++)
            out[v] = nearest(family, out[v]);
    }
    for (size_t v = 0; v < d; v++)
        out[v] /= n;
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double tail = param[2] / (double)protocol->d;
    estimate(param, collection, scratch, out);
    if (!(param[2] > 0))
        return;
    const double z = tail < 0.5 ? -ldp_normal_quantile(tail) : 0;
    for (size_t v = 0; v < protocol->d; v++)
        out[v] = out[v] >= z * sqrt(ldp_value_s1(protocol, v) / (double)collection->n) ? out[v] : 0;
}

static const char *same_as(const double *param)
{
    return param[0] == LDP_POWER_LAW && param[1] != MAXIMUM_LIKELIHOOD && param[2] == 0 ? "power" : NULL;
}

const struct ldp_method ldp_method_calibrate = {
    .name = "calibrate",
    .title = "Posterior mean under a chosen prior",
    .source = "INFOCOM 2019, sec. III, eq. 11 to 20",
    .guarantees = LDP_KEEPS_ORDER,
    .params = params,
    .same_as = same_as,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
