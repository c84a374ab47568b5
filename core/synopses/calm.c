/* calm.c - consistent adaptive local marginals.
 *
 * m tables of l attributes each, collected from as many groups of users with the whole epsilon; made to agree and to be
 * distributions; a marginal inside one of them is its sum, any other the one of maximum entropy. Where neither m nor l
 * is given a first tenth of the users decides on them (choice.c).
 *
 * Source: Zhang, Wang, Li, He, Chen, CALM, CCS 2018. Its second half was not at hand: consistency, non-negativity and
 * reconstruction are this project's (tables.c, reconstruct.c), and so is the choice of m and l. */
#include "marginals/choice.h"
#include "marginals/designed.h"
#include "marginals/reconstruct.h"

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
    struct ldp_prediction *room;
};

static const struct ldp_param params[] = {DESIGNED_ROWS("chosen by a tenth of the users"), {.name = NULL}};

static void close_state(void *state)
{
    struct state *own = state;

    if (!own)
        return;
    for (size_t c = 0; own->reconstruction && c < own->choice.count; c++)
        ldp_reconstruction_clear(&own->reconstruction[c]);
    free(own->reconstruction);
    ldp_choice_clear(&own->choice);
    ldp_groups_clear(&own->groups);
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        free(own->x[stage]);
    free(own->coefs);
    free(own->room);
    free(own);
}

static enum ldp_status open_choice(struct state *own, const struct ldp_synopsis_spec *spec, struct ldp_reason *reason)
{
    struct ldp_set *set = NULL;
    size_t m = 0;
    enum ldp_status status = ldp_survey_check_method(&own->method, reason);

    if (status != LDP_OK)
        return status;
    if (spec->sets)
        return ldp_choice_given(&own->choice, own->workload, spec->sets, spec->nsets, &own->method, reason);
    if (isnan(spec->param[DESIGNED_M]) && isnan(spec->param[DESIGNED_L]))
        return ldp_choice_open(&own->choice, own->workload, &own->method, reason);
    status = ldp_designed_sets(spec, own->workload, &set, &m, reason);
    if (status == LDP_OK)
        status = ldp_choice_given(&own->choice, own->workload, set, m, &own->method, reason);
    free(set);
    return status;
}

static enum ldp_status make_room(struct state *own)
{
    size_t cells = 1, coefs = 1, m = 1;
    enum ldp_status status = LDP_OK;

    own->reconstruction = calloc(own->choice.count, sizeof *own->reconstruction);
    own->room = malloc(own->workload->nsets * sizeof *own->room);
    if (!own->reconstruction || !own->room)
        return LDP_ENOMEM;
    for (size_t c = 0; c < own->choice.count; c++) {
        const struct tables *tables = &own->choice.tables[c];

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
    if (!own->coefs)
        status = LDP_ENOMEM;
    return status == LDP_OK ? ldp_groups_init(&own->groups, own->workload->records, (double)m) : status;
}

static enum ldp_status open_state(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    struct state *own = calloc(1, sizeof *own);

    if (!own)
        return LDP_ENOMEM;
    own->workload = workload;
    own->method = ldp_survey_method(spec);
    enum ldp_status status = open_choice(own, spec, reason);

    if (status == LDP_OK)
        status = make_room(own);
    if (status == LDP_OK)
        *state = own;
    else
        close_state(own);
    return status;
}

static void collect_tables(struct state *own, size_t from, size_t to, struct ldp_rng *rng, bool stages)
{
    struct tables *tables = &own->choice.tables[own->chosen];

    for (size_t i = from; i < to; i++)
        ldp_tables_collect(tables, i, &own->groups, rng, own->x[LDP_NOISY] + tables->first[i],
                           stages ? own->x[LDP_SAMPLED] + tables->first[i] : NULL);
}

static void collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *own = state;
    const size_t pilot = own->choice.pilot;

    own->chosen = 0;
    ldp_groups_gather(&own->groups);
    collect_tables(own, 0, pilot, rng, stages);
    if (pilot > 0) {
        own->dependence = ldp_choice_look(&own->choice, own->x[LDP_NOISY]);
        own->chosen = ldp_choice_best(&own->choice, &own->dependence, own->room);
    }
    struct tables *tables = &own->choice.tables[own->chosen];

    collect_tables(own, pilot, tables->m, rng, stages);
    if (stages)
        ldp_tables_exact(tables, own->x[LDP_EXACT]);
}

static void answer(void *state, enum ldp_stage stage, double *out)
{
    struct state *own = state;

    ldp_tables_settle(&own->choice.tables[own->chosen], &own->method, own->x[stage], own->coefs);
    ldp_reconstruction_run(&own->reconstruction[own->chosen], own->coefs, out);
}

static void facts(const void *state, struct ldp_synopsis_facts *out)
{
    const struct state *own = state;
    const struct tables *tables = &own->choice.tables[own->chosen];
    const size_t pilot = own->choice.pilot;

    *out = (struct ldp_synopsis_facts){.m = tables->m - pilot, .set = tables->set + pilot};
    for (size_t i = pilot; i < tables->m; i++)
        out->l = tables->set[i].size > out->l ? tables->set[i].size : out->l;
}

static void predict(const void *state, struct ldp_prediction *out)
{
    const struct state *own = state;

    ldp_choice_predict(&own->choice, own->chosen, &own->dependence, out);
    for (size_t i = 0; own->choice.pilot == 0 && i < own->workload->nsets; i++)
        out[i].total = NAN;
}

const struct ldp_synopsis ldp_synopsis_calm = {
    .name = "calm",
    .title = "Consistent tables of a covering design, maximum entropy beyond them",
    .source = "CALM, CCS 2018",
    .params = params,
    .takes_sets = true,
    .method = "norm_sub",
    .open = open_state,
    .close = close_state,
    .collect = collect,
    .answer = answer,
    .facts = facts,
    .predict = predict,
};
