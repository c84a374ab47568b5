/* rng.h - one step of the generator, to be inlined into loops with many draws. Internal to the core; the public
 * functions of rng.c call these. */
#ifndef LDPBENCH_RNG_H
#define LDPBENCH_RNG_H

#include "ldp.h"

#include <assert.h>

#define LDP_PCG_MULTIPLIER UINT64_C(0xda942042e4dd58b5)

/* The words of a generator that is no PCG: those of a function, as the system's, for clients (external.c). Its
 * increment is even, and its state is the address of this. */
struct ldp_external {
    int (*fill)(void *state, void *bytes, size_t size); /* 0: done */
    void *state;
    bool failed; /* the words since are those of spare, so that nothing waits forever */
    struct ldp_rng spare;
    size_t left; /* words that are not yet taken */
    uint64_t word[64];
};

void ldp_rng_external(struct ldp_rng *rng, struct ldp_external *external);
__attribute__((cold, noinline)) uint64_t ldp_external_next(uint64_t address);

/* The output comes from the state before the step, so it does not wait for the multiplication. The halves are kept
 * separate: compilers move one 128-bit variable through vector registers, which stalls on the preceding stores. */
static inline uint64_t rng_next(struct ldp_rng *rng)
{
    uint64_t hi = rng->state_hi, lo = rng->state_lo;
    if (__builtin_expect(!(rng->increment_lo & 1), 0))
        return ldp_external_next(lo);
    ldp_uint128 state = (ldp_uint128)lo * LDP_PCG_MULTIPLIER;
    state += (ldp_uint128)(hi * LDP_PCG_MULTIPLIER + rng->increment_hi) << 64 | rng->increment_lo;
    rng->state_hi = (uint64_t)(state >> 64);
    rng->state_lo = (uint64_t)state;
    hi ^= hi >> 32;
    hi *= LDP_PCG_MULTIPLIER;
    hi ^= hi >> 48;
    return hi * (lo | 1);
}

/* The next m words, many at once (rng_words.c). */
void ldp_rng_words(struct ldp_rng *rng, size_t m, uint64_t *words);

/* Words that were drawn in advance, up to `end`, as many as are needed in any case; what is needed beyond them comes
 * from the generator, so that no word is lost. */
struct ldp_rng_ahead {
    const uint64_t *word, *end;
    struct ldp_rng *rng;
};

static inline uint64_t rng_take(struct ldp_rng_ahead *ahead)
{
    return __builtin_expect(ahead->word < ahead->end, 1) ? *ahead->word++ : rng_next(ahead->rng);
}

/* (u + 1/2) 2^-52, u the top 52 bits. With 53 bits the half would be rounded, and the result could be 1. */
static inline double rng_unit(uint64_t bits)
{
    return (double)(int64_t)(bits >> 12) * 0x1p-52 + 0x1p-53;
}

static inline double rng_uniform(struct ldp_rng *rng)
{
    return rng_unit(rng_next(rng));
}

/* Lemire's method: the next word only if this one is among those that are too many. */
static inline uint64_t rng_below_ahead(struct ldp_rng_ahead *ahead, uint64_t bound)
{
    assert(bound > 0);
    ldp_uint128 product = (ldp_uint128)rng_take(ahead) * bound;
    if ((uint64_t)product < bound) {
        const uint64_t least = -bound % bound;
        while ((uint64_t)product < least)
            product = (ldp_uint128)rng_take(ahead) * bound;
    }
    return (uint64_t)(product >> 64);
}

static inline uint64_t rng_below(struct ldp_rng *rng, uint64_t bound)
{
    struct ldp_rng_ahead none = {NULL, NULL, rng};
    return rng_below_ahead(&none, bound);
}

/* below[i] uniform below the bound, i < m; one word serves two. */
static inline void rng_below_many(struct ldp_rng *rng, uint32_t bound, size_t m, uint32_t *below)
{
    const uint32_t least = (uint32_t)-bound % bound;
    struct ldp_rng own = *rng;
    for (size_t i = 0; i < m;) {
        const uint64_t word = rng_next(&own), lo = (word & UINT32_MAX) * bound, hi = (word >> 32) * bound;
        if ((uint32_t)lo >= least)
            below[i++] = (uint32_t)(lo >> 32);
        if (i < m && (uint32_t)hi >= least)
            below[i++] = (uint32_t)(hi >> 32);
    }
    *rng = own;
}

#endif
