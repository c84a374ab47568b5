/* plan.c - tables of unequal sizes and parities, with unequal shares of the users, chosen by the error that is
 * expected.
 *
 * Two waves of users; each user answers once, with the whole epsilon: for a cell of a table, or for the parity of
 * binary attributes, which tells one interaction and has the noise of a table of two cells. The first wave (`pilot` of
 * the users) answers the tables that show strong interactions best, as far as that costs single attributes little
 * (`regret`, regret.c); from its answers follows how large those of these data may be (energies.c), and by that the
 * tables of the second wave are chosen (shares.c). All answers are averaged
 * by their precision, single attributes shrunk to uniform (energies.c, stein.c), pairs to independence and triples of
 * binary attributes to maximum entropy given their pairs, by their expected share of noise (shrink.c); pairs of many
 * cells by the risk that is estimated of their own table. Tables are made valid, and marginals beyond them are those of
 * maximum entropy (tables.c, reconstruct.c). Marginals of single attributes alone get shares in the proportion of
 * sqrt(importance v tau).
 *
 * Source: this project. Cost of a collection: the convex problem, rounds times questions times their subsets, and as
 * calm. The tables of the second wave are other ones in every collection, so their memory is allocated there; where
 * there is none, the first wave's answers are all. */
#include "marginals/energies.h"
#include "marginals/groups.h"
#include "marginals/reconstruct.h"
#include "marginals/regret.h"
#include "marginals/shares.h"
#include "marginals/stein.h"
#include "marginals/survey.h"
#include "simplex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUESTIONS_MAX = 1024, MANY_VALUES = 8, MANY_CELLS = 100 };
#define FOUND 2.0  /* standard deviations */
#define STRONG 0.2 /* squared dependence, V^2, that the first wave looks for */

enum { PILOT, REGRET };
static const struct ldp_param params[] = {
    [PILOT] = {"pilot", LDP_REAL, 0.2, 0.01, 0.9, NULL, "share of the users in the first wave"},
    [REGRET] = {"regret", LDP_REAL, 0.1, 0, 10, NULL,
                "largest part that the first wave may add to the error of single attributes"},
    {.name = NULL},
};

/* Answers of tables: collected, shrunk, and what follows from them. What wanted marginals have in
 * common with the tables is made valid, all with the same weight: large tables have cells that are noise alone, and
 * those of few users would need many rounds to agree with the others. */
struct wave {
    struct tables tables, largest;
    double *largest_coefs;
    struct reconstruction reconstruction;
    struct shrinking shrinking;
    struct energies energies;
    double *x[LDP_EXACT + 1], *coefs;
};

struct state {
    const struct ldp_workload *workload;
    struct ldp_method_spec method;
    uint64_t users; /* of the first wave */
    struct regret regret;
    struct shares shares;
    struct groups groups;
    struct wave first, both;
    bool has_both; /* else there was no memory for it */
    double *room;  /* four times that of one wanted marginal */
    void *scratch;
};

static void clear_wave(struct wave *wave)
{
    ldp_reconstruction_clear(&wave->reconstruction);
    ldp_tables_clear(&wave->tables);
    ldp_tables_clear(&wave->largest);
    free(wave->largest_coefs);
    ldp_shrinking_clear(&wave->shrinking);
    ldp_energies_clear(&wave->energies);
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        free(wave->x[stage]);
    free(wave->coefs);
    *wave = (struct wave){.coefs = NULL};
}

/* Whether a set is within one of some others. */
static bool is_within(uint64_t mask, const uint64_t *masks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((mask & masks[i]) == mask)
            return true;
    return false;
}

/* Intersections of wanted marginals with the tables: those that are within no other one. */
static size_t largest_of(const struct ldp_workload *workload, const struct asked *asked, size_t m, uint64_t *masks)
{
    size_t count = 0;

    for (size_t i = 0; i < workload->nsets; i++)
        for (size_t j = 0; j < m; j++) {
            const uint64_t mask = ldp_set_mask(&workload->sets[i]) & ldp_set_mask(&asked[j].set);
            if (!mask || is_within(mask, masks, count))
                continue;
            size_t kept = 0;
            for (size_t k = 0; k < count; k++)
                if ((masks[k] & mask) != masks[k])
                    masks[kept++] = masks[k];
            masks[kept] = mask;
            count = kept + 1;
        }
    return count;
}

