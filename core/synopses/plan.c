/* plan.c - tables of unequal sizes and parities, with unequal shares of the users, chosen by the error that is
 * expected.
 *
 * Two waves of users; each user answers once, with the whole epsilon: for a cell of a table of attributes, or of
 * parities of binary attributes, which has fewer cells and tells fewer interactions. The first wave (`pilot` of the
 * users) answers the tables that show strong interactions best, as far as that costs single attributes little
 * (`regret`, shares.c); from its answers follows how large those of these data may be (energies.c), and by that the
 * tables of the second wave are chosen (shares.c). The requested marginals follow from the answers of both waves
 * (below). Marginals of single attributes alone get shares in the proportion of sqrt(importance v tau).
 *
 * Source: this project. Cost of a collection: the convex problem, rounds times questions times their subsets, and as
 * calm. The tables of the second wave are other ones in every collection, so their memory is allocated there. */
#include "marginals/energies.h"
#include "marginals/fit.h"
#include "marginals/shares.h"
#include "marginals/shrink.h"
#include "marginals/survey.h"
#include "marginals/tables.h"
#include "numerics/simplex.h"

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

/* The answers to planned questions, of one wave of users or of two. */
struct wave {
    const struct ldp_workload *workload;
    const struct ldp_method_spec *method;
    struct nearest *nearest; /* of the requested marginals */
    struct tables tables;
    struct shrinking shrinking;
    struct energies energies;
    double *x[LDP_EXACT + 1], *coefs;
    double *room; /* four times that of one requested marginal */
    void *scratch;
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

/* The one whose answers count. */
static struct wave *last_wave(struct state *own)
{
    return own->has_both ? &own->both : &own->first;
}

static enum ldp_status make_room(struct wave *wave, struct ldp_pool *pool)
{
    const size_t *const first = wave->workload->first;
    size_t cells = 1;

    for (size_t i = 0; i < wave->workload->nsets; i++)
        cells = first[i + 1] - first[i] > cells ? first[i + 1] - first[i] : cells;
    TAKE(pool, wave->room, 4 * cells);
    wave->scratch = ldp_pool_take(pool, ldp_numbers_bytes(cells), 1);
    TAKE(pool, wave->coefs, wave->tables.closure.ncoefs);
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        TAKE(pool, wave->x[stage], wave->tables.first[wave->tables.m] + 1);
    return ldp_pool_status(pool);
}

/* Room for the answers to m questions. nearest: of the requested marginals, shared by both waves. */
static enum ldp_status open_wave(struct wave *wave, struct ldp_pool *pool, const struct ldp_workload *workload,
                                 struct nearest *nearest, const struct ldp_method_spec *method,
                                 const struct asked *asked, size_t m, struct ldp_reason *reason)
{
    *wave = (struct wave){.workload = workload, .nearest = nearest, .method = method};
    enum ldp_status status = ldp_tables_init(&wave->tables, pool, workload, asked, m, method, reason);

    const size_t ncoefs = wave->tables.closure.ncoefs;
    if (status == LDP_OK)
        status = ldp_shrinking_init(&wave->shrinking, pool, true, ncoefs);
    if (status == LDP_OK)
        status = ldp_shrinking_aim(&wave->shrinking, pool, &wave->tables);
    if (status == LDP_OK)
        status = ldp_energies_init(&wave->energies, pool, ncoefs);
    return status == LDP_OK ? make_room(wave, pool) : status;
}

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
    return open_wave(wave, pool, own->workload, &own->nearest, &own->method, asked, m, reason);
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

/* ---- the requested marginals that follow from a wave ----
 *
 * All answers are averaged by their precision, single attributes shrunk to uniform (energies.c), pairs to independence
 * and interactions of more attributes to maximum entropy given those of fewer, by their expected share of noise
 * (shrink.c), but not where values are rare; what pairs have is estimated from valid tables (valid.c); pairs of many
 * cells by the risk that is estimated of their own table. Marginals beyond the tables have maximum entropy (known.c).
 * The answer is the nearest one in which all requested marginals agree and have no negative cell (nearest.c), to a
 * duality gap of GAP of its objective: interactions by their precision, those that nobody was asked about by the least
 * of any precision. Where marginals have so many cells together that ROUNDS_CELLS do not suffice, each is projected
 * onto the simplex after that, and they agree only nearly. */

enum { ROUNDS_MAX = 20000, ROUNDS_CELLS = 60000000 /* about 2 s */ };
#define GAP 1e-8
#define HOPELESS 1.0 /* precision of an interaction, at which its noise is as large as it can be */

/* The table of a pair from its coefficients; beyond: instead from those of its attributes alone, with these central
 * moments. */
static void fill_pair(const struct tables *tables, const double *coefs, const struct ldp_set *set, const double *beyond,
                      double *out)
{
    const struct closure *const closure = &tables->closure;
    const size_t rows = closure->cardinality[set->attribute[0]], columns = closure->cardinality[set->attribute[1]];
    const double *single[2];
    const uint64_t mask = ldp_set_mask(set);
    const double *const own = coefs + closure->offset[ldp_closure_find(closure, mask)];

    for (size_t i = 0; i < 2; i++)
        single[i] = coefs + closure->offset[ldp_closure_find(closure, UINT64_C(1) << set->attribute[i])];
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) {
            const double row = r > 0 ? single[0][r - 1] : 1, column = c > 0 ? single[1][c - 1] : 1;
            const size_t at = r > 0 && c > 0 ? (r - 1) * (columns - 1) + c - 1 : 0;
            out[r * columns + c] = r == 0 || c == 0 ? row * column : beyond ? row * column + beyond[at] : own[at];
        }
    ldp_contrasts_inverse(set, closure->cardinality, out);
}

