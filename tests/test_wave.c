/* test_wave.c - the square wave and its estimators: the channel by enumeration, rounds of expectation maximisation
 * against a plain reference, the same bytes at every vector level, refusals. */
#include "ldp.h"
#include "ordinal/buckets.h"
#include "program.h"
#include "quick.h"
#include "setup.h"
#include "simd/simd.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D_MAX = 64 };

static struct ldp_protocol wave(size_t d, double epsilon, double b)
{
    struct ldp_oracle_spec spec = default_oracle("sw");

    spec.param[0] = b;
    return make_protocol(&spec, d, epsilon);
}

/* The probability of an output, from the client's own law. */
static double channel(const struct ldp_protocol *protocol, size_t output, size_t value)
{
    const uint64_t report = output;
    return exp(protocol->oracle->log_likelihood(protocol, (uint32_t)value, &report));
}

/* Each column sums to 1, the largest ratio in a row is e^epsilon. */
Test(wave, channel_is_private)
{
    static const size_t domains[] = {2, 3, 7, 64};
    static const double budgets[] = {1e-4, 0.5, 1, 3, 8};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 5; k++) {
            const struct ldp_protocol protocol = wave(domains[i], budgets[k], (double)NAN);
            double worst = 1;
            for (size_t v = 0; v < protocol.d; v++) {
                double sum = 0;
                for (size_t j = 0; j < protocol.support_size; j++) {
                    sum += channel(&protocol, j, v);
                    worst = fmax(worst, channel(&protocol, j, v) / channel(&protocol, j, 0));
                }
                cr_expect_float_eq(sum, 1, 1e-12, "d = %zu, epsilon = %g", domains[i], budgets[k]);
            }
            cr_expect_float_eq(log(worst), budgets[k], 1e-9, "d = %zu, epsilon = %g", domains[i], budgets[k]);
        }
}

/* Widths and outputs of the discrete variant: (d, epsilon, b, outputs). */
Test(wave, published_widths)
{
    static const double cases[][4] = {{256, 0.5, 91, 438},  {256, 1, 65, 386},    {256, 2, 33, 322},
                                      {1024, 1, 262, 1548}, {1024, 2, 132, 1288}, {1000, 1e-9, 499, 1998}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ldp_protocol protocol = wave((size_t)cases[i][0], cases[i][1], (double)NAN);
        cr_expect_eq(protocol.param[0], cases[i][2], "%g, %g: b = %g", cases[i][0], cases[i][1], protocol.param[0]);
        cr_expect_eq((double)protocol.support_size, cases[i][3]);
    }
}

/* ---- Buckets ---- */

static struct ldp_protocol buckets(size_t d, double epsilon, double m)
{
    struct ldp_oracle_spec spec = default_oracle("sw");

    spec.param[1] = m;
    return make_protocol(&spec, d, epsilon);
}

/* The area of the pairs (x, y) in a cell and a bucket with y - x <= t (facts, sec. 1). */
static double area(const double x[2], const double y[2], double t)
{
    double sum = 0;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            const double u = fmax(t - (y[i] - x[1 - j]), 0);
            sum += (i == j ? 1 : -1) * u * u / 2;
        }
    return sum;
}