static enum ldp_status open_largest(struct wave *wave, const struct state *own, const struct asked *asked, size_t m,
                                    struct ldp_reason *reason)
{
    const size_t most = m * own->workload->nsets;
    uint64_t *const masks = malloc(most * sizeof *masks), *const users = malloc(most * sizeof *users);
    struct ldp_set *const largest = malloc(most * sizeof *largest);
    enum ldp_status status = LDP_ENOMEM;

    if (largest && users && masks) {
        const size_t count = largest_of(own->workload, asked, m, masks);
        const uint64_t n = own->workload->records->n;
        for (size_t i = 0; i < count; i++)
            largest[i] = ldp_set_of_mask(masks[i]);
        ldp_tables_share(n > count ? n : count, count, users);
        status = ldp_tables_init(&wave->largest, own->workload, largest, users, count, &own->method, reason);
    }
    free(largest);
    free(users);
    free(masks);
    return status;
}

static enum ldp_status open_wave(struct wave *wave, const struct state *own, const struct asked *asked, size_t m,
                                 struct ldp_reason *reason)
{
    enum ldp_status status = ldp_tables_init_asked(&wave->tables, own->workload, asked, m, &own->method, reason);

    if (status != LDP_OK)
        return status;
    const size_t ncoefs = wave->tables.closure.ncoefs, cells = wave->tables.first[m];
    status = open_largest(wave, own, asked, m, reason);
    if (status == LDP_OK)
        status = ldp_reconstruction_init(&wave->reconstruction, own->workload, &wave->largest);
    wave->largest_coefs = malloc((status == LDP_OK ? wave->largest.closure.ncoefs : 1) * sizeof(double));
    if (status == LDP_OK && !wave->largest_coefs)
        status = LDP_ENOMEM;
    if (status == LDP_OK)
        status = ldp_shrinking_init(&wave->shrinking, true, ncoefs);
    if (status == LDP_OK)
        status = ldp_shrinking_aim(&wave->shrinking, ncoefs);
    if (status == LDP_OK)
        status = ldp_energies_init(&wave->energies, ncoefs);
    wave->coefs = malloc(ncoefs * sizeof *wave->coefs);
    for (int stage = 0; stage <= LDP_EXACT; stage++)
        if (!(wave->x[stage] = malloc((cells + 1) * sizeof *wave->x[stage])))
            status = LDP_ENOMEM;
    return wave->coefs ? status : LDP_ENOMEM;
}

/* Opens a wave with the questions of an earlier one, if there is one, and those of the present shares of n users. */
static enum ldp_status ask(struct wave *wave, const struct state *own, const struct tables *earlier, uint64_t n,
                           struct ldp_reason *reason)
{
    const struct shares *const shares = &own->shares;
    const size_t before = earlier ? earlier->m : 0;
    struct asked *const asked = malloc((before + shares->nquestions + 1) * sizeof *asked);
    uint64_t *const users = malloc((shares->nquestions + 1) * sizeof *users);
    enum ldp_status status = LDP_ENOMEM;
    size_t m = 0;

    if (asked && users) {
        for (; m < before; m++)
            asked[m] = (struct asked){earlier->set[m], earlier->parity[m], earlier->users[m]};
        ldp_shares_users(shares, n, users);
        for (size_t q = 0; q < shares->nquestions; q++)
            if (users[q] > 0)
                asked[m++] = (struct asked){shares->question[q].set, shares->question[q].parity, users[q]};
        status = open_wave(wave, own, asked, m, reason);
    }
    free(asked);
    free(users);
    return status;
}

/* ---- the first wave ---- */

/* Nothing is known: attributes are taken to be uneven to some degree, interactions as large as those of real data. To
 * explore, larger ones are looked for; and whether one of v coefficients is 0 is seen by the sum of their squares,
 * whose noise grows with sqrt(v) alone. */
static void expect(struct state *own, bool explores)
{
    struct shares *const shares = &own->shares;
    const uint32_t *const cardinality = own->workload->records->cardinality;
    double t2[LDP_ATTRIBUTES_MAX];

    for (size_t a = 0; a < own->workload->records->d; a++)
        t2[a] = 0.3 * sqrt((double)(cardinality[a] - 1));
    ldp_shares_weigh(shares, t2);
    for (size_t b = 0; b < shares->closure.nblocks; b++) {
        const uint64_t mask = shares->closure.mask[b];
        const size_t order = (size_t)__builtin_popcountll(mask);
        const double part = explores ? STRONG : own->both.energies.unseen[order].mean,
                     size = (double)ldp_closure_size(&shares->closure, b);
        shares->known[b] = 0;
        shares->size[b] = explores && order > 1 ? sqrt(size) : size;
        shares->presence[b] = 1;
        shares->energy[b] = order == 1 ? 0.3 * (double)(cardinality[__builtin_ctzll(mask)] - 1)
                                       : part * ldp_energies_bound(cardinality, mask, t2);
    }
}

