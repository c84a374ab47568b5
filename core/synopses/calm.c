/* calm.c - consistent adaptive local marginals.
 *
 * m tables of l attributes each are collected from m groups of users with the whole epsilon, and made consistent,
 * non-negative and of sum 1. A marginal inside one of them is a sum of its cells, any other is the one of maximum
 * entropy. If neither m nor l is given, they are chosen by what a first part of the users reports (choice.c).
 *
 * calm_shrunk: the tables hold interactions of two and more attributes, many of which are only noise if epsilon is
 * small. Each is shrunk towards the product of the frequencies of its attributes, by a factor that is estimated from
 * the tables themselves (shrink.c). If all attributes are independent, the answers become those of product. Not in
 * CALM.
 *
 * product: "m": d and "l": 1, the product of the attributes' own frequencies: a floor. A synopsis that is worse than
 * this gains nothing from tables of several attributes. uniform, the other floor: no tables, so that no user is asked
 * and all cells of a marginal are equal.
 *
 * Source: Zhang, Wang, Li, He, Chen, CALM, CCS 2018. The second half of the paper was not available to us: consistency,
 * non-negativity and reconstruction are this project's (tables.c, known.c), and so is the choice of m and l. */
#include "marginals/cell_intervals.h"
#include "marginals/choice.h"
#include "marginals/known.h"
#include "marginals/singles.h"
#include "marginals/survey.h"
#include "numerics/simplex.h"

#include <assert.h>
#include <math.h>

static const struct ldp_param params[] = {
    DESIGNED_ROWS("chosen by what a first part of the users reports"),
    {.name = NULL},
};

extern const struct ldp_synopsis ldp_synopsis_calm_shrunk, ldp_synopsis_product, ldp_synopsis_uniform;

struct state {
    struct ldp_pool pool, again; /* again: that of fits */
    const struct ldp_workload *workload;
    struct ldp_method_spec method;
    struct choice choice;
    struct groups groups;
    size_t chosen;          /* by the last collection */
    struct known_fits fits; /* of the tables chosen, kept until others are */
    struct dependence dependence;
    double *x[LDP_EXACT + 1], *coefs, *room;
    void *scratch;
    bool shrinks;
    struct shrinking shrinking;
};

static enum ldp_status open_choice(struct state *own, const struct ldp_synopsis_spec *spec, struct ldp_reason *reason)
{
    enum ldp_status status = ldp_survey_check_method(&own->method, reason);
    struct ldp_set *chosen = NULL;
    size_t m = spec->nsets;

    if (status == LDP_OK && !spec->sets && isnan(spec->param[DESIGNED_M]) && isnan(spec->param[DESIGNED_L]))
        return ldp_choice_open(&own->choice, &own->pool, own->workload, &own->method, own->shrinks, reason);
    if (status == LDP_OK && !spec->sets)
        status = ldp_design_sets(&own->pool, spec, own->workload, &chosen, &m, reason);
    return status == LDP_OK ? ldp_choice_given(&own->choice, &own->pool, own->workload,
                                               spec->sets ? spec->sets : chosen, m, &own->method, reason)
                            : status;
}

static enum ldp_status make_room(struct state *own)
{
    size_t cells = 1, coefs = 1, m = 1;

    assert(own->choice.count > 0);
    for (size_t c = 0; c < own->choice.count; c++) {
        const struct tables *const tables = &own->choice.tables[c];

        cells = tables->first[tables->m] > cells ? tables->first[tables->m] : cells;
        coefs = tables->closure.ncoefs > coefs ? tables->closure.ncoefs : coefs;
        m = tables->m > m ? tables->m : m;
    }
    TAKE(&own->pool, own->coefs, coefs);
    TAKE(&own->pool, own->room, 4 * coefs);
    own->scratch = ldp_pool_take(&own->pool, ldp_numbers_bytes(coefs), 1);
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        TAKE(&own->pool, own->x[stage], cells);
    if (own->shrinks || own->choice.drops)
        ldp_shrinking_init(&own->shrinking, &own->pool, own->shrinks, coefs);
    return own->pool.failed ? LDP_ENOMEM : ldp_groups_init(&own->groups, &own->pool, own->workload->records, m);
}

static enum ldp_status open_state(void *state, const struct ldp_synopsis_spec *spec,
                                  const struct ldp_workload *workload, struct ldp_reason *reason)
{
    struct state *const own = state;

    own->workload = workload;
    own->method = ldp_survey_method(spec);
    own->shrinks = spec->synopsis == &ldp_synopsis_calm_shrunk;
    struct ldp_synopsis_spec given = *spec;
    if (spec->synopsis == &ldp_synopsis_product || spec->synopsis == &ldp_synopsis_uniform) {
        given.param[DESIGNED_M] = spec->synopsis == &ldp_synopsis_product ? (double)workload->records->d : 0;
        given.param[DESIGNED_L] = 1;
    }
    const enum ldp_status status = open_choice(own, &given, reason);

    return status == LDP_OK ? make_room(own) : status;
}