/* The closed form of the continuous wave on [0, 1], sums of 1, and a largest ratio of e^epsilon, not above. */
Test(wave, buckets_have_the_closed_form, SLOW)
{
    static const size_t domains[] = {2, 7, 64};
    static const double budgets[] = {0.5, 1, 2, 4};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 4; k++)
            for (size_t part = 0; part < 3; part++) {
                const double e = exp(budgets[k]), b = (budgets[k] * e - e + 1) / (2 * e * (e - 1 - budgets[k])),
                             q = 1 / (2 * b * e + 1), D = (double)domains[i];
                const size_t m = part == 0 ? 2 : domains[i] * part;
                const struct ldp_protocol protocol = buckets(domains[i], budgets[k], (double)m);
                double worst = 1;
                cr_assert_eq(protocol.support_size, m);
                for (size_t v = 0; v < domains[i]; v++) {
                    const double x[2] = {(double)v / D, (double)(v + 1) / D};
                    double sum = 0;
                    for (size_t j = 0; j < m; j++) {
                        const double w = (1 + 2 * b) / (double)m, M = channel(&protocol, j, v),
                                     y[2] = {(double)j * w - b, (double)(j + 1) * w - b},
                                     expected = q * w + (e - 1) * q * D * (area(x, y, b) - area(x, y, -b));
                        cr_expect_float_eq(M, expected, 1e-9, "d = %g, m = %zu: %g, not %g", D, m, M, expected);
                        sum += M;
                        for (size_t u = 0; u < v; u++)
                            worst = fmax(worst, fmax(M / channel(&protocol, j, u), channel(&protocol, j, u) / M));
                    }
                    cr_expect_float_eq(sum, 1, 1e-12);
                }
                cr_expect_leq(log(worst), budgets[k] * (1 + 1e-12));
            }
}

/* M f and M^T r by running sums are those of the matrix. */
Test(wave, buckets_are_summed_as_their_matrix)
{
    static const size_t domains[] = {2, 9, 64};
    for (size_t i = 0; i < 3; i++)
        for (double epsilon = 0.5; epsilon < 20; epsilon *= 3)
            for (size_t m = 2; m <= 4 * domains[i]; m += 1 + m / 3) {
                const size_t d = domains[i];
                const struct ldp_protocol protocol = buckets(d, epsilon, (double)m);
                const struct ldp_wave wave = ldp_wave_of(&protocol);
                double f[D_MAX], r[4 * D_MAX], run[4 * D_MAX + 1], g[4 * D_MAX], back[D_MAX], sum = 0;
                void *const memory = malloc(ldp_buckets_bytes(d));
                for (size_t v = 0; v < d; v++)
                    sum += f[v] = 1 + (double)(v * v % 7) + (v == 1 ? 30 : 0);
                for (size_t v = 0; v < d; v++)
                    f[v] /= sum;
                for (size_t j = 0; j < m; j++)
                    r[j] = 1 + (double)(j * j % 5);
                const struct ldp_buckets table = ldp_buckets_make(&wave, memory);
                ldp_buckets_forward(&table, f, run, g);
                ldp_buckets_backward(&table, r, run, back);
                free(memory);
                for (size_t j = 0; j < m; j++)
                    for (size_t v = 0; v < d; v++)
                        g[j] -= channel(&protocol, j, v) * f[v], back[v] -= channel(&protocol, j, v) * r[j];
                for (size_t j = 0; j < m; j++)
                    cr_expect_float_eq(g[j], 0, 1e-9, "d = %zu, m = %zu, epsilon = %g: %g", d, m, epsilon, g[j]);
                for (size_t v = 0; v < d; v++)
                    cr_expect_float_eq(back[v], 0, 1e-8, "d = %zu, m = %zu, epsilon = %g: %g", d, m, epsilon, back[v]);
            }
}

