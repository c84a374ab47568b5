/* planned_run.c - see planned.h: the search.
 *
 * The last level: a candidate with parent p is a string of group g of a law with probability
 *
 *     a_g(p) = number_g / ways * w_g(p) / sum_p w_g(p),   w_g(p) = product over levels i of Phi((est_i(p) - f_g) /
 * s_i),
 *
 * as a prefix is at least as frequent as its extensions; else no user has it. With the normal law of its estimate this
 * gives the probability that no user has it, by the posterior of laws. It is requested if users have it and few others
 * are more frequent, by the estimates of all levels: where a string is nearly all of its prefix, those tell its
 * frequency too, and else they are larger (prefix_falling, as in pem_joint). The strings most probably requested are
 * returned, as many as have the largest expected F1. */
#include "searches/planned.h"

#include "numerics/numeric.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Levels whose estimates a prefix carries along; of more, the last takes the place of the last but one. */
enum { CHAIN = 8 };

struct planning {
    struct ldp_search_state *state;
    const struct planned_given *given;
    struct laws *laws;
    struct prefix_plan plan;
    struct search_level level[CHAIN];
    unsigned nlevels; /* of them that are done */
    struct prefix_chains chains;
};

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

static int by_requested(const void *a, const void *b)
{
    const struct search_scored *const x = a, *const y = b;

    if (x->requested != y->requested)
        return x->requested < y->requested ? 1 : -1;
    return (x->index > y->index) - (x->index < y->index);
}

/* ---- Users ---- */

/* The next group of `part` of all users, out of those left: group 0, the others are group 1. All who are left, if this
 * is the last. */
static enum ldp_status next_group(struct planning *planning, unsigned level, bool last, size_t *group)
{
    struct ldp_search_state *const state = planning->state;
    const struct ldp_histogram all = state->input.histogram;
    double part = planning->plan.weight[level], used = 0;

    *group = last && level > 0 ? 1 : 0;
    if (last && level > 0)
        return LDP_OK;
    if (level == 0) {
        const double weight[] = {last ? 1 : part, last ? 0 : 1 - part};
        return search_split(state, last ? 1 : 2, weight, false);
    }
    for (unsigned i = 0; i < level; i++)
        used += planning->plan.weight[i];
    part = fmin(1, part / (1 - used));
    if (SEARCH_ROOM(state, left, all.d) != LDP_OK)
        return LDP_ENOMEM;
    memset(state->left, 0, all.d * sizeof *state->left);
    for (size_t i = state->first[1]; i < state->last[1]; i++)
        state->left[state->string[i]] = state->count[i];
    const double weight[] = {part, 1 - part};
    state->input.histogram = (struct ldp_histogram){.d = all.d, .n = state->size[1], .counts = state->left};
    const enum ldp_status status = search_split(state, 2, weight, false);
    state->input.histogram = all;
    return status;
}

/* ---- A level ---- */

static struct search_level done_level(const struct ldp_search_state *state, const struct search_round *round,
                                      double sigma)
{
    const double users = state->round_n > 0 ? (double)state->round_n : 1;
    struct search_level level =
        search_level_of(&state->protocol, search_valid_candidates(state, round), users, round->to);

    level.s1 = sigma * sigma * users;
    if (state->protocol.flags & LDP_ORACLE_SKETCH)
        level.p = 0;
    return level;
}

static enum ldp_status ask(struct planning *planning, const struct search_round *round, unsigned level)
{
    struct ldp_search_state *const state = planning->state;
    const size_t most = planned_most_kept(planning->given, planning->plan.most);
    const enum ldp_status status = search_ask(state, round, most);

    if (status != LDP_OK)
        return status;
    planning->nlevels = level < CHAIN ? level + 1 : CHAIN;
    planning->level[planning->nlevels - 1] = done_level(state, round, search_sigma(state));
    return search_keep_most(state, round, most, -INFINITY, &state->other);
}

