/* test_queries.c - the four queries: hand examples, exact expectations over random sets, clipping, ties. */
#include "ldp.h"
#include "quick.h"
#include "setup.h"
#include "simd/simd.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct ldp_query ldp_query_full_domain, ldp_query_max_error, ldp_query_set_value, ldp_query_fixed_sets,
    ldp_query_top_k;

/* Measures m methods on a population; the caller frees. */
static double *ask(const struct ldp_query_spec *spec, const uint64_t *counts, size_t d, size_t m,
                   const double *const *est, const double *floors, struct ldp_rng *rng)
{
    const struct ldp_answers answers = {.m = m, .est = est, .floor = floors};
    double *const out = malloc(m * spec->npoints * sizeof *out);
    void *const scratch = spec->query->scratch_bytes ? malloc(spec->query->scratch_bytes(spec, d, m)) : NULL;

    cr_assert_not_null(out);
    struct ldp_population *const population = make_population(counts, d);
    cr_assert_eq(ldp_measures_count(spec->query->measures), 1);
    spec->query->measure(spec, NULL, population, &answers, rng, scratch, out);
    ldp_population_free(population);
    free(scratch);
    return out;
}

static const uint64_t counts4[] = {40, 10, 30, 20};
/* f = 0.4, 0.1, 0.3, 0.2 */
static const double est4[] = {0.5, -0.125, 0.25, 0.25};
static const double *const both4[] = {est4, est4};
static const double floors[] = {-INFINITY, 0};

/* Differences 0.1, -0.225, -0.05, 0.05; clipped, the second is -0.1. */
Test(queries, full_domain_by_hand)
{
    const struct ldp_query_spec spec = {.query = &ldp_query_full_domain, .npoints = 1};
    double *const out = ask(&spec, counts4, 4, 2, both4, floors, NULL);

    cr_expect_float_eq(out[0], (0.01 + 0.050625 + 0.0025 + 0.0025) / 4, 1e-16);
    cr_expect_float_eq(out[1], (0.01 + 0.01 + 0.0025 + 0.0025) / 4, 1e-16);
    free(out);
}

Test(queries, max_error_by_hand)
{
    const struct ldp_query_spec spec = {.query = &ldp_query_max_error, .npoints = 1};
    double *const out = ask(&spec, counts4, 4, 2, both4, floors, NULL);

    cr_expect_float_eq(out[0], 0.225, 1e-16);
    cr_expect_float_eq(out[1], 0.1, 1e-16);
    free(out);
}

/* The two largest are values 0 and 2, independent of the estimates. */
Test(queries, top_k_by_hand)
{
    const double k[] = {2, 1, 4};
    const struct ldp_query_spec spec = {.query = &ldp_query_top_k, .points = k, .npoints = 3};
    double *const out = ask(&spec, counts4, 4, 2, both4, floors, NULL);

    cr_expect_float_eq(out[0], (0.01 + 0.0025) / 2, 1e-16);
    cr_expect_float_eq(out[1], 0.01, 1e-16);
    cr_expect_float_eq(out[2], (0.01 + 0.0025 + 0.0025 + 0.050625) / 4, 1e-16);
    cr_expect_float_eq(out[3], (0.01 + 0.0025) / 2, 1e-16);
    cr_expect_float_eq(out[5], (0.01 + 0.0025 + 0.0025 + 0.01) / 4, 1e-16);
    free(out);
}

Test(queries, top_k_ranks_equal_counts_by_value)
{
    static const uint64_t counts[] = {5, 30, 30, 5, 30};
    static const double est[] = {0.05, 1.3, 2.3, 0.05, 4.3}; /* errors 0, 1, 2, 0, 4 */
    static const double *const ests[] = {est};
    const double k[] = {1, 2, 3, 4};
    const struct ldp_query_spec spec = {.query = &ldp_query_top_k, .points = k, .npoints = 4};
    double *const out = ask(&spec, counts, 5, 1, ests, floors, NULL);

    cr_expect_float_eq(out[0], 1, 1e-14);
    cr_expect_float_eq(out[1], 5. / 2, 1e-14);
    cr_expect_float_eq(out[2], 21. / 3, 1e-14);
    cr_expect_float_eq(out[3], 21. / 4, 1e-14);
    free(out);
}

/* Sets {1, 3}, {0}, {1, 2, 3}: errors (0.125 - 0.3)^2, 0.1^2, (0.375 - 0.6)^2; the answer is clipped, not the
 * estimates, which {1} shows: -0.125 becomes 0. */
