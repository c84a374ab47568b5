/* calibrate: fits and posterior means of every family against sums and quadrature in extended precision. */
#include "ldp.h"
#include "numerics/numeric.h"
#include "priors/power_law.h"
#include "priors/prior.h"
#include "priors/zeta.h"
#include "quick.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POWER_LAW, GAUSSIAN, LAPLACE, POISSON, EXPONENTIAL, LOG_NORMAL, FAMILIES };
enum { MOMENTS, LIKELIHOOD };

static const char *const names[FAMILIES] = {"power_law", "gaussian", "laplace", "poisson", "exponential", "log_normal"};

static void calibrate(int prior, int fit, const struct ldp_protocol *protocol, uint64_t n, const double *est,
                      double *out)
{
    const struct ldp_method_spec spec = {.method = ldp_method_find("calibrate"), .param = {prior, fit}};
    void *const scratch = malloc(ldp_postprocess_scratch(&spec, protocol->d));

    cr_assert(ldp_params_valid(spec.method->params, spec.param));
    ldp_postprocess(&spec, &(struct ldp_collection){protocol, n, NULL, est}, scratch, out);
    free(scratch);
}

/* ---- References ---- */

/* log of a prior's density at f: a, b as struct ldp_prior has them. */
static long double log_prior(int family, long double a, long double b, long double f)
{
    const long double root = 2.50662827463100050241576528481104525L; /* of 2 pi */

    switch (family) {
    case GAUSSIAN: return -(f - a) * (f - a) / (2 * b * b) - logl(b * root);
    case LAPLACE: return -fabsl(f - a) / b - logl(2 * b);
    case POISSON: return f * logl(a) - a - lgammal(f + 1);
    case EXPONENTIAL: return -f / a - logl(a);
    default: return -(logl(f) - a) * (logl(f) - a) / (2 * b * b) - logl(b * f * root);
    }
}

struct reference {
    long double mean, evidence;
};

struct sums {
    long double largest, mass, moment;
};

static void add(struct sums *sums, long double f, long double log_w, long double weight)
{
    if (log_w > sums->largest) {
        const long double down = expl(sums->largest - log_w);

        sums->mass *= down;
        sums->moment *= down;
        sums->largest = log_w;
    }
    const long double w = weight * expl(log_w - sums->largest);

    sums->mass += w;
    sums->moment += w * f;
}

/* Gauss-Legendre, 5 points on each of many panels. Log-normal laws are integrated over log f. */
static void integrate(int family, long double a, long double b, long double s, long double x, long double lo,
                      long double hi, int panels, struct sums *sums)
{
    static const long double node[] = {0, 0.538469310105683091036314420700208805L,
                                       0.906179845938663992797626878299392965L};
    static const long double weight[] = {0.568888888888888888888888888888888889L,
                                         0.478628670499366468041291514835638193L,
                                         0.236926885056189087514264040719917363L};
    const long double half = (hi - lo) / panels / 2;

    for (int i = 0; i < panels; i++)
        for (int j = -2; j <= 2; j++) {
            const long double at = lo + half * (2 * i + 1 + (j < 0 ? -node[-j] : node[j]));
            const long double f = family == LOG_NORMAL ? expl(at) : at;
            const long double log_w = log_prior(family, a, b, f) - (x - f) * (x - f) / (2 * s * s);

            add(sums, f, log_w + (family == LOG_NORMAL ? at : 0), half * weight[abs(j)]);
        }
}

static struct reference reference(int family, long double a, long double b, long double s, long double x)
{
    const long double spread = family == GAUSSIAN ? b : s, lo = fminl(x, a) - 15 * (s + spread);
    const long double hi = fmaxl(x, a) + 15 * (s + spread);
    struct sums sums = {-INFINITY, 0, 0};

    switch (family) {
    case GAUSSIAN: integrate(family, a, b, s, x, lo, hi, 2000, &sums); break;
    case LAPLACE:
        integrate(family, a, b, s, x, lo, a, 2000, &sums);
        integrate(family, a, b, s, x, a, hi, 2000, &sums);
        break;
    case EXPONENTIAL: integrate(family, a, b, s, x, 0, fmaxl(x, 0) + 20 * s, 2000, &sums); break;
    case POISSON:
        for (int i = 0; i < fmaxl(a, x) + 40 * (sqrtl(fmaxl(a, x)) + 1); i++) {
            const long double k = i;

            add(&sums, k, log_prior(family, a, b, k) - (x - k) * (x - k) / (2 * s * s), 1);
        }
        break;
    default:
        integrate(family, a, b, s, x, fminl(a - 12 * b, logl(s) - 12), fmaxl(a + 12 * b, logl(fmaxl(x, s)) + 3), 6000,
                  &sums);
    }
    return (struct reference){sums.moment / sums.mass, logl(sums.mass) + sums.largest};
}

