/* test_ranges.c - the range in which ldpbench recommend expects a true error, and what it chooses, on populations that
 * nothing was tuned to: several kinds, fixed before the first run. */
#include "dataset.h"
#include "ldpbench.h"
#include "program.h"
#include "statistics.h"
#include "stats/kinds.h"
#include "stats/ranking.h"

#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { D_MAX = 1000, METHODS_MAX = 64, QUERIES = 3, POINTS = 4, POPULATIONS = 8 };

static const char *const points[POINTS] = {"full_domain", "set_value 10", "top_k 8", "top_k 32"};

/* ---- Populations ---- */

struct kind {
    const char *name;
    size_t d;
    double (*weight)(size_t v); /* of the v-th value, users before rounding */
};

static double two_levels(size_t v)
{
    return v < 20 ? 3000 : 150;
}

static double geometric(size_t v)
{
    return 10000 * pow(0.97, (double)v);
}

/* Quantiles of a log-normal law, sigma 1.5. */
static double log_normal(size_t v)
{
    const double u = ((double)v + 0.5) / 800;

    return 300 * exp(1.5 * log(u / (1 - u)) / 1.702); /* logistic in place of the normal quantile */
}

static double block(size_t v)
{
    return v < 200 ? 500 : 0;
}

static double flat_zipf(size_t v)
{
    return 20000 * pow((double)v + 1, -0.8);
}

static double steep_zipf(size_t v)
{
    return 400000 * pow((double)v + 1, -2.5);
}

static double three_levels(size_t v)
{
    return v < 5 ? 10000 : v < 55 ? 1000 : 20;
}

static double linear(size_t v)
{
    return 1000 * (1 - (double)v / 400);
}

static const struct kind kinds[POPULATIONS] = {
    {"two levels", 420, two_levels},      {"geometric, 0.97", 500, geometric},
    {"log-logistic", 800, log_normal},    {"a block, else 0", 1000, block},
    {"Zipf, s = 0.8", 1000, flat_zipf},   {"Zipf, s = 2.5", 300, steep_zipf},
    {"three levels", 1000, three_levels}, {"linear", 400, linear},
};

/* ---- What is measured ---- */

struct scene {
    struct ldp_population *population;
    struct ldp_protocol protocol;
    struct ldp_method_spec methods[METHODS_MAX];
    size_t nmethods;
    struct ldp_query_spec queries[QUERIES];
    double truth[POINTS][METHODS_MAX];
};

static struct rankings rank(const struct scene *scene, const struct surrogate_fit *fit,
                            const struct surrogate_fit *sharp, const struct surrogate_fit *point,
                            const struct surrogate *surrogate, uint32_t trials, uint32_t replicates, uint64_t seed)
{
    const struct ranking_plan plan = {.fit = fit,
                                      .sharp = sharp,
                                      .point = point,
                                      .surrogate = surrogate,
                                      .made_by = &scene->protocol,
                                      .n = scene->population->n,
                                      .protocols = &scene->protocol,
                                      .nprotocols = 1,
                                      .methods = scene->methods,
                                      .nmethods = scene->nmethods,
                                      .queries = scene->queries,
                                      .nqueries = QUERIES,
                                      .trials = trials,
                                      .replicates = replicates,
                                      .seed = seed,
                                      .threads = omp_get_max_threads()};
    struct rankings rankings;
    struct failure failure;

    cr_assert_eq(rank_candidates(&plan, &rankings, &failure), 0);
    cr_assert_eq(rankings.count, POINTS);
    return rankings;
}