static enum ldp_status open_first(struct state *own, const double *param, struct ldp_reason *reason)
{
    const uint64_t n = own->workload->records->n;
    enum ldp_status status = ldp_shares_init(&own->shares, own->workload);

    if (status == LDP_OK)
        status = ldp_energies_init(&own->both.energies, 1);
    if (status != LDP_OK)
        return status;
    own->users = (uint64_t)(param[PILOT] * (double)n);
    if (own->users == 0 || own->users == n)
        return ldp_refuse(reason, "pilot: %llu users: expected users in both waves", (unsigned long long)n);
    expect(own, true);
    status = ldp_regret_solve(&own->shares, (double)own->users, (double)(n - own->users), param[REGRET], QUESTIONS_MAX,
                              &own->regret);
    if (status == LDP_OK && own->shares.nquestions == 0)
        return ldp_refuse(reason, "no table of the wanted marginals can be asked by this oracle");
    return status == LDP_OK ? ask(&own->first, own, NULL, own->users, reason) : status;
}

static void close_state(void *state)
{
    struct state *const own = state;

    if (!own)
        return;
    clear_wave(&own->first);
    clear_wave(&own->both);
    ldp_shares_clear(&own->shares);
    ldp_groups_clear(&own->groups);
    free(own->room);
    free(own->scratch);
    free(own);
}

static enum ldp_status open_state(const struct ldp_synopsis_spec *spec, const struct ldp_workload *workload,
                                  void **state, struct ldp_reason *reason)
{
    struct state *const own = calloc(1, sizeof *own);

    if (!own)
        return LDP_ENOMEM;
    own->workload = workload;
    own->method = ldp_survey_method(spec);
    enum ldp_status status = ldp_survey_check_method(&own->method, reason);

    if (status == LDP_OK)
        status = open_first(own, spec->param, reason);
    if (status == LDP_OK)
        status = ldp_groups_init(&own->groups, workload->records, QUESTIONS_MAX);
    size_t cells = 1;
    for (size_t i = 0; i < workload->nsets; i++)
        cells =
            workload->first[i + 1] - workload->first[i] > cells ? workload->first[i + 1] - workload->first[i] : cells;
    own->room = malloc(4 * cells * sizeof *own->room);
    own->scratch = malloc(ldp_simplex_scratch_bytes(cells));
    if (status == LDP_OK && (!own->room || !own->scratch))
        status = LDP_ENOMEM;
    if (status == LDP_OK)
        *state = own;
    else
        close_state(own);
    return status;
}

/* ---- the second wave ---- */

static bool has_attribute(const struct wave *wave, size_t attribute)
{
    return ldp_closure_find(&wave->tables.closure, UINT64_C(1) << attribute) != CLOSURE_NONE;
}

/* Pairs of many cells are shrunk to independence by the risk that is estimated of their own table: where few of the
 * cells are large, most noise is removed by the projection. What is left of it is how large their dependence is. */
static void shrink_pairs(struct state *own, struct wave *wave)
{
    const struct closure *const closure = &wave->tables.closure;
    for (size_t b = 0; b < own->shares.closure.nblocks; b++) {
        const uint64_t mask = own->shares.closure.mask[b];
        const size_t block = ldp_closure_find(closure, mask);
        const struct ldp_set set = ldp_set_of_mask(mask);
        const double cells = ldp_set_cells(&set, closure->cardinality);
        double moves;
        if (set.size != 2 || cells < MANY_CELLS || block == CLOSURE_NONE)
            continue;
        const double factor = ldp_stein_pair(&wave->tables, wave->coefs, &set, own->room, own->scratch, &moves);
        if (factor > 0) {
            wave->shrinking.factor[block] = factor;
            wave->energies.block[block] = (struct energy){cells * moves, 1};
        }
    }
}

/* Importance, energies and precision from the answers of the first wave. Small pairs are planned by their mean energy:
 * whether they are 0 is not always seen afterwards. */