/* ---- Posterior means ---- */

#define WORST 1e-10 /* of the largest of |x|, s and the prior's mean */

Test(calibrate, posterior_means_are_exact, SLOW, .timeout = 1800)
{
    static const enum ldp_prior_family family_of[FAMILIES] = {0,           LDP_GAUSSIAN,    LDP_LAPLACE,
                                                              LDP_POISSON, LDP_EXPONENTIAL, LDP_LOG_NORMAL};
    static const double scales[] = {0.8, 25, 1900}, means[] = {0.05, 1, 7}, ratios[] = {0.02, 0.6, 1, 5};
    static const double places[] = {-9, -3, -0.7, 0, 0.4, 2.5, 6, 11, 30};
    double worst[FAMILIES] = {0};

    for (int family = GAUSSIAN; family < FAMILIES; family++)
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++)
                for (size_t k = 0; k < (family == POISSON || family == EXPONENTIAL ? 1 : 4); k++)
                    for (size_t l = 0; l < sizeof places / sizeof *places; l++) {
                        const double s = scales[i], mean = means[j] * s, x = places[l] * s;
                        const double a = family == LOG_NORMAL ? log(mean) : mean;
                        const double b = family == LOG_NORMAL ? ratios[k] : ratios[k] * s;
                        const struct ldp_prior prior = {family_of[family], a, b};
                        const struct reference want = reference(family, a, b, s, x);
                        double evidence;
                        const double got = ldp_posterior_mean(&prior, s, x, &evidence);
                        const double error = fabs(got - (double)want.mean) / fmax(fmax(fabs(x), s), mean);

                        cr_expect(error < WORST, "%s(%g, %g), s %g, x %g: %.15g, not %.15Lg", names[family], a, b, s, x,
                                  got, want.mean);
                        cr_expect(fabs(evidence - (double)want.evidence) < 1e-10 * fmax(1, fabs((double)want.evidence)),
                                  "%s(%g, %g), s %g, x %g: evidence %.15g, not %.15Lg", names[family], a, b, s, x,
                                  evidence, want.evidence);
                        worst[family] = fmax(worst[family], error);
                    }
    for (int family = GAUSSIAN; family < FAMILIES; family++)
        cr_log_info("%s: largest error %.2g", names[family], worst[family]);
}

/* By completing squares: a normal variable above 0, far below 0 as 1 / a - 2 / a^3 + 10 / a^5 .. */
Test(calibrate, exponential_far_below)
{
    const struct ldp_prior prior = {LDP_EXPONENTIAL, 1e-3, 0};
    const double a = 1e5 + 1e3; /* s / mean - x / s */

    cr_expect_float_eq(ldp_posterior_mean(&prior, 100, -1e5, NULL), 100 * (1 / a - 2 / (a * a * a)), 1e-15);
}

/* A narrow prior wins over any estimate, a wide one over none. */
Test(calibrate, extreme_widths)
{
    static const enum ldp_prior_family families[] = {LDP_GAUSSIAN, LDP_LAPLACE, LDP_LOG_NORMAL};

    for (size_t i = 0; i < 3; i++) {
        const bool is_log = families[i] == LDP_LOG_NORMAL;
        const struct ldp_prior narrow = {families[i], is_log ? log(500) : 500, is_log ? 1e-9 : 1e-6};
        const struct ldp_prior wide = {families[i], is_log ? log(500) : 500, is_log ? 1e3 : 1e9};

        cr_expect_float_eq(ldp_posterior_mean(&narrow, 30, 530, NULL), 500, 1e-4);
        cr_expect_float_eq(ldp_posterior_mean(&narrow, 30, -1e5, NULL), 500, 1e-2);
        cr_expect_float_eq(ldp_posterior_mean(&wide, 30, 1e6, NULL), 1e6, 1e-2);
        cr_expect_float_eq(ldp_posterior_mean(&wide, 30, 1e50, NULL), 1e50, 1e40);
    }
}

/* ---- Fits ---- */

enum { D = 300 };
static const uint64_t users = 40000;

