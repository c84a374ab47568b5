/* hash_lanes.h - the loops of hash.c for one width of lanes; hash.c includes it for 8, 16 and 32 bits.
 *
 * LANE is the type of a residue, of a target and of a counter; NAME(f) the function f for that width. Sums of two
 * residues and the difference of a residue and 2 g fit a lane, and no residue has all bits set. */

/* Tables T0, T1 and T2 of one key for a block, one after the other. */
union NAME(tables) {
    LANE entry[ENTRIES_MAX];
    uint32_t packed[ENTRIES_MAX * sizeof(LANE) / 4];
};

INLINE void NAME(fill)(struct key key, const struct block *restrict block, uint32_t g,
                       union NAME(tables) *restrict tables)
{
#if LANE_BITS == 8 && defined __SSE2__
    /* One instruction scales both halves of a word, but compilers do not find it. */
    const __m128i wide_g = _mm_set1_epi16((short)g);
    uint32_t words[ENTRIES_MAX / 2];
    for (size_t k = 0; k < block->entries / 2; k++)
        words[k] = word(key, block->spread[k]);
    for (size_t k = 0; k < block->entries / 4; k += 4) {
        const uint32_t *const even = words + k / (GROUP / 4) * (GROUP / 2) + k % (GROUP / 4), *odd = even + GROUP / 4;
        const __m128i low = _mm_mulhi_epu16(_mm_loadu_si128((const __m128i *)(const void *)even), wide_g),
                      high = _mm_mulhi_epu16(_mm_loadu_si128((const __m128i *)(const void *)odd), wide_g);
        _mm_storeu_si128((__m128i *)(void *)(tables->packed + k), _mm_or_si128(low, _mm_slli_epi16(high, 8)));
    }
#elif LANE_BITS == 8
    for (size_t k = 0; k < block->entries / GROUP; k++) {
        const uint32_t *even = block->spread + k * (GROUP / 2), *odd = even + GROUP / 4;
        for (size_t l = 0; l < GROUP / 4; l++)
            tables->packed[k * (GROUP / 4) + l] =
                little_endian(halves(word(key, even[l]), g) | halves(word(key, odd[l]), g) << 8);
    }
#else
    for (size_t k = 0; k < block->entries; k++)
        tables->entry[k] = (LANE)scale(word(key, block->spread[k]), g);
#endif
}

INLINE LANE NAME(wrap)(LANE sum, LANE g)
{
    LANE less = (LANE)(sum - g);
    return less < sum ? less : sum; /* one unsigned minimum: sum - g wraps round where sum < g */
}

/* Turns T1 into the value of T0 + T2 for which the report supports a value of the row. */
INLINE void NAME(aim)(uint32_t y, const struct block *block, uint32_t g, LANE *table)
{
    LANE *target = table + block->first[1];
    for (size_t z = 0; z < block->rows; z++)
        target[z] = NAME(wrap)((LANE)(y + g - target[z]), (LANE)g);
}

/* Two reports at a time halve the traffic of the counters. */
INLINE void NAME(count)(const LANE *restrict a, const LANE *restrict b, const struct block *block, uint32_t wide_g,
                        LANE *restrict counter)
{
    LANE g = (LANE)wide_g;
    for (size_t z = 0; z < block->rows; z++) {
        const LANE *a2 = a + block->first[2] + z, *b2 = b + block->first[2] + z;
        LANE *row = counter + z * ROW, target_a = a[block->first[1] + z], target_b = b[block->first[1] + z];
        for (size_t x = 0; x < ROW; x++) {
            bool in_a = NAME(wrap)((LANE)(a[x] + a2[x]), g) == target_a;
            bool in_b = NAME(wrap)((LANE)(b[x] + b2[x]), g) == target_b;
            row[x] = (LANE)(row[x] + in_a + in_b);
        }
    }
}

