/* rem.c - reconstruction by residual subspaces, from the same groups' tables as calm.
 *
 * Every interaction of attributes that some table has is estimated by the weighted mean over the tables that have it. A
 * marginal is the sum of its interactions; interactions in no table are 0. This is the weighted least-squares estimate
 * of least norm, in closed form; answers are consistent and may be negative. With non-negativity (the default) the
 * estimate is the nearest one, by the same weights, for which no wanted marginal has a negative cell.
 *
 *     min sum_s p_s |a_s - r_s|^2   such that  M_A = sum_{s in A} expand(a_s) >= 0  for every wanted A
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
#include "marginals/nearest.h"
#include "marginals/survey.h"

#include <math.h>
#include <stdlib.h>

enum { ROUNDS_MAX = 1000, ANSWERS_MAX = 1 << 20 /* more would take minutes */ };
#define GAP 1e-3    /* of the objective */
#define UNKNOWN 0.1 /* precision of an interaction that no table has, relative to the least of any other */

enum { NONNEGATIVE = DESIGNED_PARAMS };

struct state {
    struct designed designed;
    bool nonnegative;
    struct nearest nearest;
    uint32_t *from; /* [nearest.closure.ncoefs]: in the tables' coefficients; UINT32_MAX: none */
};

static const struct ldp_param params[] = {
    DESIGNED_ROWS("all pairs"),
    {"nonnegative", LDP_FLAG, 1, 0, 1, NULL, "wanted marginals have no negative cell (GReM-LNN; without it ReM)"},
    {.name = NULL},
};

static void close_state(void *state)
{
    struct state *const own = state;

    if (!own)
        return;
    ldp_designed_clear(&own->designed);
    ldp_nearest_clear(&own->nearest);
    free(own->from);
    free(own);
}

static enum ldp_status prepare(struct state *own)
{
    const struct ldp_workload *const workload = own->designed.workload;
    const struct tables *const tables = &own->designed.survey.tables;
    const struct closure *const closure = &own->nearest.closure;
    double least = INFINITY;

    if (ldp_nearest_init(&own->nearest, workload->records->cardinality, workload->sets, workload->nsets,
                         workload->first) != LDP_OK ||
        !(own->from = malloc(closure->ncoefs * sizeof *own->from)))
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

static enum ldp_status open_state(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    struct state *const own = calloc(1, sizeof *own);

    if (!own)
        return LDP_ENOMEM;
    own->nonnegative = spec->param[NONNEGATIVE] != 0;
    if (own->nonnegative && workload->first[workload->nsets] > ANSWERS_MAX) {
        close_state(own);
        return ldp_refuse(reason, "nonnegative: marginals of %zu cells together: expected at most %d",
                          workload->first[workload->nsets], ANSWERS_MAX);
    }
    enum ldp_status status = ldp_designed_open(&own->designed, spec, workload, reason);

    if (status == LDP_OK)
        status = prepare(own);
    if (status == LDP_OK)
        *state = own;
    else
        close_state(own);
    return status;
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

static void answer(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;
    struct designed *const designed = &own->designed;

    ldp_tables_agree(&designed->survey.tables, designed->survey.x[stage], designed->coefs);
    for (size_t c = 0; c < own->nearest.closure.ncoefs; c++)
        own->nearest.start[c] = own->from[c] == UINT32_MAX ? 0 : designed->coefs[own->from[c]];
    if (!own->nonnegative)
        ldp_nearest_expand(&own->nearest, own->nearest.start, out);
    else if (!ldp_nearest_run(&own->nearest, GAP, ROUNDS_MAX, out).near)
        clip(designed->workload, out);
}

const struct ldp_synopsis ldp_synopsis_rem = {
    .name = "rem",
    .title = "Interactions by weighted least squares, wanted marginals not negative",
    .source = "ReM and GReM-LNN, NeurIPS 2024",
    .params = params,
    .takes_sets = true,
    .is_attackable = true,
    .open = open_state,
    .close = close_state,
    .collect = ldp_designed_collect,
    .answer = answer,
    .intervals = ldp_designed_intervals,
    .facts = ldp_designed_facts,
    .predict = ldp_designed_predict,
};
