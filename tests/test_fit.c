/* Fits by maximum likelihood against GSL's maximisation from many starts, on data that are easy and hard. */
#include "ldp.h"
#include "numerics/numeric.h"
#include "priors/fit.h"
#include "priors/power_law.h"
#include "priors/zeta.h"
#include "quick.h"
#include "setup.h"
#include "simd/simd.h"

#include <criterion/criterion.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_min.h>
#include <gsl/gsl_multimin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = 64 };

static const char *const names[] = {"power_law",   "gaussian",   "laplace", "poisson",
                                    "exponential", "log_normal", "point"};

/* ---- Data ---- */

struct data {
    double n, s;
    double x[D];
    void *scratch;
};

enum kind { UNIFORM_3, UNIFORM_5, ZIPF, NEGATIVE, SPIKE, CLUSTERS, GIANTS, EQUAL, FLAT, FAINT, QUIET, KINDS };

static const char *const kinds[KINDS] = {
    "uniform, epsilon 3", "uniform, epsilon 5", "zipf",      "all negative",    "one spike",
    "two clusters",       "zeros and giants",   "all equal", "less than noise", "faint",
    "little noise"};

static void make(enum kind kind, uint64_t draw, struct data *data)
{
    struct ldp_rng rng = make_stream(1, kinds[kind], draw);
    data->n = 640000;
    data->s = 400;
    if (kind == UNIFORM_3 || kind == UNIFORM_5) {
        const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("olh"), .param = {NAN}};

        struct ldp_protocol protocol = make_protocol(&oracle, D, kind == UNIFORM_3 ? 3 : 5);
        data->s = data->n * ldp_sigma(&protocol, (uint64_t)data->n);
    }
    if (kind == QUIET)
        data->s = 0.4;
    for (size_t v = 0; v < D; v++) {
        const double z = ldp_normal_quantile(ldp_rng_uniform(&rng)), u = ldp_rng_uniform(&rng), s = data->s;
        double f = 0, noise = 1;

        switch (kind) {
        case ZIPF: f = 250000 * pow((double)v + 1, -1.5); break;
        case NEGATIVE: f = -3 * s * u; break;
        case SPIKE: f = v == 0 ? data->n : 0; break;
        case CLUSTERS: f = v % 2 ? 20 * s : 0; break;
        case GIANTS: f = v < 4 ? pow(10, 3 + (double)v / 2) : 0; break;
        case EQUAL: f = data->n / D, noise = 0; break;
        case FLAT: f = 3 * s, noise = 0.5; break;
        case FAINT: f = 0.3 * s * u; break;
        case QUIET: f = floor(-3 * log(u)); break;
        default: f = data->n / D; break;
        }
        data->x[v] = f + noise * s * z;
    }
    ldp_sort(data->x, D, (double[D]){0});
}

/* The log likelihood, estimate by estimate, or of a log-normal law with one lattice for all of them, which is faster
 * and near it (log_normal_evidence_by_one_lattice): good enough to search by. */
static double log_likelihood(const struct data *data, const struct ldp_prior *prior, bool searching)
{
    double evidence[D];

    if (prior->family == LDP_POWER_LAW) {
        double est[D];
        for (size_t v = 0; v < D; v++)
            est[v] = data->x[v] / data->n;
        double h0, h1;
        ldp_zeta_sums(prior->a, data->n, &h0, &h1);
        ldp_power_law(prior->a, data->n, data->s, est, D, data->scratch, NULL, evidence);
        return ldp_sum(evidence, D) - D * log(h0);
    }
    if (prior->family == LDP_LOG_NORMAL && searching)
        ldp_log_normal_evidence(prior, data->s, data->x, D, data->scratch, evidence);
    else
        for (size_t v = 0; v < D; v++)
            ldp_posterior_mean(prior, data->s, data->x[v], &evidence[v]);
    return ldp_sum(evidence, D);
}

/* ---- GSL's maximum ---- */

struct search {
    const struct data *data;
    enum ldp_prior_family family;
    bool searching;
};

