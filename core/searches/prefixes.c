/* prefixes.c - see prefixes.h. Cost: the candidates of all levels, and one split of the users. */
#include "searches/prefixes.h"

#include "numerics/numeric.h"

#include <math.h>
#include <stdio.h>

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
    const struct ldp_strings *strings = input->strings;
    const size_t first = search_ways(strings, plan->length[0], plan->pad);

    if (plan->levels > input->histogram.n)
        return ldp_refuse(reason, "expected at least as many users as levels, got n = %.17g and %u levels",
                          (double)input->histogram.n, plan->levels);
    for (unsigned i = 0; i < plan->levels; i++) {
        char where[32];

        snprintf(where, sizeof where, "level %u", i + 1);
        if (search_check_asked(input, where, i > 0 ? (double)plan->keep : 1,
                               plan->length[i] - (i > 0 ? plan->length[i - 1] : 0), plan->pad,
                               i > 0 ? "step or keep" : plan->first, reason) != LDP_OK)
            return LDP_EINVAL;
    }
    if (plan->keep > first)
        return ldp_refuse(reason, "keep = %zu: expected at most the %zu candidates of the first level", plan->keep,
                          first);
    return LDP_OK;
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

/* The estimates of earlier levels for kept prefixes: chain[k * levels + i] is the estimate of kept prefix k at level i,
 * precision[i] its weight. */
struct chains {
    double precision[SEARCH_LENGTH_MAX];
    double *chain, *next;
};

static enum ldp_status room_for_chains(struct ldp_search_state *state, const struct prefix_plan *plan,
                                       struct chains *chains)
{
    const size_t numbers = plan->isotone ? 2 * plan->keep * plan->levels : 0;

    if (SEARCH_ROOM(state, chain, numbers + 1) != LDP_OK)
        return LDP_ENOMEM;
    chains->chain = state->chain;
    chains->next = state->chain + numbers / 2;
    return LDP_OK;
}

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
static enum ldp_status make_fall(struct ldp_search_state *state, const struct prefix_plan *plan, struct chains *chains,
                                 const struct search_round *round, unsigned level, double sigma, const double **est)
{
    const size_t ways = search_ways(state->input.strings, round->to - round->from, round->pad),
                 count = state->answers.count;

    chains->precision[level] = state->round_n > 0 ? 1 / (sigma * sigma + 1e-30) : 0;
    if (level == 0)
        return LDP_OK;
    if (SEARCH_ROOM(state, support, count) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t i = 0; i < count; i++)
        state->support[i] =
            prefix_falling(chains->precision, chains->chain + search_answer_index(state, i) / ways * plan->levels,
                           level, state->est[i], NULL);
    *est = state->support;
    return LDP_OK;
}

/* The chains of the kept prefixes (state->other) from those of their parents; raw estimates are in state->est. */
static void extend_chains(const struct ldp_search_state *state, const struct prefix_plan *plan, struct chains *chains,
                          const struct search_round *round, unsigned level)
{
    const struct ldp_strings *strings = state->input.strings;
    const unsigned more = round->to - round->from;
    const size_t ways = search_ways(strings, more, round->pad);
    double *const swap = chains->chain;
    size_t p = 0;

    for (size_t k = 0; k < state->other.count; k++) {
        const ldp_uint128 key = state->other.key[k], parent = round->from > 0 ? key / state->power[more] : 0;
        double *chain = chains->next + k * plan->levels;

        while (round->parent[p] < parent)
            p++;
        for (unsigned i = 0; i < level; i++)
            chain[i] = chains->chain[p * plan->levels + i];
        chain[level] = search_estimate(
            state, p * ways + search_index(strings, round->pad, more, key - parent * state->power[more]));
    }
    chains->chain = chains->next;
    chains->next = swap;
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

static enum ldp_status ask_level(struct ldp_search_state *state, const struct prefix_plan *plan, struct chains *chains,
                                 const struct search_round *round, unsigned level)
{
    const bool last = level + 1 == plan->levels;
    const bool all = plan->wrong > 0 || plan->isotone || (last && plan->wrong_last > 0);
    enum ldp_status status = search_ask(state, round, plan->keep);
    const double sigma = status == LDP_OK && all ? search_sigma(state) : 0,
                 least = least_kept(state, plan, level, search_valid_candidates(state, round), sigma);

    for (bool known = false; status == LDP_OK && !known;) {
        const double *est = state->est;

        if (plan->isotone)
            status = make_fall(state, plan, chains, round, level, sigma, &est);
        if (status == LDP_OK)
            status = search_keep(state, round, est, plan->keep, least, &state->other);
        known = search_known(state, &state->other, plan->keep, least);
        if (status == LDP_OK && !known)
            status = search_more(state);
    }
    if (status == LDP_OK && plan->isotone)
        extend_chains(state, plan, chains, round, level);
    return status;
}

enum ldp_status prefix_variant_run(struct ldp_search_state *state, const double *param)
{
    const struct prefix_plan own = plan_of(state->spec.search->variant, &state->input, param), *const plan = &own;
    struct search_round round = search_first_round(state, plan->pad);
    struct chains chains = {{0}, NULL, NULL};
    enum ldp_status status = search_split(state, plan->levels, plan->weight, plan->by_chance);

    if (status == LDP_OK)
        status = room_for_chains(state, plan, &chains);
    state->kept.count = 0;
    for (unsigned i = 0; status == LDP_OK && i < plan->levels && round.nparents > 0; i++) {
        round.group = i;
        round.to = plan->length[i];
        state->name = (struct search_round_name){"level", i + 1, i > 0 ? "keep or step" : plan->first};
        status = ask_level(state, plan, &chains, &round, i);
        search_next_round(state, &round, &state->other);
    }
    return status == LDP_OK ? search_found(state, &state->kept, plan->most) : status;
}
