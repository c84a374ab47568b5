/* test_levels.c - oracles over the levels of a tree and their estimators: shares and variances against published and
 * independently computed numbers, least squares against normal equations, optimality of the constrained fit, refusals.
 */
#include "laws/interval.h"
#include "numerics/skyline.h"
#include "ordinal/levels.h"
#include "program.h"
#include "quick.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 256, NODES_MAX = 128 };

/* With the first two parameters; NAN: the default. */
static struct ldp_protocol protocol_of(const char *name, double first, double second, const char *row, size_t d,
                                       double epsilon)
{
    struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name)}, inner = {.oracle = ldp_oracle_find(row)};
    struct ldp_protocol protocol;
    struct ldp_reason reason = {{0}};
    ldp_params_default(spec.oracle->params, spec.param);
    if (!isnan(first))
        spec.param[0] = first;
    if (!isnan(second))
        spec.param[1] = second;
    if (spec.oracle->inner) {
        ldp_params_default(inner.oracle->params, inner.param);
        spec.inner = &inner;
    }
    cr_assert_eq(ldp_protocol_init(&protocol, &spec, d, epsilon, &reason), LDP_OK, "%s: %s", name, reason.text);
    return protocol;
}

/* ---- Shares and variances ---- */

/* The mean over all ranges of d values of sum_l |P_l a|^2 / L_l, by all ranges. */
static double mean_of_all_ranges(const struct ldp_tree *tree, const double *share)
{
    const size_t d = tree->d;
    double total = 0, ranges = 0;
    for (size_t from = 0; from < d; from++)
        for (size_t to = from + 1; to <= d; to++, ranges++)
            for (size_t l = 1; l <= tree->h; l++) {
                double L = 0;
                for (size_t j = l; j <= tree->h; j++)
                    L += share[j - 1] * (double)tree->leaves[j];
                for (size_t v = 0; v < d; v++) {
                    double mean[2] = {0}; /* of the range's indicator, in the nodes of v at both depths */
                    for (size_t k = 0; k < 2; k++)
                        for (size_t w = from; w < to; w++)
                            mean[k] +=
                                (w / tree->leaves[l - k] == v / tree->leaves[l - k]) / (double)tree->leaves[l - k];
                    total += (mean[0] - mean[1]) * (mean[0] - mean[1]) / L;
                }
            }
    return total / ranges;
}

/* Of B = 2 and 256 values as published beside the formula, whose last digits sum to 1; and no other shares are better.
 */
Test(levels, shares_of_the_least_variance)
{
    static const double expected[] = {0, .08, .11, .12, .13, .13, .11, .32};
    const struct ldp_tree tree = ldp_tree_of(D, 2), small[2] = {ldp_tree_of(16, 2), ldp_tree_of(27, 3)};
    double share[LDP_LEVELS_MAX], other[LDP_LEVELS_MAX];
    ldp_tree_shares(&tree, true, share);
    for (size_t l = 0; l < 8; l++)
        cr_expect_float_eq(share[l], expected[l], 0.007, "level %zu: %g", l + 1, share[l]);
    for (size_t i = 0; i < 2; i++) {
        const size_t h = small[i].h;
        ldp_tree_shares(&small[i], true, share);
        const double least = mean_of_all_ranges(&small[i], share);
        for (size_t l = 0; l < h; l++)
            for (size_t k = 0; k < h; k++) {
                const double moved = share[l] < 0.02 ? share[l] : 0.02;
                memcpy(other, share, sizeof other);
                other[l] -= moved;
                other[k] += moved;
                cr_expect_geq(mean_of_all_ranges(&small[i], other), least * (1 - 1e-12), "from %zu to %zu", l, k);
            }
    }
}

/* The mean over all starts of n Var of ranges of r values. */
static double mean_range(const struct ldp_protocol *protocol, const double *f, size_t r)
{
    uint32_t member[D];
    int64_t *const work = malloc(ldp_set_interval_bytes(protocol->d));
    const size_t starts = protocol->d - r + 1;
    double sum = 0;
    for (size_t i = 0; i < starts; i++) {
        for (size_t k = 0; k < r; k++)
            member[k] = (uint32_t)(i + k);
        sum += protocol->oracle->set_variance(protocol, member, r, f, work).s1;
    }
    free(work);
    return sum / (double)starts;
}

