/* test_plan_answers.c - what `plan` does with its answers, and what it says beforehand: interactions of maximum entropy
 * against iterative proportional fitting, shrinking before the projection against true errors, laws of energies where
 * everything is clear, and the bound of what a first wave costs against the closed form. */
#include "marginals/energies.h"
#include "marginals/shares.h"
#include "numerics/simplex.h"
#include "program.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Maximum entropy of a table of three attributes given its pairs, by iterative proportional fitting. */
static void fit_pairs(const uint32_t *c, const double *p, double *q)
{
    const size_t cells = (size_t)c[0] * c[1] * c[2], step[3] = {(size_t)c[1] * c[2], c[2], 1};

    for (size_t v = 0; v < cells; v++)
        q[v] = 1 / (double)cells;
    for (int round = 0; round < 3000; round++)
        for (size_t out = 0; out < 3; out++) /* the attribute that is summed over */
            for (size_t v = 0; v < cells; v++) {
                double have = 0, want = 0;
                if (v / step[out] % c[out] > 0)
                    continue;
                for (size_t j = 0; j < c[out]; j++) {
                    have += q[v + j * step[out]];
                    want += p[v + j * step[out]];
                }
                for (size_t j = 0; j < c[out]; j++)
                    q[v + j * step[out]] *= want / have;
            }
}

/* From all pairs of random tables, without noise: the table of maximum entropy, of any cardinalities, as near as fits
 * end (fit.c). */
Test(plan_answers, triples_of_maximum_entropy)
{
    static const uint32_t of[3][3] = {{2, 2, 2}, {2, 3, 4}, {5, 3, 2}};
    enum { MOST = 30, USERS_OF_A_CELL = 1000 };
    struct ldp_rng rng = make_stream(3, "plan", 0);

    for (int trial = 0; trial < 12; trial++) {
        const uint32_t *const c = of[trial % 3];
        const size_t cells = (size_t)c[0] * c[1] * c[2], first[2] = {0, cells};
        uint32_t values[MOST * 3];
        uint64_t counts[MOST];
        double p[MOST], q[MOST], found[MOST], x[MOST * 3], coefs[MOST], sum = 0;
        struct asked asked[3];
        struct ldp_records *records;
        struct ldp_reason reason;
        struct ldp_pool pool = {.last = NULL};
        struct tables tables = {0};
        struct shrinking shrinking;
        const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("grr")};
        const struct ldp_method_spec method = {.method = ldp_method_find("base")};
        const struct ldp_set set = {3, {0, 1, 2}};
        for (size_t v = 0; v < cells; v++) {
            sum += (double)(counts[v] = 20 + ldp_rng_below(&rng, USERS_OF_A_CELL));
            for (size_t a = 0, rest = v; a < 3; rest /= c[2 - a], a++)
                values[3 * v + 2 - a] = (uint32_t)(rest % c[2 - a]);
        }
        for (size_t v = 0; v < cells; v++)
            p[v] = (double)counts[v] / sum;
        cr_assert_eq(ldp_records_new(c, 3, values, counts, cells, &records), LDP_OK);
        for (size_t i = 0; i < 3; i++)
            asked[i] = (struct asked){ldp_digits_of_mask(7 & ~(UINT64_C(1) << i)), 1000};
        const struct ldp_workload workload = {records, &oracle, 1, LDP_COUNTS, &set, 1, first, NULL};
        cr_assert_eq(ldp_tables_init(&tables, &pool, &workload, asked, 3, &method, &reason), LDP_OK);
        cr_assert_eq(ldp_shrinking_init(&shrinking, &pool, true, tables.closure.ncoefs), LDP_OK);
        cr_assert_eq(ldp_shrinking_aim(&shrinking, &pool, &tables), LDP_OK);
        for (size_t b = 0; b < tables.closure.nblocks; b++)
            shrinking.factor[b] = 1;
        ldp_tables_exact(&tables, x);
        ldp_tables_agree(&tables, x, coefs);
        ldp_shrinking_centre(&shrinking, &tables, coefs);
        ldp_shrinking_find_targets(&shrinking, &tables, coefs, LDP_SET_MAX + 1);
        ldp_implied_answer(&shrinking.implied, &tables, coefs, found);
        ldp_contrasts_inverse(&set, c, found);
        fit_pairs(c, p, q);
        for (size_t v = 0; v < cells; v++)
            cr_expect_float_eq(found[v], q[v], 3e-5, "trial %d, cell %zu: %g, expected %g", trial, v, found[v], q[v]);
        ldp_pool_clear(&pool);
        ldp_records_free(records);
    }
}

