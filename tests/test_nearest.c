/* test_nearest.c - the one convex fit: hand examples, the projection onto the simplex, an outside quadratic program,
 * the conditions of an optimum, and what `plan` answers by it. */
#include "marginals/contrasts.h"
#include "marginals/fit.h"
#include "marginals/synopsis.h"
#include "numerics/numeric.h"
#include "numerics/simplex.h"
#include "program.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS_MOST = 24, CELLS_MOST = 1024, ROUNDS = 100000 };

/* Tables with a weight each, and their least squares fit. */
struct problem {
    struct ldp_pool pool;
    size_t d, m;
    uint32_t cardinality[8];
    struct ldp_set set[SETS_MOST];
    size_t first[SETS_MOST + 1];
    double weight[SETS_MOST], cells[CELLS_MOST], fitted[CELLS_MOST];
    struct nearest nearest;
    struct nearest_result result;
};

static void add_table(struct problem *problem, uint64_t mask, double weight)
{
    const size_t i = problem->m++;
    problem->set[i] = ldp_set_of_mask(mask);
    problem->weight[i] = weight;
    problem->first[i + 1] = problem->first[i] + (size_t)ldp_set_cells(&problem->set[i], problem->cardinality);
    cr_assert_leq(problem->first[i + 1], CELLS_MOST);
}

/* Means of the tables' coefficients, by weight / cells: those nearest to the tables that agree. */
static void fit(struct problem *problem, double gap, bool alike)
{
    struct nearest *const nearest = &problem->nearest;
    cr_assert_eq(
        ldp_nearest_init(nearest, &problem->pool, problem->cardinality, problem->set, problem->m, problem->first),
        LDP_OK);
    memset(nearest->start, 0, nearest->closure.ncoefs * sizeof *nearest->start);
    memset(nearest->inverse, 0, nearest->closure.ncoefs * sizeof *nearest->inverse);
    for (size_t i = 0; i < problem->m; i++) {
        const size_t first = problem->first[i], count = problem->first[i + 1] - first;
        const double weight = problem->weight[i] / (double)count;
        double x[CELLS_MOST];
        memcpy(x, problem->cells + first, count * sizeof *x);
        ldp_contrasts_forward(&problem->set[i], problem->cardinality, x);
        for (size_t c = 0; c < count; c++) {
            nearest->start[nearest->map[first + c]] += weight * x[c];
            nearest->inverse[nearest->map[first + c]] += weight;
        }
    }
    for (size_t c = 0; c < nearest->closure.ncoefs; c++) {
        nearest->start[c] = c == 0 ? 1 : nearest->start[c] / nearest->inverse[c];
        nearest->inverse[c] = c == 0 ? 0 : 1 / nearest->inverse[c];
    }
    ldp_nearest_weigh(nearest, alike);
    problem->result = ldp_nearest_run(nearest, gap, ROUNDS, problem->fitted);
}

static double objective(const struct problem *problem, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < problem->m; i++)
        for (size_t c = problem->first[i]; c < problem->first[i + 1]; c++)
            sum += problem->weight[i] * (x[c] - problem->cells[c]) * (x[c] - problem->cells[c]);
    return sum;
}

/* Half of everything in the first cell, and noise that is large beside the other cells. */
static void draw_cells(struct problem *problem, struct ldp_rng *rng, double noise)
{
    for (size_t i = 0; i < problem->m; i++)
        for (size_t c = problem->first[i]; c < problem->first[i + 1]; c++) {
            const double others = (double)(problem->first[i + 1] - problem->first[i] - 1),
                         normal = ldp_normal_quantile(ldp_rng_uniform(rng));
            problem->cells[c] =
                (c == problem->first[i] ? 0.5 : 0.5 / others) + noise * normal / sqrt(problem->weight[i]);
        }
}

