/* maxent.c - a distribution of maximum entropy over all attributes, fitted to all tables at once (calm's tables and
 * groups).
 *
 * Answers are sums of one distribution: they are consistent and not negative, and every marginal uses all tables, also
 * those that share only some of its attributes. The distribution is stored with all cells of the domain, so this
 * synopsis is for small domains.
 *
 * Source: the model of McKenna, Sheldon, Miklau, ICML 2019, with the penalised fit of fit.h. Cost of a sweep: all cells
 * times tables. */
#include "marginals/fit.h"
#include "marginals/survey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MOST = 1 << 20, INDEX_MOST = 1 << 28 };

struct state {
    struct designed designed;
    struct ldp_set all;
    size_t cells;
    double *t, *room;
    uint32_t *index;
    struct fit_part *part;
    uint32_t *where; /* room: cells of a wanted marginal */
};

static const struct ldp_param params[] = {DESIGNED_ROWS("all pairs"), {.name = NULL}};

static void close_state(void *state)
{
    struct state *const own = state;

    if (!own)
        return;
    ldp_designed_clear(&own->designed);
    free(own->t);
    free(own->room);
    free(own->index);
    free(own->part);
    free(own->where);
    free(own);
}

static enum ldp_status prepare(struct state *own)
{
    const struct tables *const tables = &own->designed.survey.tables;
    const size_t all = tables->first[tables->m];

    own->t = malloc(own->cells * sizeof *own->t);
    own->where = malloc(own->cells * sizeof *own->where);
    own->index = malloc(tables->m * own->cells * sizeof *own->index);
    own->part = malloc(tables->m * sizeof *own->part);
    own->room = malloc(3 * all * sizeof *own->room);
    if (!own->t || !own->where || !own->index || !own->part || !own->room)
        return LDP_ENOMEM;
    for (size_t i = 0; i < tables->m; i++) {
        uint32_t *const index = own->index + i * own->cells;
        const size_t block = ldp_closure_find(&tables->closure, ldp_set_mask(&tables->set[i]));

        ldp_fit_index(&own->all, &tables->set[i], tables->cardinality, index);
        own->part[i] = (struct fit_part){.cells = tables->protocol[i].d,
                                         .weight = (double)tables->protocol[i].d * tables->precision[block],
                                         .index = index,
                                         .target = own->room + tables->first[i],
                                         .lambda = own->room + all + tables->first[i],
                                         .sum = own->room + 2 * all + tables->first[i]};
    }
    return LDP_OK;
}

static enum ldp_status open_state(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    const struct ldp_records *const records = workload->records;
    double cells = 1;

    for (size_t i = 0; i < records->d; i++)
        cells *= (double)records->cardinality[i];
    if (cells > CELLS_MOST)
        return ldp_refuse(reason, "a domain of %.6g cells: expected at most %d", cells, CELLS_MOST);
    struct state *const own = calloc(1, sizeof *own);

    if (!own)
        return LDP_ENOMEM;
    own->cells = (size_t)cells;
    own->all = ldp_set_of_mask((UINT64_C(1) << records->d) - 1);
    enum ldp_status status = ldp_designed_open(&own->designed, spec, workload, reason);

    if (status == LDP_OK && (double)own->designed.survey.tables.m * cells > INDEX_MOST)
        status = ldp_refuse(reason, "%zu tables of a domain of %.0f cells: expected at most %d together",
                            own->designed.survey.tables.m, cells, INDEX_MOST);
    if (status == LDP_OK)
        status = prepare(own);
    if (status == LDP_OK)
        *state = own;
    else
        close_state(own);
    return status;
}

static void answer(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;
    struct designed *const designed = &own->designed;
    struct tables *const tables = &designed->survey.tables;
    const struct ldp_workload *const workload = designed->workload;

    ldp_tables_settle(tables, &designed->method, designed->survey.x[stage], designed->coefs);
    ldp_tables_expand(tables, designed->coefs, own->room);
    ldp_fit_maximum_entropy(own->cells, own->part, tables->m, own->t);
    for (size_t i = 0; i < workload->nsets; i++) {
        double *const marginal = out + workload->first[i];

        memset(marginal, 0, (workload->first[i + 1] - workload->first[i]) * sizeof *marginal);
        ldp_fit_index(&own->all, &workload->sets[i], tables->cardinality, own->where);
        for (size_t v = 0; v < own->cells; v++)
            marginal[own->where[v]] += own->t[v];
    }
}

const struct ldp_synopsis ldp_synopsis_maxent = {
    .name = "maxent",
    .title = "One distribution of maximum entropy for all tables",
    .source = "ICML 2019 (Private-PGM), fitted with a penalty",
    .params = params,
    .takes_sets = true,
    .method = "norm_sub",
    .is_slow = true,
    .is_attackable = true,
    .open = open_state,
    .close = close_state,
    .collect = ldp_designed_collect,
    .answer = answer,
    .intervals = ldp_designed_intervals,
    .facts = ldp_designed_facts,
    .predict = ldp_designed_predict,
};
