/* plan.c - tables of unequal sizes and parities, with unequal shares of the users, chosen by the error that is
 * expected.
 *
 * Two waves of users; each user answers once, with the whole epsilon: for a cell of a table of attributes, or of
 * parities of binary attributes, which has fewer cells and tells fewer interactions. The first wave (`pilot` of the
 * users) answers the tables that show strong interactions best, as far as that costs single attributes little
 * (`regret`, shares.c); from its answers follows how large those of these data may be (energies.c), and by that the
 * tables of the second wave are chosen (shares.c). The requested marginals follow from the answers of both waves
 * (waves.c). Marginals of single attributes alone get shares in the proportion of sqrt(importance v tau).
 *
 * Source: this project. Cost of a collection: the convex problem, rounds times questions times their subsets, and as
 * calm. The tables of the second wave are other ones in every collection, so their memory is allocated there. */
#include "marginals/cell_intervals.h"
#include "marginals/shares.h"
#include "marginals/survey.h"
#include "marginals/waves.h"

#include <math.h>
#include <string.h>

enum { QUESTIONS_MAX = 4096 };
#define FOUND 2.0  /* standard deviations */
#define STRONG 0.2 /* squared dependence, V^2, that the first wave looks for */

enum { PILOT, REGRET, PARITIES };
static const struct ldp_param params[] = {
    [PILOT] = LDP_PARAM_REAL("pilot", 0.3, 0.01, 0.9, "share of the users in the pilot"),
    [REGRET] =
        LDP_PARAM_REAL("regret", 0.3, 0, 10, "largest part that the pilot may add to the error of single attributes"),
    [PARITIES] =
        LDP_PARAM_FLAG("parities", true, "users may be asked for parities of binary attributes in place of attributes"),
    {.name = NULL},
};

struct state {
    struct ldp_pool pool, again; /* again: of the last collection's tables */
    const struct ldp_workload *workload;
    struct ldp_method_spec method;
    uint64_t users; /* of the first wave */
    struct shares shares;
    struct groups groups;
    struct nearest nearest;
    struct wave first, both;
    bool has_both; /* else the oracle cannot be asked for the tables of a second wave */
};

/* Opens a wave with the questions of an earlier one, if there is one, and those of the present shares of n users. */
static enum ldp_status ask(struct wave *wave, struct ldp_pool *pool, struct state *own, const struct tables *earlier,
                           uint64_t n, struct ldp_reason *reason)
{
    const struct shares *const shares = &own->shares;
    const size_t before = earlier ? earlier->m : 0;
    struct asked *asked;
    uint64_t *users;
    size_t m = 0;

    TAKE(pool, asked, before + shares->nquestions + 1);
    TAKE(pool, users, shares->nquestions + 1);
    if (pool->failed)
        return LDP_ENOMEM;
    for (; m < before; m++)
        asked[m] = (struct asked){earlier->digits[m], earlier->users[m]};
    ldp_shares_users(shares, n, users);
    for (size_t q = 0; q < shares->nquestions; q++)
        if (users[q] > 0)
            asked[m++] = (struct asked){shares->question[q].digits, users[q]};
    return ldp_wave_init(wave, pool, own->workload, &own->nearest, &own->method, asked, m, reason);
}

/* ---- the first wave ---- */

/* Nothing is known: attributes are taken to be uneven to some degree, and large interactions are looked for. Whether
 * one of v coefficients is 0 is seen by the sum of their squares, whose noise grows with sqrt(v) alone. */
static void expect(struct state *own)
{
    struct shares *const shares = &own->shares;
    const uint32_t *const cardinality = own->workload->records->cardinality;
    struct uneven uneven;

    ldp_energies_expect_uneven(cardinality, own->workload->records->d, &uneven);
    ldp_shares_weigh(shares, &uneven);
    for (size_t b = 0; b < shares->closure.nblocks; b++) {
        const uint64_t mask = shares->closure.mask[b];
        const size_t order = (size_t)__builtin_popcountll(mask);
        const double size = (double)ldp_closure_size(&shares->closure, b);
        shares->known[b] = 0;
        shares->size[b] = order > 1 ? sqrt(size) : size;
        shares->presence[b] = 1;
        shares->energy[b] = order == 1 ? 0.3 * (double)(cardinality[__builtin_ctzll(mask)] - 1)
                                       : STRONG * ldp_energies_bound(cardinality, mask, &uneven);
    }
}

