/* store_extra.c - what a store holds that an experiment does not ask for, by how its config differs from the one that
 * run.json has. */
#include "run/provenance.h"
#include "run/store_private.h"

#include "support/memory.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

/* Adds "epsilon was [0.5,1] and is [1]" for all that differs; of objects, and lists of as many of them, part by part.
 */
static void add_changes(struct buffer *out, const char *path, const cJSON *before, const cJSON *now)
{
    const bool objects = cJSON_IsObject(before) && cJSON_IsObject(now);
    const bool lists = cJSON_IsArray(before) && cJSON_IsArray(now) &&
                       cJSON_GetArraySize(before) == cJSON_GetArraySize(now) && cJSON_IsObject(before->child) &&
                       cJSON_IsObject(now->child);
    const cJSON *item;
    int i = 0;

    if (before && now && cJSON_Compare(before, now, true))
        return;
    if (!objects && !lists) {
        char *const x = cJSON_PrintUnformatted(before), *const y = cJSON_PrintUnformatted(now);

        buffer_format(out, "%s%s was %s and is %s", out->length > 0 ? ", " : "", path, SHOWN(x ? x : "not given"),
                      SHOWN(y ? y : "not given"));
        cJSON_free(x);
        cJSON_free(y);
        return;
    }
    for (int side = 0; side < (objects ? 2 : 1); side++) {
        const cJSON *const of = side == 0 ? before : now;

        cJSON_ArrayForEach(item, of)
        {
            char *const part =
                objects ? xformat("%s%s%s", path, *path ? "." : "", item->string) : xformat("%s[%d]", path, i);
            const cJSON *const was = objects ? cJSON_GetObjectItemCaseSensitive(before, item->string) : item;

            if (side == 0 || !was)
                add_changes(out, part, was,
                            objects ? cJSON_GetObjectItemCaseSensitive(now, item->string) : cJSON_GetArrayItem(now, i));
            i++;
            free(part);
        }
    }
}

/* How the config differs from that of the folder's run.json. */
static char *config_changes(const struct store *store, const char *folder)
{
    static const char *const aside[] = {"$schema", "description", "pictures", "repetitions", "compress", "spreadsheet"};
    struct provenance *made = NULL;
    struct failure ignored = NO_REASON;
    struct buffer out = {0};

    provenance_load(folder, &made, &ignored);
    const char *const text = made ? provenance_text(made, "config") : NULL;
    cJSON *const before = text ? cJSON_Parse(text) : NULL, *const now = cJSON_Parse(store->experiment->config_text);
    for (size_t i = 0; before && i < sizeof aside / sizeof *aside; i++) {
        cJSON_DeleteItemFromObjectCaseSensitive(before, aside[i]);
        cJSON_DeleteItemFromObjectCaseSensitive(now, aside[i]);
    }
    if (before)
        add_changes(&out, "", before, now);
    if (before && out.length == 0)
        buffer_add(&out, "a file that it names has changed");
    cJSON_Delete(before);
    cJSON_Delete(now);
    provenance_free(made);
    return buffer_take(&out);
}

/* Whether the experiment asks for the sums or all series of a layout. */
static bool is_asked(const struct store *store, size_t layout)
{
    for (const struct kind *kind = store->all_kinds; kind; kind = kind->next)
        if (kind->layout == layout)
            return true;
    return store->layout[layout].sums;
}

char *store_extra(const struct store *store, const char *folder)
{
    const uint32_t asked = store->experiment->repetitions;
    uint32_t most = 0;
    bool others = false;

    for (size_t i = store->nasked; i < store->nslots; i++)
        others |= store->slot[i].filled;
    for (size_t i = 0; i < store->nblocks; i++) {
        const struct stored_block *const block = &store->block[i];

        if (block->slot >= store->nasked)
            continue;
        others |= !is_asked(store, block->layout);
        if (!store->layout[block->layout].sums && block->first + block->count > most)
            most = block->first + block->count;
    }
    char *const changes = others ? config_changes(store, folder) : xstrdup("");
    if (most <= asked)
        return changes;
    char *const text = xformat("%s%srepetitions: the folder holds %lu, the config asks for %lu", changes,
                               *changes ? ", " : "", (unsigned long)most, (unsigned long)asked);
    free(changes);
    return text;
}
