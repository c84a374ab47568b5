/* test_set_variance.c - variances of sums of estimates given the placement of values, by a sum over all reports; those
 * of ranges before a collection, by simulation. */
#include "laws/interval.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D_MAX = 40 };

/* Supports of each value of one report. */
static void supports_of(const struct ldp_protocol *protocol, uint64_t report, double *support)
{
    void *const state = calloc(1, protocol->state_bytes);
    protocol->oracle->server(protocol, &report, 1, state);
    protocol->oracle->support(protocol, state, 1, support);
    free(state);
}

/* n Var of the estimate of the total of members 0, 3, 6 .., where a share f[v] of users holds v. */
static double enumerated(const struct ldp_protocol *protocol, const uint32_t *member, size_t size, const double *f)
{
    double support[2 * D_MAX + 2], mean[D_MAX] = {0}, square[D_MAX] = {0}, variance = 0;
    for (uint64_t report = 0; report < protocol->report_limit; report++) {
        double sum = 0;
        supports_of(protocol, report, support);
        for (size_t i = 0; i < size; i++)
            sum += support[member[i]];
        for (uint32_t v = 0; v < protocol->d; v++) {
            const double p = exp(protocol->oracle->log_likelihood(protocol, v, &report));
            mean[v] += p * sum;
            square[v] += p * sum * sum;
        }
    }
    for (size_t v = 0; v < protocol->d; v++)
        variance += f[v] * (square[v] - mean[v] * mean[v]);
    return variance / ((protocol->p - protocol->q) * (protocol->p - protocol->q));
}

/* Of pgr and pi_rappor, in fields of primes and of powers, with lines of two points, and a set of one value and of all.
 */
Test(set_variance, is_the_sum_over_all_reports)
{
    static const struct {
        const char *oracle;
        double param[3];
        size_t d, step;
    } rows[] = {{"pgr", {3, 3, 1}, 12, 3},     {"pgr", {4, 3, 1}, 20, 2},    {"pgr", {2, 4, 1}, 15, 2},
                {"pgr", {3, 4, 1}, 30, 40},    {"pgr", {3, 3, 1}, 13, 1},    {"pi_rappor", {3, 0}, 25, 3},
                {"pi_rappor", {4, 0}, 15, 2},  {"pi_rappor", {2, 0}, 14, 2}, {"pi_rappor", {5, 0}, 24, 1},
                {"pi_rappor", {3, 0}, 20, 40}, {"pi_rappor", {32, 0}, 20, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find(rows[i].oracle)};
        const size_t d = rows[i].d;
        double f[D_MAX];
        uint32_t member[D_MAX];
        size_t size = 0;
        for (size_t j = 0; j < 3; j++)
            spec.param[j] = rows[i].param[j];
        struct ldp_protocol protocol = make_protocol(&spec, d, 1.3);
        protocol.public_seed = 7 + i;
        protocol.law.placed = true;
        for (size_t v = 0; v < d; v++)
            f[v] = 2 * (double)(v + 1) / (double)(d * (d + 1));
        for (uint32_t v = 0; v < d; v += (uint32_t)rows[i].step)
            member[size++] = v;
        int64_t *const work = malloc(ldp_set_interval_bytes(d));
        const struct ldp_variance_terms spread = protocol.oracle->set_variance(&protocol, member, size, f, work);
        double of_set = 0;
        for (size_t j = 0; j < size; j++)
            of_set += f[member[j]];
        const double expected = enumerated(&protocol, member, size, f);
        cr_expect_float_eq(spread.s1 + spread.tf * of_set, expected, 1e-9 * (1 + expected), "row %zu: %.12g, %.12g", i,
                           spread.s1 + spread.tf * of_set, expected);
        free(work);
    }
}

/* ---- Few users ---- */

/* The interval of a set of one value has the exact variance of the value, with E[1/n_l] of the users of a level, where
 * half of the domain is held: with n_l = n / h it lacks one to two per cent. Of a small level, so that the variance is
 * that at the estimate. */
