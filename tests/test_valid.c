/* test_valid.c - pairs of valid tables (core/marginals/valid.c): the noise that is left in them against that of other
 * draws, which pairs are learnt so, and what an answer takes. */
#include "marginals/shrink.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { D = 5, VALUES = 4, TRIPLES = 10, PAIRS = 10, DRAWS = 400, LEARNT = 8 };

static const double even[D] = {1, 1, 1, 1, 1};

/* All triples of attributes. */
struct scene {
    struct ldp_pool pool;
    struct ldp_records *records;
    struct ldp_oracle_spec oracle;
    size_t first[2];
    struct ldp_workload workload;
    struct tables tables;
    struct valid_pairs valid;
    double *exact, *coefs; /* [coefs]: of independent attributes; with noise */
    struct ldp_rng rng;
};

/* Attributes of two or four values. */
static void open_scene(struct scene *scene, const char *name, uint32_t nvalues)
{
    static const double two[] = {0.85, 0.15}, four[] = {0.85, 0.11, 0.03, 0.01};
    const double *const frequency = nvalues == 2 ? two : four;
    static const struct ldp_set requested = {1, {0}};
    const struct ldp_method_spec method = {.method = ldp_method_find("base")};
    uint32_t cardinality[D], values[D] = {0};
    const uint64_t count = 100 * TRIPLES;
    struct asked asked[TRIPLES];
    struct ldp_reason reason;
    size_t m = 0;

    *scene = (struct scene){.oracle = {.oracle = ldp_oracle_find("grr")}, .first = {0, nvalues}};
    for (size_t a = 0; a < D; a++)
        cardinality[a] = nvalues;
    cr_assert_eq(ldp_records_new(cardinality, D, values, &count, 1, &scene->records), LDP_OK);
    scene->workload =
        (struct ldp_workload){scene->records, &scene->oracle, 2, LDP_COUNTS, &requested, 1, scene->first, NULL};
    for (uint64_t mask = 0; mask < 1 << D; mask++)
        if (__builtin_popcountll(mask) == 3)
            asked[m++] = (struct asked){ldp_digits_of_mask(mask), 100};
    cr_assert_eq(ldp_tables_init(&scene->tables, &scene->pool, &scene->workload, asked, m, &method, &reason),
                 LDP_OK, "%s", reason.text);
    cr_assert_eq(ldp_valid_init(&scene->valid, &scene->pool, &scene->tables), LDP_OK);
    const struct closure *const closure = &scene->tables.closure;
    scene->exact = malloc(closure->ncoefs * sizeof *scene->exact);
    scene->coefs = malloc(closure->ncoefs * sizeof *scene->coefs);
    for (size_t b = 0; b < closure->nblocks; b++) { /* the last cells of the table of the block's attributes */
        const struct ldp_set set = ldp_set_of_mask(closure->mask[b]);
        const size_t cells = (size_t)ldp_set_cells(&set, cardinality);
        double x[VALUES * VALUES * VALUES];
        size_t at = closure->offset[b];
        for (size_t c = 0; c < cells; c++) {
            x[c] = 1;
            for (size_t rest = c, i = 0; i < set.size; i++, rest /= nvalues)
                x[c] *= frequency[rest % nvalues];
        }
        ldp_contrasts_forward(&set, cardinality, x);
        for (size_t c = 0; c < cells; c++) {
            bool has_all = true;
            for (size_t rest = c, i = 0; i < set.size; i++, rest /= nvalues)
                has_all &= rest % nvalues > 0;
            if (has_all)
                scene->exact[at++] = x[c];
        }
    }
    scene->rng = make_stream(5, name, 0);
}

static void close_scene(struct scene *scene)
{
    free(scene->exact);
    free(scene->coefs);
    ldp_pool_clear(&scene->pool);
    ldp_records_free(scene->records);
}

static void draw(struct scene *scene)
{
    const struct closure *const closure = &scene->tables.closure;

    for (size_t b = 0; b < closure->nblocks; b++) {
        const struct ldp_set set = ldp_set_of_mask(closure->mask[b]);
        const double deviation =
            b == 0 ? 0 : 1 / sqrt(ldp_set_cells(&set, closure->cardinality) * scene->tables.precision[b]);
        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
            scene->coefs[c] = scene->exact[c] + deviation * statistics_normal(&scene->rng);
    }
}

static void open_learnt(struct scene *scene, const char *name, uint32_t nvalues, const double *varies)
{
    open_scene(scene, name, nvalues);
    draw(scene);
    ldp_valid_learn(&scene->valid, &scene->tables, scene->coefs, varies);
}