static double minus(const struct search *search, double a, double log_b)
{
    const struct ldp_prior prior = {search->family, a, exp(log_b)};
    const bool far = log_b < -20 + (search->family == LDP_LAPLACE ? log(search->data->s) : 0) || log_b > 30 ||
                     (search->family == LDP_LOG_NORMAL && (fabs(a) > 1000 || log_b > 6));
    const double value = far ? -1e10 : log_likelihood(search->data, &prior, search->searching);

    return value > -1e10 ? -value : 1e10;
}

static double minus_one(double a, void *context)
{
    const struct search *const search = context;
    const struct ldp_prior prior = {search->family, search->family == LDP_POWER_LAW ? a : exp(a), 0};

    return -log_likelihood(search->data, &prior, false);
}

static double minus_two(const gsl_vector *x, void *context)
{
    return minus(context, gsl_vector_get(x, 0), gsl_vector_get(x, 1));
}

static double best_of_one(struct search *search, double lo, double hi)
{
    enum { GRID = 300 };
    gsl_min_fminimizer *const minimizer = gsl_min_fminimizer_alloc(gsl_min_fminimizer_brent);
    double best = INFINITY;

    for (int i = 0; i <= GRID; i++)
        best = fmin(best, minus_one(lo + (hi - lo) * i / GRID, search));
    gsl_function function = {minus_one, search};
    for (int i = 1; i < GRID; i++) {
        const double at = lo + (hi - lo) * i / GRID, step = (hi - lo) / GRID;

        if (gsl_min_fminimizer_set(minimizer, &function, at, at - step, at + step))
            continue;
        for (int k = 0; k < 60; k++)
            gsl_min_fminimizer_iterate(minimizer);
        best = fmin(best, gsl_min_fminimizer_f_minimum(minimizer));
    }
    gsl_min_fminimizer_free(minimizer);
    return -best;
}

static double climb(struct search *search, double a, double log_b, double step_a)
{
    gsl_multimin_fminimizer *const minimizer = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, 2);
    gsl_vector *const x = gsl_vector_alloc(2), *const step = gsl_vector_alloc(2);

    gsl_vector_set(x, 0, a);
    gsl_vector_set(x, 1, log_b);
    gsl_vector_set(step, 0, step_a);
    gsl_vector_set(step, 1, 0.3);
    gsl_multimin_function function = {minus_two, 2, search};
    gsl_multimin_fminimizer_set(minimizer, &function, x, step);
    for (int i = 0; i < 120 && gsl_multimin_fminimizer_size(minimizer) > 1e-7; i++)
        if (gsl_multimin_fminimizer_iterate(minimizer))
            break;
    search->searching = false;
    const double best = minus_two(gsl_multimin_fminimizer_x(minimizer), search);
    search->searching = true;
    gsl_vector_free(x);
    gsl_vector_free(step);
    gsl_multimin_fminimizer_free(minimizer);
    return -best;
}

struct start {
    double a, log_b, step, value;
};

static int better(const void *a, const void *b)
{
    const struct start *const x = a, *const y = b;

    return (x->value > y->value) - (x->value < y->value);
}

/* From widths between a hundredth of the noise and ten times the data, and places between all estimates: from the best
 * four of many starts, and four others. */
static double best_of_two(struct search *search)
{
    enum { MANY = 2000 };
    const struct data *const data = search->data;
    const double s = data->s, largest = fmax(data->x[D - 1], s);
    static struct start starts[MANY];
    size_t count = 0;

    if (search->family == LDP_LAPLACE) {
        for (int i = 0; i <= 20; i++)
            for (double b = 0.03 * s; b < 3 * largest; b *= 3)
                starts[count++] = (struct start){data->x[i * (D - 1) / 20], log(b), 0.3 * (b + s), 0};
    } else {
        for (double b = fmin(0.1, 0.1 * s / largest); b < 200; b *= 2)
            for (int i = -16; i <= 12; i += 3)
                starts[count++] =
                    (struct start){log(s) + i * log(largest / s + 2) / 12, log(b), 0.2 * (b + s / largest), 0};
    }
    cr_assert_lt(count, MANY);
    for (size_t i = 0; i < count; i++)
        starts[i].value = minus(search, starts[i].a, starts[i].log_b);
    qsort(starts, count, sizeof *starts, better);
    double best = -INFINITY;
    for (size_t i = 0; i < count; i += i < 4 ? 1 : count / 4)
        best = fmax(best, climb(search, starts[i].a, starts[i].log_b, starts[i].step));
    return best;
}

