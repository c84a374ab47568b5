/* largest.c - rounds of which only the largest estimates are needed, see round.h.
 *
 * Where support counts are independent of one another, those of candidates with zero frequency are binomials of one
 * law, for any of these candidates alike. Only the largest are drawn (absent.c), and their candidates: uniformly random
 * ones, not present. With a sketch they are, given its cells, of one law too (sketches/absent_counts.h); all values
 * that users have are hashed and decoded. If the caller finds that more may be needed, the next are drawn, given what
 * is known. Cost: the members of the group, and a few times the estimates that are needed, not the candidates. */
#include "searches/round.h"

#include "protocol/pure.h"
#include "random/rng.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Fewer users or candidates are simulated whole. SPARE: so many more are drawn than are needed. */
enum { USERS_MIN = 64, CANDIDATES_MIN = 1024, SPARE = 32 };

static bool is_sparse(const struct ldp_protocol *protocol, enum ldp_mode mode)
{
    const struct ldp_oracle *const oracle = protocol->oracle;

    return mode == LDP_COUNTS && oracle->counts == ldp_pure_counts && !oracle->estimate && !oracle->observe &&
           protocol->q > 0 && protocol->q <= 0.5;
}

double search_candidates_max(const struct ldp_search_input *input, double candidates)
{
    struct ldp_protocol protocol;
    const bool many = candidates > (double)LDP_CANDIDATES_MAX && candidates < LDP_CANDIDATES_SPARSE_MAX;

    return many &&
                   ldp_protocol_init(&protocol, input->oracle, (size_t)candidates + 1, input->epsilon, NULL) ==
                       LDP_OK &&
                   is_sparse(&protocol, input->mode)
               ? LDP_CANDIDATES_SPARSE_MAX
               : (double)LDP_CANDIDATES_MAX;
}

enum ldp_status search_add_answer(struct search_answers *answers, size_t index, double support)
{
    if (answers->count == answers->room) {
        const size_t room = 2 * answers->room + 256;
        struct search_answer *const list = realloc(answers->list, room * sizeof *list);

        if (!list)
            return LDP_ENOMEM;
        answers->list = list;
        answers->room = room;
    }
    answers->list[answers->count++] = (struct search_answer){index, support};
    return LDP_OK;
}

static enum ldp_status add_absent(void *context, double support)
{
    struct search_answers *const answers = context;
    const struct ldp_sketch_scale frequency = answers->frequency;

    return search_add_answer(answers, SIZE_MAX,
                             answers->absent.counts ? frequency.scale * (support - frequency.load) : support);
}

static int by_index(const void *a, const void *b)
{
    const struct search_answer *const x = a, *const y = b;

    return (x->index > y->index) - (x->index < y->index);
}

/* True if the index is one of the first `count` answers, which are sorted. */
static bool has_index(const struct search_answers *answers, size_t count, size_t index)
{
    const struct search_answer key = {.index = index};

    return count > 0 && bsearch(&key, answers->list, count, sizeof key, by_index) != NULL;
}