/* By counts and by reports, the mean support is n M f. */
static void check_mean_support(const struct ldp_protocol protocol)
{
    enum { D = 9, USERS = 300, REPETITIONS = 400 };
    static const uint64_t counts[D] = {0, 40, 10, 0, 100, 100, 0, 20, 30};
    const struct ldp_histogram histogram = {D, USERS, counts};

    struct ldp_rng rng = make_stream(1, "test_wave", 0);
    for (enum ldp_mode mode = LDP_COUNTS; mode <= LDP_REPORTS; mode++) {
        double support[2 * D], sum[2 * D] = {0}, squares[2 * D] = {0};
        void *const scratch = malloc(ldp_collect_scratch(&protocol, &histogram, mode) + 1);
        for (size_t i = 0; i < REPETITIONS; i++) {
            double total = 0;
            ldp_collect(&protocol, &histogram, mode, &rng, scratch, support);
            for (size_t j = 0; j < protocol.support_size; j++) {
                sum[j] += support[j];
                squares[j] += support[j] * support[j];
                total += support[j];
            }
            cr_assert_eq(total, USERS);
        }
        for (size_t j = 0; j < protocol.support_size; j++) {
            double expected = 0;
            for (size_t v = 0; v < D; v++)
                expected += (double)counts[v] * channel(&protocol, j, v);
            const double mean = sum[j] / REPETITIONS, variance = squares[j] / REPETITIONS - mean * mean;
            cr_expect_lt(fabs(mean - expected) / sqrt(variance / REPETITIONS),
                         statistics_z_bound(2 * protocol.support_size), "output %zu: %g, not %g", j, mean, expected);
        }
        free(scratch);
    }
}

Test(wave, mean_support_is_that_of_the_channel)
{
    check_mean_support(wave(9, 1.5, (double)NAN));
}

Test(wave, mean_support_of_buckets_is_that_of_the_channel)
{
    for (double m = 2; m <= 18; m += 4)
        check_mean_support(buckets(9, 1.5, m));
    check_mean_support(buckets(9, 8, 16)); /* a window narrower than a value */
}

/* ---- Rounds ---- */

static double likelihood(const struct ldp_protocol *protocol, double M[2 * D_MAX][D_MAX], const double *support,
                         const double *f, double *g)
{
    double sum = 0;

    for (size_t j = 0; j < protocol->support_size; j++) {
        g[j] = 0;
        for (size_t v = 0; v < protocol->d; v++)
            g[j] += M[j][v] * f[v];
        sum += support[j] * log(g[j]);
    }
    return sum;
}

/* By the whole matrix, as it is written. Returns the number of rounds. */
static unsigned plain_fit(const struct ldp_protocol *protocol, const double *support, double tau, bool smooth,
                          double *f)
{
    const size_t d = protocol->d;
    double M[2 * D_MAX][D_MAX], g[2 * D_MAX], next[D_MAX];

    for (size_t v = 0; v < d; v++) {
        f[v] = 1 / (double)d;
        for (size_t j = 0; j < protocol->support_size; j++)
            M[j][v] = channel(protocol, j, v);
    }
    double last = likelihood(protocol, M, support, f, g);
    for (unsigned round = 1; round <= 10000; round++) {
        double sum = 0;
        for (size_t v = 0; v < d; v++) {
            double factor = 0;
            for (size_t j = 0; j < protocol->support_size; j++)
                factor += M[j][v] * support[j] / g[j];
            sum += next[v] = f[v] * factor;
        }
        for (size_t v = 0; v < d; v++)
            f[v] = next[v] / sum;
        sum = 0;
        for (size_t v = 0; smooth && v < d; v++) {
            const double before = v > 0 ? f[v - 1] : 0, after = v + 1 < d ? f[v + 1] : 0;
            sum += next[v] = (before + 2 * f[v] + after) / (v > 0 && v + 1 < d ? 4 : 3);
        }
        for (size_t v = 0; smooth && v < d; v++)
            f[v] = next[v] / sum;
        const double now = likelihood(protocol, M, support, f, g);
        if (fabs(now - last) < tau && round > 2)
            return round;
        last = now;
    }
    return 10000;
}

static void collect(const struct ldp_protocol *protocol, uint64_t *n, double *support)
{
    uint64_t counts[D_MAX] = {0};

    *n = 0;
    for (size_t v = 0; v < protocol->d; v++)
        *n += counts[v] = 20 * (v % 5) + (v == 3 ? 300 : 0) + (v == 0);
    const struct ldp_histogram histogram = {protocol->d, *n, counts};
    void *const scratch = malloc(ldp_collect_scratch(protocol, &histogram, LDP_COUNTS) + 1);
    struct ldp_rng rng = make_stream(2, "test_wave", protocol->d);
    ldp_collect(protocol, &histogram, LDP_COUNTS, &rng, scratch, support);
    free(scratch);
}

