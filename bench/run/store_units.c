/* store_units.c - the repetitions of a store: which it lacks, how finished ones are added and read back. This file is
 * over 500 lines: all of it works on blocks. */
#include "run/store_private.h"

#include "support/clock.h"
#include "support/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is there ---- */

/* The number of builds, from the first one on, whose numbers are used. */
static size_t store_used_builds(const struct store *store)
{
    return store->keep ? store->nbuilds : 1;
}

static uint64_t store_missing(struct store *store, size_t cell, uint32_t first, uint32_t length, size_t builds)
{
    const struct kind *const kind = store->kinds[cell];
    const uint64_t all = length < 64 ? (UINT64_C(1) << length) - 1 : UINT64_MAX;
    /* A block that begins in the previous stretch may reach into this one. */
    const uint32_t from = first / BLOCK_MAX > 0 ? first / BLOCK_MAX - 1 : 0;
    uint64_t have = kind->ndistinct == 0 ? all : 0;

    for (uint32_t stretch = from; stretch <= (first + length - 1) / BLOCK_MAX; stretch++)
        for (int32_t b = store_chain(store, cell, stretch); b != NONE && have != all; b = store->block[b].next) {
            const struct stored_block *const block = &store->block[b];

            if (block->count == 0 || block->build >= builds || !store_series_index(store, block->layout, kind)->serves)
                continue;
            for (uint32_t r = block->first; r < block->first + block->count; r++)
                have |= r >= first && r - first < length ? UINT64_C(1) << (r - first) : 0;
        }
    return all & ~have;
}

/* The vector of sums of the block that begins with `first` over the most repetitions up to `length`; with keep also one
 * of another build over just that many. NULL: none. */
