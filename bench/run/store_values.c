/* store_values.c - reading back what a store holds. */
#include "run/store_private.h"

#include "support/memory.h"
#include "support/progress.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
    const struct places *const places = store_places(store, block->layout, store->kinds[cell]);

    if (block->first >= repetitions || !places->serves)
        return 0;
    const double *numbers;
    if (store_file_numbers(&store->file, block->id, &key, nseries * block->count, &numbers, failure) != 0)
        return -1;
    if (!numbers)
        return store_fail_removed(store, failure);
    for (size_t i = 0; i < nseries; i++) {
        const size_t place = (size_t)places->of[i];

        if (places->of[i] != NONE && place >= store->window.first && place < store->window.end)
            memcpy(store->window.value + (place - store->window.first) * repetitions + block->first,
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

/* Reads as many of a cell's series as there is room for, the first of them `place`. */
static int fill_window(struct store *store, size_t cell, size_t place, struct failure *failure)
{
    const struct kind *const kind = store->kinds[cell];
    const size_t repetitions = store_repetitions(store, cell), most = WINDOW_NUMBERS / repetitions;
    struct window *const window = &store->window;

    window->cell = SIZE_MAX;
    window->first = kind->ndistinct <= most ? 0 : place;
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
    const size_t place = store->kinds[cell]->place[series], repetitions = store_repetitions(store, cell);
    const struct window *const window = &store->window;
    int result = 0;

    if (window->cell != cell || place < window->first || place >= window->end) {
        if (begin_reading(store, failure) != 0)
            return -1;
        result = end_reading(store, fill_window(store, cell, place, failure), failure);
    }
    if (result == 0)
        memcpy(value, window->value + (place - window->first) * repetitions, repetitions * sizeof *value);
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