/* Problem number i of the random ones: pairs of some attributes, and two triples, of unequal weights. */
static void draw_problem(struct problem *problem, uint64_t i, double noise)
{
    static const uint32_t cardinality[8] = {2, 3, 2, 5, 2, 4, 2, 2};
    struct ldp_rng rng = make_stream(1, "nearest", i);
    *problem = (struct problem){.d = 3 + i % 4};
    memcpy(problem->cardinality, cardinality, sizeof cardinality);
    for (uint64_t mask = 1; mask < UINT64_C(1) << problem->d; mask++)
        if (__builtin_popcountll(mask) == 2 || mask == 7 || (mask == 13 && problem->d > 3))
            add_table(problem, mask, exp(4 * ldp_rng_uniform(&rng)));
    draw_cells(problem, &rng, noise);
}

static void expect_valid(const struct problem *problem)
{
    for (size_t i = 0; i < problem->m; i++) {
        double sum = 0;
        for (size_t c = problem->first[i]; c < problem->first[i + 1]; c++) {
            cr_expect_geq(problem->fitted[c], 0);
            sum += problem->fitted[c];
        }
        cr_expect_float_eq(sum, 1, 1e-12);
    }
}

/* The attributes are known, .9 and .1 each: independent cells are .81, .09, .09, .01. An interaction of -.1 is too
 * strong for the last cell; the nearest one is -.01. */
Test(nearest, an_interaction_alone_moves)
{
    static const double given[4] = {0.71, 0.19, 0.19, -0.09}, expected[4] = {0.8, 0.1, 0.1, 0};
    struct problem problem = {.d = 2, .cardinality = {2, 2}};
    add_table(&problem, 3, 1);
    memcpy(problem.cells, given, sizeof given);
    fit(&problem, 1e-8, false);
    /* The attributes stay as they are. */
    for (size_t b = 0; b < 4; b++)
        problem.nearest.inverse[b] = problem.nearest.closure.mask[b] == 3;
    ldp_nearest_weigh(&problem.nearest, false);
    cr_expect(ldp_nearest_run(&problem.nearest, 1e-15, ROUNDS, problem.fitted).near);
    for (size_t c = 0; c < 4; c++)
        cr_expect_float_eq(problem.fitted[c], expected[c], 1e-7, "cell %zu: %g", c, problem.fitted[c]);
    ldp_pool_clear(&problem.pool);
}

/* Of a single table it is the projection onto the simplex. */
Test(nearest, one_table)
{
    for (uint64_t draw = 0; draw < 20; draw++) {
        struct problem problem = {.d = 2, .cardinality = {3, 5}};
        struct ldp_rng rng = make_stream(2, "nearest", draw);
        double projected[15];
        add_table(&problem, 3, 1);
        draw_cells(&problem, &rng, 0.2);
        double sum = 0; /* of a table that agrees with a total of 1 */
        for (size_t c = 0; c < 15; c++)
            sum += problem.cells[c];
        for (size_t c = 0; c < 15; c++)
            problem.cells[c] += (1 - sum) / 15;
        void *const scratch = malloc(ldp_numbers_bytes(15));
        ldp_simplex_project(problem.cells, 15, scratch, projected);
        fit(&problem, 1e-12, false);
        for (size_t c = 0; c < 15; c++)
            cr_expect_float_eq(problem.fitted[c], projected[c], 1e-5, "%g, %g", problem.fitted[c], projected[c]);
        cr_expect_float_eq(objective(&problem, problem.fitted), objective(&problem, projected), 1e-11);
        free(scratch);
        ldp_pool_clear(&problem.pool);
    }
}

/* Tables that already agree and have no negative cell stay as they are. */
Test(nearest, valid_tables_stay)
{
    struct problem problem = {.d = 3, .cardinality = {2, 2, 2}};
    add_table(&problem, 3, 1);
    add_table(&problem, 6, 5);
    for (size_t c = 0; c < 8; c++)
        problem.cells[c] = (double[]){0.4, 0.2, 0.3, 0.1, 0.7, 0, 0.1, 0.2}[c];
    fit(&problem, 1e-8, false);
    cr_expect(problem.result.near && problem.result.rounds == 0);
    for (size_t c = 0; c < 8; c++)
        cr_expect_float_eq(problem.fitted[c], problem.cells[c], 1e-12);
    ldp_pool_clear(&problem.pool);
}

