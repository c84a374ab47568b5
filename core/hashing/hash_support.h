/* hash_support.h - support counting for g <= 128 with AVX-512. hash.c includes it. The sums are those of support_8.
 *
 * A report's tables are filled one pair of reports before they are used: what was just stored in narrow pieces cannot
 * be loaded in wide ones without waiting. Targets are stored as four equal bytes, because a load repeats words of 32
 * bits in all lanes at no further cost, but not bytes. Where g is a power of two, a sum is right modulo g if its
 * difference from the target has no low bit set: one operation less. */

/* Tables of a report, and for each row the value of T0 + T2 that it supports, four times. */
struct aimed {
    union tables_8 tables;
    uint32_t target[ROWS_MAX + 16];
};

/* The keyed mixer, but for its last step. */
INLINE __m512i mixed(__m512i spread, const __m512i key[4])
{
    __m512i x = _mm512_mullo_epi32(_mm512_add_epi32(spread, key[0]), key[1]);
    x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 16));
    x = _mm512_mullo_epi32(_mm512_add_epi32(x, key[2]), key[3]);
    x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 15));
    return _mm512_mullo_epi32(x, _mm512_set1_epi32((int)LAST_FACTOR));
}

INLINE __m512i residues_of(__m512i spread, const __m512i key[4], __m512i g)
{
    const __m512i x = mixed(spread, key);
    return _mm512_mulhi_epu16(_mm512_xor_si512(x, _mm512_srli_epi32(x, 16)), g);
}

/* As fill_8, two groups at a time: a product's high half is one instruction for both halves of a word. */
INLINE void fill_pairs(struct key key, const struct block *block, uint32_t g, uint8_t *entries)
{
    const __m512i wide[4] = {_mm512_set1_epi32((int)key.add0), _mm512_set1_epi32((int)key.multiply0),
                             _mm512_set1_epi32((int)key.add1), _mm512_set1_epi32((int)key.multiply1)},
                  wide_g = _mm512_set1_epi16((short)g);
    const size_t groups = block->entries / GROUP;
    size_t k = 0;
    for (; k + 2 <= groups; k += 2) {
        const uint32_t *const spread = block->spread + k * (GROUP / 2);
        const __m512i x = residues_of(_mm512_loadu_si512(spread), wide, wide_g),
                      y = residues_of(_mm512_loadu_si512(spread + GROUP / 2), wide, wide_g);
        const __m512i even = _mm512_shuffle_i64x2(x, y, 0x44), odd = _mm512_shuffle_i64x2(x, y, 0xee);
        _mm512_storeu_si512(entries + k * GROUP, _mm512_or_si512(even, _mm512_slli_epi16(odd, 8)));
    }
    if (k < groups) {
        const __m512i x = residues_of(_mm512_loadu_si512(block->spread + k * (GROUP / 2)), wide, wide_g);
        const __m256i odd = _mm256_slli_epi16(_mm512_extracti64x4_epi64(x, 1), 8);
        _mm256_storeu_si256((__m256i *)(void *)(entries + k * GROUP), _mm256_or_si256(_mm512_castsi512_si256(x), odd));
    }
}

INLINE void aim_at(uint32_t y, const struct block *block, uint32_t g, struct aimed *aimed)
{
    const uint8_t *const t1 = aimed->tables.entry + block->first[1];
    const __m128i all_g = _mm_set1_epi8((char)g), from = _mm_set1_epi8((char)(y + g));
    const __m512i four = _mm512_set4_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0);
    for (size_t z = 0; z < block->rows; z += 16) { /* T1 ends at half a group */
        const __m128i sum = _mm_sub_epi8(from, _mm_loadu_si128((const __m128i *)(const void *)(t1 + z)));
        const __m128i target = _mm_min_epu8(sum, _mm_sub_epi8(sum, all_g));
        _mm512_storeu_si512(aimed->target + z, _mm512_shuffle_epi8(_mm512_cvtepu8_epi32(target), four));
    }
}