/* The factor of a pair to the central moments target[coefficients]. */
static double stein_pair(const struct tables *tables, const double *coefs, const double *target,
                         const struct ldp_set *set, double *room, void *scratch, double *moves)
{
    const size_t cells = (size_t)ldp_set_cells(set, tables->cardinality),
                 block = ldp_closure_find(&tables->closure, ldp_set_mask(set));
    double *const base = room + cells;

    fill_pair(tables, coefs, set, NULL, room);
    fill_pair(tables, coefs, set, target + tables->closure.offset[block], base);
    const double factor = ldp_stein_factor(room, base, cells, 1 / (tables->precision[block] * (double)cells),
                                           base + cells, scratch, moves);

    for (size_t c = tables->closure.offset[block]; c < tables->closure.offset[block + 1]; c++)
        *moves += target[c] * target[c];
    return factor;
}

/* Pairs of many cells are shrunk to independence by the risk that is estimated of their own table: where few of the
 * cells are large, most noise is removed by the projection. What is left of it is how large their dependence is. */
static void shrink_pairs(struct wave *wave)
{
    const struct closure *const closure = &wave->tables.closure;
    for (size_t b = 0; b < wave->nearest->closure.nblocks; b++) {
        const uint64_t mask = wave->nearest->closure.mask[b];
        const size_t block = ldp_tables_find(&wave->tables, mask);
        const struct ldp_set set = ldp_set_of_mask(mask);
        const double cells = ldp_set_cells(&set, closure->cardinality);
        double moves;
        if (set.size != 2 || cells < LDP_MANY_CELLS || block == CLOSURE_NONE)
            continue;
        const double factor =
            stein_pair(&wave->tables, wave->coefs, wave->shrinking.target, &set, wave->room, wave->scratch, &moves);
        if (factor > 0) {
            wave->shrinking.factor[block] = factor;
            wave->energies.block[block] = (struct energy){cells * moves, 1};
        }
    }
}

/* Interactions of rare values stay as they are seen: most of their noise makes cells negative that nearly nobody is in,
 * and goes as they are made valid. Shrunk, they would lose what is above 0 as well. Others follow from them as shrunk.
 */
static void keep_rare(struct wave *wave, const double varies[LDP_ATTRIBUTES_MAX])
{
    const struct closure *const closure = &wave->tables.closure;

    for (size_t b = 1; b < closure->nblocks; b++)
        wave->shrinking.keeps[b] =
            ldp_valid_is_rare(closure->mask[b], varies) && wave->tables.has[b] && wave->tables.precision[b] > HOPELESS;
}

static bool wants_interactions(const struct ldp_workload *workload)
{
    for (size_t i = 0; i < workload->nsets; i++)
        if (workload->sets[i].size > 1)
            return true;
    return false;
}

/* Where single attributes alone are requested, tables of several may have been asked all the same, but what these have
 * beyond them does not matter. */
static void learn(struct wave *wave)
{
    double varies[LDP_ATTRIBUTES_MAX];

    if (!wants_interactions(wave->workload))
        return;
    ldp_singles_variances(&wave->tables, wave->coefs, varies);
    ldp_valid_learn(&wave->shrinking.valid, &wave->tables, wave->coefs, varies);
    ldp_energies_learn(&wave->energies, &wave->shrinking, &wave->tables, wave->coefs);
    shrink_pairs(wave);
    keep_rare(wave, varies);
}

