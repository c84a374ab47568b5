/* stored.c - see stored.h. A store whose cells and series are those of its last complete run. */
#include "run/stored.h"

#include "run/store_private.h"
#include "support/memory.h"

#include <stdlib.h>

struct stored {
    struct store *store;
    struct rows rows;
    struct index_map kind_of; /* the first cell with a layout */
};

static int fail_damaged(const struct stored *stored, struct failure *failure)
{
    return rows_damaged(stored->store->file.path, failure);
}

static int take_cell(struct stored *stored, size_t cell, const struct run_cell *of, struct failure *failure)
{
    struct store *const store = stored->store;
    const int32_t slot = index_map_find(&store->slots, (uint64_t)of->key);
    const int32_t layout = index_map_find(&store->layouts, (uint64_t)of->layout);
    int32_t *const like = index_map_at(&stored->kind_of, (uint64_t)of->layout);

    if (slot == NONE || !store->slot[slot].key || layout == NONE)
        return fail_damaged(stored, failure);
    store->slot_of[cell] = (uint32_t)slot;
    store->repetitions[cell] = of->repetitions;
    if (*like == NONE) {
        const struct store_layout *const series = &store->layout[layout];

        *like = (int32_t)cell;
        store->kinds[cell] = store_new_kind(store, series->series, series->nseries);
        store->kinds[cell]->layout = (uint32_t)layout;
    }
    store->kinds[cell] = store->kinds[*like];
    return 0;
}

static int take_cells(struct stored *stored, struct failure *failure)
{
    struct store *const store = stored->store;
    const size_t count = stored->rows.ncells;

    store->slot_of = xcalloc(count, sizeof *store->slot_of);
    store->repetitions = xcalloc(count, sizeof *store->repetitions);
    store->kinds = xcalloc(count, sizeof *store->kinds);
    store->ncells = count;
    for (size_t i = 0; i < count; i++)
        if (take_cell(stored, i, &stored->rows.cell[i], failure) != 0)
            return -1;
    return 0;
}

static int read_all(struct stored *stored, const char *path, struct failure *failure)
{
    struct store *const store = stored->store;

    if (store_file_open(path, STORE_READ, &store->file, failure) != 0)
        return -1;
    store->opened = true;
    if (rows_open(&store->file, &stored->rows, failure) != 0 ||
        store_file_get(&store->file, "generation", &store->generation, failure) != 0)
        return -1;
    store_add_build(store, text_id(stored->rows.table[ROWS_OF_RUN].declaration), "");
    if (store_read_names(store, true, false, failure) != 0 || take_cells(stored, failure) != 0 ||
        store_read_blocks(store, false, failure) != 0)
        return -1;
    store_file_changed(&store->file, &store->version);
    return 0;
}

int stored_open(const char *path, struct stored **out, struct failure *failure)
{
    struct stored *const stored = xcalloc(1, sizeof *stored);

    stored->store = xcalloc(1, sizeof *stored->store);
    stored->store->keep = true;
    stored->store->window.cell = SIZE_MAX;
    if (read_all(stored, path, failure) != 0 || store_end(stored->store, 0, failure) != 0) {
        stored_close(stored);
        return -1;
    }
    stored->store->held = true;
    *out = stored;
    return 0;
}

void stored_close(struct stored *stored)
{
    if (!stored)
        return;
    rows_clear(&stored->rows);
    store_close(stored->store);
    index_map_clear(&stored->kind_of);
    free(stored);
}

const struct rows *stored_rows(const struct stored *stored)
{
    return &stored->rows;
}

size_t stored_cells(const struct stored *stored)
{
    return stored->store->ncells;
}

const char *stored_cell_key(const struct stored *stored, size_t cell)
{
    return stored->store->slot[stored->store->slot_of[cell]].key;
}

size_t stored_series_count(const struct stored *stored, size_t cell)
{
    return stored->store->kinds[cell]->nseries;
}

int stored_values(struct stored *stored, size_t cell, size_t series, double *value, struct failure *failure)
{
    return store_series(stored->store, cell, series, value, failure);
}