/* Points that the family shrinks to. */
static double best_of_points(const struct data *data, enum ldp_prior_family family)
{
    double mean = 0;

    for (size_t v = 0; v < D; v++)
        mean += data->x[v] / D;
    if (family == LDP_POWER_LAW)
        return -INFINITY;
    if (family == LDP_POISSON || family == LDP_EXPONENTIAL)
        mean = 0;
    if (family == LDP_LOG_NORMAL)
        mean = fmax(mean, 0);
    return log_likelihood(data, &(struct ldp_prior){LDP_POINT, mean, 0}, false);
}

static double best_of_all(const struct data *data, enum ldp_prior_family family)
{
    struct search search = {data, family, true};
    const double point = best_of_points(data, family), largest = fmax(data->x[D - 1], data->s);

    switch (family) {
    case LDP_POWER_LAW: return best_of_one(&search, 0, 64);
    case LDP_POISSON:
    case LDP_EXPONENTIAL: return fmax(point, best_of_one(&search, log(1e-6 * data->s), log(3 * largest)));
    default: return fmax(point, best_of_two(&search));
    }
}

Test(fit, likelihood_is_maximal, SLOW, .timeout = 1800)
{
    struct data data = {.scratch = malloc(ldp_power_law_scratch())};

    gsl_set_error_handler_off();
    for (enum kind kind = 0; kind < KINDS; kind++) {
        make(kind, 0, &data);
        for (enum ldp_prior_family family = 0; family <= LDP_LOG_NORMAL; family++) {
            const bool lattice = family == LDP_POWER_LAW || family == LDP_POISSON;

            double work[3 * D];
            memcpy(work, data.x, sizeof data.x);
            struct ldp_sample sample;
            ldp_sample_init(&sample, data.n, data.s, lattice, work, work + D, D);
            const struct ldp_prior prior = ldp_fit_likelihood(family, &sample, work + 2 * D, data.scratch);
            const double got = log_likelihood(&data, &prior, false), want = best_of_all(&data, family);

            cr_expect(got > want - 1e-6, "%s on %s: %s(%.10g, %.10g) has %.9f, GSL found %.9f", names[family],
                      kinds[kind], names[prior.family], prior.a, prior.b, got, want);
        }
    }
    free(data.scratch);
}

/* Many estimates by one lattice have the evidence that each has by itself, at every vector level. */
Test(fit, log_normal_evidence_by_one_lattice, SLOW)
{
    enum { M = 60 };
    const double s = 1920;
    double x[M], shared[M], again[M];
    void *const scratch = malloc(ldp_log_normal_scratch());

    for (size_t j = 0; j < M; j++)
        x[j] = s * (j < 20 ? -5 + 0.5 * (double)j : 5 * pow(1.1, (double)(j - 20)));
    for (double b = 0.02; b < 30; b *= 1.7)
        for (double a = -10; a < 14; a += 1.3) {
            const struct ldp_prior prior = {LDP_LOG_NORMAL, a, b};

            ldp_log_normal_evidence(&prior, s, x, M, scratch, shared);
            for (size_t j = 0; j < M; j++) {
                double alone;

                ldp_posterior_mean(&prior, s, x[j], &alone);
                cr_expect(fabs(shared[j] - alone) <= 1e-9 * fmax(1, fabs(alone)),
                          "a %g, b %g, x %g s: %.12g, not %.12g", a, b, x[j] / s, shared[j], alone);
            }
            for (int level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++)
                if (ldp_simd_available((enum ldp_simd)level)) {
                    ldp_simd_use((enum ldp_simd)level);
                    ldp_log_normal_evidence(&prior, s, x, M, scratch, again);
                    cr_expect_arr_eq(again, shared, sizeof again, "a %g, b %g, %s", a, b,
                                     ldp_simd_name((enum ldp_simd)level));
                }
            ldp_simd_use(LDP_SIMD_LEVELS);
        }
    free(scratch);
}
