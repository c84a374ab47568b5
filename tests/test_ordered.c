/* test_ordered.c - queries that use the order of the values: hand examples, edges, and ranges of OUE against theory. */
#include "ldp.h"
#include "program.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

extern const struct ldp_query ldp_query_range, ldp_query_distribution, ldp_query_quantile;

enum { ROOM = 16 };

/* The measures of one answer. */
static void ask(const struct ldp_query *query, const double *points, size_t npoints, const uint64_t *counts,
                const double *est, size_t d, double floor, double out[ROOM])
{
    const struct ldp_query_spec spec = {.query = query, .points = points, .npoints = npoints};
    const struct ldp_answers answers = {.m = 1, .est = &est, .floor = &floor};
    void *const scratch = malloc(query->scratch_bytes(&spec, d, 1));

    cr_assert(scratch && npoints * ldp_measures_count(query->measures) <= ROOM);
    struct ldp_population *const population = make_population(counts, d);
    query->measure(&spec, NULL, population, &answers, NULL, scratch, out);
    ldp_population_free(population);
    free(scratch);
}

static const uint64_t counts4[] = {1, 2, 3, 4};
static const double est4[] = {0.2, 0.1, -0.1, 0.9};

/* Of two values 0.3, 0.5, 0.7 in truth, 0.3, 0, 0.8 in the answer. */
Test(ordered, ranges_by_hand)
{
    static const double percent[] = {50, 1, 100};
    double out[ROOM];

    ask(&ldp_query_range, percent, 3, counts4, est4, 4, -INFINITY, out);
    cr_expect_float_eq(out[0], (0.25 + 0.01) / 3, 1e-15);
    cr_expect_float_eq(out[1], 0.6 / 3, 1e-15);
    cr_expect_float_eq(out[2], (0.01 + 0.01 + 0.16 + 0.25) / 4, 1e-15);
    cr_expect_float_eq(out[3], (0.1 + 0.1 + 0.4 + 0.5) / 4, 1e-15);
    cr_expect_float_eq(out[4], 0.01, 1e-15);
    ask(&ldp_query_range, percent + 1, 1, counts4, est4, 4, 0, out);
    cr_expect_float_eq(out[1], (0.1 + 0.1 + 0.3 + 0.5) / 4, 1e-15);
}

/* F is 0.1, 0.3, 0.6, 1 and 0.2, 0.3, 0.2, 1.1; the means are 0.625 and 0.7875. */
Test(ordered, distances_by_hand)
{
    double out[ROOM];

    ask(&ldp_query_distribution, NULL, 1, counts4, est4, 4, -INFINITY, out);
    cr_expect_float_eq(out[0], 0.6 / 4, 1e-15);
    cr_expect_float_eq(out[1], 0.4, 1e-15);
    cr_expect_float_eq(out[2], 0.1625, 1e-15);
    cr_expect_float_eq(out[3], 0.0625 - (0.6671875 - 0.7875 * 0.7875), 1e-15);
}

/* The medians are 2 and 3; 3 is a tenth of the users too far. A share that is exactly F_v is that of the next value. */
Test(ordered, quantiles_by_hand)
{
    static const double percent[] = {50, 25, 10, 99};
    static const double none[] = {0, 0, -1, 0};
    double out[ROOM];

    ask(&ldp_query_quantile, percent, 4, counts4, est4, 4, -INFINITY, out);
    cr_expect_float_eq(out[0], 0.25, 1e-15);
    cr_expect_float_eq(out[1], 0.1, 1e-15);
    cr_expect_eq(out[2], 0);
    cr_expect_eq(out[3], 0);
    cr_expect_float_eq(out[4], 0.25, 1e-15);
    cr_expect_float_eq(out[5], 0, 1e-15);
    cr_expect_eq(out[6], 0);
    ask(&ldp_query_quantile, percent, 1, counts4, none, 4, -INFINITY, out);
    cr_expect_float_eq(out[0], 0.25, 1e-15);
}

/* The true frequencies have no error, whatever the widths. */
Test(ordered, the_truth_has_no_error)
{
    static const double truth[] = {0.1, 0.2, 0.3, 0.4}, percent[] = {0.5, 30, 50, 75, 99};
    double out[ROOM];

    ask(&ldp_query_range, percent, 5, counts4, truth, 4, -INFINITY, out);
    for (size_t i = 0; i < 10; i++)
        cr_expect_lt(out[i], 1e-15);
    ask(&ldp_query_distribution, NULL, 1, counts4, truth, 4, -INFINITY, out);
    for (size_t i = 0; i < 4; i++)
        cr_expect_lt(out[i], 1e-15);
    ask(&ldp_query_quantile, percent, 5, counts4, truth, 4, -INFINITY, out);
    for (size_t i = 0; i < 10; i++)
        cr_expect_lt(out[i], 1e-15);
}