static void apply(const char *method, const struct ldp_protocol *protocol, uint64_t n, const double *support,
                  double *out)
{
    struct ldp_method_spec spec = {.method = ldp_method_find(method)};
    double est[D_MAX];

    ldp_params_default(spec.method->params, spec.param);
    void *const scratch = malloc(ldp_estimate_scratch(protocol) + ldp_postprocess_scratch(&spec, protocol->d));
    ldp_estimate(protocol, n, support, scratch, est);
    ldp_postprocess(&spec, &(struct ldp_collection){protocol, n, support, est}, scratch, out);
    free(scratch);
}

static unsigned accelerated_fit(const struct ldp_protocol *protocol, const double *support, double tau, bool smooth,
                                double *f)
{
    const struct ldp_kernel kernel = ldp_kernel_binomial(1);
    void *const scratch = malloc(ldp_wave_scratch(protocol->d));
    const unsigned rounds = ldp_wave_fit(protocol, support, tau, smooth ? &kernel : NULL, scratch, f);
    free(scratch);
    return rounds;
}

/* Up to 48 rounds they are those of the reference. Further on extrapolations lead to the same stop, within a hundredth
 * of the rounds, and to the same cumulative distribution, within a two-hundredth of 1 / (near sqrt n), the unit of its
 * standard error, near the probability that a report depends on the value. */
Test(wave, rounds_are_those_of_a_plain_reference)
{
    static const size_t domains[] = {2, 3, 12, 31};
    static const double budgets[] = {0.3, 1, 4}, tolerances[] = {1e-3, 1, 10};
    unsigned far = 0;
    for (size_t i = 0; i < 12; i++)
        for (size_t k = 0; k < 18; k++) {
            const size_t d = domains[i / 3], m = i % 3 * d; /* in no buckets, in d, in 2 d */
            const double epsilon = budgets[k / 6], tau = tolerances[k / 2 % 3];
            const bool smooth = k % 2;
            const struct ldp_protocol protocol =
                m == 0 ? wave(d, epsilon, (double)NAN) : buckets(d, epsilon, (double)m);
            double support[2 * D_MAX], got[D_MAX], expected[D_MAX], apart = 0, worst = 0;
            uint64_t n;
            collect(&protocol, &n, support);
            const unsigned rounds = accelerated_fit(&protocol, support, tau, smooth, got),
                           plain = plain_fit(&protocol, support, tau, smooth, expected);
            for (size_t v = 0; v < d; v++) {
                apart += got[v] - expected[v];
                worst = fmax(worst, fabs(apart));
            }
            cr_expect_leq(fabs((double)rounds - plain), plain < 48 ? 0 : fmax(1, plain / 100.0), "%u rounds, not %u",
                          rounds, plain);
            const struct ldp_wave of = ldp_wave_of(&protocol);
            const double near = (double)of.window * (of.p - of.q);
            cr_expect_lt(worst, plain < 48 ? 1e-9 : 0.005 / (near * sqrt((double)n)),
                         "smooth %d, d = %zu, m = %zu, epsilon = %g, tau = %g: %u rounds, %g", smooth, d, m, epsilon,
                         tau, plain, worst);
            far += plain > 200;
        }
    cr_expect_gt(far, 10, "%u", far);
}

