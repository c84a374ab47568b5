/* index_map.h - a hash table from 64-bit keys to indexes of an array, and one of texts. */
#ifndef LDPBENCH_INDEX_MAP_H
#define LDPBENCH_INDEX_MAP_H

#include <stddef.h>
#include <stdint.h>

enum { NONE = -1 }; /* no index */

struct index_map {
    struct index_entry *entry;
    size_t size, count;
};

/* A pointer to the index of a key; the key is added with the index NONE if it is new. Valid until the next call. */
int32_t *index_map_at(struct index_map *map, uint64_t key);

/* NONE if the key is unknown. */
int32_t index_map_find(const struct index_map *map, uint64_t key);
void index_map_clear(struct index_map *map);

/* Distinct texts, numbered in order of appearance; texts of one fingerprint are one. Starts from all zero. */
struct interned {
    char **text;
    size_t count, room;
    struct index_map known;
};

/* The number of a text; a new text is copied. */
uint32_t intern(struct interned *texts, const char *text);
void interned_clear(struct interned *texts);

#endif
