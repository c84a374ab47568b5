/* test_hr.c - Hadamard response: transforms, the binomial butterfly, the form with blocks. */
#include "quick.h"
#include "sampling/hadamard.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_VARIANCE, PUBLISHED };

static struct ldp_protocol hr_by(double rule, double B, size_t d, double epsilon)
{
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("hr"), .param = {B, rule}};
    return make_protocol(&spec, d, epsilon);
}

static struct ldp_protocol hr(double B, size_t d, double epsilon)
{
    return hr_by(LEAST_VARIANCE, B, d, epsilon);
}

Test(hadamard, parity)
{
    for (uint64_t x = 0; x < 1024; x++)
        cr_assert_eq(ldp_parity(x << 30 | x), 0);
    for (unsigned i = 0; i < 64; i++)
        cr_assert_eq(ldp_parity(UINT64_C(1) << i), 1);
    cr_assert_eq(ldp_parity(0x7), 1);
    cr_assert_eq(ldp_parity(UINT64_MAX), 0);
}

Test(hadamard, transform_against_the_matrix)
{
    struct ldp_rng rng = make_stream(1, "fwht", 0);
    for (size_t K = 1; K <= 512; K *= 2) {
        int64_t a[512];
        for (size_t y = 0; y < K; y++)
            a[y] = (int64_t)ldp_rng_below(&rng, 2001) - 1000;
        int64_t expected[512] = {0};
        for (size_t x = 0; x < K; x++)
            for (size_t y = 0; y < K; y++)
                expected[x] += ldp_parity(x & y) ? -a[y] : a[y];
        ldp_fwht(a, K);
        cr_expect_eq(memcmp(a, expected, K * sizeof *a), 0, "K = %zu", K);
    }
}

/* Both ways through the histogram: few users (one by one) and many (butterfly). Users of X = 0 and of a column;
 * means, variances and covariances of the multinomials that they make. */
static void histogram_of(size_t K, int64_t users, size_t R)
{
    struct ldp_rng rng = make_stream(statistics_seed(5), "histogram", (uint64_t)users);
    int64_t *const N = calloc(2 * K, sizeof *N);
    double *const row = malloc(K * sizeof *row), total = 0;
    struct moments *const moments = moments_new(K);
    for (size_t r = 0; r < R; r++) {
        total = 0;
        for (size_t X = 0; X < K; X++) {
            N[X] = X % 3 == 1 ? 0 : users * (int64_t)(X + 1); /* some columns without users */
            total += (double)N[X];
        }
        ldp_hadamard_histogram(&rng, N, K, K);
        double sum = 0;
        for (size_t y = 0; y < K; y++) {
            row[y] = (double)N[y];
            sum += row[y];
            cr_assert(N[y] >= 0 && N[K + y] == 0);
        }
        cr_assert_eq(sum, total);
        moments_add(moments, row);
    }
    const double limit = statistics_z_bound(6 * 16 * 17);
    for (size_t a = 0; a < K; a++) {
        for (size_t b = 0; b <= a; b++) {
            double mean = 0, cov = 0, va = 0, vb = 0;
            for (size_t X = 0; X < K; X++) {
                const double own = X % 3 == 1 ? 0 : (double)users * (double)(X + 1),
                             cell = X == 0 ? 1.0 / (double)K : 2.0 / (double)K;
                const double pa = ldp_parity(X & a) ? 0 : cell, pb = ldp_parity(X & b) ? 0 : cell;
                mean += own * pa;
                cov += own * ((a == b ? pa : 0) - pa * pb);
                va += own * pa * (1 - pa);
                vb += own * pb * (1 - pb);
            }
            const double z = (moments_covariance(moments, a, b) - cov) / sqrt((va * vb + cov * cov) / (double)R);
            cr_expect(fabs(z) < limit, "K = %zu, %lld users: covariance %zu, %zu: z = %.1f", K, (long long)users, a, b,
                      z);
            if (a == b) {
                const double zm = statistics_z(moments->mean[a], mean, va, (double)R);
                cr_expect(fabs(zm) < limit, "K = %zu, %lld users: mean %zu: z = %.1f", K, (long long)users, a, zm);
            }
        }
    }
    moments_free(moments);
    free(N);
    free(row);
}

