/* test_pen.c - penalised maximum likelihood: the answer and its weight against the whole matrices, banded factors
 * against plain elimination, the errors of an independent simulation, the same bytes at every vector level. */
#include "ldp.h"
#include "numerics/banded.h"
#include "program.h"
#include "quick.h"
#include "real_data.h"
#include "simd/simd.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D_MAX = 40 };

static struct ldp_protocol wave(size_t d, double epsilon)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("sw")};
    struct ldp_protocol protocol;

    ldp_params_default(spec.oracle->params, spec.param);
    cr_assert_eq(ldp_protocol_init(&protocol, &spec, d, epsilon, NULL), LDP_OK);
    return protocol;
}

static void fit(const struct ldp_protocol *protocol, uint64_t n, const double *support, double *out)
{
    struct ldp_method_spec spec = {.method = ldp_method_find("pen")};
    void *const scratch = malloc(ldp_postprocess_scratch(&spec, protocol->d));

    ldp_postprocess(&spec, &(struct ldp_collection){protocol, n, support, out}, scratch, out);
    free(scratch);
}

static void collect(const struct ldp_protocol *protocol, const uint64_t *counts, uint64_t n, uint64_t seed,
                    double *support)
{
    const struct ldp_histogram histogram = {protocol->d, n, counts};
    void *const scratch = malloc(ldp_collect_scratch(protocol, &histogram, LDP_COUNTS) + 1);
    struct ldp_rng rng;

    ldp_rng_stream(&rng, 3, "test_pen", seed);
    ldp_collect(protocol, &histogram, LDP_COUNTS, &rng, scratch, support);
    free(scratch);
}

/* ---- Banded factors ---- */

/* B B' of a lower triangle with a band: its determinant is that of the diagonal, its inverse by substitution. */
Test(pen, banded_factors)
{
    enum { N = 23, WIDTH = 5 };
    double lower[N][N] = {{0}}, dense[N][N], x[N], right[N], expected = 0, log_det;
    struct ldp_banded matrix = {N, WIDTH, calloc(1, ldp_banded_bytes(N, WIDTH))};
    struct ldp_rng rng;

    ldp_rng_stream(&rng, 1, "banded", 0);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = i > WIDTH ? i - WIDTH : 0; j <= i; j++)
            lower[i][j] = ldp_rng_uniform(&rng) + (i == j);
        expected += 2 * log(lower[i][i]);
        x[i] = ldp_rng_uniform(&rng);
    }
    for (size_t i = 0; i < N; i++) {
        right[i] = 0;
        for (size_t j = 0; j < N; j++) {
            dense[i][j] = 0;
            for (size_t k = 0; k < N; k++)
                dense[i][j] += lower[i][k] * lower[j][k];
            if (j <= i && i - j <= WIDTH)
                *ldp_banded_at(&matrix, i, j) = dense[i][j];
            right[i] += dense[i][j] * x[j];
        }
    }
    cr_assert(ldp_banded_factor(&matrix, &log_det));
    ldp_banded_solve(&matrix, right);
    cr_expect_float_eq(log_det, expected, 1e-12);
    for (size_t i = 0; i < N; i++)
        cr_expect_float_eq(right[i], x[i], 1e-10);
    memset(matrix.column, 0, ldp_banded_bytes(N, WIDTH));
    cr_expect_not(ldp_banded_factor(&matrix, &log_det));
    free(matrix.column);
}

/* ---- The whole matrices ---- */

struct whole {
    size_t d, outputs;
    double M[2 * D_MAX][D_MAX], P[D_MAX][D_MAX], Q[D_MAX][D_MAX]; /* channel, D2'D2, D1'D1 */
    double c[2 * D_MAX], n;
};

static struct whole *whole_new(const struct ldp_protocol *protocol, const double *support)
{
    struct whole *const whole = calloc(1, sizeof *whole);

    whole->d = protocol->d;
    whole->outputs = protocol->support_size;
    for (uint64_t j = 0; j < whole->outputs; j++) {
        for (size_t v = 0; v < whole->d; v++)
            whole->M[j][v] = exp(protocol->oracle->log_likelihood(protocol, (uint32_t)v, &j));
        whole->n += whole->c[j] = support[j];
    }
    static const double second[3] = {1, -2, 1}, first[2] = {-1, 1};
    for (size_t i = 0; i + 1 < whole->d; i++)
        for (size_t j = 0; j < 9; j++) {
            if (i + 2 < whole->d)
                whole->P[i + j / 3][i + j % 3] += second[j / 3] * second[j % 3];
            if (j < 4)
                whole->Q[i + j / 2][i + j % 2] += first[j / 2] * first[j % 2];
        }
    return whole;
}

