/* calibrate.c - posterior mean under a prior of a chosen family, fitted to the estimates.
 *
 * In counts, x = n est_v is the true count f plus noise N(0, s^2), s^2 = n s1 (the f-term dropped), and the answer is
 * E(f | x). Families (prior): power_law on 1 .. n, gaussian, laplace, poisson, exponential, log_normal. Fits (fit):
 *
 *     mean_variance        E f = mean of x, Var f = population variance of x minus s^2; of one parameter only E f
 *     maximum_likelihood   the parameters that maximise sum_v log int p(f) exp(-(x_v - f)^2 / (2 s^2)) df
 *
 * power_law fitted by its mean is power. gaussian has the same fit both ways.
 *
 * Source: Jia and Gong, INFOCOM 2019, sec. III: eq. 11, 12 (posterior mean), 14 (noise), 15 (power law), 16
 * (likelihood), 17 to 20 (mean and variance). They maximise by gradient steps; here a family of one parameter is
 * searched on a logarithmic grid and then by golden sections, one of two by the simplex method of Nelder and Mead
 * (1965), over estimates in ascending order, so that the answer does not depend on how values are numbered. The
 * parameters then have some seven digits; for the search the log likelihood of estimates that lie close together is
 * interpolated. Posterior means are exact for the parameters (prior.c, power_law.c); so are those of poisson and
 * log_normal where many lie close together and are interpolated, to 1e-13 s.
 *
 * Where the fit has no solution: Var f <= 0 answers the mean for every value (gaussian, laplace, log_normal), a mean <=
 * 0 is the limit of means above it, where all answers are 0 (poisson, exponential, log_normal). Without noise the
 * answer is x itself, or the nearest value that the family has. Counts beyond 1e100 users on either side are taken for
 * 1e100.
 *
 * Cost: O(d); for poisson and log_normal up to a few hundred terms for each value that stands alone and for some
 * thousand nodes at most; maximum likelihood some 100 times a few hundred evaluations more. */
#include "aligned.h"
#include "ldpbench.h"
#include "numeric.h"
#include "priors/chebyshev.h"
#include "priors/power_law.h"
#include "priors/prior.h"
#include "priors/zeta.h"

#include <math.h>

enum { POWER_LAW, GAUSSIAN, LAPLACE, POISSON, EXPONENTIAL, LOG_NORMAL };
enum { MEAN_VARIANCE, MAXIMUM_LIKELIHOOD };

enum { NODES = LDP_CHEBYSHEV, PANELS = 128 };

static const struct ldp_param params[] = {
    {.name = "prior",
     .kind = LDP_CHOICE,
     .fallback = POWER_LAW,
     .max = LOG_NORMAL,
     .choices = (const char *const[]){"power_law", "gaussian", "laplace", "poisson", "exponential", "log_normal", NULL},
     .help = "family of the law of true counts"},
    {.name = "fit",
     .kind = LDP_CHOICE,
     .fallback = MEAN_VARIANCE,
     .max = MAXIMUM_LIKELIHOOD,
     .choices = (const char *const[]){"mean_variance", "maximum_likelihood", NULL},
     .help = "how its parameters are found"},
    {.name = NULL},
};

static double log_evidence(const struct ldp_prior *prior, double s, double x)
{
    double evidence;

    ldp_posterior_mean(prior, s, x, &evidence);
    return evidence;
}

/* Through value[j] at lo + width (1 + node_j) / 2, at x in [lo, lo + width]. */
static double interpolate(const double value[NODES], double lo, double width, double x)
{
    return ldp_chebyshev_interpolate(value, 2 * ((x - lo) / width) - 1);
}

/* Posterior means where each is a sum of many terms, of x[d] in place: in panels of s / 4 from the least up
 * interpolated, where that is fewer sums. It is smooth on the scale of s: with the nearest singularity half an s away,
 * where the answer jumps from 0 to x, 16 nodes are right to 1e-13 s. */
