/* test_ss.c - subset selection: its parameters, and the sampler by halving against users one by one. */
#include "ldp.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ldp_protocol ss(double k, size_t d, double epsilon)
{
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("ss"), .param = {k}};
    return make_protocol(&spec, d, epsilon);
}

Test(ss, derived_k)
{
    cr_expect_eq(ss(NAN, 1024, 1).param[0], 275); /* 1024 / 3.71828 = 275.4 */
    cr_expect_eq(ss(NAN, 1024, 4).param[0], 18);  /* 18.4 */
    cr_expect_eq(ss(NAN, 1024, 20).param[0], 1);
    cr_expect_eq(ss(NAN, 1024, 700).param[0], 1);
    cr_expect_eq(ss(NAN, 2, 0.01).param[0], 1);
    cr_expect_eq(ss(NAN, 3, 0.01).param[0], 1); /* 1.49 */
    cr_expect_eq(ss(5, 1024, 1).param[0], 5);
}

/* d = 4, k = 1 is randomised response over 4 values; with d/(e+1) = 2 whole, p = 1/2. */
Test(ss, p_and_q_by_hand)
{
    const double e = exp(1.0);
    cr_expect_float_eq(ss(1, 4, 1).p, e / (e + 3), 1e-15);
    cr_expect_float_eq(ss(1, 4, 1).q, 1 / (e + 3), 1e-15);
    const struct ldp_protocol half = ss(NAN, 6, log(2));
    cr_expect_eq(half.param[0], 2);
    cr_expect_float_eq(half.p, 0.5, 1e-15);
    cr_expect_float_eq(half.q, 0.3, 1e-15); /* (2 - 1/2) / 5 */
}

/* Many columns, so that windows of places are cut and rows are drawn by binomials: the mean of every support and
 * the covariances of some blocks of values, which join columns of several levels. */
Test(ss, halving_agrees_with_theory_on_a_larger_domain, SLOW)
{
    enum { D = 300, R = 1200, BLOCKS = 10, WIDTH = D / BLOCKS };
    static const double epsilons[] = {0.2, 1, 3};
    static uint64_t counts[D];
    uint64_t n = 0;
    for (size_t v = 0; v < D; v++) {
        counts[v] = v % 3 ? 200000 / ((v + 1) * (v + 1)) + v % 7 : 0;
        n += counts[v];
    }
    struct ldp_population *const population = make_population(counts, D);
    const double limit = statistics_z_bound(3 * (2 * D + BLOCKS * BLOCKS));
    for (size_t i = 0; i < 3; i++) {
        const struct ldp_protocol protocol = ss(NAN, D, epsilons[i]);
        struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
        void *const scratch = malloc(simulation.scratch_bytes);
        static double support[D], block[BLOCKS];
        struct moments *const values = moments_new(D), *const blocks = moments_new(BLOCKS);
        struct ldp_rng rng = make_stream(statistics_seed(3), "halving", i);
        for (size_t r = 0; r < R; r++) {
            ldp_simulate(&simulation, &rng, scratch, support);
            memset(block, 0, sizeof block);
            double sum = 0;
            for (size_t v = 0; v < D; v++) {
                block[v / WIDTH] += support[v];
                sum += support[v];
            }
            cr_assert_eq(sum, (double)n * protocol.param[0]);
            moments_add(values, support);
            moments_add(blocks, block);
        }
        const double d = D, k = protocol.param[0], p = protocol.p, q = protocol.q, both = p * (k - 1) / (d - 1),
                     neither = (p * (k - 1) * (k - 2) + (1 - p) * k * (k - 1)) / ((d - 1) * (d - 2));
        double users[BLOCKS] = {0}, variance[D];
        for (size_t v = 0; v < D; v++) {
            const double own = (double)counts[v], others = (double)(n - counts[v]);
            users[v / WIDTH] += own;
            variance[v] = own * p * (1 - p) + others * q * (1 - q);
            const double z = statistics_z(values->mean[v], own * p + others * q, variance[v], R);
            cr_expect(fabs(z) < limit, "epsilon %g: mean of %zu, z = %.1f", epsilons[i], v, z);
            const double zv =
                statistics_z_variance(moments_covariance(values, v, v), variance[v], 3 * variance[v] * variance[v], R);
            cr_expect(fabs(zv) < limit, "epsilon %g: variance of %zu, z = %.1f", epsilons[i], v, zv);
        }
        for (size_t a = 0; a < BLOCKS; a++) {
            for (size_t b = 0; b <= a; b++) {
                /* Summed over the pairs of values of the two blocks. */
                const double with = both - p * q, without = neither - q * q, N = (double)n;
                const double pairs = (double)WIDTH * WIDTH - (a == b ? WIDTH : 0);
                const double own = (users[a] + users[b]) * WIDTH - (a == b ? 2 * users[a] : 0);
                double stated = own * with + (pairs * N - own) * without;
                double va = 0, vb = 0;
                for (size_t v = 0; v < WIDTH; v++) {
                    stated += a == b ? variance[a * WIDTH + v] : 0;
                    va += variance[a * WIDTH + v];
                    vb += variance[b * WIDTH + v];
                }
                va += WIDTH * (WIDTH - 1) * N * without + 2 * users[a] * (WIDTH - 1) * (with - without);
                vb += WIDTH * (WIDTH - 1) * N * without + 2 * users[b] * (WIDTH - 1) * (with - without);
                const double error = sqrt((va * vb + stated * stated) / R),
                             z = (moments_covariance(blocks, a, b) - stated) / error;
                cr_expect(fabs(z) < limit, "epsilon %g: blocks %zu, %zu: covariance %g, stated %g, z = %.1f",
                          epsilons[i], a, b, moments_covariance(blocks, a, b), stated, z);
            }
        }
        moments_free(values);
        moments_free(blocks);
        free(scratch);
        ldp_simulation_clear(&simulation);
    }
    ldp_population_free(population);
}

/* n beyond 2^32: totals stay exact, estimates near the true ones. */
Test(ss, very_many_users)
{
    static const uint64_t counts[] = {UINT64_C(700000000000), UINT64_C(200000000000), 0, UINT64_C(99999999999), 1};
    struct ldp_population *const population = make_population(counts, 5);
    const struct ldp_protocol protocol = ss(2, 5, 1);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
    void *const scratch = malloc(simulation.scratch_bytes);
    struct ldp_rng rng = make_stream(statistics_seed(4), "many", 0);
    double support[5];
    ldp_simulate(&simulation, &rng, scratch, support);
    double est[5];
    ldp_estimate(&protocol, population->n, support, NULL, est);
    double variance[5];
    ldp_variance(&protocol, &population->histogram, variance);
    double sum = 0;
    for (size_t v = 0; v < 5; v++) {
        sum += support[v];
        const double z = (est[v] - population->f[v]) * (double)population->n / sqrt(variance[v]);
        cr_expect(fabs(z) < statistics_z_bound(5), "%zu: z = %.1f", v, z);
    }
    cr_expect_eq(sum, 2e12);
    free(scratch);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
}
