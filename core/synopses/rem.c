/* rem.c - reconstruction by residual subspaces, from the same groups' tables as calm.
 *
 * Every interaction of attributes that some table has is estimated by the weighted mean over the tables that have it. A
 * marginal is the sum of its interactions; interactions in no table are 0. This is the weighted least-squares estimate
 * of least norm, in closed form; answers are consistent and may be negative. With non-negativity (the default) the
 * estimate is the nearest one, by the same weights, for which no wanted marginal has a negative cell.
 *
 *     min sum_s p_s |a_s - r_s|^2   such that  M_A = sum_{s in A} expand(a_s) >= 0  for every wanted A,
 *
 * solved in its dual by accelerated gradient steps (Nesterov), which start again where they turn away from the gradient
 * (O'Donoghue and Candes, Found. Comput. Math. 15, 2015). With y >= 0 the dual variables of the cells, a = r + W^-1 E'
 * y and E the map from interactions to cells, the objective is y (E a - E r) / 2 and the dual's value -y (E a + E r)
 * / 2. Mixed with as much of the uniform distribution as leaves no cell negative, a is a solution whose objective is
 * above the least by at most the difference of the two, the duality gap. The fit ends where that is GAP of the
 * objective. Marginals of thousands of cells do not get there in ROUNDS_MAX rounds: their uniform cell is far below the
 * noise, and the mixture would be nearly uniform. Then the last a is answered, each marginal with its negative cells
 * set to 0 and scaled to sum 1; such answers are consistent only nearly. Interactions that no table has may become
 * non-zero too; their weight is UNKNOWN times the least precision of any other.
 *
 * Source: Mullins, Fuentes, Xiao, Kifer, Musco, Sheldon, Efficient and Private Marginal Reconstruction with Local
 * Non-Negativity, NeurIPS 2024 (arXiv 2410.01091): ReM and GReM-LNN, there for Gaussian noise of central differential
 * privacy. Its code was not used. */
#include "marginals/contrasts.h"
#include "marginals/designed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 1000, ANSWERS_MAX = 1 << 20 /* more would take minutes */ };
#define GAP 1e-3       /* of the objective */
#define ROUNDING 1e-12 /* of a cell, relative to the uniform cell */
#define UNKNOWN 0.1    /* precision of an interaction that no table has, relative to the least of any other */

enum { NONNEGATIVE = DESIGNED_PARAMS };

struct state {
    struct designed designed;
    bool nonnegative;
    struct closure closure; /* all subsets of the wanted marginals */
    uint32_t *map;          /* [answers]: coefficients of the wanted marginals in closure */
    uint32_t *from;         /* [closure.ncoefs]: in the tables' coefficients; UINT32_MAX: none */
    double *inverse;        /* [closure.ncoefs]: 1 / p, relative to the largest of the tables' */
    double *weight;         /* [closure.ncoefs]: p cells of the block, W; 0 of the total */
    double step;
    double *start, *a;                           /* [closure.ncoefs] */
    double *first, *before, *dual, *last, *work; /* [answers]: E r, and E a and y of the last round; y */
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
    ldp_closure_clear(&own->closure);
    free(own->map);
    free(own->from);
    free(own->inverse);
    free(own->weight);
    free(own->start);
    free(own->a);
    free(own->first);
    free(own->before);
    free(own->dual);
    free(own->last);
    free(own->work);
    free(own);
}

/* The largest curvature of the dual: for a coefficient of a block, the squared norm of the expansion is (cells of the
 * block) / cells in each marginal that has the block, and the inverse weight is 1 / (p cells of the block). */
static double curvature(const struct state *own)
{
    const struct ldp_workload *const workload = own->designed.workload;
    double *const sum = own->a, most = 0;

    memset(sum, 0, own->closure.ncoefs * sizeof *sum);
    for (size_t i = 0; i < workload->nsets; i++) {
        const size_t first = workload->first[i], cells = workload->first[i + 1] - first;

        for (size_t c = 0; c < cells; c++)
            sum[own->map[first + c]] += 1 / (double)cells;
    }
    for (size_t b = 0; b < own->closure.nblocks; b++) {
        for (size_t c = own->closure.offset[b]; c < own->closure.offset[b + 1]; c++) {
            const double bound = sum[c] * own->inverse[c];

            most = bound > most ? bound : most;
        }
    }
    return most;
}