/* Counts of a law of that family with something like noise of standard deviation s on them. */
static double estimates(int family, double *est, struct ldp_protocol *protocol)
{
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    const double n = (double)users;

    cr_assert_eq(ldp_protocol_init(protocol, &oracle, D, 2, NULL), LDP_OK);
    struct ldp_rng rng = make_stream(4, "test_calibrate", (uint64_t)family);
    const double s = sqrt(n * protocol->s1);

    for (size_t v = 0; v < D; v++) {
        const double u = ldp_rng_uniform(&rng), w = ldp_rng_uniform(&rng) - 0.5, z = ldp_normal_quantile(u);
        double f = 0;

        switch (family) {
        case POWER_LAW: f = fmin(n, pow(u, -1 / 0.6)); break;
        case GAUSSIAN: f = 700 + 1.5 * s * z; break;
        case LAPLACE: f = 500 - s * (w < 0 ? -1 : 1) * log(1 - 2 * fabs(w)); break;
        case POISSON: f = 2 * s; break;
        case EXPONENTIAL: f = -2 * s * log(u); break;
        default: f = s * exp(1.2 * z); break;
        }
        est[v] = (f + s * ldp_normal_quantile(ldp_rng_uniform(&rng))) / n;
    }
    return s;
}

/* A prior from mean and population variance, all in extended precision. */
static void moments_prior(int family, const double *est, size_t d, long double s, long double *a, long double *b)
{
    long double mean = 0;

    for (size_t v = 0; v < d; v++)
        mean += (long double)users * est[v] / d;
    long double variance = 0;
    for (size_t v = 0; v < d; v++)
        variance += ((long double)users * est[v] - mean) * ((long double)users * est[v] - mean) / d;
    variance -= s * s;
    cr_assert(mean > 0 && variance > 0);
    *a = mean;
    *b = sqrtl(variance);
    if (family == LAPLACE)
        *b = sqrtl(variance / 2);
    if (family == LOG_NORMAL) {
        *b = sqrtl(logl(1 + variance / (mean * mean)));
        *a = logl(mean) - *b * *b / 2;
    }
}

Test(calibrate, mean_and_variance, SLOW, .timeout = 1800)
{
    for (int family = GAUSSIAN; family < FAMILIES; family++) {
        double est[D];
        struct ldp_protocol protocol;
        const double s = estimates(family, est, &protocol);

        if (family == POISSON) /* its law has no variance to speak of here */
            est[0] += 0.5;
        long double a, b;
        moments_prior(family, est, D, s, &a, &b);
        double out[D];
        calibrate(family, MOMENTS, &protocol, users, est, out);
        for (size_t v = 0; v < D; v += 7) {
            const struct reference want = reference(family, a, b, s, (long double)users * est[v]);
            const double scale = fmax(fmax(fabs(est[v]), s / (double)users), (double)want.mean / (double)users);

            cr_expect_float_eq(out[v], (double)(want.mean / users), 1e-9 * scale, "%s value %zu", names[family], v);
        }
    }
}

/* Many estimates close together, whose answers are interpolated: as exact, where the law has a heavy tail, so that
 * answers jump, as well; and far from 0. */
Test(calibrate, means_of_many_values, SLOW, .timeout = 1800)
{
    enum { MANY = 4000 };
    static const double tails[] = {800, 3000, 20000};
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    static double est[MANY], out[MANY];
    const double n = (double)users;

    struct ldp_protocol protocol = make_protocol(&oracle, MANY, 2);
    const double s = sqrt(n * protocol.s1);
    for (int family = POISSON; family <= LOG_NORMAL; family += LOG_NORMAL - POISSON)
        for (size_t i = 0; i < sizeof tails / sizeof *tails; i++)
            for (int far = 0; far < 2; far++) {
                const double centre = far ? 2000 : 20;

                struct ldp_rng rng = make_stream(5, "means_of_many_values", i);
                for (size_t v = 0; v < MANY; v++) {
                    const double f = v % 100 == 0 ? tails[i] : centre * (0.5 + ldp_rng_uniform(&rng));

                    est[v] = (f + s * ldp_normal_quantile(ldp_rng_uniform(&rng))) / n;
                }
                long double a, b;
                moments_prior(family, est, MANY, s, &a, &b);
                calibrate(family, MOMENTS, &protocol, users, est, out);
                for (size_t v = 0; v < MANY; v += 151) {
                    const struct reference want = reference(family, a, b, s, (long double)users * est[v]);
                    const double scale = fmax(fmax(fabs(est[v]), s / n), (double)want.mean / n);

                    cr_expect_float_eq(out[v], (double)(want.mean / users), 1e-10 * scale,
                                       "%s, tail %g, value %zu: off by %.2g", names[family], tails[i], v,
                                       (out[v] - (double)(want.mean / users)) / scale);
                }
            }
}

