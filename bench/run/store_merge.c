/* store_merge.c - copying results from one store to another. */
#include "run/store_private.h"

#include "support/memory.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
