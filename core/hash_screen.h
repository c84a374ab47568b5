/* hash_screen.h - counts and sums of small table entries with AVX-512 and its byte permutations: a table row of up to
 * 2,048 bits or bytes is looked up in registers, 64 values at a time. hash.c includes it. The results are those of the
 * portable loops.
 *
 * Residues are 16-bit words. Two vectors of 32 words are packed to one of 64 bytes, which permutes them: byte 16 l + i
 * is of value 8 l + i of the row for i < 8, else of value 24 + 8 l + i. Counters stay in that order until the end. */
enum { SCREEN_G = LDP_HASH_BEYOND };

#define SCREEN TARGET_gfni static inline __attribute__((always_inline))

static bool screens(uint32_t g)
{
    return g > NARROW_G && g <= SCREEN_G;
}

static inline size_t unpacked(size_t place)
{
    return place / 16 * 8 + place % 8 + (place % 16 < 8 ? 0 : 32);
}

SCREEN __m512i wrap_words(__m512i sum, __m512i g)
{
    return _mm512_min_epu16(sum, _mm512_sub_epi16(sum, g));
}

/* Residues of row z of the block. */
SCREEN void row_of_words(const uint16_t *t0, const struct block *block, size_t z, __m512i g, __m512i residue[2])
{
    const uint16_t *const t2 = t0 + block->first[2] + z;
    const __m512i t1 = _mm512_set1_epi16((short)t0[block->first[1] + z]);
    for (size_t half = 0; half < 2; half++) {
        const __m512i sum = _mm512_add_epi16(_mm512_loadu_si512(t0 + half * 32), _mm512_loadu_si512(t2 + half * 32));
        residue[half] = wrap_words(_mm512_add_epi16(wrap_words(sum, g), t1), g);
    }
}

/* Adds 64 counters of bytes, in packed order, to those of the values; at most `values` of them. */
static void add_bytes(uint8_t *bytes, size_t values, uint16_t *ones)
{
    for (size_t i = 0; i < ROW; i++)
        if (unpacked(i) < values)
            ones[unpacked(i)] = (uint16_t)(ones[unpacked(i)] + bytes[i]);
    memset(bytes, 0, ROW);
}

/* The rows of a block: counters of bytes grow by the bits of one function. */
SCREEN void count_ones(const struct block *block, const uint16_t *t0, uint32_t wide_g, const uint8_t *bits,
                       uint8_t *counter)
{
    const __m512i g = _mm512_set1_epi16((short)wide_g), low = _mm512_set1_epi16(7), one = _mm512_set1_epi8(1),
                  powers = _mm512_set1_epi64((long long)UINT64_C(0x8040201008040201));
    const __m512i table[4] = {_mm512_loadu_si512(bits), _mm512_loadu_si512(bits + 64), _mm512_loadu_si512(bits + 128),
                              _mm512_loadu_si512(bits + 192)};
    for (size_t z = 0; z < block->rows; z++) {
        __m512i residue[2];
        row_of_words(t0, block, z, g, residue);
        const __m512i at = _mm512_packus_epi16(_mm512_srli_epi16(residue[0], 3), _mm512_srli_epi16(residue[1], 3)),
                      bit = _mm512_packus_epi16(_mm512_and_si512(residue[0], low), _mm512_and_si512(residue[1], low)),
                      byte = _mm512_mask_blend_epi8(_mm512_movepi8_mask(at),
                                                    _mm512_permutex2var_epi8(table[0], at, table[1]),
                                                    _mm512_permutex2var_epi8(table[2], at, table[3]));
        const __mmask64 set = _mm512_test_epi8_mask(byte, _mm512_shuffle_epi8(powers, bit));
        uint8_t *const row = counter + z * ROW;
        const __m512i count = _mm512_loadu_si512(row);
        _mm512_storeu_si512(row, _mm512_mask_add_epi8(count, set, count, one));
    }
}

TARGET_gfni static void ones_gfni(const uint64_t *seeds, size_t k, uint32_t g, const uint8_t *bits, size_t stride,
                                  size_t d, uint16_t *ones)
{
    struct block block;
    union tables_16 tables = {0};
    uint8_t counter[GATHER_ROWS * ROW] = {0};
    for (size_t v = 0; v < d; v += block.values) {
        block_init(&block, v, d, GATHER_ROWS, g);
        memset(ones + v, 0, block.values * sizeof *ones);
        for (size_t j = 0; j < k; j++) {
            fill_16(key_of(seeds[j]), &block, g, &tables);
            count_ones(&block, tables.entry, g, bits + j * stride, counter);
            if ((j + 1) % UINT8_MAX == 0 || j + 1 == k)
                for (size_t z = 0; z < block.rows; z++)
                    add_bytes(counter + z * ROW, block.values - z * ROW, ones + v + z * ROW);
        }
    }
}