static struct stored_block *store_find_sums(const struct store *store, size_t cell, size_t sums, uint32_t first,
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

/* How many repetitions of a block, out of `length`, all its sums hold. */
static uint32_t store_sums_done(const struct store *store, size_t cell, uint32_t first, uint32_t length)
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
        if ((cell + (first + i) / STORE_BLOCK) % store->shards != store->shard)
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

static int remove_block(struct store *store, struct stored_block *block, struct failure *failure)
{
    block->count = 0;
    return store_file_remove(&store->file, block->id, failure);
}

/* Removes blocks within a new one that have some of its series alone, and counts them. */
static int remove_within(struct store *store, size_t cell, const struct stored_block *new, size_t *removed,
                         struct failure *failure)
{
    const uint32_t end = new->first + new->count;

    for (uint32_t stretch = new->first / BLOCK_MAX; stretch <= (end - 1) / BLOCK_MAX; stretch++)
        for (int32_t b = store_chain(store, cell, stretch); b != NONE; b = store->block[b].next) {
            struct stored_block *const block = &store->block[b];
            const struct store_layout *const layout = &store->layout[block->layout];

            if (block->count == 0 || block->build != 0 || block->first < new->first ||
                block->first + block->count > end || layout->sums || block->layout == new->layout ||
                store_series_index(store, block->layout, store->kinds[cell])->nknown < layout->nseries)
                continue;
            ++*removed;
            if (remove_block(store, block, failure) != 0)
                return -1;
        }
    return 0;
}

/* Writes `count` repetitions from unit.first + from on; the first of them is the row-th that was measured. */
static int write_stretch(struct store *store, const struct put *put, uint32_t from, uint32_t count, size_t row,
                         size_t *removed, struct failure *failure)
{
    const size_t cell = put->unit.cell;
    const struct kind *const kind = store->kinds[cell];
    const struct stored_block block = {
        .slot = store->slot_of[cell], .layout = kind->layout, .first = put->unit.first + from, .count = count};
    double *const numbers = xmalloc(kind->ndistinct * count + 1, sizeof *numbers);
    size_t n = 0;

    for (size_t i = 0; i < kind->ndistinct; i++)
        for (size_t r = row; r < row + count; r++)
            numbers[n++] = put->measured[r * kind->nseries + kind->source[i]];
    int result = write_block(store, block, numbers, n, failure);
    if (result == 0)
        result = remove_within(store, cell, &block, removed, failure);
    free(numbers);
    return result;
}

/* Writes the stretches of repetitions that the file still lacks. */
static int write_measured(struct store *store, const struct put *put, size_t *removed, struct failure *failure)
{
    const uint64_t measured = put->unit.missing;
    const uint64_t missing =
        measured & store_missing(store, put->unit.cell, put->unit.first, 64, store_used_builds(store));
    int result = 0;

    for (uint32_t from = 0, count; result == 0 && from < 64; from += count + 1) {
        for (count = 0; from + count < 64 && missing >> (from + count) & 1; count++)
            continue;
        if (count > 0)
            result =
                write_stretch(store, put, from, count,
                              (size_t)__builtin_popcountll(measured & ((UINT64_C(1) << from) - 1)), removed, failure);
    }
    return result;
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
    if (before && remove_block(store, before, failure) != 0)
        return -1;
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
    size_t removed = 0;
    int result = 0;
    for (size_t i = 0; i < store->nputs; i++) {
        struct put *const put = &store->puts[i];

        if (result == 0)
            result = write_measured(store, put, &removed, failure);
        for (size_t s = 0; result == 0 && put->sums && s < store->kinds[put->unit.cell]->nsums; s++)
            result = write_sums(store, put, s, failure);
        free(put->measured);
        free(put->sums);
    }
    store->nputs = 0;
    store->pending = pending;
    if (result == 0 && removed > 0)
        result = store_renew_generation(store, failure);
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

/* How many repetitions of all cells the first `builds` builds have not made; each counts as often as it has numbers if
 * asked for. */
static double count_missing(struct store *store, size_t builds, bool numbers)
{
    double missing = 0;

    for (size_t cell = 0; cell < store->ncells; cell++)
        for (uint32_t first = 0, left; (left = store_repetitions(store, cell) - first) > 0; first += left) {
            left = left < BLOCK_MAX ? left : BLOCK_MAX;
            missing += (numbers ? (double)store->kinds[cell]->ndistinct : 1) *
                       __builtin_popcountll(store_missing(store, cell, first, left, builds));
        }
    return missing;
}

void store_count_others(struct store *store)
{
    store->notes.others = (size_t)(count_missing(store, 1, false) - count_missing(store, store->nbuilds, false));
}

struct store_share *store_shares(struct store *store, size_t *count)
{
    const size_t builds = store_used_builds(store);
    struct store_share *const share = xcalloc(builds, sizeof *share);
    const double all = count_missing(store, 0, true);
    double before = all;

    *count = 0;
    for (size_t i = 0; i < builds; i++) {
        const double after = count_missing(store, i + 1, true);

        if (after < before)
            share[(*count)++] = (struct store_share){store->build[i].text, before - after};
        before = after;
    }
    for (size_t i = 0; i < *count; i++)
        share[i].share /= all - before;
    return share;
}

/* ---- reading back ---- */

static int store_fail_removed(const struct store *store, struct failure *failure)
{
    return fail(failure, EXIT_BAD_INPUT,
                "%s: results that were there are missing: another process removed them, or the file is damaged; run it "
                "again",
                store->file.path);
}

/* A read transaction is renewed this often, so that writers need not wait for long. */
static const double hold_seconds = 0.1;

/* Locking the file for each read costs more than most reads. */
static int begin_reading(struct store *store, struct failure *failure)
{
    const double now = clock_seconds();

    if (store->reading && now - store->read_since < hold_seconds)
        return 0;
    if (store->reading) {
        store->reading = false;
        if (store_end(store, 0, failure) != 0)
            return -1;
    }
    if (store_begin(store, false, failure) != 0)
        return -1;
    store->reading = true;
    store->read_since = now;
    return 0;
}

static int end_reading(struct store *store, int result, struct failure *failure)
{
    if (store->held && result == 0)
        return 0;
    store->reading = false;
    return store_end(store, result, failure);
}

/* ---- series ---- */

enum { WINDOW_NUMBERS = 1 << 24 }; /* at most, unless one series has more */

/* Copies the part of a block that is in the window. */
static int copy_block(struct store *store, size_t cell, const struct stored_block *block, struct failure *failure)
{
    const size_t nseries = store->layout[block->layout].nseries, repetitions = store_repetitions(store, cell);
    const size_t count = repetitions - block->first < block->count ? repetitions - block->first : block->count;
    const struct block_key key = store_block_key(store, block);
    const struct series_index *const series = store_series_index(store, block->layout, store->kinds[cell]);

    if (block->first >= repetitions || !series->serves)
        return 0;
    const double *numbers;
    if (store_file_numbers(&store->file, block->id, &key, nseries * block->count, &numbers, failure) != 0)
        return -1;
    if (!numbers)
        return store_fail_removed(store, failure);
    for (size_t i = 0; i < nseries; i++) {
        const size_t at = (size_t)series->of[i];

        if (series->of[i] != NONE && at >= store->window.first && at < store->window.end)
            memcpy(store->window.value + (at - store->window.first) * repetitions + block->first,
                   numbers + i * block->count, count * sizeof *numbers);
    }
    return 0;
}

/* Where blocks overlap, the oldest counts. */
static int copy_blocks(struct store *store, size_t cell, size_t build, struct failure *failure)
{
    const uint32_t stretches = (store_repetitions(store, cell) - 1) / BLOCK_MAX + 1;

    for (uint32_t stretch = 0; stretch < stretches; stretch++)
        for (int32_t b = store_chain(store, cell, stretch); b != NONE; b = store->block[b].next) {
            const struct stored_block *const block = &store->block[b];

            if (block->count > 0 && block->build == build && copy_block(store, cell, block, failure) != 0)
                return -1;
        }
    return 0;
}

bool store_has(struct store *store, size_t cell)
{
    const uint32_t repetitions = store_repetitions(store, cell);
    uint64_t missing = 0;

    for (uint32_t first = 0; first < repetitions && !missing; first += BLOCK_MAX)
        missing = store_missing(store, cell, first, repetitions - first < BLOCK_MAX ? repetitions - first : BLOCK_MAX,
                                store_used_builds(store));
    return !missing;
}

/* Reads as many of a cell's series as there is room for, the first of them `at`. */
static int fill_window(struct store *store, size_t cell, size_t at, struct failure *failure)
{
    const struct kind *const kind = store->kinds[cell];
    const size_t repetitions = store_repetitions(store, cell), most = WINDOW_NUMBERS / repetitions;
    struct window *const window = &store->window;

    window->cell = SIZE_MAX;
    window->first = kind->ndistinct <= most ? 0 : at;
    window->end = kind->ndistinct - window->first <= most ? kind->ndistinct : window->first + (most > 0 ? most : 1);
    if ((window->end - window->first) * repetitions > window->room) {
        window->room = (window->end - window->first) * repetitions;
        window->value = xrealloc(window->value, window->room, sizeof *window->value);
    }
    if (!store_has(store, cell))
        return store_fail_removed(store, failure);
    for (size_t build = store_used_builds(store); build-- > 0;)
        if (copy_blocks(store, cell, build, failure) != 0)
            return -1;
    window->cell = cell;
    return 0;
}

int store_series(struct store *store, size_t cell, size_t series, double *value, struct failure *failure)
{
    const size_t at = store->kinds[cell]->distinct[series], repetitions = store_repetitions(store, cell);
    const struct window *const window = &store->window;
    int result = 0;

    if (window->cell != cell || at < window->first || at >= window->end) {
        if (begin_reading(store, failure) != 0)
            return -1;
        result = end_reading(store, fill_window(store, cell, at, failure), failure);
    }
    if (result == 0)
        memcpy(value, window->value + (at - window->first) * repetitions, repetitions * sizeof *value);
    return result;
}

/* ---- sums ---- */

static int read_vector(struct store *store, const struct stored_block *block, size_t length, double *vector,
                       struct failure *failure)
{
    const struct block_key key = store_block_key(store, block);
    const double *numbers;

    if (store_file_numbers(&store->file, block->id, &key, length, &numbers, failure) != 0)
        return -1;
    if (!numbers)
        return store_fail_removed(store, failure);
    memcpy(vector, numbers, length * sizeof *vector);
    return 0;
}

/* How many repetitions the block that begins with `first` has. */
static uint32_t block_length(const struct store *store, size_t cell, uint32_t first)
{
    const uint32_t repetitions = store_repetitions(store, cell);

    return repetitions - first < STORE_BLOCK ? repetitions - first : STORE_BLOCK;
}

static int read_unit_sums(struct store *store, const struct unit *unit, double *sums, uint32_t *done,
                          struct failure *failure)
{
    const struct kind *const kind = store->kinds[unit->cell];
    const size_t length = kind->of->sum_length;
    const uint32_t most = block_length(store, unit->cell, unit->first);

    *done = store_sums_done(store, unit->cell, unit->first, most);
    /* The unit must continue where the sums end; they may have been removed since the unit was listed. */
    const uint64_t rest = unit->missing >> *done;
    if (rest & (rest + 1))
        return store_fail_removed(store, failure);
    for (size_t i = 0; *done > 0 && i < kind->nsums; i++)
        if (read_vector(store, store_find_sums(store, unit->cell, i, unit->first, most), length, sums + i * length,
                        failure) != 0)
            return -1;
    return 0;
}

int store_load_sums(struct store *store, const struct unit *unit, double *sums, uint32_t *done, struct failure *failure)
{
    if (store_begin(store, false, failure) != 0)
        return -1;
    return store_end(store, read_unit_sums(store, unit, sums, done, failure), failure);
}

static int read_sums(struct store *store, size_t cell, size_t sums, uint32_t first, double *vector,
                     struct failure *failure)
{
    const uint32_t length = block_length(store, cell, first);
    const struct stored_block *const block = store_find_sums(store, cell, sums, first, length);

    if (!block && store_find_sums(store, cell, sums, first, STORE_BLOCK))
        return fail(failure, EXIT_MACHINE,
                    "%s: another process has added sums over more than %lu repetitions, which cannot be split",
                    store->file.path, (unsigned long)store_repetitions(store, cell));
    if (!block || block->count < length)
        return store_fail_removed(store, failure);
    return read_vector(store, block, store->kinds[cell]->of->sum_length, vector, failure);
}

int store_sums(struct store *store, size_t cell, size_t sums, uint32_t first, double *vector, struct failure *failure)
{
    assert(first % STORE_BLOCK == 0 && first < store_repetitions(store, cell));
    if (begin_reading(store, failure) != 0)
        return -1;
    return end_reading(store, read_sums(store, cell, sums, first, vector, failure), failure);
}
