/* store_asked.c - what an experiment asks of its store: cells and series by the fingerprints of their texts. */
#include "run/store_private.h"

#include "support/text.h"

#include <stdlib.h>
#include <string.h>

/* The name of a cell in the store: its key with everything else that decides its numbers. */
static char *stored_cell_key(const struct experiment *experiment, size_t cell)
{
    char *const key = experiment->task->cell_key(experiment->setup, cell), *full = NULL;

    if (key)
        full = text_format("version=%d|seed=%llu|%s", LDP_ALGORITHM_VERSION, (unsigned long long)experiment->seed, key);
    free(key);
    return full;
}

int store_ask_cells(struct store *store, struct failure *failure)
{
    const struct experiment *const experiment = store->experiment;

    store->ncells = experiment->setup->ncells;
    store->slot_of = malloc(store->ncells * sizeof *store->slot_of);
    const bool differ = experiment->precision.from > 0 || experiment->of_cell; /* cells in their repetitions */
    if (differ)
        store->repetitions = malloc(store->ncells * sizeof *store->repetitions);
    if (!store->slot_of || (differ && !store->repetitions))
        return fail_memory(failure);
    for (size_t cell = 0; store->repetitions && cell < store->ncells; cell++)
        store->repetitions[cell] = experiment->of_cell ? experiment->of_cell[cell] : experiment->precision.from;
    for (size_t cell = 0; cell < store->ncells; cell++) {
        char *const key = stored_cell_key(experiment, cell);
        const int32_t slot = key ? store_add_slot(store, text_id(key)) : NONE;

        free(key);
        if (slot == NONE)
            return fail_memory(failure);
        store->slot_of[cell] = (uint32_t)slot;
    }
    store->nasked = store->nslots;
    return 0;
}

static int by_id(const void *a, const void *b)
{
    const struct named_place *const x = a, *const y = b;

    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* Adds a series to the file and returns its id. */
static int add_series(struct store *store, const struct series *series, int64_t *id, struct failure *failure)
{
    *id = series_id(series);
    return *id < 0 ? fail_memory(failure) : store_file_add_series(&store->file, *id, series, failure);
}

int store_write_layout(struct store *store, struct store_layout layout, uint32_t *index, struct failure *failure)
{
    layout.id = layout_id(&layout);

    const int32_t at = layout.id < 0 ? NONE : store_add_layout(store, &layout);

    if (at == NONE)
        return fail_memory(failure);
    *index = (uint32_t)at;
    return store_file_add_layout(&store->file, &layout, failure);
}

/* Finds the distinct series; by_id has an id for each of the task's. */
static void find_distinct(struct kind *kind)
{
    size_t *const first = kind->source; /* at first: the first of the task's series with the same id */

    qsort(kind->by_id, kind->nseries, sizeof *kind->by_id, by_id);
    for (size_t i = 0; i < kind->nseries; i++) {
        const bool again = i > 0 && kind->by_id[i].id == kind->by_id[i - 1].id;

        first[kind->by_id[i].place] = again ? first[kind->by_id[i - 1].place] : kind->by_id[i].place;
    }
    for (size_t i = 0; i < kind->nseries; i++)
        kind->place[i] = first[i] == i ? kind->ndistinct++ : kind->place[first[i]];
    for (size_t i = 0, n = 0; i < kind->nseries; i++) {
        const size_t series = kind->by_id[i].place, place = kind->place[series];
        const int64_t id = kind->by_id[i].id;

        if (i > 0 && id == kind->id[kind->by_id[n - 1].place])
            continue;
        kind->id[place] = id;
        kind->by_id[n++] = (struct named_place){id, place};
    }
    for (size_t i = kind->nseries; i-- > 0;)
        kind->source[kind->place[i]] = i;
}

struct kind *store_new_kind(struct store *store, const int64_t *series, size_t nseries)
{
    struct kind *const kind = calloc(1, sizeof *kind);

    if (!kind)
        return NULL;
    kind->next = store->all_kinds;
    store->all_kinds = kind;
    kind->nseries = nseries;
    kind->place = malloc((nseries + 1) * sizeof *kind->place);
    kind->source = malloc((nseries + 1) * sizeof *kind->source);
    kind->id = malloc((nseries + 1) * sizeof *kind->id);
    kind->by_id = malloc((nseries + 1) * sizeof *kind->by_id);
    if (!kind->place || !kind->source || !kind->id || !kind->by_id)
        return NULL;
    for (size_t i = 0; i < nseries; i++)
        kind->by_id[i] = (struct named_place){series[i], i};
    find_distinct(kind);
    kind->words = (kind->ndistinct + 63) / 64;
    return kind;
}

/* Adds the layouts of a kind, to the file too. */
static int write_layouts(struct store *store, struct kind *kind, struct failure *failure)
{
    const struct store_layout distinct = {.nseries = kind->ndistinct, .series = kind->id};

    kind->sums_layout = malloc((kind->nsums + 1) * sizeof *kind->sums_layout);
    if (!kind->sums_layout)
        return fail_memory(failure);
    if (store_write_layout(store, distinct, &kind->layout, failure) != 0)
        return -1;
    int64_t id;
    for (size_t i = 0; i < kind->nsums; i++)
        if (add_series(store, &kind->of->sums[i], &id, failure) != 0 ||
            store_write_layout(store, (struct store_layout){.sums = true, .nseries = 1, .series = &id},
                               &kind->sums_layout[i], failure) != 0)
            return -1;
    return 0;
}

static int ask_kind(struct store *store, const struct layout *of, struct kind **out, struct failure *failure)
{
    int64_t *const series = malloc((of->nseries + 1) * sizeof *series);
    int result = series ? 0 : fail_memory(failure);

    for (size_t i = 0; result == 0 && i < of->nseries; i++)
        result = add_series(store, &of->series[i], &series[i], failure);
    if (result == 0) {
        *out = store_new_kind(store, series, of->nseries);
        if (!*out)
            result = fail_memory(failure);
    }
    if (result == 0) {
        (*out)->of = of;
        (*out)->nsums = of->nsums;
        result = write_layouts(store, *out, failure);
    }
    free(series);
    return result;
}

/* New cells are added in order of their ids, which is much faster than any other order. */
static int name_cells(struct store *store, struct failure *failure)
{
    struct named_place *const fresh = malloc((store->ncells + 1) * sizeof *fresh);
    size_t n = 0;
    int result = fresh ? 0 : fail_memory(failure);

    for (size_t cell = 0; result == 0 && cell < store->ncells; cell++) {
        struct slot *const slot = &store->slot[store->slot_of[cell]];

        if (!slot->named)
            fresh[n++] = (struct named_place){slot->id, cell};
        slot->named = true;
    }
    if (n > 0)
        qsort(fresh, n, sizeof *fresh, by_id);
    for (size_t i = 0; result == 0 && i < n; i++) {
        char *const key = stored_cell_key(store->experiment, fresh[i].place);

        result = key ? store_file_add_cell(&store->file, fresh[i].id, key, failure) : fail_memory(failure);
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

    store->kinds = calloc(store->ncells, sizeof(struct kind *));
    if (!store->kinds)
        return fail_memory(failure);
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
        free(kind->by_id);
        free(kind->sums_layout);
        free(kind);
    }
    free(store->kinds);
    free(store->slot_of);
    free(store->repetitions);
}