INLINE void NAME(support)(const uint64_t *reports, size_t m, size_t d, uint32_t g, uint64_t *support)
{
    const size_t batch_max = LANE_BITS == 8 ? 254 : 65534; /* what a counter holds, even */
    struct block block;
    union NAME(tables) tables[2] = {0};
    LANE counter[ROWS_MAX * ROW];
    struct key key[KEYS];
    for (size_t v = 0; v < d; v += block.values) {
#if LANE_BITS == 8
        block_of_halves(&block, v, d);
#else
        block_init(&block, v, d, ROWS_MAX, g);
#endif
        for (size_t i = 0; i < m; i += batch_max) {
            size_t batch = m - i < batch_max ? m - i : batch_max;
            memset(counter, 0, block.rows * ROW * sizeof *counter);
            for (size_t j = 0; j < batch; j += 2) {
                if (j % KEYS == 0)
                    keys(reports + 2 * (i + j), batch - j < KEYS ? batch - j : KEYS, key);
                for (size_t k = 0; k < 2 && j + k < batch; k++) {
                    NAME(fill)(key[(j + k) % KEYS], &block, g, &tables[k]);
                    NAME(aim)((uint32_t)reports[2 * (i + j + k) + 1], &block, g, tables[k].entry);
                }
                if (j + 1 == batch) /* the last report has no partner: one that supports nothing */
                    memset(tables[1].entry + block.first[1], 0xff, block.rows * sizeof(LANE));
                NAME(count)(tables[0].entry, tables[1].entry, &block, g, counter);
            }
            for (size_t l = 0; l < block.values; l++)
                support[v + l] += counter[l];
        }
    }
}

/* Residues of the values of row z of a block. */
INLINE void NAME(residues)(const LANE *t0, const struct block *block, size_t z, LANE g, LANE *restrict residue)
{
    const LANE *t2 = t0 + block->first[2] + z;
    LANE t1 = t0[block->first[1] + z];
    for (size_t x = 0; x < ROW; x++)
        residue[x] = NAME(wrap)((LANE)(NAME(wrap)((LANE)(t0[x] + t2[x]), g) + t1), g);
}

/* Either adds to support what N has in the cells of values, or to N what x is of the values of cells. */
INLINE void NAME(gather)(const struct ldp_hash_functions *of, const uint64_t *N, uint64_t *support, const int16_t *x,
                         int64_t *sums)
{
    const uint32_t g = of->g;
    struct block block;
    union NAME(tables) tables = {0};
    LANE residue[ROW];
    for (size_t v = 0; v < of->d; v += block.values) {
        block_init(&block, v, of->d, GATHER_ROWS, g);
        for (size_t j = 0; j < of->k; j++) {
            if (LANE_BITS == 8 && of->tables)
                memcpy(tables.entry, of->tables + j * block.entries, block.entries);
            else
                NAME(fill)(key_of(of->seeds[j]), &block, g, &tables);
            for (size_t z = 0; z < block.rows; z++) {
                NAME(residues)(tables.entry, &block, z, (LANE)g, residue);
                const size_t first = v + z * ROW, left = block.values - z * ROW, size = left < ROW ? left : ROW;
                for (size_t i = 0; !x && i < size; i++)
                    support[first + i] += N[j * g + residue[i]];
                for (size_t i = 0; x && i < size; i++)
                    sums[j * g + residue[i]] += x[first + i];
            }
        }
    }
}

INLINE void NAME(rows)(const uint64_t *seeds, size_t k, uint32_t g, size_t v, size_t m, uint32_t *residues)
{
    struct block block;
    union NAME(tables) tables = {0};
    LANE residue[ROW];
    block_init(&block, v, v + m, GATHER_ROWS, g);
    for (size_t j = 0; j < k; j++) {
        NAME(fill)(key_of(seeds[j]), &block, g, &tables);
        for (size_t z = 0; z < block.rows; z++) {
            NAME(residues)(tables.entry, &block, z, (LANE)g, residue);
            for (size_t x = 0; x < ROW; x++)
                residues[j * LDP_HASH_BLOCK + z * ROW + x] = residue[x];
        }
    }
}

#undef LANE
#undef LANE_BITS
#undef NAME
