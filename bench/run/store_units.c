/* store_units.c - which repetitions a store lacks, and how finished ones are added. */
#include "run/store_private.h"

#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is there ---- */

void store_places(struct store *store, uint32_t index, const struct kind *kind)
{
    const struct store_layout *const layout = &store->layout[index];

    if (layout->nseries > store->place_room) {
        store->place_room = layout->nseries;
        store->place = xrealloc(store->place, store->place_room, sizeof *store->place);
    }
    size_t from = 0;
    for (size_t i = 0; i < layout->nseries; i++) {
        store->place[i] = NONE;
        if (index == kind->layout) {
            store->place[i] = (int32_t)i;
            continue;
        }
        size_t to = kind->ndistinct;
        for (from = 0; from < to;) {
            const size_t middle = from + (to - from) / 2;

            if (kind->by_id[middle].id < layout->series[i])
                from = middle + 1;
            else
                to = middle;
        }
        if (from < kind->ndistinct && kind->by_id[from].id == layout->series[i])
            store->place[i] = (int32_t)kind->by_id[from].place;
    }
}

/* Marks the series of a block for those of its repetitions that are among the `length` from `first` on. */
static void cover_by(struct store *store, const struct kind *kind, const struct stored_block *block, uint32_t first,
                     uint32_t length)
{
    const uint64_t last = (uint64_t)block->first + block->count;
    const uint32_t begin = block->first > first ? block->first - first : 0;
    const uint32_t end = last <= first ? 0 : last - first < length ? (uint32_t)(last - first) : length;
    uint64_t *const mask = store->have + length * kind->words;

    if (begin >= end)
        return;
    store_places(store, block->layout, kind);
    memset(mask, 0, kind->words * sizeof *mask);
    for (size_t i = 0; i < store->layout[block->layout].nseries; i++)
        if (store->place[i] != NONE)
            mask[store->place[i] / 64] |= UINT64_C(1) << store->place[i] % 64;
    for (uint32_t r = begin; r < end; r++)
        for (size_t w = 0; w < kind->words; w++)
            store->have[r * kind->words + w] |= mask[w];
}

/* Which series of a cell the first `builds` builds have made for `length` repetitions: store->have[length][words], bit
 * by bit. */
static void cover(struct store *store, size_t cell, uint32_t first, uint32_t length, size_t builds)
{
    const struct kind *const kind = store->kinds[cell];
    const size_t room = (length + 1) * kind->words;
    /* A block that begins in the previous stretch may reach into this one. */
    const uint32_t from = first / BLOCK_MAX > 0 ? first / BLOCK_MAX - 1 : 0;

    if (room > store->have_room) {
        store->have = xrealloc(store->have, room, sizeof *store->have);
        store->have_room = room;
    }
    memset(store->have, 0, length * kind->words * sizeof *store->have);
    for (uint32_t stretch = from; stretch <= (first + length - 1) / BLOCK_MAX; stretch++)
        for (int32_t b = store_chain(store, cell, stretch); b != NONE; b = store->block[b].next) {
            const struct stored_block *const block = &store->block[b];

            if (block->count > 0 && !store->layout[block->layout].sums && block->build < builds)
                cover_by(store, kind, block, first, length);
        }
}

/* Whether all series of a kind are marked. */
static bool is_whole(const struct kind *kind, const uint64_t *have)
{
    for (size_t w = 0; w < kind->words; w++) {
        const size_t bits = kind->ndistinct - 64 * w;

        if (have[w] != (bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1))
            return false;
    }
    return true;
}

struct stored_block *store_find_sums(const struct store *store, size_t cell, size_t sums, uint32_t first,
                                     uint32_t length)
{
    struct stored_block *found = NULL;

    for (int32_t b = store_chain(store, cell, first / BLOCK_MAX); b != NONE; b = store->block[b].next) {
        struct stored_block *const block = &store->block[b];
        const bool usable = block->build == 0 ? block->count <= length : store->keep && block->count == length;

        if (block->first == first && block->layout == store->kinds[cell]->sums_layout[sums] && block->count > 0 &&
            usable && (!found || block->count > found->count))
            found = block;
    }
    return found;
}

uint32_t store_sums_done(const struct store *store, size_t cell, uint32_t first, uint32_t length)
{
    uint32_t done = 0;

    for (size_t i = 0; i < store->kinds[cell]->nsums; i++) {
        const struct stored_block *const block = store_find_sums(store, cell, i, first, length);

        if (!block || (i > 0 && block->count != done))
            return 0;
        done = block->count;
    }
    return done;
}

/* ---- what is to be run ---- */

struct pending {
    struct unit *unit;
    size_t count, room;
};

