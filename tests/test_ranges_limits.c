/* test_ranges_limits.c - what a choice from one collection can reach: make verify only. */
#include "program.h"
#include "scenes.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

    struct ldp_rng rng = make_stream(seed, "drawn", 0);
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

            struct ldp_rng rng = make_stream(20261123, scene_kinds[k / 3].name, i);
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

        struct ldp_rng rng = make_stream(seed, "shares", (uint64_t)i);
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
            struct ldp_rng rng = make_stream(20261124, scene_kinds[k / EPSILONS].name, i);
            add_reach(&scene, collection_run(&collection, &rng, NULL, &failure), 4 * k + i, reach);
        }
        collection_clear(&collection);
        ldp_population_free(scene.population);
    }
    for (size_t p = 0; p < POINTS; p++)
        cr_log_warn("reach | %s | %.0f | %.3f | %.3f |", scene_points[p], reach[p].collections,
                    reach[p].known / reach[p].collections, reach[p].unknown / reach[p].collections);
}

/* ---- Averages of estimates ---- */

enum { WEIGHTINGS = 3, JUDGED = 40 };

static const double powers[WEIGHTINGS] = {2, 4, 8};

/* Mean squared errors over collections, of each method and of the averages with given weights, for the values that are
 * most frequent. */
struct judged {
    double method[2][METHODS_MAX], average[2][WEIGHTINGS];
};

static const size_t tops[2] = {8, 32};

/* The error of an estimate of the k most frequent values. */
static double top_error(const struct scene *scene, const double *est, size_t k)
{
    double sum = 0;

    for (size_t i = 0; i < k; i++) {
        const size_t v = scene->population->rank[i];
        sum += (est[v] - scene->population->f[v]) * (est[v] - scene->population->f[v]);
    }
    return sum / (double)k;
}

/* Processes one collection by every method; averages[top][weighting] have the weights. */
static void judge_collection(const struct scene *scene, const struct collection *collection, const double *est,
                             double weight[2][WEIGHTINGS][METHODS_MAX], struct judged *judged)
{
    static double out[D_MAX], average[2][WEIGHTINGS][D_MAX];
    const struct ldp_collection of = {&collection->observed, scene->population->n, collection->support, est};

    memset(average, 0, sizeof average);
    for (size_t m = 0; m < scene->nmethods; m++) {
        if (scene->methods[m].method->on_answers)
            continue;
        void *const scratch = calloc(1, ldp_postprocess_scratch(&scene->methods[m], scene->population->d) + 1);
        ldp_postprocess(&scene->methods[m], &of, scratch, out);
        free(scratch);
        for (size_t t = 0; t < 2; t++) {
            judged->method[t][m] += top_error(scene, out, tops[t]) / JUDGED;
            for (size_t w = 0; w < WEIGHTINGS; w++)
                for (size_t v = 0; v < scene->population->d; v++)
                    average[t][w][v] += weight[t][w][m] * out[v];
        }
    }
    for (size_t t = 0; t < 2; t++)
        for (size_t w = 0; w < WEIGHTINGS; w++)
            judged->average[t][w] += top_error(scene, average[t][w], tops[t]) / JUDGED;
}

/* The weights of the averages from the predictions of one collection: 1 / mse^power, of methods that make estimates. */
static void find_weights(const struct scene *scene, const struct rankings *chosen,
                         double weight[2][WEIGHTINGS][METHODS_MAX])
{
    for (size_t t = 0; t < 2; t++)
        for (size_t w = 0; w < WEIGHTINGS; w++) {
            const struct ranked *const ranked = chosen->ranking[t + 2].ranked;
            double sum = 0;

            for (size_t i = 0; i < scene->nmethods; i++) {
                const bool is_estimate = !scene->methods[ranked[i].method].method->on_answers;
                const double ratio = ranked[i].error.mean / ranked[0].error.mean;
                sum += weight[t][w][ranked[i].method] = is_estimate ? pow(ratio, -powers[w]) : 0;
            }
            for (size_t m = 0; m < scene->nmethods; m++)
                weight[t][w][m] /= sum;
        }
}

