/* round.c - see round.h.
 *
 * A split draws, for each string, how many of its users are in which group: multivariate hypergeometric, so that whole
 * groups have the sizes they should. Strings of few users draw theirs one by one from the places that are left, which
 * are shuffled; cost O(users of such strings + groups * other strings). The file is over 500
 * lines: groups, candidates, a round and what is kept work on one state that no other file sees. */
#include "searches/round.h"

#include "rng.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum ldp_status search_room(void *array, size_t *room, size_t count, size_t size)
{
    void *memory;

    if (count <= *room)
        return LDP_OK;
    memcpy(&memory, array, sizeof memory);
    free(memory);
    *room = 0;
    memory = malloc((count + count / 4) * size);
    memcpy(array, &memory, sizeof memory);
    if (!memory)
        return LDP_ENOMEM;
    *room = count + count / 4;
    return LDP_OK;
}

/* ---- Groups ---- */

/* Strings with more users than this, for each group, are drawn at once. */
enum { AT_ONCE = 8 };

static void draw_sizes(struct ldp_search_state *state, const double *weight, bool by_chance)
{
    const size_t g = state->ngroups;
    const uint64_t n = state->input.histogram.n;
    double sum = 0, before = 0;
    uint64_t given = 0;

    if (by_chance) {
        ldp_multinomial(state->rng, n, weight, g, state->size);
        return;
    }
    for (size_t i = 0; i < g; i++)
        sum += weight[i];
    for (size_t i = 0; i < g; i++) {
        before += weight[i];

        const uint64_t until = i + 1 == g ? n : (uint64_t)floor((double)n * (before / sum) + 0.5);

        state->size[i] = until > given ? until - given : 0;
        given += state->size[i];
    }
}

/* The places left, as a shuffled list of groups. */
static enum ldp_status shuffle_labels(struct ldp_search_state *state, const uint64_t *left, size_t count)
{
    size_t at = 0;

    if (search_room(&state->label, &state->label_room, count + 1, sizeof *state->label) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t i = 0; i < state->ngroups; i++)
        for (uint64_t k = 0; k < left[i]; k++)
            state->label[at++] = (uint16_t)i;
    assert(at == count);
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)rng_below(state->rng, i);
        const uint16_t swap = state->label[i - 1];

        state->label[i - 1] = state->label[j];
        state->label[j] = swap;
    }
    return LDP_OK;
}

/* Adds users of a string, which is not before the last one, to a group. */
static inline void add_member(struct ldp_search_state *state, size_t group, uint32_t string, uint64_t users)
{
    const size_t last = state->last[group];

    if (last > state->first[group] && state->string[last - 1] == string) {
        state->count[last - 1] += users;
        return;
    }
    state->string[last] = string;
    state->count[last] = users;
    state->last[group] = last + 1;
}

static enum ldp_status room_for_groups(struct ldp_search_state *state, size_t ngroups)
{
    size_t room = state->group_room;

    if (search_room(&state->size, &room, ngroups, sizeof *state->size) != LDP_OK)
        return LDP_ENOMEM;
    room = state->group_room;
    if (search_room(&state->first, &room, ngroups, sizeof *state->first) != LDP_OK)
        return LDP_ENOMEM;
    room = state->group_room;
    if (search_room(&state->last, &room, ngroups, sizeof *state->last) != LDP_OK)
        return LDP_ENOMEM;
    state->group_room = room;
    return LDP_OK;
}

static enum ldp_status room_for_members(struct ldp_search_state *state)
{
    const size_t d = state->input.histogram.d;
    size_t members = 0, room = state->member_room;

    for (size_t i = 0; i < state->ngroups; i++) {
        state->first[i] = state->last[i] = members;
        members += state->size[i] < d ? (size_t)state->size[i] : d;
    }
    if (search_room(&state->string, &room, members + 1, sizeof *state->string) != LDP_OK)
        return LDP_ENOMEM;
    room = state->member_room;
    if (search_room(&state->count, &room, members + 1, sizeof *state->count) != LDP_OK)
        return LDP_ENOMEM;
    state->member_room = room;
    return LDP_OK;
}