static enum ldp_status open_first(struct state *own, const double *param, struct ldp_reason *reason)
{
    const uint64_t n = own->workload->records->n;
    enum ldp_status status = ldp_shares_init(&own->shares, &own->pool, own->workload);

    if (status == LDP_OK)
        status = ldp_energies_init(&own->both.energies, &own->pool, 1);
    if (status != LDP_OK)
        return status;
    own->shares.has_parities &= param[PARITIES] > 0;
    own->users = (uint64_t)(param[PILOT] * (double)n);
    if (own->users == 0 || own->users == n)
        return ldp_refuse(reason, "pilot: expected enough users for two stages, got %llu", (unsigned long long)n);
    expect(own);
    struct regret regret;
    status = ldp_regret_solve(&own->shares, (double)own->users, (double)(n - own->users), param[REGRET], QUESTIONS_MAX,
                              &regret);
    if (status == LDP_OK && own->shares.nquestions == 0)
        return ldp_refuse(reason, "no table of the requested marginals can be asked by this oracle");
    return status == LDP_OK ? ask(&own->first, &own->pool, own, NULL, own->users, reason) : status;
}

static enum ldp_status open_state(void *state, const struct ldp_synopsis_spec *spec,
                                  const struct ldp_workload *workload, struct ldp_reason *reason)
{
    struct state *const own = state;

    own->workload = workload;
    own->method = ldp_survey_method(spec);
    enum ldp_status status = ldp_survey_check_method(&own->method, reason);

    if (status == LDP_OK)
        status = ldp_nearest_init(&own->nearest, &own->pool, workload->records->cardinality, workload->sets,
                                  workload->nsets, workload->first);
    if (status == LDP_OK)
        status = open_first(own, spec->param, reason);
    return status == LDP_OK ? ldp_groups_init(&own->groups, &own->pool, workload->records, QUESTIONS_MAX) : status;
}

/* ---- the second wave ---- */

/* Importance, energies and precision from the answers of the first wave. Small pairs are planned by their mean energy:
 * whether they are 0 is not always seen afterwards. */
static void learn(struct state *own)
{
    struct shares *const shares = &own->shares;
    struct wave *const wave = &own->first;
    const struct closure *const closure = &wave->tables.closure;
    struct uneven uneven;

    ldp_wave_learn(wave);
    ldp_energies_find_uneven(&wave->tables, wave->coefs, &uneven);
    ldp_shares_weigh(shares, &uneven);
    for (size_t b = 0; b < shares->closure.nblocks; b++) {
        const uint64_t mask = shares->closure.mask[b];
        const size_t order = (size_t)__builtin_popcountll(mask), seen = ldp_tables_find(&wave->tables, mask);
        shares->known[b] = seen == CLOSURE_NONE ? 0 : ldp_tables_precision(&wave->tables, seen, shares->spread[b]);
        if (order == 1 && seen != CLOSURE_NONE) {
            const double size = (double)ldp_closure_size(&shares->closure, b);
            shares->energy[b] = fmin(fmax(uneven.square[__builtin_ctzll(mask)], size / shares->known[b]), size);
        }
        if (order < 2)
            continue;
        const struct energy energy = seen == CLOSURE_NONE ? wave->energies.unseen[order] : wave->energies.block[seen];
        const double scale = seen == CLOSURE_NONE ? ldp_energies_bound(closure->cardinality, mask, &uneven) : 1;
        shares->presence[b] =
            order > 2 || ldp_closure_size(&shares->closure, b) >= LDP_MANY_CELLS ? energy.presence : 1;
        shares->energy[b] = energy.mean * scale;
    }
    ldp_shares_size(shares, (double)own->groups.n);
}

