/* prefixes.c - see prefixes.h. Cost: the candidates of all levels, and one split of the users. */
#include "searches/prefixes.h"

#include "numerics/numeric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void prefix_levels(struct prefix_plan *plan, unsigned first, unsigned step, unsigned length)
{
    plan->levels = 0;
    for (unsigned at = first;; at += step) {
        plan->length[plan->levels] = at < length ? at : length;
        plan->weight[plan->levels++] = 1;
        if (at >= length)
            return;
    }
}

enum ldp_status prefix_check(const struct prefix_plan *plan, const struct ldp_search_input *input,
                             struct ldp_reason *reason)
{
    if (search_check_groups(input, plan->levels, "levels", reason) != LDP_OK)
        return LDP_EINVAL;
    for (unsigned i = 0; i < plan->levels; i++) {
        char where[32];

        snprintf(where, sizeof where, "level %u", i + 1);
        if (search_check_candidates(input, true, where, i > 0 ? (double)plan->keep : 1,
                                    plan->length[i] - (i > 0 ? plan->length[i - 1] : 0), plan->pad,
                                    i > 0 ? "step or keep" : plan->first, reason) != LDP_OK)
            return LDP_EINVAL;
    }
    return search_check_keep((double)plan->keep, (double)search_ways(input->strings, plan->length[0], plan->pad),
                             "the first level", reason);
}

/* ---- Siblings of pem ---- */

unsigned prefix_affordable(const struct ldp_strings *strings, double parents, unsigned most, bool pad)
{
    unsigned symbols = 1;

    while (symbols < most && parents * (double)search_ways(strings, symbols + 1, pad) <= PREFIX_AFFORDABLE)
        symbols++;
    return symbols;
}

static struct prefix_plan plan_of(const struct prefix_variant *variant, const struct ldp_search_input *input,
                                  const double *param)
{
    if (variant->plan)
        return variant->plan(input, param);
    struct prefix_plan plan = {.first = "first",
                               .keep = (size_t)param[PREFIX_KEEP],
                               .least = -INFINITY,
                               .wrong = variant->wrong > 0 ? param[variant->wrong] : 0,
                               .wrong_last = variant->wrong_last > 0 ? param[variant->wrong_last] : 0,
                               .isotone = variant->isotone,
                               .pad = param[PREFIX_PAD] != 0,
                               .most = (size_t)param[PREFIX_MOST]};

    prefix_levels(&plan, (unsigned)param[PREFIX_FIRST], (unsigned)param[PREFIX_STEP], input->strings->length);
    for (unsigned i = 1; variant->growth > 0 && i < plan.levels; i++)
        plan.weight[i] = plan.weight[i - 1] * param[variant->growth];
    return plan;
}

enum ldp_status prefix_variant_configure(const struct ldp_search *search, const struct ldp_search_input *input,
                                         double *param, struct ldp_reason *reason)
{
    const struct ldp_strings *strings = input->strings;
    const unsigned length = strings->length;
    const bool pad = param[PREFIX_PAD] != 0;

    if (!isnan(param[PREFIX_FIRST]) && param[PREFIX_FIRST] > length)
        return ldp_refuse(reason, "first = %g: expected at most the length of the strings, %u", param[PREFIX_FIRST],
                          length);
    if (isnan(param[PREFIX_FIRST]))
        param[PREFIX_FIRST] = prefix_affordable(strings, 1, length, pad);
    if (isnan(param[PREFIX_KEEP]))
        param[PREFIX_KEEP] =
            search_standard_keep(search_ways(strings, (unsigned)param[PREFIX_FIRST], pad), search->variant->standard);
    if (isnan(param[PREFIX_STEP])) {
        const unsigned left = length - (unsigned)param[PREFIX_FIRST];
        const unsigned most = prefix_affordable(strings, param[PREFIX_KEEP], length, pad);
        const unsigned steps = (left + most - 1) / most;

        param[PREFIX_STEP] = steps > 0 ? (left + steps - 1) / steps : 1;
    }
    const struct prefix_plan plan = plan_of(search->variant, input, param);
    return prefix_check(&plan, input, reason);
}

