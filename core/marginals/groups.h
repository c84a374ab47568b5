/* groups.h - divides users into groups without replacement, and makes a table of each group. Internal to the core. */
#ifndef LDPBENCH_GROUPS_H
#define LDPBENCH_GROUPS_H

#include "marginals/synopsis.h"
#include "numerics/pool.h"

/* A deck of all users. */
struct groups {
    struct ldp_records records; /* the rows of most users first: draws are fastest where neighbours are alike */
    uint64_t n;                 /* users who are left */
    uint64_t *left;             /* [rows]: those of each row */
    uint64_t *part;             /* [levels][rows]: the users of some of the groups */
    uint64_t *until;            /* [rows]: scratch */
    unsigned bits;              /* at most 2^bits users' rows are joined into */
    uint64_t *cell;             /* [2^bits] */
    uint64_t *joined;           /* [2 * 2^bits]: joined rows of all levels */
    size_t *group, *first;      /* [count]: the order in which groups are dealt, the first cell of each */
    uint64_t *mask;             /* [count]: the attributes of each */
    uint32_t *user;             /* [n]: scratch of a shuffle; NULL: draws from rows are cheaper */
};

/* count: the most groups that are dealt at once. */
enum ldp_status ldp_groups_init(struct groups *groups, struct ldp_pool *pool, const struct ldp_records *records,
                                size_t count);

/* Puts all users back into the deck. */
void ldp_groups_gather(struct groups *groups);

/* Draws m groups of size[i] from the users who are left; gives the true counts of each one's cells of set[i], one table
 * after another. */
void ldp_groups_deal(struct groups *groups, struct ldp_rng *rng, size_t m, const uint64_t *size,
                     const struct ldp_set *set, uint64_t *cells);

#endif