/* Noise of ranges of 10 and 40 % of 256 values (facts on ordinal domains, sec. 3): f = 0 leaves what the data add out.
 */
Test(levels, noise_of_ranges)
{
    static const struct {
        const char *oracle;
        double first, epsilon, tenth, two_fifths;
    } rows[] = {{"hh", 2, 1, 41.9, 49.8},   {"hh", 4, 1, 39.1, 48.4},    {"hh", 16, 1, 46.5, 63.6},
                {"haar", 1, 1, 40.0, 49.9}, {"hh", 4, 2, 7.7, 9.5},      {"haar", 1, 2, 14.7, 18.4},
                {"hh", 4, 0.5, 167, 206},   {"haar", 1, 0.5, 142.4, 178}};
    static const double none[D];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ldp_protocol protocol =
            protocol_of(rows[i].oracle, rows[i].first, (double)NAN, "oue", D, rows[i].epsilon);
        const double tenth = mean_range(&protocol, none, D / 10), rest = mean_range(&protocol, none, 2 * D / 5);
        cr_expect_float_eq(tenth / rows[i].tenth, 1, 0.004, "%s, epsilon = %g: %g", rows[i].oracle, rows[i].epsilon,
                           tenth);
        cr_expect_float_eq(rest / rows[i].two_fifths, 1, 0.004, "%s, epsilon = %g: %g", rows[i].oracle, rows[i].epsilon,
                           rest);
    }
}

/* A leaf after constrained inference: 3.1595 s1 (4 s1 of its level alone); coefficients of signed hashing. */
Test(levels, constants)
{
    const struct ldp_protocol oue = protocol_of("oue", NAN, NAN, "oue", 64, 1),
                              tree = protocol_of("hh", 4, 0, "oue", D, 1);
    cr_expect_float_eq(tree.s1 / oue.s1, 3.1595, 5e-5);
    static const double at[][3] = {{2, 1.253, 1.724}, {3, 0.42, 1.22}};
    for (size_t i = 0; i < 2; i++) {
        const double best = protocol_of("haar", NAN, 0, "oue", D, at[i][0]).s1,
                     published = protocol_of("haar", 1, 0, "oue", D, at[i][0]).s1;
        cr_expect_float_eq(best / published, at[i][1] / at[i][2], 0.004, "epsilon = %g", at[i][0]);
    }
    cr_expect_eq(protocol_of("haar", NAN, 0, "oue", D, 1.33).param[0], 1);
    cr_expect_eq(protocol_of("haar", NAN, 0, "oue", D, 1.35).param[0], 2);
}

/* The variances of single values by two ways, of trees with and without shorter nodes. */
Test(levels, variances_of_values_are_those_of_sets)
{
    static const struct {
        const char *oracle, *row;
        double first, shares;
        size_t d;
    } rows[] = {{"hh", "oue", 2, 0, 16},  {"hh", "olh", 4, 1, 23},       {"hh", "grr", 3, 0, 40},
                {"hh", "ss", 2, 1, 37},   {"hh", "adaptive", 5, 0, 100}, {"haar", "oue", 1, 0, 16},
                {"haar", "oue", 3, 1, 23}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ldp_protocol protocol =
            protocol_of(rows[i].oracle, rows[i].first, rows[i].shares, rows[i].row, rows[i].d, 1.5);
        uint64_t counts[D] = {0}, n = 0;
        double f[D], variance[D];
        for (size_t v = 0; v < rows[i].d; v++)
            n += counts[v] = UINT64_C(1000000000) * (v * v % 11 + (v == 3 ? 5 : 0));
        for (size_t v = 0; v < rows[i].d; v++)
            f[v] = (double)counts[v] / (double)n;
        ldp_variance(&protocol, &(struct ldp_histogram){rows[i].d, n, counts}, variance);
        int64_t *const work = malloc(ldp_set_interval_bytes(rows[i].d));
        for (uint32_t v = 0; v < rows[i].d; v++) {
            const double expected = (double)n * protocol.oracle->set_variance(&protocol, &v, 1, f, work).s1;
            cr_expect_float_eq(variance[v] / expected, 1, 1e-7, "%s over %s, value %u: %g, %g", rows[i].oracle,
                               rows[i].row, v, variance[v], expected);
        }
        free(work);
    }
}

