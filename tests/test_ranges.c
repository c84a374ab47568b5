/* test_ranges.c - the range in which ldpbench recommend expects a true error, and what it chooses, on populations that
 * nothing was tuned to. */
#include "program.h"
#include "quick.h"
#include "scenes.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

static void add_collection(const struct scene *scene, const double *est, uint64_t seed, struct tally tally[POINTS])
{
    const struct surrogate smooth = surrogate_at(0);
    struct surrogate_fit fits[KINDS] = {0};

    scene_fits(scene, est, fits);
    struct rankings rankings = scene_rank(scene, &fits[0], &fits[1], &fits[2], &smooth, 100, 20, seed);

    for (size_t i = 0; i < POINTS; i++) {
        const struct ranked *const ranked = rankings.ranking[i].ranked;
        const double error = scene->truth[i][ranked[0].method];
        const double narrow = 2 * ranked[0].error.sd / sqrt((double)ranked[0].error.n);
        double best = INFINITY;

        for (size_t k = 0; k < scene->nmethods; k++) {
            const double truth = scene->truth[i][ranked[k].method];

            best = fmin(best, truth);
            tally[i].inside += truth >= ranked[k].low && truth <= ranked[k].high;
            tally[i].methods++;
        }
        tally[i].chosen_inside += error >= ranked[0].low && error <= ranked[0].high;
        tally[i].narrow += fabs(error - ranked[0].error.mean) <= narrow;
        tally[i].ratio[(size_t)tally[i].collections++] = error / best;
    }
    rankings_clear(&rankings);
    scene_fits_clear(fits);
}

static void measure(const struct kind *kind, double epsilon, uint64_t collections, struct tally tally[POINTS])
{
    struct collection collection = {0};
    struct failure failure;
    struct scene scene;

    scene_begin(&scene, kind, epsilon);
    cr_assert_eq(collection_begin(&collection, &scene.protocol, scene.population, LDP_COUNTS, &failure), 0);
    for (uint64_t i = 0; i < collections; i++) {
        struct ldp_rng rng = make_stream(20261122, kind->name, i);
        add_collection(&scene, collection_run(&collection, &rng, NULL, &failure), i, tally);
    }
    collection_clear(&collection);
    ldp_population_free(scene.population);
}

/* The population of two levels, of which the smooth law predicts twelve times the true error of what it chooses. */
Test(ranges, two_levels_lie_within, SLOW)
{
    struct tally tally[POINTS] = {0};

    measure(&scene_kinds[0], 2, 6, tally);
    cr_expect_geq(tally[0].chosen_inside, 4, "%g of 6", tally[0].chosen_inside);
    cr_expect_leq(tally[0].narrow, 1, "trials alone: %g of 6", tally[0].narrow);
}

static double uniform(size_t v)
{
    (void)v;
    return 500;
}

/* Which of equal values are the most frequent is chance. Populations drawn from the smooth law alone choose methods
 * with 1.6 to 1.8 times the least error here, in four of the six collections. */
Test(ranges, equal_values_are_not_spread_out, SLOW)
{
    static const struct kind flat = {"uniform", 300, uniform};
    struct tally tally[POINTS] = {0};

    measure(&flat, 1.5, 6, tally);
    for (size_t i = 0; i < 6; i++) {
        cr_expect_leq(tally[2].ratio[i], 1.1, "top_k 8, collection %zu: %g", i, tally[2].ratio[i]);
        cr_expect_leq(tally[3].ratio[i], 1.1, "top_k 32, collection %zu: %g", i, tally[3].ratio[i]);
    }
}

/* The same for the task selection: the smooth law alone predicts 2.6 times the full-domain error for the 32 most
 * frequent of equal values. */
FolderTest(ranges, selection_asks_all_kinds)
{
    write_text(folder, "c.json",
               "{\"name\": \"s\", \"task\": \"selection\", \"repetitions\": 6, \"trials\": 30,\n"
               " \"surrogates\": [\"posterior\"], \"oracles\": [\"olh\"], \"epsilon\": 1.5,\n"
               " \"datasets\": [{\"type\": \"uniform\", \"d\": 300, \"n\": 150000}], \"methods\": [\"npmle_ns\"],\n"
               " \"queries\": [\"full_domain\", {\"type\": \"top_k\", \"k\": 32}]}\n");
    struct outcome outcome =
        shell_in(folder, "ldpbench run c.json -o r --quiet && awk -F, '{ predicted[$9] = $12 } "
                         "END { print predicted[\"top_k\"] / predicted[\"full_domain\"] }' r/selection.csv");
    const double ratio = atof(outcome.out);
    cr_expect(outcome.status == 0 && ratio > 0 && ratio < 1.3, "%d: %g %s", outcome.status, ratio, outcome.err);
    outcome_free(&outcome);
}

