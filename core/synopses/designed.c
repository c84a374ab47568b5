/* designed.c - three ways to answer from tables of a design, each reported by a group of the users with the whole
 * epsilon (survey.h):
 *
 *     rem      the sum of the interactions of all tables, by least squares, with no negative cell
 *     maxent   the distribution of maximum entropy over all attributes for all tables
 *     am       the mean of the tables that contain the marginal
 *
 * Each has a section below, with its formula and its source. */
#include "marginals/cell_intervals.h"
#include "marginals/fit.h"
#include "marginals/nearest.h"
#include "marginals/survey.h"

#include <math.h>
#include <string.h>

struct state {
    struct ldp_pool pool, again;
    const struct ldp_workload *workload;
    struct ldp_method_spec method;
    size_t nsurveys; /* rem, maxent: one */
    struct survey survey[LDP_SET_MAX];
    double *coefs;   /* rem, maxent: of the tables */
    uint32_t *where; /* maxent, am: room, the cell of a marginal to which each cell of a table belongs */

    /* rem */
    bool nonnegative;
    struct nearest nearest;
    uint32_t *from; /* [nearest.closure.ncoefs]: in the tables' coefficients; UINT32_MAX: none */

    /* maxent */
    struct ldp_set all;
    size_t cells;
    double *t, *room; /* [cells]; the parts' targets, lambdas and sums */
    uint32_t *index;
    struct fit_part *part;
};

static struct state *begin(void *state, const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload)
{
    struct state *const own = state;
    own->workload = workload;
    own->method = ldp_survey_method(spec);
    return own;
}

static enum ldp_status collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *const own = state;

    for (size_t i = 0; i < own->nsurveys; i++)
        ldp_survey_collect(&own->survey[i], rng, stages);
    return LDP_OK;
}

/* Adds a table over `set` to one over a part of its attributes. */
static void add_table(struct state *own, const struct ldp_set *set, const double *table, const struct ldp_set *part,
                      double *out)
{
    const uint32_t *const cardinality = own->workload->records->cardinality;
    const size_t cells = (size_t)ldp_set_cells(set, cardinality);

    ldp_fit_index(set, part, cardinality, own->where);
    for (size_t c = 0; c < cells; c++)
        out[own->where[c]] += table[c];
}

/* ---- One survey, of tables given by hand or by m and l: rem, maxent ---- */

static enum ldp_status open_design(struct state *own, const struct ldp_synopsis_spec *spec, struct ldp_reason *reason)
{
    struct ldp_set *chosen = NULL;
    size_t m = spec->nsets;
    enum ldp_status status = ldp_survey_check_method(&own->method, reason);

    if (status == LDP_OK && !spec->sets)
        status = ldp_design_sets(&own->pool, spec, own->workload, &chosen, &m, reason);
    if (status == LDP_OK)
        status = ldp_survey_init(&own->survey[own->nsurveys++], &own->pool, own->workload,
                                 spec->sets ? spec->sets : chosen, m, 0, &own->method, reason);
    if (status != LDP_OK)
        return status;
    return TAKE(&own->pool, own->coefs, own->survey->tables.closure.ncoefs) ? LDP_OK : LDP_ENOMEM;
}

static enum ldp_status intervals(void *state, double level, double *low, double *high)
{
    struct state *const own = state;

    return ldp_cell_intervals(&own->survey->tables, own->survey->x[LDP_NOISY], own->coefs, level, low, high);
}

static void facts(const void *state, struct ldp_synopsis_facts *out)
{
    const struct state *const own = state;

    ldp_survey_facts(&own->survey->tables, 0, out);
}

static void predict(const void *state, struct ldp_prediction *out)
{
    const struct state *const own = state;

    ldp_survey_predict(&own->survey->tables, out);
}

/* ---- rem: reconstruction by residual subspaces ----
 *
 * Every interaction of attributes that some table has is estimated by the weighted mean over the tables that have it. A
 * marginal is the sum of its interactions; interactions in no table are 0. This is the weighted least-squares estimate
 * of least norm, in closed form; answers are consistent and may be negative. With non-negativity (the default) the
 * estimate is the nearest one, by the same weights, for which no requested marginal has a negative cell.
 *
 *     min sum_s p_s |a_s - r_s|^2   such that  M_A = sum_{s in A} expand(a_s) >= 0  for every requested A
 *
 * (nearest.c). The fit ends where the duality gap is GAP of the objective. Marginals of thousands of cells do not get
 * there in ROUNDS_MAX rounds: their uniform cell is far below the noise, and the mixture would be nearly uniform. Then
 * the last a is answered, each marginal with its negative cells set to 0 and scaled to sum 1; such answers are
 * consistent only nearly. Interactions that no table has may become non-zero too; their weight is UNKNOWN times the
 * least precision of any other.
 *
 * Source: Mullins, Fuentes, Xiao, Kifer, Musco, Sheldon, Efficient and Private Marginal Reconstruction with Local
 * Non-Negativity, NeurIPS 2024 (arXiv 2410.01091): ReM and GReM-LNN, there for Gaussian noise of central differential
 * privacy. Its code was not used. */

