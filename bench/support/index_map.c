/* index_map.c - see index_map.h. Open addressing with linear probing, at most half full. */
#include "support/index_map.h"

#include "ldp.h"
#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

struct index_entry {
    uint64_t key;
    int32_t value;
    uint32_t used;
};

/* The key's entry, or the one where it would be; size > 0. */
static struct index_entry *find(struct index_entry *entry, size_t size, uint64_t key)
{
    size_t i = key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (size - 1); /* also keys that differ in few bits are spread */

    while (entry[i].used && entry[i].key != key)
        i = (i + 1) & (size - 1);
    return &entry[i];
}

static void grow(struct index_map *map)
{
    const size_t size = map->size > 0 ? 2 * map->size : 64;
    struct index_entry *const entry = xcalloc(size, sizeof *entry);

    for (size_t i = 0; i < map->size; i++)
        if (map->entry[i].used)
            *find(entry, size, map->entry[i].key) = map->entry[i];
    free(map->entry);
    map->entry = entry;
    map->size = size;
}

int32_t *index_map_at(struct index_map *map, uint64_t key)
{
    if (2 * map->count >= map->size)
        grow(map);
    struct index_entry *const entry = find(map->entry, map->size, key);
    if (!entry->used) {
        *entry = (struct index_entry){.key = key, .value = NONE, .used = 1};
        map->count++;
    }
    return &entry->value;
}

int32_t index_map_find(const struct index_map *map, uint64_t key)
{
    const struct index_entry *const entry = map->size > 0 ? find(map->entry, map->size, key) : NULL;

    return entry && entry->used ? entry->value : NONE;
}

void index_map_clear(struct index_map *map)
{
    free(map->entry);
    memset(map, 0, sizeof *map);
}

/* ---- texts ---- */

uint32_t intern(struct interned *texts, const char *text)
{
    int32_t *const index = index_map_at(&texts->known, ldp_fingerprint(text, strlen(text)).lo);

    if (*index == NONE) {
        *index = (int32_t)texts->count;
        *ARRAY_ADD(texts->text, texts->count, texts->room) = xstrdup(text);
    }
    return (uint32_t)*index;
}

void interned_clear(struct interned *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        free(texts->text[i]);
    free(texts->text);
    index_map_clear(&texts->known);
    memset(texts, 0, sizeof *texts);
}