/* base leaves the oracle's own estimate, which is em's. */
static void check_levels(const struct ldp_protocol protocol)
{
    const char *const methods[] = {"em", "ems"};
    double support[2 * D_MAX], out[2][LDP_SIMD_LEVELS][D_MAX], est[D_MAX];
    uint64_t n;

    collect(&protocol, &n, support);
    for (enum ldp_simd level = 0; level < LDP_SIMD_LEVELS; level++) {
        if (!ldp_simd_available(level))
            continue;
        ldp_simd_use(level);
        for (size_t i = 0; i < 2; i++) {
            apply(methods[i], &protocol, n, support, out[i][level]);
            cr_expect_eq(memcmp(out[i][level], out[i][0], protocol.d * sizeof(double)), 0, "%s, %s", methods[i],
                         ldp_simd_name(level));
        }
    }
    ldp_simd_use(LDP_SIMD_LEVELS);
    void *const scratch = malloc(ldp_estimate_scratch(&protocol));
    ldp_estimate(&protocol, n, support, scratch, est);
    cr_expect_eq(memcmp(est, out[0][0], protocol.d * sizeof *est), 0);
    free(scratch);
}

Test(wave, same_bytes_at_every_level)
{
    check_levels(wave(61, 1, (double)NAN));
    check_levels(buckets(61, 1, 90));
}

/* ---- Intervals ---- */

/* Coverage of ranges and of a quantile in 100 repetitions of 20 ranges: 95 % for sw, up to 100 % for bins, whose ends
 * are those of whole bins. */
FolderTest(wave, intervals_hold_the_truth)
{
    static const char *const oracles[] = {"sw", "bins"};
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"repetitions\": 100, \"epsilon\": 1, \"ordered\": true, \"oracles\": [\"sw\", \"bins\",\n"
        " {\"name\": \"sw\", \"buckets\": 64}], \"methods\": [\"base\"], \"queries\": [\n"
        " {\"type\": \"range_intervals\", \"percent\": 30}, {\"type\": \"quantile_intervals\", \"percent\": 50}],\n"
        " \"datasets\": [{\"type\": \"beta\", \"a\": 5, \"b\": 2, \"d\": 64, \"n\": 20000}]}\n");
    run_in(folder, "ldpbench run c.json -o r --quiet");
    run_in(folder, "grep -q 'sw(buckets=64),1,base,range_intervals,30,100,,' r/range_intervals.csv");
    for (size_t i = 0; i < 2; i++) {
        double coverage, error, quantile;
        struct outcome outcome = run_shell("cd '%s' && awk -F, '$5 == \"%s\" { print $11, $12 }' r/range_intervals.csv "
                                           "r/quantile_intervals.csv",
                                           folder, oracles[i]);
        cr_assert_eq(sscanf(outcome.out, "%lf %lf %lf", &coverage, &error, &quantile), 3, "%s", outcome.out);
        cr_expect_gt((coverage - 0.95) / fmax(error, 0.005), -4, "%s: %g +- %g", oracles[i], coverage, error);
        if (i == 0)
            cr_expect_lt((coverage - 0.95) / error, 4, "%g +- %g", coverage, error);
        cr_expect_gt(quantile, 0.95 - 4 * sqrt(0.95 * 0.05 / 100), "%s: %g", oracles[i], quantile);
        outcome_free(&outcome);
    }
}

/* ---- Refusals ---- */

/* A method that takes the support is refused where it is not kept, one that takes estimates where supports count no
 * values. */
Test(wave, methods_are_refused_in_words)
{
    const struct ldp_protocol protocol = wave(8, 1, (double)NAN);
    struct ldp_reason reason;

    cr_expect_eq(ldp_method_check(ldp_method_find("em"), &protocol, true, NULL), LDP_OK);
    cr_expect_eq(ldp_method_check(ldp_method_find("em"), &protocol, false, &reason), LDP_EINVAL);
    cr_expect_str_eq(reason.text, "em needs the support counts of a collection, of which only estimates are kept");
    for (size_t i = 0; ldp_methods[i]; i++) {
        const struct ldp_method *const method = ldp_methods[i];
        const bool leaves = !method->apply && !method->inner;
        cr_expect_eq(ldp_method_suits(method, &protocol),
                     leaves || (method->needs && strstr(method->needs, "such as sw")) ||
                         method->guarantees & LDP_IGNORES_ESTIMATE,
                     "%s", method->name);
    }
    cr_expect_eq(ldp_method_check(ldp_method_find("base_cut"), &protocol, true, &reason), LDP_EINVAL);
    cr_expect_str_eq(reason.text, "base_cut needs an oracle that counts single values, got sw");
}