Test(hadamard, histogram_of_few_users)
{
    histogram_of(2, 3, 20000);
    histogram_of(8, 2, 20000);
    histogram_of(16, 1, 20000);
}

Test(hadamard, histogram_of_many_users)
{
    histogram_of(2, 30, 20000);
    histogram_of(8, 50, 20000);
    histogram_of(16, 4000, 20000);
}

Test(hr, sizes)
{
    cr_expect_eq(hr(1, 3, 1).state_bytes, 4 * 8);
    cr_expect_eq(hr(1, 4, 1).state_bytes, 8 * 8); /* column 0 is not used */
    cr_expect_eq(hr(1, 1024, 1).state_bytes, 2048 * 8);
    cr_expect_eq(hr_by(PUBLISHED, NAN, 1024, 0.5).param[0], 1);
    cr_expect_eq(hr_by(PUBLISHED, NAN, 1024, 1).param[0], 1); /* the form of high privacy up to 1 */
    cr_expect_eq(hr_by(PUBLISHED, NAN, 1024, 1.1).param[0], 2);
    cr_expect_eq(hr_by(PUBLISHED, NAN, 1024, 3).param[0], 16);
    cr_expect_eq(hr_by(PUBLISHED, NAN, 1024, 3).state_bytes, 16 * 128 * 8); /* 1024 / 16 + 1 = 65 */
    cr_expect_eq(hr_by(PUBLISHED, NAN, 1024, 500).param[0], 1024);
    cr_expect_eq(hr_by(PUBLISHED, NAN, 1024, 500).state_bytes, 1024 * 2 * 8);
    cr_expect_eq(hr(NAN, 1024, 1.1).param[0], 1); /* of least variance */
}

/* W of d = 6, n = 1000, epsilon = 1: the sum of the estimates has mean n and a standard deviation of 189, not 0. */
Test(hr, sum_of_estimates)
{
    enum { R = 20000 };
    static const uint64_t counts[] = {400, 250, 150, 100, 60, 40};
    struct ldp_population *const population = make_population(counts, 6);
    const struct ldp_protocol protocol = hr(1, 6, 1);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
    void *const scratch = malloc(simulation.scratch_bytes);
    struct ldp_rng rng = make_stream(statistics_seed(6), "sum", 0);
    double mean = 0, square = 0;
    for (size_t r = 0; r < R; r++) {
        double support[2 * 6 + 2];
        ldp_simulate(&simulation, &rng, scratch, support);
        double est[6];
        ldp_estimate(&protocol, 1000, support, NULL, est);
        double sum = 0;
        for (size_t v = 0; v < 6; v++)
            sum += 1000 * est[v];
        mean += sum / R;
        square += (sum - 1000) * (sum - 1000) / R;
    }
    cr_expect(fabs(mean - 1000) < 6 * 189 / sqrt(R), "%g", mean);
    cr_expect(fabs(sqrt(square) - 189) < 6 * 189 / sqrt(2.0 * R) + 0.5, "%g", sqrt(square));
    free(scratch);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
}

/* The public permutation is one: the positions that log_likelihood shows are all different, and over collections two
 * values share a block as often as under uniform permutations. */