/* E[1/N | N > 0] by the sum over the law. */
Test(levels, inverse_means)
{
    static const double shares[] = {0.003, 0.1, 0.5, 0.99, 1};
    for (uint64_t n = 1; n < 1200; n = 3 * n + 1)
        for (size_t i = 0; i < 5; i++) {
            const double p = shares[i];
            double all = 0, sum = 0;
            for (uint64_t k = 1; k <= n; k++) {
                const double x = (double)k,
                             P = exp(lgamma((double)n + 1) - lgamma(x + 1) - lgamma((double)(n - k) + 1) + x * log(p) +
                                     (n == k ? 0 : (double)(n - k) * log1p(-p)));
                all += P;
                sum += P / x;
            }
            cr_expect_float_eq(ldp_levels_inverse_mean(n, p) / (sum / all), 1, 1e-6, "n = %llu, p = %g",
                               (unsigned long long)n, p);
        }
    cr_expect_eq(ldp_levels_inverse_mean(10, 0), 0);
}

/* ---- Least squares ---- */

/* Two levels of two and four nodes: z of the upper ones is 2/3 of their own and 1/3 of their children's sum. */
Test(levels, least_squares_by_hand)
{
    double x[] = {0.7, 0.2, 0.5, 0.1, 0.3, 0.2};
    const double V[] = {0, 1, 1}, expected[] = {41 / 60., 19 / 60., 13 / 24., 17 / 120., 5 / 24., 13 / 120.};
    const struct ldp_tree tree = ldp_tree_of(4, 2);
    const struct ldp_least_squares fit = ldp_least_squares_of(&tree, V);
    ldp_least_squares_fit(&fit, x);
    for (size_t i = 0; i < 6; i++)
        cr_expect_float_eq(x[i], expected[i], 1e-15, "node %zu: %.17g", i, x[i]);
}

/* Solves A x = b in place, A [n][n + 1] with b as its last column. */
static void solve(double A[][NODES_MAX + 2], size_t n)
{
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k; i < n; i++)
            pivot = fabs(A[i][k]) > fabs(A[pivot][k]) ? i : pivot;
        for (size_t j = 0; j <= n; j++) {
            const double swap = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = swap;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = n + 1; i != k && j-- > k;)
                A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    }
    for (size_t i = 0; i < n; i++)
        A[i][n] /= A[i][i];
}

/* Normal equations of sum (x - T f)^2 / V with a multiplier of sum f = 1. */
static void plain_fit(const struct ldp_tree *tree, const double *V, const double *x, double *f)
{
    static double A[NODES_MAX][NODES_MAX + 2];
    const size_t d = tree->d;
    memset(A, 0, sizeof A);
    for (size_t l = 1; l <= tree->h; l++)
        for (size_t v = 0; v < d; v++) {
            const size_t node = v / tree->leaves[l];
            for (size_t w = 0; w < d; w++)
                A[v][w] += w / tree->leaves[l] == node ? 1 / V[l] : 0;
            A[v][d + 1] += x[tree->first[l] + node] / V[l];
        }
    for (size_t v = 0; v < d; v++)
        A[v][d] = A[d][v] = 1;
    A[d][d + 1] = 1;
    solve(A, d + 1);
    for (size_t v = 0; v < d; v++)
        f[v] = A[v][d + 1];
}

