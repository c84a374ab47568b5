/* hash_gather.h - flh's server for g <= 128 with AVX-512: a row of N is kept in registers as 16-bit words, and residues
 * look it up by permutation, 32 at a time; and its transpose. hash.c includes it. The sums are those of gather_8. */
/* Up to 128 words. */
struct words {
    __m512i part[4];
};

/* N[y..y+7] as words, zero from g on. */
INLINE __m128i words_eight(const uint64_t *N, uint32_t y, uint32_t g)
{
    const uint32_t left = y < g ? g - y : 0;
    return _mm512_cvtepi64_epi16(
        _mm512_maskz_loadu_epi64((__mmask8)(left >= 8 ? 0xff : (1u << left) - 1), N + (left > 0 ? y : 0)));
}

/* Up to so many cells are repeated, so that sums of three table entries need no reduction. */
enum { REPEATED_G = 11 };

/* N[0..g-1], each below 2^16, g <= g_most: a constant here and below. */
INLINE struct words words_load(const uint64_t *N, uint32_t g, uint32_t g_most)
{
    struct words table;
    for (uint32_t i = 0; 32 * i < g_most; i++) {
        __m512i part = _mm512_zextsi128_si512(words_eight(N, 32 * i, g));
        part = _mm512_inserti32x4(part, words_eight(N, 32 * i + 8, g), 1);
        if (g_most > REPEATED_G) {
            part = _mm512_inserti32x4(part, words_eight(N, 32 * i + 16, g), 2);
            part = _mm512_inserti32x4(part, words_eight(N, 32 * i + 24, g), 3);
        }
        table.part[i] = part;
    }
    return table;
}

/* The words of the low bytes of `at`. */
INLINE __m512i words_at(const struct words *table, __m512i at, uint32_t g_most)
{
    if (g_most <= 32)
        return _mm512_permutexvar_epi16(at, table->part[0]);
    const __m512i low = _mm512_permutex2var_epi16(table->part[0], at, table->part[1]);
    if (g_most <= 64)
        return low;
    const __m512i high = _mm512_permutex2var_epi16(table->part[2], at, table->part[3]);
    return _mm512_mask_blend_epi16(_mm512_test_epi16_mask(at, _mm512_set1_epi16(64)), low, high);
}

INLINE __m512i wrap_bytes(__m512i sum, __m512i g)
{
    return _mm512_min_epu8(sum, _mm512_sub_epi8(sum, g));
}

/* Residues of row z of a block by the tables of a function; sums up to 3 g - 3 where cells are repeated. */
INLINE __m512i row_residues(const struct block *block, size_t z, uint32_t g, uint32_t g_most, const uint8_t *t0)
{
    const __m512i wide = _mm512_set1_epi8((char)g), t1 = _mm512_set1_epi8((char)t0[block->first[1] + z]),
                  part = _mm512_add_epi8(_mm512_loadu_si512(t0), _mm512_loadu_si512(t0 + block->first[2] + z));
    return g_most <= REPEATED_G ? _mm512_add_epi8(part, t1)
                                : wrap_bytes(_mm512_add_epi8(wrap_bytes(part, wide), t1), wide);
}

/* Functions that are added together: sums are loaded and stored once. Tables are filled before those of as many others
 * are used, as in hash_support.h. */
enum { TOGETHER = 4 };

/* Adds the words of functions to the sums of a block: of each row the 32 values at even positions, then the others. */
INLINE void words_add(const struct words words[TOGETHER], const uint8_t *const t0[TOGETHER], const struct block *block,
                      uint32_t g, uint32_t g_most, uint16_t *sum)
{
    for (size_t z = 0; z < block->rows; z++) {
        uint16_t *const row = sum + z * ROW;
        __m512i even = _mm512_loadu_si512(row), odd = _mm512_loadu_si512(row + ROW / 2);
        for (size_t i = 0; i < TOGETHER; i++) {
            const __m512i residue = row_residues(block, z, g, g_most, t0[i]);
            even = _mm512_add_epi16(even, words_at(&words[i], residue, g_most));
            odd = _mm512_add_epi16(odd, words_at(&words[i], _mm512_srli_epi16(residue, 8), g_most));
        }
        _mm512_storeu_si512(row, even);
        _mm512_storeu_si512(row + ROW / 2, odd);
    }
}

