/* store.c - see store.h: opening, the memory of what the file holds, what an experiment asks of it, copying from
 * another. This file is over 500 lines: all of it works on that memory. */
#include "run/store_private.h"

#include "support/memory.h"
#include "support/text.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint32_t store_repetitions(const struct store *store, size_t cell)
{
    return store->repetitions ? store->repetitions[cell] : store->experiment->repetitions;
}

size_t store_all_repetitions(const struct store *store)
{
    size_t all = 0;

    for (size_t cell = 0; cell < store->ncells; cell++)
        all += store_repetitions(store, cell);
    return all;
}

/* ---- what the file holds ---- */

static uint64_t chain_key(uint32_t slot, uint32_t stretch)
{
    return (uint64_t)slot << 32 | stretch;
}

void store_add_block(struct store *store, const struct stored_block *block)
{
    int32_t *const head = index_map_at(&store->chains, chain_key(block->slot, block->first / BLOCK_MAX));
    struct stored_block *const added = ARRAY_ADD(store->block, store->nblocks, store->blocks_room);

    *added = *block;
    added->next = *head;
    *head = (int32_t)store->nblocks - 1;
    store->slot[block->slot].filled = true;
    if (block->id > store->last)
        store->last = block->id;
}

int32_t store_chain(const struct store *store, size_t cell, uint32_t stretch)
{
    return index_map_find(&store->chains, chain_key(store->slot_of[cell], stretch));
}

struct block_key store_block_key(const struct store *store, const struct stored_block *block)
{
    return (struct block_key){.cell = store->slot[block->slot].id,
                              .layout = store->layout[block->layout].id,
                              .build = store->build[block->build].id,
                              .first = block->first,
                              .count = block->count};
}

static int32_t find_build(const struct store *store, int64_t id)
{
    for (size_t i = 0; i < store->nbuilds; i++)
        if (store->build[i].id == id)
            return (int32_t)i;
    return NONE;
}

/* The index of a layout, added where it is not there. */
static uint32_t store_add_layout(struct store *store, const struct store_layout *layout)
{
    int32_t *const index = index_map_at(&store->layouts, (uint64_t)layout->id);

    if (*index == NONE) {
        struct store_layout *const copy = ARRAY_ADD(store->layout, store->nlayouts, store->layouts_room);

        *copy = *layout;
        copy->series = xmalloc(layout->nseries, sizeof *copy->series);
        if (layout->nseries > 0)
            memcpy(copy->series, layout->series, layout->nseries * sizeof *copy->series);
        *index = (int32_t)store->nlayouts - 1;
    }
    return (uint32_t)*index;
}

void store_add_build(struct store *store, int64_t id, const char *text)
{
    if (find_build(store, id) == NONE)
        *ARRAY_ADD(store->build, store->nbuilds, store->builds_room) = (struct stored_build){id, xstrdup(text)};
}

/* The slot of a cell, made where there is none. */
static uint32_t store_add_slot(struct store *store, int64_t id)
{
    int32_t *const index = index_map_at(&store->slots, (uint64_t)id);

    if (*index == NONE) {
        *ARRAY_ADD(store->slot, store->nslots, store->slots_room) = (struct slot){.id = id};
        *index = (int32_t)store->nslots - 1;
    }
    return (uint32_t)*index;
}

const struct series_index *store_series_index(struct store *store, uint32_t index, const struct kind *kind)
{
    const struct store_layout *const layout = &store->layout[index];
    struct series_index *const series = &store->series;

    if (series->kind == kind && series->layout == index)
        return series;
    *series = (struct series_index){
        .kind = kind, .layout = index, .of = xrealloc(series->of, layout->nseries + 1, sizeof *series->of)};
    for (size_t i = 0; i < layout->nseries; i++) {
        series->of[i] = layout->sums ? NONE : index_map_find(&kind->by_id, (uint64_t)layout->series[i]);
        series->nknown += series->of[i] != NONE;
    }
    series->serves = !layout->sums && series->nknown == kind->ndistinct;
    return series;
}