static void add_average(const struct scene *scene, struct collection *collection, uint64_t seed,
                        struct tally choice[POINTS], struct tally average[WEIGHTINGS][POINTS])
{
    static double weight[2][WEIGHTINGS][METHODS_MAX];
    const struct surrogate smooth = surrogate_at(0);
    struct surrogate_fit fits[KINDS] = {0};
    struct judged judged = {0};
    struct failure failure;

    struct ldp_rng rng = make_stream(20261125, "average", seed);
    scene_fits(scene, collection_run(collection, &rng, NULL, &failure), fits);
    struct rankings chosen = scene_rank(scene, &fits[0], &fits[1], &fits[2], &smooth, 100, 0, seed);
    find_weights(scene, &chosen, weight);
    for (size_t i = 0; i < JUDGED; i++) {
        const double *const est = collection_run(collection, &rng, NULL, &failure);
        judge_collection(scene, collection, est, weight, &judged);
    }
    for (size_t t = 0; t < 2; t++) {
        const struct ranked *ranked = chosen.ranking[t + 2].ranked;
        double least = INFINITY;

        for (size_t m = 0; m < scene->nmethods; m++)
            if (!scene->methods[m].method->on_answers)
                least = fmin(least, judged.method[t][m]);
        while (scene->methods[ranked->method].method->on_answers)
            ranked++;
        struct tally *const c = &choice[t + 2];
        c->ratio[(size_t)c->collections++] = judged.method[t][ranked->method] / least;
        for (size_t w = 0; w < WEIGHTINGS; w++) {
            struct tally *const a = &average[w][t + 2];
            a->ratio[(size_t)a->collections++] = judged.average[t][w] / least;
        }
    }
    rankings_clear(&chosen);
    scene_fits_clear(fits);
}

/* Laws that played no part in the choice of the power, which was made on the others. */
static double zipf_12(size_t v)
{
    return 60000 * pow((double)v + 1, -1.2);
}

static double zipf_2(size_t v)
{
    return 200000 * pow((double)v + 1, -2);
}

static double zipf_and_uniform(size_t v)
{
    return 30000 * pow((double)v + 1, -1.5) + 100;
}

static double halves(size_t v)
{
    return v < 4 ? 16000 : v < 12 ? 8000 : v < 28 ? 4000 : v < 60 ? 2000 : v < 124 ? 500 : 50;
}

static double quadratic(size_t v)
{
    return 2000 * (1 - (double)v / 500) * (1 - (double)v / 500);
}

static double ten_and_a_tail(size_t v)
{
    return v < 10 ? 5000 : 3000 * pow(0.95, (double)v - 10);
}

enum { OTHERS = 6 };
static const struct kind others[OTHERS] = {
    {"Zipf, s = 1.2", 600, zipf_12},    {"Zipf, s = 2", 400, zipf_2},  {"Zipf and uniform", 800, zipf_and_uniform},
    {"levels that halve", 700, halves}, {"quadratic", 500, quadratic}, {"ten and a tail", 300, ten_and_a_tail},
};

static void study_averages(const char *which, const struct kind *kinds, size_t count, uint64_t first)
{
    static struct tally choice[POINTS], average[WEIGHTINGS][POINTS];
    char what[60];

    memset(choice, 0, sizeof choice);
    memset(average, 0, sizeof average);
    for (size_t k = 0; k < count * EPSILONS; k++) {
        struct collection collection = {0};
        struct failure failure;
        struct scene scene;

        scene_set(&scene, &kinds[k / EPSILONS], scene_epsilons[k % EPSILONS]);
        cr_assert_eq(collection_begin(&collection, &scene.protocol, scene.population, LDP_COUNTS, &failure), 0);
        for (uint64_t i = 0; i < 4; i++)
            add_average(&scene, &collection, first + 4 * k + i, choice, average);
        collection_clear(&collection);
        ldp_population_free(scene.population);
    }
    snprintf(what, sizeof what, "%s, one method", which);
    tally_report(what, choice);
    for (size_t w = 0; w < WEIGHTINGS; w++) {
        snprintf(what, sizeof what, "%s, average, power %g", which, powers[w]);
        tally_report(what, average[w]);
    }
}

/* make verify only: an answer that is an average of all methods' estimates, weighted by 1 / (predicted error)^2, ^4 and
 * ^8, beside the choice of one method, on the same collections; ratios to the least error of one method. */
