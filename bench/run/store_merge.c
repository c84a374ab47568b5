/* store_merge.c - copying results from one store to another. */
#include "run/store_private.h"

#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct merge {
    struct store_reading reading; /* of `store`; first, the context of those who read names */
    struct store *store;
    struct store_file *from;
    size_t damaged;
};

static int take_cell(void *context, int64_t id, const char *key, struct failure *failure)
{
    struct merge *const merge = context;

    if (store_read_cell(context, id, key, failure) != 0)
        return -1;
    return store_file_add_cell(&merge->store->file, id, key, failure);
}

static int take_build(void *context, int64_t id, const char *build, struct failure *failure)
{
    struct merge *const merge = context;

    if (store_read_build(context, id, build, failure) != 0)
        return -1;
    return store_file_add_build(&merge->store->file, id, build, failure);
}

static int take_series(void *context, int64_t id, const struct series *series, struct failure *failure)
{
    struct merge *const merge = context;

    return store_file_add_series(&merge->store->file, id, series, failure);
}

static int take_layout(void *context, const struct store_layout *layout, struct failure *failure)
{
    struct merge *const merge = context;

    if (store_read_layout(context, layout, failure) != 0)
        return -1;
    return store_file_add_layout(&merge->store->file, layout, failure);
}

/* Whether the store has a block with the same key. */
static bool has_block(const struct store *store, const struct stored_block *like)
{
    for (int32_t b = store_chain_of_slot(store, like->slot, like->first / BLOCK_MAX); b != NONE;
         b = store->block[b].next) {
        const struct stored_block *const block = &store->block[b];

        if (block->first == like->first && block->count == like->count && block->layout == like->layout &&
            block->build == like->build)
            return true;
    }
    return false;
}

static int take_block(void *context, const struct block_row *row, struct failure *failure)
{
    struct merge *const merge = context;
    struct store *const store = merge->store;
    struct stored_block block;

    if (!store_recognise(store, row, &block)) {
        merge->damaged++;
        return 0;
    }
    if (has_block(store, &block))
        return 0;
    const double *numbers;
    if (store_file_numbers(merge->from, row->id, &row->key, row->n, &numbers, failure) != 0)
        return -1;
    if (!numbers) {
        merge->damaged++;
        return 0;
    }
    if (store_file_put(&store->file, &row->key, numbers, row->n, &block.id, failure) != 0)
        return -1;
    store_add_block(store, &block);
    return 0;
}

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

bool store_is_there(const char *folder)
{
    char *const path = xformat("%s/store.sqlite", folder);
    const bool there = access(path, F_OK) == 0;

    free(path);
    return there;
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

int store_absorb(struct store *store, const char *folder, struct failure *failure)
{
    struct store_file from;
    struct merge merge = {.reading.store = store, .store = store, .from = &from};
    const struct name_visitor visitor = {&merge, take_cell, take_build, take_series, take_layout};

    if (open_results(folder, store->experiment, &from, failure) != 0)
        return -1;
    store->window.cell = SIZE_MAX;
    int result = store_begin(store, true, failure);
    if (result == 0) {
        if (store_file_names(&from, &visitor, false, &merge.damaged, failure) != 0 ||
            store_file_blocks(&from, 0, take_block, &merge, failure) != 0)
            result = -1;
        result = store_end(store, result, failure);
    }
    store->notes.damaged += merge.damaged;
    store_file_close(&from);
    store->notes.others = 0;
    if (result == 0 && store->nbuilds > 1)
        store_count_others(store);
    return result;
}