/* The stated gap is one: no fit to a smaller gap has an objective below it. Both kinds of steps lead to the same. */
Test(nearest, the_gap_bounds_the_objective)
{
    for (uint64_t draw = 0; draw < 12; draw++) {
        struct problem rough, fine, alike;
        draw_problem(&rough, draw, 0.3);
        draw_problem(&fine, draw, 0.3);
        draw_problem(&alike, draw, 0.3);
        fit(&rough, 1e-2, false);
        fit(&fine, 1e-10, false);
        fit(&alike, 1e-10, true);
        cr_expect(rough.result.near && fine.result.near && alike.result.near);
        const double loose = objective(&rough, rough.fitted), tight = objective(&fine, fine.fitted),
                     other = objective(&alike, alike.fitted);
        cr_expect_leq(loose - tight, 2 * rough.result.gap + 1e-9 * loose);
        cr_expect_leq(tight, loose * (1 + 1e-9));
        cr_expect_float_eq(tight, other, 1e-9 * tight);
        /* Of the free fit, whose tables agree too, the objective is the distance to it (Pythagoras). */
        ldp_nearest_expand(&fine.nearest, fine.nearest.start, rough.fitted);
        cr_expect_float_eq(tight - objective(&fine, rough.fitted), 2 * fine.result.objective, 1e-9 * tight);
        expect_valid(&fine);
        ldp_pool_clear(&rough.pool);
        ldp_pool_clear(&fine.pool);
        ldp_pool_clear(&alike.pool);
    }
}

/* The optimum of CVXOPT, which has the cells of all tables as unknowns and is told which sums of them are equal. */
FolderTest(nearest, an_outside_quadratic_program, SLOW, .timeout = 120)
{
    for (uint64_t draw = 0; draw < 12; draw++) {
        struct problem problem;
        char path[PATH_ROOM];
        draw_problem(&problem, draw, draw % 3 == 0 ? 0.05 : 0.4);
        fit(&problem, 1e-8, false);
        cr_expect(problem.result.near);
        snprintf(path, sizeof path, "%s/problem", folder);
        FILE *const file = fopen(path, "w");
        cr_assert(file);
        fprintf(file, "%zu", problem.d);
        for (size_t a = 0; a < problem.d; a++)
            fprintf(file, " %u", (unsigned)problem.cardinality[a]);
        fprintf(file, "\n%zu\n", problem.m);
        for (size_t i = 0; i < problem.m; i++) {
            fprintf(file, "%d", (int)problem.set[i].size);
            for (size_t a = 0; a < problem.set[i].size; a++)
                fprintf(file, " %d", (int)problem.set[i].attribute[a]);
            fprintf(file, " %.17g", problem.weight[i]);
            for (size_t c = problem.first[i]; c < problem.first[i + 1]; c++)
                fprintf(file, " %.17g", problem.cells[c]);
            fputs("\n", file);
        }
        fclose(file);
        struct outcome outcome = run_shell("/usr/bin/python3 tests/quadratic.py <%s", path);
        if (outcome.status == 3 || outcome.status == 127) {
            say_skipped("nearest: no /usr/bin/python3 with CVXOPT (python3-cvxopt)");
            outcome_free(&outcome);
            ldp_pool_clear(&problem.pool);
            return;
        }
        cr_assert_eq(outcome.status, 0, "%s", outcome.err);
        double cells[CELLS_MOST];
        char *at = outcome.out;
        const double least = strtod(at, &at), bound = strtod(at, &at), own = objective(&problem, problem.fitted);
        cr_expect_leq(least - bound, 1e-9 * least, "CVXOPT's own gap: %g", least - bound);
        /* The objective that the gap is a part of leaves out the distance of the tables from tables that agree. */
        cr_expect_leq(own - bound, 2e-8 * problem.result.objective + 1e-9 * least, "problem %d: %.12g, %.12g",
                      (int)draw, own, bound);
        cr_expect_geq(own, bound - 1e-9 * least);
        for (size_t c = 0; c < problem.first[problem.m]; c++)
            cells[c] = strtod(at, &at);
        for (size_t c = 0; c < problem.first[problem.m]; c++)
            cr_expect_float_eq(problem.fitted[c], cells[c], 1e-4);
        expect_valid(&problem);
        outcome_free(&outcome);
        ldp_pool_clear(&problem.pool);
    }
}