Test(ranges, study_of_averages, .timeout = 3600)
{
    if (!statistics_verify())
        skip_test("LDPBENCH_VERIFY=1 runs it");
    study_averages("averages", scene_kinds, POPULATIONS, 0);
    study_averages("averages, other laws", others, OTHERS, 10000);
}

/* ---- Lists ---- */

/* A choice far above the others, with what would have been better. */
static void tell_choice(const struct scene *scene, const char *law, size_t p, size_t chosen, double ratio)
{
    size_t best = 0;

    for (size_t m = 1; m < scene->nmethods; m++)
        if (scene->only[m] == 0 && scene->truth[p][m] < scene->truth[p][best])
            best = m;
    cr_log_warn("%s, epsilon %g, %s: %s has %.3f times the error of %s", law, scene->protocol.epsilon, scene_points[p],
                scene->methods[chosen].method->name, ratio, scene->methods[best].method->name);
}

static void add_list_choice(const struct scene *scene, const char *law, const double *est, uint64_t seed,
                            struct tally all[POINTS], struct tally without[POINTS])
{
    const struct surrogate smooth = surrogate_at(0);
    struct surrogate_fit fits[KINDS] = {0};

    scene_fits(scene, est, fits);
    struct rankings rankings = scene_rank(scene, &fits[0], &fits[1], &fits[2], &smooth, 100, 0, seed);
    for (size_t p = 0; p < POINTS; p++) {
        const size_t chosen = rankings.ranking[p].ranked[0].method;
        const double error = scene->truth[p][chosen];
        double least = INFINITY, least_without = INFINITY;

        for (size_t m = 0; m < scene->nmethods; m++) {
            if (scene->only[m] == 0 || scene->only[m] == p + 1)
                least = fmin(least, scene->truth[p][m]);
            if (scene->only[m] == 0)
                least_without = fmin(least_without, scene->truth[p][m]);
        }
        all[p].ratio[(size_t)all[p].collections++] = error / least;
        without[p].ratio[(size_t)without[p].collections++] = error / least_without;
        if (error > 1.5 * least_without)
            tell_choice(scene, law, p, chosen, error / least_without);
    }
    rankings_clear(&rankings);
    scene_fits_clear(fits);
}

static void study_lists(const struct kind *kinds, size_t count, uint64_t seed, uint64_t first, struct tally all[POINTS],
                        struct tally without[POINTS])
{
    for (size_t k = 0; k < count * EPSILONS; k++) {
        struct collection collection = {0};
        struct failure failure;
        struct scene scene;

        scene_set(&scene, &kinds[k / EPSILONS], scene_epsilons[k % EPSILONS]);
        scene_add_lists(&scene);
        scene_truth(&scene);
        cr_assert_eq(collection_begin(&collection, &scene.protocol, scene.population, LDP_COUNTS, &failure), 0);
        for (uint64_t i = 0; i < 4; i++) {
            struct ldp_rng rng = make_stream(seed, "lists", first + 4 * k + i);
            add_list_choice(&scene, kinds[k / EPSILONS].name, collection_run(&collection, &rng, NULL, &failure), i, all,
                            without);
        }
        collection_clear(&collection);
        ldp_population_free(scene.population);
    }
}

/* make verify only: choices of `recommend`, which has mix_top for each list among its candidates; ratios to the least
 * error of all candidates, and of all but mix_top, which are below 1 where nothing else is as good. LDPBENCH_SEED names
 * the seed of the collections. */
Test(ranges, study_of_lists, .timeout = 3600)
{
    static struct tally all[2][POINTS], without[2][POINTS];

    if (!statistics_verify())
        skip_test("LDPBENCH_VERIFY=1 runs it");
    const uint64_t seed = statistics_seed(20261126);
    study_lists(scene_kinds, POPULATIONS, seed, 0, all[0], without[0]);
    study_lists(others, OTHERS, seed, 10000, all[1], without[1]);
    tally_report("lists, the eight, to all", all[0]);
    tally_report("lists, the eight, to the others", without[0]);
    tally_report("lists, six others, to all", all[1]);
    tally_report("lists, six others, to the others", without[1]);
}
