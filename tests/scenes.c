/* scenes.c - see scenes.h. */
#include "scenes.h"

#include "dataset.h"
#include "rankings.h"
#include "setup.h"
#include "support/numbers.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

const char *const scene_points[POINTS] = {"full_domain", "set_value 10", "top_k 8", "top_k 32"};

const double scene_epsilons[EPSILONS] = {0.7, 1.5, 3};

/* ---- Populations ---- */

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

const struct kind scene_kinds[POPULATIONS] = {
    {"two levels", 420, two_levels},      {"geometric, 0.97", 500, geometric},
    {"log-logistic", 800, log_normal},    {"a block, else 0", 1000, block},
    {"Zipf, s = 0.8", 1000, flat_zipf},   {"Zipf, s = 2.5", 300, steep_zipf},
    {"three levels", 1000, three_levels}, {"linear", 400, linear},
};

/* ---- What is measured ---- */

struct rankings scene_rank(const struct scene *scene, const struct surrogate_fit *fit,
                           const struct surrogate_fit *sharp, const struct surrogate_fit *point,
                           const struct surrogate *surrogate, uint32_t trials, uint32_t replicates, uint64_t seed)
{
    const struct ranking_plan plan = {.fit = fit,
                                      .sharp = sharp,
                                      .point = point,
                                      .surrogate = surrogate,
                                      .n = scene->population->n,
                                      .methods = scene->methods,
                                      .nmethods = scene->nmethods,
                                      .only = scene->only,
                                      .queries = scene->queries,
                                      .nqueries = QUERIES,
                                      .trials = trials,
                                      .replicates = replicates,
                                      .seed = seed};

    return rankings_of_oracle(plan, &scene->protocol, POINTS);
}

void scene_set(struct scene *scene, const struct kind *kind, double epsilon)
{
    static const double percents[] = {10}, ks[] = {8, 32};
    struct ldp_oracle_spec oracle = default_oracle("olh");
    uint64_t counts[D_MAX];

    *scene = (struct scene){.queries = {{.query = ldp_query_find("full_domain"), .npoints = 1},
                                        {.query = ldp_query_find("set_value"), .points = percents, .npoints = 1},
                                        {.query = ldp_query_find("top_k"), .points = ks, .npoints = 2}}};
    for (size_t i = 0; i < QUERIES; i++)
        ldp_params_default(scene->queries[i].query->params, scene->queries[i].param);
    for (size_t v = 0; v < kind->d; v++)
        counts[v] = (uint64_t)(kind->weight(v) + 0.5);
    cr_assert_eq(ldp_population_new(counts, kind->d, &scene->population), LDP_OK);
    cr_assert_eq(ldp_protocol_init(&scene->protocol, &oracle, kind->d, epsilon, NULL), LDP_OK);
    for (size_t i = 0; ldp_methods[i]; i++)
        if (ldp_method_suits(ldp_methods[i], &scene->protocol) && !(ldp_methods[i]->guarantees & LDP_NOT_IN_ALL)) {
            struct ldp_method_spec *const spec = &scene->methods[scene->nmethods++];

            spec->method = ldp_methods[i];
            ldp_params_default(spec->method->params, spec->param);
        }
}

void scene_add_lists(struct scene *scene)
{
    for (size_t i = 0; i < 2; i++) {
        scene->only[scene->nmethods] = 3 + i;
        scene->methods[scene->nmethods++] =
            (struct ldp_method_spec){.method = ldp_method_find("mix_top"), .param = {scene->queries[2].points[i]}};
    }
}

void scene_truth(struct scene *scene)
{
    const struct surrogate surrogate = surrogate_at(0);
    struct surrogate_fit fit = {0};

    surrogate_given(&fit, scene->population);

    struct rankings rankings = scene_rank(scene, &fit, NULL, NULL, &surrogate, 400, 0, 99);

    for (size_t i = 0; i < POINTS; i++)
        for (size_t k = 0; k < scene->nmethods; k++)
            scene->truth[i][rankings.ranking[i].ranked[k].method] = rankings.ranking[i].ranked[k].error.mean;
    rankings_clear(&rankings);
    surrogate_fit_clear(&fit);
}

void scene_begin(struct scene *scene, const struct kind *kind, double epsilon)
{
    scene_set(scene, kind, epsilon);
    scene_truth(scene);
}

/* Populations of the three kinds, as `recommend` fits them. */
void scene_fits(const struct scene *scene, const double *est, struct surrogate_fit fits[KINDS])
{

    for (int k = 0; k < KINDS; k++) {
        const struct surrogate surrogate = kind_surrogate(k);

        surrogate_fit(&fits[k], &surrogate, &scene->protocol, scene->population->n, est, NULL);
    }
}

void scene_fits_clear(struct surrogate_fit fits[KINDS])
{
    for (size_t i = 0; i < KINDS; i++)
        surrogate_fit_clear(&fits[i]);
}

void tally_report(const char *what, struct tally tally[POINTS])
{
    for (size_t i = 0; i < POINTS; i++) {
        struct tally *const t = &tally[i];
        const size_t n = (size_t)t->collections;
        size_t good = 0;

        if (n == 0)
            continue;
        qsort(t->ratio, n, sizeof *t->ratio, by_number);
        for (size_t j = 0; j < n; j++)
            good += t->ratio[j] <= 1.1;
        cr_log_warn("%s | %s | %zu | %.3f | %.3f | %.3f | %.3f |", what, scene_points[i], n, (double)good / (double)n,
                    t->ratio[n / 2], t->ratio[n * 9 / 10], t->ratio[n - 1]);
    }
}
