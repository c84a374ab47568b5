/* cell_keys.h - which cells of the grid datasets x oracles x epsilon are used: the key "exclude" (conditions; a cell
 * that meets one is left out). */
#ifndef LDPBENCH_CELL_KEYS_H
#define LDPBENCH_CELL_KEYS_H

#include "config/datasets.h"
#include "config/oracle_keys.h"
#include "config/sweep.h"

struct exclusion; /* an element of "exclude" */

struct exclude_list {
    struct exclusion *exclusions;
    size_t count;
    struct json_at at;
};

/* A cell by the indices of what it combines. */
struct grid_point {
    uint32_t idataset, ioracle, iepsilon;
};

/* Epsilon is fastest. */
struct cell_list {
    struct grid_point *point; /* [count] */
    size_t count;
};

/* The cells of the grid, once the datasets are built. Fails where an exclusion meets no cell, or all are excluded. */
int cells_list(const struct exclude_list *exclude, const struct dataset_list *datasets,
               const struct oracle_list *oracles, const struct sweep *epsilon, struct cell_list *out,
               struct failure *failure);

void exclude_clear(struct exclude_list *exclude);
void cells_clear(struct cell_list *cells);

/* The keys of an element of "exclude". */
extern const struct config_key exclude_keys[];

extern const struct config_type config_exclude;
#define CONFIG_EXCLUDE(struct_type, member)                                                                            \
    KEY("exclude", "cells that are left out: those that meet all conditions of one of these objects",                  \
        "[{\"oracle\": \"grr\", \"d\": {\"from\": 4096}}]", .type = &config_exclude,                                   \
        CONFIG_MEMBER(struct_type, member, struct exclude_list), .fallback = NAN)

#endif