static void interpolated_means(const struct ldp_prior *prior, double s, double *x, size_t d)
{
    const double width = s / 4;
    double value[PANELS][NODES], least = x[0];
    size_t members[PANELS] = {0};

    for (size_t v = 1; v < d; v++)
        least = x[v] < least ? x[v] : least;
    for (size_t v = 0; v < d; v++)
        if (x[v] - least < PANELS * width)
            members[(size_t)((x[v] - least) / width)]++;
    for (size_t panel = 0; panel < PANELS; panel++)
        for (size_t j = 0; j < NODES && members[panel] > NODES; j++)
            value[panel][j] =
                ldp_posterior_mean(prior, s, least + width * ((double)panel + 0.5 + 0.5 * ldp_chebyshev_node[j]), NULL);
    for (size_t v = 0; v < d; v++) {
        const size_t panel = x[v] - least < PANELS * width ? (size_t)((x[v] - least) / width) : 0;

        if (x[v] - least < PANELS * width && members[panel] > NODES)
            x[v] = interpolate(value[panel], least + width * (double)panel, width, x[v]);
        else
            x[v] = ldp_posterior_mean(prior, s, x[v], NULL);
    }
}

/* The log evidence of x[0] .. x[m-1], all in [lo, lo + width], summed from its Chebyshev interpolant. */
static double sum_interpolated(const struct ldp_prior *prior, double s, double lo, double width, const double *x,
                               size_t m)
{
    double value[NODES], sum = 0;

    for (size_t j = 0; j < NODES; j++)
        value[j] = log_evidence(prior, s, lo + width * (0.5 + 0.5 * ldp_chebyshev_node[j]));
    for (size_t v = 0; v < m; v++)
        sum += interpolate(value, lo, width, x[v]);
    return sum;
}

/* x ascending, in counts. */
static double log_likelihood(const struct ldp_prior *prior, double s, const double *x, size_t d)
{
    const double width = 0.75 * s;
    double sum = 0;

    for (size_t v = 0, next; v < d; v = next) {
        const double panel = floor(x[v] / width);

        next = v + 1;
        while (next < d && floor(x[next] / width) == panel)
            next++;
        if (next - v > NODES)
            sum += sum_interpolated(prior, s, panel * width, width, x + v, next - v);
        else
            for (size_t i = v; i < next; i++)
                sum += log_evidence(prior, s, x[i]);
    }
    return sum;
}

/* ---- Maximum likelihood ---- */

/* What is maximised, over one or two parameters. */
struct objective {
    enum ldp_prior_family family;
    bool power_law;
    double n, s;
    const double *x; /* [d], ascending; frequencies for the power law, counts for the others */
    size_t d;
    double *evidence; /* [d] */
    void *scratch;    /* of the power law */
};

/* Parameters that are positive are told by their logarithm. */
static struct ldp_prior prior_of(enum ldp_prior_family family, const double *theta)
{
    switch (family) {
    case LDP_POISSON:
    case LDP_EXPONENTIAL: return (struct ldp_prior){family, ldp_exp(theta[0]), 0};
    default: return (struct ldp_prior){family, theta[0], ldp_exp(theta[1])};
    }
}

static double likelihood(const struct objective *objective, const double *theta)
{
    if (objective->power_law) {
        double h0, h1;

        ldp_zeta_sums(theta[0], objective->n, &h0, &h1);
        ldp_power_law(theta[0], objective->n, objective->s, objective->x, objective->d, objective->scratch, NULL,
                      objective->evidence);
        return ldp_sum(objective->evidence, objective->d) - (double)objective->d * ldp_log(h0);
    }
    const struct ldp_prior prior = prior_of(objective->family, theta);

    /* A log-normal law of no scale or of all scales: the likelihood levels out, and each value costs ever more. */
    if (objective->family == LDP_LOG_NORMAL && (fabs(theta[0] - ldp_log(objective->s)) > 60 || fabs(theta[1]) > 3))
        return -INFINITY;
    return log_likelihood(&prior, objective->s, objective->x, objective->d);
}

/* The best of a grid of steps, then golden sections between its neighbours. */
static double maximise_one(const struct objective *objective, double lo, double hi, int steps)
{
    static const double golden = 0.61803398874989485;
    double best = -INFINITY, at = lo, a, b, x[2], value[2];

    for (int i = 0; i <= steps; i++) {
        const double theta = lo + (hi - lo) * i / steps, here = likelihood(objective, &theta);

        if (here > best) {
            best = here;
            at = theta;
        }
    }
    a = at - (hi - lo) / steps;
    b = at + (hi - lo) / steps;
    a = a < lo ? lo : a;
    b = b > hi ? hi : b;
    for (int k = 0; k < 2; k++) {
        x[k] = k ? a + golden * (b - a) : b - golden * (b - a);
        value[k] = likelihood(objective, &x[k]);
    }
    for (int i = 0; i < 32; i++) {
        const int drop = value[0] < value[1] ? 0 : 1; /* the end beyond the worse point goes */

        if (drop == 0)
            a = x[0];
        else
            b = x[1];
        x[drop] = x[!drop];
        value[drop] = value[!drop];
        x[!drop] = drop == 0 ? a + golden * (b - a) : b - golden * (b - a);
        value[!drop] = likelihood(objective, &x[!drop]);
    }
    return 0.5 * (a + b);
}