enum { CELLS = 60, DRAWS = 400 };

/* The mean squared error of shrinking by a factor, NAN: the estimated one, and projecting. */
static double true_error(const double *law, double sigma, double factor)
{
    double x[CELLS], y[CELLS], z[CELLS], room[2 * CELLS], sum = 0, moves = 0;
    void *const scratch = malloc(ldp_numbers_bytes(CELLS));
    struct ldp_rng rng = make_stream(4, "plan", 0);
    double even[CELLS];
    for (size_t c = 0; c < CELLS; c++)
        even[c] = 1. / CELLS;
    for (int draw = 0; draw < DRAWS; draw++) {
        double mean = 0;
        for (size_t c = 0; c < CELLS; c++)
            mean += (x[c] = law[c] + sigma * statistics_normal(&rng)) / CELLS;
        for (size_t c = 0; c < CELLS; c++)
            x[c] += 1. / CELLS - mean;
        const double by =
            isnan(factor) ? ldp_stein_factor(x, even, CELLS, sigma * sigma, room, scratch, &moves) : factor;
        for (size_t c = 0; c < CELLS; c++)
            y[c] = 1. / CELLS + by * (x[c] - 1. / CELLS);
        ldp_simplex_project(y, CELLS, scratch, z);
        for (size_t c = 0; c < CELLS; c++)
            sum += (z[c] - law[c]) * (z[c] - law[c]) / DRAWS;
    }
    free(scratch);
    return sum;
}

/* The estimated factor costs little more than the best of all fixed ones, whether it is 0, 1 or between. */
Test(plan_answers, shrinking_before_the_projection)
{
    double even[CELLS], few[CELLS], many[CELLS];
    for (size_t c = 0; c < CELLS; c++) {
        even[c] = 1. / CELLS;
        few[c] = c < 2 ? 0.5 : 0;
        many[c] = (1 + (c % 2 ? 0.6 : -0.6)) / CELLS;
    }
    const struct {
        const double *law;
        double sigma, low, high; /* the best fixed factor is between these */
    } of[] = {{even, 0.02, 0, 0}, {few, 0.03, 1, 1}, {many, 0.01, 0.3, 0.7}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        double least = INFINITY, best = 0;
        for (int step = 0; step <= 10; step++) {
            const double error = true_error(of[i].law, of[i].sigma, step / 10.);
            if (error < least) {
                least = error;
                best = step / 10.;
            }
        }
        cr_expect(best >= of[i].low && best <= of[i].high, "%zu: %g", i, best);
        const double found = true_error(of[i].law, of[i].sigma, NAN);
        cr_expect_leq(found, least * 1.1 + 0.15 * true_error(of[i].law, of[i].sigma, 1), "%zu: %g, least %g", i, found,
                      least);
    }
}

/* A question that is a part of a table leaves some of its interactions unknown. Three attributes, each following the
 * one before, have maximum entropy given their pairs: the triple is found, as good as its pairs. */
