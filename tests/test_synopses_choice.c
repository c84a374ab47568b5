/* Synopses of many attributes: domains too large for one table, shrinking, the choice of tables and its risk. What
 * every synopsis must keep is in test_synopses.c. */
#include "marginals/choice.h"
#include "marginals/energies.h"
#include "marginals/shrink.h"
#include "marginals/survey.h"
#include "marginals/synopsis.h"
#include "marginals/tables.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

/* d binary attributes, each a copy of its neighbour with probability strength / 16. */
static struct ldp_records *make_binary(size_t d, uint64_t n, uint64_t strength)
{
    uint32_t *values = malloc(n * d * sizeof *values), *all = malloc(d * sizeof *all);
    struct ldp_records *records;

    struct ldp_rng rng = make_stream(6, "binary", strength);
    for (size_t i = 0; i < n * d; i++)
        values[i] = i % d > 0 && ldp_rng_below(&rng, 16) < strength ? values[i - 1] : ldp_rng_below(&rng, 3) == 0;
    for (size_t i = 0; i < d; i++)
        all[i] = 2;
    cr_assert_eq(ldp_records_new(all, d, values, NULL, n, &records), LDP_OK);
    free(values);
    free(all);
    return records;
}

/* Mean squared error of a synopsis, summed over the cells of two marginals of 3 of d attributes. */
static double measure(const struct ldp_synopsis_spec *spec, const struct ldp_records *records, const char *oracle,
                      size_t draws, double *predicted)
{
    static const struct ldp_set sets[] = {{3, {0, 1, 2}}, {3, {3, 5, 8}}};
    const size_t first[] = {0, 8, 16};
    struct ldp_oracle_spec by = {.oracle = ldp_oracle_find(oracle)};
    const struct ldp_workload workload = {records, &by, 1, LDP_COUNTS, sets, 2, first, NULL};
    struct ldp_prediction prediction[2];
    struct ldp_reason reason;
    uint64_t cells[16];
    double answer[16], sum = 0;
    void *state;

    ldp_params_default(by.oracle->params, by.param);
    for (size_t i = 0; i < 2; i++)
        ldp_records_table(records, &sets[i], cells + 8 * i);
    cr_assert_eq(ldp_synopsis_open(spec, &workload, &state, &reason), LDP_OK, "%s", reason.text);
    struct ldp_rng rng = make_stream(statistics_seed(31), "measure", 0);
    for (size_t r = 0; r < draws; r++) {
        cr_assert_eq(spec->synopsis->collect(state, &rng, false), LDP_OK);
        spec->synopsis->answer(state, LDP_NOISY, answer);
        for (size_t c = 0; c < 16; c++) {
            const double error = answer[c] - (double)cells[c] / (double)records->n;

            sum += error * error / (double)draws;
        }
    }
    if (predicted) {
        spec->synopsis->predict(state, prediction);
        *predicted = prediction[0].noise + prediction[1].noise;
    }
    ldp_synopsis_close(state);
    return sum;
}

/* More than 2^16 cells: marginals drawn by themselves; 32 attributes are 2^32 cells, which nobody makes. */
Test(synopses, full_table_of_large_domains)
{
    static const char *const oracles[] = {"oue", "olh", "grr"};
    const struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find("fc")};

    for (size_t i = 0; i < 3; i++)
        for (size_t d = 18; d <= 32; d += 14) {
            struct ldp_records *const records = make_binary(d, 20000, 8);
            double predicted;

            if (i < 2 || d < 32) {
                const double measured = measure(&spec, records, oracles[i], 400, &predicted);

                /* Sums of randomised response are less noisy than its cells are (their errors are correlated). */
                cr_expect(i < 2 ? fabs(measured / predicted - 1) < 0.2 : measured < 1.2 * predicted,
                          "%s, d = %zu: %g, predicted %g", oracles[i], d, measured, predicted);
            }
            ldp_records_free(records);
        }
}

/* Independent attributes: tables of pairs tell nothing but noise, which shrinking finds out from the tables alone.
 * Dependent ones of unequal strength, for which one factor is not the best: little is lost. */