enum { ROUNDS_MAX = 1000, ANSWERS_MAX = 1 << 20 /* more would take minutes */ };
#define GAP 1e-3    /* of the objective */
#define UNKNOWN 0.1 /* precision of an interaction that no table has, relative to the least of any other */

enum { NONNEGATIVE = DESIGNED_PARAMS };

static const struct ldp_param rem_params[] = {
    DESIGNED_ROWS("all pairs"),
    LDP_PARAM_FLAG("nonnegative", true, "requested marginals have no negative cell (GReM-LNN; without it ReM)"),
    {.name = NULL},
};

static enum ldp_status open_rem(void *state, const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                struct ldp_reason *reason)
{
    struct state *const own = begin(state, spec, workload);
    const struct tables *const tables = &own->survey->tables;
    const struct closure *const closure = &own->nearest.closure;
    double least = INFINITY;

    own->nonnegative = spec->param[NONNEGATIVE] != 0;
    if (own->nonnegative && workload->first[workload->nsets] > ANSWERS_MAX)
        return ldp_refuse(reason, "nonnegative: marginals of %zu cells together: expected at most %d",
                          workload->first[workload->nsets], ANSWERS_MAX);
    const enum ldp_status status = open_design(own, spec, reason);

    if (status != LDP_OK)
        return status;
    if (ldp_nearest_init(&own->nearest, &own->pool, workload->records->cardinality, workload->sets, workload->nsets,
                         workload->first) != LDP_OK ||
        !TAKE(&own->pool, own->from, closure->ncoefs))
        return LDP_ENOMEM;
    for (size_t b = 0; b < tables->closure.nblocks; b++)
        least = tables->precision[b] < least ? tables->precision[b] : least;
    for (size_t b = 0; b < closure->nblocks; b++) {
        const size_t block = ldp_closure_find(&tables->closure, closure->mask[b]);

        for (size_t c = closure->offset[b]; c < closure->offset[b + 1]; c++) {
            own->from[c] = block == CLOSURE_NONE ? UINT32_MAX
                                                 : (uint32_t)(tables->closure.offset[block] + (c - closure->offset[b]));
            /* The total is known. */
            own->nearest.inverse[c] =
                b == 0 ? 0 : least / (block == CLOSURE_NONE ? UNKNOWN * least : tables->precision[block]);
        }
    }
    ldp_nearest_weigh(&own->nearest, true);
    return LDP_OK;
}

/* Tables that are not near: negative cells are set to 0. */
static void clip(const struct ldp_workload *workload, double *out)
{
    for (size_t i = 0; i < workload->nsets; i++) {
        double sum = 0;

        for (size_t c = workload->first[i]; c < workload->first[i + 1]; c++)
            sum += out[c] = out[c] > 0 ? out[c] : 0;
        for (size_t c = workload->first[i]; c < workload->first[i + 1]; c++)
            out[c] /= sum;
    }
}

static void answer_rem(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;

    ldp_tables_agree(&own->survey->tables, own->survey->x[stage], own->coefs);
    for (size_t c = 0; c < own->nearest.closure.ncoefs; c++)
        own->nearest.start[c] = own->from[c] == UINT32_MAX ? 0 : own->coefs[own->from[c]];
    if (!own->nonnegative)
        ldp_nearest_expand(&own->nearest, own->nearest.start, out);
    else if (!ldp_nearest_run(&own->nearest, GAP, ROUNDS_MAX, out).near)
        clip(own->workload, out);
}

/* ---- maxent: a distribution of maximum entropy over all attributes, fitted to all tables at once ----
 *
 * Answers are sums of one distribution: they are consistent and not negative, and every marginal uses all tables, also
 * those that share only some of its attributes. The distribution is stored with all cells of the domain, so this
 * synopsis is for small domains.
 *
 * Source: the model of McKenna, Sheldon, Miklau, ICML 2019, with the penalised fit of fit.h. Cost of a sweep: all cells
 * times tables. */

enum { CELLS_MOST = 1 << 20, INDEX_MOST = 1 << 28 };

static const struct ldp_param maxent_params[] = {DESIGNED_ROWS("all pairs"), {.name = NULL}};

