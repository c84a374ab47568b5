/* round.c - candidates and rounds of questions, see round.h. It has over 500 lines, as the steps of a round share its
 * state and no step is of use by itself. */
#include "searches/round.h"

#include "attacks/attack.h"
#include "protocol/protocol.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Memory behind its index in the list of a search's. */
struct search_block {
    struct search_block *before, *after;
    size_t bytes;
    max_align_t memory[];
};

static struct search_block *block_of(void *memory)
{
    return (struct search_block *)(void *)((char *)memory - offsetof(struct search_block, memory));
}

/* Frees a block that is in the list. */
static void drop(struct ldp_search_state *state, struct search_block *block)
{
    *(block->before ? &block->before->after : &state->blocks) = block->after;
    if (block->after)
        block->after->before = block->before;
    free(block);
}

enum ldp_status search_room(struct ldp_search_state *state, void *array, size_t count, size_t size)
{
    void *memory;
    memcpy(&memory, array, sizeof memory);
    if (count == 0 || (memory && count * size <= block_of(memory)->bytes))
        return LDP_OK;
    if (memory)
        drop(state, block_of(memory));
    const size_t bytes = (count + count / 4) * size;
    struct search_block *const block = malloc(sizeof *block + bytes);
    memory = block ? block->memory : NULL;
    memcpy(array, &memory, sizeof memory);
    if (!block)
        return LDP_ENOMEM;
    *block = (struct search_block){.after = state->blocks, .bytes = bytes};
    if (state->blocks)
        state->blocks->before = block;
    state->blocks = block;
    return LDP_OK;
}

void search_drop_all(struct ldp_search_state *state)
{
    while (state->blocks)
        drop(state, state->blocks);
}

/* ---- Candidates ---- */

/* The alphabet of candidates: the first symbol and the number of symbols. */
static unsigned lowest(const struct ldp_strings *strings, bool pad)
{
    return strings->padded && !pad ? 1 : 0;
}

size_t search_ways(const struct ldp_strings *strings, unsigned symbols, bool pad)
{
    const size_t base = strings->searched - lowest(strings, pad);
    size_t ways = 1;

    for (unsigned i = 0; i < symbols; i++) {
        if (ways > LDP_CANDIDATES_SPARSE_MAX / base)
            return LDP_CANDIDATES_SPARSE_MAX + 1;
        ways *= base;
    }
    return ways;
}

double search_standard_keep(size_t candidates, size_t standard)
{
    return (double)(standard < candidates ? standard : candidates);
}

enum ldp_status search_check_step(const struct ldp_strings *strings, unsigned standard, double *step,
                                  struct ldp_reason *reason)
{
    if (*step == standard && strings->length < standard)
        *step = strings->length; /* the default suits every length */
    if (*step > strings->length)
        return ldp_refuse(reason, "step = %g: expected at most the length of the strings, %u", *step, strings->length);
    return LDP_OK;
}

enum ldp_status search_check_groups(const struct ldp_search_input *input, unsigned groups, const char *what,
                                    struct ldp_reason *reason)
{
    if (groups <= input->histogram.n)
        return LDP_OK;
    return ldp_refuse(reason, "expected at least as many users as %s, got n = %.17g and %u %s", what,
                      (double)input->histogram.n, groups, what);
}

enum ldp_status search_check_keep(double keep, double candidates, const char *of, struct ldp_reason *reason)
{
    if (keep <= candidates)
        return LDP_OK;
    return ldp_refuse(reason, "keep = %.0f: expected at most the %.0f candidates of %s", keep, candidates, of);
}

enum ldp_status search_check_candidates(const struct ldp_search_input *input, bool sparse, const char *where,
                                        double parents, unsigned symbols, bool pad, const char *parameters,
                                        struct ldp_reason *reason)
{
    const struct ldp_strings *const strings = input->strings;
    const double candidates = parents * (double)search_ways(strings, symbols, pad),
                 most = sparse ? search_candidates_max(input, candidates) : (double)LDP_CANDIDATES_MAX;

