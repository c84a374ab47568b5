/* scenes.h - populations to which nothing of `recommend` was tuned, several kinds, fixed before the first run; and what
 * is measured on them (test_ranges.c, test_ranges_limits.c). */
#ifndef LDPBENCH_TESTS_SCENES_H
#define LDPBENCH_TESTS_SCENES_H

#include "ldpbench.h"
#include "stats/kinds.h"
#include "stats/ranking.h"

enum { D_MAX = 1000, METHODS_MAX = 64, QUERIES = 3, POINTS = 4, POPULATIONS = 8, EPSILONS = 3 };

extern const char *const scene_points[POINTS];

struct kind {
    const char *name;
    size_t d;
    double (*weight)(size_t v); /* of the v-th value, users before rounding */
};

extern const struct kind scene_kinds[POPULATIONS];
extern const double scene_epsilons[EPSILONS];

/* A population, an oracle, all methods, and their true errors at all points. */
struct scene {
    struct ldp_population *population;
    struct ldp_protocol protocol;
    struct ldp_method_spec methods[METHODS_MAX];
    size_t nmethods;
    size_t only[METHODS_MAX]; /* as a ranking_plan's; without the methods for lists all 0 */
    struct ldp_query_spec queries[QUERIES];
    double truth[POINTS][METHODS_MAX];
};

/* The same without the true errors. */
void scene_set(struct scene *scene, const struct kind *kind, double epsilon);

void scene_begin(struct scene *scene, const struct kind *kind, double epsilon);

/* Adds mix_top for each list, as `recommend` does, before scene_truth. */
void scene_add_lists(struct scene *scene);

/* The true errors of what is set. */
void scene_truth(struct scene *scene);

/* Predictions from a fit; sharp, point: NULL, or the other kinds of populations. */
struct rankings scene_rank(const struct scene *scene, const struct surrogate_fit *fit,
                           const struct surrogate_fit *sharp, const struct surrogate_fit *point,
                           const struct surrogate *surrogate, uint32_t trials, uint32_t replicates, uint64_t seed);

/* Populations of all kinds, as `recommend` fits them to an estimate. */
void scene_fits(const struct scene *scene, const double *est, struct surrogate_fit fits[KINDS]);
void scene_fits_clear(struct surrogate_fit fits[KINDS]);

/* Of one point over all collections. */
struct tally {
    double collections, chosen_inside, inside, methods; /* ranges that hold the truth */
    double narrow;                                      /* of those by trials alone, of the chosen method */
    double ratio[512];                                  /* of the chosen method's error to the least */
};

/* A row of shares and quantiles for each point. */
void tally_report(const char *what, struct tally tally[POINTS]);

#endif
