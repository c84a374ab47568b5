/* popcount.h - strings of bits in words of 64: their length, and their ones. Internal to the core. */
#ifndef LDPBENCH_POPCOUNT_H
#define LDPBENCH_POPCOUNT_H

#include <stddef.h>
#include <stdint.h>

static inline size_t ldp_bits_words(size_t d)
{
    return (d + 63) / 64;
}

static inline unsigned ldp_bits_count(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
}

static inline size_t ldp_bits_ones(const uint64_t *string, size_t words)
{
    size_t ones = 0;
    for (size_t w = 0; w < words; w++)
        ones += ldp_bits_count(string[w]);
    return ones;
}

/* The bits of the last word that belong to values. */
static inline uint64_t ldp_bits_tail(size_t d)
{
    return d % 64 ? (UINT64_C(1) << d % 64) - 1 : UINT64_MAX;
}

#endif