    if (candidates <= most)
        return LDP_OK;
    return ldp_refuse(reason, "%s asks about %.10g x %u^%u candidates: expected at most 2^%d (make %s smaller)", where,
                      parents, strings->searched - lowest(strings, pad), symbols, ilogb(most), parameters);
}

/* Turns symbols from digits of a candidate's index into digits of its key. */
ldp_uint128 search_symbols(const struct ldp_strings *strings, bool pad, unsigned symbols, size_t index)
{
    const unsigned low = lowest(strings, pad), base = strings->searched - low;
    ldp_uint128 key = 0, unit = 1;

    if (base == strings->symbols)
        return index;
    for (unsigned i = 0; i < symbols; i++, index /= base, unit *= strings->symbols)
        key += unit * (index % base + low);
    return key;
}

/* The inverse; SIZE_MAX if a symbol is not in the alphabet of candidates. */
size_t search_index(const struct ldp_strings *strings, bool pad, unsigned symbols, ldp_uint128 key)
{
    const unsigned low = lowest(strings, pad), base = strings->searched - low;
    size_t index = 0, unit = 1;

    if (base == strings->symbols)
        return (size_t)key;
    for (unsigned i = 0; i < symbols; i++, key /= strings->symbols, unit *= base) {
        const unsigned symbol = (unsigned)(key % strings->symbols);

        if (symbol < low || symbol >= strings->searched)
            return SIZE_MAX;
        index += unit * (symbol - low);
    }
    return index;
}

ldp_uint128 search_candidate(const struct ldp_search_state *state, const struct search_round *round, size_t index)
{
    const struct ldp_strings *strings = state->input.strings;
    const unsigned more = round->to - round->from;
    const size_t ways = search_ways(strings, more, round->pad);

    return round->parent[index / ways] * state->power[more] + search_symbols(strings, round->pad, more, index % ways);
}

bool search_padding_valid(const struct ldp_strings *strings, ldp_uint128 key, unsigned length)
{
    bool inside = false; /* a later symbol is not the pad */

    for (unsigned i = 0; strings->padded && i < length; i++, key /= strings->symbols) {
        const bool pad = key % strings->symbols == 0;

        if (pad && inside)
            return false;
        inside = inside || !pad;
    }
    return true;
}

double search_valid_candidates(const struct ldp_search_state *state, const struct search_round *round)
{
    const struct ldp_strings *strings = state->input.strings;
    const unsigned more = round->to - round->from;
    const size_t ways = search_ways(strings, more, round->pad);
    double without = 0, valid = 0, unit = 1;

    if (!strings->padded || !round->pad || more == 0)
        return (double)round->nparents * (double)ways;
    for (unsigned i = 0; i <= more; i++, unit *= strings->searched - 1)
        without += unit;
    for (size_t p = 0; p < round->nparents; p++)
        valid += round->from > 0 && round->parent[p] % strings->symbols == 0 ? 1 : without;
    return valid;
}

void search_add_round(struct ldp_search_rounds *rounds, const struct ldp_search_input *input, double candidates,
                      double users, double epsilon)
{
    const double distinct = (double)input->histogram.d, members = distinct < users ? distinct : users;

    assert(rounds->count < LDP_SEARCH_ROUNDS_MAX);
    rounds->round[rounds->count++] = (struct ldp_search_round_size){
        .candidates = candidates,
        .others = input->oracle->oracle->flags & LDP_ORACLE_SKETCH ? members : 1,
        .users = users,
        .epsilon = epsilon,
    };
}

/* ---- Users ---- */

/* The users of a round: members in order of their strings. */
struct group_users {
    const uint32_t *string; /* NULL: member i has string i */
    const uint64_t *count;
    size_t members;
    uint64_t n;
};

static struct group_users users_of_group(const struct ldp_search_state *state, size_t group)
{
    const struct ldp_histogram *all = &state->input.histogram;

    if (group == SEARCH_ALL)
        return (struct group_users){NULL, all->counts, all->d, all->n};
    assert(group < state->ngroups);

    const size_t first = state->first[group];