static enum ldp_status open_maxent(void *state, const struct ldp_synopsis_spec *spec,
                                   const struct ldp_workload *workload, struct ldp_reason *reason)
{
    struct state *const own = begin(state, spec, workload);
    const struct ldp_records *const records = workload->records;
    const struct tables *const tables = &own->survey->tables;
    double cells = 1;

    for (size_t i = 0; i < records->d; i++)
        cells *= (double)records->cardinality[i];
    if (cells > CELLS_MOST)
        return ldp_refuse(reason, "a domain of %.6g cells: expected at most %d", cells, CELLS_MOST);
    own->cells = (size_t)cells;
    own->all = ldp_set_of_mask((UINT64_C(1) << records->d) - 1);
    const enum ldp_status status = open_design(own, spec, reason);

    if (status != LDP_OK)
        return status;
    if ((double)tables->m * cells > INDEX_MOST)
        return ldp_refuse(reason, "%zu tables of a domain of %.0f cells: expected at most %d together", tables->m,
                          cells, INDEX_MOST);
    const size_t all = tables->first[tables->m];

    TAKE(&own->pool, own->t, own->cells);
    TAKE(&own->pool, own->where, own->cells);
    TAKE(&own->pool, own->index, tables->m * own->cells);
    TAKE(&own->pool, own->part, tables->m);
    TAKE(&own->pool, own->room, 3 * all);
    if (own->pool.failed)
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

static void answer_maxent(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;
    struct tables *const tables = &own->survey->tables;
    const struct ldp_workload *const workload = own->workload;

    ldp_tables_fit(tables, &own->method, own->survey->x[stage], own->coefs);
    ldp_tables_expand(tables, own->coefs, own->room);
    ldp_fit_maximum_entropy(own->cells, own->part, tables->m, FIT_SWEEPS, own->t);
    memset(out, 0, workload->first[workload->nsets] * sizeof *out);
    for (size_t i = 0; i < workload->nsets; i++)
        add_table(own, &own->all, own->t, &workload->sets[i], out + workload->first[i]);
}

/* ---- am: all marginals, one group of users for each set of l attributes ----
 *
 * A requested marginal of k = l attributes is its group's table; a marginal of fewer attributes is the mean of all
 * tables that contain it. If l is not given, each marginal is answered by tables of its own size, as if only marginals
 * of that size were requested: a survey of all users for each size. Groups that no requested marginal needs are not
 * simulated, but their users are still assigned to them.
 *
 * Source: Cormode, Kulkarni, Srivastava, SIGMOD 2018; CALM, CCS 2018. No consistency. Cost O(n) and the tables. */

enum { TABLES_MAX = 1 << 16 };

static const struct ldp_param am_params[] = {
    LDP_PARAM_INTEGER("l", NAN, 1, LDP_SET_MAX, "attributes of a table; default: those of the marginal"),
    {.name = NULL},
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

static enum ldp_status open_am(void *state, const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                               struct ldp_reason *reason)
{
    struct state *const own = begin(state, spec, workload);
    const enum ldp_status status = open_sizes(own, spec->param[0], reason);
    size_t cells = 1;

    if (status != LDP_OK)
        return status;
    for (size_t i = 0; i < own->nsurveys; i++)
        for (size_t j = 0; j < own->survey[i].tables.m; j++)
            cells = own->survey[i].tables.protocol[j].d > cells ? own->survey[i].tables.protocol[j].d : cells;
    return TAKE(&own->pool, own->where, cells) ? LDP_OK : LDP_ENOMEM;
}

/* The tables that answer a marginal. */
static const struct tables *tables_of(const struct state *own, const struct ldp_set *set)
{
    size_t i = 0;

    while (own->nsurveys > 1 && own->survey[i].tables.set->size != set->size)
        i++;
    return &own->survey[i].tables;
}

static void answer_am(void *state, enum ldp_stage stage, double *out)
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
                add_table(own, &tables->set[j], tables->x + tables->first[j], set, out + workload->first[a]);
                count++;
            }
        for (size_t c = workload->first[a]; c < workload->first[a + 1]; c++)
            out[c] /= count;
    }
}

static void facts_am(const void *state, struct ldp_synopsis_facts *out)
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
static void predict_am(const void *state, struct ldp_prediction *out)
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

/* ---- The three ---- */

#define STEPS .is_attackable = true, .state_bytes = sizeof(struct state), .collect = collect
#define ONE_SURVEY STEPS, .takes_sets = true, .intervals = intervals, .facts = facts, .predict = predict

const struct ldp_synopsis ldp_synopsis_rem = {
    .name = "rem",
    .title = "Interactions by weighted least squares, requested marginals not negative",
    .source = "ReM and GReM-LNN, NeurIPS 2024",
    .params = rem_params,
    .open = open_rem,
    .answer = answer_rem,
    ONE_SURVEY,
};

const struct ldp_synopsis ldp_synopsis_maxent = {
    .name = "maxent",
    .title = "One distribution of maximum entropy for all tables",
    .source = "ICML 2019 (Private-PGM), fitted with a penalty",
    .params = maxent_params,
    .method = "norm_sub",
    .is_slow = true,
    .open = open_maxent,
    .answer = answer_maxent,
    ONE_SURVEY,
};

const struct ldp_synopsis ldp_synopsis_am = {
    .name = "am",
    .title = "A table of its own for every marginal",
    .source = "SIGMOD 2018; CALM, CCS 2018",
    .params = am_params,
    .method = "base",
    .open = open_am,
    .answer = answer_am,
    .facts = facts_am,
    .predict = predict_am,
    STEPS,
};
