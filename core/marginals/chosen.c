/* chosen.c - see chosen.h. */
#include "marginals/chosen.h"

#include "marginals/cell_intervals.h"
#include "marginals/choice.h"
#include "marginals/designed.h"
#include "marginals/reconstruct.h"
#include "marginals/singles.h"
#include "marginals/threshold.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct state {
    const struct ldp_workload *workload;
    struct ldp_method_spec method;
    struct choice choice;
    struct reconstruction *reconstruction; /* [choice.count] */
    struct groups groups;
    size_t chosen; /* by the last collection */
    struct dependence dependence;
    double *x[LDP_EXACT + 1], *coefs;
    bool shrinks;
    struct shrinking shrinking;
    struct singles singles;
};

void ldp_chosen_close(void *state)
{
    struct state *const own = state;

    if (!own)
        return;
    for (size_t c = 0; own->reconstruction && c < own->choice.count; c++)
        ldp_reconstruction_clear(&own->reconstruction[c]);
    free(own->reconstruction);
    ldp_choice_clear(&own->choice);
    ldp_groups_clear(&own->groups);
    ldp_shrinking_clear(&own->shrinking);
    ldp_singles_clear(&own->singles);
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        free(own->x[stage]);
    free(own->coefs);
    free(own);
}

static enum ldp_status open_choice(struct state *own, const struct ldp_synopsis_spec *spec, struct ldp_reason *reason)
{
    const double theta = spec->param[CHOSEN_THETA];
    const bool by_hand = spec->sets || !isnan(spec->param[DESIGNED_M]) || !isnan(spec->param[DESIGNED_L]);
    enum ldp_status status = ldp_survey_check_method(&own->method, reason);

    if (status != LDP_OK)
        return status;
    if (!isnan(theta) && by_hand)
        return ldp_refuse(reason, "theta chooses m and l: expected none of m, l and sets beside it");
    if (spec->sets)
        return ldp_choice_given(&own->choice, own->workload, spec->sets, spec->nsets, &own->method, reason);
    struct ldp_synopsis_spec given = *spec;
    size_t m = 0;
    if (!isnan(theta)) {
        size_t l;

        status = ldp_threshold_choose(own->workload, theta, &m, &l, reason);
        given.param[DESIGNED_M] = (double)m;
        given.param[DESIGNED_L] = (double)l;
    } else if (!by_hand) {
        return ldp_choice_open(&own->choice, own->workload, &own->method, own->shrinks, reason);
    }
    struct ldp_set *set = NULL;
    if (status == LDP_OK)
        status = ldp_designed_sets(&given, own->workload, &set, &m, reason);
    if (status == LDP_OK)
        status = ldp_choice_given(&own->choice, own->workload, set, m, &own->method, reason);
    free(set);
    return status;
}

static enum ldp_status make_room(struct state *own)
{
    size_t cells = 1, coefs = 1, m = 1;
    enum ldp_status status = LDP_OK;

    assert(own->choice.count > 0);
    own->reconstruction = calloc(own->choice.count, sizeof *own->reconstruction);
    if (!own->reconstruction)
        return LDP_ENOMEM;
    for (size_t c = 0; c < own->choice.count; c++) {
        const struct tables *const tables = &own->choice.tables[c];

        cells = tables->first[tables->m] > cells ? tables->first[tables->m] : cells;
        coefs = tables->closure.ncoefs > coefs ? tables->closure.ncoefs : coefs;
        m = tables->m > m ? tables->m : m;
        if (status == LDP_OK)
            status = ldp_reconstruction_init(&own->reconstruction[c], own->workload, tables);
    }
    own->coefs = malloc(coefs * sizeof *own->coefs);
    for (int stage = 0; stage <= LDP_EXACT; stage++) {
        own->x[stage] = malloc(cells * sizeof *own->x[stage]);
        if (!own->x[stage])
            status = LDP_ENOMEM;
    }
    if (!own->coefs ||
        ((own->shrinks || own->choice.drops) && ldp_shrinking_init(&own->shrinking, own->shrinks, coefs) != LDP_OK) ||
        (own->choice.is_open && ldp_singles_init(&own->singles, own->choice.tables[0].closure.ncoefs) != LDP_OK))
        status = LDP_ENOMEM;
    return status == LDP_OK ? ldp_groups_init(&own->groups, own->workload->records, m) : status;
}