Test(queries, fixed_sets_by_hand)
{
    static const size_t first[] = {0, 2, 3, 6, 7};
    static const uint32_t member[] = {1, 3, 0, 3, 1, 2, 1};
    const struct ldp_sets sets = {.count = 4, .first = first, .member = member};
    const struct ldp_query_spec spec = {.query = &ldp_query_fixed_sets, .npoints = 1, .sets = &sets};
    double *const out = ask(&spec, counts4, 4, 2, both4, floors, NULL);

    cr_expect(ldp_query_fixed_sets.takes_sets);
    cr_expect_float_eq(out[0], (0.030625 + 0.01 + 0.050625 + 0.050625) / 4, 1e-16);
    cr_expect_float_eq(out[1], (0.030625 + 0.01 + 0.050625 + 0.01) / 4, 1e-16);
    free(out);
}

/* ---- Ranks ---- */

/* Measurements of a query of the unprocessed estimate of a population, with parameters by default; the caller frees. */
static double *ask_by_default(const struct ldp_query *query, const struct ldp_population *population, const double *est)
{
    static const size_t first[] = {0, 2, 3};
    static const uint32_t member[] = {1, 3, 0};
    const struct ldp_sets sets = {.count = 2, .first = first, .member = member};
    const double point = fmin(2, query->point.max / 2);
    struct ldp_query_spec spec = {.query = query, .points = &point, .npoints = 1, .sets = &sets};
    const struct ldp_method_spec base = {.method = ldp_method_find("base")};
    struct ldp_oracle_spec grr = default_oracle("grr");
    struct ldp_evaluation *evaluation = NULL;

    ldp_params_default(query->params, spec.param);
    struct ldp_protocol protocol = make_protocol(&grr, population->d, 1);
    cr_assert_eq(ldp_evaluation_new(&base, 1, &spec, 1, population->d, &evaluation), LDP_OK);
    double *const out = malloc(ldp_evaluation_size(evaluation) * sizeof *out);
    cr_assert_not_null(out);
    struct ldp_rng rng = make_stream(3, "test-ranks", 0);
    ldp_evaluate(evaluation, &(struct ldp_collection){&protocol, population->n, NULL, est}, population, &rng, out);
    ldp_evaluation_free(evaluation);
    return out;
}

/* A population without ranks is the same otherwise, and every query that does not say that it uses them does not. */
Test(queries, ranks_only_where_stated)
{
    struct ldp_population *ranked = NULL, *unranked = NULL;

    cr_assert_eq(ldp_population_new(counts4, 4, &ranked), LDP_OK);
    cr_assert_eq(ldp_population_unranked(counts4, 4, &unranked), LDP_OK);
    cr_expect_null(unranked->rank);
    cr_expect_eq(unranked->d, ranked->d);
    cr_expect_eq(unranked->n, ranked->n);
    cr_expect_arr_eq(unranked->counts, ranked->counts, 4 * sizeof *ranked->counts);
    cr_expect_arr_eq(unranked->f, ranked->f, 4 * sizeof *ranked->f);
    for (size_t i = 0; ldp_queries[i]; i++) {
        if (ldp_queries[i]->ranks)
            continue;
        double *const with = ask_by_default(ldp_queries[i], ranked, est4);
        double *const without = ask_by_default(ldp_queries[i], unranked, est4);

        cr_expect(with[0] == without[0] || (isnan(with[0]) && isnan(without[0])), "%s", ldp_queries[i]->name);
        free(with);
        free(without);
    }
    cr_expect(ldp_query_top_k.ranks && !ldp_query_full_domain.ranks);
    ldp_population_free(ranked);
    ldp_population_free(unranked);
}

/* ---- Random sets ---- */

/* Estimates whose bits tell which values an answer summed: est[v] = 2^v over a truth of 0 (but in value 0, whose
 * count is all). With one set, the error is the square of the members' bit mask. */
static unsigned drawn_set(double percent, size_t d, struct ldp_rng *rng)
{
    uint64_t counts[32] = {0};
    double est[32];
    const double *const ests[] = {est};
    struct ldp_query_spec spec = {.query = &ldp_query_set_value, .param = {1}, .points = &percent, .npoints = 1};

    counts[0] = 1000;
    for (size_t v = 0; v < d; v++)
        est[v] = (double)(1u << v) + (v == 0);
    double *const out = ask(&spec, counts, d, 1, ests, floors, rng);
    const double mask = sqrt(out[0]);
    free(out);
    return (unsigned)mask;
}

