/* product.c - the product of the attributes' own frequencies: a floor.
 *
 * d groups of users, one attribute each, with the whole epsilon. A synopsis that is worse than this gains nothing from
 * tables of several attributes. */
#include "marginals/reconstruct.h"
#include "marginals/survey.h"

#include <stdlib.h>

struct state {
    struct ldp_method_spec method;
    struct survey survey;
    struct reconstruction reconstruction;
    double *coefs;
};

static void close_state(void *state)
{
    struct state *const own = state;

    if (!own)
        return;
    ldp_reconstruction_clear(&own->reconstruction);
    ldp_survey_clear(&own->survey);
    free(own->coefs);
    free(own);
}

static enum ldp_status open_state(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    struct state *const own = calloc(1, sizeof *own);
    struct ldp_set set[LDP_ATTRIBUTES_MAX];
    const size_t d = workload->records->d;

    if (!own)
        return LDP_ENOMEM;
    for (size_t i = 0; i < d; i++)
        set[i] = (struct ldp_set){1, {(uint8_t)i}};
    own->method = ldp_survey_method(spec);
    enum ldp_status status = ldp_survey_check_method(&own->method, reason);

    if (status == LDP_OK)
        status = ldp_survey_init(&own->survey, workload, set, d, &own->method, reason);
    if (status == LDP_OK)
        status = ldp_reconstruction_init(&own->reconstruction, workload, &own->survey.tables);
    if (status == LDP_OK) {
        own->coefs = malloc(own->survey.tables.closure.ncoefs * sizeof *own->coefs);
        status = own->coefs ? LDP_OK : LDP_ENOMEM;
    }
    if (status == LDP_OK)
        *state = own;
    else
        close_state(own);
    return status;
}

static void collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *const own = state;

    ldp_survey_collect(&own->survey, rng, stages);
}

static void answer(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;

    ldp_tables_settle(&own->survey.tables, &own->method, own->survey.x[stage], own->coefs);
    ldp_reconstruction_run(&own->reconstruction, own->coefs, out);
}

static void facts(const void *state, struct ldp_synopsis_facts *out)
{
    const struct state *const own = state;

    *out = (struct ldp_synopsis_facts){.m = own->survey.tables.m, .l = 1, .set = own->survey.tables.set};
}

static void predict(const void *state, struct ldp_prediction *out)
{
    const struct state *const own = state;

    ldp_survey_predict(&own->survey, out);
}

const struct ldp_synopsis ldp_synopsis_product = {
    .name = "product",
    .title = "Product of the attributes' own frequencies",
    .source = "floor",
    .method = "norm_sub",
    .is_floor = true,
    .is_attackable = true,
    .open = open_state,
    .close = close_state,
    .collect = collect,
    .answer = answer,
    .facts = facts,
    .predict = predict,
};