/* L D L' of a dense matrix in place; the logarithm of its determinant. */
static double dense_factor(size_t d, double A[D_MAX][D_MAX])
{
    double log_det = 0;

    for (size_t k = 0; k < d; k++) {
        log_det += log(A[k][k]);
        for (size_t i = k + 1; i < d; i++) {
            const double factor = A[i][k] / A[k][k];
            for (size_t j = k; j < d; j++)
                A[i][j] -= factor * A[k][j];
            A[i][k] = factor;
        }
    }
    return log_det;
}

/* The log marginal likelihood of lambda, by Newton's method for a of f = exp(a) from a; counts of the outputs Poisson
 * with the means n M f, so that sum f = 1 at the best a, as with softmax. */
static double marginal(const struct whole *whole, double lambda, double *a)
{
    static double A[D_MAX][D_MAX];
    const size_t d = whole->d;
    double value = 0, log_det = 0;

    for (int round = 0; round < 60; round++) {
        double g[2 * D_MAX] = {0}, x[D_MAX] = {0}, f[D_MAX];
        value = 0;
        for (size_t v = 0; v < d; v++)
            f[v] = exp(a[v]);
        for (size_t j = 0; j < whole->outputs; j++) {
            for (size_t v = 0; v < d; v++)
                g[j] += whole->M[j][v] * f[v];
            value += whole->c[j] * log(g[j]);
        }
        for (size_t v = 0; v < d; v++) {
            double pull = -whole->n;
            for (size_t j = 0; j < whole->outputs; j++)
                pull += whole->M[j][v] * whole->c[j] / g[j];
            x[v] = f[v] * pull;
            for (size_t w = 0; w < d; w++) {
                const double penalty = lambda * whole->P[v][w] + 1e-3 * whole->Q[v][w];
                A[v][w] = penalty - (v == w ? f[v] * pull : 0);
                for (size_t j = 0; j < whole->outputs; j++)
                    A[v][w] += whole->c[j] * whole->M[j][v] * f[v] * whole->M[j][w] * f[w] / (g[j] * g[j]);
                x[v] -= penalty * a[w];
                value -= penalty * a[v] * a[w] / 2;
            }
        }
        log_det = dense_factor(d, A);
        for (size_t k = 0; k < d; k++)
            for (size_t i = k + 1; i < d; i++)
                x[i] -= A[i][k] * x[k];
        for (size_t k = d; k-- > 0;) {
            for (size_t i = k + 1; i < d; i++)
                x[k] -= A[k][i] * x[i];
            x[k] /= A[k][k];
        }
        for (size_t v = 0; v < d; v++)
            a[v] += x[v];
    }
    return value + (double)(d - 2) / 2 * log(lambda) - log_det / 2;
}

/* The weight by which f is a maximum: the penalty's part of the gradient that balances the likelihood's. */
static double weight_of(const struct whole *whole, const double *f)
{
    double along = 0, square = 0, g[2 * D_MAX] = {0};

    for (size_t j = 0; j < whole->outputs; j++)
        for (size_t v = 0; v < whole->d; v++)
            g[j] += whole->M[j][v] * f[v];
    for (size_t v = 0; v < whole->d; v++) {
        double pull = -whole->n, rough = 0, steep = 0;
        for (size_t j = 0; j < whole->outputs; j++)
            pull += whole->M[j][v] * whole->c[j] / g[j];
        for (size_t w = 0; w < whole->d; w++) {
            rough += whole->P[v][w] * log(f[w]);
            steep += whole->Q[v][w] * log(f[w]);
        }
        along += (f[v] * pull - 1e-3 * steep) * rough;
        square += rough * rough;
    }
    return along / square;
}