Test(set_variance, intervals_of_trees_with_few_users)
{
    enum { D = 8, N = 200 };
    static const char *const names[] = {"hh", "haar", "sw_hh"};
    static const double level = 0.01;
    static const uint64_t counts[D] = {N / 4, N / 4, N / 4, N / 4};
    struct ldp_population *population = NULL;
    cr_assert_eq(ldp_population_unranked(counts, D, &population), LDP_OK);
    for (size_t i = 0; i < 3; i++) {
        const struct ldp_protocol protocol = default_protocol(names[i], D, 2.5);
        double *const support = calloc(protocol.support_size, sizeof *support), variance[D];
        int64_t *const work = malloc(ldp_set_interval_bytes(D));
        const struct ldp_collection collection = {&protocol, N, support, population->f};
        const struct ldp_protocol observed = ldp_observed(&collection, NULL);
        ldp_variance(&protocol, &population->histogram, variance);
        for (uint32_t v = 0; v < D / 2; v++) {
            const double z = ldp_interval_z(1 - level), f = population->f[v];
            double low, high;
            ldp_set_interval(&(struct ldp_collection){&observed, N, support, population->f}, level, &v, 1, work, &low,
                             &high);
            cr_expect_float_eq((f - low) * (high - f) / (z * z) * N * N / variance[v], 1, 1e-3, "%s, %u: %g", names[i],
                               v, (f - low) * (high - f) / (z * z) * N * N / variance[v]);
        }
        free(work);
        free(support);
    }
    ldp_population_free(population);
}

/* ---- Ranges, stated before a collection ---- */

/* The mean squared error of all ranges of half of the values over many collections, in standard errors from the stated
 * one: with few users, whose levels differ in size, and with so many that pairs of users tell in published flh. */
static double z_of_ranges(const struct ldp_protocol *protocol, const struct ldp_population *population, size_t R)
{
    static const double percent = 50, floor = -INFINITY;
    const struct ldp_query_spec spec = {.query = ldp_query_find("range"), .points = &percent, .npoints = 1};
    const size_t d = population->d, bytes = ldp_set_interval_bytes(d) + d * sizeof(uint32_t);
    void *const scratch = malloc(ldp_collect_scratch(protocol, &population->histogram, LDP_COUNTS)),
                *const decode = malloc(ldp_estimate_scratch(protocol) + 1), *const work = malloc(bytes);
    double *const support = malloc(protocol->support_size * sizeof *support), est[D_MAX], mean = 0, square = 0;
    const double *const answers = est;
    for (size_t r = 0; r < R; r++) {
        struct ldp_protocol drawn = *protocol;
        struct ldp_rng rng;
        double mse[2];
        ldp_rng_stream(&rng, 2, protocol->oracle->name, r);
        drawn.public_seed = ldp_rng_next(&rng);
        ldp_collect(&drawn, &population->histogram, LDP_COUNTS, &rng, scratch, support);
        ldp_estimate(&drawn, population->n, support, decode, est);
        spec.query->measure(&spec, &(struct ldp_collection){&drawn, population->n, support, est}, population,
                            &(struct ldp_answers){1, &answers, &floor}, &rng, work, mse);
        mean += mse[0] / (double)R;
        square += mse[0] * mse[0] / (double)R;
    }
    const double stated = spec.query->exact(&spec, protocol, population, 0, work);
    free(scratch);
    free(decode);
    free(work);
    free(support);
    return (mean - stated) / sqrt((square - mean * mean) / (double)R);
}

Test(set_variance, of_ranges_before_a_collection)
{
    static const struct {
        const char *oracle;
        double param[3];
        double epsilon;
        uint64_t each;
        size_t R;
    } rows[] = {{"hh", {2, 0}, 2.5, 4, 20000},
                {"haar", {1, 0}, 2.5, 4, 20000},
                {"sw_hh", {0.5, 2, 0}, 2.5, 8, 20000},
                {"flh", {20, 1}, 3, 100, 2000}};
    enum { D = 8, ROWS = sizeof rows / sizeof *rows };
    for (size_t i = 0; i < ROWS; i++) {
        struct ldp_oracle_spec row = {.oracle = ldp_oracle_find("oue")},
                               spec = {.oracle = ldp_oracle_find(rows[i].oracle)};
        spec.inner = spec.oracle->inner ? &row : NULL;
        memcpy(spec.param, rows[i].param, sizeof rows[i].param);
        const struct ldp_protocol protocol = make_protocol(&spec, D, rows[i].epsilon);
        uint64_t counts[D];
        struct ldp_population *population = NULL;
        for (size_t v = 0; v < D; v++)
            counts[v] = v < D / 2 ? 2 * rows[i].each - rows[i].each / 2 : rows[i].each / 2;
        cr_assert_eq(ldp_population_unranked(counts, D, &population), LDP_OK);
        const double z = z_of_ranges(&protocol, population, rows[i].R);
        cr_expect_lt(fabs(z), 3.5, "%s: z = %g", rows[i].oracle, z);
        ldp_population_free(population);
    }
}