Test(plan_answers, unknown_interactions_have_maximum_entropy)
{
    static const uint32_t cardinality[3] = {2, 2, 2};
    static const uint64_t asked_of[4] = {1, 2, 4, 0};
    uint32_t values[8 * 3];
    uint64_t counts[8];
    size_t first[2] = {0, 8};
    struct ldp_records *records;
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("grr")};
    const struct ldp_set set = {3, {0, 1, 2}};
    const struct ldp_method_spec method = {.method = ldp_method_find("base")};
    struct asked asked[4];
    struct ldp_pool pool = {.last = NULL};
    struct tables tables = {0};
    struct shrinking shrinking;
    struct ldp_reason reason;
    uint32_t map[8];
    double x[8 + 3 * 2], coefs[8], found[8];
    for (unsigned cell = 0; cell < 8; cell++) { /* the first attribute is the last bit: 3/4 of its values are 0 */
        counts[cell] = cell & 1 ? 1 : 3;
        for (unsigned a = 0; a < 3; a++)
            values[3 * cell + a] = cell >> a & 1;
        for (unsigned a = 1; a < 3; a++)
            counts[cell] *= (cell >> a & 1) == (cell >> (a - 1) & 1) ? 3 : 1;
    }
    cr_assert_eq(ldp_records_new(cardinality, 3, values, counts, 8, &records), LDP_OK);
    for (size_t i = 0; i < 4; i++) {
        asked[i] = (struct asked){.users = 16};
        ldp_digits_add(&asked[i].digits, i < 3 ? asked_of[i] : 3);
    }
    ldp_digits_add(&asked[3].digits, 5); /* the pairs of three attributes, and nothing else */
    const struct ldp_workload workload = {records, &oracle, 1, LDP_COUNTS, &set, 1, first, NULL};
    cr_assert_eq(ldp_tables_init(&tables, &pool, &workload, asked, 4, &method, &reason), LDP_OK);
    const size_t triple = ldp_closure_find(&tables.closure, 7);
    cr_expect_eq(tables.precision[triple], 0);
    cr_assert_eq(ldp_shrinking_init(&shrinking, &pool, true, 8), LDP_OK);
    cr_assert_eq(ldp_shrinking_aim(&shrinking, &pool, &tables), LDP_OK);
    for (size_t b = 0; b < tables.closure.nblocks; b++)
        shrinking.factor[b] = b != triple;
    ldp_tables_exact(&tables, x);
    ldp_tables_agree(&tables, x, coefs);
    ldp_shrinking_run(&shrinking, &tables, coefs);
    ldp_closure_map(&tables.closure, &set, map);
    ldp_tables_project(&tables, coefs, &set, map, found);
    for (size_t r = 0; r < 8; r++) {
        const size_t cell = 4 * values[3 * r] + 2 * values[3 * r + 1] + values[3 * r + 2];
        /* 1e-6: pairs are fitted with a large weight (known.c), not exactly. */
        cr_expect_float_eq(found[cell], (double)counts[r] / 64, 1e-6, "%zu: %.9f", cell, found[cell]);
    }
    ldp_pool_clear(&pool);
    ldp_records_free(records);
}

/* A fit by parts has the interactions of as many attributes as there is room for: four of fifteen, all of twelve; of
 * binary attributes there are no parts. */
Test(plan_answers, room_of_fits_is_bounded)
{
    enum { MOST = 16, TABLES = 4368 /* of five attributes */ };
    static const struct {
        size_t d;
        uint32_t of_first;
        int last;
    } rows[] = {{12, 3, 13}, {15, 3, 5}, {16, 2, 17}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t d = rows[i].d;
        uint32_t cardinality[MOST], values[2 * MOST] = {0};
        const uint64_t counts[2] = {TABLES, TABLES};
        struct ldp_set all = {.size = (uint8_t)d}, set[TABLES];
        size_t first[2] = {0, rows[i].of_first * ((size_t)1 << (d - 1))}, m = 0;
        for (size_t a = 0; a < d; a++) {
            cardinality[a] = a == 0 ? rows[i].of_first : 2;
            values[d + a] = 1;
            all.attribute[a] = (uint8_t)a;
        }
        for (uint64_t mask = 1; mask >> d == 0; mask++)
            if (__builtin_popcountll(mask) == 5)
                set[m++] = ldp_set_of_mask(mask);
        struct asked asked[TABLES];
        ldp_tables_ask(set, 2 * TABLES, m, asked);
        struct ldp_records *records;
        struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("grr")};
        const struct ldp_method_spec method = {.method = ldp_method_find("base")};
        struct ldp_pool pool = {.last = NULL};
        struct tables tables = {0};
        struct implied implied;
        cr_assert_eq(ldp_records_new(cardinality, d, values, counts, 2, &records), LDP_OK);
        const struct ldp_workload workload = {records, &oracle, 1, LDP_COUNTS, &all, 1, first, NULL};
        cr_assert_eq(ldp_tables_init(&tables, &pool, &workload, asked, m, &method, NULL), LDP_OK);
        cr_assert_eq(ldp_implied_init(&implied, &pool, &tables), LDP_OK);
        cr_expect_eq(implied.fits.last[0], rows[i].last, "%zu: %d", d, implied.fits.last[0]);
        ldp_pool_clear(&pool);
        ldp_records_free(records);
    }
}

