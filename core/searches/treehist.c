/* treehist.c - the tree histogram.
 *
 * A user sends two reports with epsilon / 2 each: a prefix whose length is drawn from step, 2 step, ..., and the whole
 * string. The server goes from prefixes of `step` symbols to whole strings, keeps the largest of each level, and
 * estimates the remaining strings from the second reports; estimates below 0 are left out.
 *
 * Prefixes of all lengths go to one oracle (levels = shared): a prefix is padded with a reserved character, so that
 * prefixes of different lengths differ, and the server scales by the number of levels. With public levels the length is
 * public, and each length has its own oracle.
 *
 * Source: Bassily, Nissim, Stemmer, Thakurta, NIPS 2017; Cormode, Maddock, Maple, PVLDB 14, 2021, sec. 5 and 8. The
 * original keeps all prefixes above a threshold (`threshold`), PVLDB a fixed number of prefixes. Left open there, and a
 * parameter here: whether shorter strings are searched for. The shared oracle is one collection; its domain is the
 * prefixes that users report and one place for each other possible candidate. An absent candidate is given its index
 * when the server first asks about it, which is valid because absent candidates are exchangeable. Cost: the domain,
 * O(n) for the groups. */
#include "searches/prefixes.h"

#include <math.h>
#include <string.h>

enum { STEP, KEEP, LEAST, LEVELS, PAD, MOST };
enum { SHARED, PUBLIC };
enum { STANDARD_STEP = 2, STANDARD_KEEP = 20 };

static const char *const levels[] = {"shared", "public", NULL};

static const struct ldp_param params[] = {
    [STEP] = LDP_PARAM_INTEGER("step", STANDARD_STEP, 1, SEARCH_LENGTH_MAX,
                               "symbols from a level to the next; default 2, or 1 for strings of one symbol"),
    [KEEP] = LDP_PARAM_INTEGER("keep", NAN, 1, 0x1p20,
                               "prefixes kept at each level; default 20, or all candidates of the first level"),
    [LEAST] = SEARCH_PARAM_LEAST,
    [LEVELS] = LDP_PARAM_CHOICE(
        "levels", levels, SHARED, PUBLIC,
        "one oracle for the prefixes of all lengths (shared), or one for each length, which reports name (public)"),
    [PAD] = SEARCH_PARAM_PAD,
    [MOST] = SEARCH_PARAM_MOST("kept"),
    {.name = NULL},
};

static struct prefix_plan plan_of(const struct ldp_search_input *input, const double *param)
{
    struct prefix_plan plan = {.first = "step",
                               .by_chance = true,
                               .keep = (size_t)param[KEEP],
                               .least = param[LEAST] > 0 ? param[LEAST] : -INFINITY,
                               .pad = param[PAD] != 0,
                               .most = (size_t)param[MOST]};
    prefix_levels(&plan, (unsigned)param[STEP], (unsigned)param[STEP], input->strings->length);
    return plan;
}

static enum ldp_status configure(const struct ldp_search *search, const struct ldp_search_input *input, double *param,
                                 struct ldp_reason *reason)
{
    const struct ldp_strings *strings = input->strings;

    if (search_check_step(strings, STANDARD_STEP, &param[STEP], reason) != LDP_OK)
        return LDP_EINVAL;

    const size_t ways = search_ways(strings, (unsigned)param[STEP], param[PAD] != 0);

    if (isnan(param[KEEP]))
        param[KEEP] = search_standard_keep(ways, STANDARD_KEEP);

    const struct prefix_plan plan = plan_of(input, param);
    const unsigned step = (unsigned)param[STEP];
    if (search_check_candidates(input, false, "level 1", 1, step, plan.pad, "step", reason) != LDP_OK ||
        search_check_candidates(input, false, "the tree", (double)plan.keep * (plan.levels - 1), step, plan.pad,
                                "step or keep", reason) != LDP_OK ||
        search_check_keep(param[KEEP], (double)ways, "the first level", reason) != LDP_OK)
        return LDP_EINVAL;
    return search_check_groups(input, plan.levels, "levels", reason);
}

/* Values of the shared oracle: prefixes of level i are other.key[first[i]] .. other.key[first[i+1] - 1]. */
struct reported {
    const struct prefix_plan *plan;
    size_t first[SEARCH_LENGTH_MAX + 1];
    size_t absent; /* the next free index for a candidate that nobody reports */
};