Test(levels, least_squares_are_those_of_the_normal_equations)
{
    static const struct {
        size_t d, B;
        double V[8];
    } trees[] = {{8, 2, {0, 1, 1, 1}},
                 {7, 2, {0, 2, 0.5, 3}},
                 {10, 3, {0, 1, INFINITY, 2}},
                 {23, 4, {0, 1, 2, 3}},
                 {5, 5, {0, 2}},
                 {40, 3, {0, INFINITY, INFINITY, 1, 4}},
                 {17, 4, {0, 0.1, 5, 1}},
                 {33, 2, {0, 1, 2, INFINITY, 4, 5, 6}}};
    struct ldp_rng rng;
    ldp_rng_stream(&rng, 1, "least squares", 0);
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        const struct ldp_tree tree = ldp_tree_of(trees[i].d, trees[i].B);
        const struct ldp_least_squares fit = ldp_least_squares_of(&tree, trees[i].V);
        double x[NODES_MAX], a[NODES_MAX] = {0}, w[NODES_MAX], f[NODES_MAX], function = 0, fitted = 0;
        for (size_t k = 0; k < tree.nodes; k++)
            x[k] = ldp_rng_uniform(&rng) - 0.3;
        plain_fit(&tree, trees[i].V, x, f);
        double out[NODES_MAX];
        memcpy(out, x, sizeof x);
        ldp_least_squares_fit(&fit, out);
        for (size_t v = 0; v < tree.d; v++)
            cr_expect_float_eq(out[tree.first[tree.h] + v], f[v], 1e-12, "tree %zu, value %zu", i, v);
        /* The weights of a linear function: it is linear in x, and 0 of x = 0 is its constant. */
        for (size_t v = 0; v < tree.d; v++)
            a[tree.first[tree.h] + v] = ldp_rng_uniform(&rng);
        memcpy(w, a, sizeof a);
        ldp_least_squares_weights(&fit, w);
        double zero[NODES_MAX] = {0};
        ldp_least_squares_fit(&fit, zero);
        for (size_t k = 0; k < tree.nodes; k++) {
            function += w[k] * x[k];
            fitted += a[k] * (out[k] - zero[k]);
        }
        cr_expect_float_eq(function, fitted, 1e-12, "tree %zu", i);
    }
}

/* Levels without users are left out, down to none but the first. */
Test(levels, empty_levels_say_nothing)
{
    const struct ldp_tree tree = ldp_tree_of(11, 3);
    const double V[] = {0, 1, INFINITY, INFINITY};
    const struct ldp_least_squares fit = ldp_least_squares_of(&tree, V);
    double x[NODES_MAX] = {0.7, 0.5};
    ldp_least_squares_fit(&fit, x);
    for (size_t v = 0; v < 11; v++)
        cr_expect_float_eq(x[tree.first[3] + v], v < 9 ? 0.6 / 9 : 0.2, 1e-15);
}

/* ---- Constrained ---- */

static void apply(const char *method, const struct ldp_protocol *protocol, uint64_t n, const double *support,
                  const double *est, double *out)
{
    struct ldp_method_spec spec = {.method = ldp_method_find(method)};
    ldp_params_default(spec.method->params, spec.param);
    void *const scratch = malloc(ldp_postprocess_scratch(&spec, protocol->d) + 1);
    ldp_postprocess(&spec, &(struct ldp_collection){protocol, n, support, est}, scratch, out);
    free(scratch);
}

