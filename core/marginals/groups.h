/* groups.h - users dealt into groups without replacement, a table of each group. Internal to the core. */
#ifndef LDPBENCH_GROUPS_H
#define LDPBENCH_GROUPS_H

#include "synopsis.h"

/* A deck of all users. */
struct groups {
    const struct ldp_records *records;
    uint64_t dealt;  /* users so far */
    uint32_t *user;  /* [n]: their rows, a part of which is shuffled; NULL: too many users, who are drawn row by row */
    uint32_t *fresh; /* [n]: the order that every collection starts from */
    uint64_t *left;  /* [rows], without users */
    uint64_t *drawn; /* [rows] */
};

/* groups: how many there will be. To be cleared in any case. */
enum ldp_status ldp_groups_init(struct groups *groups, const struct ldp_records *records, double count);
void ldp_groups_clear(struct groups *groups);

/* Gathers all users in the deck. */
void ldp_groups_gather(struct groups *groups);

/* Deals `size` of the users that are left: true counts of a set's cells among them. */
void ldp_groups_deal(struct groups *groups, struct ldp_rng *rng, uint64_t size, const struct ldp_set *set,
                     uint64_t *cells);

#endif