Test(synopses, shrinking_finds_out_what_is_noise)
{
    struct ldp_synopsis_spec pairs = {.synopsis = ldp_synopsis_find("calm"), .param = {NAN, 2, NAN}},
                             shrunk = {.synopsis = ldp_synopsis_find("calm_shrunk"), .param = {NAN, 2, NAN}};

    for (uint64_t strength = 0; strength <= 12; strength += 12) {
        struct ldp_records *const records = make_binary(12, 60000, strength);
        const double plain = measure(&pairs, records, "adaptive", 60, NULL),
                     less = measure(&shrunk, records, "adaptive", 60, NULL);

        cr_expect(less < (strength == 0 ? 0.5 : 1.25) * plain, "strength %d: %g, unshrunk %g", (int)strength, less,
                  plain);
        ldp_records_free(records);
    }
}

/* The choice of m and l: as good as the product where attributes are independent, far better where they are not. */
Test(synopses, choice_is_not_below_the_floor, SLOW)
{
    const struct ldp_synopsis_spec product = {.synopsis = ldp_synopsis_find("product")};

    for (uint64_t strength = 0; strength <= 12; strength += 12) {
        struct ldp_records *const records = make_binary(12, 60000, strength);
        const double floor_ = measure(&product, records, "adaptive", 60, NULL);

        for (size_t s = 0; s < 2; s++) {
            const struct ldp_synopsis_spec calm = {.synopsis = ldp_synopsis_find(s ? "calm_shrunk" : "calm"),
                                                   .param = {NAN, NAN, NAN}};
            const double chosen = measure(&calm, records, "adaptive", 60, NULL);

            cr_expect(chosen < (strength == 0 ? 1.3 : 0.5) * floor_, "%s, strength %d: %g, product %g",
                      calm.synopsis->name, (int)strength, chosen, floor_);
        }
        ldp_records_free(records);
    }
}

/* ---- Few dependent pairs of mixed cardinality ---- */

enum { MIXED = 12, REQUESTED = 6, DRAWS = 40 };
static const uint32_t mixed_sizes[MIXED] = {2, 3, 16, 4, 2, 7, 10, 2, 5, 3, 2, 8};
static const struct ldp_set mixed_sets[REQUESTED] = {{2, {4, 7}}, {2, {3, 9}},  {2, {0, 2}},
                                                     {2, {5, 6}}, {2, {1, 11}}, {2, {8, 10}}};

/* Skewed, independent attributes, but attribute 7 is a copy of 4, and 9 of 3 as far as its values go. */
static struct ldp_records *make_mixed(uint64_t n, size_t stream)
{
    uint32_t *const values = malloc(n * MIXED * sizeof *values);
    struct ldp_records *records;

    struct ldp_rng rng = make_stream(16, "mixed", stream);
    for (uint64_t u = 0; u < n; u++) {
        uint32_t *const row = values + u * MIXED;

        for (size_t a = 0; a < MIXED; a++)
            row[a] = (uint32_t)ldp_rng_below(&rng, 1 + ldp_rng_below(&rng, mixed_sizes[a]));
        row[7] = row[4];
        row[9] = row[3] % mixed_sizes[9];
    }
    cr_assert_eq(ldp_records_new(mixed_sizes, MIXED, values, NULL, n, &records), LDP_OK);
    free(values);
    return records;
}

/* The mean over draws of the squared error, summed over all requested marginals, and its variance. */
static double measure_mixed(const char *name, const struct ldp_workload *workload, size_t stream, double *variance)
{
    const struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find(name), .param = {NAN, NAN, NAN}};
    const double n = (double)workload->records->n;
    double *const answer = malloc(workload->first[REQUESTED] * sizeof *answer), sum = 0, squares = 0;
    uint64_t *const cells = malloc(workload->first[REQUESTED] * sizeof *cells);
    struct ldp_reason reason;
    void *state;

    for (size_t i = 0; i < REQUESTED; i++)
        ldp_records_table(workload->records, &mixed_sets[i], cells + workload->first[i]);
    cr_assert_eq(ldp_synopsis_open(&spec, workload, &state, &reason), LDP_OK, "%s", reason.text);
    struct ldp_rng rng = make_stream(statistics_seed(33), name, stream);
    for (size_t r = 0; r < DRAWS; r++) {
        double error = 0;

        cr_assert_eq(spec.synopsis->collect(state, &rng, false), LDP_OK);
        spec.synopsis->answer(state, LDP_NOISY, answer);
        for (size_t c = 0; c < workload->first[REQUESTED]; c++)
            error += pow(answer[c] - (double)cells[c] / n, 2);
        sum += error / DRAWS;
        squares += error * error / DRAWS;
    }
    ldp_synopsis_close(state);
    free(answer);
    free(cells);
    *variance = (squares - sum * sum) / (DRAWS - 1);
    return sum;
}