/* The slope of the weighted squares is least where mass is, and nowhere less: no move of mass gains. */
Test(levels, constrained_fit_is_the_least)
{
    enum { d = 40 };
    static const uint64_t counts[d] = {500, 0, 0, 3, 0, 20, 80, 200, 90, 10, 0, 0, 0, 0, 700, 0, 0, 4, 0, 10};
    const struct ldp_protocol protocol = protocol_of("hh", 3, 0, "oue", d, 1);
    const struct ldp_histogram histogram = {d, 1617, counts};
    struct ldp_rng rng;
    double est[d], f[d], slope[d] = {0}, least = INFINITY, mass[NODES_MAX], x[NODES_MAX];
    double *const support = malloc(protocol.support_size * sizeof *support);
    void *const scratch =
        malloc(ldp_collect_scratch(&protocol, &histogram, LDP_COUNTS) + ldp_estimate_scratch(&protocol));
    ldp_rng_stream(&rng, 4, "test_levels", 0);
    ldp_collect(&protocol, &histogram, LDP_COUNTS, &rng, scratch, support);
    ldp_estimate(&protocol, histogram.n, support, scratch, est);
    apply("hh_admm", &protocol, histogram.n, support, est, f);
    const struct ldp_tree tree = ldp_tree_of(d, 3);
    ldp_levels_estimates(&protocol, support, x);
    memcpy(mass + tree.first[tree.h], f, sizeof f);
    ldp_tree_sum(&tree, mass);
    for (size_t v = 0; v < d; v++)
        for (size_t l = 1; l <= tree.h; l++) {
            const size_t node = tree.first[l] + v / tree.leaves[l];
            slope[v] += support[l - 1] * (mass[node] - x[node]); /* s1 is the same in all levels */
        }
    for (size_t v = 0; v < d; v++)
        least = fmin(least, slope[v]);
    size_t held = 0;
    for (size_t v = 0; v < d; v++) {
        cr_expect(f[v] >= 0 && (f[v] < 1e-8 || slope[v] - least < 1e-4), "value %zu: %g at a slope of %g", v, f[v],
                  slope[v] - least);
        held += f[v] > 1e-8;
    }
    cr_expect(held > 2 && held < d - 2);
    free(support);
    free(scratch);
}

/* Rows that begin anywhere: the solution and the determinant of a plain elimination. */
Test(levels, skyline_solves)
{
    enum { N = 9 };
    static double A[NODES_MAX][NODES_MAX + 2];
    size_t first[N] = {0, 0, 1, 3, 0, 4, 5, 2, 7}, start[N];
    double value[N * N], x[N], log_det, expected = 0;
    struct ldp_skyline matrix = {.order = N, .first = first, .start = start, .value = value};
    struct ldp_rng rng;
    ldp_rng_stream(&rng, 5, "skyline", 0);
    ldp_skyline_begin(&matrix);
    memset(A, 0, sizeof A);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = first[i]; j <= i; j++)
            A[i][j] = A[j][i] = *ldp_skyline_at(&matrix, i, j) = i == j ? 4 : ldp_rng_uniform(&rng) - 0.5;
        A[i][N] = x[i] = ldp_rng_uniform(&rng);
    }
    cr_assert(ldp_skyline_factor(&matrix, &log_det));
    ldp_skyline_solve(&matrix, x);
    solve(A, N);
    for (size_t i = 0; i < N; i++) {
        cr_expect_float_eq(x[i], A[i][N], 1e-13);
        expected += log(A[i][i]);
    }
    cr_expect_float_eq(log_det, expected, 1e-12);
    ldp_skyline_begin(&matrix);
    *ldp_skyline_at(&matrix, 0, 0) = -1;
    cr_expect_not(ldp_skyline_factor(&matrix, &log_det));
}

/* ---- Accuracy ---- */

/* 100,000 users whose values follow Beta(5, 2). */
static uint64_t beta52(uint64_t *counts)
{
    uint64_t n = 0;
    for (size_t v = 0; v < D; v++) {
        const double a = (double)v / D, b = (double)(v + 1) / D;
        n += counts[v] = (uint64_t)llround(1e5 * (pow(b, 5) * (6 - 5 * b) - pow(a, 5) * (6 - 5 * a)));
    }
    return n;
}

static double wasserstein(const double *est, const uint64_t *counts, uint64_t n)
{
    double gap = 0, sum = 0;
    for (size_t v = 0; v < D; v++) {
        gap += est[v] - (double)counts[v] / (double)n;
        sum += fabs(gap);
    }
    return sum / D;
}

/* Wasserstein distances on Beta(5, 2), d = 256, n = 100,000, epsilon = 1 (facts, sec. 3, 5, 7), within four standard
 * errors of both. The projection of leaves moves their mass towards uniform: it is ten times worse than no projection.
 */