    return (struct group_users){state->string + first, state->count + first, state->last[group] - first,
                                state->size[group]};
}

static inline ldp_uint128 key_at(const struct ldp_search_state *state, const struct group_users *users, size_t i)
{
    return state->input.strings->key[users->string ? users->string[i] : i];
}

/* The first member at or after `from` whose key is at least `key`. */
static size_t seek(const struct ldp_search_state *state, const struct group_users *users, size_t from, ldp_uint128 key)
{
    size_t low = from, high = users->members;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (key_at(state, users, middle) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum ldp_status search_tally(struct ldp_search_state *state, const struct search_round *round, size_t candidates,
                             size_t *others)
{
    const struct ldp_strings *const strings = state->input.strings;
    const struct group_users users = users_of_group(state, round->group);
    const unsigned more = round->to - round->from;
    const size_t ways = search_ways(strings, more, round->pad);
    const ldp_uint128 unit = state->power[strings->length - round->to],
                      span = state->power[strings->length - round->from];
    struct search_answers *const answers = &state->answers;
    const bool dense = candidates > 0;
    size_t apart = 0, p = 0;
    uint64_t known = 0;

    answers->count = candidates;
    if (SEARCH_ROOM(state, counts, candidates + users.members + 2) != LDP_OK)
        return LDP_ENOMEM;
    uint64_t *const counts = state->counts, *const other = counts + candidates, *const end = other + users.members + 2;
    memset(counts, 0, candidates * sizeof *counts);
    for (size_t i = 0, next; i < users.members; i = next) {
        const ldp_uint128 key = key_at(state, &users, i);

        while (round->from > 0 && p < round->nparents && key >= round->parent[p] * span &&
               key - round->parent[p] * span >= span)
            p++;
        const bool inside = p < round->nparents && (round->from == 0 || key >= round->parent[p] * span);
        if (!inside && !others) {
            next = p < round->nparents ? seek(state, &users, i, round->parent[p] * span) : users.members;
            continue;
        }
        const ldp_uint128 prefix = key / unit, start = prefix * unit;
        uint64_t count = 0;
        for (next = i; next < users.members && key_at(state, &users, next) - start < unit; next++)
            count += users.count[next];
        const ldp_uint128 way = inside ? prefix - round->parent[p] * state->power[more] : 0;
        const size_t index = inside ? search_index(strings, round->pad, more, way) : SIZE_MAX;
        if (index != SIZE_MAX && !dense && search_add_answer(answers, p * ways + index, 0) != LDP_OK)
            return LDP_ENOMEM;
        if (index != SIZE_MAX) {
            counts[dense ? p * ways + index : answers->count - 1] = count;
            known += count;
        } else if (others) {
            apart++;
            *(dense ? other + apart - 1 : end - apart) = count; /* those behind the answers from the end backwards */
        }
    }
    if (others && !dense)
        memmove(counts + answers->count, end - apart, apart * sizeof *counts);
    if (others)
        *others = apart;
    else if (dense)
        *other = users.n - known;
    return LDP_OK;
}

enum ldp_status search_configure(struct ldp_search_state *state, size_t d, double epsilon)
{
    if (state->input.oracle->oracle->flags & LDP_ORACLE_ORDINAL)
        return ldp_refuse(state->reason, "oracle %s: it is for values in an order, which candidates have not",
                          state->input.oracle->oracle->name);
    return ldp_protocol_init(&state->protocol, state->input.oracle, d, epsilon, state->reason);
}

/* The number of values that the server estimates: a sketch can estimate any values, so values that are not candidates
 * are left out. */
static struct ldp_protocol decoded(const struct ldp_protocol *protocol, size_t asked)
{
    struct ldp_protocol first = *protocol;

    if (protocol->oracle->flags & LDP_ORACLE_SKETCH)
        first.d = asked;
    return first;
}

enum ldp_status search_no_memory(const struct ldp_search_state *state, size_t candidates)
{
    (void)ldp_refuse(state->reason, "out of memory at %s %u, which asks about %zu candidates (make %s smaller)",
                     state->name.what, state->name.number, candidates, state->name.parameters);
    return LDP_ENOMEM;
}

/* ---- Malicious users ---- */

bool search_is_attacked(const struct ldp_search_state *state)
{
    return state->input.attackers && state->input.attackers->fraction > 0;
}

/* Notes the indices of the candidates that are prefixes of injected strings; none is: the last of the d values, which
 * stands for what is no candidate. */
static enum ldp_status plant(struct ldp_search_state *state, const struct search_round *round, size_t d)
{
    const struct ldp_attackers *const attackers = state->input.attackers;
    const struct ldp_strings *const strings = state->input.strings;
    const unsigned more = round->to - round->from;
    const size_t ways = search_ways(strings, more, round->pad);

    state->ninjected = 0;
    if (!search_is_attacked(state))
        return LDP_OK;
    if (SEARCH_ROOM(state, injected, attackers->ninjected + 1) != LDP_OK)
        return search_no_memory(state, d);
    for (size_t k = 0; k < attackers->ninjected; k++) {
        const ldp_uint128 prefix = strings->key[attackers->injected[k]] / state->power[strings->length - round->to],
                          parent = prefix / state->power[more];
        const size_t index = search_index(strings, round->pad, more, prefix % state->power[more]);
        size_t p = 0, j = 0;

        while (p < round->nparents && round->from > 0 && round->parent[p] != parent)
            p++;
        if (p == round->nparents || index == SIZE_MAX)
            continue;
        while (j < state->ninjected && state->injected[j] != p * ways + index)
            j++;
        state->injected[j] = (uint32_t)(p * ways + index);
        state->ninjected += j == state->ninjected;
    }
    if (state->ninjected == 0)
        state->injected[state->ninjected++] = (uint32_t)(d - 1);
    return LDP_OK;
}

/* Adds the malicious users of a round with n genuine ones, in a collection whose protocol has its public seed. *all:
 * the users together. */
static enum ldp_status add_malicious(struct ldp_search_state *state, const struct ldp_protocol *protocol, uint64_t n,
                                     uint64_t *all)
{
    const struct ldp_attackers *const attackers = state->input.attackers;

    *all = n;
    if (!search_is_attacked(state))
        return LDP_OK;
    if (SEARCH_ROOM(state, more, protocol->support_size) != LDP_OK)
        return search_no_memory(state, state->asked);
    *all += ldp_attackers_add(attackers, protocol, state->injected, state->ninjected, n, state->input.mode,
                              state->scratch, state->more, state->support);
    return LDP_OK;
}

/* ---- A round ---- */

void search_account(struct ldp_search_state *state, size_t asked, uint64_t n)
{
    struct ldp_search_rounds *const rounds = &state->result.rounds;
    struct ldp_cost cost = {0};

    state->round_n = n;
    state->asked = asked;
    if (state->protocol.oracle->cost)
        state->protocol.oracle->cost(&state->protocol, &cost);
    state->result.report_bits += cost.report_bits * ((double)n / (double)state->input.histogram.n);
    if (rounds->count < LDP_SEARCH_ROUNDS_MAX)
        rounds->round[rounds->count++] = (struct ldp_search_round_size){
            (double)asked, (double)(state->protocol.d - asked), (double)n, state->protocol.epsilon};
}

enum ldp_status search_collect(struct ldp_search_state *state, size_t d, size_t asked, uint64_t n, double epsilon)
{
    const struct ldp_histogram histogram = {.d = d, .n = n, .counts = state->counts};

    state->answers.sparse = false;
    if (search_configure(state, d, epsilon) != LDP_OK)
        return LDP_EINVAL;
    if (!ldp_has_mode(&state->protocol, state->input.mode))
        return ldp_refuse(state->reason, "%s has no simulation by %s", state->protocol.oracle->name,
                          state->input.mode == LDP_COUNTS ? "counts" : "reports");

    const size_t simulate = ldp_collect_scratch(&state->protocol, &histogram, state->input.mode);
    const struct ldp_protocol server = decoded(&state->protocol, asked);
    const size_t decode = ldp_estimate_scratch(&server),
                 malicious = search_is_attacked(state)
                                 ? ldp_attackers_scratch(state->input.attackers, &state->protocol, state->ninjected)
                                 : 0,
                 estimate = malicious > decode ? malicious : decode;

    if (SEARCH_ROOM(state, support, state->protocol.support_size) != LDP_OK || SEARCH_ROOM(state, est, d) != LDP_OK ||
        SEARCH_ROOM(state, scratch, (simulate > estimate ? simulate : estimate) + 1) != LDP_OK)
        return search_no_memory(state, asked);
    search_account(state, asked, n);
    if (n == 0) {
        memset(state->est, 0, d * sizeof *state->est);
        return LDP_OK;
    }
    struct ldp_times times;
    struct ldp_rng ahead = *state->rng;
    struct ldp_protocol seeded = state->protocol;
    seeded.public_seed = ldp_rng_next(&ahead);
    ldp_collect_timed(&state->protocol, &histogram, state->input.mode, state->rng, state->scratch, state->support,
                      &times);
    state->result.times.client += times.client;
    state->result.times.server += times.server;
    state->result.times.decode += times.decode;
    const enum ldp_status status = add_malicious(state, &seeded, n, &n);
    if (status != LDP_OK)
        return status;
    state->round_n = n;
    ldp_estimate(&server, n, state->support, state->scratch, state->est);
    return LDP_OK;
}

double search_sigma(const struct ldp_search_state *state)
{
    const uint64_t n = state->round_n > 0 ? state->round_n : 1;

    if (state->round_n == 0)
        return ldp_sigma(&state->protocol, n);

    const struct ldp_protocol server = decoded(&state->protocol, state->asked),
                              observed = ldp_observed(&(struct ldp_collection){&server, n, state->support, NULL},
                                                      state->scratch);

    return ldp_sigma(&observed, n);
}

enum ldp_status search_open(struct ldp_search_state *state, const struct search_round *round, size_t *candidates,
                            uint64_t *n)
{
    *candidates = round->nparents * search_ways(state->input.strings, round->to - round->from, round->pad);
    *n = users_of_group(state, round->group).n;
    assert(*candidates >= 1);
    state->answers.sparse = false;
    state->answers.count = *candidates;
    state->answers.rest = -INFINITY;
    return search_configure(state, *candidates + 1, round->epsilon);
}

enum ldp_status search_round(struct ldp_search_state *state, const struct search_round *round)
{
    const struct ldp_strings *strings = state->input.strings;
    size_t candidates, others = 1;
    uint64_t n;
    const enum ldp_status opened = search_open(state, round, &candidates, &n);
    const bool all = round->from == 0 && strings->searched - lowest(strings, round->pad) == strings->symbols;

    if (opened != LDP_OK)
        return opened;
    assert(candidates <= LDP_CANDIDATES_MAX);

    const bool apart = state->protocol.oracle->flags & LDP_ORACLE_SKETCH;

    if (search_tally(state, round, candidates, apart ? &others : NULL) != LDP_OK)
        return search_no_memory(state, candidates);

    size_t d = candidates + others - (all && !apart ? 1 : 0);

    for (; d < 2; d++)
        state->counts[d] = 0;
    state->result.candidates += search_valid_candidates(state, round);
    if (plant(state, round, d) != LDP_OK)
        return LDP_ENOMEM;

    return search_collect(state, d, candidates, n, round->epsilon);
}

enum ldp_status search_ask_whole(struct ldp_search_state *state, struct search_kept *strings)
{
    const unsigned length = state->input.strings->length;
    const struct search_round round = {.group = SEARCH_ALL,
                                       .epsilon = state->input.epsilon / 2,
                                       .from = length,
                                       .to = length,
                                       .parent = strings->key,
                                       .nparents = strings->count,
                                       .pad = true};

    if (strings->count == 0)
        return LDP_OK;
    const enum ldp_status status = search_round(state, &round);
    if (status == LDP_OK)
        memcpy(strings->est, state->est, strings->count * sizeof *strings->est);
    return status;
}