/* The estimates of state->other, descending. */
static enum ldp_status sort_estimates(struct ldp_search_state *state)
{
    if (SEARCH_ROOM(state, sorted, state->other.count + 1) != LDP_OK)
        return LDP_ENOMEM;
    memcpy(state->sorted, state->other.est, state->other.count * sizeof *state->sorted);
    qsort(state->sorted, state->other.count, sizeof *state->sorted, descending);
    return LDP_OK;
}

/* The `keep` largest of state->other go to state->kept, with the estimates of their prefixes. */
static enum ldp_status cut(struct planning *planning, const struct search_round *round)
{
    struct ldp_search_state *const state = planning->state;
    struct search_kept *const all = &state->other;
    const ldp_uint128 span = state->power[round->to - round->from];
    const size_t keep = planning->plan.keep < all->count ? planning->plan.keep : all->count;
    size_t p = 0, ties = 0;

    state->next.count = 0;
    if (keep == 0)
        return LDP_OK;
    const double least = state->sorted[keep - 1];
    for (size_t i = 0; i < keep; i++)
        ties += state->sorted[i] == least;
    for (size_t i = 0; i < all->count; i++) {
        const ldp_uint128 parent = round->from > 0 ? all->key[i] / span : 0;
        while (round->parent[p] < parent)
            p++;
        if (all->est[i] < least || (all->est[i] == least && ties == 0))
            continue;
        if (all->est[i] == least)
            ties--;
        prefix_chains_add(&planning->chains, state->next.count, p, planning->nlevels - 1, all->est[i]);
        if (search_add(&state->next, all->key[i], all->est[i]) != LDP_OK)
            return LDP_ENOMEM;
    }
    prefix_chains_turn(&planning->chains);
    return LDP_OK;
}

/* Estimates from a level, plans the others, and keeps its prefixes. */
static enum ldp_status plan_again(struct planning *planning, const struct search_round *round, unsigned level)
{
    struct ldp_search_state *const state = planning->state;
    const struct planned_kept kept = {planning->level[planning->nlevels - 1], state->sorted, state->other.count};
    struct prefix_plan *const plan = &planning->plan;

    if (state->round_n > 0)
        laws_learn(planning->laws, &kept.level, kept.est, kept.count);
    laws_weigh(planning->laws);
    plan->levels = level + 1;
    planned_choose_rest(&state->input, planning->given, planning->laws, &kept, plan, NULL);
    const size_t keep = plan->keep < kept.count ? plan->keep : kept.count;
    laws_keep(planning->laws, &kept.level, planned_threshold(&kept, keep));
    return cut(planning, round);
}

/* ---- The answer ---- */

/* w_g(p). */
static double room_below(const struct planning *planning, size_t p, double f)
{
    double product = 1;

    for (unsigned i = 0; i + 1 < planning->nlevels; i++) {
        const struct search_level *const level = &planning->level[i];
        product *=
            search_above(level, planning->chains.chain[p * CHAIN + i], f); /* the spread at the estimate's own size */
    }
    return product;
}

/* Adds to `scored` what one group of a law says; sum: of w_g. */
static void score_group(const struct planning *planning, struct law_group *group, double weight, double nparents)
{
    struct ldp_search_state *const state = planning->state;
    const struct search_level *const level = &planning->level[planning->nlevels - 1];
    const double f = law_mass(group, level->length), ways = level->candidates / nparents;
    double sum = 0;

    group->at = 0;
    if (!(f > 0) || !(group->present > 1e-9))
        return;
    for (size_t p = 0; p < (size_t)nparents; p++)
        sum += state->room_of[p] = room_below(planning, p, f);
    const double each = weight * law_number(group, level->length) * group->present / ways / fmax(sum, 1e-300);
    group->at = each;
    for (size_t i = 0; i < state->nscored; i++) {
        struct search_scored *const scored = &state->scored[i];
        const double prior = fmin(weight, each * state->room_of[scored->parent]),
                     present = prior * search_density(level, scored->est, f);
        scored->present += present;
        scored->prior += prior;
    }
}