/* The answer is that of the whole matrices at its weight, and no weight half a decade away is likelier. */
Test(pen, whole_matrices_agree)
{
    static const size_t domains[] = {5, 24, 37};
    static const double budgets[] = {0.7, 1, 3, 6};
    for (size_t i = 0; i < 12; i++) {
        const struct ldp_protocol protocol = wave(domains[i / 4], budgets[i % 4]);
        const size_t d = protocol.d;
        uint64_t counts[D_MAX] = {0}, n = 0;
        double support[2 * D_MAX], f[D_MAX], a[D_MAX] = {0}, near[D_MAX];
        for (size_t v = 0; v < d; v++)
            n += counts[v] = 50 * v * (d - v) + 200 + (v == d / 3 ? 20000 : 0);
        collect(&protocol, counts, n, i, support);
        fit(&protocol, n, support, f);
        struct whole *const whole = whole_new(&protocol, support);
        const double lambda = weight_of(whole, f);
        for (size_t v = 0; v < d; v++)
            a[v] = log(f[v]);
        memcpy(near, a, sizeof a);
        const double best = marginal(whole, lambda, a);
        for (size_t v = 0; v < d; v++)
            cr_expect_float_eq(exp(a[v]), f[v], 1e-8 * f[v], "d = %zu, epsilon = %g, value %zu: %g, not %g", d,
                               protocol.epsilon, v, f[v], exp(a[v]));
        for (int side = -1; side <= 1; side += 2) {
            double other[D_MAX] = {0};
            memcpy(other, near, sizeof near);
            const double neighbour = marginal(whole, lambda * pow(10, side / 2.0), other);
            cr_expect_lt(neighbour, best + 0.02, "d = %zu, epsilon = %g, lambda = %g: %g, at the neighbour %g", d,
                         protocol.epsilon, lambda, best, neighbour);
        }
        free(whole);
    }
}

/* ---- Errors ---- */

/* Mean Wasserstein distances of Beta(5, 2) by an independent simulation of 40 repetitions (standard errors of 4 %), in
 * units of the range; 0: not simulated. */
Test(pen, errors_of_an_independent_simulation, SLOW)
{
    static const char *const methods[] = {"pen", "ems", "ems_cv", "em"};
    static const struct {
        const char *oracle, *first;
        double d, n, epsilon, distance[4];
    } rows[] = {{"\"sw\"", "\"pen\", ", 128, 1e5, 1, {4.51e-3, 5.97e-3, 5.45e-3, 6.41e-3}},
                {"{\"name\": \"sw\", \"buckets\": 128}", "", 128, 1e5, 1, {0, 5.97e-3, 5.45e-3, 6.41e-3}},
                {"\"sw\"", "\"pen\", ", 256, 1e5, 0.5, {8.2e-3, 9.8e-3, 0, 11.0e-3}}};
    for (size_t i = 0; i < 3; i++) {
        const char *const folder = temporary_folder();
        char text[512];
        snprintf(text, sizeof text,
                 "{\"name\": \"c\", \"repetitions\": 100, \"epsilon\": %g, \"ordered\": true, \"oracles\": [%s],\n"
                 " \"methods\": [%s\"ems\", \"ems_cv\", \"em\"], \"queries\": [\"distribution\"],\n"
                 " \"datasets\": [{\"type\": \"beta\", \"a\": 5, \"b\": 2, \"d\": %g, \"n\": %g}]}\n",
                 rows[i].epsilon, rows[i].oracle, rows[i].first, rows[i].d, rows[i].n);
        write_text(folder, "c.json", text);
        run_well("cd '%s' && ldpbench run c.json -o r --quiet", folder);
        for (size_t k = *rows[i].first ? 0 : 1; k < 4; k++) {
            struct outcome outcome = run_shell(
                "cd '%s' && awk -F, '$7 == \"%s\" { print $11, $12 }' r/distribution.csv", folder, methods[k]);
            const double expected = rows[i].distance[k];
            double mean = 0, error = 0;
            cr_assert_eq(sscanf(outcome.out, "%lf %lf", &mean, &error), 2, "%s", outcome.out);
            if (expected > 0)
                cr_expect_lt(fabs(mean - expected) / hypot(error, 0.04 * expected), 4, "%s, d = %g: %g, not %g",
                             methods[k], rows[i].d, mean, expected);
            outcome_free(&outcome);
        }
    }
}

/* Facts, sec. 9: mean Wasserstein and Kolmogorov-Smirnov distances at d = 128, n = 1e5 (ages 48,842), epsilon = 1, 40
 * repetitions with standard errors of 4 %. Their channel of em, ems and ems_cv is the continuous one; for spikes their
 * ems_cv has a narrowest kernel ten times as wide, which shows in KS (0: not compared). They do not say which numbers
 * the 128 values are: ages as they are, 0 to 127, and delays of -64 to 191 minutes, two to a value, those beyond in the
 * last ones, have their distances. */
