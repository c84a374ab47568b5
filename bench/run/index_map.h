/* index_map.h - a hash table from 64-bit keys to indexes of an array. */
#ifndef LDPBENCH_INDEX_MAP_H
#define LDPBENCH_INDEX_MAP_H

#include <stddef.h>
#include <stdint.h>

enum { NONE = -1 }; /* an index that there is not */

struct index_map {
    struct index_entry *entry;
    size_t size, count;
};

/* The index of a key, where it may be changed; added as NONE where it is not there. Valid until the next call. NULL for
 * want of memory. */
int32_t *index_map_at(struct index_map *map, uint64_t key);

/* NONE where it is not there. */
int32_t index_map_find(const struct index_map *map, uint64_t key);
void index_map_clear(struct index_map *map);

#endif