/* Plans the second wave and makes room for the tables of both. */
static enum ldp_status open_both(struct state *own, uint64_t n)
{
    struct ldp_reason reason;
    const enum ldp_status status = ldp_shares_solve(&own->shares, (double)n, QUESTIONS_MAX);
    ldp_pool_clear(&own->again);
    return status == LDP_OK ? ask(&own->both, &own->again, own, &own->first.tables, n, &reason) : status;
}

static enum ldp_status collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *const own = state;
    struct wave *const first = &own->first, *const both = &own->both;
    const size_t m = first->tables.m, cells = first->tables.first[m];

    ldp_groups_gather(&own->groups);
    ldp_tables_collect(&first->tables, 0, m, &own->groups, rng, first->x[LDP_NOISY],
                       stages ? first->x[LDP_SAMPLED] : NULL);
    learn(own);
    const enum ldp_status status = open_both(own, own->groups.n);
    if (status == LDP_ENOMEM)
        return status;
    own->has_both = status == LDP_OK;
    if (own->has_both) {
        for (int stage = LDP_NOISY; stage <= (stages ? LDP_SAMPLED : LDP_NOISY); stage++)
            memcpy(both->x[stage], first->x[stage], cells * sizeof *first->x[stage]);
        ldp_tables_collect(&both->tables, m, both->tables.m, &own->groups, rng, both->x[LDP_NOISY],
                           stages ? both->x[LDP_SAMPLED] : NULL);
    }
    struct wave *const last = own->has_both ? both : first;
    if (stages)
        ldp_tables_exact(&last->tables, last->x[LDP_EXACT]);
    return LDP_OK;
}

/* ---- answers ---- */

static void answer(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;

    ldp_wave_answer(own->has_both ? &own->both : &own->first, stage, out);
}

static enum ldp_status intervals(void *state, double level, double *low, double *high)
{
    struct state *const own = state;
    struct wave *const wave = own->has_both ? &own->both : &own->first;

    return ldp_cell_intervals(&wave->tables, wave->x[LDP_NOISY], wave->coefs, level, low, high);
}

static void facts(const void *state, struct ldp_synopsis_facts *out)
{
    const struct state *const own = state;

    ldp_survey_facts(own->has_both ? &own->both.tables : &own->first.tables, 0, out);
}

/* The sum of the squares of all central pairs has variance 2 sum v N^2 by noise; dependence is seen where it exceeds
 * FOUND standard deviations. */
static double detectable(const struct shares *shares)
{
    double variance = 0, bounds = 0;
    for (size_t b = 0; b < shares->closure.nblocks; b++)
        if (__builtin_popcountll(shares->closure.mask[b]) == 2 && shares->precision[b] > 0) {
            const double noise = 1 / shares->precision[b] - ldp_shares_fixed(shares, b);
            variance += 2 * (double)ldp_closure_size(&shares->closure, b) * noise * noise;
            bounds += ldp_shrinking_bound(shares->closure.cardinality, shares->closure.mask[b]);
        }
    return bounds > 0 ? sqrt(FOUND * sqrt(variance) / bounds) : NAN;
}

static void outlook(const void *state, struct ldp_outlook *out)
{
    const struct state *const own = state;

    *out = (struct ldp_outlook){.users = own->users,
                                .tables = own->first.tables.m,
                                .gap = own->shares.gap,
                                .detectable = detectable(&own->shares),
                                .usual = sqrt(own->both.energies.unseen[2].mean)};
}

const struct ldp_synopsis ldp_synopsis_plan = {
    .name = "plan",
    .title = "Tables and shares of users by their expected error, in two stages",
    .source = "this project",
    .params = params,
    .is_attackable = true,
    .state_bytes = sizeof(struct state),
    .open = open_state,
    .collect = collect,
    .answer = answer,
    .intervals = intervals,
    .facts = facts,
    .outlook = outlook,
};
