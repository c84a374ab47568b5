/* store_asked.c - what an experiment asks of its store: cells and series by the fingerprints of their texts. */
#include "run/store_private.h"

#include "support/memory.h"

#include <stdlib.h>

/* The name of a cell in the store: its key with everything else that decides its numbers. */
static char *stored_cell_key(const struct experiment *experiment, size_t cell)
{
    char *const key = experiment->task->cell_key(experiment->setup, cell);
    char *const full =
        xformat("version=%d|seed=%llu|%s", LDP_ALGORITHM_VERSION, (unsigned long long)experiment->seed, key);

    free(key);
    return full;
}

void store_ask_cells(struct store *store)
{
    const struct experiment *const experiment = store->experiment;

    store->ncells = experiment->setup->ncells;
    store->slot_of = xmalloc(store->ncells, sizeof *store->slot_of);
    for (size_t cell = 0; cell < store->ncells; cell++) {
        char *const key = stored_cell_key(experiment, cell);

        store->slot_of[cell] = store_add_slot(store, text_id(key));
        free(key);
    }
    store->nasked = store->nslots;
}

/* Adds a series to the file and returns its id. */
static int add_series(struct store *store, const struct series *series, int64_t *id, struct failure *failure)
{
    *id = series_id(series);
    return store_file_add_series(&store->file, *id, series, failure);
}

/* A layout's index; in the file as well. */
static int write_layout(struct store *store, struct store_layout layout, uint32_t *index, struct failure *failure)
{
    layout.id = layout_id(&layout);
    *index = store_add_layout(store, &layout);
    return store_file_add_layout(&store->file, &layout, failure);
}

struct kind *store_new_kind(struct store *store, const int64_t *series, size_t nseries)
{
    struct kind *const kind = xcalloc(1, sizeof *kind);

    *kind = (struct kind){.next = store->all_kinds,
                          .nseries = nseries,
                          .place = xcalloc(nseries, sizeof *kind->place),
                          .source = xcalloc(nseries, sizeof *kind->source),
                          .id = xcalloc(nseries, sizeof *kind->id)};
    for (size_t i = 0; i < nseries; i++) {
        int32_t *const place = index_map_at(&kind->by_id, (uint64_t)series[i]);

        if (*place == NONE) {
            kind->source[kind->ndistinct] = i;
            kind->id[kind->ndistinct] = series[i];
            *place = (int32_t)kind->ndistinct++;
        }
        kind->place[i] = (size_t)*place;
    }
    return store->all_kinds = kind;
}

/* Adds the layouts of a kind, to the file too. */
static int write_layouts(struct store *store, struct kind *kind, struct failure *failure)
{
    const struct store_layout distinct = {.nseries = kind->ndistinct, .series = kind->id};

    kind->sums_layout = xmalloc(kind->nsums + 1, sizeof *kind->sums_layout);
    if (write_layout(store, distinct, &kind->layout, failure) != 0)
        return -1;
    int64_t id;
    for (size_t i = 0; i < kind->nsums; i++)
        if (add_series(store, &kind->of->sums[i], &id, failure) != 0 ||
            write_layout(store, (struct store_layout){.sums = true, .nseries = 1, .series = &id}, &kind->sums_layout[i],
                         failure) != 0)
            return -1;
    return 0;
}

static int ask_kind(struct store *store, const struct layout *of, struct kind **out, struct failure *failure)
{
    int64_t *const series = xcalloc(of->nseries, sizeof *series);
    int result = 0;

    for (size_t i = 0; result == 0 && i < of->nseries; i++)
        result = add_series(store, &of->series[i], &series[i], failure);
    if (result == 0) {
        *out = store_new_kind(store, series, of->nseries);
        (*out)->of = of;
        (*out)->nsums = of->nsums;
        result = write_layouts(store, *out, failure);
    }
    free(series);
    return result;
}

struct new_cell {
    int64_t id;
    size_t cell;
};

static int by_id(const void *a, const void *b)
{
    const int64_t x = ((const struct new_cell *)a)->id, y = ((const struct new_cell *)b)->id;

    return (x > y) - (x < y);
}

/* New cells are added in order of their ids, which is much faster than any other order. */
static int name_cells(struct store *store, struct failure *failure)
{
    struct new_cell *const fresh = xmalloc(store->ncells + 1, sizeof *fresh);
    size_t n = 0;
    int result = 0;

    for (size_t cell = 0; result == 0 && cell < store->ncells; cell++) {
        struct slot *const slot = &store->slot[store->slot_of[cell]];

        if (!slot->named)
            fresh[n++] = (struct new_cell){slot->id, cell};
        slot->named = true;
    }
    if (n > 0)
        qsort(fresh, n, sizeof *fresh, by_id);
    for (size_t i = 0; result == 0 && i < n; i++) {
        char *const key = stored_cell_key(store->experiment, fresh[i].cell);

        result = store_file_add_cell(&store->file, fresh[i].id, key, failure);
        free(key);
    }
    free(fresh);
    return result;
}

/* The kind of a layout, if it is one of the last few: neighbouring cells have few layouts between them. */
static struct kind *find_kind(const struct store *store, const struct layout *layout)
{
    struct kind *kind = store->all_kinds;

    for (int i = 0; kind && i < LAYOUTS_NEAR && kind->of != layout; i++)
        kind = kind->next;
    return kind && kind->of == layout ? kind : NULL;
}

int store_ask_names(struct store *store, struct failure *failure)
{
    const struct experiment *const experiment = store->experiment;

    store->kinds = xcalloc(store->ncells, sizeof(struct kind *));
    for (size_t cell = 0; cell < store->ncells; cell++) {
        const struct layout *const layout = experiment->task->layout(experiment->setup, cell);
        struct kind *kind = cell > 0 ? store->kinds[cell - 1] : NULL;

        if (!kind || kind->of != layout)
            kind = find_kind(store, layout);
        if (!kind && ask_kind(store, layout, &kind, failure) != 0)
            return -1;
        store->kinds[cell] = kind;
    }
    return name_cells(store, failure);
}

void store_ask_clear(struct store *store)
{
    for (struct kind *kind = store->all_kinds, *next; kind; kind = next) {
        next = kind->next;
        free(kind->place);
        free(kind->source);
        free(kind->id);
        index_map_clear(&kind->by_id);
        free(kind->sums_layout);
        free(kind);
    }
    free(store->kinds);
    free(store->slot_of);
    free(store->repetitions);
}
