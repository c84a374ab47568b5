/* median_avx512.h - the loops over keys of median.c with AVX-512, where a comparison is a bit of a mask. median.c
 * includes it. The results are those of its portable loops. */
#include <immintrin.h>

#define TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

/* The keys of each lane up to each bound. 2^16 keys, the most that there can be, count as one less. */
TARGET_AVX512 INLINE void count_upto_avx512(const int16_t *keys, size_t r, const __m512i bound[BOUNDS],
                                            __m512i count[BOUNDS])
{
    const __m512i one = _mm512_set1_epi16(1);
    __m512i count0 = _mm512_setzero_si512(), count1 = count0, count2 = count0;
    for (size_t j = 0; j < r; j++) {
        const __m512i key = _mm512_loadu_si512(keys + j * LANES);
        count0 = _mm512_mask_adds_epu16(count0, _mm512_cmple_epi16_mask(key, bound[0]), count0, one);
        count1 = _mm512_mask_adds_epu16(count1, _mm512_cmple_epi16_mask(key, bound[1]), count1, one);
        count2 = _mm512_mask_adds_epu16(count2, _mm512_cmple_epi16_mask(key, bound[2]), count2, one);
    }
    count[0] = count0;
    count[1] = count1;
    count[2] = count2;
}

/* Halfway between two bounds, without overflow. */
TARGET_AVX512 INLINE __m512i halfway(__m512i low, __m512i high)
{
    return _mm512_add_epi16(_mm512_and_si512(low, high), _mm512_srai_epi16(_mm512_xor_si512(low, high), 1));
}

/* The range of the median's leading bits in each lane: the keys up to low are at most of its rank, `below` of them, or
 * low is the least possible key and is the median; those up to high are more, `upto`. */
struct range {
    __m512i low, high, below, upto;
};

TARGET_AVX512 INLINE void narrow(struct range *range, __m512i rank, __m512i bound, __m512i count)
{
    const __mmask32 inside = _mm512_cmpge_epi16_mask(bound, range->low) & _mm512_cmplt_epi16_mask(bound, range->high);
    const __mmask32 fall = inside & _mm512_cmpgt_epu16_mask(count, rank), raise = inside & ~fall;
    range->high = _mm512_mask_mov_epi16(range->high, fall, bound);
    range->upto = _mm512_mask_mov_epi16(range->upto, fall, count);
    range->low = _mm512_mask_mov_epi16(range->low, raise, bound);
    range->below = _mm512_mask_mov_epi16(range->below, raise, count);
}

TARGET_AVX512 static void middle_avx512(const int16_t *keys, size_t r, struct middles *out)
{
    const __m512i rank = _mm512_set1_epi16((short)(r / 2)), least = _mm512_set1_epi16(INT16_MIN),
                  one = _mm512_set1_epi16(1);
    struct range range = {least, _mm512_set1_epi16(INT16_MAX), _mm512_setzero_si512(),
                          _mm512_set1_epi16((short)(r < UINT16_MAX ? r : UINT16_MAX))};
    __m512i bound[BOUNDS] = {least, _mm512_setzero_si512(), _mm512_set1_epi16(1 << 14)}, count[BOUNDS];
    count_upto_avx512(keys, r, bound, count);
    range.high = _mm512_mask_mov_epi16(range.high, _mm512_cmpgt_epu16_mask(count[0], rank), least);
    for (;;) {
        for (size_t i = 0; i < BOUNDS; i++)
            narrow(&range, rank, bound[i], count[i]);
        const __m512i width = _mm512_sub_epi16(range.high, range.low), left = _mm512_sub_epi16(range.upto, range.below);
        if ((_mm512_cmpgt_epu16_mask(left, one) & _mm512_cmpgt_epu16_mask(width, one)) == 0)
            break;
        bound[1] = halfway(range.low, range.high);
        bound[0] = halfway(range.low, bound[1]);
        bound[2] = halfway(bound[1], range.high);
        count_upto_avx512(keys, r, bound, count);
    }
    __m512i best = least, under = least;
    for (size_t j = 0; j < r; j++) {
        const __m512i key = _mm512_loadu_si512(keys + j * LANES);
        best = _mm512_mask_max_epi16(best, _mm512_cmple_epi16_mask(key, range.high), best, key);
        under = _mm512_mask_max_epi16(under, _mm512_cmple_epi16_mask(key, range.low), under, key);
    }
    _mm512_storeu_si512(out->key, best);
    _mm512_storeu_si512(out->under, under);
    for (size_t part = 0; part < 2; part++)
        _mm512_storeu_si512(out->before + part * LANES / 2,
                            _mm512_cvtepu16_epi32(part == 0 ? _mm512_castsi512_si256(range.below)
                                                            : _mm512_extracti64x4_epi64(range.below, 1)));
}

TARGET_AVX512 static void look_up_avx512(const int16_t *keys, size_t r, const struct middles *middles,
                                         ldp_medians_keys *whole, const void *context, struct alike *alike)
{
    const __m512i key = _mm512_loadu_si512(middles->key), under = _mm512_loadu_si512(middles->under);
    struct waiting waiting;
    waiting.count = 0;
    for (size_t j = 0; j < r; j++) {
        const __m512i row = _mm512_loadu_si512(keys + j * LANES);
        const __mmask32 same = _mm512_cmpeq_epi16_mask(row, key);
        for (uint32_t hits = same | _mm512_cmpeq_epi16_mask(row, under); hits != 0; hits &= hits - 1) {
            const size_t l = (size_t)__builtin_ctz(hits);
            wait_for(&waiting, j, l, same >> l & 1);
        }
        if (waiting.count > LDP_MEDIAN_TERMS - LANES)
            look_up_waiting(&waiting, whole, context, alike);
    }
    look_up_waiting(&waiting, whole, context, alike);
}