Test(calibrate, power_law_by_its_mean_is_power)
{
    double est[D];
    const struct ldp_method_spec spec = {.method = ldp_method_find("power")};
    struct ldp_protocol protocol;
    void *const scratch = malloc(ldp_postprocess_scratch(&spec, D));

    estimates(POWER_LAW, est, &protocol);
    double power[D];
    ldp_postprocess(&spec, &(struct ldp_collection){&protocol, users, NULL, est}, scratch, power);
    double out[D];
    calibrate(POWER_LAW, MOMENTS, &protocol, users, est, out);
    cr_expect_arr_eq(out, power, sizeof out);
    free(scratch);
}

/* sum_v log int p(f) w_v(f) df; quadrature holds the evidence to account above. */
static double log_likelihood(enum ldp_prior_family family, const double *est, double s, double a, double b)
{
    const struct ldp_prior prior = {family, a, b};
    double sum = 0;

    for (size_t v = 0; v < D; v++) {
        double evidence;
        ldp_posterior_mean(&prior, s, (double)users * est[v], &evidence);
        sum += evidence;
    }
    return sum;
}

/* Which prior of a family a posterior mean came from cannot be seen in it; so likelihood is compared through answers:
 * the reference's own maximum, found on a fine grid round the best, must give the same answers. */
Test(calibrate, likelihood_of_one_parameter, .timeout = 1800)
{
    for (int family = POISSON; family <= EXPONENTIAL; family++) {
        double est[D];
        struct ldp_protocol protocol;
        const double s = estimates(family, est, &protocol);
        const enum ldp_prior_family id = family == POISSON ? LDP_POISSON : LDP_EXPONENTIAL;
        double lo = 1e-2 * s, hi = 20 * s;

        while (hi - lo > 1e-6 * lo) {
            const double x = lo + (hi - lo) / 3, y = hi - (hi - lo) / 3;

            if (log_likelihood(id, est, s, x, 0) < log_likelihood(id, est, s, y, 0))
                lo = x;
            else
                hi = y;
        }
        double out[D];
        calibrate(family, LIKELIHOOD, &protocol, users, est, out);
        for (size_t v = 0; v < D; v += 11) {
            const struct reference want = reference(family, lo, 0, s, (long double)users * est[v]);

            cr_expect_float_eq((double)users * out[v], (double)want.mean, 1e-5 * s, "%s value %zu", names[family], v);
        }
    }
}

Test(calibrate, likelihood_of_two_parameters, KEPT, .timeout = 1800)
{
    for (int family = LAPLACE; family <= LOG_NORMAL; family += LOG_NORMAL - LAPLACE) {
        double est[D];
        struct ldp_protocol protocol;
        const double s = estimates(family, est, &protocol);
        const enum ldp_prior_family id = family == LAPLACE ? LDP_LAPLACE : LDP_LOG_NORMAL;
        double a = family == LAPLACE ? 500 : log(s), b = family == LAPLACE ? s : 1.2, step = 0.2;
        double best = -INFINITY;

        /* A pattern search. */
        while (step > 1e-7) {
            const double unit = family == LAPLACE ? s : 1, from_a = a, from_b = b;

            for (int move = 0; move < 9; move++) {
                const int by_a = move / 3 - 1, by_b = move % 3 - 1;
                const double next_a = from_a + by_a * step * unit, next_b = from_b + by_b * step * unit * 0.7;
                const double sum = next_b > 0 ? log_likelihood(id, est, s, next_a, next_b) : -INFINITY;

                if (sum > best + 1e-12 * fabs(sum)) {
                    best = sum;
                    a = next_a;
                    b = next_b;
                }
            }
            if (a == from_a && b == from_b)
                step /= 2;
        }
        double out[D];
        calibrate(family, LIKELIHOOD, &protocol, users, est, out);
        for (size_t v = 0; v < D; v++) {
            const struct ldp_prior prior = {id, a, b};
            const double want = ldp_posterior_mean(&prior, s, (double)users * est[v], NULL);

            cr_expect_float_eq((double)users * out[v], want, 1e-5 * fmax(s, fabs(want)), "%s value %zu", names[family],
                               v);
        }
    }
}