/* L |r|^2 / v of the valid tables, the mean over pairs. */
static double energy_seen(const struct scene *scene, double *central)
{
    const struct closure *const closure = &scene->tables.closure;
    double sum = 0;

    ldp_valid_fill(&scene->valid, &scene->tables, central);
    for (size_t i = 0; i < scene->valid.npairs; i++) {
        const size_t b = scene->valid.block[i];
        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++)
            sum += central[c] * central[c] * VALUES * VALUES /
                   (double)(ldp_closure_size(closure, b) * scene->valid.npairs);
    }
    return sum;
}

/* Of the noise that is known, less than a third is left in valid tables; what is learnt of that from exact tables of
 * independent attributes is what other draws have. */
Test(valid, noise_that_is_left)
{
    struct scene scene;
    double sum = 0, squares = 0, learnt = 0, known = 0;

    open_scene(&scene, "valid noise", VALUES);
    double *const central = malloc(scene.tables.closure.ncoefs * sizeof *central);
    ldp_valid_learn(&scene.valid, &scene.tables, scene.exact, even);
    cr_assert_eq(scene.valid.npairs, PAIRS);
    for (size_t i = 0; i < PAIRS; i++) {
        learnt += scene.valid.noise[i] / PAIRS;
        known += 1 / (scene.tables.precision[scene.valid.block[i]] * PAIRS);
    }
    for (size_t i = 0; i < DRAWS; i++) {
        draw(&scene);
        ldp_valid_find(&scene.valid, &scene.tables, scene.coefs);
        const double energy = energy_seen(&scene, central);
        sum += energy / DRAWS;
        squares += energy * energy / DRAWS;
    }
    const double variance = squares - sum * sum, z = (learnt - sum) / sqrt(variance * (1. / DRAWS + 1. / LEARNT));
    cr_log_info("known %g, left %g, learnt %g, z = %.2f", known, sum, learnt, z);
    cr_expect_lt(fabs(z), 4, "left %g, learnt %g", sum, learnt);
    cr_expect_lt(3 * sum, known, "left %g of %g", sum, known);
    free(central);
    close_scene(&scene);
}

/* Of binary attributes the pairs of which both are rare; of the others nothing is changed. */
Test(valid, which_pairs)
{
    static const double varies[D] = {0.02, 0.9, 1, 0.29, 1};
    struct scene scene;

    open_learnt(&scene, "valid pairs", 2, varies);
    const struct closure *const closure = &scene.tables.closure;
    double *const central = calloc(closure->ncoefs, sizeof *central);
    double *const variance = malloc(closure->ncoefs * sizeof *variance);
    for (size_t c = 0; c < closure->ncoefs; c++)
        variance[c] = 1;
    ldp_valid_fill(&scene.valid, &scene.tables, central);
    ldp_valid_lower(&scene.valid, &scene.tables, variance);
    for (size_t b = 0; b < closure->nblocks; b++) {
        const struct ldp_set set = ldp_set_of_mask(closure->mask[b]);
        const bool is_rare = set.size == 2 && varies[set.attribute[0]] < 0.3 && varies[set.attribute[1]] < 0.3;
        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++) {
            cr_expect_eq(central[c] != 0, is_rare, "block %zu", b);
            cr_expect_eq(variance[c] < 1, is_rare, "block %zu", b);
        }
    }
    free(central);
    free(variance);
    close_scene(&scene);
}

/* A pair is that of its valid table, except as far as triples that have it stay, or if it is kept itself. */
Test(valid, answers_keep_what_triples_need)
{
    struct scene scene;

    open_learnt(&scene, "valid answers", VALUES, even);
    const struct closure *const closure = &scene.tables.closure;
    double *const seen = calloc(closure->ncoefs, sizeof *seen), *const central = calloc(closure->ncoefs, sizeof *seen),
                  *const factor = calloc(closure->nblocks, sizeof *factor),
                  *const room = malloc(closure->nblocks * sizeof *room);
    bool *const keeps = calloc(closure->nblocks, sizeof *keeps);
    ldp_valid_fill(&scene.valid, &scene.tables, seen);
    factor[ldp_closure_find(closure, 7)] = 0.25;  /* attributes 0, 1, 2 */
    factor[ldp_closure_find(closure, 14)] = 0.75; /* 1, 2, 3 */
    keeps[ldp_closure_find(closure, 17)] = true;  /* 0, 4 */
    ldp_valid_answer(&scene.valid, &scene.tables, factor, keeps, room, central);
    for (size_t i = 0; i < scene.valid.npairs; i++) {
        const uint64_t mask = closure->mask[scene.valid.block[i]];
        const double stays = mask == 17 ? 1 : (mask & 14) == mask ? 0.75 : (mask & 7) == mask ? 0.25 : 0;
        for (size_t c = closure->offset[scene.valid.block[i]]; c < closure->offset[scene.valid.block[i] + 1]; c++)
            cr_expect_float_eq(central[c], (1 - stays) * seen[c], 1e-15, "pair %zu", i);
    }
    free(seen);
    free(central);
    free(factor);
    free(room);
    free(keeps);
    close_scene(&scene);
}