/* Single attributes, all of them requested in pairs, and shares of grr. */
enum { D = 4, USERS = 50000 };
static const uint32_t cardinality[D] = {2, 3, 2, 4};

Test(plan_answers, cost_of_the_first_wave)
{
    const double epsilon = 1, e = exp(epsilon);
    uint32_t values[2 * D] = {0};
    struct ldp_records *records;
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("grr")};
    struct ldp_set set[D * D];
    size_t first[D * D] = {0}, m = 0;
    const uint64_t counts[2] = {USERS - 1, 1};
    for (size_t a = 0; a < D; a++)
        values[D + a] = 1;
    cr_assert_eq(ldp_records_new(cardinality, D, values, counts, 2, &records), LDP_OK);
    ldp_params_default(oracle.oracle->params, oracle.param);
    for (uint64_t mask = 1; mask < 1 << D; mask++)
        if (__builtin_popcountll(mask) == 2) {
            set[m] = ldp_set_of_mask(mask);
            first[m + 1] = first[m] + (size_t)ldp_set_cells(&set[m], cardinality);
            m++;
        }
    const struct ldp_workload workload = {records, &oracle, epsilon, LDP_COUNTS, set, m, first, NULL};
    double before = INFINITY;
    for (int i = 0; i < 4; i++) {
        const double most = (const double[]){10, 0.05, 0.01, 0}[i];
        struct ldp_pool pool = {.last = NULL};
        struct shares shares;
        struct regret regret = {0};
        double sum = 0, records_own = 0;
        cr_assert_eq(ldp_shares_init(&shares, &pool, &workload), LDP_OK);
        ldp_shares_weigh(&shares,
                         &(struct uneven){.sampling = {1, 1, 1, 1, 1, 1, 1, 1}, .filled = {1, 1, 1, 1, 1, 1, 1, 1}});
        for (size_t b = 1; b < shares.closure.nblocks; b++) {
            const uint64_t mask = shares.closure.mask[b];
            shares.energy[b] = mask & (mask - 1) ? 0.1 : 1e15;
            if (!(mask &
                  (mask - 1))) { /* F = ((sum sqrt(c v tau))^2 - sum c v) / n, as users are chosen from records */
                const double cells = cardinality[__builtin_ctzll(mask)], tau = (e + cells - 1) / (e - 1);
                sum += sqrt(shares.importance[b] * (cells - 1) * tau * tau);
                records_own += shares.importance[b] * (cells - 1);
            }
        }
        cr_assert_eq(ldp_regret_solve(&shares, 0.2 * USERS, 0.8 * USERS, most, 100, &regret), LDP_OK);
        cr_expect_float_eq(regret.floor / ((sum * sum - records_own) / USERS), 1, 2e-3);
        cr_expect_leq(regret.part, most);
        cr_expect_leq(regret.part, before + 1e-12);
        cr_expect(most < 10 || regret.part > 0.05, "the bounds below bind: %g", regret.part);
        before = regret.part;
        double asked = 0; /* of pairs */
        for (size_t q = 0; q < shares.nquestions; q++)
            asked += __builtin_popcountll(ldp_digits_attributes(&shares.question[q].digits)) > 1
                         ? shares.question[q].share
                         : 0;
        cr_expect(most > 0 ? asked > 0.005 : asked < 0.005, "%g: %g", most, asked); /* up to the gap of the shares */
        /* What the first users tell is known to the others. */
        memcpy(shares.known, shares.precision, shares.closure.nblocks * sizeof *shares.known);
        for (size_t b = 1; b < shares.closure.nblocks; b++)
            if (shares.closure.mask[b] & (shares.closure.mask[b] - 1))
                shares.importance[b] = 0;
        cr_assert_eq(ldp_shares_solve(&shares, 0.8 * USERS, 100), LDP_OK);
        cr_expect_float_eq(ldp_shares_error(&shares) / regret.floor - 1, regret.part, 5e-3, "%g", most);
        ldp_pool_clear(&pool);
    }
    ldp_records_free(records);
}