struct vertex {
    double theta[2], value;
};

static struct vertex vertex_at(const struct objective *objective, double first, double second)
{
    struct vertex vertex = {{first, second}, 0};

    vertex.value = likelihood(objective, vertex.theta);
    return vertex;
}

/* from + t (to - from) */
static struct vertex vertex_between(const struct objective *objective, const struct vertex *from, const double to[2],
                                    double t)
{
    return vertex_at(objective, from->theta[0] + t * (to[0] - from->theta[0]),
                     from->theta[1] + t * (to[1] - from->theta[1]));
}

static void sort_vertices(struct vertex vertex[3])
{
    for (int i = 1; i < 3; i++)
        for (int j = i; j > 0 && vertex[j].value > vertex[j - 1].value; j--) {
            const struct vertex spare = vertex[j];

            vertex[j] = vertex[j - 1];
            vertex[j - 1] = spare;
        }
}

/* Nelder and Mead in two dimensions; theta is the start, then the result. */
static void maximise_two(const struct objective *objective, double theta[2], const double step[2])
{
    struct vertex vertex[3] = {vertex_at(objective, theta[0], theta[1]),
                               vertex_at(objective, theta[0] + step[0], theta[1]),
                               vertex_at(objective, theta[0], theta[1] + step[1])};

    for (int i = 0; i < 200; i++) {
        double centre[2];
        struct vertex next;

        sort_vertices(vertex);
        if (fabs(vertex[2].theta[0] - vertex[0].theta[0]) <= 1e-8 * step[0] &&
            fabs(vertex[2].theta[1] - vertex[0].theta[1]) <= 1e-8 * step[1])
            break;
        for (int k = 0; k < 2; k++)
            centre[k] = 0.5 * (vertex[0].theta[k] + vertex[1].theta[k]);
        next = vertex_between(objective, &vertex[2], centre, 2);
        if (next.value > vertex[0].value) {
            const struct vertex further = vertex_between(objective, &vertex[2], centre, 3);

            vertex[2] = further.value > next.value ? further : next;
            continue;
        }
        if (next.value > vertex[1].value) {
            vertex[2] = next;
            continue;
        }
        next = vertex_between(objective, &vertex[2], centre, next.value > vertex[2].value ? 1.5 : 0.5);
        if (next.value > vertex[2].value) {
            vertex[2] = next;
            continue;
        }
        vertex[1] = vertex_between(objective, &vertex[1], vertex[0].theta, 0.5);
        vertex[2] = vertex_between(objective, &vertex[2], vertex[0].theta, 0.5);
    }
    sort_vertices(vertex);
    theta[0] = vertex[0].theta[0];
    theta[1] = vertex[0].theta[1];
}

/* ---- The fit ---- */

/* Mean and variance of f; the parameters that have them. False: the prior is degenerate, all answers are *answer. */
static bool fit_moments(enum ldp_prior_family family, double mean, double variance, struct ldp_prior *prior,
                        double *answer)
{
    const double least = 1e-50; /* a mean below it is none */

    *prior = (struct ldp_prior){.family = family, .a = mean};
    *answer = mean;
    switch (family) {
    case LDP_GAUSSIAN: prior->b = sqrt(variance > 0 ? variance : 0); return variance > 0;
    case LDP_LAPLACE: prior->b = sqrt(variance > 0 ? variance / 2 : 0); return variance > 0;
    case LDP_POISSON:
    case LDP_EXPONENTIAL: *answer = 0; return mean > least;
    case LDP_LOG_NORMAL: break;
    }
    if (!(mean > least) || !(variance > 0)) {
        *answer = mean > least ? mean : 0;
        return false;
    }
    const double square = ldp_log1p(variance / mean / mean);

    prior->a = ldp_log(mean) - square / 2;
    prior->b = sqrt(square);
    return true;
}

