/* rng_words.c - many words of the generator at once (rng.h): those of rng_next, in the same order.
 *
 * Sixteen states in a row, s_0 .. s_15, go on side by side: s_(i+16) = A s_i + C mod 2^128 with A = c^16 and C =
 * increment (1 + c + .. + c^15), c the generator's multiplier. They are two vectors, since one would wait for its own
 * products. Products of 64 bits are made of products of 32. */
#include "random/rng.h"
#include "simd/simd.h"

static void words_generic(struct ldp_rng *rng, size_t m, uint64_t *words)
{
    struct ldp_rng own = *rng;
    for (size_t i = 0; i < m; i++)
        words[i] = rng_next(&own);
    *rng = own;
}

#ifdef __x86_64__
#include <immintrin.h>

enum { LANES = 8, SIDE = 2 * LANES, WORTH = 4 * SIDE };

/* Numbers of 128 bits in eight lanes. */
struct wide {
    __m512i hi, lo;
};

/* x factor + addend mod 2^128, in each lane. */
LDP_TARGET_avx512 static inline struct wide step(struct wide x, ldp_uint128 factor, ldp_uint128 addend)
{
    const __m512i low = _mm512_set1_epi64(UINT32_MAX), factor_lo = _mm512_set1_epi64((long long)factor),
                  factor_mid = _mm512_srli_epi64(factor_lo, 32), lo_mid = _mm512_srli_epi64(x.lo, 32),
                  add_lo = _mm512_set1_epi64((long long)addend);
    const __m512i p00 = _mm512_mul_epu32(x.lo, factor_lo), p01 = _mm512_mul_epu32(x.lo, factor_mid),
                  p10 = _mm512_mul_epu32(lo_mid, factor_lo), p11 = _mm512_mul_epu32(lo_mid, factor_mid);
    const __m512i t = _mm512_add_epi64(p10, _mm512_srli_epi64(p00, 32)),
                  u = _mm512_add_epi64(p01, _mm512_and_si512(t, low));
    struct wide y;
    y.lo = _mm512_or_si512(_mm512_slli_epi64(u, 32), _mm512_and_si512(p00, low));
    y.hi = _mm512_add_epi64(p11, _mm512_add_epi64(_mm512_srli_epi64(t, 32), _mm512_srli_epi64(u, 32)));
    y.hi = _mm512_add_epi64(y.hi, _mm512_mullo_epi64(x.lo, _mm512_set1_epi64((long long)(factor >> 64))));
    y.hi = _mm512_add_epi64(y.hi, _mm512_mullo_epi64(x.hi, factor_lo));
    y.lo = _mm512_add_epi64(y.lo, add_lo);
    y.hi = _mm512_add_epi64(y.hi, _mm512_set1_epi64((long long)(addend >> 64)));
    const __mmask8 carry = _mm512_cmplt_epu64_mask(y.lo, add_lo);
    y.hi = _mm512_mask_add_epi64(y.hi, carry, y.hi, _mm512_set1_epi64(1));
    return y;
}

/* The words of eight states. */
LDP_TARGET_avx512 static inline __m512i output(struct wide x)
{
    __m512i hi = _mm512_xor_si512(x.hi, _mm512_srli_epi64(x.hi, 32));
    hi = _mm512_mullo_epi64(hi, _mm512_set1_epi64((long long)LDP_PCG_MULTIPLIER));
    hi = _mm512_xor_si512(hi, _mm512_srli_epi64(hi, 48));
    return _mm512_mullo_epi64(hi, _mm512_or_si512(x.lo, _mm512_set1_epi64(1)));
}

LDP_TARGET_avx512 static void words_avx512(struct ldp_rng *rng, size_t m, uint64_t *words)
{
    const ldp_uint128 increment = (ldp_uint128)rng->increment_hi << 64 | rng->increment_lo;
    ldp_uint128 state = (ldp_uint128)rng->state_hi << 64 | rng->state_lo, factor = 1, addend = 0;
    uint64_t hi[SIDE], lo[SIDE];
    for (size_t l = 0; l < SIDE; l++) {
        hi[l] = (uint64_t)(state >> 64);
        lo[l] = (uint64_t)state;
        state = state * LDP_PCG_MULTIPLIER + increment;
        factor *= LDP_PCG_MULTIPLIER;
        addend = addend * LDP_PCG_MULTIPLIER + increment;
    }
    struct wide a = {_mm512_loadu_si512(hi), _mm512_loadu_si512(lo)},
                b = {_mm512_loadu_si512(hi + LANES), _mm512_loadu_si512(lo + LANES)};
    size_t i = 0;
    for (; i + SIDE <= m; i += SIDE) {
        _mm512_storeu_si512(words + i, output(a));
        _mm512_storeu_si512(words + i + LANES, output(b));
        a = step(a, factor, addend);
        b = step(b, factor, addend);
    }
    rng->state_hi = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(a.hi));
    rng->state_lo = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(a.lo));
    words_generic(rng, m - i, words + i);
}
#endif

void ldp_rng_words(struct ldp_rng *rng, size_t m, uint64_t *words)
{
#ifdef __x86_64__
    if (m >= WORTH && rng->increment_lo & 1 && ldp_simd_level() >= LDP_SIMD_AVX512) {
        words_avx512(rng, m, words);
        return;
    }
#endif
    words_generic(rng, m, words);
}