static unsigned size_of(unsigned mask)
{
    unsigned size = 0;

    for (; mask; mask &= mask - 1)
        size++;
    return size;
}

/* max(1, floor(rho d / 100)), also where the product misses a whole number by rounding. */
Test(queries, set_sizes)
{
    static const struct {
        double percent;
        size_t d;
        unsigned size;
    } cases[] = {{10, 10, 1},  {10, 19, 1},   {10, 20, 2},  {1, 20, 1}, {99, 20, 19}, {99.9, 20, 19},
                 {50, 3, 1},   {50, 2, 1},    {70, 10, 7},  {90, 2, 1}, {30, 10, 3},  {29.999999999999996, 10, 3},
                 {0.1, 10, 1}, {29.9, 10, 2}, {90, 20, 18}, {60, 5, 3}, {55, 20, 11}};

    struct ldp_rng rng = make_stream(1, "test-set-sizes", 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(size_of(drawn_set(cases[i].percent, cases[i].d, &rng)), cases[i].size, "%g %% of %zu",
                     cases[i].percent, cases[i].d);
    for (unsigned i = 1; i <= 9; i++)
        cr_expect_eq(size_of(drawn_set(0.1 * i * 100, 20, &rng)), 2 * i);
}

/* All sets of one size are equally likely: the 35 sets of 3 or of 4 of 7 values. */
Test(queries, sets_are_uniform)
{
    const size_t draws = statistics_draws(35000);

    for (unsigned m = 3; m <= 4; m++) {
        struct ldp_rng rng = make_stream(statistics_seed(2), "test-sets", m);
        uint64_t seen[128] = {0};
        for (size_t i = 0; i < draws; i++)
            seen[drawn_set(m * 100. / 7 + 0.01, 7, &rng)]++;
        double probability[128];
        for (unsigned mask = 0; mask < 128; mask++)
            probability[mask] = size_of(mask) == m ? 1. / 35 : 0;
        cr_expect_gt(statistics_chi_square(seen, probability, 128), statistics_p_bound(2), "m = %u", m);
    }
}

/* Every rho's sets, though one shuffle serves them all and goes on from the last one, and in a domain so large that a
 * random word serves few numbers, have the exact expectation over uniform S of m values
 *
 *     E (sum_S D)^2 = m (d - m) / (d - 1) Var(D) + m^2 mean(D)^2.
 *
 * 4 x 9 z-scores, the standard error from the spread over 400 batches. */
static void expect_mean_over_sets(size_t d, double bias, double sets)
{
    enum { BATCHES = 400, POINTS = 9 };
    uint64_t *const counts = malloc(d * sizeof *counts);
    double *const est = malloc(d * sizeof *est);
    const double *const ests[] = {est};

    cr_assert(counts && est);
    struct ldp_rng rng = make_stream(statistics_seed(3), "test-expectation", d);
    double total = 0;
    for (size_t v = 0; v < d; v++) {
        counts[v] = 1 + 1000000 / ((v + 1) * (v + 1));
        total += (double)counts[v];
    }
    double mean = 0, variance = 0;
    for (size_t v = 0; v < d; v++) {
        const double difference = bias + (ldp_rng_uniform(&rng) - 0.5) * (v % 7 == 0 ? 10 : 1);

        est[v] = (double)counts[v] / total + difference;
        mean += difference / (double)d;
        variance += difference * difference / (double)d;
    }
    variance -= mean * mean;
    double percent[POINTS] = {30, 10, 90, 50, 70, 1, 99, 49.9, 80};
    struct ldp_query_spec spec = {.query = &ldp_query_set_value, .param = {sets}, .points = percent, .npoints = POINTS};
    double sum[POINTS] = {0}, squares[POINTS] = {0};
    for (size_t i = 0; i < BATCHES; i++) {
        double *const out = ask(&spec, counts, d, 1, ests, floors, &rng);

        for (size_t j = 0; j < POINTS; j++) {
            sum[j] += out[j];
            squares[j] += out[j] * out[j];
        }
        free(out);
    }
    for (size_t j = 0; j < POINTS; j++) {
        const double m = fmax(1, floor(percent[j] * (double)d / 100));
        const double expected = m * ((double)d - m) / ((double)d - 1) * variance + m * m * mean * mean;
        const double got = sum[j] / BATCHES;
        const double error = sqrt((squares[j] / BATCHES - got * got) / (BATCHES - 1));

        cr_expect_lt(fabs(got - expected) / error, statistics_z_bound(4 * POINTS),
                     "d = %zu, %g %%: %g, expected %g, standard error %g", d, percent[j], got, expected, error);
    }
    free(counts);
    free(est);
}

Test(queries, random_sets_have_the_exact_expectation, SLOW)
{
    expect_mean_over_sets(101, 0, 50);
    expect_mean_over_sets(101, 0.3, 50);
    expect_mean_over_sets(1024, 0.001, 10);
    expect_mean_over_sets(20000, 0, 3);
}

/* For estimates that sum to one, a set and its complement have the same error, and so have rho and 100 - rho. */
Test(queries, sum_to_one_is_symmetric)
{
    static const double est[] = {0.4, 0.2, 0.1, 0.1, 0.1, 0, 0.2, 0.05, -0.1, -0.05};
    static const uint64_t counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static const double *const ests[] = {est};
    const double percent[] = {10, 20, 40, 60, 80, 90};

    struct ldp_rng rng = make_stream(4, "test-symmetric", 0);
    struct ldp_query_spec spec = {.query = &ldp_query_set_value, .param = {20}, .points = percent, .npoints = 6};
    double *const out = ask(&spec, counts, 10, 1, ests, floors, &rng);
    for (size_t j = 0; j < 3; j++)
        cr_expect_float_eq(out[j], out[5 - j], 1e-15);
    cr_expect_gt(fabs(out[0] - out[2]), 1e-4);
    free(out);
}

/* More methods than fit one block: every copy of an estimate gets the same error, each method its own, and an
 * estimate that is the truth gets exactly 0, clipped or not. */
Test(queries, methods_answer_the_same_sets)
{
    enum { M = 33, D = 64, POINTS = 4 };
    static double est[3][D];
    static uint64_t counts[D];
    const double percent[POINTS] = {90, 3, 50, 60};

    struct ldp_rng rng = make_stream(5, "test-blocks", 0);
    for (size_t v = 0; v < D; v++)
        counts[v] = v < 6 ? 1 + ldp_rng_below(&rng, 1000) : 0;
    struct ldp_population *const population = make_population(counts, D);
    for (size_t v = 0; v < D; v++) {
        est[0][v] = population->f[v];
        est[1][v] = population->f[v] - 0.01 * ldp_rng_uniform(&rng);
        est[2][v] = population->f[v] + 0.5;
    }
    ldp_population_free(population);
    const double *ests[M];
    double floor_of[M];
    for (size_t i = 0; i < M; i++) {
        ests[i] = est[i % 3];
        floor_of[i] = i % 2 ? 0 : -INFINITY;
    }
    struct ldp_query_spec spec = {.query = &ldp_query_set_value, .param = {7}, .points = percent, .npoints = POINTS};
    double *const out = ask(&spec, counts, D, M, ests, floor_of, &rng);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < POINTS; j++) {
            const size_t copy = i % 6;

            cr_expect_eq(out[i * POINTS + j], out[copy * POINTS + j], "method %zu, point %zu", i, j);
            if (i % 3 == 0)
                cr_expect_eq(out[i * POINTS + j], 0, "method %zu, point %zu", i, j);
            else if (floor_of[i] < 0) /* a clipped answer of an empty set may be right */
                cr_expect_gt(out[i * POINTS + j], 0);
        }
    /* Two values of 64 are mostly among the empty ones: est[1] is negative there, and clipping helps. */
    cr_expect_lt(out[1 * POINTS + 1], out[4 * POINTS + 1]);
    free(out);
}