void prefix_rounds(const struct prefix_plan *plan, const struct ldp_search_input *input, double epsilon,
                   struct ldp_search_rounds *out)
{
    double parents = 1, sum = 0;

    for (unsigned i = 0; i < plan->levels; i++)
        sum += plan->weight[i];
    for (unsigned i = 0; i < plan->levels; i++) {
        const unsigned more = plan->length[i] - (i > 0 ? plan->length[i - 1] : 0);
        const double candidates = parents * (double)search_ways(input->strings, more, plan->pad);

        search_add_round(out, input, candidates, (double)input->histogram.n * plan->weight[i] / sum, epsilon);
        parents = fmin(candidates, (double)plan->keep);
    }
}

void prefix_variant_rounds(const struct ldp_search *search, const struct ldp_search_input *input, const double *param,
                           struct ldp_search_rounds *out)
{
    const struct prefix_plan plan = plan_of(search->variant, input, param);

    prefix_rounds(&plan, input, input->epsilon, out);
}

/* ---- A search ---- */

enum ldp_status prefix_walk(struct ldp_search_state *state, const struct prefix_plan *plan, double epsilon,
                            prefix_step *step, void *context)
{
    static const ldp_uint128 root = 0;
    struct search_round round = {.epsilon = epsilon, .parent = &root, .nparents = 1, .pad = plan->pad};
    enum ldp_status status = LDP_OK;

    state->kept.count = 0;
    for (unsigned i = 0; status == LDP_OK && round.to < state->input.strings->length && round.nparents > 0; i++) {
        round.group = i;
        round.to = plan->length[i];
        state->name = (struct search_round_name){"level", i + 1, i > 0 ? "keep or step" : plan->first};
        status = step(state, &round, i, context);
        const struct search_kept swap = state->kept;
        state->kept = state->next;
        state->next = swap;
        round.from = round.to;
        round.parent = state->kept.key;
        round.nparents = state->kept.count;
    }
    return status;
}

enum ldp_status prefix_chains_init(struct prefix_chains *chains, struct ldp_search_state *state, size_t kept,
                                   size_t length)
{
    if (SEARCH_ROOM(state, chain, 2 * kept * length + 1) != LDP_OK)
        return LDP_ENOMEM;
    *chains = (struct prefix_chains){length, state->chain, state->chain + kept * length};
    return LDP_OK;
}

void prefix_chains_add(const struct prefix_chains *chains, size_t k, size_t parent, size_t level, double est)
{
    double *const chain = chains->next + k * chains->length;

    memcpy(chain, chains->chain + parent * chains->length, level * sizeof *chain);
    chain[level] = est;
}

void prefix_chains_turn(struct prefix_chains *chains)
{
    double *const swap = chains->chain;

    chains->chain = chains->next;
    chains->next = swap;
}

/* A search, and where all levels' estimates count its chains and the weights of levels. */
struct search {
    const struct prefix_plan *plan;
    struct prefix_chains chains;
    double precision[SEARCH_LENGTH_MAX];
};

double prefix_falling(const double *precision, const double *before, unsigned level, double est, unsigned *from)
{
    double weight = precision[level], sum = weight * est, least = est;
    unsigned first = level;

    for (unsigned i = level; i-- > 0;) {
        weight += precision[i];
        sum += precision[i] * before[i];
        if (sum / weight < least) {
            least = sum / weight;
            first = i;
        }
    }
    if (from)
        *from = first;
    return least;
}

/* Estimates of the answers, combined with those of their parents, and never above them; sigma is the noise of this
 * level. They overwrite the support counts, which are no longer needed. */