/* The reported prefixes, ascending within a level, and their users in state->counts. */
static enum ldp_status count_reported(struct ldp_search_state *state, struct reported *reported)
{
    const struct prefix_plan *const plan = reported->plan;
    const struct ldp_strings *strings = state->input.strings;

    state->other.count = 0;
    for (unsigned i = 0; i < plan->levels; i++) {
        const ldp_uint128 unit = state->power[strings->length - plan->length[i]];

        reported->first[i] = state->other.count;
        for (size_t m = state->first[i]; m < state->last[i]; m++) {
            const ldp_uint128 prefix = strings->key[state->string[m]] / unit;
            const size_t last = state->other.count;

            if ((last == reported->first[i] || state->other.key[last - 1] != prefix) &&
                search_add(&state->other, prefix, 0) != LDP_OK)
                return LDP_ENOMEM;
            state->other.est[state->other.count - 1] += (double)state->count[m];
        }
    }
    reported->first[plan->levels] = reported->absent = state->other.count;
    return LDP_OK;
}

static enum ldp_status collect_shared(struct ldp_search_state *state, struct reported *reported)
{
    const struct prefix_plan *const plan = reported->plan;

    if (count_reported(state, reported) != LDP_OK)
        return LDP_ENOMEM;
    size_t d = reported->absent +
               search_ways(state->input.strings, plan->length[0], plan->pad) * (1 + (plan->levels - 1) * plan->keep);
    d = d < 2 ? 2 : d;
    state->name = (struct search_round_name){"the oracle of levels 1 to", plan->levels, "keep or step"};
    if (search_configure(state, d, state->input.epsilon / 2) != LDP_OK)
        return LDP_EINVAL;

    const bool skips = search_skips_absent(&state->protocol, state->input.mode);
    const size_t all = d, least = reported->absent < 2 ? 2 : reported->absent;

    d = skips ? least : d;
    if (SEARCH_ROOM(state, counts, d) != LDP_OK)
        return search_no_memory(state, d);
    memset(state->counts, 0, d * sizeof *state->counts);
    for (size_t v = 0; v < reported->absent; v++)
        state->counts[v] = (uint64_t)state->other.est[v];

    const enum ldp_status status =
        search_collect(state, d, skips ? 1 : d, state->input.histogram.n, state->input.epsilon / 2);

    if (status == LDP_OK && skips)
        search_recount(state, all, 0);
    return status;
}

/* The reported candidates of a level, with their frequencies, to the answers. */
static enum ldp_status add_reported(struct ldp_search_state *state, unsigned level, const struct search_round *round,
                                    const struct reported *reported)
{
    const struct ldp_strings *const strings = state->input.strings;
    const struct ldp_sketch_shape shape = ldp_sketch_of(&state->protocol).shape;
    const struct ldp_sketch_scale frequency =
        ldp_sketch_scale(&state->protocol, state->round_n, state->support, state->scratch);
    const unsigned more = round->to - round->from;
    const size_t ways = search_ways(strings, more, round->pad), end = reported->first[level + 1];
    const ldp_uint128 span = state->power[more];
    const uint64_t family = ldp_seed_read(state->support);
    size_t at = reported->first[level];

    state->answers.count = 0;
    if (SEARCH_ROOM(state, chain, (size_t)shape.rows) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t p = 0; p < round->nparents; p++) {
        const ldp_uint128 from = round->from > 0 ? round->parent[p] * span : 0;

        while (at < end && state->other.key[at] < from)
            at++;
        for (; at < end && (round->from == 0 || state->other.key[at] - from < span); at++) {
            const size_t index = search_index(strings, round->pad, more, state->other.key[at] - from);

            if (index == SIZE_MAX)
                continue;
            const double count =
                ldp_sketch_count_of(&shape, family, ldp_sketch_cells(state->scratch), at, state->chain);
            if (search_add_answer(&state->answers, p * ways + index, frequency.scale * (count - frequency.load)) !=
                LDP_OK)
                return LDP_ENOMEM;
        }
    }
    return LDP_OK;
}