/* The sum over a set of absent values, taken as total minus the rest, may round to something below 0; an estimate that
 * is the truth is right all the same, clipped or not. */
Test(queries, truth_is_right_on_sets_of_absent_values)
{
    static const uint64_t counts[] = {7, 11, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0};
    static const double percent[] = {55, 60, 70};
    double f[12];
    const double *const ests[] = {f, f};

    struct ldp_rng rng = make_stream(8, "test-absent", 0);
    for (size_t v = 0; v < 12; v++)
        f[v] = (double)counts[v] / 22;
    struct ldp_query_spec spec = {.query = &ldp_query_set_value, .param = {20000}, .points = percent, .npoints = 3};
    double *const out = ask(&spec, counts, 12, 2, ests, floors, &rng);
    for (size_t l = 0; l < 6; l++)
        cr_expect_eq(out[l], 0, "%g", out[l]);
    free(out);
}

/* The mean squared error over all sets of m of d values, one by one. */
static double over_all_sets(const uint64_t *counts, const double *est, size_t d, unsigned m, double floor)
{
    double n = 0, sum = 0, sets = 0;

    for (size_t v = 0; v < d; v++)
        n += (double)counts[v];
    for (unsigned mask = 0; mask < 1u << d; mask++) {
        if (size_of(mask) != m)
            continue;
        double answer = 0, truth = 0;
        for (size_t v = 0; v < d; v++)
            if (mask >> v & 1) {
                answer += est[v];
                truth += (double)counts[v] / n;
            }
        sum += pow(fmax(floor, answer) - truth, 2);
        sets++;
    }
    return sum / sets;
}