/* What chooses its tables is not worse than the product by more than chance; with many users it is better. */
Test(synopses, few_dependent_pairs_of_mixed_cardinality, SLOW)
{
    static const struct {
        double epsilon;
        uint64_t n;
        bool found;
    } cases[] = {{0.5, 20000, false}, {1, 60000, false}, {2, 400000, true}};
    struct ldp_oracle_spec oracle = default_oracle("adaptive");
    size_t first[REQUESTED + 1] = {0};

    for (size_t i = 0; i < REQUESTED; i++)
        first[i + 1] = first[i] + (size_t)ldp_set_cells(&mixed_sets[i], mixed_sizes);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct ldp_records *const records = make_mixed(cases[c].n, c);
        const struct ldp_workload workload = {records, &oracle, cases[c].epsilon, LDP_COUNTS, mixed_sets, REQUESTED,
                                              first,   NULL};
        double variance[2];
        const double product = measure_mixed("product", &workload, c, &variance[0]);

        for (size_t s = 0; s < 2; s++) {
            const char *const name = s ? "calm_shrunk" : "calm";
            const double chosen = measure_mixed(name, &workload, c, &variance[1]),
                         z = (chosen - product) / sqrt(variance[0] + variance[1]);

            cr_expect_lt(z, statistics_z_bound(6), "case %zu, %s: %g, product %g, z = %g", c, name, chosen, product, z);
            cr_expect(!cases[c].found || z < -statistics_z_bound(6), "%s: %g, product %g, z = %g", name, chosen,
                      product, z);
        }
        ldp_records_free(records);
    }
}

/* A dependence that noise alone often looks like is no reason for tables of several attributes, unless these cost
 * almost nothing; the same dependence is one if noise seldom looks like it, though it is not certain. */
Test(synopses, choice_weighs_the_risk)
{
    struct ldp_records *const records = make_binary(16, 65536, 0);
    const struct ldp_set sets[] = {{3, {0, 5, 9}}, {3, {2, 3, 14}}};
    const size_t first[] = {0, 8, 16};
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("adaptive")};
    const struct ldp_method_spec method = {.method = ldp_method_find("norm_sub")};
    struct ldp_workload workload = {
        .records = records, .oracle = &oracle, .mode = LDP_COUNTS, .sets = sets, .nsets = 2, .first = first};
    static const struct {
        double epsilon, pair, error;
        bool floor;
    } cases[] = {{0.5, 0, 0.1, true},     {0.5, 0.1, 0.1, true}, {0.5, 0.1, 0.02, false}, {0.5, 0.01, 1e-6, true},
                 {2, 0.01, 0.002, false}, {2, 0, 0.01, false},   {0.4, 0.5, 0.01, false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct dependence dependence = {
            .single = 0.2, .pair = cases[i].pair, .pair_error = cases[i].error, .numbers = 120};
        struct ldp_pool pool = {.last = NULL};
        struct choice choice;
        struct ldp_reason reason;

        workload.epsilon = cases[i].epsilon;
        for (size_t a = 0; a < 16; a++)
            dependence.deviation[a] = dependence.single;
        cr_assert_eq(ldp_choice_open(&choice, &pool, &workload, &method, false, &reason), LDP_OK);
        cr_expect_eq(ldp_choice_best(&choice, &dependence) == 0, cases[i].floor, "case %zu", i);
        ldp_pool_clear(&pool);
    }
    ldp_records_free(records);
}

/* Skewed, independent attributes: what the means of single attributes add to the noise of interactions is not taken for
 * a dependence. */
