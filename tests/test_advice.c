/* test_advice.c - what ldpbench recommend says of oracles and methods, held against the truth on populations to
 * which nothing was tuned. */
#include "dataset.h"
#include "ldpbench.h"
#include "program.h"
#include "quick.h"
#include "real_data.h"
#include "setup.h"
#include "statistics.h"
#include "stats/kinds.h"
#include "stats/ranking.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/numbers.h"

#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Populations ---- */

enum { ZOO_D = 2048, QUERIES = 3, POINTS = 4, CANDIDATES = 256, ORACLES = 3, EPSILONS = 3 };

static const char *const points[POINTS] = {"full_domain", "set_value 10", "top_k 8", "top_k 32"};

static double zipf(size_t v, double s)
{
    return pow((double)v + 1, -s);
}

static double zipf_08(size_t v)
{
    return zipf(v, 0.8);
}
static double zipf_12(size_t v)
{
    return zipf(v, 1.2);
}
static double zipf_2(size_t v)
{
    return zipf(v, 2);
}
static double zipf_3(size_t v)
{
    return zipf(v, 3);
}
static double plateau(size_t v)
{
    return v < 60 ? 1 : 0;
}
static double plateaus(size_t v)
{
    return v < 10 ? 100 : v < 100 ? 10 : 1;
}
static double with_flat(size_t v)
{
    return zipf(v, 1.3) + 0.005;
}
static double with_heavy(size_t v)
{
    return exp(-fabs((double)v - 200) / 60) + (v < 3 ? 40 : 0);
}
static double two_values(size_t v)
{
    return v == 0 ? 3 : v == 1 ? 2 : 0;
}
static double sparse(size_t v)
{
    return v < 15 ? zipf(v, 1) : 0;
}

static const struct population_kind {
    const char *name;
    size_t d;
    double n;
    double (*weight)(size_t v); /* NULL: the counts of a file of that name */
} zoo[] = {
    {"Zipf, s = 0.8", 500, 1e5, zipf_08},
    {"Zipf, s = 1.2", 1000, 2e5, zipf_12},
    {"Zipf, s = 2", 300, 1e6, zipf_2},
    {"Zipf, s = 3", 600, 1e5, zipf_3},
    {"plateau", 400, 1e5, plateau},
    {"plateaus", 700, 5e5, plateaus},
    {"Zipf and uniform", 500, 2e5, with_flat},
    {"Laplace and three heavy", 400, 1e5, with_heavy},
    {"two values", 200, 5e4, two_values},
    {"sparse", 2000, 1e5, sparse},
    {"adult_age.counts", 0, 0, NULL},
    {"adult_hours.counts", 0, 0, NULL},
    {"flights_delay.counts", 0, 0, NULL},
    {"nyc_taxi_week.counts", 0, 0, NULL},
};
enum { ZOO = sizeof zoo / sizeof *zoo };

static const double epsilons[EPSILONS] = {0.3, 1, 3};

/* NULL if its file is not there. */
static struct ldp_population *population_of(const struct population_kind *kind)
{
    static uint64_t counts[ZOO_D];
    struct ldp_population *population;
    size_t d = kind->d;

    if (kind->weight) {
        double sum = 0;
        for (size_t v = 0; v < d; v++)
            sum += kind->weight(v);
        for (size_t v = 0; v < d; v++)
            counts[v] = (uint64_t)(kind->weight(v) / sum * kind->n + 0.5);
    } else {
        char path[REAL_DATA_ROOM];
        const struct dataset_request request = {.type = dataset_type_find("counts"), .path = path};
        struct dataset *dataset = NULL;
        struct failure failure;

        if (!find_real_data(kind->name, path))
            return NULL;
        cr_assert_eq(dataset_new(&request, &dataset, &failure), 0);
        d = dataset->population->d < ZOO_D ? dataset->population->d : ZOO_D; /* the first values of a long file */
        for (size_t v = 0; v < d; v++)
            counts[v] = dataset->population->counts[v];
        dataset_free(dataset);
    }
    cr_assert_eq(ldp_population_new(counts, d, &population), LDP_OK);
    return population;
}

/* ---- What is said and what is so ---- */

/* A population, oracles (the first made the supports) with all methods, and their true errors. */
struct scene {
    struct ldp_population *population;
    struct ldp_protocol protocols[ORACLES];
    size_t nprotocols;
    struct ldp_method_spec methods[NAMES_MAX];
    size_t nmethods;
    bool suits[ORACLES * NAMES_MAX];
    struct ldp_query_spec queries[QUERIES];
    struct rankings truth;
};

