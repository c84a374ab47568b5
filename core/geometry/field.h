/* field.h - finite fields GF(q) for q a prime up to 4093, or a power of a prime up to 256.
 *
 * Elements are the integers 0 .. q-1. For q = p^m the base-p digits of an element are the coefficients of 1, x, x^2, ..
 * of a polynomial over GF(p), taken modulo the smallest irreducible polynomial of degree m (field.c has the list).
 * Internal to the core. */
#ifndef LDPBENCH_GEOMETRY_FIELD_H
#define LDPBENCH_GEOMETRY_FIELD_H

#include <stdbool.h>
#include <stdint.h>

enum { LDP_FIELD_PRIME_MAX = 4093, LDP_FIELD_POWER_MAX = 256, LDP_FIELD_ZERO = 512 };

struct ldp_field {
    uint32_t q, p, m;    /* q = p^m */
    uint64_t reciprocal; /* of q, see ldp_field_divide */
    /* Only for powers (m > 1). log[0] is LDP_FIELD_ZERO, from where exp is 0: a product needs no branch. */
    uint16_t log[LDP_FIELD_POWER_MAX];
    uint8_t exp[2 * LDP_FIELD_ZERO + 1];
    uint64_t spread[LDP_FIELD_POWER_MAX]; /* an element's digits, one per byte */
};

/* True if GF(q) is among the fields above. */
bool ldp_field_exists(uint64_t q);

/* The next q above this one whose field exists here; 0 after the last. */
uint32_t ldp_field_after(uint32_t q);

void ldp_field_init(struct ldp_field *field, uint32_t q);

/* x / q for x < 2^32. */
static inline uint64_t ldp_field_divide(const struct ldp_field *field, uint64_t x)
{
    __extension__ typedef unsigned __int128 uint128;
    return (uint64_t)((uint128)x * field->reciprocal >> 64);
}

static inline uint32_t ldp_field_multiply(const struct ldp_field *field, uint32_t a, uint32_t b)
{
    if (field->m > 1)
        return field->exp[field->log[a] + field->log[b]];
    const uint32_t product = a * b;
    return product - (uint32_t)ldp_field_divide(field, product) * field->q;
}

/* A sum of up to 20 products is accumulated without reduction: start with 0, add products, reduce. */
static inline uint64_t ldp_field_gather(const struct ldp_field *field, uint64_t sum, uint32_t a, uint32_t b)
{
    if (field->m == 1)
        return sum + (uint64_t)a * b;
    const uint32_t product = field->exp[field->log[a] + field->log[b]];
    return field->p == 2 ? sum ^ product : sum + field->spread[product];
}

/* An element from digits that may have grown up to 255, one per byte. */
uint32_t ldp_field_digits(const struct ldp_field *field, uint64_t sum);

static inline uint32_t ldp_field_reduce(const struct ldp_field *field, uint64_t sum)
{
    if (field->m == 1)
        return (uint32_t)(sum - ldp_field_divide(field, sum) * field->q);
    return field->p == 2 ? (uint32_t)sum : ldp_field_digits(field, sum);
}

uint32_t ldp_field_add(const struct ldp_field *field, uint32_t a, uint32_t b);
uint32_t ldp_field_negate(const struct ldp_field *field, uint32_t a);

#endif