Test(synopses, means_are_no_dependence)
{
    enum { ATTRIBUTES = 8, USERS = 20000, ROUNDS = 60 };
    static const uint32_t binary[ATTRIBUTES] = {2, 2, 2, 2, 2, 2, 2, 2};
    uint32_t *const values = malloc((size_t)USERS * ATTRIBUTES * sizeof *values);
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    const struct ldp_method_spec method = {.method = ldp_method_find("base")};
    struct ldp_records *records;
    struct ldp_set set[70];
    struct asked asked[70];
    struct ldp_reason reason;
    struct ldp_pool pool = {.last = NULL};
    struct groups groups;
    struct shrinking shrinking;
    struct energies energies;
    struct tables tables;
    size_t found = 0;

    struct ldp_rng rng = make_stream(8, "skewed", 0);
    for (size_t i = 0; i < (size_t)USERS * ATTRIBUTES; i++)
        values[i] = ldp_rng_below(&rng, 20) == 0;
    cr_assert_eq(ldp_records_new(binary, ATTRIBUTES, values, NULL, USERS, &records), LDP_OK);
    free(values);
    cr_assert_eq(ldp_design_all(0xff, 0, 4, set, 70), 70);
    ldp_tables_ask(set, USERS, 70, asked);
    const struct ldp_workload workload = {.records = records, .oracle = &oracle, .epsilon = 1, .mode = LDP_COUNTS};

    cr_assert_eq(ldp_tables_init(&tables, &pool, &workload, asked, 70, &method, &reason), LDP_OK);
    cr_assert_eq(ldp_groups_init(&groups, &pool, records, 70), LDP_OK);
    cr_assert_eq(ldp_shrinking_init(&shrinking, &pool, false, tables.closure.ncoefs), LDP_OK);
    cr_assert_eq(ldp_energies_init(&energies, &pool, tables.closure.ncoefs), LDP_OK);
    double *x = malloc(tables.first[70] * sizeof *x), *coefs = malloc(tables.closure.ncoefs * sizeof *coefs);

    for (size_t round = 0; round < ROUNDS; round++) {
        ldp_groups_gather(&groups);
        ldp_tables_collect(&tables, 0, 70, &groups, &rng, x, NULL);
        ldp_tables_agree(&tables, x, coefs);
        ldp_energies_learn(&energies, &shrinking, &tables, coefs);
        for (size_t b = 1; b < tables.closure.nblocks; b++)
            found += __builtin_popcountll(tables.closure.mask[b]) > 1 && shrinking.factor[b] > 0;
    }
    /* 154 interactions a round: one in a thousand at most is taken for a dependence. */
    cr_expect_leq(found, 154 * ROUNDS / 1000, "%zu of %d", found, 154 * ROUNDS);
    free(x);
    free(coefs);
    ldp_pool_clear(&pool);
    ldp_records_free(records);
}

/* One pair of attributes in which both have the same value, among 119 that are independent: it is kept, and of the
 * others almost none, though the mean dependence is far below the noise. */
Test(synopses, one_dependent_pair_among_many)
{
    enum { ATTRIBUTES = 16, USERS = 60000, PAIRS = 120, ROUNDS = 20 };
    uint32_t *values = malloc((size_t)USERS * ATTRIBUTES * sizeof *values), two[ATTRIBUTES];
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("oue")};
    const struct ldp_method_spec method = {.method = ldp_method_find("base")};
    struct ldp_records *records;
    struct ldp_set set[PAIRS];
    struct asked asked[PAIRS];
    struct ldp_reason reason;
    struct ldp_pool pool = {.last = NULL};
    struct groups groups;
    struct shrinking shrinking;
    struct energies energies;
    struct tables tables;
    size_t found = 0, others = 0;
    double left = 0; /* of the noise, as expected */

    struct ldp_rng rng = make_stream(9, "pair", 0);
    for (size_t i = 0; i < (size_t)USERS * ATTRIBUTES; i++)
        values[i] = i % ATTRIBUTES == 11 ? values[i - 8] : (uint32_t)ldp_rng_below(&rng, 2);
    for (size_t i = 0; i < ATTRIBUTES; i++)
        two[i] = 2;
    cr_assert_eq(ldp_records_new(two, ATTRIBUTES, values, NULL, USERS, &records), LDP_OK);
    free(values);
    cr_assert_eq(ldp_design_all(0xffff, 0, 2, set, PAIRS), PAIRS);
    ldp_tables_ask(set, USERS, PAIRS, asked);
    const struct ldp_workload workload = {.records = records, .oracle = &oracle, .epsilon = 1.2, .mode = LDP_COUNTS};

    cr_assert_eq(ldp_tables_init(&tables, &pool, &workload, asked, PAIRS, &method, &reason), LDP_OK);
    cr_assert_eq(ldp_groups_init(&groups, &pool, records, PAIRS), LDP_OK);
    cr_assert_eq(ldp_shrinking_init(&shrinking, &pool, false, tables.closure.ncoefs), LDP_OK);
    cr_assert_eq(ldp_energies_init(&energies, &pool, tables.closure.ncoefs), LDP_OK);
    double *x = malloc(tables.first[PAIRS] * sizeof *x), *coefs = malloc(tables.closure.ncoefs * sizeof *coefs);

    for (size_t round = 0; round < ROUNDS; round++) {
        ldp_groups_gather(&groups);
        ldp_tables_collect(&tables, 0, PAIRS, &groups, &rng, x, NULL);
        ldp_tables_agree(&tables, x, coefs);
        ldp_energies_learn(&energies, &shrinking, &tables, coefs);
        left += shrinking.left[2] / ROUNDS;
        for (size_t i = 0; i < PAIRS; i++) {
            const uint64_t mask = ldp_set_mask(&set[i]);
            const bool kept = shrinking.factor[ldp_closure_find(&tables.closure, mask)] > 0;

            if (mask == ((UINT64_C(1) << 3) | (UINT64_C(1) << 11)))
                found += kept;
            else
                others += kept;
        }
    }
    cr_expect_geq(found, ROUNDS - 2, "%zu of %d", found, ROUNDS);
    cr_expect_leq(others, ROUNDS, "%zu of %d", others, ROUNDS * (PAIRS - 1));
    cr_expect(left > .9 / PAIRS && left < .2, "%g of the noise; one pair's, and what may be dropped wrongly", left);
    free(x);
    free(coefs);
    ldp_pool_clear(&pool);
    ldp_records_free(records);
}