static struct rankings rank(const struct scene *scene, const struct surrogate_fit fits[KINDS], int kinds,
                            uint32_t trials, uint32_t replicates, uint64_t seed)
{
    const struct surrogate smooth = surrogate_at(0);
    const struct ranking_plan plan = {.fit = &fits[KIND_SMOOTH],
                                      .sharp = kinds > 1 ? &fits[KIND_SHARP] : NULL,
                                      .point = kinds > 1 ? &fits[KIND_POINT] : NULL,
                                      .surrogate = &smooth,
                                      .made_by = &scene->protocols[0],
                                      .n = scene->population->n,
                                      .protocols = scene->protocols,
                                      .nprotocols = scene->nprotocols,
                                      .methods = scene->methods,
                                      .nmethods = scene->nmethods,
                                      .suits = scene->suits,
                                      .queries = scene->queries,
                                      .nqueries = QUERIES,
                                      .trials = trials,
                                      .replicates = replicates,
                                      .seed = seed,
                                      .threads = omp_get_max_threads()};
    struct rankings rankings;
    struct failure failure;

    cr_assert_eq(rank_candidates(&plan, &rankings, &failure), 0);
    return rankings;
}

static void add_oracle(struct scene *scene, const char *name, double epsilon)
{
    struct ldp_oracle_spec spec = default_oracle(name);

    cr_assert_eq(ldp_protocol_init(&scene->protocols[scene->nprotocols++], &spec, scene->population->d, epsilon, NULL),
                 LDP_OK);
}

static void begin(struct scene *scene, struct ldp_population *population, const char *const *oracles, double epsilon,
                  uint32_t judged)
{
    static const double percents[] = {10}, ks[] = {8, 32};
    struct surrogate_fit fits[KINDS] = {0};

    *scene = (struct scene){.population = population,
                            .queries = {{.query = ldp_query_find("full_domain"), .npoints = 1},
                                        {.query = ldp_query_find("set_value"), .points = percents, .npoints = 1},
                                        {.query = ldp_query_find("top_k"), .points = ks, .npoints = 2}}};
    for (size_t i = 0; i < QUERIES; i++)
        ldp_params_default(scene->queries[i].query->params, scene->queries[i].param);
    for (; *oracles; oracles++)
        add_oracle(scene, *oracles, epsilon);
    for (size_t i = 0; ldp_methods[i]; i++)
        if (!(ldp_methods[i]->guarantees & LDP_NOT_IN_ALL)) {
            scene->methods[scene->nmethods].method = ldp_methods[i];
            ldp_params_default(ldp_methods[i]->params, scene->methods[scene->nmethods++].param);
        }
    for (size_t p = 0; p < scene->nprotocols; p++)
        for (size_t m = 0; m < scene->nmethods; m++)
            scene->suits[p * scene->nmethods + m] = ldp_method_suits(scene->methods[m].method, &scene->protocols[p]);
    surrogate_given(&fits[0], population);
    scene->truth = rank(scene, fits, 1, judged, 0, 99);
    surrogate_fit_clear(&fits[0]);
}

static void end(struct scene *scene)
{
    rankings_clear(&scene->truth);
    ldp_population_free(scene->population);
}

static const struct ranked *at(const struct rankings *rankings, size_t point, size_t place)
{
    const struct ranked *ranked = rankings->ranking[point].ranked;

    while (ranked->place != place)
        ranked++;
    return ranked;
}

/* How far the true error of one candidate is above that of another at least, by two standard errors of the truth. */
static double surely_above(const struct rankings *truth, size_t point, size_t place, size_t other)
{
    struct comparison c;

    compare_samples(&at(truth, point, other)->error, &at(truth, point, place)->error, true, &c);
    return c.change - 2 * c.standard_error;
}

/* Of a point: rankings with a wrong "significantly worse", and one that is so by 2 % or more; others that are tied with
 * the best; bounds that do not hold, of the best and of the choice for all; and what they are. */
struct said {
    double rankings, wrong, clearly, open, candidates, bounds, choices, good, worst;
    double bound[4096];
};