static double zero_probability(const struct search_level *level, const struct search_scored *scored)
{
    const double nobody = fmax(1e-12, 1 - scored->prior) * search_density(level, scored->est, 0);

    return nobody / fmax(scored->present + nobody, 1e-300);
}

/* Strings that are more frequent and were lost at earlier levels, by the posterior of laws. */
static double number_lost(const struct planning *planning, double est)
{
    const struct search_level *const level = &planning->level[planning->nlevels - 1];
    double lost = 0;

    for (size_t l = 0; l < planning->laws->count; l++) {
        const struct law *const law = &planning->laws->law[l];
        for (size_t g = 0; law->weight > 0 && g < law->count; g++)
            if (law_mass(&law->group[g], level->length) > est)
                lost += law->weight * law_number(&law->group[g], level->length) * (1 - law->group[g].present);
    }
    return lost;
}

/* The probability that `one` in place of scored[i], if users have it, is among the most frequent that are requested:
 * how many are more frequent is nearly normal. */
static double rank_is_requested(const struct planning *planning, size_t i, const struct search_scored *one)
{
    const struct ldp_search_state *const state = planning->state;
    double mean = number_lost(planning, one->f), variance = mean;

    for (size_t k = 0; k < state->nscored; k++) {
        if (k == i)
            continue;
        const struct search_scored *const other = &state->scored[k];
        const double spread = sqrt(one->spread * one->spread + other->spread * other->spread),
                     above = (1 - other->nobody) * search_tail((one->f - other->f) / spread);
        mean += above;
        variance += above * (1 - above);
    }
    return search_tail((mean - (double)planning->plan.most + 0.5) / sqrt(variance + 1e-6));
}

static enum ldp_status score(struct planning *planning, const struct search_round *round)
{
    struct ldp_search_state *const state = planning->state;
    const struct search_kept *const all = &state->other;
    const struct search_level *const level = &planning->level[planning->nlevels - 1];
    const ldp_uint128 span = state->power[round->to - round->from];
    size_t p = 0;

    if (SEARCH_ROOM(state, scored, 2 * all->count + 1) != LDP_OK ||
        SEARCH_ROOM(state, room_of, round->nparents) != LDP_OK)
        return LDP_ENOMEM;
    state->nscored = 0;
    for (size_t i = 0; i < all->count; i++) {
        const ldp_uint128 parent = round->from > 0 ? all->key[i] / span : 0;
        while (round->parent[p] < parent)
            p++;
        if (all->est[i] < 0)
            continue;
        struct search_scored *const scored = &state->scored[state->nscored++];
        *scored = (struct search_scored){.index = i, .parent = p};
        planned_score(planning->level, planning->nlevels, planning->chains.chain + p * CHAIN, all->est[i], scored);
    }
    for (size_t l = 0; l < planning->laws->count; l++)
        if (planning->laws->law[l].weight > 0)
            for (size_t g = 0; g < planning->laws->law[l].count; g++)
                score_group(planning, &planning->laws->law[l].group[g], planning->laws->law[l].weight,
                            (double)round->nparents);
    for (size_t i = 0; i < state->nscored; i++)
        state->scored[i].nobody = zero_probability(level, &state->scored[i]);
    for (size_t i = 0; i < state->nscored; i++)
        state->scored[i].requested = (1 - state->scored[i].nobody) * rank_is_requested(planning, i, &state->scored[i]);
    qsort(state->scored, state->nscored, sizeof *state->scored, by_requested);
    return LDP_OK;
}

/* How many of the scored are returned, and through *stated which part of them have zero frequency, at most. A list that
 * was chosen because what the posterior says and what would be as large by noise alone, if none had any of the
 * candidates, are within a bound, has the bound (Benjamini and Hochberg, J. R. Statist. Soc. B 57, 1995); the second
 * needs no law. Without a bound the list is chosen because few seem to be wrong, so that either number alone is too
 * small: their sum is stated. */