/* The prediction of candidate `method` at a point. */
static const struct ranked *predicted(const struct rankings *rankings, size_t point, size_t method)
{
    const struct ranked *ranked = rankings->ranking[point].ranked;

    while (ranked->method != method)
        ranked++;
    return ranked;
}

/* Three populations that are known, in place of the three kinds, with two methods over grr. */
struct three {
    struct scene scene;
    struct ldp_population *population[KINDS];
    struct surrogate_fit fit[KINDS];
};

enum { FULL = 0, TOP = 2 };

static void three_begin(struct three *three, const uint64_t counts[KINDS][4], const char *method, const char *other)
{
    static const double ks[] = {2, 4};
    struct ldp_oracle_spec oracle = default_oracle("grr");

    *three =
        (struct three){.scene = {.nmethods = 2,
                                 .methods = {{.method = ldp_method_find(method)}, {.method = ldp_method_find(other)}},
                                 .queries = {{.query = ldp_query_find("full_domain"), .npoints = 1},
                                             {.query = ldp_query_find("set_value"), .points = ks, .npoints = 1},
                                             {.query = ldp_query_find("top_k"), .points = ks, .npoints = 2}}}};
    for (size_t i = 0; i < QUERIES; i++)
        ldp_params_default(three->scene.queries[i].query->params, three->scene.queries[i].param);
    for (size_t i = 0; i < 2; i++)
        ldp_params_default(three->scene.methods[i].method->params, three->scene.methods[i].param);
    cr_assert_eq(ldp_protocol_init(&three->scene.protocol, &oracle, 4, 1, NULL), LDP_OK);
    for (size_t k = 0; k < KINDS; k++) {
        cr_assert_eq(ldp_population_new(counts[k], 4, &three->population[k]), LDP_OK);
        surrogate_given(&three->fit[k], three->population[k]);
    }
    three->scene.population = three->population[0];
}

static struct rankings three_rank(const struct three *three, uint32_t trials, uint32_t replicates)
{
    const struct surrogate surrogate = surrogate_at(0);

    return scene_rank(&three->scene, &three->fit[KIND_SMOOTH], &three->fit[KIND_SHARP], &three->fit[KIND_POINT],
                      &surrogate, trials, replicates, 1);
}

static void three_clear(struct three *three)
{
    for (size_t k = 0; k < KINDS; k++) {
        surrogate_fit_clear(&three->fit[k]);
        ldp_population_free(three->population[k]);
    }
}

/* What is predicted by three populations alone and together, for norm_sub (0) and uniform (1): for ranks the geometric
 * mean with the weights 1/2, 1/6, 1/3, else the first. Uniform makes no error on the last population. */
Test(ranges, predictions_of_three_populations_are_one)
{
    static const uint64_t counts[KINDS][4] = {{700, 200, 60, 40}, {500, 300, 150, 50}, {250, 250, 250, 250}};
    static const double weights[KINDS] = {1.0 / 2, 1.0 / 6, 1.0 / 3};
    enum { TRIALS = 50 };
    const struct surrogate surrogate = surrogate_at(0);
    struct rankings alone[KINDS];
    struct three three;

    three_begin(&three, counts, "norm_sub", "uniform");
    for (size_t k = 0; k < KINDS; k++)
        alone[k] = scene_rank(&three.scene, &three.fit[k], NULL, NULL, &surrogate, TRIALS, 0, 1);
    struct rankings together = three_rank(&three, TRIALS, 0);

    for (size_t method = 0; method < 2; method++)
        for (size_t point = FULL; point < POINTS; point++) {
            const struct ranked *const all = predicted(&together, point, method), *of[KINDS];
            double geometric = 1, arithmetic = 0;

            for (size_t k = 0; k < KINDS; k++) {
                of[k] = predicted(&alone[k], point, method);
                geometric *= pow(of[k]->error.mean, weights[k]);
                arithmetic += weights[k] * of[k]->error.mean;
            }
            cr_expect_eq(of[2]->error.mean == 0, method == 1, "method %zu: %g", method, of[2]->error.mean);
            const double mean = point < TOP ? of[0]->error.mean : method == 0 ? geometric : arithmetic;
            cr_expect_float_eq(all->error.mean, mean, 1e-12 * mean, "method %zu, point %zu: %g, expected %g", method,
                               point, all->error.mean, mean);
            for (size_t t = 0; point >= TOP && t < TRIALS; t++) {
                double value = 0;

                for (size_t k = 0; k < KINDS; k++)
                    value += weights[k] * of[k]->error.value[t] * (method == 0 ? geometric / of[k]->error.mean : 1);
                cr_expect_float_eq(all->error.value[t], value, 1e-12 * value, "method %zu, point %zu, trial %zu",
                                   method, point, t);
            }
        }
    rankings_clear(&together);
    for (size_t k = 0; k < KINDS; k++)
        rankings_clear(&alone[k]);
    three_clear(&three);
}

