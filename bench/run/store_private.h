/* store_private.h - shared by the files of the store: the memory of what the file holds. */
#ifndef LDPBENCH_STORE_PRIVATE_H
#define LDPBENCH_STORE_PRIVATE_H

#include "run/store.h"
#include "run/store_file.h"
#include "support/index_map.h"

enum { BLOCK_MAX = 64 }; /* repetitions of a block */

/* A block in the file. Those of a cell that begin in the same stretch of BLOCK_MAX repetitions are chained, the newest
 * first. */
struct stored_block {
    int64_t id;
    uint32_t slot, layout, build, first, count; /* count 0: it is gone */
    int32_t next;
};

/* A cell, of the experiment (the first `nasked`) or one that only the file knows. */
struct slot {
    int64_t id;
    bool named;  /* in the file */
    char *key;   /* of one that the experiment does not have */
    bool filled; /* has blocks */
};

/* Layout as the store sees it. Equal series are stored once. A block serves cells of a kind if its layout has all of
 * the kind's series. */
struct kind {
    const struct layout *of; /* NULL: known from the file alone */
    size_t nseries, ndistinct, nsums;
    size_t *distinct;       /* [nseries]: the distinct series of the task's series */
    size_t *source;         /* [ndistinct]: a series of the task that is measured there */
    int64_t *id;            /* [ndistinct] */
    struct index_map by_id; /* the index of a distinct series */
    uint32_t layout;        /* of all distinct series, in that order */
    uint32_t *sums_layout;  /* [nsums] */
    struct kind *next;      /* of all_kinds */
};

/* The indices of a layout's series among the distinct ones of a kind. */
struct series_index {
    const struct kind *kind;
    uint32_t layout;
    size_t nknown;
    int32_t *of; /* [series of the layout]; NONE for one that the kind does not have */
    bool serves; /* the layout has all of the kind's series */
};

struct put {
    struct unit unit;
    double *measured, *sums;
    uint32_t done;
};

struct store {
    const struct experiment *experiment;
    struct store_file file;
    bool opened, keep;
    bool pending; /* a transaction is open, to be committed with what follows */
    uint32_t shard, shards;
    size_t ncells, nasked, nslots, slots_room;
    struct slot *slot;
    uint32_t *slot_of;      /* [ncells] */
    struct kind **kinds;    /* [ncells]; cells of a kind share one */
    struct kind *all_kinds; /* a list */
    uint32_t *repetitions;  /* [ncells]; NULL: the experiment's */
    struct index_map slots; /* by id */
    struct store_layout *layout;
    size_t nlayouts, layouts_room;
    struct index_map layouts; /* by id */
    struct stored_build {
        int64_t id;
        char *text;
    } * build; /* the program's own first; where several have the same numbers, the first counts */
    size_t nbuilds, builds_room;
    struct stored_block *block;
    size_t nblocks, blocks_room;
    struct index_map chains; /* by slot and stretch */
    int64_t last;            /* the greatest id of a block that was read */
    int64_t version;         /* of the file, as SQLite counts it */
    char *generation;        /* changes when blocks are removed */
    struct store_notes notes;
    char *extra; /* notes.extra */
    struct put *puts;
    size_t nputs, puts_room;
    struct series_index series; /* found last */
    bool held;                  /* reading uses few transactions, which is much faster */
    bool reading;
    double read_since;
    struct window {              /* what was read last */
        size_t cell, first, end; /* distinct series */
        double *value;           /* [end - first][repetitions] */
        size_t room;
    } window;
};

/* Begins and ends a transaction; reads what other processes have written since. */
int store_begin(struct store *store, bool to_write, struct failure *failure);
int store_end(struct store *store, int result, struct failure *failure);

/* Writes a new generation number to the file, so that all processes read its blocks again. */
int store_renew_generation(struct store *store, struct failure *failure);

/* Adds a block to the memory. */
void store_add_block(struct store *store, const struct stored_block *block);

void store_add_build(struct store *store, int64_t id, const char *text);

/* A kind of cells with those series, freed with the store. It has no layouts yet. */
struct kind *store_new_kind(struct store *store, const int64_t *series, size_t nseries);

/* The newest block of a cell that begins in repetitions BLOCK_MAX * stretch .. BLOCK_MAX * (stretch + 1) - 1. */
int32_t store_chain(const struct store *store, size_t cell, uint32_t stretch);

struct block_key store_block_key(const struct store *store, const struct stored_block *block);

/* Describes results that the experiment does not ask for: malloc'd, "" if there are none or nothing is known of them.
 */
char *store_extra(const struct store *store, const char *folder);

/* Counts notes.others. */
void store_count_others(struct store *store);

/* Valid until the next call. */
const struct series_index *store_series_index(struct store *store, uint32_t layout, const struct kind *kind);

/* Reads names, those of cells if asked for; blocks that were added since the last time. With remove, what is damaged is
 * removed and counted in the notes. */
int store_read_names(struct store *store, bool cells, bool remove, struct failure *failure);
int store_read_blocks(struct store *store, bool remove, struct failure *failure);

#endif
