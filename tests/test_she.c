/* test_she.c - histogram encoding: sums and thresholds; Laplace and gamma numbers. */
#include "ldp.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* Kolmogorov-Smirnov against GSL's law, from an exponential to sums of 10^12 numbers. */
Test(gamma, follows_its_law, SLOW)
{
    static const double shapes[] = {1, 1.5, 2, 3, 10, 100, 1e4, 1e6, 1e9, 1e12};
    enum { SHAPES = sizeof shapes / sizeof *shapes };
    const size_t m = statistics_draws(50000);
    double *const u = malloc(m * sizeof *u);
    for (size_t i = 0; i < SHAPES; i++) {
        struct ldp_rng rng = make_stream(statistics_seed(15), "gamma", i);
        double mean = 0, square = 0, fourth = 0;
        for (size_t j = 0; j < m; j++) {
            const double x = ldp_gamma(&rng, shapes[i]), z = (x - shapes[i]) / sqrt(shapes[i]);
            cr_assert(x > 0 && isfinite(x));
            mean += z / (double)m;
            square += z * z / (double)m;
            fourth += z * z * z * z / (double)m;
            /* GSL's incomplete gamma function does not serve 10^6; there the law is normal to 1e-6 in its cdf, once its
             * skewness is taken off. */
            const double term = (z * z - 1) / (3 * sqrt(shapes[i]));
            u[j] = shapes[i] < 1e5 ? gsl_cdf_gamma_P(x, shapes[i], 1)
                                   : gsl_cdf_ugaussian_P(z) - term * exp(-z * z / 2) / sqrt(2 * M_PI);
        }
        const double p = statistics_kolmogorov(u, m);
        cr_expect_gt(p, statistics_p_bound(3 * SHAPES), "shape %g: p = %g", shapes[i], p);
        const double limit = statistics_z_bound(3 * SHAPES), kurtosis = 3 + 6 / shapes[i];
        cr_expect(fabs(mean) < limit / sqrt((double)m), "shape %g: mean %g", shapes[i], mean);
        cr_expect(fabs(square - 1) < limit * sqrt((kurtosis - 1) / (double)m), "shape %g: variance %g, kurtosis %g",
                  shapes[i], square, fourth);
    }
    free(u);
}

Test(gamma, laplace_follows_its_law)
{
    const size_t m = statistics_draws(100000);
    double *const u = malloc(m * sizeof *u);
    struct ldp_rng rng = make_stream(statistics_seed(16), "laplace", 0);
    for (size_t j = 0; j < m; j++)
        u[j] = gsl_cdf_laplace_P(ldp_laplace(&rng), 1);
    cr_expect_gt(statistics_kolmogorov(u, m), statistics_p_bound(1));
    free(u);
}

static struct ldp_protocol protocol_of(const char *name, double param, size_t d, double epsilon)
{
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name), .param = {param}};
    return make_protocol(&spec, d, epsilon);
}

Test(she, constants_by_hand)
{
    cr_expect_eq(protocol_of("she", 0, 10, 1).s1, 8);
    cr_expect_eq(protocol_of("she", 0, 10, 2).s1, 2);
    struct ldp_protocol protocol;
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("she")};
    cr_expect_eq(ldp_protocol_init(&protocol, &spec, 10, 1e-200, NULL), LDP_EINVAL); /* the variance overflows */
}

/* The support of a value is nearly normal at n = 1000 and Laplace at n = 1: its fourth moment shows it, 3 + 3/n. */
Test(she, law_of_a_sum)
{
    static const uint64_t few[2] = {1, 0}, many[2] = {5, 1};
    for (int i = 0; i < 2; i++) {
        const size_t m = statistics_draws(40000);
        struct ldp_population *const population = make_population(i ? many : few, 2);
        const struct ldp_protocol protocol = protocol_of("she", 0, 2, 2);
        for (int mode = LDP_COUNTS; mode <= LDP_REPORTS; mode++) {
            struct ldp_simulation simulation = make_simulation(&protocol, population, (enum ldp_mode)mode);
            void *const scratch = malloc(simulation.scratch_bytes + 1);
            struct ldp_rng rng = make_stream(statistics_seed(17), "sum", (uint64_t)mode);
            double square = 0, fourth = 0, eighth = 0;
            for (size_t j = 0; j < m; j++) {
                double support[2];
                ldp_simulate(&simulation, &rng, scratch, support);
                const double x = support[0] - (double)population->counts[0], x2 = x * x;
                square += x2 / (double)m;
                fourth += x2 * x2 / (double)m;
                eighth += x2 * x2 * x2 * x2 / (double)m;
            }
            const double n = (double)population->n, variance = 2 * n, /* scale 1 */
                expected = (3 + 3 / n) * variance * variance;
            cr_expect(fabs(fourth - expected) < statistics_z_bound(4) * sqrt(eighth / (double)m),
                      "mode %d, n = %g: fourth moment %g, expected %g", mode, n, fourth, expected);
            cr_expect(fabs(square - variance) < statistics_z_bound(4) * sqrt(expected / (double)m));
            free(scratch);
            ldp_simulation_clear(&simulation);
        }
        ldp_population_free(population);
    }
}

/* Of all thresholds on a grid none is better than the default; p and q follow from the distribution of Laplace. */
Test(the, best_threshold)
{
    for (int e = 0; e < 10; e++) {
        const double epsilon = 0.1 * pow(1.7, e);
        const struct ldp_protocol best = protocol_of("the", NAN, 10, epsilon);
        double least = INFINITY;
        for (int i = 0; i <= 1000; i++) {
            const double theta = 0.5 + 0.0005 * i;
            const struct ldp_protocol other = protocol_of("the", theta, 10, epsilon);
            cr_expect_float_eq(other.p, gsl_cdf_laplace_Q(theta - 1, 2 / epsilon), 1e-15);
            cr_expect_float_eq(other.q, gsl_cdf_laplace_Q(theta, 2 / epsilon), 1e-15);
            least = fmin(least, other.s1);
        }
        cr_expect_leq(best.s1, least * (1 + 1e-12), "epsilon %g", epsilon);
        cr_expect_gt(best.s1, least * (1 - 1e-4), "epsilon %g: theta is out of its range", epsilon);
    }
}

/* Thresholding beats sums, and unary encoding beats both (Wang et al., USENIX Security 2017, sec. 4). */
Test(the, order_of_encodings)
{
    for (int e = 1; e < 12; e++) {
        const double epsilon = 0.5 * e;
        const double the = protocol_of("the", NAN, 10, epsilon).s1, she = protocol_of("she", 0, 10, epsilon).s1,
                     oue = protocol_of("oue", 0, 10, epsilon).s1;
        cr_expect_lt(the, she, "epsilon %g: %g, %g", epsilon, the, she);
        cr_expect_lt(oue, the, "epsilon %g: %g, %g", epsilon, oue, the);
    }
}