/* Memory that lacks for the second wave ends the collection; the same stream can be collected again. */
Test(plan_answers, no_memory_for_the_second_wave)
{
#if defined __SANITIZE_ADDRESS__
    cr_skip_test("an instrumented program needs its memory");
#endif
    enum { ATTRIBUTES = 12, SETS = ATTRIBUTES * (ATTRIBUTES - 1) / 2 };
    static const uint32_t values_of[ATTRIBUTES] = {2, 2, 3, 5, 2, 2, 3, 5, 2, 2, 3, 5};
    static const uint32_t values[3][ATTRIBUTES] = {
        {0}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0, 1, 2, 3, 1, 0, 2, 4, 0, 1, 1, 2}};
    static const uint64_t users[3] = {USERS / 2, USERS / 4, USERS / 4};
    struct ldp_records *records;
    cr_assert_eq(ldp_records_new(values_of, ATTRIBUTES, values[0], users, 3, &records), LDP_OK);
    const struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("adaptive")};
    struct ldp_set sets[SETS];
    size_t first[SETS + 1] = {0}, count = 0;
    for (uint8_t i = 0; i < ATTRIBUTES; i++)
        for (uint8_t j = i + 1; j < ATTRIBUTES; j++, count++) {
            sets[count] = (struct ldp_set){2, {i, j}};
            first[count + 1] = first[count] + values_of[i] * values_of[j];
        }
    const struct ldp_workload workload = {records, &oracle, 0.5, LDP_COUNTS, sets, SETS, first, NULL};
    struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find("plan")};
    double *const unlimited = calloc(2 * first[SETS], sizeof *unlimited), *const after = unlimited + first[SETS];
    struct rlimit before;
    void *state[2];
    struct ldp_rng rng;

    ldp_params_default(spec.synopsis->params, spec.param);
    mallopt(M_MMAP_THRESHOLD, 1 << 12);
    mallopt(M_TOP_PAD, 0);
    for (size_t i = 0; i < 2; i++)
        cr_assert_eq(ldp_synopsis_open(&spec, &workload, &state[i], NULL), LDP_OK);
    malloc_trim(0);
    getrlimit(RLIMIT_AS, &before);
    setrlimit(RLIMIT_AS, &(struct rlimit){1, before.rlim_max});
    rng = make_stream(1, "memory", 0);
    const enum ldp_status status = spec.synopsis->collect(state[0], &rng, false);
    setrlimit(RLIMIT_AS, &before);
    cr_expect_eq(status, LDP_ENOMEM, "%d", (int)status);
    for (size_t i = 0; i < 2; i++) {
        rng = make_stream(1, "memory", 0);
        cr_assert_eq(spec.synopsis->collect(state[i], &rng, false), LDP_OK);
        spec.synopsis->answer(state[i], LDP_NOISY, i ? unlimited : after);
        ldp_synopsis_close(state[i]);
    }
    cr_expect_arr_eq(after, unlimited, first[SETS] * sizeof *after);
    free(unlimited);
    ldp_records_free(records);
}

/* Under any limit of memory a run ends with the numbers of an unlimited one or says that memory lacks, stores nothing
 * else, and can be completed. */
FolderTest(plan_answers, a_run_without_memory_is_completed_later, SLOW)
{
    if (getenv("LSAN_OPTIONS"))
        return; /* instrumented programs need more to begin with */
    write_text(folder, "c.json",
               "{\"name\": \"t\", \"task\": \"marginals\", \"seed\": 1, \"repetitions\": 2, \"datasets\": [{\"type\": "
               "\"chain\", \"d\": 20, \"n\": 20000, \"cardinalities\": \"2 2 3 5 2 2 3 5 2 2 3 5 2 2 3 5 2 2 3 5\"}], "
               "\"oracles\": [\"adaptive\"], \"epsilon\": [0.5], \"synopses\": [\"plan\"], \"marginals\": {\"k\": 2}}");
    run_in(folder, "ldpbench run c.json -o whole --quiet -j 1");
    size_t refused = 0;
    /* From below: the last that fails does so as late as memory is needed. */
    for (int kilobytes = 12000, found = 0; kilobytes < 700000 && !found; kilobytes += 500) {
        struct outcome outcome = shell_in(folder, "ulimit -v %d && ldpbench run c.json -o r --quiet -j 1", kilobytes);
        found = outcome.status == 0;
        if (strstr(outcome.err, "out of memory")) {
            refused++;
            cr_expect_eq(outcome.status, 3, "%d kB: %d: %s", kilobytes, outcome.status, outcome.err);
            cr_expect(strchr(outcome.err, '\n') == outcome.err + strlen(outcome.err) - 1, "one line: %s", outcome.err);
        }
        outcome_free(&outcome);
    }
    cr_expect_gt(refused, 0);
    demand_same_tables(folder, "r", "whole");
}