static void hold(const struct scene *scene, const struct rankings *told, struct said said[POINTS + 1])
{
    double most = 0;
    bool all = true;

    for (size_t i = 0; i < POINTS; i++) {
        const struct ranking *const ranking = &told->ranking[i];
        const size_t chosen = ranking->ranked[0].place, best = scene->truth.ranking[i].ranked[0].place;
        const double above = surely_above(&scene->truth, i, chosen, best),
                     choice = surely_above(&scene->truth, i, told->choice, best),
                     ratio = at(&scene->truth, i, chosen)->error.mean / at(&scene->truth, i, best)->error.mean;
        bool wrong = false, clearly = false;

        for (size_t k = 1; k < told->size; k++) {
            const double worse = surely_above(&scene->truth, i, chosen, ranking->ranked[k].place);

            wrong = wrong || (ranking->ranked[k].apart && worse > 0);
            clearly = clearly || (ranking->ranked[k].apart && worse > 0.02);
            said[i].open += !ranking->ranked[k].apart;
        }
        said[i].bound[(size_t)said[i].rankings++] = ranking->within;
        said[i].wrong += wrong;
        said[i].clearly += clearly;
        said[i].candidates += (double)told->size - 1;
        said[i].bounds += above > ranking->within;
        said[i].choices += choice > ranking->choice_within;
        said[i].good += ratio <= 1.1;
        said[i].worst = fmax(said[i].worst, ratio);
        most = fmax(most, ranking->choice_within);
    }
    for (size_t i = 0; i < POINTS; i++)
        all = all && surely_above(&scene->truth, i, told->choice, scene->truth.ranking[i].ranked[0].place) <= most;
    said[POINTS].bound[(size_t)said[POINTS].rankings++] = most;
    said[POINTS].choices += !all;
}

static void measure(struct scene *scene, const char *name, uint64_t collections, struct said said[POINTS + 1])
{
    struct collection collection = {0};
    struct failure failure;

    cr_assert_eq(collection_begin(&collection, &scene->protocols[0], scene->population, LDP_COUNTS, &failure), 0);
    for (uint64_t c = 0; c < collections; c++) {
        struct surrogate_fit fits[KINDS] = {0};

        struct ldp_rng rng = make_stream(20261125, name, c);
        const double *const est = collection_run(&collection, &rng, NULL, &failure);
        for (int k = 0; k < KINDS; k++) {
            const struct surrogate surrogate = kind_surrogate(k);
            surrogate_fit(&fits[k], &surrogate, &scene->protocols[0], scene->population->n, est, NULL);
        }
        struct rankings told = rank(scene, fits, KINDS, 100, 20, c);
        hold(scene, &told, said);
        rankings_clear(&told);
        for (int k = 0; k < KINDS; k++)
            surrogate_fit_clear(&fits[k]);
    }
    collection_clear(&collection);
}

static void report(const char *what, struct said said[POINTS + 1])
{
    for (size_t i = 0; i <= POINTS; i++) {
        struct said *const s = &said[i];
        const size_t n = (size_t)s->rankings;

        qsort(s->bound, n, sizeof *s->bound, by_number);
        cr_log_warn("%s | %s | %zu | %.4f | %.4f | %.3f | %.4f | %.4f | %.3f | %.3f | %.3f | %.3f |", what,
                    i < POINTS ? points[i] : "all", n, s->wrong / s->rankings, s->clearly / s->rankings,
                    s->candidates > 0 ? s->open / s->candidates : 0, s->bounds / s->rankings, s->choices / s->rankings,
                    s->bound[n / 2], s->bound[n * 9 / 10], s->good / s->rankings, s->worst);
    }
}

static void add(struct said *sum, const struct said *said)
{
    for (size_t k = 0; k < (size_t)said->rankings; k++)
        sum->bound[(size_t)sum->rankings + k] = said->bound[k];
    sum->rankings += said->rankings;
    sum->wrong += said->wrong;
    sum->clearly += said->clearly;
    sum->open += said->open;
    sum->candidates += said->candidates;
    sum->bounds += said->bounds;
    sum->choices += said->choices;
    sum->good += said->good;
    sum->worst = fmax(sum->worst, said->worst);
}

static void study(const char *what, const char *const *oracles, uint64_t collections)
{
    static struct said all[POINTS + 1], of_epsilon[EPSILONS][POINTS + 1];

    for (size_t z = 0; z < ZOO; z++) {
        static struct said of_kind[POINTS + 1];
        memset(of_kind, 0, sizeof of_kind);
        for (size_t e = 0; e < EPSILONS; e++) {
            struct ldp_population *const population = population_of(&zoo[z]);
            static struct said one[POINTS + 1];
            struct scene scene;
            char name[128];

            if (!population)
                continue;
            memset(one, 0, sizeof one);
            snprintf(name, sizeof name, "%s|%s|%g", what, zoo[z].name, epsilons[e]);
            begin(&scene, population, oracles, epsilons[e], 600);
            measure(&scene, name, collections, one);
            end(&scene);
            for (size_t i = 0; i <= POINTS; i++) {
                add(&all[i], &one[i]);
                add(&of_epsilon[e][i], &one[i]);
                add(&of_kind[i], &one[i]);
            }
        }
        if (of_kind[0].rankings > 0)
            report(xformat("%s kind %s", what, zoo[z].name), of_kind);
    }
    for (size_t e = 0; e < EPSILONS; e++)
        report(xformat("%s epsilon %g", what, epsilons[e]), of_epsilon[e]);
    report(what, all);
}