Test(levels, distances_on_beta, SLOW)
{
    static const struct {
        const char *oracle;
        double first;
        const char *method;
        double expected;
    } rows[] = {{"hh", 4, "base", 12.9e-3},       {"hh", 4, "hh_ci", 12.9e-3},      {"hh", 4, "hh_admm", 10.9e-3},
                {"hh", 2, "tree_pen", 6.0e-3},    {"haar", 1, "base", 13.0e-3},     {"hh", 4, "norm_sub", 120e-3},
                {"bins", 16, "norm_sub", 7.5e-3}, {"bins", 32, "norm_sub", 11.3e-3}};
    enum { R = 100 };
    uint64_t counts[D];
    const uint64_t n = beta52(counts);
    const struct ldp_histogram histogram = {D, n, counts};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ldp_protocol protocol = protocol_of(rows[i].oracle, rows[i].first, NAN, "oue", D, 1);
        double sum = 0, squares = 0, est[D], out[D];
        double *const support = malloc(protocol.support_size * sizeof *support);
        void *const scratch = malloc(ldp_collect_scratch(&protocol, &histogram, LDP_COUNTS)),
                    *const work = malloc(ldp_estimate_scratch(&protocol) + 1);
        struct ldp_rng rng;
        ldp_rng_stream(&rng, statistics_seed(1), "distances", i);
        for (size_t r = 0; r < R; r++) {
            ldp_collect(&protocol, &histogram, LDP_COUNTS, &rng, scratch, support);
            ldp_estimate(&protocol, n, support, work, est);
            apply(rows[i].method, &protocol, n, support, est, out);
            const double distance = wasserstein(out, counts, n);
            sum += distance / R;
            squares += distance * distance / R;
        }
        const double error = hypot(sqrt((squares - sum * sum) / R), 0.04 * rows[i].expected);
        cr_expect_float_eq(sum, rows[i].expected, 4 * error, "%s, %s: %g, not %g", rows[i].oracle, rows[i].method, sum,
                           rows[i].expected);
        free(support);
        free(scratch);
        free(work);
    }
}

/* Measured variances of ranges against the stated ones, by counts. */
Test(levels, ranges_have_the_stated_variance, SLOW)
{
    enum { R = 2000, d = 50, FROM = 7, TO = 31 };
    static const struct {
        const char *oracle, *row;
        double first, shares;
    } rows[] = {
        {"hh", "oue", 4, 0}, {"hh", "grr", 2, 1}, {"hh", "ss", 3, 0}, {"haar", "oue", 1, 1}, {"haar", "oue", 4, 0}};
    uint64_t counts[d], n = 0, users = 0;
    double f[d];
    uint32_t member[d];
    for (size_t v = 0; v < d; v++)
        n += counts[v] = 40 + 30 * (v % 7) + (v == 9 ? 3000 : 0);
    for (size_t v = 0; v < d; v++)
        f[v] = (double)counts[v] / (double)n;
    for (uint32_t v = FROM; v < TO; v++) {
        member[v - FROM] = v;
        users += counts[v];
    }
    const struct ldp_histogram histogram = {d, n, counts};
    int64_t *const room = malloc(ldp_set_interval_bytes(d));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ldp_protocol protocol =
            protocol_of(rows[i].oracle, rows[i].first, rows[i].shares, rows[i].row, d, 2);
        const double stated = protocol.oracle->set_variance(&protocol, member, TO - FROM, f, room).s1 / (double)n;
        double mean = 0, square = 0, fourth = 0, est[d];
        double *const support = malloc(protocol.support_size * sizeof *support);
        void *const scratch = malloc(ldp_collect_scratch(&protocol, &histogram, LDP_COUNTS)), *const work = malloc(
                                                                                                  ldp_estimate_scratch(
                                                                                                      &protocol));
        struct ldp_rng rng;
        ldp_rng_stream(&rng, statistics_seed(2), "ranges", i);
        for (size_t r = 0; r < R; r++) {
            double error = -(double)users / (double)n;
            ldp_collect(&protocol, &histogram, LDP_COUNTS, &rng, scratch, support);
            ldp_estimate(&protocol, n, support, work, est);
            for (size_t v = FROM; v < TO; v++)
                error += est[v];
            mean += error / R;
            square += error * error / R;
            fourth += error * error * error * error / R;
        }
        cr_expect_lt(fabs(statistics_z(mean, 0, stated, R)), statistics_z_bound(10), "%s over %s", rows[i].oracle,
                     rows[i].row);
        cr_expect_lt(fabs(statistics_z_variance(square, stated, fourth, R)), statistics_z_bound(10),
                     "%s over %s: %g, stated %g", rows[i].oracle, rows[i].row, square, stated);
        free(support);
        free(scratch);
        free(work);
    }
    free(room);
}