/* The values of row z that a report supports. */
INLINE __mmask64 supported(const struct aimed *aimed, const struct block *block, size_t z, __m512i t0, __m512i g,
                           bool power)
{
    const __m512i sum = _mm512_add_epi8(t0, _mm512_loadu_si512(aimed->tables.entry + block->first[2] + z)),
                  target = _mm512_set1_epi32((int)aimed->target[z]);
    if (power)
        return _mm512_testn_epi8_mask(_mm512_sub_epi8(sum, target), _mm512_sub_epi8(g, _mm512_set1_epi8(1)));
    return _mm512_cmpeq_epi8_mask(_mm512_min_epu8(sum, _mm512_sub_epi8(sum, g)), target);
}

/* Counts two reports, or the first of them alone. */
INLINE void count_two(const struct aimed *aimed, bool both, const struct block *block, uint32_t wide_g, bool power,
                      uint8_t *counter)
{
    const __m512i g = _mm512_set1_epi8((char)wide_g), one = _mm512_set1_epi8(1), second = _mm512_set1_epi8((char)both),
                  a0 = _mm512_loadu_si512(aimed[0].tables.entry), b0 = _mm512_loadu_si512(aimed[1].tables.entry);
    for (size_t z = 0; z < block->rows; z++) {
        __m512i count = _mm512_loadu_si512(counter + z * ROW);
        const __mmask64 in_a = supported(&aimed[0], block, z, a0, g, power),
                        in_b = supported(&aimed[1], block, z, b0, g, power);
        count = _mm512_mask_add_epi8(count, in_a, count, one);
        _mm512_storeu_si512(counter + z * ROW, _mm512_mask_add_epi8(count, in_b, count, second));
    }
}

/* The tables of reports j and, if there is one, j + 1. */
INLINE void fill_two(const uint64_t *reports, size_t j, size_t m, const struct block *block, uint32_t g,
                     struct key *key, struct aimed *aimed)
{
    if (j % KEYS == 0)
        keys(reports + 2 * j, m - j < KEYS ? m - j : KEYS, key);
    for (size_t k = 0; k < 2 && j + k < m; k++) {
        fill_pairs(key[(j + k) % KEYS], block, g, aimed[k].tables.entry);
        aim_at((uint32_t)reports[2 * (j + k) + 1], block, g, &aimed[k]);
    }
}

INLINE void support_narrow(const uint64_t *reports, size_t m, size_t d, uint32_t g, bool power, uint64_t *support)
{
    enum { BATCH = 254 /* what a counter holds, even */ };
    struct block block;
    struct aimed aimed[2][2];
    uint8_t counter[ROWS_MAX * ROW];
    struct key key[KEYS];
    memset(aimed, 0, sizeof aimed);
    for (size_t v = 0; v < d; v += block.values) {
        block_of_halves(&block, v, d);
        for (size_t i = 0; i < m; i += BATCH) {
            const uint64_t *const batch = reports + 2 * i;
            const size_t size = m - i < BATCH ? m - i : BATCH;
            memset(counter, 0, block.rows * ROW);
            fill_two(batch, 0, size, &block, g, key, aimed[0]);
            for (size_t j = 0, now = 0; j < size; j += 2, now ^= 1) {
                if (j + 2 < size)
                    fill_two(batch, j + 2, size, &block, g, key, aimed[now ^ 1]);
                count_two(aimed[now], j + 1 < size, &block, g, power, counter);
            }
            for (size_t l = 0; l < block.values; l++)
                support[v + l] += counter[l];
        }
    }
}

LDP_TARGET_avx512 static void support_avx512(const uint64_t *reports, size_t m, size_t d, uint32_t g, uint64_t *support)
{
    if (g > NARROW_G)
        LANES(support, g, reports, m, d, g, support);
    else if ((g & (g - 1)) == 0)
        support_narrow(reports, m, d, g, true, support);
    else
        support_narrow(reports, m, d, g, false, support);
}
