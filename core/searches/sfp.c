/* sfp.c - the sequence fragment puzzle.
 *
 * A user sends two reports with epsilon / 2 each: first a fragment of `step` symbols of the string, at a random
 * position, together with a hash of the whole string; then the whole string. The position is public, and each position
 * has its own oracle. The server keeps the largest fragments of each position. Fragments with the same hash at all
 * positions are combined in every way, and the resulting strings are estimated from the second reports; estimates below
 * 0 are left out.
 *
 * Source: Apple, Learning with privacy at scale, 2017 (10 symbols, fragments of 2, a hash of 8 bits); Cormode, Maddock,
 * Maple, PVLDB 14, 2021, sec. 5 and 8. Left open there, and parameters here: whether a string must have the hash by
 * which its fragments were combined (`check`), whether shorter strings are searched for. The hash function is new in
 * every repetition. If there are more than 2^22 combinations, the fragments with the smallest estimates are left out,
 * separately for each hash. Cost: 2^hash symbols^step for each position, O(n) for the groups. */
#include "searches/round.h"

#include "random/rng.h"

#include <math.h>
#include <string.h>

enum { STEP, KEEP, LEAST, HASH, CHECK, PAD, MOST };

/* The largest number of combined strings. */
enum { COMBINATIONS_MAX = 1 << 22 };
enum { STANDARD_STEP = 2, STANDARD_KEEP = 20 };

static const struct ldp_param params[] = {
    [STEP] = LDP_PARAM_INTEGER("step", STANDARD_STEP, 1, SEARCH_LENGTH_MAX,
                               "symbols of a fragment; default 2, or 1 for strings of one symbol"),
    [KEEP] = LDP_PARAM_INTEGER("keep", NAN, 1, 0x1p20,
                               "fragments kept at each position; default 20, or all candidates of a position"),
    [LEAST] = SEARCH_PARAM_LEAST,
    [HASH] = LDP_PARAM_INTEGER("hash", 8, 0, 20, "bits of the hash"),
    [CHECK] = LDP_PARAM_FLAG("check", false, "drop strings whose hash differs from that of their fragments"),
    [PAD] = SEARCH_PARAM_PAD,
    [MOST] = SEARCH_PARAM_MOST("found"),
    {.name = NULL},
};

struct puzzle {
    unsigned step, length, positions;
    size_t hashes;
    uint64_t seed; /* of the hash function */
    bool pad, check;
    size_t first[SEARCH_LENGTH_MAX + 1]; /* kept fragments of each position */
};

static struct puzzle puzzle_of(const struct ldp_search_input *input, const double *param)
{
    const unsigned length = input->strings->length, step = (unsigned)param[STEP];

    return (struct puzzle){.step = step,
                           .length = length,
                           .positions = (length + step - 1) / step,
                           .hashes = (size_t)1 << (unsigned)param[HASH],
                           .pad = param[PAD] != 0,
                           .check = param[CHECK] != 0};
}

/* Symbols of the fragment at a position. */
static unsigned size_of(const struct puzzle *puzzle, unsigned position)
{
    const unsigned left = puzzle->length - position * puzzle->step;

    return left < puzzle->step ? left : puzzle->step;
}

static enum ldp_status configure(const struct ldp_search *search, const struct ldp_search_input *input, double *param,
                                 struct ldp_reason *reason)
{
    const struct ldp_strings *strings = input->strings;

    if (search_check_step(strings, STANDARD_STEP, &param[STEP], reason) != LDP_OK)
        return LDP_EINVAL;

    const struct puzzle puzzle = puzzle_of(input, param);
    const size_t least = search_ways(strings, size_of(&puzzle, puzzle.positions - 1), puzzle.pad);

    if (search_check_candidates(input, false, "a position", (double)puzzle.hashes, puzzle.step, puzzle.pad,
                                "step or hash", reason) != LDP_OK)
        return LDP_EINVAL;
    if (isnan(param[KEEP]))
        param[KEEP] = search_standard_keep(puzzle.hashes * least, STANDARD_KEEP);
    if (search_check_keep(param[KEEP], (double)puzzle.hashes * (double)least, "a position", reason) != LDP_OK)
        return LDP_EINVAL;
    return search_check_groups(input, puzzle.positions, "positions", reason);
}