enum ldp_status search_split(struct ldp_search_state *state, size_t ngroups, const double *weight, bool by_chance)
{
    const struct ldp_histogram *all = &state->input.histogram;
    const uint64_t large = AT_ONCE * (uint64_t)ngroups;
    size_t nlarge = 0, small_users = 0, at = 0;

    assert(ngroups >= 1 && ngroups <= UINT16_MAX);
    state->ngroups = ngroups;
    if (room_for_groups(state, ngroups) != LDP_OK)
        return LDP_ENOMEM;
    draw_sizes(state, weight, by_chance);
    if (room_for_members(state) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t v = 0; v < all->d; v++) {
        nlarge += all->counts[v] > large;
        small_users += all->counts[v] > large ? 0 : (size_t)all->counts[v];
    }
    if (search_room(&state->split, &state->split_room, (nlarge + 1) * ngroups, sizeof *state->split) != LDP_OK)
        return LDP_ENOMEM;

    uint64_t *left = state->split + nlarge * ngroups;

    memcpy(left, state->size, ngroups * sizeof *left);
    for (size_t v = 0; v < all->d; v++) {
        if (all->counts[v] <= large)
            continue;
        ldp_multivariate_hypergeometric(state->rng, left, ngroups, all->counts[v], state->split + at);
        for (size_t i = 0; i < ngroups; i++)
            left[i] -= state->split[at + i];
        at += ngroups;
    }
    if (shuffle_labels(state, left, small_users) != LDP_OK)
        return LDP_ENOMEM;

    const uint16_t *label = state->label;

    at = 0;
    for (size_t v = 0; v < all->d; v++) {
        if (all->counts[v] > large) {
            for (size_t i = 0; i < ngroups; i++)
                if (state->split[at + i] > 0)
                    add_member(state, i, (uint32_t)v, state->split[at + i]);
            at += ngroups;
        } else {
            for (uint64_t u = 0; u < all->counts[v]; u++)
                add_member(state, *label++, (uint32_t)v, 1);
        }
    }
    return LDP_OK;
}

/* ---- Candidates ---- */

/* The symbols of a candidate: the first one, and how many there are. */
static unsigned lowest(const struct ldp_strings *strings, bool pad)
{
    return strings->padded && !pad ? 1 : 0;
}

size_t search_ways(const struct ldp_strings *strings, unsigned symbols, bool pad)
{
    const size_t base = strings->searched - lowest(strings, pad);
    size_t ways = 1;

    for (unsigned i = 0; i < symbols; i++) {
        if (ways > LDP_CANDIDATES_MAX / base)
            return LDP_CANDIDATES_MAX + 1;
        ways *= base;
    }
    return ways;
}

enum ldp_status search_check_candidates(const struct ldp_strings *strings, const char *where, double parents,
                                        unsigned symbols, bool pad, struct ldp_reason *reason)
{
    const size_t ways = search_ways(strings, symbols, pad);

    if (parents * (double)ways <= (double)LDP_CANDIDATES_MAX)
        return LDP_OK;
    return ldp_refuse(reason, "%s asks about %.10g x %u^%u candidates: expected at most 2^26 (make %s smaller)", where,
                      parents, strings->searched - lowest(strings, pad), symbols,
                      parents > 1 ? "step or keep" : "start or step");
}

/* Symbols as digits of a candidate's place to digits of its key. */
ldp_uint128 search_symbols(const struct ldp_strings *strings, bool pad, unsigned symbols, size_t place)
{
    const unsigned low = lowest(strings, pad), base = strings->searched - low;
    ldp_uint128 key = 0, unit = 1;

    if (base == strings->symbols)
        return place;
    for (unsigned i = 0; i < symbols; i++, place /= base, unit *= strings->symbols)
        key += unit * (place % base + low);
    return key;
}

