/* test_ranges_limits.c - what a choice from one collection can reach: make verify only. */
#include "program.h"
#include "scenes.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

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
        struct scene scene;

        scene_begin(&scene, &scene_kinds[k / 3], scene_epsilons[k % 3]);
        surrogate_given(&fit, scene.population);
        for (uint64_t i = 0; i < 8; i++) {
            struct rankings rankings = scene_rank(&scene, &fit, NULL, NULL, &surrogate, 100, 0, 1000 + i);

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
    tally_report("truth", tally);
}

/* A population drawn from a fit, and rankings of the methods by their true errors there, over `collections`. `trials`
 * holds the population. */
static struct rankings rank_drawn(const struct scene *scene, const struct surrogate_fit *drawn, struct ldp_rng *rng,
                                  uint32_t collections, struct trials *trials)
{
    const struct surrogate smooth = surrogate_at(0);
    struct surrogate_fit truth = {0};
    struct failure failure;

    cr_assert_eq(trials_begin(trials, drawn, scene->population->n, &scene->protocol, LDP_COUNTS, rng, &failure), 0);
    surrogate_given(&truth, trials->population);
    const struct rankings actual = scene_rank(scene, &truth, NULL, NULL, &smooth, collections, 0, 99);
    surrogate_fit_clear(&truth);
    return actual;
}

/* A population drawn from the model that `recommend` has of a collection is the truth of another one, from which a
 * choice is made. */
static void add_drawn(const struct scene *scene, const struct surrogate_fit *drawn, uint64_t seed,
                      struct tally tally[POINTS])
{
    const struct surrogate smooth = surrogate_at(0);
    struct trials trials = {0};
    struct surrogate_fit fits[KINDS] = {0};
    struct failure failure;
    struct ldp_rng rng;

    ldp_rng_stream(&rng, seed, "drawn", 0);
    struct rankings actual = rank_drawn(scene, drawn, &rng, 300, &trials);
    scene_fits(scene, collection_run(&trials.collection, &rng, NULL, &failure), fits);
    struct rankings chosen = scene_rank(scene, &fits[0], &fits[1], &fits[2], &smooth, 100, 0, seed);

    for (size_t p = 0; p < POINTS; p++) {
        const struct ranked *const ranked = actual.ranking[p].ranked;
        size_t place = 0;

        while (ranked[place].method != chosen.ranking[p].ranked[0].method)
            place++;
        tally[p].ratio[(size_t)tally[p].collections++] = ranked[place].error.mean / ranked[0].error.mean;
    }
    rankings_clear(&actual);
    rankings_clear(&chosen);
    scene_fits_clear(fits);
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

        scene_begin(&scene, &scene_kinds[k / 3], scene_epsilons[k % 3]);
        cr_assert_eq(collection_begin(&collection, &scene.protocol, scene.population, LDP_COUNTS, &failure), 0);
        for (uint64_t i = 0; i < 4; i++, drawn++) {
            struct surrogate_fit fits[KINDS] = {0};
            struct ldp_rng rng;

            ldp_rng_stream(&rng, 20261123, scene_kinds[k / 3].name, i);
            scene_fits(&scene, collection_run(&collection, &rng, NULL, &failure), fits);
            add_drawn(&scene, &fits[kind_of[drawn % 6]], drawn, tally);
            scene_fits_clear(fits);
        }
        collection_clear(&collection);
        ldp_population_free(scene.population);
    }
    tally_report("model", tally);
}

/* ---- What the best of all choices reaches ---- */

enum { DRAWS = 16, DRAWN_COLLECTIONS = 16 };

/* Of the populations that a fit draws: the share where a method is within 10 % of the best one. */
static void good_shares(const struct scene *scene, const struct surrogate_fit *fit, uint64_t seed,
                        double share[POINTS][METHODS_MAX])
{
    const int draws = fit->varies ? DRAWS : 1; /* otherwise all are the same */

    for (int i = 0; i < draws; i++) {
        struct trials trials = {0};
        struct ldp_rng rng;

        ldp_rng_stream(&rng, seed, "shares", (uint64_t)i);
        struct rankings actual =
            rank_drawn(scene, fit, &rng, fit->varies ? DRAWN_COLLECTIONS : DRAWS * DRAWN_COLLECTIONS, &trials);

        for (size_t p = 0; p < POINTS; p++) {
            const struct ranked *const ranked = actual.ranking[p].ranked;

            for (size_t m = 0; m < scene->nmethods; m++)
                share[p][ranked[m].method] += (ranked[m].error.mean <= 1.1 * ranked[0].error.mean) / (double)draws;
        }
        rankings_clear(&actual);
        trials_clear(&trials);
    }
}

/* Of one point: how often the best choice is good if the kind of population is known, and if it is not. */
struct reach {
    double collections, known, unknown;
};

static void add_reach(const struct scene *scene, const double *est, uint64_t seed, struct reach reach[POINTS])
{
    static const double weight[KINDS] = {[KIND_SMOOTH] = 1.0 / 2, [KIND_SHARP] = 1.0 / 6, [KIND_POINT] = 1.0 / 3};
    double share[KINDS][POINTS][METHODS_MAX] = {0};
    struct surrogate_fit fits[KINDS] = {0};

    scene_fits(scene, est, fits);
    for (int k = 0; k < KINDS; k++)
        good_shares(scene, &fits[k], seed, share[k]);
    scene_fits_clear(fits);
    for (size_t p = 0; p < POINTS; p++) {
        double best = 0, best_of[KINDS] = {0};

        for (size_t m = 0; m < scene->nmethods; m++) {
            double all = 0;

            for (int k = 0; k < KINDS; k++) {
                all += weight[k] * share[k][p][m];
                best_of[k] = fmax(best_of[k], share[k][p][m]);
            }
            best = fmax(best, all);
        }
        for (int k = 0; k < KINDS; k++)
            reach[p].known += weight[k] * best_of[k];
        reach[p].unknown += best;
        reach[p].collections++;
    }
}

/* make verify only: how often a choice can be good at most, if the population is drawn from the model that `recommend`
 * has of the collection, and the choice is the method that is most often good on such populations. No rule that sees
 * the collection is better; that the share is taken from the populations of the choice makes it a bound from above. */
Test(ranges, study_of_the_best_choice, .timeout = 3600)
{
    static struct reach reach[POINTS];

    if (!statistics_verify())
        skip_test("LDPBENCH_VERIFY=1 runs it");
    for (size_t k = 0; k < POPULATIONS * EPSILONS; k++) {
        struct collection collection = {0};
        struct failure failure;
        struct scene scene;

        scene_begin(&scene, &scene_kinds[k / EPSILONS], scene_epsilons[k % EPSILONS]);
        cr_assert_eq(collection_begin(&collection, &scene.protocol, scene.population, LDP_COUNTS, &failure), 0);
        for (uint64_t i = 0; i < 4; i++) {
            struct ldp_rng rng;

            ldp_rng_stream(&rng, 20261124, scene_kinds[k / EPSILONS].name, i);
            add_reach(&scene, collection_run(&collection, &rng, NULL, &failure), 4 * k + i, reach);
        }
        collection_clear(&collection);
        ldp_population_free(scene.population);
    }
    for (size_t p = 0; p < POINTS; p++)
        cr_log_warn("reach | %s | %.0f | %.3f | %.3f |", scene_points[p], reach[p].collections,
                    reach[p].known / reach[p].collections, reach[p].unknown / reach[p].collections);
}