static int ascending(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* Moves the different ones of m sorted numbers to the front; returns how many they are. */
static size_t distinct(size_t *x, size_t m)
{
    size_t kept = 0;

    for (size_t i = 0; i < m; i++)
        if (i == 0 || x[i] != x[kept - 1])
            x[kept++] = x[i];
    return kept;
}

/* Brings the first `known` answers and those after them, both ascending, into one order. */
static enum ldp_status merge_answers(struct search_answers *answers, size_t known)
{
    const size_t count = answers->count;

    for (size_t i = known; i < count; i++) /* a copy behind all */
        if (search_add_answer(answers, answers->list[i].index, answers->list[i].support) != LDP_OK)
            return LDP_ENOMEM;
    answers->count = count;
    struct search_answer *const list = answers->list;
    const struct search_answer *const later = list + count;

    for (size_t at = count, i = known, j = count - known; j > 0;)
        if (i > 0 && list[i - 1].index > later[j - 1].index)
            list[--at] = list[--i];
        else
            list[--at] = later[--j];
    return LDP_OK;
}

/* Gives the answers after the first `known` indices that no other has: indices alone decide which are drawn again, so
 * any set of free indices is equally likely. */
static enum ldp_status choose_indices(struct ldp_search_state *state, size_t known)
{
    struct search_answers *const answers = &state->answers;
    const size_t count = answers->count - known;
    size_t have = 0;

    if (SEARCH_ROOM(state, index_list, count + 1) != LDP_OK)
        return LDP_ENOMEM;
    size_t *const index = state->index_list;

    while (have < count) {
        for (size_t i = have; i < count; i++)
            do
                index[i] = (size_t)rng_below(state->rng, answers->candidates);
            while (has_index(answers, known, index[i]));
        qsort(index, count, sizeof *index, ascending);
        have = distinct(index, count);
    }
    for (size_t i = 0; i < count; i++)
        answers->list[known + i].index = index[i];
    return merge_answers(answers, known);
}

/* ---- A round ---- */

static double estimate_of(const struct ldp_search_state *state, double support)
{
    const struct ldp_protocol *const protocol = &state->protocol;

    if (state->answers.absent.counts)
        return state->answers.factor * support;
    return (support / (double)state->round_n - protocol->q) / protocol->gap;
}

/* All candidates that are left. */
static enum ldp_status add_rest(struct ldp_search_state *state)
{
    struct search_answers *const answers = &state->answers;
    const size_t known = answers->count;

    if (answers->candidates > LDP_CANDIDATES_MAX)
        return search_no_memory(state, answers->candidates);
    for (size_t index = 0; index < answers->candidates; index++)
        if (!has_index(answers, known, index)) {
            if (add_absent(answers, absent_draw(&answers->absent, state->rng)) != LDP_OK)
                return LDP_ENOMEM;
            answers->list[answers->count - 1].index = index;
        }
    answers->absent.left = 0;
    return merge_answers(answers, known);
}

enum ldp_status search_more(struct ldp_search_state *state)
{
    struct search_answers *const answers = &state->answers;
    const double bound = absent_next(&answers->absent, answers->expected);
    const size_t known = answers->count;
    enum ldp_status status = LDP_OK;

    if (bound == -INFINITY) {
        status = add_rest(state);
    } else if (bound < answers->absent.bound) {
        status = absent_lower(&answers->absent, bound, state->rng, add_absent, answers);
        if (status == LDP_OK)
            status = choose_indices(state, known);
    }
    answers->expected *= 2;
    answers->rest = -INFINITY;
    if (answers->absent.left > 0)
        answers->rest = answers->absent.counts ? answers->factor * answers->frequency.scale *
                                                     (answers->absent.bound - answers->frequency.load)
                                               : estimate_of(state, answers->absent.bound);
    if (status != LDP_OK || SEARCH_ROOM(state, est, answers->count) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t i = 0; i < answers->count; i++)
        state->est[i] = estimate_of(state, answers->list[i].support);
    return LDP_OK;
}

/* The round is simulated by its largest estimates: state->counts holds the users of the answers so far, in order of
 * indices; n is the number of users. */
static enum ldp_status start(struct ldp_search_state *state, size_t candidates, size_t most, uint64_t n)
{
    struct search_answers *const answers = &state->answers;
    const size_t present = answers->count;
    const struct ldp_histogram histogram = {.d = present, .n = n, .counts = state->counts};
    const double needed = (double)most + 6 * sqrt((double)most) + SPARE;

    if (SEARCH_ROOM(state, support, present + 1) != LDP_OK)
        return search_no_memory(state, candidates);
    ldp_pure_counts(&state->protocol, &histogram, NULL, state->rng, NULL, state->support);
    for (size_t i = 0; i < present; i++)
        answers->list[i].support = state->support[i];
    answers->candidates = candidates;
    answers->expected = 1.25 * needed;
    state->result.times.client = state->result.times.server = state->result.times.decode = NAN; /* by counts */
    answers->absent = absent_init(n, state->protocol.q, candidates - present);
    return search_more(state);
}

/* ---- Sketches ---- */

void search_recount(struct ldp_search_state *state, size_t candidates, size_t others)
{
    struct ldp_search_rounds *const rounds = &state->result.rounds;

    rounds->round[rounds->count - 1].candidates = (double)candidates;
    rounds->round[rounds->count - 1].others = (double)others;
}

bool search_skips_absent(const struct ldp_protocol *protocol, enum ldp_mode mode)
{
    if (mode != LDP_COUNTS || protocol->oracle->counts != ldp_sketch_counts)
        return false;

    const struct ldp_sketch_shape shape = ldp_sketch_of(protocol).shape;

    return ldp_absent_counts_suits(&shape);
}

enum ldp_status search_begin_absent(struct ldp_search_state *state, size_t candidates, size_t most, double factor)
{
    struct search_answers *const answers = &state->answers;
    const struct ldp_sketch_shape shape = ldp_sketch_of(&state->protocol).shape;

    if (SEARCH_ROOM(state, absent_room, ldp_absent_counts_bytes(&shape)) != LDP_OK)
        return search_no_memory(state, candidates);
    answers->sparse = true;
    answers->candidates = candidates;
    answers->expected = (double)most + 2 * sqrt((double)most) + 4;
    answers->factor = factor;
    answers->frequency = ldp_sketch_scale(&state->protocol, state->round_n, state->support, state->scratch);
    answers->absent = absent_of_sketch(ldp_absent_counts_init(&shape, ldp_sketch_cells(state->scratch),
                                                              candidates - answers->count, state->absent_room));
    return search_more(state);
}

/* The round by a sketch, from state->counts[d]: the users of the answers so far, in order of indices, then of other
 * values. */
static enum ldp_status start_absent(struct ldp_search_state *state, size_t candidates, size_t d, size_t most,
                                    uint64_t n, double epsilon)
{
    struct search_answers *const answers = &state->answers;
    const size_t present = answers->count, others = d - present;

    for (; d < 2; d++)
        state->counts[d] = 0;
    enum ldp_status status = search_collect(state, d, present > 0 ? present : 1, n, epsilon);

    if (status != LDP_OK)
        return status;
    for (size_t i = 0; i < present; i++)
        answers->list[i].support = state->est[i];
    search_recount(state, candidates, others);
    return search_begin_absent(state, candidates, most, 1);
}

/* Either of them, of the answers so far and their users in state->counts, behind which those of others are. */
static enum ldp_status start_sparse(struct ldp_search_state *state, size_t candidates, size_t others, size_t most,
                                    uint64_t n, double epsilon)
{
    if (search_skips_absent(&state->protocol, state->input.mode))
        return start_absent(state, candidates, state->answers.count + others, most, n, epsilon);
    state->answers.sparse = true;
    search_account(state, candidates, n);
    return start(state, candidates, most, n);
}

static bool can_be_sparse(const struct ldp_search_state *state, size_t candidates, size_t most, uint64_t n)
{
    return !search_is_attacked(state) &&
           (is_sparse(&state->protocol, state->input.mode) ||
            search_skips_absent(&state->protocol, state->input.mode)) &&
           n >= USERS_MIN && candidates >= CANDIDATES_MIN && most > 0 && candidates / 16 >= most;
}

enum ldp_status search_ask(struct ldp_search_state *state, const struct search_round *round, size_t most)
{
    uint64_t n;
    size_t candidates;
    enum ldp_status status = search_open(state, round, &candidates, &n);

    if (status != LDP_OK)
        return status;
    if (!can_be_sparse(state, candidates, most, n)) {
        if (candidates > LDP_CANDIDATES_MAX)
            return search_no_memory(state, candidates);
        return search_round(state, round);
    }
    const bool sketch = search_skips_absent(&state->protocol, state->input.mode);
    size_t others = 0;

    status = search_tally(state, round, 0, sketch ? &others : NULL);
    if (status != LDP_OK)
        return search_no_memory(state, candidates);
    state->result.candidates += search_valid_candidates(state, round);
    return start_sparse(state, candidates, others, most, n, round->epsilon);
}

enum ldp_status search_ask_counts(struct ldp_search_state *state, size_t d, size_t candidates, size_t most, uint64_t n,
                                  double epsilon)
{
    struct search_answers *const answers = &state->answers;
    size_t present = 0;

    if (search_configure(state, d, epsilon) != LDP_OK)
        return LDP_EINVAL;
    if (!can_be_sparse(state, candidates, most, n)) {
        answers->sparse = false;
        answers->count = candidates;
        answers->rest = -INFINITY;
        return search_collect(state, d, candidates, n, epsilon);
    }
    answers->count = 0;
    for (size_t index = 0; index < candidates; index++)
        if (state->counts[index] > 0) {
            if (search_add_answer(answers, index, 0) != LDP_OK)
                return search_no_memory(state, candidates);
            state->counts[present++] = state->counts[index];
        }
    for (size_t index = candidates; index < d; index++)
        state->counts[present++] = state->counts[index];
    return start_sparse(state, candidates, d - candidates, most, n, epsilon);
}

bool search_known(const struct ldp_search_state *state, const struct search_kept *kept, size_t keep, double least)
{
    const double rest = state->answers.rest;
    double lowest = INFINITY;

    if (rest == -INFINITY || least > rest)
        return true;
    for (size_t i = 0; i < kept->count; i++)
        lowest = kept->est[i] < lowest ? kept->est[i] : lowest;
    return kept->count == keep && lowest > rest;
}

enum ldp_status search_keep_most(struct ldp_search_state *state, const struct search_round *round, size_t keep,
                                 double least, struct search_kept *kept)
{
    enum ldp_status status = LDP_OK;

    for (bool known = false; status == LDP_OK && !known;) {
        status = search_keep(state, round, state->est, keep, least, kept);
        known = search_known(state, kept, keep, least);
        if (status == LDP_OK && !known)
            status = search_more(state);
    }
    return status;
}

double search_estimate(const struct ldp_search_state *state, size_t index)
{
    const struct search_answer key = {.index = index}, *found;

    if (!state->answers.sparse)
        return state->est[index];
    found = bsearch(&key, state->answers.list, state->answers.count, sizeof key, by_index);
    assert(found);
    return state->est[found - state->answers.list];
}