/* Supports of OUE are independent: the squared error of r values is (r s1 + tf f) / n, with f = r / d on average. */
Test(ordered, ranges_of_oue_have_the_variance_of_theory)
{
    enum { D = 64, USERS = 6400, REPETITIONS = 400 };
    static const double percent[] = {10, 40};
    struct ldp_oracle_spec spec = default_oracle("oue");
    uint64_t counts[D];
    double support[D], est[D], error[2][REPETITIONS], out[ROOM];

    struct ldp_protocol protocol = make_protocol(&spec, D, 1);
    for (size_t v = 0; v < D; v++)
        counts[v] = USERS / D;
    const struct ldp_histogram histogram = {D, USERS, counts};
    void *const scratch = malloc(ldp_collect_scratch(&protocol, &histogram, LDP_COUNTS) + 1);
    struct ldp_rng rng = make_stream(1, "test-ordered", 0);
    for (size_t i = 0; i < REPETITIONS; i++) {
        ldp_collect(&protocol, &histogram, LDP_COUNTS, &rng, scratch, support);
        ldp_estimate(&protocol, USERS, support, NULL, est);
        ask(&ldp_query_range, percent, 2, counts, est, D, -INFINITY, out);
        error[0][i] = out[0];
        error[1][i] = out[2];
    }
    for (size_t j = 0; j < 2; j++) {
        const double r = floor(percent[j] * D / 100), expected = (r * protocol.s1 + protocol.tf * r / D) / USERS;
        double sum = 0, squares = 0;

        for (size_t i = 0; i < REPETITIONS; i++) {
            sum += error[j][i] - expected;
            squares += (error[j][i] - expected) * (error[j][i] - expected);
        }
        const double z = sum / sqrt(squares);

        cr_expect_lt(fabs(z), statistics_z_bound(2), "%g %%: z = %g", percent[j], z);
    }
    free(scratch);
}

/* Of eight values with 100 users each, exactly known: an eighth wide, and held, although a quarter and a half of the
 * users are shares of the first values. */
FolderTest(ordered, quantiles_that_are_known_are_held)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"repetitions\": 2, \"epsilon\": 1, \"oracles\": [\"exact\"], \"methods\": [\"base\"],\n"
        " \"datasets\": [{\"type\": \"uniform\", \"d\": 8, \"n\": 800}], \"ordered\": true,\n"
        " \"queries\": [{\"type\": \"quantile_intervals\", \"percent\": [25, 40, 50]}]}\n");
    run_in(folder, "ldpbench run c.json -o r --quiet && "
                   "test $(grep -c ',quantile_intervals,[0-9]*,2,1,0,0.125,0,2,2$' r/quantile_intervals.csv) = 3");
}

/* A query that uses the order is refused where the config does not say that there is one. */
FolderTest(ordered, order_is_asked_for)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"repetitions\": 2, \"epsilon\": 1, \"oracles\": [\"grr\"], \"methods\": [\"base\"],\n"
        " \"datasets\": [{\"type\": \"uniform\", \"d\": 8, \"n\": 100}], \"ordered\": true,\n"
        " \"queries\": [\"distribution\", {\"type\": \"range\", \"percent\": [10, 50]},\n"
        " {\"type\": \"quantile\", \"percent\": 50}]}\n");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench plot r && ldpbench report r -o r.html");
    run_in(folder, "test -s r/range.csv && test -s r/distribution.csv && test -s r/quantile.csv");
}

/* Said before a run, once for each oracle whose sums have no known variance, nor intervals of their own. */
FolderTest(ordered, a_note_says_who_has_no_intervals)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"seed\": 1, \"repetitions\": 2, \"ordered\": true, \"epsilon\": [1, 2],\n"
        " \"datasets\": [{\"type\": \"beta\", \"a\": 5, \"b\": 2, \"d\": 64, \"n\": 2000}],\n"
        " \"oracles\": [\"sw\", \"hh\", \"bins\", {\"name\": \"sw\", \"buckets\": 64}], \"methods\": [\"base\"],\n"
        " \"queries\": [{\"type\": \"range_intervals\", \"percent\": 10}, {\"type\": \"range\", \"percent\": 10},\n"
        "  {\"type\": \"quantile_intervals\", \"percent\": 50}]}\n");
    run_in(
        folder,
        "ldpbench run c.json --dry-run | tr -s ' \\n' ' ' >said.txt && [ $(grep -o 'no intervals for' said.txt | wc -l) = 1 ] && "
        "grep -q 'oracle sw(buckets=64): no intervals for range_intervals, quantile_intervals: those of sw' said.txt");
}