static void scene_begin(struct scene *scene, const struct kind *kind, double epsilon)
{
    static const double percents[] = {10}, ks[] = {8, 32};
    const struct surrogate surrogate = surrogate_at(0);
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("olh")};
    struct surrogate_fit fit = {0};
    struct failure failure;
    uint64_t counts[D_MAX];

    *scene = (struct scene){.queries = {{.query = ldp_query_find("full_domain"), .npoints = 1},
                                        {.query = ldp_query_find("set_value"), .points = percents, .npoints = 1},
                                        {.query = ldp_query_find("top_k"), .points = ks, .npoints = 2}}};
    for (size_t i = 0; i < QUERIES; i++)
        ldp_params_default(scene->queries[i].query->params, scene->queries[i].param);
    for (size_t v = 0; v < kind->d; v++)
        counts[v] = (uint64_t)(kind->weight(v) + 0.5);
    cr_assert_eq(ldp_population_new(counts, kind->d, &scene->population), LDP_OK);
    ldp_params_default(oracle.oracle->params, oracle.param);
    cr_assert_eq(ldp_protocol_init(&scene->protocol, &oracle, kind->d, epsilon, NULL), LDP_OK);
    for (size_t i = 0; ldp_methods[i]; i++)
        if (ldp_method_suits(ldp_methods[i], &scene->protocol) &&
            !(ldp_methods[i]->guarantees & LDP_IGNORES_ESTIMATE)) {
            struct ldp_method_spec *const spec = &scene->methods[scene->nmethods++];

            spec->method = ldp_methods[i];
            ldp_params_default(spec->method->params, spec->param);
        }
    cr_assert_eq(surrogate_given(&fit, scene->population, &failure), 0);

    struct rankings rankings = rank(scene, &fit, NULL, NULL, &surrogate, 400, 0, 99);

    for (size_t i = 0; i < POINTS; i++)
        for (size_t k = 0; k < scene->nmethods; k++)
            scene->truth[i][rankings.ranking[i].ranked[k].method] = rankings.ranking[i].ranked[k].error.mean;
    rankings_clear(&rankings);
    surrogate_fit_clear(&fit);
}

/* Of one point over all collections. */
struct tally {
    double collections, chosen_inside, inside, methods; /* ranges that hold the truth */
    double narrow;                                      /* of those by trials alone, of the chosen method */
    double ratio[512];                                  /* of the chosen method's error to the least */
};

/* Populations of the three kinds, as `recommend` fits them. */
static void fit_kinds(const struct scene *scene, const double *est, struct surrogate_fit fits[3])
{
    struct failure failure;

    for (int k = 0; k < KINDS; k++) {
        const struct surrogate surrogate = kind_surrogate(k);

        cr_assert_eq(surrogate_fit(&fits[k], &surrogate, &scene->protocol, scene->population->n, est, NULL, &failure),
                     0);
    }
}

static void fits_clear(struct surrogate_fit fits[3])
{
    for (size_t i = 0; i < 3; i++)
        surrogate_fit_clear(&fits[i]);
}

static void add_collection(const struct scene *scene, const double *est, uint64_t seed, struct tally tally[POINTS])
{
    const struct surrogate smooth = surrogate_at(0);
    struct surrogate_fit fits[3] = {0};

    fit_kinds(scene, est, fits);
    struct rankings rankings = rank(scene, &fits[0], &fits[1], &fits[2], &smooth, 100, 20, seed);

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
    fits_clear(fits);
}

static void measure(const struct kind *kind, double epsilon, uint64_t collections, struct tally tally[POINTS])
{
    struct collection collection = {0};
    struct failure failure;
    struct scene scene;

    scene_begin(&scene, kind, epsilon);
    cr_assert_eq(collection_begin(&collection, &scene.protocol, scene.population, LDP_COUNTS, &failure), 0);
    for (uint64_t i = 0; i < collections; i++) {
        struct ldp_rng rng;

        ldp_rng_stream(&rng, 20261122, kind->name, i);
        add_collection(&scene, collection_run(&collection, &rng, NULL, &failure), i, tally);
    }
    collection_clear(&collection);
    ldp_population_free(scene.population);
}

