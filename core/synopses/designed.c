/* designed.c - answers from tables of a design, each reported by a group of the users with the whole epsilon:
 *
 *     calm, calm_shrunk   the design chosen by what a first part of the users reports, if it is not given (choice.c)
 *     product, uniform    a table of each attribute; none
 *     rem                 the sum of the interactions of all tables, by least squares, with no negative cell
 *     maxent              the distribution of maximum entropy over all attributes for all tables
 *
 * Each has a section below, with its formula and its source. */
#include "marginals/choice.h"
#include "marginals/energies.h"
#include "marginals/fit.h"
#include "marginals/known.h"
#include "marginals/survey.h"
#include "marginals/tables.h"
#include "numerics/simplex.h"

#include <assert.h>
#include <math.h>
#include <string.h>

extern const struct ldp_synopsis ldp_synopsis_calm, ldp_synopsis_calm_shrunk, ldp_synopsis_product,
    ldp_synopsis_uniform;

struct state {
    struct ldp_pool pool, again; /* again: that of fits */
    const struct ldp_workload *workload;
    struct ldp_method_spec method;
    struct choice choice; /* of one design, if it is given */
    struct groups groups;
    size_t chosen; /* by the last collection */
    double *x[LDP_EXACT + 1], *coefs, *room;
    void *scratch;

    /* calm and the floors */
    bool shrinks;
    struct shrinking shrinking;
    struct known_fits fits; /* of the tables chosen, kept until others are */
    struct dependence dependence;

    /* rem */
    bool nonnegative;
    struct nearest nearest;
    uint32_t *from; /* [nearest.closure.ncoefs]: in the tables' coefficients; UINT32_MAX: none */

    /* maxent */
    struct ldp_set all;
    size_t cells;
    double *t, *targets; /* [cells]; the parts' targets, lambdas and sums */
    uint32_t *index, *where;
    struct fit_part *part;
};

static enum ldp_status open_choice(struct state *own, const struct ldp_synopsis_spec *spec, struct ldp_reason *reason)
{
    enum ldp_status status = ldp_survey_check_method(&own->method, reason);
    struct ldp_set *chosen = NULL;
    size_t m = spec->nsets;
    const bool chooses = spec->synopsis == &ldp_synopsis_calm || spec->synopsis == &ldp_synopsis_calm_shrunk;

    if (status == LDP_OK && chooses && !spec->sets && isnan(spec->param[DESIGNED_M]) && isnan(spec->param[DESIGNED_L]))
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

static enum ldp_status open_design(void *state, const struct ldp_synopsis_spec *spec,
                                   const struct ldp_workload *workload, struct ldp_reason *reason)
{
    struct state *const own = state;
    struct ldp_synopsis_spec given = *spec;

    own->workload = workload;
    own->method = ldp_survey_method(spec);
    own->shrinks = spec->synopsis == &ldp_synopsis_calm_shrunk;
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
    return LDP_OK;
}

static enum ldp_status intervals(void *state, double level, double *low, double *high)
{
    struct state *const own = state;

