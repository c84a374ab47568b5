/* store_complete.c - the end of a run. */
#include "run/store_private.h"

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
