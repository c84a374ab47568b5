/* store_complete.c - what a store records of a completed run. */
#include "run/store_private.h"

#include <stdlib.h>

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

static int record_complete(struct store *store, struct failure *failure)
{
    struct complete_run run = {.build = store->build[0].id, .count = store->ncells};

    run.cell = malloc((store->ncells + 1) * sizeof *run.cell);
    if (!run.cell)
        return fail_memory(failure);
    for (size_t i = 0; i < store->ncells; i++)
        run.cell[i] = (struct complete_cell){.cell = store->slot[store->slot_of[i]].id,
                                             .layout = store->layout[store->kinds[i]->layout].id,
                                             .repetitions = store_repetitions(store, i)};
    const int result = store_file_set_complete(&store->file, &run, failure);
    free(run.cell);
    return result;
}

int store_complete(struct store *store, struct failure *failure)
{
    if (store_begin(store, true, failure) != 0)
        return -1;
    int result = record_complete(store, failure);
    if (result == 0 && !store->keep)
        result = remove_others(store, failure);
    store->pending = false;
    return store_end(store, result, failure);
}