enum population { BETA, PAYMENTS, DELAYS, AGES, POPULATIONS };
struct fact {
    const char *oracle, *method;
    double distance[POPULATIONS][2];
};
static const struct fact facts[] = {
    {"sw(buckets=128)", "em", {{6.41, 26.1}, {4.63, 43.1}, {5.20, 27.9}, {7.36, 39.1}}},
    {"sw(buckets=128)", "ems", {{5.97, 23.5}, {15.9, 275}, {17.9, 94.6}, {9.45, 62.2}}},
    {"sw(buckets=128)", "ems_cv", {{5.45, 18.8}, {5.22, 0}, {4.80, 23.0}, {6.49, 35.8}}},
    {"sw", "pen", {{4.51, 15.4}, {4.82, 51.6}, {4.37, 18.7}, {5.64, 32.7}}},
    {"hh(B=2)", "tree_pen", {{5.82, 16.9}, {5.71, 20.1}, {6.16, 17.2}, {6.64, 30.8}}},
    {"sw_hh", "joint_pen", {{5.05, 14.9}, {4.75, 22.8}, {4.50, 16.8}, {6.02, 30.7}}},
};

static void check_distance(const char *what, double mean, double error, double expected, double share)
{
    if (expected > 0)
        cr_expect_lt(fabs(mean - expected) / hypot(error, share * expected), 4, "%s: %g +- %g, not %g", what, mean,
                     error, expected);
}

static void check_facts(const char *dataset, enum population population)
{
    const char *const folder = temporary_folder();
    char text[2048];
    snprintf(text, sizeof text,
             "{\"name\": \"c\", \"repetitions\": 40, \"epsilon\": 1, \"ordered\": true, \"oracles\": [\"sw\",\n"
             " {\"name\": \"sw\", \"buckets\": 128}, {\"name\": \"hh\", \"B\": 2}, \"sw_hh\"], \"methods\": [\"em\",\n"
             " \"ems\", \"ems_cv\", \"pen\", \"tree_pen\", \"joint_pen\"], \"queries\": [\"distribution\"],\n"
             " \"datasets\": [%s]}\n",
             dataset);
    write_text(folder, "c.json", text);
    run_well("cd '%s' && ldpbench run c.json -o r --quiet", folder);
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        struct outcome outcome =
            run_shell("cd '%s' && awk -F, '$5 == \"%s\" && $7 == \"%s\" { print 1e3 * $11, 1e3 * $12, 1e3 * $13, 1e3 * "
                      "$14 }' r/distribution.csv",
                      folder, facts[i].oracle, facts[i].method);
        const double *const expected = facts[i].distance[population];
        double wasserstein, error, ks, ks_error;
        cr_assert_eq(sscanf(outcome.out, "%lf %lf %lf %lf", &wasserstein, &error, &ks, &ks_error), 4, "%s",
                     outcome.out);
        check_distance(facts[i].method, wasserstein, error, expected[0], 0.04);
        check_distance(facts[i].method, ks, ks_error, expected[1], 0.04);
        outcome_free(&outcome);
    }
}

Test(pen, facts_of_a_smooth_law, SLOW)
{
    check_facts("{\"type\": \"beta\", \"a\": 5, \"b\": 2, \"d\": 128, \"n\": 100000}", BETA);
}

enum { TEXT = REAL_DATA_ROOM + 128 };

/* A data set of 128 values, the first at low, of a file of numbers; `more` are further keys. */
static const char *numbers(const char *file, int low, int high, const char *more, char text[TEXT])
{
    char *const whole = realpath(file, NULL);
    snprintf(text, TEXT, "{\"type\": \"numbers\", \"file\": \"%s\", \"bins\": 128, \"low\": %d, \"high\": %d%s}", whole,
             low, high, more);
    free(whole);
    return text;
}

static const char *payments(char text[TEXT])
{
    char path[REAL_DATA_ROOM];
    return numbers(real_data("uc_pay.counts", path), 0, 1024, ", \"n\": 100000", text);
}

Test(pen, facts_of_payments, SLOW)
{
    char text[TEXT];
    check_facts(payments(text), PAYMENTS);
}

FolderTest(pen, facts_of_delays, SLOW)
{
    char path[REAL_DATA_ROOM], text[TEXT], file[REAL_DATA_ROOM];
    real_data("flights_delay.counts", path);
    run_well(
        "awk '!/^#/ { v = $1 < -64 ? -64 : $1 > 191 ? 191 : $1; n[v] += $2 } END { for (v in n) print v \"\\t\" n[v] }' "
        "'%s' >'%s/delays'",
        path, folder);
    snprintf(file, sizeof file, "%s/delays", folder);
    check_facts(numbers(file, -64, 192, ", \"n\": 100000", text), DELAYS);
}