/* The population of two levels, of which the smooth law predicts twelve times the true error of what it chooses. */
Test(ranges, two_levels_lie_within)
{
    struct tally tally[POINTS] = {0};

    measure(&kinds[0], 2, 6, tally);
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
Test(ranges, equal_values_are_not_spread_out)
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
Test(ranges, selection_asks_all_kinds)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    write_text(folder, "c.json",
               "{\"name\": \"s\", \"task\": \"selection\", \"repetitions\": 6, \"trials\": 30,\n"
               " \"surrogates\": [\"posterior\"], \"oracles\": [\"olh\"], \"epsilon\": 1.5,\n"
               " \"datasets\": [{\"type\": \"uniform\", \"d\": 300, \"n\": 150000}], \"methods\": [\"npmle_ns\"],\n"
               " \"queries\": [\"full_domain\", {\"type\": \"top_k\", \"k\": 32}]}\n");
    struct outcome outcome =
        run_shell("cd %s && ldpbench run c.json -o r --quiet && awk -F, '{ predicted[$9] = $12 } "
                  "END { print predicted[\"top_k\"] / predicted[\"full_domain\"] }' r/selection.csv",
                  folder);
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

/* What is predicted by three populations alone and together, for norm_sub (0) and uniform (1): for ranks the geometric
 * mean with the weights 1/2, 1/6, 1/3, else the first. Uniform makes no error on the last population. */
Test(ranges, predictions_of_three_populations_are_one)
{
    static const uint64_t counts[3][4] = {{700, 200, 60, 40}, {500, 300, 150, 50}, {250, 250, 250, 250}};
    static const double weights[3] = {1.0 / 2, 1.0 / 6, 1.0 / 3}, ks[] = {2, 4};
    enum { TRIALS = 50, FULL = 0, TOP = 2 };
    const struct surrogate surrogate = surrogate_at(0);
    struct ldp_oracle_spec oracle = {.oracle = ldp_oracle_find("grr")};
    struct scene scene = {.nmethods = 2,
                          .methods = {{.method = ldp_method_find("norm_sub")}, {.method = ldp_method_find("uniform")}},
                          .queries = {{.query = ldp_query_find("full_domain"), .npoints = 1},
                                      {.query = ldp_query_find("set_value"), .points = ks, .npoints = 1},
                                      {.query = ldp_query_find("top_k"), .points = ks, .npoints = 2}}};
    struct ldp_population *population[3];
    struct surrogate_fit fit[3] = {0};
    struct rankings alone[3];
    struct failure failure;

    for (size_t i = 0; i < QUERIES; i++)
        ldp_params_default(scene.queries[i].query->params, scene.queries[i].param);
    for (size_t i = 0; i < 2; i++)
        ldp_params_default(scene.methods[i].method->params, scene.methods[i].param);
    ldp_params_default(oracle.oracle->params, oracle.param);
    cr_assert_eq(ldp_protocol_init(&scene.protocol, &oracle, 4, 1, NULL), LDP_OK);
    for (size_t k = 0; k < 3; k++) {
        cr_assert_eq(ldp_population_new(counts[k], 4, &population[k]), LDP_OK);
        cr_assert_eq(surrogate_given(&fit[k], population[k], &failure), 0);
    }
    scene.population = population[0];
    for (size_t k = 0; k < 3; k++)
        alone[k] = rank(&scene, &fit[k], NULL, NULL, &surrogate, TRIALS, 0, 1);
    struct rankings together = rank(&scene, &fit[0], &fit[1], &fit[2], &surrogate, TRIALS, 0, 1);

    for (size_t method = 0; method < 2; method++)
        for (size_t point = FULL; point < POINTS; point++) {
            const struct ranked *const all = predicted(&together, point, method), *of[3];
            double geometric = 1, arithmetic = 0;

            for (size_t k = 0; k < 3; k++) {
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

                for (size_t k = 0; k < 3; k++)
                    value += weights[k] * of[k]->error.value[t] * (method == 0 ? geometric / of[k]->error.mean : 1);
                cr_expect_float_eq(all->error.value[t], value, 1e-12 * value, "method %zu, point %zu, trial %zu",
                                   method, point, t);
            }
        }
    rankings_clear(&together);
    for (size_t k = 0; k < 3; k++) {
        rankings_clear(&alone[k]);
        surrogate_fit_clear(&fit[k]);
        ldp_population_free(population[k]);
    }
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void report_choices(const char *what, struct tally tally[POINTS])
{
    for (size_t i = 0; i < POINTS; i++) {
        struct tally *const t = &tally[i];
        const size_t n = (size_t)t->collections;
        size_t good = 0;

        qsort(t->ratio, n, sizeof *t->ratio, by_size);
        for (size_t j = 0; j < n; j++)
            good += t->ratio[j] <= 1.1;
        cr_log_warn("%s | %s | %zu | %.3f | %.3f | %.3f | %.3f |", what, points[i], n, (double)good / (double)n,
                    t->ratio[n / 2], t->ratio[n * 9 / 10], t->ratio[n - 1]);
    }
}

static const double epsilons[] = {0.7, 1.5, 3};

/* make verify only: what is chosen where the true population is known, by as many trials. No choice from a collection
 * can be expected to be better. */
Test(ranges, study_of_the_truth, .timeout = 3600)
{
    static struct tally tally[POINTS];
    const struct surrogate surrogate = surrogate_at(0);

    if (!statistics_verify())
        skip_test("LDPBENCH_VERIFY=1 runs it");
    for (size_t k = 0; k < POPULATIONS * 3; k++) {
        struct surrogate_fit fit = {0};
        struct failure failure;
        struct scene scene;

        scene_begin(&scene, &kinds[k / 3], epsilons[k % 3]);
        cr_assert_eq(surrogate_given(&fit, scene.population, &failure), 0);
        for (uint64_t i = 0; i < 8; i++) {
            struct rankings rankings = rank(&scene, &fit, NULL, NULL, &surrogate, 100, 0, 1000 + i);

            for (size_t p = 0; p < POINTS; p++) {
                double best = INFINITY;

                for (size_t m = 0; m < scene.nmethods; m++)
                    best = fmin(best, scene.truth[p][m]);
                tally[p].ratio[(size_t)tally[p].collections++] =
                    scene.truth[p][rankings.ranking[p].ranked[0].method] / best;
            }
            rankings_clear(&rankings);
        }
        surrogate_fit_clear(&fit);
        ldp_population_free(scene.population);
    }
    report_choices("truth", tally);
}

/* A population drawn from the model that `recommend` has of a collection is the truth of another one, from which a
 * choice is made. */
static void add_drawn(const struct scene *scene, const struct surrogate_fit *drawn, uint64_t seed,
                      struct tally tally[POINTS])
{
    const struct surrogate smooth = surrogate_at(0);
    struct trials trials = {0};
    struct surrogate_fit truth = {0}, fits[3] = {0};
    struct failure failure;
    struct ldp_rng rng;

    ldp_rng_stream(&rng, seed, "drawn", 0);
    cr_assert_eq(trials_begin(&trials, drawn, scene->population->n, &scene->protocol, LDP_COUNTS, &rng, &failure), 0);
    cr_assert_eq(surrogate_given(&truth, trials.population, &failure), 0);
    fit_kinds(scene, collection_run(&trials.collection, &rng, NULL, &failure), fits);
    struct rankings actual = rank(scene, &truth, NULL, NULL, &smooth, 300, 0, 99),
                    chosen = rank(scene, &fits[0], &fits[1], &fits[2], &smooth, 100, 0, seed);

    for (size_t p = 0; p < POINTS; p++) {
        const struct ranked *const ranked = actual.ranking[p].ranked;
        size_t place = 0;

        while (ranked[place].method != chosen.ranking[p].ranked[0].method)
            place++;
        tally[p].ratio[(size_t)tally[p].collections++] = ranked[place].error.mean / ranked[0].error.mean;
    }
    rankings_clear(&actual);
    rankings_clear(&chosen);
    fits_clear(fits);
    surrogate_fit_clear(&truth);
    trials_clear(&trials);
}

/* make verify only: what is chosen where the model is right: the truth is drawn from it, of the three kinds as often as
 * they count. What is lost here is lost because a collection does not tell more. */
Test(ranges, study_of_the_model, .timeout = 3600)
{
    static const size_t kind_of[] = {0, 2, 0, 1, 0, 2};
    static struct tally tally[POINTS];
    size_t drawn = 0;

    if (!statistics_verify())
        skip_test("LDPBENCH_VERIFY=1 runs it");
    for (size_t k = 0; k < POPULATIONS * 3; k++) {
        struct collection collection = {0};
        struct failure failure;
        struct scene scene;

        scene_begin(&scene, &kinds[k / 3], epsilons[k % 3]);
        cr_assert_eq(collection_begin(&collection, &scene.protocol, scene.population, LDP_COUNTS, &failure), 0);
        for (uint64_t i = 0; i < 4; i++, drawn++) {
            struct surrogate_fit fits[3] = {0};
            struct ldp_rng rng;

            ldp_rng_stream(&rng, 20261123, kinds[k / 3].name, i);
            fit_kinds(&scene, collection_run(&collection, &rng, NULL, &failure), fits);
            add_drawn(&scene, &fits[kind_of[drawn % 6]], drawn, tally);
            fits_clear(fits);
        }
        collection_clear(&collection);
        ldp_population_free(scene.population);
    }
    report_choices("model", tally);
}

/* make verify only: the tables of docs/recommending.md. */
Test(ranges, study, .timeout = 3600)
{
    static struct tally tally[POPULATIONS][POINTS], all[POINTS];

    if (!statistics_verify())
        skip_test("LDPBENCH_VERIFY=1 runs it");
    for (size_t k = 0; k < POPULATIONS; k++)
        for (size_t e = 0; e < 3; e++)
            measure(&kinds[k], epsilons[e], 8, tally[k]);
    for (size_t i = 0; i < POINTS; i++)
        for (size_t k = 0; k < POPULATIONS; k++) {
            const struct tally *const t = &tally[k][i];

            for (size_t j = 0; j < (size_t)t->collections; j++)
                all[i].ratio[(size_t)all[i].collections++] = t->ratio[j];
            cr_log_warn("range | %s | %s | %.0f | %.3f | %.3f | %.3f |", kinds[k].name, points[i], t->collections,
                        t->narrow / t->collections, t->chosen_inside / t->collections, t->inside / t->methods);
        }
    report_choices("choice", all);
}