/* ---- Intervals ---- */

/* The first measure of a query about a collection's own estimates. */
static double measure_one(const char *name, double percent, const struct ldp_collection *collection,
                          const struct ldp_population *population, struct ldp_rng *rng)
{
    static const double floor = -INFINITY;
    struct ldp_query_spec spec = {.query = ldp_query_find(name), .points = &percent, .npoints = 1};
    const struct ldp_answers answers = {.m = 1, .est = &collection->est, .floor = &floor};
    void *const scratch = malloc(spec.query->scratch_bytes(&spec, population->d, 1));
    double out[4];
    ldp_params_default(spec.query->params, spec.param);
    spec.query->measure(&spec, collection, population, &answers, rng, scratch, out);
    free(scratch);
    return out[0];
}

/* Intervals of ranges cover the true value in 95 of 100 collections, those of quantiles in 95 or more. */
Test(levels, coverage_of_intervals, SLOW)
{
    enum { R = 250, d = 50 };
    static const struct {
        const char *oracle;
        double first, shares;
    } rows[] = {{"hh", 4, 0}, {"hh", 2, 1}, {"haar", 1, 0}, {"haar", 4, 1}};
    uint64_t counts[d];
    for (size_t v = 0; v < d; v++)
        counts[v] = 100 + 20 * (v % 9) + (v == 30 ? 2000 : 0);
    struct ldp_population *population = NULL;
    cr_assert_eq(ldp_population_new(counts, d, &population), LDP_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ldp_protocol protocol = protocol_of(rows[i].oracle, rows[i].first, rows[i].shares, "oue", d, 2);
        double *const support = malloc(protocol.support_size * sizeof *support), est[d], sum = 0, square = 0, held = 0;
        void *const scratch = malloc(ldp_collect_scratch(&protocol, &population->histogram, LDP_COUNTS)),
                    *const work = malloc(ldp_estimate_scratch(&protocol));
        struct ldp_rng rng;
        ldp_rng_stream(&rng, statistics_seed(3), "coverage", i);
        for (size_t r = 0; r < R; r++) {
            ldp_collect(&protocol, &population->histogram, LDP_COUNTS, &rng, scratch, support);
            ldp_estimate(&protocol, population->n, support, work, est);
            const struct ldp_collection collection = {&protocol, population->n, support, est};
            const double share = measure_one("range_intervals", 30, &collection, population, &rng);
            sum += share / R;
            square += share * share / R;
            held += measure_one("quantile_intervals", 25, &collection, population, &rng) / R;
        }
        cr_expect_float_eq(sum, 0.95, 4 * sqrt((square - sum * sum) / R), "%s, row %zu: ranges %g", rows[i].oracle, i,
                           sum);
        cr_expect_geq(held, 0.95 - 4 * sqrt(0.95 * 0.05 / R), "%s, row %zu: quantiles %g", rows[i].oracle, i, held);
        free(support);
        free(scratch);
        free(work);
    }
    ldp_population_free(population);
}