/* A run of ordered data; %s: the key "ordered" or nothing, oracles, methods. */
static const char plan[] = "{\"name\": \"c\", \"repetitions\": 2, \"epsilon\": 1, %s \"oracles\": [%s],\n"
                           " \"methods\": [%s], \"queries\": [\"full_domain\"],\n"
                           " \"datasets\": [{\"type\": \"uniform\", \"d\": 8, \"n\": 100}]}\n";

static void refuse(const char *ordered, const char *oracle, const char *method, const char *fragment)
{
    const char *const folder = temporary_folder();
    char text[1024];

    snprintf(text, sizeof text, plan, ordered, oracle, method);
    write_text(folder, "c.json", text);
    demand_failure(2, fragment, "cd '%s' && ldpbench run c.json --quiet", folder);
}

#define ORDERED "\"ordered\": true,"

Test(wave, configs_are_refused_in_one_line)
{
    refuse("", "\"sw\"", "\"em\"", "sw uses the order of the values: expected \"ordered\": true of the dataset");
    refuse(ORDERED, "{\"name\": \"sw\", \"b\": 4}", "\"em\"", "b = 4: expected a number below d/2 = 4");
    refuse(ORDERED, "{\"name\": \"sw\", \"b\": -1}", "\"em\"", "b: expected");
    refuse(ORDERED, "{\"name\": \"sw\", \"buckets\": 33}", "\"em\"", "buckets = 33: expected at most 4 d = 32");
    refuse(ORDERED, "{\"name\": \"sw\", \"buckets\": 1}", "\"em\"", "buckets: expected");
    refuse(ORDERED, "{\"name\": \"sw\", \"buckets\": 8}", "\"pen\"", "such as sw without buckets");
    refuse(ORDERED, "\"sw\"", "\"norm_sub\"", "got norm_sub, which needs an oracle that counts single values");
    refuse(ORDERED, "\"olh\"", "\"ems\"", "got ems, which needs an oracle whose reports are near the value");
    refuse(ORDERED, "{\"name\": \"count_min\", \"row_oracle\": \"sw\"}", "\"base\"",
           "row_oracle = sw: expected an oracle that uses no order");
}

FolderTest(wave, commands)
{
    char text[1024];

    snprintf(text, sizeof text, plan, ORDERED, "\"sw\", \"oue\"", "\"base\", \"em\", \"ems\", \"norm_sub\"");
    write_text(folder, "c.json", text);
    run_in(folder, "ldpbench run c.json -o r --quiet && grep -q 'sw,1,ems,full' r/mse.csv");
    run_in(folder, "! grep 'sw,1,norm_sub,' r/mse.csv && ldpbench report r -o r.html");
    expect_said(0, "error not known", "ldpbench oracles --oracle sw --epsilon 1 --n 10 --d 4");
    /* d = 4, epsilon = 1: b = 1, six outputs. */
    write_text(folder, "s", "a\t30\nb\t30\nc\t20\nd\t10\ne\t5\nf\t5\n");
    run_in(folder, "ldpbench estimate --oracle sw --epsilon 1 --n 100 --d 4 --method em --format csv s > out 2> err");
    run_in(folder, "test $(wc -l < out) = 5");
    demand_failure(2, "missing option --d, which --oracle sw needs",
                   "cd '%s' && ldpbench estimate --oracle sw --epsilon 1 --n 100 s", folder);
    demand_failure(2, "expected the 9 support counts of sw, got 6",
                   "cd '%s' && ldpbench estimate --oracle sw --epsilon 1 --n 100 --d 7 s", folder);
}