/* sets = 0 is the mean over all sets: exactly, and where answers are clipped with a bias of less than 1 %, as a ratio
 * of two means has one. */
Test(queries, all_sets)
{
    enum { D = 9, POINTS = 4, ROUNDS = 4000 };
    static const uint64_t counts[D] = {40, 1, 0, 20, 3, 0, 0, 9, 27};
    static const double est[D] = {0.41, -0.08, 0.06, 0.11, -0.02, -0.1, 0.07, 0.2, 0.3},
                        percent[POINTS] = {12, 34, 50, 90};
    static const unsigned size[POINTS] = {1, 3, 4, 8};
    static const double *const ests[] = {est, est, est};
    static const double three[] = {-INFINITY, 0, 0};
    struct ldp_query_spec spec = {.query = &ldp_query_set_value, .points = percent, .npoints = POINTS};
    double sum[POINTS] = {0}, squares[POINTS] = {0};

    cr_assert_not_null(ldp_query_set_value.expected);
    memcpy(spec.param, ldp_query_set_value.expected, sizeof spec.param);
    cr_assert(ldp_params_valid(ldp_query_set_value.params, spec.param));
    struct ldp_rng rng = make_stream(12, "test-all-sets", 0);
    for (size_t r = 0; r < ROUNDS; r++) {
        double *const out = ask(&spec, counts, D, 3, ests, three, &rng);

        for (size_t j = 0; j < POINTS; j++) {
            cr_expect_float_eq(out[j], over_all_sets(counts, est, D, size[j], -INFINITY), 1e-15);
            cr_expect_eq(out[POINTS + j], out[2 * POINTS + j]);
            sum[j] += out[POINTS + j];
            squares[j] += out[POINTS + j] * out[POINTS + j];
        }
        free(out);
        ldp_rng_next(&rng);
    }
    for (size_t j = 0; j < POINTS; j++) {
        const double mean = sum[j] / ROUNDS, variance = squares[j] / ROUNDS - mean * mean;

        const double exact = over_all_sets(counts, est, D, size[j], 0);

        cr_expect(fabs(mean - exact) <=
                      statistics_z_bound(POINTS) * sqrt(fmax(0, variance) / ROUNDS) + 0.01 * exact + 1e-15,
                  "%u of %d values: %g, %g", size[j], D, mean, exact);
    }
}

/* Where clipping removes most of an error, what is left is no negative number. */
Test(queries, all_sets_of_poor_estimates)
{
    enum { D = 12, ROUNDS = 500 };
    static const uint64_t counts[D] = {90, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0};
    static const double percent[] = {75}, zero[] = {0};
    double est[D];
    struct ldp_query_spec spec = {.query = &ldp_query_set_value, .points = percent, .npoints = 1};

    struct ldp_rng rng = make_stream(12, "test-all-sets", 1);
    for (size_t r = 0; r < ROUNDS; r++) {
        for (size_t v = 0; v < D; v++)
            est[v] = 3 * ldp_rng_uniform(&rng) - 2;
        const double *const ests[] = {est};
        double *const out = ask(&spec, counts, D, 1, ests, zero, &rng);

        cr_expect(out[0] >= 0 && out[0] <= over_all_sets(counts, est, D, 9, -INFINITY) * (1 + 1e-12), "%g", out[0]);
        free(out);
    }
}

/* The word 0 must be refused by a batch whose bounds 7, 6, 5 do not divide 2^64: three values of seven then take the
 * words 0 and the next. PCG DXSM gives 0 where the upper half of its state is 0. */
Test(queries, words_that_would_bias_are_refused)
{
    struct ldp_rng rng = {.state_lo = 12345, .increment_lo = 1}, next = rng;

    cr_assert_eq(ldp_rng_next(&next), 0);
    ldp_rng_next(&next);
    drawn_set(43, 7, &rng);
    cr_expect_eq(ldp_rng_next(&rng), ldp_rng_next(&next));
}