static void prepare_weights(struct state *own)
{
    const struct tables *const tables = &own->designed.survey.tables;
    double least = INFINITY;

    for (size_t b = 0; b < tables->closure.nblocks; b++)
        least = tables->precision[b] < least ? tables->precision[b] : least;
    for (size_t b = 0; b < own->closure.nblocks; b++) {
        const size_t block = ldp_closure_find(&tables->closure, own->closure.mask[b]);
        const struct ldp_set set = ldp_set_of_mask(own->closure.mask[b]);
        const double cells = ldp_set_cells(&set, own->closure.cardinality);

        for (size_t c = own->closure.offset[b]; c < own->closure.offset[b + 1]; c++) {
            own->from[c] = block == CLOSURE_NONE
                               ? UINT32_MAX
                               : (uint32_t)(tables->closure.offset[block] + (c - own->closure.offset[b]));
            /* The total is known. */
            own->inverse[c] = b == 0 ? 0 : least / (block == CLOSURE_NONE ? UNKNOWN * least : tables->precision[block]);
            own->weight[c] = b == 0 ? 0 : cells / own->inverse[c];
        }
    }
}

static enum ldp_status prepare(struct state *own)
{
    const struct ldp_workload *const workload = own->designed.workload;
    const size_t answers = workload->first[workload->nsets];

    own->closure.cardinality = workload->records->cardinality;
    for (size_t i = 0; i < workload->nsets; i++)
        if (ldp_closure_add(&own->closure, &workload->sets[i]) != LDP_OK)
            return LDP_ENOMEM;
    const size_t ncoefs = own->closure.ncoefs;