/* What is so by one kind of populations only is not claimed: of these three the first two favour norm_sub, the last the
 * uniform distribution, which makes no error there. */
Test(advice, claims_hold_by_every_kind)
{
    static const uint64_t counts[KINDS][4] = {{700, 200, 60, 40}, {500, 300, 150, 50}, {250, 250, 250, 250}};
    struct scene scene = {.nmethods = 2,
                          .methods = {{.method = ldp_method_find("norm_sub")}, {.method = ldp_method_find("uniform")}},
                          .queries = {{.query = ldp_query_find("full_domain"), .npoints = 1}},
                          .suits = {true, true}};
    struct ldp_population *population[KINDS];
    struct surrogate_fit fit[KINDS] = {0};
    const struct surrogate smooth = surrogate_at(0);
    struct failure failure;

    for (int k = 0; k < KINDS; k++) {
        cr_assert_eq(ldp_population_new(counts[k], 4, &population[k]), LDP_OK);
        surrogate_given(&fit[k], population[k]);
    }
    scene.population = population[0];
    add_oracle(&scene, "grr", 1);
    for (int kinds = 1; kinds <= KINDS; kinds += KINDS - 1) {
        const struct ranking_plan plan = {.fit = &fit[KIND_SMOOTH],
                                          .sharp = kinds > 1 ? &fit[KIND_SHARP] : NULL,
                                          .point = kinds > 1 ? &fit[KIND_POINT] : NULL,
                                          .surrogate = &smooth,
                                          .made_by = scene.protocols,
                                          .n = 1000,
                                          .protocols = scene.protocols,
                                          .nprotocols = 1,
                                          .methods = scene.methods,
                                          .nmethods = 2,
                                          .queries = scene.queries,
                                          .nqueries = 1,
                                          .trials = 50,
                                          .seed = 1,
                                          .threads = 1};
        struct rankings rankings;

        cr_assert_eq(rank_candidates(&plan, &rankings, &failure), 0);
        const struct ranking *const ranking = &rankings.ranking[0];
        cr_expect_eq(ranking->ranked[0].method, 0, "norm_sub is the best by the first kind");
        cr_expect_eq(ranking->ranked[1].apart, kinds == 1, "%d kinds: p = %g", kinds,
                     ranking->ranked[1].from_the_best.p);
        cr_expect_eq(isinf(ranking->within) != 0, kinds > 1, "%d kinds: %g", kinds, ranking->within);
        rankings_clear(&rankings);
    }
    for (int k = 0; k < KINDS; k++) {
        surrogate_fit_clear(&fit[k]);
        ldp_population_free(population[k]);
    }
}

/* Where little stands out of the noise, and one population of each: rarely is a claim wrong or a bound too low. */
Test(advice, holds_at_low_epsilon, SLOW)
{
    static const char *const oracles[] = {"olh", "grr", NULL};
    static const size_t some[] = {2, 4, 7};
    static struct said said[POINTS + 1];
    double wrong = 0, bounds = 0;

    for (size_t i = 0; i < 3; i++) {
        struct scene scene;

        begin(&scene, population_of(&zoo[some[i]]), oracles, 0.3, 300);
        measure(&scene, "low", 1, said);
        end(&scene);
    }
    for (size_t i = 0; i < POINTS; i++) {
        wrong += said[i].clearly;
        bounds += said[i].bounds;
    }
    cr_expect_leq(wrong, 2, "%g of 12 rankings", wrong);
    cr_expect_leq(bounds, 4, "%g of 12 rankings", bounds);
}

static unsigned asked(const char *name, unsigned otherwise)
{
    const char *const text = getenv(name);

    return text ? (unsigned)atoi(text) : otherwise;
}

/* make verify only: the tables of docs/recommending.md. */
Test(advice, study_of_methods, .timeout = 7200)
{
    static const char *const oracles[] = {"olh", NULL};

    if (!statistics_verify())
        skip_test("LDPBENCH_VERIFY=1 runs it");
    study("methods", oracles, asked("COLLECTIONS", 4));
}

Test(advice, study_of_oracles, .timeout = 7200)
{
    static const char *const oracles[] = {"olh", "grr", "hr", NULL};

    if (!statistics_verify())
        skip_test("LDPBENCH_VERIFY=1 runs it");
    study("oracles", oracles, asked("COLLECTIONS", 2));
}
