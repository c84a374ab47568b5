/* groups.h - divides users into groups without replacement, and makes a table of each group. Internal to the core. */
#ifndef LDPBENCH_GROUPS_H
#define LDPBENCH_GROUPS_H

#include "synopsis.h"

/* A deck of all users. */
struct groups {
    const struct ldp_records *records;
    uint64_t dealt;  /* users so far */
    uint32_t *user;  /* [n]: their rows, partly shuffled; NULL: too many users, drawn row by row */
    uint32_t *fresh; /* [n]: the order that every collection starts from */
    uint64_t *left;  /* [rows], without users */
    uint64_t *drawn; /* [rows] */
};

/* groups: their number. Must be cleared in every case. */
enum ldp_status ldp_groups_init(struct groups *groups, const struct ldp_records *records, double count);
void ldp_groups_clear(struct groups *groups);

/* Puts all users back into the deck. */
void ldp_groups_gather(struct groups *groups);

/* Draws `size` of the remaining users; gives the true counts of a set's cells among them. */
void ldp_groups_deal(struct groups *groups, struct ldp_rng *rng, uint64_t size, const struct ldp_set *set,
                     uint64_t *cells);

#endif
