/* contrasts.h - a table as its total and its interactions, the positions of these among those of all subsets of some
 * sets of attributes, and the interactions that the answers to a question show. Internal to the core.
 *
 * Along each axis of c values the transform replaces x_0 .. x_{c-1} by their sum and c-1 orthonormal contrasts
 * (Helmert's). The coefficient at (j_1, .., j_l) belongs to the attributes with j != 0, and is the same in every table
 * that has these attributes: summing over another attribute does not change it. So tables agree if their common
 * coefficients agree. */
#ifndef LDPBENCH_CONTRASTS_H
#define LDPBENCH_CONTRASTS_H

#include "marginals/synopsis.h"
#include "numerics/pool.h"

/* In place; cost: cells times attributes. */
void ldp_contrasts_forward(const struct ldp_set *set, const uint32_t *cardinality, double *x);
void ldp_contrasts_inverse(const struct ldp_set *set, const uint32_t *cardinality, double *x);

/* ---- All subsets of some sets: the closure ---- */

/* A block holds the coefficients of one subset: prod (cardinality - 1) of them, 1 of the empty set. */
struct closure {
    struct ldp_pool *pool;
    const uint32_t *cardinality;
    size_t nblocks, room, slots, ncoefs;
    uint32_t *slot; /* open addressing: block + 1; 0 is empty */
    uint64_t *mask; /* [nblocks]; block 0 is the empty set */
    size_t *offset; /* [nblocks + 1] */
};

#define CLOSURE_NONE SIZE_MAX

/* Must be all zero at the start, except pool and cardinality. */
enum ldp_status ldp_closure_add(struct closure *closure, const struct ldp_set *set);

/* The block of a subset, or CLOSURE_NONE. */
size_t ldp_closure_find(const struct closure *closure, uint64_t mask);

static inline size_t ldp_closure_size(const struct closure *closure, size_t block)
{
    return closure->offset[block + 1] - closure->offset[block];
}

/* For each coefficient of a table over a set: its index among all coefficients, or UINT32_MAX if its block is
 * unknown. */
void ldp_closure_map(const struct closure *closure, const struct ldp_set *set, uint32_t *map);

/* ---- Questions ----
 *
 * Users are asked for a cell of the values of some digits. A digit is the value of an attribute, or the parity of
 * several binary attributes, of how many of them are 1. A table has the attributes themselves as its digits; a parity
 * is one digit; the pairs (i, m), i < m, are a table of half of the cells that shows the interactions of even numbers
 * of attributes. In general a question shows the interactions of the symmetric differences of its digits, all with the
 * same precision. */

/* Ascending by the first attribute of each, which no other digit has: questions that show the same are the same. */
struct digits {
    uint8_t size;
    uint64_t mask[LDP_SET_MAX]; /* the attributes of each; 0 beyond size */
};

/* The table of some attributes. */
struct digits ldp_digits_of_mask(uint64_t mask);

/* Adds a digit; false if the others tell it. Either it is one attribute, or all of its attributes are binary. */
bool ldp_digits_add(struct digits *digits, uint64_t mask);

/* The attributes of any digit. */
uint64_t ldp_digits_attributes(const struct digits *digits);

/* The attributes of the interaction of some of the digits, bits of `chosen`. */
static inline uint64_t ldp_digits_block(const struct digits *digits, uint64_t chosen)
{
    uint64_t mask = 0;
    for (; chosen; chosen &= chosen - 1)
        mask ^= digits->mask[__builtin_ctzll(chosen)];
    return mask;
}

double ldp_digits_cells(const struct digits *digits, const uint32_t *cardinality);

/* The cell of the digits, from that of the table of their attributes. */
size_t ldp_digits_cell(const struct digits *digits, const struct ldp_set *set, const uint32_t *cardinality,
                       size_t cell);

#endif