uint64_t store_missing(struct store *store, size_t cell, uint32_t first, uint32_t length, size_t builds)
{
    const struct kind *const kind = store->kinds[cell];
    uint64_t missing = 0;

    cover(store, cell, first, length, builds);
    for (uint32_t i = 0; i < length; i++)
        if (!is_whole(kind, store->have + i * kind->words))
            missing |= UINT64_C(1) << i;
    return missing;
}

static void list_unit(struct store *store, size_t cell, uint32_t first, uint32_t length, bool whole,
                      struct pending *pending)
{
    struct unit unit = {.cell = (uint32_t)cell,
                        .first = first,
                        .whole = whole,
                        .missing = store_missing(store, cell, first, length, store_used_builds(store))};

    if (store->kinds[cell]->nsums > 0) {
        uint32_t done = store_sums_done(store, cell, first, length);

        if (whole && done < length)
            done = 0;
        for (uint32_t i = done; i < length; i++)
            unit.missing |= UINT64_C(1) << i;
    }
    for (uint32_t i = 0; store->shards > 0 && i < length; i++)
        if ((cell + (store->repetitions ? 0 : (first + i) / STORE_BLOCK)) % store->shards != store->shard)
            unit.missing &= ~(UINT64_C(1) << i);
    if (unit.missing)
        *ARRAY_ADD(pending->unit, pending->count, pending->room) = unit;
}

int store_pending(struct store *store, uint32_t max_length, bool whole, struct unit **out, size_t *count,
                  struct failure *failure)
{
    struct pending pending = {0};

    if (store_begin(store, false, failure) != 0)
        return -1;
    for (size_t cell = 0; cell < store->ncells; cell++) {
        const uint32_t length = store->kinds[cell]->nsums > 0 ? STORE_BLOCK : max_length;
        const uint32_t repetitions = store_repetitions(store, cell);

        for (uint32_t first = 0; first < repetitions; first += length)
            list_unit(store, cell, first, repetitions - first < length ? repetitions - first : length, whole, &pending);
    }
    *out = pending.unit;
    *count = pending.count;
    return store_end(store, 0, failure);
}

/* ---- what was run ---- */

static double *copy(const double *from, size_t n)
{
    double *const to = xmalloc(n, sizeof *to);

    if (n > 0)
        memcpy(to, from, n * sizeof *to);
    return to;
}

void store_put(struct store *store, const struct unit *unit, const double *measured, const double *sums, uint32_t done)
{
    const struct kind *const kind = store->kinds[unit->cell];
    const size_t nsums = sums ? kind->nsums : 0;

    *ARRAY_ADD(store->puts, store->nputs, store->puts_room) =
        (struct put){.unit = *unit,
                     .done = done,
                     .measured = copy(measured, (size_t)__builtin_popcountll(unit->missing) * kind->nseries),
                     .sums = nsums > 0 ? copy(sums, nsums * kind->of->sum_length) : NULL};
}

static int write_block(struct store *store, struct stored_block block, const double *numbers, size_t n,
                       struct failure *failure)
{
    const struct block_key key = store_block_key(store, &block);

    if (store_file_put(&store->file, &key, numbers, n, &block.id, failure) != 0)
        return -1;
    store_add_block(store, &block);
    return 0;
}

/* The layout of those series that `have` does not mark. */
static int lacking_layout(struct store *store, const struct kind *kind, const uint64_t *have, uint32_t *index,
                          struct failure *failure)
{
    struct store_layout layout = {.series = xmalloc(kind->ndistinct, sizeof *layout.series)};
    int result = 0;

    for (size_t i = 0; i < kind->ndistinct; i++)
        if (!(have[i / 64] >> i % 64 & 1))
            layout.series[layout.nseries++] = kind->id[i];
    if (layout.nseries == kind->ndistinct)
        *index = kind->layout;
    else
        result = store_write_layout(store, layout, index, failure);
    free(layout.series);
    return result;
}

/* Writes what the file lacks of `count` repetitions from unit.first + from on, which all lack the same; the first of
 * them is the row-th that was measured. */
static int write_stretch(struct store *store, const struct put *put, uint32_t from, uint32_t count, size_t row,
                         struct failure *failure)
{
    const struct kind *const kind = store->kinds[put->unit.cell];
    struct stored_block block = {
        .slot = store->slot_of[put->unit.cell], .first = put->unit.first + from, .count = count};

    if (lacking_layout(store, kind, store->have + from * kind->words, &block.layout, failure) != 0)
        return -1;
    const size_t nseries = store->layout[block.layout].nseries;
    double *const numbers = xmalloc(nseries * count + 1, sizeof *numbers);
    size_t n = 0;
    store_places(store, block.layout, kind);
    for (size_t i = 0; i < nseries; i++)
        for (size_t r = row; r < row + count; r++)
            numbers[n++] = put->measured[r * kind->nseries + kind->source[store->place[i]]];
    const int result = write_block(store, block, numbers, n, failure);
    free(numbers);
    return result;
}