static size_t answer_size(const struct planning *planning, const struct search_scored *scored, size_t count,
                          double candidates, double *stated)
{
    const struct search_level *const level = &planning->level[planning->nlevels - 1];
    const double requested = (double)planning->plan.most;
    double found = 0, nobody = 0, best = 0, least = INFINITY, part = 0, sum = 0;
    size_t size = 0;

    *stated = 0;
    for (size_t i = 0; i < count && i < planning->plan.most; i++) {
        found += scored[i].requested;
        nobody += scored[i].nobody;
        least = fmin(least, scored[i].est);
        const double returned = (double)(i + 1), f1 = 2 * found / (returned + requested),
                     by_noise = candidates * search_noise_above(level, least);
        part = fmax(part, fmin(fmax(nobody, by_noise) / returned, 1));
        sum = fmax(sum, fmin((nobody + by_noise) / returned, 1));
        if (f1 > best && part <= planning->given->fdr) {
            best = f1;
            size = i + 1;
            *stated = planning->given->fdr < 1 ? planning->given->fdr : sum;
        }
    }
    return size;
}

/* ---- Intervals ---- */

enum { INTERVALS = 100, HALVINGS = 12 }; /* longer lists have none */

/* The frequencies that scored[i] may have. */
static enum ldp_status list_given(const struct planning *planning, const struct search_scored *scored)
{
    struct ldp_search_state *const state = planning->state;
    const struct laws *const laws = planning->laws;
    const unsigned length = planning->level[planning->nlevels - 1].length;
    size_t all = 0;

    for (size_t l = 0; l < laws->count; l++)
        all += laws->law[l].count;
    if (SEARCH_ROOM(state, given, all) != LDP_OK)
        return LDP_ENOMEM;
    state->ngiven = 0;
    for (size_t l = 0; l < laws->count; l++) {
        const struct law *const law = &laws->law[l];
        for (size_t g = 0; law->weight > 0 && g < law->count; g++) {
            const double f = law_mass(&law->group[g], length);
            if (law->group[g].at > 0)
                state->given[state->ngiven++] = (struct search_given){
                    fmin(law->weight, law->group[g].at * room_below(planning, scored->parent, f)), f};
        }
    }
    return LDP_OK;
}

/* Whether scored[i] would be returned with this estimate, the others as they are, and be above the noise of all
 * candidates (at the level 5 %): laws were estimated from the estimate too, which decides where all is noise. */
static bool is_returned(const struct planning *planning, size_t i, double est, double candidates)
{
    const struct ldp_search_state *const state = planning->state;
    const struct search_level *const level = &planning->level[planning->nlevels - 1];
    struct search_scored *const list = state->scored + state->nscored, one = state->scored[i];
    size_t count = 0, index = SIZE_MAX;
    double stated;

    if (!(candidates * search_noise_above(level, est) <= 0.05))
        return false;
    planned_score(planning->level, planning->nlevels, planning->chains.chain + one.parent * CHAIN, est, &one);
    one.present = 0;
    for (size_t k = 0; k < state->ngiven; k++)
        one.present += state->given[k].prior * search_density(level, est, state->given[k].f);
    one.nobody = zero_probability(level, &one);
    one.requested = (1 - one.nobody) * rank_is_requested(planning, i, &one);
    for (size_t k = 0; k <= state->nscored && count < planning->plan.most; k++) {
        if (index == SIZE_MAX && (k == state->nscored || (k != i && state->scored[k].requested < one.requested)))
            list[index = count++] = one;
        if (k < state->nscored && k != i && count < planning->plan.most)
            list[count++] = state->scored[k];
    }
    return index < answer_size(planning, list, count, candidates, &stated);
}

/* Of the strings returned, the smallest estimates with which they would be; their own: they are not above the noise. */
static enum ldp_status find_least(const struct planning *planning, size_t size, double candidates)
{
    struct ldp_search_state *const state = planning->state;