/* ---- what an experiment asks for: cells and series by the fingerprints of their texts ---- */

/* The name of a cell in the store: its key with everything else that decides its numbers. */
static char *stored_cell_key(const struct experiment *experiment, size_t cell)
{
    char *const key = experiment->task->cell_key(experiment->setup, cell);
    char *const full =
        xformat("version=%d|seed=%llu|%s", LDP_ALGORITHM_VERSION, (unsigned long long)experiment->seed, key);

    free(key);
    return full;
}

/* The experiment's cells get their slots. */
static void store_ask_cells(struct store *store)
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
                          .distinct = xcalloc(nseries, sizeof *kind->distinct),
                          .source = xcalloc(nseries, sizeof *kind->source),
                          .id = xcalloc(nseries, sizeof *kind->id)};
    for (size_t i = 0; i < nseries; i++) {
        int32_t *const at = index_map_at(&kind->by_id, (uint64_t)series[i]);

        if (*at == NONE) {
            kind->source[kind->ndistinct] = i;
            kind->id[kind->ndistinct] = series[i];
            *at = (int32_t)kind->ndistinct++;
        }
        kind->distinct[i] = (size_t)*at;
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

/* The experiment's series and cells get their names in the file. */
static int store_ask_names(struct store *store, struct failure *failure)
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

/* Frees what was asked for. */
static void store_ask_clear(struct store *store)
{
    for (struct kind *kind = store->all_kinds, *next; kind; kind = next) {
        next = kind->next;
        free(kind->distinct);
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

/* ---- reading the file ---- */

struct store_reading {
    struct store *store;
    int64_t *remove; /* damaged blocks */
    size_t nremove, room;
};

static int read_cell(void *context, int64_t id, const char *key, struct failure *failure)
{
    struct store *const store = ((struct store_reading *)context)->store;
    const size_t index = store_add_slot(store, id);
    struct slot *const slot = &store->slot[index];

    slot->named = true;
    if (index >= store->nasked && !slot->key)
        slot->key = xstrdup(key);
    return 0;
}

static int read_build(void *context, int64_t id, const char *build, struct failure *failure)
{
    store_add_build(((struct store_reading *)context)->store, id, build);
    return 0;
}

static int read_layout(void *context, const struct store_layout *layout, struct failure *failure)
{
    store_add_layout(((struct store_reading *)context)->store, layout);
    return 0;
}

/* Numbers from the file must not be used as an index without a check. */
static bool is_sensible(const struct store_layout *layout, const struct block_row *row)
{
    if (row->key.count < 1 || row->key.count > (layout->sums ? STORE_BLOCK : BLOCK_MAX) ||
        row->key.first > UINT32_MAX - BLOCK_MAX)
        return false;
    return layout->sums || row->n == layout->nseries * row->key.count;
}

static int read_block(void *context, const struct block_row *row, struct failure *failure)
{
    struct store_reading *const reading = context;
    struct store *const store = reading->store;
    const int32_t slot = index_map_find(&store->slots, (uint64_t)row->key.cell);
    const int32_t layout = index_map_find(&store->layouts, (uint64_t)row->key.layout);
    const int32_t build = find_build(store, row->key.build);

    if (!row->sound || slot == NONE || !store->slot[slot].named || layout == NONE || build == NONE ||
        !is_sensible(&store->layout[layout], row))
        *ARRAY_ADD(reading->remove, reading->nremove, reading->room) = row->id;
    else
        store_add_block(store, &(struct stored_block){.id = row->id,
                                                      .slot = (uint32_t)slot,
                                                      .layout = (uint32_t)layout,
                                                      .build = (uint32_t)build,
                                                      .first = row->key.first,
                                                      .count = row->key.count});
    return 0;
}

int store_read_names(struct store *store, bool cells, bool remove, struct failure *failure)
{
    struct store_reading reading = {.store = store};
    const struct name_visitor visitor = {&reading, cells ? read_cell : NULL, read_build, NULL, read_layout};
    size_t damaged;
    const int result = store_file_names(&store->file, &visitor, remove, &damaged, failure);

    store->notes.damaged += remove ? damaged : 0;
    return result;
}

int store_read_blocks(struct store *store, bool remove, struct failure *failure)
{
    struct store_reading reading = {.store = store};
    int result = store_file_blocks(&store->file, store->last, read_block, &reading, failure);

    for (size_t i = 0; remove && result == 0 && i < reading.nremove; i++)
        result = store_file_remove(&store->file, reading.remove[i], failure);
    store->notes.damaged += remove ? reading.nremove : 0;
    free(reading.remove);
    return result;
}

/* Reads what was added since the last time, or everything if something was removed. Cells added by others are not the
 * experiment's. */
static int catch_up(struct store *store, struct failure *failure)
{
    char *generation;

    if (store_file_get(&store->file, "generation", &generation, failure) != 0)
        return -1;
    if (strcmp(generation ? generation : "", store->generation ? store->generation : "") != 0) {
        index_map_clear(&store->chains);
        store->nblocks = 0;
        store->last = 0;
    }
    free(store->generation);
    store->generation = generation;
    store->window.cell = SIZE_MAX;
    return store_read_names(store, false, false, failure) == 0 ? store_read_blocks(store, false, failure) : -1;
}

int store_begin(struct store *store, bool to_write, struct failure *failure)
{
    if (store->pending)
        return 0;
    const char *const begin = to_write ? "BEGIN IMMEDIATE" : "BEGIN";
    if (store_file_sql(&store->file, begin, failure) != 0)
        return -1;
    if (!store_file_changed(&store->file, &store->version) ||
        ((!store->file.young || store_file_sync(&store->file, begin, failure) == 0) && catch_up(store, failure) == 0))
        return 0;
    return store_end(store, -1, failure);
}

int store_end(struct store *store, int result, struct failure *failure)
{
    if (result == 0 && store->pending)
        return 0;
    store->pending = false;
    if (result == 0)
        result = store_file_commit(&store->file, failure);
    if (result != 0)
        sqlite3_exec(store->file.db, "ROLLBACK", NULL, NULL, NULL);
    return result;
}

/* ---- opening ---- */

/* The first cell of slots first .. last - 1 that has results. */
static const struct slot *find_filled(const struct store *store, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        if (store->slot[i].filled)
            return &store->slot[i];
    return NULL;
}

static int refuse(const char *folder, const char *what, struct failure *failure)
{
    return fail(failure, EXIT_BAD_INPUT, "%s: %s; use another folder (-o) or --fresh to discard them", folder, what);
}

/* Explains why no stored result belongs to the experiment; `other` is a stored cell. */
static int refuse_all(struct store *store, const char *folder, const struct slot *other, struct failure *failure)
{
    unsigned long long seed;
    long version;

    if (sscanf(other->key, "version=%ld|seed=%llu|", &version, &seed) != 2)
        return refuse(folder, "holds results of another program", failure);
    char *const text = store_extra(store, folder), *what;
    if (version != LDP_ALGORITHM_VERSION)
        what = xformat("holds results of algorithm version %ld, this program's is %d", version, LDP_ALGORITHM_VERSION);
    else if (seed != store->experiment->seed)
        what = xformat("holds results of another seed: the folder has %llu, the config asks for %llu", seed,
                       (unsigned long long)store->experiment->seed);
    else
        what = xformat("holds no cell of this config%s%s", *text ? ": " : "", text);
    refuse(folder, what, failure);
    free(what);
    free(text);
    return -1;
}

/* Whether the store belongs to the experiment. Results that the experiment does not ask for stay. */
static int check_experiment(struct store *store, const char *folder, struct failure *failure)
{
    const struct slot *const other = find_filled(store, store->nasked, store->nslots);
    char *name = NULL;

    if (store_file_get(&store->file, "experiment", &name, failure) != 0)
        return -1;
    if (name && strcmp(name, store->experiment->name) != 0) {
        char *const what = xformat("holds results of experiment \"%s\"", name);
        refuse(folder, what, failure);
        free(what);
        free(name);
        return -1;
    }
    free(name);
    if (other && !find_filled(store, 0, store->nasked))
        return refuse_all(store, folder, other, failure);
    store->extra = store_extra(store, folder);
    return 0;
}

int store_renew_generation(struct store *store, struct failure *failure)
{
    char text[24];

    snprintf(text, sizeof text, "%lld", (store->generation ? atoll(store->generation) : 0) + 1);
    free(store->generation);
    store->generation = xstrdup(text);
    return store_file_set(&store->file, "generation", text, failure);
}

static int empty(struct store *store, struct failure *failure)
{
    return store_file_sql(&store->file,
                          "DELETE FROM block; DELETE FROM cell; DELETE FROM series; DELETE FROM layout;"
                          "DELETE FROM build; DELETE FROM tables; DELETE FROM about WHERE name <> 'generation'",
                          failure) == 0
               ? store_renew_generation(store, failure)
               : -1;
}

static int read_file(struct store *store, struct failure *failure)
{
    if (store_read_names(store, true, true, failure) != 0 || store_ask_names(store, failure) != 0 ||
        store_read_blocks(store, true, failure) != 0 ||
        (store->notes.damaged > 0 && store_renew_generation(store, failure) != 0))
        return -1;
    if (store->nbuilds > 1)
        store_count_others(store);
    return 0;
}

/* Everything that opening reads and writes is one transaction. */
static int open_file(struct store *store, const char *folder, const struct store_options *options,
                     struct failure *failure)
{
    const char *const build = options->build ? options->build : LDPBENCH_BUILD;
    const char *const experiment = store->experiment->name;
    char *const path = xformat("%s/store.sqlite", folder);
    int result = store_file_open(path, options->fresh ? STORE_RENEW : STORE_WRITE, &store->file, failure);

    free(path);
    if (result != 0)
        return -1;
    store->opened = true;
    store_add_build(store, text_id(build), build);
    if (result == 0)
        result = store_file_get(&store->file, "generation", &store->generation, failure);
    if (result == 0 && options->fresh)
        result = empty(store, failure);
    if (result == 0 && (read_file(store, failure) != 0 || check_experiment(store, folder, failure) != 0 ||
                        store_file_add_build(&store->file, text_id(build), build, failure) != 0 ||
                        store_file_set(&store->file, "experiment", experiment, failure) != 0))
        result = -1;
    store->notes.extra = store->extra ? store->extra : "";
    store_file_changed(&store->file, &store->version);
    result = store_end(store, result, failure);
    store->file.young = !store->file.old;
    store->file.written = sqlite3_total_changes(store->file.db);
    return result;
}

int store_open(const char *folder, const struct experiment *experiment, const struct store_options *options,
               struct store **out, struct failure *failure)
{
    static const struct store_options none;
    struct store *const store = xcalloc(1, sizeof *store);

    store->experiment = experiment;
    store->keep = options && options->keep;
    store->shard = options ? options->shard : 0;
    store->shards = options ? options->shards : 0;
    store->window.cell = SIZE_MAX;
    store_ask_cells(store);
    if (open_file(store, folder, options ? options : &none, failure) == 0) {
        *out = store;
        return 0;
    }
    store_close(store);
    return -1;
}

/* ---- the end ---- */

/* Removes the results of other builds for the experiment's cells. */
static int remove_others(struct store *store, struct failure *failure)
{
    bool removed = false;

    for (size_t i = 0; i < store->nblocks; i++) {
        struct stored_block *const block = &store->block[i];

        if (block->build == 0 || block->slot >= store->nasked || block->count == 0)
            continue;
        if (store_file_remove(&store->file, block->id, failure) != 0)
            return -1;
        block->count = 0;
        removed = true;
    }
    return removed ? store_renew_generation(store, failure) : 0;
}

int store_complete(struct store *store, struct failure *failure)
{
    if (store_begin(store, true, failure) != 0)
        return -1;
    const int result = store->keep ? 0 : remove_others(store, failure);

    store->pending = false;
    return store_end(store, result, failure);
}

struct store_file *store_file(struct store *store)
{
    return &store->file;
}

const struct store_notes *store_notes(const struct store *store)
{
    return &store->notes;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    struct failure ignored = NO_REASON; /* the failure that kept the transaction open is reported */

    if (store->pending)
        store_commit(store, &ignored);
    if (store->opened)
        store_file_close(&store->file);
    for (size_t i = 0; i < store->nputs; i++) {
        free(store->puts[i].measured);
        free(store->puts[i].sums);
    }
    for (size_t i = 0; i < store->nlayouts; i++)
        free(store->layout[i].series);
    for (size_t i = store->nasked; i < store->nslots; i++)
        free(store->slot[i].key);
    store_ask_clear(store);
    index_map_clear(&store->slots);
    index_map_clear(&store->layouts);
    index_map_clear(&store->chains);
    free(store->puts);
    free(store->layout);
    free(store->slot);
    for (size_t i = 0; i < store->nbuilds; i++)
        free(store->build[i].text);
    free(store->build);
    free(store->block);
    free(store->generation);
    free(store->extra);
    free(store->series.of);
    free(store->window.value);
    free(store);
}

/* ---- copying results from another store ---- */

/* Opens the store of a folder if it has results of that experiment. */
static int open_results(const char *folder, const struct experiment *experiment, struct store_file *from,
                        struct failure *failure)
{
    char *const path = xformat("%s/store.sqlite", folder);
    int result = store_file_open(path, STORE_READ, from, failure);

    free(path);
    if (result != 0)
        return -1;
    char *name = NULL;
    result = store_file_get(from, "experiment", &name, failure);
    if (result == 0 && (!name || strcmp(name, experiment->name) != 0))
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected results of experiment \"%s\", got those of \"%s\"",
                      SHOWN_PATH(folder), experiment->name, name ? name : "none");
    free(name);
    if (result != 0)
        store_file_close(from);
    return result;
}

int store_check_results(const char *folder, const struct experiment *experiment, struct failure *failure)
{
    struct store_file from;

    if (open_results(folder, experiment, &from, failure) != 0)
        return -1;
    store_file_close(&from);
    return 0;
}

void store_discard(const char *folder)
{
    static const char *const endings[] = {"", "-journal"};

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char *const path = xformat("%s/store.sqlite%s", folder, endings[i]);

        unlink(path);
        free(path);
    }
}

/* What is damaged in the other store is copied, found by reading it here, and removed. */
static int absorb(struct store *store, const char *path, struct failure *failure)
{
    if (store_file_copy(&store->file, path, failure) != 0 || store_read_names(store, true, true, failure) != 0 ||
        store_read_blocks(store, true, failure) != 0)
        return -1;
    store->notes.others = 0;
    if (store->nbuilds > 1)
        store_count_others(store);
    return 0;
}

int store_absorb(struct store *store, const char *folder, struct failure *failure)
{
    if (store_check_results(folder, store->experiment, failure) != 0)
        return -1;
    char *const path = xformat("%s/store.sqlite", folder);
    int result = store_begin(store, true, failure);
    store->window.cell = SIZE_MAX;
    if (result == 0)
        result = store_end(store, absorb(store, path, failure), failure);
    store_file_detach(&store->file);
    free(path);
    return result;
}