/* Where almost all users have the same values, choosing users adds almost nothing to the noise: the pilot's estimate of
 * a dependence that is not there is positive as often as negative. */
Test(synopses, skewed_attributes_have_less_sampling_error)
{
    enum { ATTRIBUTES = 16, USERS = 60000, ROUNDS = 30 };
    uint32_t *values = malloc((size_t)USERS * ATTRIBUTES * sizeof *values), two[ATTRIBUTES];
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("grr")};
    const struct ldp_method_spec method = {.method = ldp_method_find("norm_sub")};
    const struct ldp_set requested = {3, {0, 5, 9}};
    const size_t first[] = {0, 8};
    struct ldp_records *records;
    struct ldp_reason reason;
    struct ldp_pool pool = {.last = NULL};
    struct pilot pilot;
    struct groups groups;
    size_t none = 0;

    struct ldp_rng rng = make_stream(10, "skewed", 0);
    for (size_t i = 0; i < (size_t)USERS * ATTRIBUTES; i++)
        values[i] = ldp_rng_below(&rng, 50) == 0;
    for (size_t i = 0; i < ATTRIBUTES; i++)
        two[i] = 2;
    cr_assert_eq(ldp_records_new(two, ATTRIBUTES, values, NULL, USERS, &records), LDP_OK);
    free(values);
    const struct ldp_workload workload = {.records = records,
                                          .oracle = &oracle,
                                          .epsilon = 2,
                                          .mode = LDP_COUNTS,
                                          .sets = &requested,
                                          .nsets = 1,
                                          .first = first};

    cr_assert_eq(ldp_pilot_pairs(&pilot, &pool, records, 1, 600, 100), LDP_OK);
    cr_assert_eq(pilot.m, 120);
    cr_assert_eq(ldp_pilot_init(&pilot, &pool, &workload, USERS / 5, &method, &reason), LDP_OK);
    cr_assert_eq(ldp_groups_init(&groups, &pool, records, 120), LDP_OK);
    double *x = malloc(pilot.tables.first[120] * sizeof *x);

    for (size_t round = 0; round < ROUNDS; round++) {
        ldp_groups_gather(&groups);
        ldp_tables_collect(&pilot.tables, 0, 120, &groups, &rng, x, NULL);
        const struct dependence dependence = ldp_pilot_dependence(&pilot, x);

        none += dependence.pair <= 0;
        cr_expect_gt(dependence.single, 0.85);
    }
    /* Half of them, in the mean. */
    cr_expect(none >= 6 && none <= 24, "%zu of %d", none, ROUNDS);
    free(x);
    ldp_pool_clear(&pool);
    ldp_records_free(records);
}