/* A bijection of 64 bits (Stafford's variant 13, as in SplitMix64). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static size_t hash_of(const struct puzzle *puzzle, ldp_uint128 key)
{
    const uint64_t high = mix(puzzle->seed + (uint64_t)(key >> 64));

    return (size_t)mix(high ^ (uint64_t)key) & (puzzle->hashes - 1);
}

/* Estimates the fragments of a position and adds those that are kept to state->kept. */
static enum ldp_status ask_position(struct ldp_search_state *state, const struct puzzle *puzzle, unsigned position,
                                    size_t keep, double least)
{
    const struct ldp_strings *strings = state->input.strings;
    const unsigned size = size_of(puzzle, position), end = position * puzzle->step + size;
    const size_t ways = search_ways(strings, size, puzzle->pad), count = puzzle->hashes * ways;
    const ldp_uint128 unit = state->power[puzzle->length - end], span = state->power[size];
    const bool all = strings->searched == strings->symbols && (puzzle->pad || !strings->padded);
    const size_t d = count + (all && count >= 2 ? 0 : 1);

    state->name = (struct search_round_name){"position", position + 1, "step or hash"};
    if (SEARCH_ROOM(state, counts, d + 1) != LDP_OK)
        return search_no_memory(state, count);
    memset(state->counts, 0, (d + 1) * sizeof *state->counts);
    for (size_t m = state->first[position]; m < state->last[position]; m++) {
        const ldp_uint128 key = strings->key[state->string[m]];
        const size_t index = search_index(strings, puzzle->pad, size, key / unit % span);

        state->counts[index == SIZE_MAX ? count : hash_of(puzzle, key) * ways + index] += state->count[m];
    }

    enum ldp_status status = search_ask_counts(state, d, count, keep, state->size[position], state->input.epsilon / 2);

    if (status == LDP_OK)
        status = search_keep_most(state, NULL, keep, least, &state->other);
    for (size_t i = 0; status == LDP_OK && i < state->other.count; i++)
        status = search_add(&state->kept, state->other.key[i], state->other.est[i]);
    state->result.candidates += (double)count;
    return status;
}

/* The kept fragments of a position with a given hash: a range of state->kept. */
struct stretch {
    size_t from, to, at;
};

static struct stretch stretch_of(const struct ldp_search_state *state, const struct puzzle *puzzle, unsigned position,
                                 size_t hash)
{
    const size_t ways = search_ways(state->input.strings, size_of(puzzle, position), puzzle->pad);
    struct stretch stretch = {.from = puzzle->first[position]};

    while (stretch.from < puzzle->first[position + 1] && (size_t)state->kept.key[stretch.from] / ways < hash)
        stretch.from++;
    stretch.to = stretch.from;
    while (stretch.to < puzzle->first[position + 1] && (size_t)state->kept.key[stretch.to] / ways == hash)
        stretch.to++;
    stretch.at = stretch.from;
    return stretch;
}

/* The string made of the current fragments. */
static ldp_uint128 put_together(const struct ldp_search_state *state, const struct puzzle *puzzle,
                                const struct stretch *stretch)
{
    ldp_uint128 key = 0;

    for (unsigned i = 0; i < puzzle->positions; i++) {
        const unsigned size = size_of(puzzle, i);
        const size_t ways = search_ways(state->input.strings, size, puzzle->pad);
        const size_t index = (size_t)state->kept.key[stretch[i].at] % ways;

        key = key * state->power[size] + search_symbols(state->input.strings, puzzle->pad, size, index);
    }
    return key;
}

/* Of at most so many fragments of each position. */
static double combinations_of(const struct puzzle *puzzle, const struct stretch *stretch, size_t most)
{
    double combinations = 1;

    for (unsigned i = 0; i < puzzle->positions; i++) {
        const size_t size = stretch[i].to - stretch[i].from;
        combinations *= (double)(size < most ? size : most);
    }
    return combinations;
}