LDP_TARGET_avx512 static void words_flush(uint16_t *sum, size_t values, uint64_t *support)
{
    uint16_t row[ROW];
    for (size_t l = 0; l < values; l += ROW, sum += ROW) {
        for (size_t i = 0; i < ROW / 2; i++) {
            row[2 * i] = sum[i];
            row[2 * i + 1] = sum[i + ROW / 2];
        }
        for (size_t i = 0; i < ROW && l + i < values; i++)
            support[l + i] += row[i];
        memset(sum, 0, ROW * sizeof *sum);
    }
}

/* Tables of function j, if none are kept those that were filled; then those of j + TOGETHER are. */
INLINE const uint8_t *tables_at(const struct ldp_hash_functions *of, const struct block *block, size_t j,
                                union tables_8 tables[2 * TOGETHER])
{
    if (of->tables)
        return of->tables + j * block->entries;
    for (size_t i = j == 0 ? 0 : j + TOGETHER; i <= j + TOGETHER && i < of->k; i++)
        fill_pairs(key_of(of->seeds[i]), block, of->g, tables[i % (2 * TOGETHER)].entry);
    return tables[j % (2 * TOGETHER)].entry;
}

/* No N above most < 2^16. */
INLINE void gather_words(const struct ldp_hash_functions *of, const uint64_t *N, uint64_t most, uint32_t g_most,
                         uint64_t *support)
{
    const size_t batch = most > 0 ? (size_t)(UINT16_MAX / most) : of->k; /* functions whose sum a word holds */
    struct block block;
    union tables_8 tables[2 * TOGETHER] = {0};
    struct words words[TOGETHER];
    const uint8_t *t0[TOGETHER];
    uint16_t sum[GATHER_ROWS * ROW] = {0}, repeat[32];
    for (uint16_t y = 0; y < 32; y++)
        repeat[y] = (uint16_t)(y % of->g);
    for (size_t v = 0; v < of->d; v += block.values) {
        block_init(&block, v, of->d, GATHER_ROWS, of->g);
        for (size_t j = 0, left = batch; j < of->k;) {
            size_t many = 0;
            for (; many < TOGETHER && left > 0 && j < of->k; many++, j++, left--) {
                t0[many] = tables_at(of, &block, j, tables);
                words[many] = words_load(N + j * of->g, of->g, g_most);
                if (g_most <= REPEATED_G)
                    words[many].part[0] = _mm512_permutexvar_epi16(_mm512_loadu_si512(repeat), words[many].part[0]);
            }
            for (; many < TOGETHER; many++) {
                t0[many] = t0[0];
                words[many] = words_load(N, 0, g_most);
            }
            words_add(words, t0, &block, of->g, g_most, sum);
            if (left > 0 && j < of->k)
                continue;
            words_flush(sum, block.values, support + v);
            left = batch;
        }
    }
}

LDP_TARGET_avx512 static void gather_avx512(const struct ldp_hash_functions *of, const uint64_t *N, uint64_t *support)
{
    uint64_t most = of->g > NARROW_G ? UINT64_MAX : 0;
    for (size_t i = 0; of->g <= NARROW_G && i < of->k * of->g; i++)
        most = N[i] > most ? N[i] : most;
    if (most > UINT16_MAX)
        LANES(gather, of->g, of, N, support, NULL, NULL);
    else if (of->g <= REPEATED_G)
        gather_words(of, N, most, REPEATED_G, support);
    else if (of->g <= 32)
        gather_words(of, N, most, 32, support);
    else if (of->g <= 64)
        gather_words(of, N, most, 64, support);
    else
        gather_words(of, N, most, NARROW_G, support);
}

/* Up to so many cells comparing with each, TOGETHER_Y at a time, is faster than adding values one by one. */
enum { SCATTER_G = 40, TOGETHER_Y = 4 };