/* Without noise worth the name everything is kept, however large the evidence. */
FolderTest(plan_answers, nothing_is_shrunk_where_all_is_clear, SLOW)
{
    write_text(folder, "c.json",
               "{\"name\": \"t\", \"task\": \"marginals\", \"seed\": 1, \"repetitions\": 2, \"datasets\": [{\"type\": "
               "\"chain\", \"d\": 4, \"strength\": 0.7, \"n\": 10000000}], \"oracles\": [\"grr\"], \"epsilon\": [4], "
               "\"synopses\": [\"plan\"], \"marginals\": {\"k\": 2, \"count\": 6}}");
    /* 1e7 users: an error of 1e-7 is noise; with a factor of 0.99 it would be 1e-5. */
    run_in(folder, "ldpbench run c.json -o r --quiet && awk -F, 'NR > 1 && !($10 < 1e-6) { exit 1 }' r/marginals.csv");
}

/* Strong dependence of uneven attributes is found and kept, also in tables of which most cells are empty, and of more
 * than 4,096 cells: far less error than without dependence (product). */
FolderTest(plan_answers, dependence_in_large_tables_is_kept, SLOW)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"t\", \"task\": \"marginals\", \"seed\": 1, \"repetitions\": 2, \"datasets\": [{\"type\": "
        "\"chain\", \"d\": 2, \"strength\": 0.8, \"n\": 1000000, \"cardinalities\": \"2 200\", \"label\": \"long\"}, "
        "{\"type\": \"chain\", \"d\": 2, \"strength\": 0.8, \"n\": 1000000, \"cardinalities\": \"70 70\", \"label\": "
        "\"large\"}], \"oracles\": [\"adaptive\"], \"epsilon\": [2], \"synopses\": [\"plan\", \"product\"], "
        "\"marginals\": {\"k\": 2, \"count\": 1}}");
    run_in(folder, "ldpbench run c.json -o r --quiet && awk -F, 'NR > 1 { sse[$2, $7] = $10; seen++ } END { "
                   "exit !(seen == 4 && sse[\"long\", \"plan\"] < sse[\"long\", \"product\"] / 100 && "
                   "sse[\"large\", \"plan\"] < sse[\"large\", \"product\"] / 20) }' r/marginals.csv");
}

FolderTest(plan_answers, dry_run_says_what_is_expected, SLOW)
{
    write_text(folder, "c.json",
               "{\"name\": \"t\", \"task\": \"marginals\", \"seed\": 1, \"repetitions\": 2, \"datasets\": [{\"type\": "
               "\"chain\", \"d\": 8, \"n\": [2000, 1000000]}], \"oracles\": [\"adaptive\"], \"epsilon\": [1], "
               "\"synopses\": [\"plan\", \"product\"], \"marginals\": {\"k\": 2, \"count\": 10}}");
    run_in(
        folder,
        "ldpbench run c.json --dry-run | tr -s ' \\n' ' ' >out && [ $(grep -o 'users answer' out | wc -l) = 2 ] && "
        "! grep -q 'expected error' out && grep -q 'n = 2000, .* 600 users answer .* dependence is not decidable .* n = 1000000' out && "
        "grep -q 'n = 1000000, .* 300000 users answer .* dependence is decidable' out && "
        "ldpbench run c.json -o r 2> err && ! grep -q 'users answer' err");
}

/* A Cramer's V is at most 1: with few users a dry run stated one "above 40". */
FolderTest(plan_answers, dry_run_detects_no_more_than_is_possible)
{
    write_text(folder, "c.json",
               "{\"name\": \"t\", \"task\": \"marginals\", \"seed\": 1, \"repetitions\": 2, \"datasets\": [{\"type\": "
               "\"chain\", \"d\": 4, \"n\": 60, \"strength\": 0.5}], \"oracles\": [\"oue\"], \"epsilon\": [0.05], "
               "\"synopses\": [\"plan\"], \"marginals\": {\"k\": 2, \"count\": 2}}");
    run_in(folder, "ldpbench run c.json --dry-run | tr -s ' \\n' ' ' >out && ! grep -q 'V of pairs above' out && "
                   "grep -q 'so few users the pilot detects none, however strong' out");
}