Test(pen, facts_of_ages, SLOW)
{
    char path[REAL_DATA_ROOM], text[TEXT];
    check_facts(numbers(real_data("adult_age.counts", path), 0, 128, "", text), AGES);
}

/* Facts, sec. 9: the Wasserstein distance of pen at windows of .35, .6, .8, 1, 1.25 and 1.6 times the published width,
 * 24 repetitions with standard errors of 6 %. */
static void check_widths(const char *dataset, const double expected[6])
{
    static const double factors[6] = {0.35, 0.6, 0.8, 1, 1.25, 1.6};
    const char *const folder = temporary_folder();
    char text[2048];
    int length = snprintf(text, sizeof text,
                          "{\"name\": \"c\", \"repetitions\": 24, \"epsilon\": 1, \"ordered\": true, \"methods\": "
                          "[\"pen\"],\n \"queries\": [\"distribution\"], \"datasets\": [%s],\n \"oracles\": [",
                          dataset);
    for (size_t i = 0; i < 6; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s{\"name\": \"sw\", \"b\": %d}",
                           i > 0 ? ", " : "", (int)(factors[i] * 0.25608 * 128));
    snprintf(text + length, sizeof text - (size_t)length, "]}\n");
    write_text(folder, "c.json", text);
    run_well("cd '%s' && ldpbench run c.json -o r --quiet", folder);
    struct outcome outcome =
        run_shell("cd '%s' && awk -F, 'NR > 1 { print 1e3 * $11, 1e3 * $12 }' r/distribution.csv", folder);
    const char *rest = outcome.out;
    for (size_t i = 0; i < 6; i++) {
        double mean, error;
        int read = 0;
        cr_assert_eq(sscanf(rest, "%lf %lf%n", &mean, &error, &read), 2, "%s", outcome.out);
        rest += read;
        snprintf(text, sizeof text, "%g times the width", factors[i]);
        check_distance(text, mean, error, expected[i], 0.06);
    }
    outcome_free(&outcome);
}

Test(pen, facts_of_the_width, SLOW)
{
    check_widths("{\"type\": \"beta\", \"a\": 5, \"b\": 2, \"d\": 128, \"n\": 100000}",
                 (double[]){4.62, 4.21, 4.35, 4.16, 4.75, 5.15});
}

Test(pen, facts_of_the_width_of_payments, SLOW)
{
    char text[TEXT];
    check_widths(payments(text), (double[]){5.27, 4.33, 5.03, 4.85, 4.71, 5.36});
}

/* Groups of values: at d = 4097, three each. A distribution that pen sees through them, and the sum of its parts. */
Test(pen, many_values)
{
    enum { D = 4097 };
    const struct ldp_protocol protocol = wave(D, 2);
    uint64_t *const counts = calloc(D, sizeof *counts), n = 0;
    double *const support = calloc(2 * D, sizeof *support), *const f = calloc(D, sizeof *f), distance = 0, F = 0, T = 0;

    for (size_t v = 0; v < D; v++)
        n += counts[v] = (uint64_t)(40 + 30 * sin((double)v / 500)) * 10;
    collect(&protocol, counts, n, 0, support);
    fit(&protocol, n, support, f);
    for (size_t v = 0; v < D; v++) {
        F += f[v];
        T += (double)counts[v] / (double)n;
        distance += fabs(F - T) / D;
    }
    cr_expect_float_eq(F, 1, 1e-12);
    cr_expect_lt(distance, 2e-3, "%g", distance);
    cr_expect_eq(f[0], f[2]);
    free(counts);
    free(support);
    free(f);
}

Test(pen, same_bytes_at_every_level)
{
    const struct ldp_protocol protocol = wave(37, 1);
    uint64_t counts[D_MAX], n = 0;
    double support[2 * D_MAX], out[LDP_SIMD_LEVELS][D_MAX];

    for (size_t v = 0; v < protocol.d; v++)
        n += counts[v] = 10 * v + (v == 5 ? 3000 : 0);
    collect(&protocol, counts, n, 0, support);
    for (enum ldp_simd level = 0; level < LDP_SIMD_LEVELS; level++) {
        if (!ldp_simd_available(level))
            continue;
        ldp_simd_use(level);
        fit(&protocol, n, support, out[level]);
        cr_expect_eq(memcmp(out[level], out[0], protocol.d * sizeof(double)), 0, "%s", ldp_simd_name(level));
    }
    ldp_simd_use(LDP_SIMD_LEVELS);
}