/* ---- The answers of plan ---- */

enum { ATTRIBUTES = 6, USERS = 5000 };

/* Triples of attributes that follow each other. The pairs that two of them have in common are the same, exactly. */
Test(nearest, overlapping_answers_of_plan_agree)
{
    static const uint32_t cardinality[ATTRIBUTES] = {2, 3, 2, 2, 4, 2};
    uint32_t *const values = malloc(USERS * ATTRIBUTES * sizeof *values);
    struct ldp_rng rng = make_stream(3, "nearest", 0);
    struct ldp_records *records;
    struct problem requested = {.d = ATTRIBUTES};
    memcpy(requested.cardinality, cardinality, sizeof cardinality);
    for (size_t i = 0; i < (size_t)USERS * ATTRIBUTES; i++)
        values[i] =
            (uint32_t)(i % ATTRIBUTES > 0 && ldp_rng_below(&rng, 4) ? values[i - 1] % cardinality[i % ATTRIBUTES]
                                                                    : ldp_rng_below(&rng, 2));
    cr_assert_eq(ldp_records_new(cardinality, ATTRIBUTES, values, NULL, USERS, &records), LDP_OK);
    for (uint64_t mask = 1; mask < 1U << ATTRIBUTES; mask++)
        if (__builtin_popcountll(mask) == 3)
            add_table(&requested, mask, 1);
    const struct ldp_oracle_spec oracle = default_oracle("adaptive");
    const struct ldp_workload workload = {records,     &oracle,         1,   LDP_COUNTS, requested.set,
                                          requested.m, requested.first, NULL};
    struct ldp_synopsis_spec spec = {.synopsis = ldp_synopsis_find("plan")};
    ldp_params_default(spec.synopsis->params, spec.param);
    struct ldp_reason reason;
    void *state;
    cr_assert_eq(ldp_synopsis_open(&spec, &workload, &state, &reason), LDP_OK, "%s", reason.text);
    cr_assert_eq(spec.synopsis->collect(state, &rng, false), LDP_OK);
    spec.synopsis->answer(state, LDP_NOISY, requested.fitted);
    ldp_synopsis_close(state);
    expect_valid(&requested);
    for (size_t i = 0; i < requested.m; i++)
        for (size_t j = 0; j < i; j++) {
            const uint64_t common = ldp_set_mask(&requested.set[i]) & ldp_set_mask(&requested.set[j]);
            double of[2][64], none[64];
            for (size_t side = 0; side < 2; side++) {
                const size_t k = side ? j : i, count = requested.first[k + 1] - requested.first[k];
                memcpy(none, requested.fitted + requested.first[k], count * sizeof *none);
                ldp_contrasts_forward(&requested.set[k], cardinality, none);
                for (size_t c = 0, next = 0; c < count; c++) { /* the coefficients of the common attributes */
                    size_t rest = c;
                    bool within = true;
                    for (size_t a = 3; a-- > 0; rest /= cardinality[requested.set[k].attribute[a]])
                        within &= rest % cardinality[requested.set[k].attribute[a]] == 0 ||
                                  common >> requested.set[k].attribute[a] & 1;
                    if (within)
                        of[side][next++] = none[c];
                }
            }
            const struct ldp_set set = ldp_set_of_mask(common);
            for (size_t c = 0; c < (size_t)ldp_set_cells(&set, cardinality); c++)
                cr_expect_float_eq(of[0][c], of[1][c], 1e-12);
        }
    ldp_records_free(records);
    free(values);
}