    own->map = malloc(answers * sizeof *own->map);
    own->from = malloc(ncoefs * sizeof *own->from);
    own->inverse = malloc(ncoefs * sizeof *own->inverse);
    own->weight = malloc(ncoefs * sizeof *own->weight);
    own->start = malloc(ncoefs * sizeof *own->start);
    own->a = malloc(ncoefs * sizeof *own->a);
    double **const rooms[] = {&own->first, &own->before, &own->dual, &own->last, &own->work};
    bool rooms_made = true;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        rooms_made = (*rooms[i] = malloc(answers * sizeof **rooms[i])) && rooms_made;
    if (!own->map || !own->from || !own->inverse || !own->weight || !own->start || !own->a || !rooms_made)
        return LDP_ENOMEM;
    for (size_t i = 0; i < workload->nsets; i++)
        ldp_closure_map(&own->closure, &workload->sets[i], own->map + workload->first[i]);
    prepare_weights(own);
    own->step = 1 / curvature(own);
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

static void expand(const struct state *own, const double *a, double *out)
{
    const struct ldp_workload *const workload = own->designed.workload;

    for (size_t i = 0; i < workload->nsets; i++) {
        for (size_t c = workload->first[i]; c < workload->first[i + 1]; c++)
            out[c] = a[own->map[c]];
        ldp_contrasts_inverse(&workload->sets[i], own->closure.cardinality, out + workload->first[i]);
    }
}

/* a = start + 1 / (p cells of the block) (expand)^T dual. The transpose of the expansion is the forward transform,
 * divided by the number of cells that a coefficient is spread over, cells / cells of the block. */
static void gather(struct state *own, const double *dual)
{
    const struct ldp_workload *const workload = own->designed.workload;

    memcpy(own->a, own->start, own->closure.ncoefs * sizeof *own->a);
    for (size_t i = 0; i < workload->nsets; i++) {
        const size_t first = workload->first[i], cells = workload->first[i + 1] - first;

        memcpy(own->work, dual + first, cells * sizeof *own->work);
        ldp_contrasts_forward(&workload->sets[i], own->closure.cardinality, own->work);
        for (size_t c = 0; c < cells; c++)
            own->work[c] /= (double)cells;
        for (size_t c = 0; c < cells; c++)
            own->a[own->map[first + c]] += own->work[c] * own->inverse[own->map[first + c]];
    }
}

/* With out = E a: the part of the uniform distribution that leaves no cell negative, and whether a with that part is
 * within GAP of the least objective. */
static bool is_near(const struct state *own, const double *out, double *part)
{
    const struct ldp_workload *const workload = own->designed.workload;
    double worst = 0, now = 0, start = 0, even = 0, square = 0;

    for (size_t i = 0; i < workload->nsets; i++) {
        const double uniform = 1 / (double)(workload->first[i + 1] - workload->first[i]);
        double least = 0, sum = 0;

        for (size_t c = workload->first[i]; c < workload->first[i + 1]; c++) {
            least = out[c] < least ? out[c] : least;
            now += own->dual[c] * out[c];
            start += own->dual[c] * own->first[c];
            sum += own->dual[c];
        }
        even += sum * uniform;
        worst = -least / uniform > worst ? -least / uniform : worst;
    }
    *part = worst / (1 + worst);
    if (worst <= ROUNDING && now <= 0)
        return true;
    for (size_t c = 0; c < own->closure.ncoefs; c++)
        square += own->weight[c] * own->a[c] * own->a[c];
    const double objective = (now - start) / 2 + *part * (even - now) + *part * *part * square / 2;
    return objective + (now + start) / 2 <= GAP * objective;
}

/* One accelerated step of the dual from `ahead`, linear in y and so in E a; true if it went against the gradient. */
static bool step(struct state *own, double momentum, const double *out, size_t answers)
{
    double along = 0;

    for (size_t c = 0; c < answers; c++) {
        const double ahead = own->dual[c] + momentum * (own->dual[c] - own->last[c]);
        const double slope = out[c] + momentum * (out[c] - own->before[c]);
        const double moved = ahead - own->step * slope, next = moved > 0 ? moved : 0;

        along += slope * (next - own->dual[c]);
        own->last[c] = own->dual[c];
        own->before[c] = out[c];
        own->dual[c] = next;
    }
    return along > 0;
}

static void make_nonnegative(struct state *own, double *out)
{
    const struct ldp_workload *const workload = own->designed.workload;
    const size_t answers = workload->first[workload->nsets];
    double t = 1, part = 0;
    bool near;

    memset(own->dual, 0, answers * sizeof *own->dual);
    memset(own->last, 0, answers * sizeof *own->last);
    memcpy(own->first, out, answers * sizeof *out);
    memcpy(own->before, out, answers * sizeof *out);
    for (size_t round = 0; !(near = is_near(own, out, &part)) && round < ROUNDS_MAX; round++) {
        const double next = (1 + sqrt(1 + 4 * t * t)) / 2;

        t = step(own, (t - 1) / next, out, answers) ? 1 : next;
        gather(own, own->dual);
        expand(own, own->a, out);
    }
    for (size_t i = 0; i < workload->nsets; i++) {
        const double uniform = 1 / (double)(workload->first[i + 1] - workload->first[i]);
        double sum = 0;

        for (size_t c = workload->first[i]; c < workload->first[i + 1]; c++) {
            const double mixed = near ? out[c] + part * (uniform - out[c]) : out[c];

            out[c] = mixed > 0 ? mixed : 0;
            sum += out[c];
        }
        for (size_t c = workload->first[i]; !near && c < workload->first[i + 1]; c++)
            out[c] /= sum;
    }
}

static void answer(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;
    struct designed *const designed = &own->designed;

    ldp_tables_agree(&designed->survey.tables, designed->survey.x[stage], designed->coefs);
    for (size_t c = 0; c < own->closure.ncoefs; c++)
        own->start[c] = own->from[c] == UINT32_MAX ? 0 : designed->coefs[own->from[c]];
    memcpy(own->a, own->start, own->closure.ncoefs * sizeof *own->a);
    expand(own, own->a, out);
    if (own->nonnegative)
        make_nonnegative(own, out);
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
    .facts = ldp_designed_facts,
    .predict = ldp_designed_predict,
};
