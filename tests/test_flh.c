/* test_flh.c - fast local hashing: what sharing k hash functions costs. */
#include "ldpbench.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ldp_protocol protocol_of(const char *name, double param, size_t d, double epsilon)
{
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(name),
                                         .param = {param, strcmp(name, "flh") == 0}}; /* decode published */
    return make_protocol(&spec, d, epsilon);
}

/* The mean over the domain of the stated variance. */
static double mean_variance(const char *name, double param, const struct ldp_population *population, double epsilon)
{
    const struct ldp_protocol protocol = protocol_of(name, param, population->d, epsilon);
    double *const variance = malloc(population->d * sizeof *variance);
    ldp_variance(&protocol, &population->histogram, variance);
    double sum = 0;
    for (size_t v = 0; v < population->d; v++)
        sum += variance[v] / (double)population->d;
    free(variance);
    return sum;
}

static struct ldp_population *zipf(size_t d, double n, double s)
{
    uint64_t *const counts = malloc(d * sizeof *counts);
    double sum = 0;
    for (size_t v = 0; v < d; v++)
        sum += pow((double)(v + 1), -s);
    for (size_t v = 0; v < d; v++)
        counts[v] = (uint64_t)(n * pow((double)(v + 1), -s) / sum + 0.5);
    struct ldp_population *const population = make_population(counts, d);
    free(counts);
    return population;
}

/* MSE of flh over that of olh, known from elsewhere (the greatest without the f-term, which makes 0.4 %): 10,000
 * functions are as good as fresh ones for n = 10^5 only. */
Test(flh, ratio_to_olh)
{
    static const struct {
        double s, n, epsilon, k, ratio, rounding;
    } rows[] = {{1.1, 1e5, 3, 10000, 1.11, 0.005},
                {1.1, 1e6, 3, 10000, 2.08, 0.005},
                {1.1, 1e5, 3, 500, 3.2, 0.05},
                {1.1, 1e6, 3, 500, 22.6, 0.1},
                {1.5, 1e6, 1, 10000, 2.67, 0.005}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ldp_population *const population = zipf(1024, rows[i].n, rows[i].s);
        const double ratio = mean_variance("flh", rows[i].k, population, rows[i].epsilon) /
                             mean_variance("olh", NAN, population, rows[i].epsilon);
        cr_expect_float_eq(ratio, rows[i].ratio, rows[i].rounding, "row %zu: %g", i, ratio);
        ldp_population_free(population);
    }
}

/* With the functions held fixed the estimate is biased, by n_v / ((g-1) k) times a whole number of collisions; with new
 * ones in each collection it is not. */
Test(flh, biased_given_its_functions)
{
    enum { D = 12, R = 2000 };
    static const uint64_t counts[D] = {5000, 900, 400, 200, 100};
    struct ldp_population *const population = make_population(counts, D);
    struct ldp_protocol protocol = protocol_of("flh", 8, D, 1);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
    void *const scratch = malloc(simulation.scratch_bytes);
    struct ldp_rng rng = make_stream(statistics_seed(13), "flh", 0);
    double mean[2][D] = {{0}}, square[2][D] = {{0}};
    const double n = (double)population->n;
    for (size_t r = 0; r < 2 * R; r++) {
        const size_t fresh = r % 2;
        double support[D + 4];
        if (fresh)
            ldp_simulate(&simulation, &rng, scratch, support);
        else {
            protocol.public_seed = 4;
            protocol.oracle->counts(&protocol, &population->histogram, simulation.plan, &rng, scratch, support);
        }
        double est[D];
        ldp_estimate(&protocol, population->n, support, NULL, est);
        for (size_t v = 0; v < D; v++) {
            const double error = n * est[v] - (double)counts[v];
            mean[fresh][v] += error / R;
            square[fresh][v] += error * error / R;
        }
    }
    size_t biased = 0;
    for (size_t v = 0; v < D; v++) {
        const double fixed = sqrt((square[0][v] - mean[0][v] * mean[0][v]) / R), fresh = sqrt(square[1][v] / R);
        biased += fabs(mean[0][v]) > 10 * fixed;
        cr_expect(fabs(mean[1][v]) < statistics_z_bound(D) * fresh, "value %zu: bias %g", v, mean[1][v]);
    }
    cr_expect_gt(biased, D / 2);
    free(scratch);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
}

static double g_of(const char *name, double k, size_t d, double epsilon)
{
    return round(1 / protocol_of(name, k, d, epsilon).q);
}

/* The state stays within bounds at any budget. */
Test(flh, size_of_the_hashed_domain)
{
    cr_expect_eq(g_of("flh", 10000, 100, 1), 4);
    cr_expect_eq(g_of("flh", 10000, 100, 3), 21);
    cr_expect_eq(g_of("flh", 10000, 100, 5), 149);
    cr_expect_eq(g_of("flh", 10000, 100, 50), 209);
    cr_expect_eq(g_of("flh", 1, 100, 50), 65536);
    cr_expect_eq(g_of("flh", 1 << 20, 100, 50), 2);
}

/* Values with more users than there are functions, and with fewer: the same support in total as the reports give. */
Test(flh, every_report_is_counted)
{
    static const uint64_t counts[3] = {1000, 3, 0};
    struct ldp_population *const population = make_population(counts, 3);
    const struct ldp_protocol protocol = protocol_of("flh", 5, 3, 4);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
    uint64_t *const N = malloc(simulation.scratch_bytes);
    struct ldp_rng rng = make_stream(14, "flh", 0);
    for (int r = 0; r < 20; r++) {
        double support[3 + 4];
        ldp_simulate(&simulation, &rng, N, support);
        uint64_t reports = 0;
        for (size_t i = 0; i < 5 * 56 /* k g, g = round(e^4) + 1 */; i++)
            reports += N[i];
        cr_expect_eq(reports, 1003);
    }
    free(N);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
}
