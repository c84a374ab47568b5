/* test_factors.c - what pairs of attributes have in common (core/marginals/factors.c): against the theory of large
 * matrices of noise, and where one hidden cause makes all attributes depend on each other. */
#include "marginals/shrink.h"
#include "marginals/tables.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

enum { D = 40, PAIRS = D * (D - 1) / 2 };

/* All pairs of D binary attributes, or all but those whose two numbers have a difference of 2 or 3. */
struct scene {
    struct ldp_pool pool;
    struct ldp_records *records;
    struct ldp_oracle_spec oracle;
    size_t first[2];
    struct ldp_workload workload;
    struct ldp_set set[PAIRS];
    struct tables tables;
    struct factors factors;
    double *central, *variance, *target;
    struct ldp_rng rng;
};

static bool is_asked(size_t i, size_t j, bool some)
{
    return !some || j - i < 2 || j - i > 3;
}

static void open_scene(struct scene *scene, bool some, const char *name)
{
    static const struct ldp_set requested = {1, {0}};
    const struct ldp_method_spec method = {.method = ldp_method_find("base")};
    uint32_t cardinality[D], values[D] = {0};
    const uint64_t count = 10 * PAIRS;
    struct asked asked[PAIRS + D];
    struct ldp_reason reason;
    size_t m = 0;

    *scene = (struct scene){.oracle = {.oracle = ldp_oracle_find("grr")}, .first = {0, 2}};
    for (size_t a = 0; a < D; a++)
        cardinality[a] = 2;
    cr_assert_eq(ldp_records_new(cardinality, D, values, &count, 1, &scene->records), LDP_OK);
    scene->workload =
        (struct ldp_workload){scene->records, &scene->oracle, 1, LDP_COUNTS, &requested, 1, scene->first, NULL};
    for (size_t i = 0; i < D; i++) /* a pair is there as a part of another question, or as its table */
        for (size_t j = i + 1; j < D; j++) {
            const uint64_t both = UINT64_C(1) << i | UINT64_C(1) << j;
            asked[m] = (struct asked){.users = 4};
            if (is_asked(i, j, some))
                ldp_digits_add(&asked[m].digits, both);
            else
                asked[m].digits = ldp_digits_of_mask(UINT64_C(1) << i);
            m++;
        }
    for (size_t i = 0; some && i + 3 < D; i++) { /* (i, i + 1) and (i + 2, i + 3) as one digit: pairs across unknown */
        asked[m] = (struct asked){.users = 4};
        ldp_digits_add(&asked[m++].digits, UINT64_C(15) << i);
    }
    cr_assert_eq(ldp_tables_init(&scene->tables, &scene->pool, &scene->workload, asked, m, &method, &reason),
                 LDP_OK, "%s", reason.text);
    const size_t n = scene->tables.closure.ncoefs;
    scene->central = calloc(n, sizeof *scene->central);
    scene->variance = calloc(n, sizeof *scene->variance);
    scene->target = calloc(n, sizeof *scene->target);
    cr_assert_eq(ldp_factors_init(&scene->factors, &scene->pool, &scene->tables), LDP_OK);
    cr_assert_eq(scene->factors.rows, D);
    scene->rng = make_stream(4, name, 0);
}

static void close_scene(struct scene *scene)
{
    free(scene->central);
    free(scene->variance);
    free(scene->target);
    ldp_pool_clear(&scene->pool);
    ldp_records_free(scene->records);
}

/* Fills the pairs with `strength` / D each, the direction of equal parts, and noise of variance 1; finds the target.
 * Coefficients are half of that: contrasts of length 1 (contrasts.h). */
static void draw(struct scene *scene, double strength)
{
    const struct closure *const closure = &scene->tables.closure;
    for (size_t b = 0; b < closure->nblocks; b++)
        if (__builtin_popcountll(closure->mask[b]) == 2) {
            scene->central[closure->offset[b]] = (strength / D + statistics_normal(&scene->rng)) / 2;
            scene->variance[closure->offset[b]] = 1. / 4;
        }
    ldp_factors_find(&scene->factors, &scene->tables, scene->central, scene->variance, scene->target);
}

/* The squared error of the targets of all pairs, both halves of the matrix; known: of those that were asked for. */
static double error_of(const struct scene *scene, double strength, bool known)
{
    const struct closure *const closure = &scene->tables.closure;
    double sum = 0;
    for (size_t b = 0; b < closure->nblocks; b++)
        if (__builtin_popcountll(closure->mask[b]) == 2 && scene->tables.has[b] == known) {
            const double wrong = 2 * scene->target[closure->offset[b]] - strength / D;
            sum += 2 * wrong * wrong;
        }
    return sum;
}

/* The largest eigenvalue of noise alone exceeds the threshold once in a hundred draws: so more than 7 of 200 have a
 * probability below 0.1 %. */
Test(factors, none_in_noise)
{
    struct scene scene;
    size_t found = 0;
    open_scene(&scene, false, "noise");
    for (int trial = 0; trial < 200; trial++) {
        draw(&scene, 0);
        found += scene.factors.found > 0;
        cr_expect(scene.factors.found > 0 || error_of(&scene, 0, true) == 0);
    }
    cr_expect_leq(found, 7, "%zu", found);
    close_scene(&scene);
}

/* A direction of strength theta = h sqrt(D) is estimated with squared error theta^2 (1 - (1 - 1 / h^2)^2), in the limit
 * of large D (Gavish and Donoho 2017); all coefficients as they are have D (D - 1). */
Test(factors, error_of_one_direction)
{
    struct scene scene;
    open_scene(&scene, false, "direction");
    for (int i = 0; i < 2; i++) {
        const double h = 3 + 3 * i, strength = h * sqrt((double)D), kept = 1 - 1 / (h * h);
        double error = 0;
        for (int trial = 0; trial < 60; trial++) {
            draw(&scene, strength);
            cr_assert_geq(scene.factors.found, 1);
            error += error_of(&scene, strength, true) / 60;
        }
        cr_expect_float_eq(error / (strength * strength * (1 - kept * kept)), 1, 0.15, "%g: %g", h, error);
        cr_expect_lt(error, 0.15 * D * (D - 1));
    }
    close_scene(&scene);
}

/* Pairs that nobody was asked for follow from the others: nearly as good as those that were. */
Test(factors, pairs_that_were_not_asked_for)
{
    struct scene scene;
    const double strength = 5 * sqrt((double)D);
    double known = 0, unknown = 0, knowns = 0, unknowns = 0;
    open_scene(&scene, true, "unknown");
    for (size_t b = 0; b < scene.tables.closure.nblocks; b++)
        if (__builtin_popcountll(scene.tables.closure.mask[b]) == 2)
            *(scene.tables.has[b] ? &knowns : &unknowns) += 2;
    cr_assert_gt(unknowns, D);
    for (int trial = 0; trial < 20; trial++) {
        draw(&scene, strength);
        known += error_of(&scene, strength, true) / knowns / 20;
        unknown += error_of(&scene, strength, false) / unknowns / 20;
    }
    cr_expect_lt(known, 0.15); /* noise has 1, and strength / D = 0.79 is the error of 0 */
    cr_expect_lt(unknown, 0.15);
    close_scene(&scene);
}
