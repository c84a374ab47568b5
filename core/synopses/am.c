/* am.c - all marginals, one group of users for each set of l attributes.
 *
 * A requested marginal of k = l attributes is its group's table; a marginal of fewer attributes is the mean of all
 * tables that contain it. If l is not given, each marginal is answered by tables of its own size, as if only marginals
 * of that size were requested: a survey of all users for each size. Groups that no requested marginal needs are not
 * simulated, but their users are still assigned to them.
 *
 * Source: Cormode, Kulkarni, Srivastava, SIGMOD 2018; CALM, CCS 2018. No consistency. Cost O(n) and the tables. */
#include "marginals/fit.h"
#include "marginals/survey.h"

#include <math.h>
#include <string.h>

enum { TABLES_MAX = 1 << 16 };

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("l", NAN, 1, LDP_SET_MAX, "attributes of a table; default: those of the marginal"),
    {.name = NULL},
};

struct state {
    struct ldp_pool pool, again;
    const struct ldp_workload *workload;
    struct ldp_method_spec method;
    size_t nsurveys;
    struct survey survey[LDP_SET_MAX]; /* of one number of attributes each */
    uint32_t *where;                   /* room: the cell of a marginal to which each cell of a table belongs */
};

static enum ldp_status open_size(struct state *own, size_t l, size_t k, struct ldp_reason *reason)
{
    struct ldp_set *set;

    if (!TAKE(&own->pool, set, 2 * TABLES_MAX))
        return LDP_ENOMEM;
    const size_t m = ldp_design_containing(own->workload, l, k, set, TABLES_MAX);

    if (m > TABLES_MAX)
        return ldp_refuse(reason, "l = %zu: expected at most %d tables that contain the requested marginals, got more",
                          l, TABLES_MAX);
    return ldp_survey_init(&own->survey[own->nsurveys++], &own->pool, own->workload, set, m, l, &own->method, reason);
}

static enum ldp_status open_sizes(struct state *own, double l, struct ldp_reason *reason)
{
    const struct ldp_workload *const workload = own->workload;
    enum ldp_status status = LDP_OK;
    uint32_t sizes = 0;

    if (l > (double)workload->records->d)
        return ldp_refuse(reason, "l = %.0f: expected at most the %zu attributes", l, workload->records->d);
    for (size_t i = 0; i < workload->nsets; i++) {
        sizes |= UINT32_C(1) << (workload->sets[i].size - 1);
        if ((double)workload->sets[i].size > l)
            return ldp_refuse(reason, "l = %.0f: expected at least the %u attributes of a marginal", l,
                              workload->sets[i].size);
    }
    if (!isnan(l))
        return open_size(own, (size_t)l, 0, reason);
    for (size_t k = 1; status == LDP_OK && sizes >> (k - 1); k++)
        if (sizes >> (k - 1) & 1)
            status = open_size(own, k, k, reason);
    return status;
}

static enum ldp_status open_state(void *state, const struct ldp_synopsis_spec *spec,
                                  const struct ldp_workload *workload, struct ldp_reason *reason)
{
    struct state *const own = state;
    size_t cells = 1;

    own->workload = workload;
    own->method = ldp_survey_method(spec);
    const enum ldp_status status = open_sizes(own, spec->param[0], reason);
    if (status != LDP_OK)
        return status;
    for (size_t i = 0; i < own->nsurveys; i++)
        for (size_t j = 0; j < own->survey[i].tables.m; j++)
            cells = own->survey[i].tables.protocol[j].d > cells ? own->survey[i].tables.protocol[j].d : cells;
    return TAKE(&own->pool, own->where, cells) ? LDP_OK : LDP_ENOMEM;
}

static enum ldp_status collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *const own = state;

    for (size_t i = 0; i < own->nsurveys; i++)
        ldp_survey_collect(&own->survey[i], rng, stages);
    return LDP_OK;
}

/* The tables that answer a marginal. */
static const struct tables *tables_of(const struct state *own, const struct ldp_set *set)
{
    size_t i = 0;

    while (own->nsurveys > 1 && own->survey[i].tables.set->size != set->size)
        i++;
    return &own->survey[i].tables;
}

static void answer(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;
    const struct ldp_workload *const workload = own->workload;

    for (size_t i = 0; i < own->nsurveys; i++) {
        const struct tables *const tables = &own->survey[i].tables;

        for (size_t j = 0; j < tables->m; j++)
            ldp_postprocess(&own->method,
                            &(struct ldp_collection){&tables->protocol[j], tables->users[j], NULL,
                                                     own->survey[i].x[stage] + tables->first[j]},
                            tables->scratch, tables->x + tables->first[j]);
    }
    memset(out, 0, workload->first[workload->nsets] * sizeof *out);
    for (size_t a = 0; a < workload->nsets; a++) {
        const struct ldp_set *const set = &workload->sets[a];
        const struct tables *const tables = tables_of(own, set);
        double count = 0;

        for (size_t j = 0; j < tables->m; j++)
            if (!(ldp_set_mask(set) & ~ldp_set_mask(&tables->set[j]))) {
                ldp_fit_sum(&tables->set[j], tables->cardinality, tables->x + tables->first[j], set, own->where,
                            out + workload->first[a]);
                count++;
            }
        for (size_t c = workload->first[a]; c < workload->first[a + 1]; c++)
            out[c] /= count;
    }
}

static void facts(const void *state, struct ldp_synopsis_facts *out)
{
    const struct state *const own = state;

    *out = (struct ldp_synopsis_facts){0};
    for (size_t i = 0; i < own->nsurveys; i++) {
        const size_t l = own->survey[i].tables.set->size;

        out->l = l > out->l ? l : out->l;
        out->m += (size_t)ldp_design_choose(own->workload->records->d, l);
    }
}

/* The tables that contain a marginal are averaged unchanged, those of one l with equal weights. */
static void predict(const void *state, struct ldp_prediction *out)
{
    const struct state *const own = state;
    const struct ldp_workload *const workload = own->workload;

    for (size_t a = 0; a < workload->nsets; a++) {
        const struct tables *const tables = tables_of(own, &workload->sets[a]);
        const double cells = (double)(workload->first[a + 1] - workload->first[a]);
        double sum = 0, count = 0;

        for (size_t j = 0; j < tables->m; j++)
            if (!(ldp_set_mask(&workload->sets[a]) & ~ldp_set_mask(&tables->set[j]))) {
                sum += 1 / tables->weight[j];
                count++;
            }
        /* Every block of the marginal, so all of its coefficients but the total. */
        out[a].noise = out[a].total = (sum / count / count - ldp_tables_fixed(tables)) * ((cells - 1) / cells);
    }
}

const struct ldp_synopsis ldp_synopsis_am = {
    .name = "am",
    .title = "A table of its own for every marginal",
    .source = "SIGMOD 2018; CALM, CCS 2018",
    .params = params,
    .method = "base",
    .is_attackable = true,
    .state_bytes = sizeof(struct state),
    .open = open_state,
    .collect = collect,
    .answer = answer,
    .facts = facts,
    .predict = predict,
};