/* Every set with one value of two: the clipped answer of value 1 is 0, of value 0 it stays. */
Test(queries, set_value_clips_answers)
{
    static const uint64_t counts[] = {3, 1};
    static const double est[] = {1.25, -0.25}; /* errors 0.5 and -0.5, clipped -0.25 */
    static const double *const ests[] = {est, est};
    const double percent = 50;
    struct ldp_query_spec spec = {.query = &ldp_query_set_value, .param = {1}, .points = &percent, .npoints = 1};

    struct ldp_rng rng = make_stream(statistics_seed(6), "test-clip", 0);
    unsigned clipped = 0;
    for (unsigned i = 0; i < 100; i++) {
        double *const out = ask(&spec, counts, 2, 2, ests, floors, &rng);

        cr_expect_float_eq(out[0], 0.25, 1e-16);
        cr_expect(fabs(out[1] - 0.25) < 1e-16 || fabs(out[1] - 0.0625) < 1e-16);
        clipped += out[1] < 0.1;
        free(out);
    }
    /* Binomial(100, 1/2) leaves 20..80 with probability below 2e-9. */
    cr_expect(clipped > 20 && clipped < 80, "%u", clipped);
}

Test(queries, the_stream_decides_the_sets)
{
    static const double *const ests[] = {est4};
    const double percent[] = {25, 50};

    struct ldp_rng a = make_stream(7, "test-stream", 0);
    struct ldp_rng b = a;
    struct ldp_query_spec spec = {.query = &ldp_query_set_value, .param = {5}, .points = percent, .npoints = 2};
    double *const x = ask(&spec, counts4, 4, 1, ests, floors, &a);
    double *const y = ask(&spec, counts4, 4, 1, ests, floors, &b);
    cr_expect(x[0] == y[0] && x[1] == y[1]);
    cr_expect_eq(ldp_rng_next(&a), ldp_rng_next(&b));
    free(x);
    free(y);
}

/* At every level of instructions, for few methods and many, for sets that fill groups and those that do not: the sum
 * over a set's values one by one, in the order of the shuffle, which every number of methods shares. */
Test(queries, sets_are_summed_alike)
{
    enum { D = 67, M = 17, POINTS = 3 };
    static double est[M][D];
    static uint64_t counts[D];
    static const double percent[POINTS] = {20, 50, 80};
    const double *ests[M];
    double floor_of[M];

    struct ldp_rng rng = make_stream(6, "test-levels", 0);
    for (size_t v = 0; v < D; v++)
        counts[v] = ldp_rng_below(&rng, 1000);
    for (size_t i = 0; i < M; i++) {
        ests[i] = est[i];
        floor_of[i] = -INFINITY;
        for (size_t v = 0; v < D; v++)
            est[i][v] = ldp_rng_uniform(&rng) - 0.3;
    }
    for (double sets = 1; sets <= 9; sets++) {
        const struct ldp_query_spec spec = {
            .query = &ldp_query_set_value, .param = {sets}, .points = percent, .npoints = POINTS};
        double *expected = NULL;

        for (int level = LDP_SIMD_GENERIC; level < LDP_SIMD_LEVELS; level++)
            for (size_t m = 1; m <= M; m += 8) {
                struct ldp_rng own = rng;

                if (!ldp_simd_available((enum ldp_simd)level))
                    continue;
                ldp_simd_use((enum ldp_simd)level);
                double *const out = ask(&spec, counts, D, m, ests, floor_of, &own);
                for (size_t j = 0; expected && j < POINTS; j++)
                    cr_expect_eq(out[j], expected[j], "%g sets, level %d, %zu methods", sets, level, m);
                if (expected)
                    free(out);
                else
                    expected = out;
            }
        free(expected);
    }
    ldp_simd_use(LDP_SIMD_LEVELS);
}

Test(queries, parameters)
{
    double value[LDP_PARAMS_MAX];

    ldp_params_default(ldp_query_set_value.params, value);
    cr_expect_eq(value[0], 100);
    cr_expect_lt(ldp_query_set_value.point.max, 100);
    cr_expect_gt(ldp_query_set_value.point.min, 0);
    cr_expect_str_eq(ldp_query_set_value.point.name, "percent");
    cr_expect_str_eq(ldp_query_top_k.point.name, "k");
    cr_expect_null(ldp_query_full_domain.point.name);
    cr_expect_null(ldp_query_fixed_sets.point.name);
}