static void learn(struct state *own)
{
    struct shares *const shares = &own->shares;
    struct wave *const wave = &own->first;
    const struct closure *const closure = &wave->tables.closure;
    double t2[LDP_ATTRIBUTES_MAX] = {0}, single[LDP_ATTRIBUTES_MAX] = {0};

    ldp_tables_agree(&wave->tables, wave->x[LDP_NOISY], wave->coefs);
    ldp_energies_learn(&wave->energies, &wave->shrinking, &wave->tables, wave->coefs);
    shrink_pairs(own, wave);
    for (size_t a = 0; a < own->workload->records->d; a++)
        if (has_attribute(wave, a)) {
            double noise;
            const double square = ldp_energies_square(&wave->tables, wave->coefs, a, &noise),
                         most = (double)(closure->cardinality[a] - 1);
            t2[a] = fmin(fmax(square - noise, 0), most);
            single[a] = fmin(fmax(square - noise, noise), most);
        }
    ldp_shares_weigh(shares, t2);
    for (size_t b = 0; b < shares->closure.nblocks; b++) {
        const uint64_t mask = shares->closure.mask[b];
        const size_t order = (size_t)__builtin_popcountll(mask), seen = ldp_closure_find(closure, mask);
        shares->known[b] = seen == CLOSURE_NONE ? 0 : wave->tables.precision[seen];
        if (order == 1)
            shares->energy[b] = single[__builtin_ctzll(mask)];
        if (order < 2)
            continue;
        const struct energy energy = seen == CLOSURE_NONE ? wave->energies.unseen[order] : wave->energies.block[seen];
        const double scale = seen == CLOSURE_NONE ? ldp_energies_bound(closure->cardinality, mask, t2) : 1;
        shares->presence[b] = order > 2 || ldp_closure_size(&shares->closure, b) >= MANY_CELLS ? energy.presence : 1;
        shares->energy[b] = energy.mean * scale;
    }
    ldp_shares_size(shares, (double)own->groups.n);
}

/* Plans the second wave and makes room for the tables of both. */
static enum ldp_status open_both(struct state *own, uint64_t n)
{
    struct ldp_reason reason;
    const enum ldp_status status = ldp_shares_solve(&own->shares, (double)n, QUESTIONS_MAX);
    clear_wave(&own->both);
    return status == LDP_OK ? ask(&own->both, own, &own->first.tables, n, &reason) : status;
}

static void collect(void *state, struct ldp_rng *rng, bool stages)
{
    struct state *const own = state;
    struct wave *const first = &own->first, *const both = &own->both;
    const size_t m = first->tables.m, cells = first->tables.first[m];

    ldp_groups_gather(&own->groups);
    ldp_tables_collect(&first->tables, 0, m, &own->groups, rng, first->x[LDP_NOISY],
                       stages ? first->x[LDP_SAMPLED] : NULL);
    learn(own);
    own->has_both = open_both(own, own->groups.n) == LDP_OK;
    if (own->has_both) {
        for (int stage = LDP_NOISY; stage <= (stages ? LDP_SAMPLED : LDP_NOISY); stage++)
            memcpy(both->x[stage], first->x[stage], cells * sizeof *first->x[stage]);
        ldp_tables_collect(&both->tables, m, both->tables.m, &own->groups, rng, both->x[LDP_NOISY],
                           stages ? both->x[LDP_SAMPLED] : NULL);
    }
    struct wave *const last = own->has_both ? both : first;
    if (stages)
        ldp_tables_exact(&last->tables, last->x[LDP_EXACT]);
}

/* ---- answers ---- */

/* Attributes that are mostly noise are moved towards uniform: those of many values by the risk that is estimated of
 * their own table, the others by what all attributes have in common. */
static void shrink_singles(struct state *own, struct wave *wave)
{
    const struct closure *const closure = &wave->tables.closure;
    ldp_energies_learn_singles(&wave->energies, &wave->shrinking, &wave->tables, wave->coefs);
    for (size_t a = 0; a < own->workload->records->d; a++) {
        const uint64_t mask = UINT64_C(1) << a;
        const size_t block = ldp_closure_find(closure, mask), cells = closure->cardinality[a];
        if (block == CLOSURE_NONE)
            continue;
        double *const coefs = wave->coefs + closure->offset[block], factor = wave->shrinking.factor[block];
        if (cells >= MANY_VALUES)
            factor = ldp_stein_single(&wave->tables, wave->coefs, a, own->room, own->scratch);
        for (size_t c = 0; c < cells - 1; c++)
            coefs[c] *= factor;
    }
}

/* Removes what is still negative, marginal by marginal. */
static void project(struct state *own, double *out)
{
    const size_t *const first = own->workload->first;

    for (size_t i = 0; i < own->workload->nsets; i++) {
        memcpy(own->room, out + first[i], (first[i + 1] - first[i]) * sizeof *out);
        ldp_simplex_project(own->room, first[i + 1] - first[i], own->scratch, out + first[i]);
    }
}