/* Averages the noisy answers, and estimates the energies and factors of interactions. */
static void learn_wave(struct wave *wave)
{
    ldp_tables_agree(&wave->tables, wave->x[LDP_NOISY], wave->coefs);
    learn(wave);
}

/* Removes what is still negative, marginal by marginal. */
static void project(struct wave *wave, double *out)
{
    const size_t *const first = wave->workload->first;

    for (size_t i = 0; i < wave->workload->nsets; i++) {
        memcpy(wave->room, out + first[i], (first[i + 1] - first[i]) * sizeof *out);
        ldp_simplex_project(wave->room, first[i + 1] - first[i], wave->scratch, out + first[i]);
    }
}

/* The interactions that answers have in common: those that were asked about are known, the others are the means of all
 * answers that have them. */
static void start_from(struct wave *wave, const double *out)
{
    struct nearest *const nearest = wave->nearest;
    const struct closure *const from = &wave->tables.closure;
    double *const count = nearest->inverse, most = 0;

    memset(nearest->start, 0, nearest->closure.ncoefs * sizeof *nearest->start);
    memset(count, 0, nearest->closure.ncoefs * sizeof *count);
    for (size_t i = 0; i < nearest->nsets; i++) {
        const size_t first = nearest->first[i], cells = nearest->first[i + 1] - first;
        for (size_t c = 0; c < cells; c++) {
            nearest->start[nearest->map[first + c]] += out[first + c];
            count[nearest->map[first + c]]++;
        }
    }
    for (size_t b = 1; b < from->nblocks; b++)
        if (wave->tables.precision[b] > 0)
            most = fmax(most, 1 / wave->tables.precision[b]);
    for (size_t b = 0; b < nearest->closure.nblocks; b++) {
        const size_t block = ldp_closure_find(from, nearest->closure.mask[b]), first = nearest->closure.offset[b];
        const double precision = block == CLOSURE_NONE ? 0 : wave->tables.precision[block];
        for (size_t c = first; c < nearest->closure.offset[b + 1]; c++) {
            nearest->start[c] = b == 0          ? 1
                                : precision > 0 ? wave->coefs[from->offset[block] + c - first]
                                                : nearest->start[c] / count[c];
            nearest->inverse[c] = b == 0 ? 0 : precision > 0 ? 1 / precision : most;
        }
    }
    ldp_nearest_weigh(nearest, false);
}

/* ---- the second wave ---- */

/* Importance, energies and precision from the answers of the first wave. Small pairs are planned by their mean energy:
 * whether they are 0 is not always seen afterwards. */
static void learn_shares(struct state *own)
{
    struct shares *const shares = &own->shares;
    struct wave *const wave = &own->first;
    const struct closure *const closure = &wave->tables.closure;
    struct uneven uneven;

    learn_wave(wave);
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
    learn_shares(own);
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
    struct wave *const last = last_wave(own);
    if (stages)
        ldp_tables_exact(&last->tables, last->x[LDP_EXACT]);
    return LDP_OK;
}

/* ---- answers ---- */

static void answer(void *state, enum ldp_stage stage, double *out)
{
    struct wave *const wave = last_wave(state);

    ldp_tables_agree(&wave->tables, wave->x[stage], wave->coefs);
    if (stage == LDP_NOISY) {
        ldp_singles_shrink(&wave->energies, &wave->shrinking, &wave->tables, wave->coefs, wave->room, wave->scratch);
        learn(wave);
    } else {
        ldp_valid_find(&wave->shrinking.valid, &wave->tables, wave->coefs);
    }
    ldp_shrinking_run(&wave->shrinking, &wave->tables, wave->coefs); /* by the factors of the noisy answers */
    ldp_implied_answer(&wave->shrinking.implied, &wave->tables, wave->coefs, out);
    start_from(wave, out);
    const size_t cells = wave->workload->first[wave->workload->nsets],
                 rounds = ROUNDS_CELLS / cells < ROUNDS_MAX ? ROUNDS_CELLS / cells : ROUNDS_MAX;
    if (!ldp_nearest_run(wave->nearest, GAP, rounds, out).near)
        project(wave, out);
}

static enum ldp_status intervals(void *state, double level, double *low, double *high)
{
    struct wave *const wave = last_wave(state);

    return ldp_cell_intervals(LDP_MANY_OF_TABLE, &wave->tables, wave->x[LDP_NOISY], wave->coefs, level, low, high);
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
