/* kept.c - the candidates that a round keeps, and the answer of a search, see round.h. */
#include "searches/round.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static enum ldp_status kept_room(struct search_kept *kept, size_t count)
{
    if (count <= kept->room)
        return LDP_OK;

    const size_t room = count + count / 2 + 16;
    ldp_uint128 *const key = realloc(kept->key, room * sizeof *key);

    if (!key)
        return LDP_ENOMEM;
    kept->key = key;

    double *const est = realloc(kept->est, room * sizeof *est);

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

/* True if i is dropped before j. */
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

/* A heap with the worst candidate on top. */
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
    const struct ldp_found *const x = a, *const y = b;

    return (x->key > y->key) - (x->key < y->key);
}

static int by_estimate(const void *a, const void *b)
{
    const struct ldp_found *const x = a, *const y = b;

    if (x->est != y->est)
        return x->est < y->est ? 1 : -1;
    return by_key(a, b);
}

enum ldp_status search_sort(struct ldp_search_state *state, struct search_kept *kept)
{
    if (SEARCH_ROOM(state, found, kept->count + 1) != LDP_OK)
        return LDP_ENOMEM;
    bool ascending = true;

    for (size_t i = 0; i < kept->count; i++) {
        state->found[i] = (struct ldp_found){.key = kept->key[i], .est = kept->est[i]};
        ascending = ascending && (i == 0 || kept->key[i - 1] <= kept->key[i]);
    }
    if (!ascending)
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

/* round NULL: keys are indices. list: the indices, NULL: 0, 1, .. */
static enum ldp_status keep_largest(struct ldp_search_state *state, const struct search_round *round,
                                    const struct search_answer *list, const double *est, size_t count, size_t keep,
                                    double least, struct search_kept *kept)
{
    const struct ldp_strings *const strings = state->input.strings;

    assert(keep >= 1);
    kept->count = 0;
    if (kept_room(kept, keep < count ? keep : count) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        /* Keys ascend: a candidate that only equals the worst has a larger key and loses the tie. */
        if (est[i] < least || (kept->count == keep && est[i] <= kept->est[0]))
            continue;

        const size_t index = list ? list[i].index : i;
        const ldp_uint128 key = round ? search_candidate(state, round, index) : index;

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
    const struct search_answers *const answers = &state->answers;
    const size_t count = answers->sparse || !round
                             ? answers->count
                             : round->nparents * search_ways(state->input.strings, round->to - round->from, round->pad);

    return keep_largest(state, round, answers->sparse ? answers->list : NULL, est, count, keep, least, kept);
}

enum ldp_status search_keep_indices(struct ldp_search_state *state, const double *est, size_t count, size_t keep,
                                    double least, struct search_kept *kept)
{
    return keep_largest(state, NULL, NULL, est, count, keep, least, kept);
}

enum ldp_status search_found(struct ldp_search_state *state, const struct search_kept *kept, size_t most)
{
    struct search_kept *const best = &state->next;
    const size_t asked = most > 0 && most < kept->count ? most : kept->count;

    if (kept->count == 0)
        return LDP_OK;
    if (search_keep_indices(state, kept->est, kept->count, asked, 0, best) != LDP_OK ||
        SEARCH_ROOM(state, found, best->count + 1) != LDP_OK)
        return LDP_ENOMEM;
    for (size_t i = 0; i < best->count; i++)
        state->found[i] = (struct ldp_found){kept->key[(size_t)best->key[i]], best->est[i], NAN, NAN};
    qsort(state->found, best->count, sizeof *state->found, by_estimate);
    state->result.found = state->found;
    state->result.nfound = best->count;
    return LDP_OK;
}