/* Keeps the largest of a level's candidates, by estimates from the shared collection of a sketch. */
static enum ldp_status keep_absent(struct ldp_search_state *state, struct search_round *round, unsigned level,
                                   void *context)
{
    const struct reported *const reported = context;
    const struct prefix_plan *const plan = reported->plan;
    const size_t count = round->nparents * search_ways(state->input.strings, round->to - round->from, round->pad);

    state->result.candidates += search_valid_candidates(state, round);
    if (add_reported(state, level, round, reported) != LDP_OK)
        return LDP_ENOMEM;
    const enum ldp_status status = search_begin_absent(state, count, plan->keep, plan->levels);

    return status == LDP_OK ? search_keep_most(state, round, plan->keep, plan->least, &state->next) : status;
}

/* Keeps the largest of a level's candidates, by estimates from the shared collection. They overwrite the support
 * counts, which are no longer needed. */
static enum ldp_status keep_shared(struct ldp_search_state *state, struct search_round *round, unsigned level,
                                   void *context)
{
    struct reported *const reported = context;
    const struct prefix_plan *const plan = reported->plan;
    const size_t count = round->nparents * search_ways(state->input.strings, round->to - round->from, round->pad),
                 end = reported->first[level + 1];
    size_t at = reported->first[level];

    if (SEARCH_ROOM(state, support, count) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const ldp_uint128 key = search_candidate(state, round, i);

        while (at < end && state->other.key[at] < key)
            at++;

        const bool known = at < end && state->other.key[at] == key;

        state->support[i] = plan->levels * state->est[known ? at : reported->absent++];
    }
    state->result.candidates += search_valid_candidates(state, round);
    return search_keep(state, round, state->support, plan->keep, plan->least, &state->next);
}

/* The same by a collection of the level's own. */
static enum ldp_status keep_public(struct ldp_search_state *state, struct search_round *round, unsigned level,
                                   void *context)
{
    const struct prefix_plan *const plan = ((const struct reported *)context)->plan;

    const enum ldp_status status = search_ask(state, round, plan->keep);

    return status == LDP_OK ? search_keep_most(state, round, plan->keep, plan->least, &state->next) : status;
}

static void rounds(const struct ldp_search *search, const struct ldp_search_input *input, const double *param,
                   struct ldp_search_rounds *out)
{
    const struct prefix_plan plan = plan_of(input, param);
    const double n = (double)input->histogram.n, d = (double)input->histogram.d, share = n / plan.levels,
                 half = input->epsilon / 2;

    if (param[LEVELS] == SHARED) {
        double values = (double)search_ways(input->strings, plan.length[0], plan.pad) *
                        (1 + (plan.levels - 1) * (double)plan.keep),
               reported = 0; /* whose estimates are made too */
        for (unsigned i = 0; i < plan.levels; i++)
            reported += fmin(fmin(d, share), (double)search_ways(input->strings, plan.length[i], plan.pad));
        search_add_round(out, input, values + reported, n, half);
        out->round[0].others = 0;
    } else {
        prefix_rounds(&plan, input, half, out);
    }
    search_add_round(out, input, (double)plan.keep, n, half);
}

static enum ldp_status run(struct ldp_search_state *state, const double *param)
{
    const struct prefix_plan plan = plan_of(&state->input, param);
    const bool shared = param[LEVELS] == SHARED;
    struct reported reported = {.plan = &plan};
    enum ldp_status status = search_split(state, plan.levels, plan.weight, plan.by_chance);

    if (status == LDP_OK && shared)
        status = collect_shared(state, &reported);
    if (status == LDP_OK)
        status = prefix_walk(state, &plan, state->input.epsilon / 2,
                             !shared                                                    ? keep_public
                             : search_skips_absent(&state->protocol, state->input.mode) ? keep_absent
                                                                                        : keep_shared,
                             &reported);
    if (status == LDP_OK)
        status = search_ask_whole(state, &state->kept);
    return status == LDP_OK ? search_found(state, &state->kept, plan.most) : status;
}

const struct ldp_search ldp_search_treehist = {
    .name = "treehist",
    .title = "Tree histogram",
    .source = "Bassily et al., NIPS 2017; PVLDB 2021, sec. 5",
    .params = params,
    .configure = configure,
    .rounds = rounds,
    .run = run,
};
