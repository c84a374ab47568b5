/* stored.c - see stored.h. A store whose cells and series are those of its last complete run. */
#include "run/stored.h"

#include "run/store_private.h"

#include <stdlib.h>
#include <string.h>

struct series_text {
    char *method, *query, *point, *measure;
};

struct stored {
    struct store_reading reading; /* of `store`; first, the context of those who read names */
    struct store *store;
    struct series_text *series;
    size_t nseries;
    struct index_map by_id, kind_of; /* series by id; the first cell with a layout */
};

static int read_series(void *context, int64_t id, const struct series *series, struct failure *failure)
{
    struct stored *const stored = context;
    struct series_text *const more = realloc(stored->series, (stored->nseries + 1) * sizeof *more);
    int32_t *const index = index_map_at(&stored->by_id, (uint64_t)id);

    if (more)
        stored->series = more;
    if (!more || !index)
        return fail_memory(failure);
    *index = (int32_t)stored->nseries;
    struct series_text *const text = &more[stored->nseries++];
    *text = (struct series_text){.method = strdup(series->method),
                                 .query = strdup(series->query),
                                 .point = strdup(series->point),
                                 .measure = strdup(series->measure)};
    return text->method && text->query && text->point && text->measure ? 0 : fail_memory(failure);
}

static int fail_damaged(const struct stored *stored, struct failure *failure)
{
    return fail(failure, EXIT_BAD_INPUT, "%s: damaged; run the experiment again", stored->store->file.path);
}

/* The kind of cells with that layout. */
static int make_kind(struct stored *stored, uint32_t index, struct kind **out, struct failure *failure)
{
    const struct store_layout *const layout = &stored->store->layout[index];
    struct kind *const kind = *out = store_new_kind(stored->store, layout->series, layout->nseries);

    kind->layout = index;
    for (size_t i = 0; i < layout->nseries; i++)
        if (index_map_find(&stored->by_id, (uint64_t)layout->series[i]) == NONE)
            return fail_damaged(stored, failure);
    return 0;
}

static int take_cell(struct stored *stored, size_t cell, const struct complete_cell *of, struct failure *failure)
{
    struct store *const store = stored->store;
    const int32_t slot = index_map_find(&store->slots, (uint64_t)of->cell);
    const int32_t layout = index_map_find(&store->layouts, (uint64_t)of->layout);
    int32_t *const like = index_map_at(&stored->kind_of, (uint64_t)of->layout);

    if (!like)
        return fail_memory(failure);
    if (slot == NONE || layout == NONE || of->repetitions == 0)
        return fail_damaged(stored, failure);
    store->slot_of[cell] = (uint32_t)slot;
    store->repetitions[cell] = of->repetitions;
    if (*like == NONE) {
        *like = (int32_t)cell;
        return make_kind(stored, (uint32_t)layout, &store->kinds[cell], failure);
    }
    store->kinds[cell] = store->kinds[*like];
    return 0;
}

static int take_cells(struct stored *stored, const struct complete_run *run, struct failure *failure)
{
    struct store *const store = stored->store;

    if (run->count == 0)
        return fail(failure, EXIT_BAD_INPUT, "%s: its run is not complete; run it again", store->file.path);
    store->slot_of = calloc(run->count, sizeof *store->slot_of);
    store->repetitions = calloc(run->count, sizeof *store->repetitions);
    store->kinds = calloc(run->count, sizeof(struct kind *));
    if (!store->slot_of || !store->repetitions || !store->kinds)
        return fail_memory(failure);
    store->ncells = run->count;
    for (size_t i = 0; i < run->count; i++)
        if (take_cell(stored, i, &run->cell[i], failure) != 0)
            return -1;
    return 0;
}

static int read_all(struct stored *stored, const char *path, struct failure *failure)
{
    const struct name_visitor visitor = {stored, store_read_cell, store_read_build, read_series, store_read_layout};
    struct store *const store = stored->store;
    int result = -1;

    if (store_file_open(path, STORE_READ, &store->file, failure) != 0)
        return -1;
    store->opened = true;
    struct complete_run run = {0};
    if (store_file_get_complete(&store->file, &run, failure) != 0 ||
        store_file_get(&store->file, "generation", &store->generation, failure) != 0)
        goto out;
    size_t damaged;
    if (store_add_build(store, run.build, "") == NONE)
        fail_memory(failure);
    else if (store_file_names(&store->file, &visitor, false, &damaged, failure) == 0 &&
             take_cells(stored, &run, failure) == 0)
        result = store_file_blocks(&store->file, 0, store_read_block, &stored->reading, failure);
    store_file_changed(&store->file, &store->version);
out:
    free(run.cell);
    return result;
}

int stored_open(const char *path, struct stored **out, struct failure *failure)
{
    struct stored *const stored = calloc(1, sizeof *stored);

    if (!stored)
        return fail_memory(failure);
    stored->store = stored->reading.store = calloc(1, sizeof *stored->store);
    if (!stored->store) {
        free(stored);
        return fail_memory(failure);
    }
    stored->store->keep = true;
    stored->store->window.cell = SIZE_MAX;
    if (read_all(stored, path, failure) != 0 || store_end(stored->store, 0, failure) != 0) {
        stored_close(stored);
        return -1;
    }
    store_hold(stored->store);
    *out = stored;
    return 0;
}

void stored_close(struct stored *stored)
{
    if (!stored)
        return;
    store_close(stored->store);
    for (size_t i = 0; i < stored->nseries; i++) {
        free(stored->series[i].method);
        free(stored->series[i].query);
        free(stored->series[i].point);
        free(stored->series[i].measure);
    }
    free(stored->series);
    free(stored->reading.remove);
    index_map_clear(&stored->by_id);
    index_map_clear(&stored->kind_of);
    free(stored);
}

size_t stored_cells(const struct stored *stored)
{
    return stored->store->ncells;
}

const char *stored_cell_key(const struct stored *stored, size_t cell)
{
    return stored->store->slot[stored->store->slot_of[cell]].key;
}

uint32_t stored_repetitions(const struct stored *stored, size_t cell)
{
    return store_repetitions(stored->store, cell);
}

size_t stored_series_count(const struct stored *stored, size_t cell)
{
    return stored->store->kinds[cell]->nseries;
}

struct series stored_series(const struct stored *stored, size_t cell, size_t series)
{
    const int64_t id = stored->store->kinds[cell]->id[series];
    const struct series_text *const text = &stored->series[index_map_find(&stored->by_id, (uint64_t)id)];

    return (struct series){text->method, text->query, text->point, text->measure};
}

int stored_values(struct stored *stored, size_t cell, size_t series, double *value, struct failure *failure)
{
    return store_series(stored->store, cell, series, value, failure);
}