static void collect_tables(struct state *own, size_t from, size_t to, struct ldp_rng *rng, bool stages)
{
    ldp_tables_collect(&own->choice.tables[own->chosen], from, to, &own->groups, rng, own->x[LDP_NOISY],
                       stages ? own->x[LDP_SAMPLED] : NULL);
}

static enum ldp_status collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *const own = state;
    const size_t pilot = own->choice.pilot.m;

    own->chosen = 0;
    ldp_groups_gather(&own->groups);
    collect_tables(own, 0, pilot, rng, stages);
    if (pilot > 0) {
        own->dependence = ldp_pilot_dependence(&own->choice.pilot, own->x[LDP_NOISY]);
        own->chosen = ldp_choice_best(&own->choice, &own->dependence);
    }
    struct tables *const tables = &own->choice.tables[own->chosen];

    collect_tables(own, pilot, tables->m, rng, stages);
    if (stages)
        ldp_tables_exact(tables, own->x[LDP_EXACT]);
    if (own->fits.tables == tables)
        return LDP_OK;
    ldp_pool_clear(&own->again);
    const enum ldp_status status = ldp_known_init(&own->fits, &own->again, tables, true);
    if (status != LDP_OK)
        own->fits.tables = NULL;
    return status;
}

/* True if interactions are shrunk, or dropped where the choice of tables of several attributes was a mistake. */
static bool revises(const struct state *own)
{
    return own->shrinks || (own->choice.drops && own->chosen > 0);
}

/* True if the answers are products of frequencies of single attributes by choice. */
static bool is_floor(const struct state *own)
{
    return own->choice.is_open && own->chosen == 0;
}

static void answer(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;
    struct tables *const tables = &own->choice.tables[own->chosen];

    ldp_tables_agree(tables, own->x[stage], own->coefs);
    /* The other stages use the decisions made on the noisy one. */
    if (revises(own) && stage == LDP_NOISY)
        ldp_energies_learn(NULL, &own->shrinking, tables, own->coefs);
    if (revises(own))
        ldp_shrinking_run(&own->shrinking, tables, own->coefs);
    if (is_floor(own) && stage == LDP_NOISY)
        own->shrinking.left[1] = ldp_singles_shrink(NULL, &own->shrinking, tables, own->coefs, own->room, own->scratch);
    ldp_tables_make_valid(tables, &own->method, own->coefs);
    ldp_known_answer(&own->fits, own->coefs, out);
}

static enum ldp_status intervals(void *state, double level, double *low, double *high)
{
    struct state *const own = state;

    return ldp_cell_intervals(&own->choice.tables[own->chosen], own->x[LDP_NOISY], own->coefs, level, low, high);
}

static void facts(const void *state, struct ldp_synopsis_facts *out)
{
    const struct state *const own = state;

    ldp_survey_facts(&own->choice.tables[own->chosen], own->choice.pilot.m, out);
}

static void predict_noise(const void *state, struct ldp_prediction *out)
{
    const struct state *const own = state;

    ldp_survey_predict(&own->choice.tables[own->chosen], out);
}

static void predict(const void *state, struct ldp_prediction *out)
{
    const struct state *const own = state;

    const double *const left = is_floor(own) || revises(own) ? own->shrinking.left : NULL;

    ldp_choice_predict(&own->choice, own->chosen, &own->dependence, left, out);
    for (size_t i = 0; own->choice.pilot.m == 0 && i < own->workload->nsets; i++)
        out[i].total = NAN;
}

/* A user reports one attribute, and says which. */
static void protect_product(const void *state, struct ldp_record_protection *out)
{
    const struct ldp_workload *const workload = ((const struct state *)state)->workload;

    *out = LDP_RECORD_PROTECTION(workload->epsilon, workload->epsilon);
    ldp_record_attack(workload, workload->epsilon, 1 / (double)workload->records->d, out);
}

#define STEPS .state_bytes = sizeof(struct state), .open = open_state, .collect = collect, .answer = answer
#define ENTRIES .method = "norm_sub", .is_attackable = true, .intervals = intervals, .facts = facts, STEPS

const struct ldp_synopsis ldp_synopsis_calm = {
    .name = "calm",
    .title = "Consistent tables of a covering design, maximum entropy beyond them",
    .source = "CALM, CCS 2018",
    .params = params,
    .takes_sets = true,
    .predict = predict,
    ENTRIES,
};

const struct ldp_synopsis ldp_synopsis_calm_shrunk = {
    .name = "calm_shrunk",
    .title = "CALM's tables, interactions shrunk by how much of them is noise",
    .source = "CALM, CCS 2018, and this project",
    .params = params,
    .takes_sets = true,
    .predict = predict,
    ENTRIES,
};

const struct ldp_synopsis ldp_synopsis_product = {
    .name = "product",
    .title = "Product of the attributes' own frequencies",
    .source = "floor",
    .is_floor = true,
    .predict = predict_noise,
    .protect = protect_product,
    ENTRIES,
};

const struct ldp_synopsis ldp_synopsis_uniform = {
    .name = "uniform",
    .title = "Every cell alike, users not asked",
    .source = "floor",
    .is_floor = true,
    STEPS,
};