Test(calibrate, likelihood_of_the_power_law)
{
    double est[D];
    struct ldp_protocol protocol;
    const double s = estimates(POWER_LAW, est, &protocol), n = (double)users;
    void *const scratch = malloc(ldp_power_law_scratch());
    double at = 0, best = -INFINITY;

    /* 41 exponents in 0 .. 4, then 21 around the best at a tenth of the step. */
    for (int round = 0; round < 8; round++) {
        const double step = 0.1 * pow(10, -round), from = round == 0 ? 0 : at - 10 * step;

        for (int i = 0; i <= (round == 0 ? 40 : 20); i++) {
            const double a = fmax(0, from + i * step);
            double h0, h1;

            ldp_zeta_sums(a, n, &h0, &h1);
            double evidence[D];
            ldp_power_law(a, n, s, est, D, scratch, NULL, evidence);
            double sum = 0;
            for (size_t v = 0; v < D; v++)
                sum += evidence[v] - log(h0);
            if (sum > best) {
                best = sum;
                at = a;
            }
        }
    }
    /* The exponent that made the counts is 1.6. */
    cr_expect(at > 1.2 && at < 2.2, "%g", at);
    double out[D];
    calibrate(POWER_LAW, LIKELIHOOD, &protocol, users, est, out);
    double want[D];
    ldp_power_law(at, n, s, est, D, scratch, want, NULL);
    for (size_t v = 0; v < D; v++)
        cr_expect_float_eq(out[v], want[v], 1e-6 * want[v] + 1e-5 / n);
    free(scratch);
}

/* The evidence of every way that power_law.c has of summing, against the sum. */
Test(calibrate, evidence_of_the_power_law, .timeout = 600)
{
    static const double scales[] = {0.7, 30, 800}, places[] = {-30, -5, 0.3, 4, 9, 15, 60};
    enum { N = 20000, PLACES = 8 };
    void *const scratch = malloc(ldp_power_law_scratch());

    for (size_t i = 0; i < 3; i++) {
        const double s = scales[i], a = 1.4;
        double est[PLACES];

        for (size_t j = 0; j < PLACES; j++)
            est[j] = j < 7 ? places[j] * s / N : 1 - s / N;
        double evidence[PLACES];
        ldp_power_law(a, N, s, est, PLACES, scratch, NULL, evidence);
        for (size_t j = 0; j < PLACES; j++) {
            struct sums sums = {-INFINITY, 0, 0};

            for (int m = 1; m <= N; m++) {
                const long double k = m;

                add(&sums, k, -a * logl(k) - (N * est[j] - k) * (N * est[j] - k) / (2 * (long double)s * s), 1);
            }
            const double want = (double)(logl(sums.mass) + sums.largest);

            cr_expect_float_eq(evidence[j], want, 1e-10 * fmax(1, fabs(want)), "s %g x %g: %.15g, not %.15g", s,
                               est[j] * N, evidence[j], want);
        }
    }
    free(scratch);
}

/* ---- Degenerate fits ---- */

Test(calibrate, degenerate)
{
    const struct ldp_protocol noisy = {.d = 4, .s1 = 4}, exact = {.d = 4};
    const double close[] = {0.26, 0.24, 0.251, 0.249}, negative[] = {-0.5, -3, -0.1, -0.4},
                 any[] = {0.5, 0.2504, -0.1, 0.35};
    double out[4];

    /* Less spread than noise alone has: everything is the mean. */
    for (int family = GAUSSIAN; family < FAMILIES; family++) {
        calibrate(family, MOMENTS, &noisy, 100, close, out);
        for (size_t v = 0; v < 4; v++)
            if (family != POISSON && family != EXPONENTIAL)
                cr_expect_float_eq(out[v], 0.25, 1e-15, "%s", names[family]);
    }
    /* No positive mean. */
    for (int family = POISSON; family < FAMILIES; family++) {
        calibrate(family, MOMENTS, &noisy, 100, negative, out);
        for (size_t v = 0; v < 4; v++)
            cr_expect_eq(out[v], 0, "%s", names[family]);
    }
    /* No noise. */
    for (int fit = MOMENTS; fit <= LIKELIHOOD; fit++)
        for (int family = GAUSSIAN; family < FAMILIES; family++) {
            calibrate(family, fit, &exact, 1000, any, out);
            cr_expect_float_eq(out[0], 0.5, 1e-15);
            cr_expect_float_eq(out[1], family == POISSON ? 0.25 : 0.2504, 1e-15);
            cr_expect_float_eq(out[2], family >= POISSON ? 0 : -0.1, 1e-15);
        }
}