static int write_measured(struct store *store, const struct put *put, struct failure *failure)
{
    const size_t words = store->kinds[put->unit.cell]->words;
    size_t row = 0;
    uint32_t i = 0;

    while (i < 64 && put->unit.missing >> i != 0) {
        if (!(put->unit.missing >> i & 1)) {
            i++;
            continue;
        }
        /* Searched again after each removal, which changes the list. */
        cover(store, put->unit.cell, put->unit.first, 64, store_used_builds(store));
        uint32_t count = 1;
        while (i + count < 64 && put->unit.missing >> (i + count) & 1 &&
               memcmp(store->have + i * words, store->have + (i + count) * words, words * sizeof *store->have) == 0)
            count++;
        if (!is_whole(store->kinds[put->unit.cell], store->have + i * words) &&
            write_stretch(store, put, i, count, row, failure) != 0)
            return -1;
        i += count;
        row += count;
    }
    return 0;
}

/* A vector replaces the one that it continues. */
static int write_sums(struct store *store, const struct put *put, size_t sums, struct failure *failure)
{
    const size_t cell = put->unit.cell, length = store->kinds[cell]->of->sum_length;
    const struct stored_block block = {.slot = store->slot_of[cell],
                                       .layout = store->kinds[cell]->sums_layout[sums],
                                       .first = put->unit.first,
                                       .count = put->done};
    struct stored_block *const before = store_find_sums(store, cell, sums, put->unit.first, put->done);

    if (before && before->count == put->done)
        return 0;
    if (before) {
        if (store_file_remove(&store->file, before->id, failure) != 0)
            return -1;
        before->count = 0;
    }
    return write_block(store, block, put->sums + sums * length, length, failure);
}

/* Writes what was put, in one transaction with what follows if this is `pending`. */
static int write_puts(struct store *store, bool pending, struct failure *failure)
{
    if (store->nputs == 0 && !store->pending)
        return 0;
    if (store_begin(store, true, failure) != 0)
        return -1;
    store->window.cell = SIZE_MAX;
    int result = 0;
    for (size_t i = 0; i < store->nputs; i++) {
        struct put *const put = &store->puts[i];

        if (result == 0)
            result = write_measured(store, put, failure);
        for (size_t s = 0; result == 0 && put->sums && s < store->kinds[put->unit.cell]->nsums; s++)
            result = write_sums(store, put, s, failure);
        free(put->measured);
        free(put->sums);
    }
    store->nputs = 0;
    store->pending = pending;
    return store_end(store, result, failure);
}

int store_commit(struct store *store, struct failure *failure)
{
    return write_puts(store, false, failure);
}

int store_write(struct store *store, struct failure *failure)
{
    return write_puts(store, true, failure);
}

/* ---- builds ---- */

static uint32_t stretch_length(const struct store *store, size_t cell, uint32_t first)
{
    const uint32_t left = store_repetitions(store, cell) - first;

    return left < BLOCK_MAX ? left : BLOCK_MAX;
}

void store_count_others(struct store *store)
{
    for (size_t cell = 0; cell < store->ncells; cell++)
        for (uint32_t first = 0; first < store_repetitions(store, cell); first += BLOCK_MAX) {
            const uint32_t length = stretch_length(store, cell, first);
            const uint64_t own = store_missing(store, cell, first, length, 1);
            const uint64_t all = store_missing(store, cell, first, length, store->nbuilds);

            store->notes.others += (size_t)__builtin_popcountll(own & ~all);
        }
}

/* How many of all cells' numbers the first `builds` builds have made. */
static double count_numbers(struct store *store, size_t builds)
{
    double numbers = 0;

    for (size_t cell = 0; cell < store->ncells; cell++)
        for (uint32_t first = 0; first < store_repetitions(store, cell); first += BLOCK_MAX) {
            const uint32_t length = stretch_length(store, cell, first);

            cover(store, cell, first, length, builds);
            for (size_t i = 0; i < length * store->kinds[cell]->words; i++)
                numbers += __builtin_popcountll(store->have[i]);
        }
    return numbers;
}

struct store_share *store_shares(struct store *store, size_t *count)
{
    const size_t builds = store_used_builds(store);
    struct store_share *const share = xcalloc(builds, sizeof *share);
    double before = 0;

    *count = 0;
    for (size_t i = 0; i < builds; i++) {
        const double upto = count_numbers(store, i + 1);

        if (upto > before)
            share[(*count)++] = (struct store_share){store->build[i].text, upto - before};
        before = upto;
    }
    for (size_t i = 0; i < *count; i++)
        share[i].share /= before;
    return share;
}