    for (size_t i = 0; i < size && size <= INTERVALS; i++) {
        struct search_scored *const scored = &state->scored[i];
        double low = 0, high = scored->est;
        if (list_given(planning, scored) != LDP_OK)
            return LDP_ENOMEM;
        for (int halving = 0; halving < HALVINGS; halving++) {
            const double middle = (low + high) / 2;
            *(is_returned(planning, i, middle, candidates) ? &high : &low) = middle;
        }
        scored->least = high;
    }
    return LDP_OK;
}

/* A string is returned because its estimate is large. Given all other estimates, it is at least scored.least: the
 * interval is that of the law of an estimate of which this is known. */
static void add_intervals(const struct planning *planning)
{
    struct ldp_search_state *const state = planning->state;
    const struct search_level *const level = &planning->level[planning->nlevels - 1];

    for (size_t i = 0; i < state->result.nfound && state->result.nfound <= INTERVALS; i++)
        for (size_t k = 0; k < state->result.nfound; k++) {
            struct ldp_found *const found = &state->found[i];
            if (state->other.key[state->scored[k].index] == found->key && state->scored[k].least < found->est)
                search_interval(level, found->est, state->scored[k].least, &found->low, &found->high);
        }
}

/* ---- */

static enum ldp_status answer(struct planning *planning, const struct search_round *round)
{
    struct ldp_search_state *const state = planning->state;
    const struct search_level *const level = &planning->level[planning->nlevels - 1];
    enum ldp_status status;

    if (state->round_n > 0)
        laws_learn(planning->laws, level, state->sorted, state->other.count);
    laws_weigh(planning->laws);
    status = score(planning, round);
    if (status != LDP_OK)
        return status;
    const double candidates = (double)round->nparents * (double)state->power[round->to - round->from];
    const size_t size = answer_size(planning, state->scored, state->nscored, candidates, &state->result.false_stated);
    state->next.count = 0;
    for (size_t i = 0; i < size; i++) {
        const struct search_scored *const scored = &state->scored[i];
        if (search_add(&state->next, state->other.key[scored->index], scored->est) != LDP_OK)
            return LDP_ENOMEM;
    }
    if (state->input.intervals && find_least(planning, size, candidates) != LDP_OK)
        return LDP_ENOMEM;
    return search_sort(state, &state->next);
}

static enum ldp_status make_room(struct planning *planning)
{
    struct ldp_search_state *const state = planning->state;
    const size_t requested = planning->plan.most, kept = planned_most_kept(planning->given, requested);
    const enum laws_kind kind = planning->given->known ? LAWS_KNOWN : LAWS_GRID;

    if (!laws_suit(state->laws, &state->input, requested, kind)) {
        laws_free(state->laws);
        state->laws = laws_new(&state->input, requested, kind);
    }
    if (!state->laws || prefix_chains_init(&planning->chains, state, kept + 1, CHAIN) != LDP_OK)
        return LDP_ENOMEM;
    planning->laws = state->laws;
    laws_reset(state->laws);
    return LDP_OK;
}

static enum ldp_status step(struct ldp_search_state *state, struct search_round *round, unsigned level, void *context)
{
    struct planning *const planning = context;
    const bool last = round->to == state->input.strings->length;
    enum ldp_status status = next_group(planning, level, last, &round->group);

    if (status == LDP_OK)
        status = ask(planning, round, level);
    if (status == LDP_OK)
        status = sort_estimates(state);
    return status != LDP_OK ? status : last ? answer(planning, round) : plan_again(planning, round, level);
}

enum ldp_status planned_run(struct ldp_search_state *state, const struct planned_given *given,
                            const struct prefix_plan *plan)
{
    struct planning planning = {.state = state, .given = given, .plan = *plan};
    enum ldp_status status = make_room(&planning);

    if (status == LDP_OK)
        status = prefix_walk(state, &planning.plan, state->input.epsilon, step, &planning);
    if (status == LDP_OK)
        status = search_found(state, &state->kept, plan->most);
    if (status == LDP_OK && state->input.intervals)
        add_intervals(&planning);
    return status;
}