/* Likelihood fits do not depend on how values are numbered, nor on what the scratch held; answers rise with the
 * estimate. */
Test(calibrate, likelihood_conforms, SLOW, .timeout = 600)
{
    for (int family = POWER_LAW; family < FAMILIES; family++)
        for (int law = POWER_LAW; law < FAMILIES; law++) {
            double est[D];
            struct ldp_protocol protocol;
            estimates(law, est, &protocol);
            est[3] = -0.4;
            est[5] = 1.2;
            double out[D];
            calibrate(family, LIKELIHOOD, &protocol, users, est, out);
            double turned[D];
            for (size_t v = 0; v < D; v++)
                turned[v] = est[D - 1 - v];
            double again[D];
            calibrate(family, LIKELIHOOD, &protocol, users, turned, again);
            for (size_t v = 0; v < D; v++) {
                cr_expect_float_eq(out[v], again[D - 1 - v], 1e-13, "%s on %s", names[family], names[law]);
                for (size_t w = 0; w < D; w++)
                    cr_assert(est[v] < est[w] || out[v] >= out[w] - 1e-11, "%s on %s: %g %g", names[family], names[law],
                              out[v], out[w]);
            }
        }
}

Test(calibrate, sort)
{
    struct ldp_rng rng = make_stream(9, "test_sort", 0);
    for (size_t n = 0; n <= 257; n++) {
        double sum = 0;

        double x[257];
        for (size_t i = 0; i < n; i++) {
            x[i] = (double)ldp_rng_below(&rng, 100) - 50;
            sum += x[i];
        }
        double work[257];
        ldp_sort(x, n, work);
        for (size_t i = 0; i < n; i++) {
            cr_assert(i == 0 || x[i - 1] <= x[i]);
            sum -= x[i];
        }
        cr_assert_eq(sum, 0);
    }
}

/* Doubles that differ in one byte, whose neighbours are the same in all. */
Test(calibrate, sort_by_one_byte)
{
    for (unsigned byte = 0; byte < 7; byte++)
        for (uint64_t next = 0; next < 4; next++) {
            enum { N = 64 };
            double x[N], work[N];
            for (uint64_t i = 0; i < N; i++) {
                const uint64_t bits = UINT64_C(0x3ff0000000000000) | next << (byte < 5 ? 8 * byte + 8 : 0) |
                                      (byte < 6 ? (37 * i + 5) % N : i % 16) << 8 * byte;
                memcpy(&x[i], &bits, sizeof bits);
            }
            ldp_sort(x, N, work);
            for (size_t i = 1; i < N; i++)
                cr_assert(x[i - 1] <= x[i], "byte %u, %zu", byte, i);
        }
}

/* With beta the answers below base_cut's threshold are 0, and the others stay as they are. */
Test(calibrate, answers_below_the_threshold_become_0)
{
    enum { VALUES = 64, USERS = 20000 };
    const struct ldp_method *const method = ldp_method_find("calibrate"), *const cut = ldp_method_find("base_cut");
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    double est[VALUES], plain[VALUES], reset[VALUES], above[VALUES];
    size_t zeros = 0;

    struct ldp_protocol protocol = make_protocol(&oracle, VALUES, 1);
    for (size_t v = 0; v < VALUES; v++)
        est[v] = .4 / (double)((v + 1) * (v + 1));
    for (int prior = 0; prior < FAMILIES; prior++) {
        const struct ldp_method_spec specs[] = {
            {.method = method, .param = {prior, LIKELIHOOD, 0}},
            {.method = method, .param = {prior, LIKELIHOOD, 0.05}},
            {.method = cut, .param = {0.05}},
        };
        void *const scratch = malloc(ldp_postprocess_scratch(&specs[0], VALUES));

        ldp_postprocess(&specs[0], &(struct ldp_collection){&protocol, USERS, NULL, est}, scratch, plain);
        ldp_postprocess(&specs[1], &(struct ldp_collection){&protocol, USERS, NULL, est}, scratch, reset);
        ldp_postprocess(&specs[2], &(struct ldp_collection){&protocol, USERS, NULL, plain}, scratch, above);
        cr_expect_eq(memcmp(reset, above, sizeof reset), 0, "%s", names[prior]);
        for (size_t v = 0; v < VALUES; v++)
            zeros += reset[v] == 0 && plain[v] != 0;
        free(scratch);
    }
    cr_expect_gt(zeros, VALUES);
}
