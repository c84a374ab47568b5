/* store_beyond.c - describes stored results that an experiment does not ask for, in terms of its config. */
#include "run/differences.h"
#include "run/store_private.h"

#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

/* A stored key without version and seed. */
static const char *cell_part(const char *key)
{
    const char *bar = strchr(key, '|');

    bar = bar ? strchr(bar + 1, '|') : NULL;
    return bar ? bar + 1 : key;
}

/* ---- cells ---- */

/* Notes the cells of both sides. Returns the label of the first data file that has no results, or NULL. */
static const char *add_cells(const struct store *store, struct differences *differences)
{
    const struct experiment *const experiment = store->experiment;
    const char *data = NULL;

    for (size_t i = store->nasked; i < store->nslots; i++)
        if (store->slot[i].filled)
            differences_add_cell(differences, cell_part(store->slot[i].key), STORED);
    for (size_t cell = 0; cell < store->ncells; cell++) {
        const bool filled = store->slot[store->slot_of[cell]].filled;
        char *const key = experiment->task->cell_key(experiment->setup, cell);

        differences_add_cell(differences, key, ASKED);
        if (filled)
            differences_add_cell(differences, key, STORED);
        else if (!data && strstr(key, "|file="))
            data = cell_label(experiment->setup, cell, PART_DATASET);
        free(key);
    }
    return data;
}

/* ---- series ---- */

static void add_series(struct differences *differences, const struct series *series, enum difference_side side)
{
    if (*series->method)
        differences_add(differences, "method", series->method, side);
    if (*series->query)
        differences_add(differences, "query", series->query, side);
    /* A point of no query is not in the config: it belongs to the measure. */
    if (*series->query && *series->point)
        differences_add(differences, series->query, series->point, side);
    differences_add(differences, "measure", series->measure, side);
}

struct used_series {
    const struct store *store;
    bool *layout; /* whether a cell of the experiment has blocks of it */
    struct differences *differences;
};

/* Notes a series of the file where it is used. */
static int read_series(void *context, int64_t id, const struct series *series, struct failure *failure)
{
    const struct used_series *const used = context;

    for (size_t i = 0; i < used->store->nlayouts; i++)
        for (size_t j = 0; used->layout[i] && j < used->store->layout[i].nseries; j++)
            if (used->store->layout[i].series[j] == id) {
                add_series(used->differences, series, STORED);
                return 0;
            }
    return 0;
}

/* Whether all series of a layout are asked for by the experiment. */
static bool is_asked(const struct store *store, size_t layout)
{
    for (const struct kind *kind = store->all_kinds; kind; kind = kind->next)
        if (kind->layout == layout)
            return true;
    return store->layout[layout].sums;
}

/* Notes the series of both sides, where there is one that is not asked for. */
static int add_all_series(struct store *store, struct differences *differences, struct failure *failure)
{
    struct used_series used = {store, xcalloc(store->nlayouts, sizeof(bool)), differences};
    const struct name_visitor visitor = {.context = &used, .series = read_series};
    bool other = false;

    for (size_t i = 0; i < store->nblocks; i++)
        if (store->block[i].slot < store->nasked && !is_asked(store, store->block[i].layout))
            used.layout[store->block[i].layout] = other = true;
    for (const struct kind *kind = store->all_kinds; other && kind; kind = kind->next)
        for (size_t i = 0; i < kind->nseries; i++)
            add_series(differences, &kind->of->series[i], ASKED);
    size_t damaged;
    const int result = other ? store_file_names(&store->file, &visitor, false, &damaged, failure) : 0;
    free(used.layout);
    return result;
}

/* ---- repetitions ---- */

static uint32_t most_repetitions(const struct store *store)
{
    uint32_t most = 0;

    for (size_t i = 0; i < store->nblocks; i++) {
        const struct stored_block *const block = &store->block[i];

        if (block->slot < store->nasked && !store->layout[block->layout].sums && block->first + block->count > most)
            most = block->first + block->count;
    }
    return most;
}

int store_differences(struct store *store, bool refused, char **text, struct failure *failure)
{
    const uint32_t most = most_repetitions(store), asked = store->experiment->repetitions;

    *text = NULL;
    bool others = false;
    for (size_t i = store->nasked; i < store->nslots && !others; i++)
        others = store->slot[i].filled;
    struct differences differences = {0};
    const char *const data = others ? add_cells(store, &differences) : NULL;
    const int result = add_all_series(store, &differences, failure);
    if (result == 0) {
        char *const changed = xformat("the data of %s have changed", data ? data : "a file");
        char *const found = differences_text(&differences, refused, changed);

        if (most > asked)
            *text = xformat("%s%srepetitions: the folder holds %lu, the config asks for %lu", found, *found ? ", " : "",
                            (unsigned long)most, (unsigned long)asked);
        else
            *text = xstrdup(*found || !others ? found : "some combinations are no longer asked for");
        free(found);
        free(changed);
    }
    differences_clear(&differences);
    return result;
}