/* Nearly uniform populations of two kinds, of which norm_sub has about 4 times the error of uniform, and one of which
 * uniform has almost 7 times that of norm_sub. */
static const uint64_t nearly_uniform[KINDS][4] = {{273, 273, 227, 227}, {273, 273, 227, 227}, {370, 370, 130, 130}};

/* For ranks uniform has the least prediction, and yet norm_sub is chosen: its largest ratio to the least error of a
 * kind is smaller, also for all queries together. Elsewhere the first population counts alone. */
Test(ranges, the_choice_is_not_far_above_the_best_of_any_kind)
{
    enum { NORM_SUB = 0, UNIFORM = 1 };
    struct three three;

    three_begin(&three, nearly_uniform, "norm_sub", "uniform");
    struct rankings rankings = three_rank(&three, 400, 0);
    for (size_t point = FULL; point < POINTS; point++) {
        const double ratio =
            predicted(&rankings, point, UNIFORM)->error.mean / predicted(&rankings, point, NORM_SUB)->error.mean;

        cr_expect_lt(ratio, 1, "point %zu: %g", point, ratio);
        cr_expect_eq(rankings.ranking[point].ranked[0].method, point < TOP ? UNIFORM : NORM_SUB, "point %zu", point);
    }
    cr_expect_eq(rankings.choice, NORM_SUB);
    rankings_clear(&rankings);
    three_clear(&three);
}

/* The error of base is known exactly, that of uniform by kind of population: the bound is by the worst one. */
Test(ranges, a_bound_beside_a_known_error_is_by_every_kind)
{
    struct three three;

    three_begin(&three, nearly_uniform, "base", "uniform");
    struct rankings rankings = three_rank(&three, 100, 10);
    const struct ranked *const base = predicted(&rankings, FULL, 0);
    const double ratio = 0.12 * 0.12 / base->error.mean; /* of uniform, on the third population */

    cr_expect(base->exact);
    cr_expect_eq(rankings.ranking[FULL].ranked[0].method, 1);
    cr_expect_gt(rankings.ranking[FULL].within, 0.9 * ratio - 1, "%g, %g", rankings.ranking[FULL].within, ratio - 1);
    rankings_clear(&rankings);
    three_clear(&three);
}

/* make verify only: the tables of docs/recommending.md. */
Test(ranges, study, .timeout = 3600)
{
    static struct tally tally[POPULATIONS][POINTS], all[POINTS];

    if (!statistics_verify())
        skip_test("LDPBENCH_VERIFY=1 runs it");
    for (size_t k = 0; k < POPULATIONS; k++)
        for (size_t e = 0; e < 3; e++)
            measure(&scene_kinds[k], scene_epsilons[e], 8, tally[k]);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t k = 0; k < POPULATIONS; k++) {
            const struct tally *const t = &tally[k][i];

            for (size_t j = 0; j < (size_t)t->collections; j++)
                all[i].ratio[(size_t)all[i].collections++] = t->ratio[j];
            cr_log_warn("range | %s | %s | %.0f | %.3f | %.3f | %.3f |", scene_kinds[k].name, scene_points[i],
                        t->collections, t->narrow / t->collections, t->chosen_inside / t->collections,
                        t->inside / t->methods);
        }
    tally_report("choice", all);
}