static enum ldp_status make_fall(struct ldp_search_state *state, struct search *search,
                                 const struct search_round *round, unsigned level, double sigma, const double **est)
{
    const struct prefix_chains *const chains = &search->chains;
    const size_t ways = search_ways(state->input.strings, round->to - round->from, round->pad),
                 count = state->answers.count;

    search->precision[level] = state->round_n > 0 ? 1 / (sigma * sigma + 1e-30) : 0;
    if (level == 0)
        return LDP_OK;
    if (SEARCH_ROOM(state, support, count) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t i = 0; i < count; i++)
        state->support[i] =
            prefix_falling(search->precision, chains->chain + search_answer_index(state, i) / ways * chains->length,
                           level, state->est[i], NULL);
    *est = state->support;
    return LDP_OK;
}

/* The chains of the kept prefixes from those of their parents; raw estimates are in state->est. */
static void extend_chains(const struct ldp_search_state *state, struct prefix_chains *chains,
                          const struct search_round *round, unsigned level)
{
    const struct ldp_strings *strings = state->input.strings;
    const unsigned more = round->to - round->from;
    const size_t ways = search_ways(strings, more, round->pad);
    size_t p = 0;

    for (size_t k = 0; k < state->next.count; k++) {
        const ldp_uint128 key = state->next.key[k], parent = round->from > 0 ? key / state->power[more] : 0;

        while (round->parent[p] < parent)
            p++;
        const size_t index = search_index(strings, round->pad, more, key - parent * state->power[more]);
        prefix_chains_add(chains, k, p, level, search_estimate(state, p * ways + index));
    }
    prefix_chains_turn(chains);
}

/* The smallest estimate that a level keeps. */
static double least_kept(const struct ldp_search_state *state, const struct prefix_plan *plan, unsigned level,
                         double candidates, double sigma)
{
    const double wrong = level + 1 == plan->levels ? plan->wrong_last : plan->wrong;

    if (!(wrong > 0) || state->round_n == 0)
        return plan->least;
    if (sigma == 0) /* no noise: an estimate above 0 has users */
        return plan->least > 0x1p-1022 ? plan->least : 0x1p-1022;
    if (wrong >= candidates)
        return plan->least;

    const double least = -ldp_normal_quantile(wrong / candidates) * sigma;

    return least > plan->least ? least : plan->least;
}

static enum ldp_status ask_level(struct ldp_search_state *state, struct search_round *round, unsigned level,
                                 void *context)
{
    struct search *const search = context;
    const struct prefix_plan *const plan = search->plan;
    const bool last = level + 1 == plan->levels;
    const bool all = plan->wrong > 0 || plan->isotone || (last && plan->wrong_last > 0);
    enum ldp_status status = search_ask(state, round, plan->keep);
    const double sigma = status == LDP_OK && all ? search_sigma(state) : 0,
                 least = least_kept(state, plan, level, search_valid_candidates(state, round), sigma);

    for (bool known = false; status == LDP_OK && !known;) {
        const double *est = state->est;

        if (plan->isotone)
            status = make_fall(state, search, round, level, sigma, &est);
        if (status == LDP_OK)
            status = search_keep(state, round, est, plan->keep, least, &state->next);
        known = search_known(state, &state->next, plan->keep, least);
        if (status == LDP_OK && !known)
            status = search_more(state);
    }
    if (status == LDP_OK && plan->isotone)
        extend_chains(state, &search->chains, round, level);
    return status;
}

enum ldp_status prefix_variant_run(struct ldp_search_state *state, const double *param)
{
    const struct prefix_plan plan = plan_of(state->spec.search->variant, &state->input, param);
    struct search search = {.plan = &plan};
    enum ldp_status status = search_split(state, plan.levels, plan.weight, plan.by_chance);

    if (status == LDP_OK && plan.isotone)
        status = prefix_chains_init(&search.chains, state, plan.keep, plan.levels);
    if (status == LDP_OK)
        status = prefix_walk(state, &plan, state->input.epsilon, ask_level, &search);
    return status == LDP_OK ? search_found(state, &state->kept, plan.most) : status;
}