static void answer(void *state, enum ldp_stage stage, double *out)
{
    struct state *const own = state;
    struct wave *const wave = own->has_both ? &own->both : &own->first;

    ldp_tables_agree(&wave->tables, wave->x[stage], wave->coefs);
    if (stage == LDP_NOISY) {
        shrink_singles(own, wave);
        ldp_energies_learn(&wave->energies, &wave->shrinking, &wave->tables, wave->coefs);
        shrink_pairs(own, wave);
    }
    ldp_shrinking_run(&wave->shrinking, &wave->tables, false, wave->coefs); /* by the factors of the noisy answers */
    const struct closure *const from = &wave->tables.closure, *const to = &wave->largest.closure;
    for (size_t b = 0; b < to->nblocks; b++)
        memcpy(wave->largest_coefs + to->offset[b], wave->coefs + from->offset[ldp_closure_find(from, to->mask[b])],
               ldp_closure_size(to, b) * sizeof *wave->coefs);
    ldp_tables_make_nearly_valid(&wave->largest, &own->method, wave->largest_coefs);
    ldp_reconstruction_run(&wave->reconstruction, wave->largest_coefs, out);
    project(own, out);
}

static void facts(const void *state, struct ldp_synopsis_facts *out)
{
    const struct state *const own = state;
    const struct tables *const tables = own->has_both ? &own->both.tables : &own->first.tables;

    *out = (struct ldp_synopsis_facts){.m = tables->m, .set = tables->set};
    for (size_t i = 0; i < tables->m; i++)
        out->l = tables->set[i].size > out->l ? tables->set[i].size : out->l;
}

/* From the first wave and the plan of the second. */
static void predict(const void *state, struct ldp_prediction *out)
{
    const struct state *const own = state;
    const struct shares *const shares = &own->shares;

    for (size_t i = 0; i < own->workload->nsets; i++) {
        const uint64_t mask = ldp_set_mask(&own->workload->sets[i]);
        double noise = 0, total = 0;
        for (uint64_t sub = mask; sub; sub = (sub - 1) & mask) {
            const size_t block = ldp_closure_find(&shares->closure, sub);
            if (shares->precision[block] > 0)
                noise += (double)ldp_closure_size(&shares->closure, block) / shares->precision[block];
            total += ldp_shares_block_error(shares, block);
        }
        const double cells = ldp_set_cells(&own->workload->sets[i], shares->closure.cardinality);
        out[i] = (struct ldp_prediction){.noise = noise / cells, .total = total / cells};
    }
}

/* The sum of the squares of all central pairs has variance 2 sum v N^2 by noise; dependence is seen where it exceeds
 * FOUND standard deviations. */
static double detectable(const struct shares *shares)
{
    double variance = 0, bounds = 0;
    for (size_t b = 0; b < shares->closure.nblocks; b++)
        if (__builtin_popcountll(shares->closure.mask[b]) == 2 && shares->precision[b] > 0) {
            const double noise = 1 / shares->precision[b];
            variance += 2 * (double)ldp_closure_size(&shares->closure, b) * noise * noise;
            bounds += ldp_shrinking_bound(shares->closure.cardinality, shares->closure.mask[b]);
        }
    return bounds > 0 ? sqrt(FOUND * sqrt(variance) / bounds) : NAN;
}

static void outlook(void *state, struct ldp_outlook *out)
{
    struct state *const own = state;
    *out = (struct ldp_outlook){.users = own->users,
                                .tables = own->first.tables.m,
                                .gap = own->shares.gap,
                                .independent = own->regret.floor * (1 + own->regret.part),
                                .floor = own->regret.floor,
                                .dependent = NAN,
                                .detectable = detectable(&own->shares),
                                .usual = sqrt(own->both.energies.unseen[2].mean)};
    expect(own, false);
    if (ldp_shares_solve(&own->shares, (double)own->workload->records->n, QUESTIONS_MAX) == LDP_OK)
        out->dependent = ldp_shares_error(&own->shares);
}

const struct ldp_synopsis ldp_synopsis_plan = {
    .name = "plan",
    .title = "Tables and shares of users by their expected error, in two waves",
    .source = "this project",
    .params = params,
    .method = "norm_sub",
    .is_attackable = true,
    .open = open_state,
    .close = close_state,
    .collect = collect,
    .answer = answer,
    .facts = facts,
    .predict = predict,
    .outlook = outlook,
};