/* sum[0..3]: of the words of cells y .. y + 3, at least the first `cells` of them. No lane holds more than a row's. */
INLINE void sum_cells(const struct block *block, const uint8_t *residues, const int16_t *words, uint32_t y,
                      uint32_t cells, int32_t sum[TOGETHER_Y])
{
    const __m512i one = _mm512_set1_epi16(1);
    __m512i low[TOGETHER_Y], high[TOGETHER_Y];
    for (uint32_t i = 0; i < TOGETHER_Y; i++)
        low[i] = high[i] = _mm512_setzero_si512();
    for (size_t z = 0; z < block->rows; z++) {
        const __m512i residue = _mm512_loadu_si512(residues + z * ROW), first = _mm512_loadu_si512(words + z * ROW),
                      second = _mm512_loadu_si512(words + z * ROW + ROW / 2);
        for (uint32_t i = 0; i < cells; i++) {
            const __mmask64 is = _mm512_cmpeq_epi8_mask(residue, _mm512_set1_epi8((char)(y + i)));
            low[i] = _mm512_mask_add_epi16(low[i], (__mmask32)is, low[i], first);
            high[i] = _mm512_mask_add_epi16(high[i], (__mmask32)(is >> 32), high[i], second);
        }
    }
    __m512i part[TOGETHER_Y];
    for (uint32_t i = 0; i < TOGETHER_Y; i++)
        part[i] = _mm512_add_epi32(_mm512_madd_epi16(low[i], one), _mm512_madd_epi16(high[i], one));
    /* Of four registers the sums together: each 128 bits have a part of each. */
    const __m512i two = _mm512_add_epi32(_mm512_unpacklo_epi32(part[0], part[1]),
                                         _mm512_unpackhi_epi32(part[0], part[1])),
                  more = _mm512_add_epi32(_mm512_unpacklo_epi32(part[2], part[3]),
                                          _mm512_unpackhi_epi32(part[2], part[3])),
                  four = _mm512_add_epi32(_mm512_unpacklo_epi64(two, more), _mm512_unpackhi_epi64(two, more));
    const __m256i half = _mm256_add_epi32(_mm512_castsi512_si256(four), _mm512_extracti64x4_epi64(four, 1));
    _mm_storeu_si128((__m128i *)(void *)sum,
                     _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1)));
}

/* Adds to each cell of one function the words of its values; the last cell has what is left of all. */
INLINE void cells_add(const struct block *block, const uint8_t *residues, const int16_t *words, int64_t all, uint32_t g,
                      int64_t *sums)
{
    int32_t sum[TOGETHER_Y];
    for (uint32_t y = 0; y + 1 < g; y += TOGETHER_Y) {
        const uint32_t left = g - 1 - y, cells = left < TOGETHER_Y ? left : TOGETHER_Y;
        if (cells == TOGETHER_Y)
            sum_cells(block, residues, words, y, TOGETHER_Y, sum);
        else
            sum_cells(block, residues, words, y, TOGETHER_Y - 1, sum);
        for (uint32_t i = 0; i < cells; i++) {
            sums[y + i] += sum[i];
            all -= sum[i];
        }
    }
    sums[g - 1] += all;
}

_Static_assert(GATHER_ROWS *LDP_HASH_SCATTER_MOST <= INT16_MAX, "a lane holds the words of all rows of a block");

INLINE void scatter_words(const struct ldp_hash_functions *of, const int16_t *x, int64_t *sums)
{
    struct block block;
    union tables_8 tables[2 * TOGETHER] = {0};
    uint8_t residues[GATHER_ROWS * ROW];
    int16_t words[GATHER_ROWS * ROW];
    for (size_t v = 0; v < of->d; v += block.values) {
        block_init(&block, v, of->d, GATHER_ROWS, of->g);
        memset(words, 0, sizeof words);
        memcpy(words, x + v, block.values * sizeof *x);
        int64_t all = 0;
        for (size_t l = 0; l < block.values; l++)
            all += words[l];
        for (size_t j = 0; j < of->k; j++) {
            const uint8_t *const t0 = tables_at(of, &block, j, tables);
            for (size_t z = 0; z < block.rows; z++)
                _mm512_storeu_si512(residues + z * ROW, row_residues(&block, z, of->g, SCATTER_G, t0));
            cells_add(&block, residues, words, all, of->g, sums + j * of->g);
        }
    }
}

LDP_TARGET_avx512 static void scatter_avx512(const struct ldp_hash_functions *of, const int16_t *x, int64_t *sums)
{
    if (of->g > SCATTER_G)
        LANES(gather, of->g, of, NULL, NULL, x, sums);
    else
        scatter_words(of, x, sums);
}

LDP_TARGET_avx512 static void tables_avx512(const struct ldp_hash_functions *of, uint8_t *out)
{
    struct block block;
    block_init(&block, 0, of->d, GATHER_ROWS, of->g);
    for (size_t j = 0; j < of->k; j++)
        fill_pairs(key_of(of->seeds[j]), &block, of->g, out + j * block.entries);
}