/* The largest number of fragments per position with at most this number of combinations. */
static size_t fragments_for(const struct puzzle *puzzle, const struct stretch *stretch, double room)
{
    size_t low = 1, high = LDP_CANDIDATES_MAX;

    while (low < high) {
        const size_t middle = low + (high - low + 1) / 2;

        if (combinations_of(puzzle, stretch, middle) <= room)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* Keeps the `most` fragments with the largest estimates at each position. */
static enum ldp_status leave_best(struct ldp_search_state *state, const struct puzzle *puzzle, struct stretch *stretch,
                                  size_t most)
{
    for (unsigned i = 0; i < puzzle->positions; i++) {
        const size_t from = stretch[i].from;

        if (stretch[i].to - from <= most)
            continue;
        if (search_keep_indices(state, state->kept.est + from, stretch[i].to - from, most, -INFINITY, &state->next) !=
            LDP_OK)
            return LDP_ENOMEM;
        for (size_t k = 0; k < most; k++)
            state->kept.key[from + k] = state->kept.key[from + (size_t)state->next.key[k]];
        stretch[i].to = from + most;
    }
    return LDP_OK;
}

/* Every combination of the fragments of one hash: added to state->other. If there are too many, only those of the
 * largest fragments. */
static enum ldp_status combine(struct ldp_search_state *state, const struct puzzle *puzzle, size_t hash)
{
    const struct ldp_strings *strings = state->input.strings;
    const double room = (double)COMBINATIONS_MAX - (double)state->other.count;
    struct stretch stretch[SEARCH_LENGTH_MAX];
    unsigned i;

    for (i = 0; i < puzzle->positions; i++) {
        stretch[i] = stretch_of(state, puzzle, i, hash);
        if (stretch[i].from == stretch[i].to)
            return LDP_OK;
    }

    const double combinations = combinations_of(puzzle, stretch, SIZE_MAX);

    if (room < 1) {
        state->result.dropped += combinations;
        return LDP_OK;
    }
    if (combinations > room && leave_best(state, puzzle, stretch, fragments_for(puzzle, stretch, room)) != LDP_OK)
        return LDP_ENOMEM;
    state->result.dropped += combinations - combinations_of(puzzle, stretch, SIZE_MAX);
    do {
        const ldp_uint128 key = put_together(state, puzzle, stretch);

        if (search_padding_valid(strings, key, puzzle->length) && (!puzzle->check || hash_of(puzzle, key) == hash) &&
            search_add(&state->other, key, 0) != LDP_OK)
            return LDP_ENOMEM;
        for (i = puzzle->positions; i > 0 && ++stretch[i - 1].at == stretch[i - 1].to; i--)
            stretch[i - 1].at = stretch[i - 1].from;
    } while (i > 0);
    return LDP_OK;
}

static void rounds(const struct ldp_search *search, const struct ldp_search_input *input, const double *param,
                   struct ldp_search_rounds *out)
{
    const struct puzzle puzzle = puzzle_of(input, param);
    const double n = (double)input->histogram.n, half = input->epsilon / 2;

    for (unsigned i = 0; i < puzzle.positions; i++)
        search_add_round(out, input,
                         (double)puzzle.hashes * (double)search_ways(input->strings, size_of(&puzzle, i), puzzle.pad),
                         n / puzzle.positions, half);
    /* The combinations depend on the data: about as many as fragments of a position. */
    search_add_round(out, input, param[KEEP], n, half);
}

static enum ldp_status run(struct ldp_search_state *state, const double *param)
{
    struct puzzle puzzle = puzzle_of(&state->input, param);
    double weight[SEARCH_LENGTH_MAX] = {0};

    for (unsigned i = 0; i < puzzle.positions; i++)
        weight[i] = 1;
    puzzle.seed = rng_next(state->rng);
    enum ldp_status status = search_split(state, puzzle.positions, weight, true);
    state->kept.count = 0;
    for (unsigned i = 0; status == LDP_OK && i < puzzle.positions; i++) {
        status = ask_position(state, &puzzle, i, (size_t)param[KEEP], param[LEAST] > 0 ? param[LEAST] : -INFINITY);
        puzzle.first[i + 1] = state->kept.count;
    }
    state->other.count = 0;
    for (size_t i = 0; status == LDP_OK && i < puzzle.first[1]; i++) {
        const size_t ways = search_ways(state->input.strings, size_of(&puzzle, 0), puzzle.pad);
        const size_t hash = (size_t)state->kept.key[i] / ways;

        if (i == 0 || (size_t)state->kept.key[i - 1] / ways != hash)
            status = combine(state, &puzzle, hash);
    }
    state->name = (struct search_round_name){"the strings combined from positions 1 to", puzzle.positions, "keep"};
    if (status == LDP_OK)
        status = search_sort(state, &state->other);
    if (status == LDP_OK)
        status = search_ask_whole(state, &state->other);
    return status == LDP_OK ? search_found(state, &state->other, (size_t)param[MOST]) : status;
}

const struct ldp_search ldp_search_sfp = {
    .name = "sfp",
    .title = "Sequence fragment puzzle",
    .source = "Apple, Learning with privacy at scale, 2017; PVLDB 2021, sec. 5",
    .params = params,
    .configure = configure,
    .rounds = rounds,
    .run = run,
};