/* The exact mean error of ranges: of independent supports the formula, of trees the mean of the variances. */
Test(levels, exact_errors_of_ranges)
{
    static const double percent = 10;
    const struct ldp_query_spec spec = {.query = ldp_query_find("range"), .points = &percent, .npoints = 1};
    uint64_t counts[D];
    const uint64_t n = beta52(counts);
    struct ldp_population *population = NULL;
    cr_assert_eq(ldp_population_new(counts, D, &population), LDP_OK);
    void *const scratch = malloc(ldp_set_interval_bytes(D) + D * sizeof(uint32_t));
    const struct ldp_protocol oue = protocol_of("oue", NAN, NAN, "oue", D, 1);
    struct ldp_protocol tree = protocol_of("hh", 4, 0, "oue", D, 1);
    double f = 0;
    tree.law.n = n;
    for (size_t i = 0; i + 25 <= D; i++)
        for (size_t v = i; v < i + 25; v++)
            f += population->f[v] / (D - 24);
    cr_expect_float_eq(spec.query->exact(&spec, &oue, population, 0, scratch) * (double)n, 25 * oue.s1 + f * oue.tf,
                       1e-9);
    cr_expect_float_eq(spec.query->exact(&spec, &tree, population, 0, scratch) * (double)n,
                       mean_range(&tree, population->f, 25), 1e-9);
    free(scratch);
    ldp_population_free(population);
}

/* ---- Refusals ---- */

FolderTest(levels, configs_are_refused_in_one_line)
{
    static const struct {
        const char *oracle, *method, *why;
    } rows[] = {
        {"{\"name\": \"hh\", \"B\": 9}", "base", "B = 9: expected at most as many children as values, d = 8"},
        {"{\"name\": \"hh\", \"B\": 1}", "base", "B: expected"},
        {"{\"name\": \"hh\", \"row_oracle\": \"sw\"}", "base",
         "row_oracle = sw: expected an oracle with a support for each value"},
        {"{\"name\": \"hh\", \"row_oracle\": \"count_min\"}", "base",
         "row_oracle = count_min: expected an oracle with"},
        {"{\"name\": \"hh\", \"B\": 2, \"row_oracle\": {\"name\": \"ss\", \"k\": 3}}", "base",
         "level 1 of 2 nodes: k = 3: expected a set smaller than d = 2"},
        {"{\"name\": \"bins\", \"bins\": 9}", "base", "bins = 9: expected at most as many as values, d = 8"},
        {"\"haar\"", "hh_ci", "got hh_ci, which needs an oracle that counts nodes of a tree, such as hh"},
        {"\"oue\"", "hh_admm", "got hh_admm, which needs an oracle that counts nodes of a tree, such as hh"},
    };
    char text[1024];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(text, sizeof text,
                 "{\"name\": \"c\", \"repetitions\": 2, \"epsilon\": 1, \"ordered\": true, \"oracles\": [%s],\n"
                 " \"methods\": [\"%s\"], \"queries\": [\"full_domain\"],\n"
                 " \"datasets\": [{\"type\": \"uniform\", \"d\": 8, \"n\": 100}]}\n",
                 rows[i].oracle, rows[i].method);
        write_text(folder, "c.json", text);
        demand_failure(2, rows[i].why, "cd '%s' && ldpbench run c.json --quiet", folder);
    }
}

/* Supports from a file: two levels of two and four nodes, whose sizes must be whole and sum to n. */
FolderTest(levels, supports_of_a_file)
{
    write_text(folder, "s", "1\t60\n2\t40\n3\t40\n4\t20\n5\t15\n6\t10\n7\t10\n8\t5\n");
    write_text(folder, "t", "1\t60\n2\t50\n3\t40\n4\t20\n5\t15\n6\t10\n7\t10\n8\t5\n");
    run_well(
        "cd '%s' && ldpbench estimate --oracle 'hh(B=2)' --epsilon 1 --n 100 --d 4 --method hh_ci --format csv s > out",
        folder);
    run_well("cd '%s' && test $(wc -l < out) = 5", folder);
    demand_failure(2, "expected users of levels that sum to n = 100, got 110",
                   "cd '%s' && ldpbench estimate --oracle 'hh(B=2)' --epsilon 1 --n 100 --d 4 t", folder);
}
