/* calm.c - consistent adaptive local marginals.
 *
 * m tables of l attributes each, collected from as many groups of users with the whole epsilon; made to agree and to be
 * distributions; a marginal inside one of them is its sum, any other the one of maximum entropy.
 *
 * Source: Zhang, Wang, Li, He, Chen, CALM, CCS 2018. Its second half was not at hand: consistency, non-negativity and
 * reconstruction are this project's (tables.c, reconstruct.c), and so is the choice of m and l. */
#include "marginals/designed.h"
#include "marginals/reconstruct.h"

#include <math.h>
#include <stdlib.h>

struct state {
    struct designed designed;
    struct reconstruction reconstruction;
};

static const struct ldp_param params[] = {DESIGNED_ROWS, {.name = NULL}};

static void close_state(void *state)
{
    struct state *own = state;

    if (!own)
        return;
    ldp_reconstruction_clear(&own->reconstruction);
    ldp_designed_clear(&own->designed);
    free(own);
}

static enum ldp_status open_state(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    struct state *own = calloc(1, sizeof *own);

    if (!own)
        return LDP_ENOMEM;
    enum ldp_status status = ldp_designed_open(&own->designed, spec, workload, reason);

    if (status == LDP_OK)
        status = ldp_reconstruction_init(&own->reconstruction, workload, &own->designed.survey.tables);
    if (status == LDP_OK)
        *state = own;
    else
        close_state(own);
    return status;
}

static void collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *own = state;

    ldp_designed_collect(&own->designed, rng, stages);
}

static void answer(void *state, enum ldp_stage stage, double *out)
{
    struct state *own = state;
    struct designed *designed = &own->designed;

    ldp_tables_settle(&designed->survey.tables, &designed->method, designed->survey.x[stage], designed->coefs);
    ldp_reconstruction_run(&own->reconstruction, designed->coefs, out);
}

static void facts(const void *state, struct ldp_synopsis_facts *out)
{
    const struct state *own = state;

    ldp_designed_facts(&own->designed, out);
}

static void predict(const void *state, struct ldp_prediction *out)
{
    const struct state *own = state;

    ldp_survey_predict(&own->designed.survey, out);
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
