/* digits.h - what users are asked: a cell of the values of some digits. Internal to the core.
 *
 * A digit is the value of an attribute, or the parity of several binary attributes, of how many of them are 1. A table
 * has the attributes themselves as its digits; a parity is one digit; the pairs (i, m), i < m, are a table of half of
 * the cells that shows the interactions of even numbers of attributes. In general a question shows the interactions of
 * the symmetric differences of its digits, all with the same precision. */
#ifndef LDPBENCH_DIGITS_H
#define LDPBENCH_DIGITS_H

#include "synopsis.h"

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