Test(hr, permutation, SLOW)
{
    enum { D = 11, COLLECTIONS = 4000 };
    struct ldp_protocol protocol = hr(4, D, 3); /* b = 4: three columns a block, two in the last */
    struct ldp_rng rng = make_stream(statistics_seed(7), "permutation", 0);
    static uint64_t together[D][D], at[D][D];
    for (size_t c = 0; c < COLLECTIONS; c++) {
        protocol.public_seed = ldp_rng_next(&rng);
        size_t position[D];
        for (uint32_t v = 0; v < D; v++) {
            /* The reports of S_x name block and column: those that are likely. */
            unsigned likely = 0;
            double most = -INFINITY;
            for (uint64_t y = 0; y < protocol.state_bytes / 8; y++) {
                const double l = protocol.oracle->log_likelihood(&protocol, v, &y);
                likely = l > most + 1 ? 1u << y : fabs(l - most) < 1 ? likely | 1u << y : likely;
                most = fmax(most, l);
            }
            position[v] = D;
            for (unsigned i = 0; i < D; i++) {
                unsigned set = 0;
                for (unsigned y = 0; y < 4; y++)
                    set |= (unsigned)!ldp_parity((i % 3 + 1) & y) << (4 * (i / 3) + y);
                if (set == likely)
                    position[v] = i;
            }
            cr_assert_lt(position[v], D);
            at[v][position[v]]++;
            for (uint32_t w = 0; w < v; w++) {
                cr_assert_neq(position[w], position[v]);
                together[v][w] += position[w] / 3 == position[v] / 3;
            }
        }
    }
    const double limit = statistics_z_bound(D * D * 2), share = (3 * 6 + 2) / 110.0;
    for (size_t v = 0; v < D; v++) {
        for (size_t w = 0; w < D; w++) {
            const double z =
                statistics_z((double)at[v][w] / COLLECTIONS, 1.0 / D, (1.0 / D) * (1 - 1.0 / D), COLLECTIONS);
            cr_expect(fabs(z) < limit, "value %zu at %zu: z = %.1f", v, w, z);
            const double zt =
                w < v ? statistics_z((double)together[v][w] / COLLECTIONS, share, share * (1 - share), COLLECTIONS) : 0;
            cr_expect(fabs(zt) < limit, "values %zu, %zu together: z = %.1f", v, w, zt);
        }
    }
}

/* Variance of a value that shares its block with a heavy one, given the permutation: n (e+2B-1)(2 + P (e-1)) / (e-1)^2.
 */
Test(hr, variance_given_the_block)
{
    enum { D = 6, R = 20000 };
    static const uint64_t counts[D] = {300, 40, 30, 20, 10, 0};
    struct ldp_population *const population = make_population(counts, D);
    struct ldp_protocol protocol = hr(2, D, 2);
    protocol.public_seed = 12345;
    cr_assert_eq(protocol.state_bytes, 2 * 4 * 8);
    const struct ldp_oracle *const oracle = protocol.oracle;
    /* The block of each value: where its most likely reports are. */
    size_t block[D];
    double share[2] = {0};
    for (uint32_t v = 0; v < D; v++) {
        double mass[2] = {0};
        for (uint64_t y = 0; y < 8; y++)
            mass[y / 4] += exp(oracle->log_likelihood(&protocol, v, &y));
        block[v] = mass[1] > mass[0];
        share[block[v]] += (double)counts[v] / 400;
    }
    void *const plan = malloc(oracle->plan_bytes(&protocol, population)), *const scratch = malloc(oracle->scratch_bytes(
                                                                              &protocol, &population->histogram));
    oracle->plan(&protocol, population, plan);
    struct moments *const moments = moments_new(D);
    struct ldp_rng rng = make_stream(statistics_seed(8), "block", 0);
    for (size_t r = 0; r < R; r++) {
        double support[2 * D + 2];
        oracle->counts(&protocol, &population->histogram, plan, &rng, scratch, support);
        double est[D];
        ldp_estimate(&protocol, 400, support, NULL, est);
        for (size_t v = 0; v < D; v++)
            est[v] *= 400;
        moments_add(moments, est);
    }
    const double e = exp(2.0);
    for (size_t v = 0; v < D; v++) {
        const double stated = 400 * (e + 3) * (2 + share[block[v]] * (e - 1)) / ((e - 1) * (e - 1)) - (double)counts[v];
        const double z = statistics_z_variance(moments_covariance(moments, v, v), stated, 3 * stated * stated, R);
        cr_expect(fabs(z) < statistics_z_bound(D), "%zu: variance %g, stated %g, z = %.1f", v,
                  moments_covariance(moments, v, v), stated, z);
    }
    free(plan);
    free(scratch);
    moments_free(moments);
    ldp_population_free(population);
}