    return ldp_cell_intervals(LDP_MANY_OF_TABLE, &own->choice.tables[own->chosen], own->x[LDP_NOISY], own->coefs, level,
                              low, high);
}

static void facts(const void *state, struct ldp_synopsis_facts *out)
{
    const struct state *const own = state;

    ldp_survey_facts(&own->choice.tables[own->chosen], own->choice.pilot.m, out);
}

static void predict_noise(const void *state, struct ldp_prediction *out)
{
    const struct state *const own = state;
    const struct ldp_workload *const workload = own->workload;

    for (size_t i = 0; i < workload->nsets; i++)
        out[i] = (struct ldp_prediction){
            .noise = ldp_tables_noise(&own->choice.tables[own->chosen], &workload->sets[i]), .total = NAN};
}

/* ---- calm: consistent adaptive local marginals ----
 *
 * m tables of l attributes each are made consistent, non-negative and of sum 1. A marginal inside one of them is a sum
 * of its cells, any other is the one of maximum entropy.
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

static const struct ldp_param calm_params[] = {
    DESIGNED_ROWS("chosen by what a first part of the users reports"),
    {.name = NULL},
};

static enum ldp_status collect_calm(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *const own = state;

    collect(state, rng, stages);
    const struct tables *const tables = &own->choice.tables[own->chosen];
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

static void answer_calm(void *state, enum ldp_stage stage, double *out)
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

static void predict_calm(const void *state, struct ldp_prediction *out)
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

    ldp_record_protect(workload, workload->epsilon, workload->epsilon, 1 / (double)workload->records->d, out);
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
    struct state *const own = state;
    const struct closure *const closure = &own->nearest.closure;
    double least = INFINITY;

    own->nonnegative = spec->param[NONNEGATIVE] != 0;
    if (own->nonnegative && workload->first[workload->nsets] > ANSWERS_MAX)
        return ldp_refuse(reason, "nonnegative: marginals of %zu cells together: expected at most %d",
                          workload->first[workload->nsets], ANSWERS_MAX);
    const enum ldp_status status = open_design(own, spec, workload, reason);

    if (status != LDP_OK)
        return status;
    if (ldp_nearest_init(&own->nearest, &own->pool, workload->records->cardinality, workload->sets, workload->nsets,
                         workload->first) != LDP_OK ||
        !TAKE(&own->pool, own->from, closure->ncoefs))
        return LDP_ENOMEM;
    const struct tables *const tables = own->choice.tables;
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

    ldp_tables_agree(own->choice.tables, own->x[stage], own->coefs);
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
    struct state *const own = state;
    const struct ldp_records *const records = workload->records;
    double cells = 1;

    for (size_t i = 0; i < records->d; i++)
        cells *= (double)records->cardinality[i];
    if (cells > CELLS_MOST)
        return ldp_refuse(reason, "a domain of %.6g cells: expected at most %d", cells, CELLS_MOST);
    own->cells = (size_t)cells;
    own->all = ldp_set_of_mask((UINT64_C(1) << records->d) - 1);
    const enum ldp_status status = open_design(own, spec, workload, reason);

    if (status != LDP_OK)
        return status;
    const struct tables *const tables = own->choice.tables;
    if ((double)tables->m * cells > INDEX_MOST)
        return ldp_refuse(reason, "%zu tables of a domain of %.0f cells: expected at most %d together", tables->m,
                          cells, INDEX_MOST);
    const size_t all = tables->first[tables->m];

    TAKE(&own->pool, own->t, own->cells);
    TAKE(&own->pool, own->where, own->cells);
    TAKE(&own->pool, own->index, tables->m * own->cells);
    TAKE(&own->pool, own->part, tables->m);
    TAKE(&own->pool, own->targets, 3 * all);
    if (own->pool.failed)
        return LDP_ENOMEM;
    for (size_t i = 0; i < tables->m; i++) {
        uint32_t *const index = own->index + i * own->cells;
        const size_t block = ldp_closure_find(&tables->closure, ldp_set_mask(&tables->set[i]));

        ldp_fit_index(&own->all, &tables->set[i], tables->cardinality, index);
        own->part[i] = (struct fit_part){.cells = tables->protocol[i].d,
                                         .weight = (double)tables->protocol[i].d * tables->precision[block],
                                         .index = index,
                                         .target = own->targets + tables->first[i],
                                         .lambda = own->targets + all + tables->first[i],
                                         .sum = own->targets + 2 * all + tables->first[i]};
    }
    return LDP_OK;
}

static void answer_maxent(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;
    struct tables *const tables = own->choice.tables;
    const struct ldp_workload *const workload = own->workload;

    ldp_tables_agree(tables, own->x[stage], own->coefs);
    ldp_tables_make_valid(tables, &own->method, own->coefs);
    ldp_tables_expand(tables, own->coefs, own->targets);
    ldp_fit_maximum_entropy(own->cells, own->part, tables->m, FIT_SWEEPS, own->t);
    memset(out, 0, workload->first[workload->nsets] * sizeof *out);
    for (size_t i = 0; i < workload->nsets; i++)
        ldp_fit_sum(&own->all, tables->cardinality, own->t, &workload->sets[i], own->where, out + workload->first[i]);
}

/* ---- All of them ---- */

#define ASKS .is_attackable = true, .intervals = intervals, .facts = facts
#define STEPS(collect_, answer_) .state_bytes = sizeof(struct state), .collect = (collect_), .answer = (answer_)
#define CALM .open = open_design, STEPS(collect_calm, answer_calm)
#define DESIGNED .params = calm_params, .takes_sets = true, .method = "norm_sub", .predict = predict_calm, ASKS

const struct ldp_synopsis ldp_synopsis_calm = {
    .name = "calm",
    .title = "Consistent tables of a covering design, maximum entropy beyond them",
    .source = "CALM, CCS 2018",
    DESIGNED,
    CALM,
};

const struct ldp_synopsis ldp_synopsis_calm_shrunk = {
    .name = "calm_shrunk",
    .title = "CALM's tables, interactions shrunk by how much of them is noise",
    .source = "CALM, CCS 2018, and this project",
    DESIGNED,
    CALM,
};

const struct ldp_synopsis ldp_synopsis_product = {
    .name = "product",
    .title = "Product of the attributes' own frequencies",
    .source = "floor",
    .is_floor = true,
    .protect = protect_product,
    .method = "norm_sub",
    .predict = predict_noise,
    ASKS,
    CALM,
};

const struct ldp_synopsis ldp_synopsis_uniform = {
    .name = "uniform",
    .title = "Every cell alike, users not asked",
    .source = "floor",
    .is_floor = true,
    CALM,
};

const struct ldp_synopsis ldp_synopsis_rem = {
    .name = "rem",
    .title = "Interactions by weighted least squares, requested marginals not negative",
    .source = "ReM and GReM-LNN, NeurIPS 2024",
    .params = rem_params,
    .takes_sets = true,
    .predict = predict_noise,
    .open = open_rem,
    ASKS,
    STEPS(collect, answer_rem),
};

const struct ldp_synopsis ldp_synopsis_maxent = {
    .name = "maxent",
    .title = "One distribution of maximum entropy for all tables",
    .source = "ICML 2019 (Private-PGM), fitted with a penalty",
    .params = maxent_params,
    .takes_sets = true,
    .method = "norm_sub",
    .is_slow = true,
    .predict = predict_noise,
    .open = open_maxent,
    ASKS,
    STEPS(collect, answer_maxent),
};