/* And back; SIZE_MAX where a symbol is none of a candidate's. */
size_t search_place(const struct ldp_strings *strings, bool pad, unsigned symbols, ldp_uint128 key)
{
    const unsigned low = lowest(strings, pad), base = strings->searched - low;
    size_t place = 0, unit = 1;

    if (base == strings->symbols)
        return (size_t)key;
    for (unsigned i = 0; i < symbols; i++, key /= strings->symbols, unit *= base) {
        const unsigned symbol = (unsigned)(key % strings->symbols);

        if (symbol < low || symbol >= strings->searched)
            return SIZE_MAX;
        place += unit * (symbol - low);
    }
    return place;
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
    bool inside = false; /* before a symbol that is none */

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

/* ---- A round ---- */

/* The users of a round: members in order of their strings. */
struct asked {
    const uint32_t *string; /* NULL: member i has string i */
    const uint64_t *count;
    size_t members;
    uint64_t n;
};

static struct asked asked(const struct ldp_search_state *state, size_t group)
{
    const struct ldp_histogram *all = &state->input.histogram;

    if (group == SEARCH_ALL)
        return (struct asked){NULL, all->counts, all->d, all->n};
    assert(group < state->ngroups);

    const size_t first = state->first[group];

    return (struct asked){state->string + first, state->count + first, state->last[group] - first, state->size[group]};
}

static inline ldp_uint128 key_at(const struct ldp_search_state *state, const struct asked *asked, size_t i)
{
    return state->input.strings->key[asked->string ? asked->string[i] : i];
}

/* The first member at or after `from` whose key is at least `key`. */
static size_t seek(const struct ldp_search_state *state, const struct asked *asked, size_t from, ldp_uint128 key)
{
    size_t low = from, high = asked->members;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (key_at(state, asked, middle) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Counts each candidate's users. With `apart`, prefixes that are no candidate come after them, one by one; else all
 * their users are one value. Returns how many values there are besides candidates. */
static size_t tally(struct ldp_search_state *state, const struct search_round *round, const struct asked *asked,
                    size_t candidates, bool apart)
{
    const struct ldp_strings *strings = state->input.strings;
    const unsigned more = round->to - round->from;
    const size_t ways = search_ways(strings, more, round->pad);
    const ldp_uint128 unit = state->power[strings->length - round->to],
                      span = state->power[strings->length - round->from];
    uint64_t held = 0, *other = state->counts + candidates;
    size_t others = 0, i = 0;
    ldp_uint128 last = 0;

    memset(state->counts, 0, candidates * sizeof *state->counts);
    for (size_t p = 0; p <= round->nparents; p++) {
        const bool end = p == round->nparents;
        const size_t from = end ? asked->members : seek(state, asked, i, round->from > 0 ? round->parent[p] * span : 0);

        for (bool first = true; apart && i < from; i++, first = false) {
            const ldp_uint128 prefix = key_at(state, asked, i) / unit;

            if (first || prefix != last)
                other[others++] = 0;
            other[others - 1] += asked->count[i];
            last = prefix;
        }
        i = from;
        for (bool first = true; !end && i < asked->members; i++) {
            const ldp_uint128 key = key_at(state, asked, i);
            const ldp_uint128 way = round->from > 0 ? key - round->parent[p] * span : key;

            if (round->from > 0 && way >= span)
                break;

            const ldp_uint128 prefix = way / unit;
            const size_t place = search_place(strings, round->pad, more, prefix);

            if (place != SIZE_MAX) {
                state->counts[p * ways + place] += asked->count[i];
                held += asked->count[i];
                first = true;
            } else if (apart) {
                if (first || prefix != last)
                    other[others++] = 0;
                other[others - 1] += asked->count[i];
                last = prefix;
                first = false;
            }
        }
    }
    if (apart)
        return others;
    *other = asked->n - held;
    return 1;
}

static enum ldp_status configure(struct ldp_search_state *state, size_t d, double epsilon)
{
    return ldp_protocol_init(&state->protocol, state->input.oracle, d, epsilon, state->reason);
}

enum ldp_status search_collect(struct ldp_search_state *state, size_t d, uint64_t n, double epsilon)
{
    const struct ldp_histogram histogram = {.d = d, .n = n, .counts = state->counts};
    struct ldp_cost cost = {0};
    struct ldp_times times;

    if (configure(state, d, epsilon) != LDP_OK)
        return LDP_EINVAL;
    if (!ldp_has_mode(&state->protocol, state->input.mode))
        return ldp_refuse(state->reason, "%s has no simulation by %s", state->protocol.oracle->name,
                          state->input.mode == LDP_COUNTS ? "counts" : "reports");

    const size_t simulate = ldp_collect_scratch(&state->protocol, &histogram, state->input.mode);
    const size_t estimate = ldp_estimate_scratch(&state->protocol);

    if (search_room(&state->support, &state->support_room, state->protocol.support_size, sizeof *state->support) !=
            LDP_OK ||
        search_room(&state->est, &state->est_room, d, sizeof *state->est) != LDP_OK ||
        search_room(&state->scratch, &state->scratch_room, (simulate > estimate ? simulate : estimate) + 1, 1) !=
            LDP_OK)
        return LDP_ENOMEM;
    state->round_n = n;
    if (state->protocol.oracle->cost)
        state->protocol.oracle->cost(&state->protocol, &cost);
    state->result.report_bits += cost.report_bits * ((double)n / (double)state->input.histogram.n);
    if (n == 0) {
        memset(state->est, 0, d * sizeof *state->est);
        return LDP_OK;
    }
    ldp_collect_timed(&state->protocol, &histogram, state->input.mode, state->rng, state->scratch, state->support,
                      &times);
    state->result.times.client += times.client;
    state->result.times.server += times.server;
    state->result.times.decode += times.decode;
    ldp_estimate(&state->protocol, n, state->support, state->scratch, state->est);
    return LDP_OK;
}

enum ldp_status search_round(struct ldp_search_state *state, const struct search_round *round, const double **est,
                             size_t *count)
{
    const struct ldp_strings *strings = state->input.strings;
    const struct asked users = asked(state, round->group);
    const size_t candidates = round->nparents * search_ways(strings, round->to - round->from, round->pad);
    const bool all = round->from == 0 && strings->searched - lowest(strings, round->pad) == strings->symbols;

    assert(candidates >= 1 && candidates <= LDP_CANDIDATES_MAX);
    if (configure(state, candidates + 1, round->epsilon) != LDP_OK)
        return LDP_EINVAL;

    const bool apart = state->protocol.oracle->flags & LDP_ORACLE_SKETCH;

    if (search_room(&state->counts, &state->counts_room, candidates + 2 + (apart ? users.members : 0),
                    sizeof *state->counts) != LDP_OK)
        return LDP_ENOMEM;

    size_t d = candidates + tally(state, round, &users, candidates, apart) - (all && !apart ? 1 : 0);

    for (; d < 2; d++)
        state->counts[d] = 0;
    state->result.candidates += search_valid_candidates(state, round);
    *est = NULL;
    *count = candidates;

    const enum ldp_status status = search_collect(state, d, users.n, round->epsilon);

    if (status == LDP_OK)
        *est = state->est;
    return status;
}

/* ---- What is kept ---- */

static enum ldp_status kept_room(struct search_kept *kept, size_t count)
{
    if (count <= kept->room)
        return LDP_OK;

    const size_t room = count + count / 2 + 16;
    ldp_uint128 *key = realloc(kept->key, room * sizeof *key);

    if (!key)
        return LDP_ENOMEM;
    kept->key = key;

    double *est = realloc(kept->est, room * sizeof *est);

    if (!est)
        return LDP_ENOMEM;
    kept->est = est;
    kept->room = room;
    return LDP_OK;
}

enum ldp_status search_add(struct search_kept *kept, ldp_uint128 key, double est)
{
    if (kept_room(kept, kept->count + 1) != LDP_OK)
        return LDP_ENOMEM;
    kept->key[kept->count] = key;
    kept->est[kept->count++] = est;
    return LDP_OK;
}

/* Whether i is to be dropped before j. */
static inline bool worse(const struct search_kept *kept, size_t i, size_t j)
{
    return kept->est[i] < kept->est[j] || (kept->est[i] == kept->est[j] && kept->key[i] > kept->key[j]);
}

static inline void swap(struct search_kept *kept, size_t i, size_t j)
{
    const ldp_uint128 key = kept->key[i];
    const double est = kept->est[i];

    kept->key[i] = kept->key[j];
    kept->est[i] = kept->est[j];
    kept->key[j] = key;
    kept->est[j] = est;
}

/* A heap with the worst on top. */
static void sink(struct search_kept *kept, size_t i)
{
    for (;;) {
        size_t least = i;

        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < kept->count; child++)
            if (worse(kept, child, least))
                least = child;
        if (least == i)
            return;
        swap(kept, i, least);
        i = least;
    }
}

static int by_key(const void *a, const void *b)
{
    const struct ldp_found *x = a, *y = b;

    return (x->key > y->key) - (x->key < y->key);
}

static int by_estimate(const void *a, const void *b)
{
    const struct ldp_found *x = a, *y = b;

    if (x->est != y->est)
        return x->est < y->est ? 1 : -1;
    return by_key(a, b);
}

enum ldp_status search_sort(struct ldp_search_state *state, struct search_kept *kept)
{
    if (search_room(&state->found, &state->found_room, kept->count + 1, sizeof *state->found) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t i = 0; i < kept->count; i++)
        state->found[i] = (struct ldp_found){kept->key[i], kept->est[i]};
    qsort(state->found, kept->count, sizeof *state->found, by_key);

    const size_t count = kept->count;

    kept->count = 0;
    for (size_t i = 0; i < count; i++)
        if (kept->count == 0 || state->found[i].key != kept->key[kept->count - 1]) {
            kept->key[kept->count] = state->found[i].key;
            kept->est[kept->count++] = state->found[i].est;
        }
    return LDP_OK;
}

/* round NULL: keys are places. */
static enum ldp_status keep_largest(struct ldp_search_state *state, const struct search_round *round, const double *est,
                                    size_t count, size_t keep, double least, struct search_kept *kept)
{
    const struct ldp_strings *strings = state->input.strings;

    assert(keep >= 1);
    kept->count = 0;
    if (kept_room(kept, keep < count ? keep : count) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        /* Keys ascend: what is as good as the worst comes too late. */
        if (est[i] < least || (kept->count == keep && est[i] <= kept->est[0]))
            continue;

        const ldp_uint128 key = round ? search_candidate(state, round, i) : i;

        if (round && strings->padded && round->pad && !search_padding_valid(strings, key, round->to))
            continue;
        if (kept->count == keep) {
            kept->key[0] = key;
            kept->est[0] = est[i];
            sink(kept, 0);
            continue;
        }
        kept->key[kept->count] = key;
        kept->est[kept->count++] = est[i];
        for (size_t j = kept->count - 1; j > 0 && worse(kept, j, (j - 1) / 2); j = (j - 1) / 2)
            swap(kept, j, (j - 1) / 2);
    }
    return search_sort(state, kept);
}

enum ldp_status search_keep(struct ldp_search_state *state, const struct search_round *round, const double *est,
                            size_t keep, double least, struct search_kept *kept)
{
    const size_t ways = search_ways(state->input.strings, round->to - round->from, round->pad);

    return keep_largest(state, round, est, round->nparents * ways, keep, least, kept);
}

enum ldp_status search_keep_places(struct ldp_search_state *state, const double *est, size_t count, size_t keep,
                                   double least, struct search_kept *kept)
{
    return keep_largest(state, NULL, est, count, keep, least, kept);
}

enum ldp_status search_found(struct ldp_search_state *state, const struct search_kept *kept, size_t most)
{
    size_t count = 0;

    if (search_room(&state->found, &state->found_room, kept->count + 1, sizeof *state->found) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t i = 0; i < kept->count; i++)
        if (kept->est[i] >= 0)
            state->found[count++] = (struct ldp_found){kept->key[i], kept->est[i]};
    qsort(state->found, count, sizeof *state->found, by_estimate);
    state->result.found = state->found;
    state->result.nfound = most > 0 && count > most ? most : count;
    return LDP_OK;
}