/* Sums of words, of the even and of the odd bytes in packed order. */
struct byte_sums {
    uint16_t even[ROW / 2], odd[ROW / 2];
};

static void add_words(struct byte_sums *words, size_t values, uint32_t *sums)
{
    for (size_t i = 0; i < ROW; i++)
        if (unpacked(i) < values)
            sums[unpacked(i)] += i % 2 ? words->odd[i / 2] : words->even[i / 2];
    memset(words, 0, sizeof *words);
}

/* One of two tables of 128 bytes: that of the residue's bit 7. */
SCREEN __m512i look_up_256(const uint8_t *table, __m512i at, __mmask64 bit7)
{
    return _mm512_mask_blend_epi8(
        bit7, _mm512_permutex2var_epi8(_mm512_loadu_si512(table), at, _mm512_loadu_si512(table + 64)),
        _mm512_permutex2var_epi8(_mm512_loadu_si512(table + 128), at, _mm512_loadu_si512(table + 192)));
}

SCREEN __m512i look_up_1024(const uint8_t *table, __m512i at, const __mmask64 bit[4])
{
    return _mm512_mask_blend_epi8(
        bit[2], _mm512_mask_blend_epi8(bit[1], look_up_256(table, at, bit[0]), look_up_256(table + 256, at, bit[0])),
        _mm512_mask_blend_epi8(bit[1], look_up_256(table + 512, at, bit[0]), look_up_256(table + 768, at, bit[0])));
}

SCREEN void sum_bytes(const struct block *block, const uint16_t *t0, uint32_t wide_g, const uint8_t *bytes,
                      struct byte_sums *sums)
{
    const __m512i g = _mm512_set1_epi16((short)wide_g), low = _mm512_set1_epi16(0xff);
    for (size_t z = 0; z < block->rows; z++) {
        __m512i residue[2];
        row_of_words(t0, block, z, g, residue);
        const __m512i at = _mm512_packus_epi16(_mm512_and_si512(residue[0], low), _mm512_and_si512(residue[1], low)),
                      high = _mm512_packus_epi16(_mm512_srli_epi16(residue[0], 8), _mm512_srli_epi16(residue[1], 8));
        const __mmask64 bit[4] = {_mm512_movepi8_mask(at), _mm512_test_epi8_mask(high, _mm512_set1_epi8(1)),
                                  _mm512_test_epi8_mask(high, _mm512_set1_epi8(2)),
                                  _mm512_test_epi8_mask(high, _mm512_set1_epi8(4))};
        __m512i byte = look_up_1024(bytes, at, bit);
        if (wide_g > SCREEN_G / 2)
            byte = _mm512_mask_blend_epi8(bit[3], byte, look_up_1024(bytes + SCREEN_G / 2, at, bit));
        struct byte_sums *const row = &sums[z];
        _mm512_storeu_si512(row->even, _mm512_add_epi16(_mm512_loadu_si512(row->even), _mm512_and_si512(byte, low)));
        _mm512_storeu_si512(row->odd, _mm512_add_epi16(_mm512_loadu_si512(row->odd), _mm512_srli_epi16(byte, 8)));
    }
}

TARGET_gfni static void sums_gfni(const uint64_t *seeds, size_t k, uint32_t g, const uint8_t *bytes, size_t stride,
                                  size_t d, uint32_t *sums)
{
    enum { BATCH = UINT16_MAX / UINT8_MAX }; /* functions whose sum a word holds */
    struct block block;
    union tables_16 tables = {0};
    struct byte_sums words[GATHER_ROWS] = {{{0}, {0}}};
    for (size_t v = 0; v < d; v += block.values) {
        block_init(&block, v, d, GATHER_ROWS, g);
        memset(sums + v, 0, block.values * sizeof *sums);
        for (size_t j = 0; j < k; j++) {
            fill_16(key_of(seeds[j]), &block, g, &tables);
            sum_bytes(&block, tables.entry, g, bytes + j * stride, words);
            if ((j + 1) % BATCH == 0 || j + 1 == k)
                for (size_t z = 0; z < block.rows; z++)
                    add_words(&words[z], block.values - z * ROW, sums + v + z * ROW);
        }
    }
}