/* Where the moments give no start, the search begins at the scale of the noise. */
static void fit_likelihood(const struct objective *objective, bool has_moments, struct ldp_prior *prior)
{
    const double s = objective->s, *x = objective->x, largest = x[objective->d - 1] > s ? x[objective->d - 1] : s;
    double theta[2] = {prior->a, 0}, step[2] = {1, 1};

    switch (objective->family) {
    case LDP_GAUSSIAN: return;
    case LDP_POISSON:
    case LDP_EXPONENTIAL: theta[0] = maximise_one(objective, ldp_log(1e-4 * s), ldp_log(2 * largest), 40); break;
    case LDP_LAPLACE:
        theta[0] = prior->a;
        theta[1] = ldp_log(has_moments && prior->b > 0.1 * s ? prior->b : 0.1 * s);
        step[0] = s;
        maximise_two(objective, theta, step);
        break;
    case LDP_LOG_NORMAL:
        theta[0] = has_moments ? prior->a : ldp_log(s);
        theta[1] = has_moments && prior->b > 0.1 && prior->b < 10 ? ldp_log(prior->b) : 0;
        maximise_two(objective, theta, step);
        break;
    }
    *prior = prior_of(objective->family, theta);
}

/* ---- The method ---- */

static double clamp(double x)
{
    return x < -1e100 ? -1e100 : x > 1e100 ? 1e100 : x;
}

/* The value of a family that is nearest to x. */
static double without_noise(enum ldp_prior_family family, double x)
{
    if (family == LDP_GAUSSIAN || family == LDP_LAPLACE)
        return x;
    if (x < 0)
        return 0;
    return family == LDP_POISSON ? floor(x + 0.5) : x;
}

static size_t power_law_bytes(void)
{
    return ldp_aligned(ldp_power_law_scratch());
}

static size_t scratch_bytes(size_t d)
{
    return power_law_bytes() + 2 * d * sizeof(double);
}

static void apply_power_law(struct objective *objective, bool likely, const double *est, double *out)
{
    const double n = objective->n, s = objective->s;
    double a = ldp_zeta_fit(n * (ldp_sum(est, objective->d) / (double)objective->d), n);

    objective->power_law = true;
    if (likely && s > 0)
        a = maximise_one(objective, 0, 16, 64);
    ldp_power_law(a, n, s, est, objective->d, objective->scratch, out, NULL);
}

static void apply(const double *param, const struct ldp_protocol *protocol, uint64_t users, const double *est,
                  void *scratch, double *out)
{
    const size_t d = protocol->d;
    const bool power_law = param[0] == POWER_LAW, likely = param[1] == MAXIMUM_LIKELIHOOD;
    const enum ldp_prior_family family = power_law ? LDP_GAUSSIAN : (enum ldp_prior_family)(param[0] - GAUSSIAN);
    const double n = (double)users, s = sqrt(n * protocol->s1);
    double *const sorted = (double *)((char *)scratch + power_law_bytes()), *const work = sorted + d;
    struct objective objective = {
        .family = family, .n = n, .s = s, .x = sorted, .d = d, .evidence = work, .scratch = scratch};
    const double *const x = likely ? sorted : out;
    double mean = 0, variance = 0, answer;
    struct ldp_prior prior;
    bool proper;

    if (likely) {
        for (size_t v = 0; v < d; v++)
            sorted[v] = power_law ? est[v] : clamp(n * est[v]);
        ldp_sort(sorted, d, work);
    }
    if (power_law) {
        apply_power_law(&objective, likely, est, out);
        return;
    }
    for (size_t v = 0; v < d; v++)
        out[v] = clamp(n * est[v]);
    mean = ldp_sum(x, d) / (double)d;
    for (size_t v = 0; v < d; v++)
        variance += (x[v] - mean) * (x[v] - mean) / (double)d;
    proper = fit_moments(family, mean, variance - s * s, &prior, &answer);
    if (likely && s > 0 && family != LDP_GAUSSIAN) {
        fit_likelihood(&objective, proper, &prior);
        proper = true;
    }
    if (s > 0 && proper && (family == LDP_POISSON || family == LDP_LOG_NORMAL))
        interpolated_means(&prior, s, out, d);
    else
        for (size_t v = 0; v < d; v++)
            out[v] = !(s > 0)  ? without_noise(family, out[v])
                     : !proper ? answer
                               : ldp_posterior_mean(&prior, s, out[v], NULL);
    for (size_t v = 0; v < d; v++)
        out[v] /= n;
}

const struct ldp_method ldp_method_calibrate = {
    .name = "calibrate",
    .title = "Posterior mean under a chosen prior",
    .source = "INFOCOM 2019, sec. III, eq. 11 to 20",
    .guarantees = LDP_KEEPS_ORDER,
    .params = params,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
