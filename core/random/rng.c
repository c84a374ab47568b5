/* rng.c - PCG64 DXSM, one stream for each (seed, key, repetition).
 *
 *   output: hi, lo halves of the state, lo made odd; hi ^= hi >> 32; hi *= c; hi ^= hi >> 48; hi *= lo
 *   step:   state = state c + increment mod 2^128,   c = 0xda942042e4dd58b5
 *
 * Source: O'Neill, PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number
 * Generation, HMC-CS-2014-0905, and her later DXSM output function; NumPy's PCG64DXSM gives the same numbers.
 *
 * State and increment of a stream are SipHash-2-4 with 128 bits (Aumasson, Bernstein, INDOCRYPT 2012) of the three
 * inputs, so similar inputs give unrelated streams, and all 2^127 increments are possible. */
#include "random/rng.h"

#include <string.h>

static inline uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void sip_rounds(uint64_t v[4], int rounds)
{
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[0] = rotate(v[0], 32);
        v[2] += v[3];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] += v[3];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] += v[1];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[2] = rotate(v[2], 32);
    }
}

/* size <= 8 bytes, the first byte is the lowest. */
static uint64_t little_endian(const unsigned char *byte, size_t size)
{
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++)
        word |= (uint64_t)byte[i] << 8 * i;
    return word;
}

/* The key 00 01 .. 0f is that of the reference's test vectors. */
struct ldp_fingerprint ldp_fingerprint(const void *bytes, size_t size)
{
    const unsigned char *const byte = bytes;
    const uint64_t k0 = UINT64_C(0x0706050403020100), k1 = UINT64_C(0x0f0e0d0c0b0a0908);
    uint64_t v[4] = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d) ^ 0xee,
                     k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};
    for (size_t i = 0; i <= size / 8; i++) {
        const size_t left = size - 8 * i;
        const uint64_t word = left >= 8 ? little_endian(byte + 8 * i, 8)
                                        : (left > 0 ? little_endian(byte + 8 * i, left) : 0) | (uint64_t)size << 56;
        v[3] ^= word;
        sip_rounds(v, 2);
        v[0] ^= word;
    }
    v[2] ^= 0xee;
    sip_rounds(v, 4);
    struct ldp_fingerprint out;
    out.lo = v[0] ^ v[1] ^ v[2] ^ v[3];
    v[1] ^= 0xdd;
    sip_rounds(v, 4);
    out.hi = v[0] ^ v[1] ^ v[2] ^ v[3];
    return out;
}

void ldp_rng_stream(struct ldp_rng *rng, uint64_t seed, const char *key, uint64_t repetition)
{
    const struct ldp_fingerprint name = ldp_fingerprint(key, strlen(key));
    uint64_t word[4] = {name.lo, name.hi, seed, repetition};
    unsigned char message[33];
    for (size_t i = 0; i < 32; i++)
        message[i] = (unsigned char)(word[i / 8] >> 8 * (i % 8));
    message[32] = 's';
    const struct ldp_fingerprint state = ldp_fingerprint(message, sizeof message);
    message[32] = 'i';
    const struct ldp_fingerprint increment = ldp_fingerprint(message, sizeof message);
    rng->state_hi = state.hi;
    rng->state_lo = state.lo;
    rng->increment_hi = increment.hi;
    rng->increment_lo = increment.lo | 1;
}

uint64_t ldp_rng_next(struct ldp_rng *rng)
{
    return rng_next(rng);
}

double ldp_rng_uniform(struct ldp_rng *rng)
{
    return rng_uniform(rng);
}

uint64_t ldp_rng_below(struct ldp_rng *rng, uint64_t bound)
{
    return rng_below(rng, bound);
}