enum ldp_status ldp_chosen_open(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload, bool shrinks,
                                void **state, struct ldp_reason *reason)
{
    struct state *const own = calloc(1, sizeof *own);

    if (!own)
        return LDP_ENOMEM;
    own->workload = workload;
    own->method = ldp_survey_method(spec);
    own->shrinks = shrinks;
    enum ldp_status status = open_choice(own, spec, reason);

    if (status == LDP_OK)
        status = make_room(own);
    if (status == LDP_OK)
        *state = own;
    else
        ldp_chosen_close(own);
    return status;
}

static void collect_tables(struct state *own, size_t from, size_t to, struct ldp_rng *rng, bool stages)
{
    ldp_tables_collect(&own->choice.tables[own->chosen], from, to, &own->groups, rng, own->x[LDP_NOISY],
                       stages ? own->x[LDP_SAMPLED] : NULL);
}

enum ldp_status ldp_chosen_collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *const own = state;
    const size_t pilot = own->choice.pilot.m;

    own->chosen = 0;
    ldp_groups_gather(&own->groups);
    collect_tables(own, 0, pilot, rng, stages);
    if (pilot > 0) {
        own->dependence = ldp_pilot_look(&own->choice.pilot, own->x[LDP_NOISY]);
        own->chosen = ldp_choice_best(&own->choice, &own->dependence);
    }
    struct tables *const tables = &own->choice.tables[own->chosen];

    collect_tables(own, pilot, tables->m, rng, stages);
    if (stages)
        ldp_tables_exact(tables, own->x[LDP_EXACT]);
    return LDP_OK;
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

void ldp_chosen_answer(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;
    struct tables *const tables = &own->choice.tables[own->chosen];

    ldp_tables_agree(tables, own->x[stage], own->coefs);
    /* The other stages use the decisions made on the noisy one. */
    if (revises(own))
        ldp_shrinking_run(&own->shrinking, tables, stage == LDP_NOISY, own->coefs);
    if (is_floor(own) && stage == LDP_NOISY)
        ldp_singles_keep(&own->singles, tables, own->coefs);
    ldp_tables_make_valid(tables, &own->method, own->coefs);
    if (is_floor(own) && stage == LDP_NOISY)
        ldp_singles_learn(&own->singles, tables, own->coefs);
    if (is_floor(own))
        ldp_singles_shrink(&own->singles, tables, own->coefs);
    ldp_reconstruction_run(&own->reconstruction[own->chosen], own->coefs, out);
}

enum ldp_status ldp_chosen_intervals(void *state, double level, double *low, double *high)
{
    struct state *const own = state;

    return ldp_cell_intervals(&own->choice.tables[own->chosen], own->x[LDP_NOISY], own->coefs, level, low, high);
}

void ldp_chosen_facts(const void *state, struct ldp_synopsis_facts *out)
{
    const struct state *const own = state;
    const struct tables *const tables = &own->choice.tables[own->chosen];
    const size_t pilot = own->choice.pilot.m;

    *out = (struct ldp_synopsis_facts){.m = tables->m - pilot, .set = tables->set + pilot};
    for (size_t i = pilot; i < tables->m; i++)
        out->l = tables->set[i].size > out->l ? tables->set[i].size : out->l;
}

void ldp_chosen_predict_noise(const void *state, struct ldp_prediction *out)
{
    const struct state *const own = state;

    ldp_survey_predict(&own->choice.tables[own->chosen], out);
}

void ldp_chosen_predict(const void *state, struct ldp_prediction *out)
{
    const struct state *const own = state;

    const double singles[LDP_SET_MAX + 1] = {[1] = own->singles.left};
    const double *const left = is_floor(own) ? singles : revises(own) ? own->shrinking.left : NULL;

    ldp_choice_predict(&own->choice, own->chosen, &own->dependence, left, out);
    for (size_t i = 0; own->choice.pilot.m == 0 && i < own->workload->nsets; i++)
        out[i].total = NAN;
}
