/* hash_planes.h - support counting for 1 < g <= 128 in planes of bits, for AVX-512 with VBMI, VPOPCNTDQ and GFNI. A
 * word of 64 bits has one bit of the same table entry of 64 reports, and a vector has those of eight entries. hash.c
 * includes it. The sums are those of support_8.
 *
 * Residues have b bits. T0 is stored as T0 + 2^b - g, so that its sum with T2 carries out of b bits exactly where
 * T0 + T2 >= g; the low bits are then the residue, and without a carry the residue + 2^b - g. A report therefore
 * supports a value if these bits equal its target (y - T1) mod g, or target + 2^b - g where nothing is carried. Where g
 * is a power of two, both are the same. An addition takes two operations a bit and a comparison one, for 512
 * evaluations; the ones of a word are the reports that support its value. */
enum { TOGETHER = 64, BITS_MAX = 7, UNIT = 8 /* entries that are made at once */, UNIT_CODES = UNIT / 2 };

#define PLANES TARGET_gfni static inline __attribute__((always_inline))

/* Keys and residues of the reports. */
struct together {
    uint32_t add0[TOGETHER], multiply0[TOGETHER], add1[TOGETHER], multiply1[TOGETHER];
    uint16_t y[TOGETHER];
};

/* Bit j of word k of plane i: bit i of entry k of report j. */
struct planes {
    alignas(64) uint64_t t0[BITS_MAX][ROW], t2[BITS_MAX][ROWS_MAX + ROW], target[2][BITS_MAX][ROWS_MAX];
};

/* The compiler would rather load a number twice than copy its register, and loads are what limits the speed. */
PLANES __m512i load_once(const uint64_t *from)
{
    __m512i x = _mm512_loadu_si512(from);
    __asm__("" : "+v"(x));
    return x;
}

PLANES void together_of(const uint64_t *reports, struct together *together)
{
    for (size_t j = 0; j < TOGETHER; j++) {
        const struct key key = key_of(reports[2 * j]);
        together->add0[j] = key.add0;
        together->multiply0[j] = key.multiply0;
        together->add1[j] = key.add1;
        together->multiply1[j] = key.multiply1;
        together->y[j] = (uint16_t)reports[2 * j + 1];
    }
}

/* The words of one code, of 16 reports from j on, but for the mixer's last step. */
PLANES __m512i words_of_16(const struct together *together, size_t j, uint32_t spread)
{
    const __m512i key[4] = {_mm512_loadu_si512(together->add0 + j), _mm512_loadu_si512(together->multiply0 + j),
                            _mm512_loadu_si512(together->add1 + j), _mm512_loadu_si512(together->multiply1 + j)};
    return mixed(_mm512_set1_epi32((int)spread), key);
}

/* Bytes of 64 reports, from words of 32 and 32. Their order is that of the instruction, and the same everywhere. */
PLANES __m512i bytes_of(const __m512i words[2])
{
    return _mm512_packus_epi16(words[0], words[1]);
}

/* Eight entries of 64 reports each, a byte a residue. */
PLANES void unit_of(const struct together *together, const uint32_t spread[UNIT_CODES], uint32_t wide_g,
                    __m512i unit[UNIT])
{
    static const uint16_t even[32] = {0,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
                                      32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62};
    const __m512i g = _mm512_set1_epi16((short)wide_g), low_halves = _mm512_loadu_si512(even),
                  high_halves = _mm512_add_epi16(low_halves, _mm512_set1_epi16(1));
#pragma GCC unroll 4
    for (size_t c = 0; c < UNIT_CODES; c++) {
        __m512i low[2], high[2];
#pragma GCC unroll 2
        for (size_t k = 0; k < 2; k++) {
            const __m512i first = words_of_16(together, 32 * k, spread[c]),
                          second = words_of_16(together, 32 * k + 16, spread[c]);
            high[k] = _mm512_permutex2var_epi16(first, high_halves, second);
            low[k] = _mm512_xor_si512(_mm512_permutex2var_epi16(first, low_halves, second), high[k]);
            high[k] = _mm512_mulhi_epu16(high[k], g);
            low[k] = _mm512_mulhi_epu16(low[k], g);
        }
        const size_t l = c / 2 * 4 + c % 2;
        unit[l] = bytes_of(low);
        unit[l + 2] = bytes_of(high);
    }
}

/* Planes of eight entries: to[i stride .. + 7]. */
PLANES void unit_store(const __m512i unit[UNIT], unsigned b, uint64_t *to, size_t stride)
{
    static const uint8_t order[2][64] = {
        {0,   8,   16,  24,  32, 40, 48, 56,  64,  72,  80, 88, 96, 104, 112, 120, 2,   10,  18,  26, 34, 42,
         50,  58,  66,  74,  82, 90, 98, 106, 114, 122, 4,  12, 20, 28,  36,  44,  52,  60,  68,  76, 84, 92,
         100, 108, 116, 124, 6,  14, 22, 30,  38,  46,  54, 62, 70, 78,  86,  94,  102, 110, 118, 126},
        {1,   9,   17,  25,  33, 41, 49, 57,  65,  73,  81, 89, 97, 105, 113, 121, 3,   11,  19,  27, 35, 43,
         51,  59,  67,  75,  83, 91, 99, 107, 115, 123, 5,  13, 21, 29,  37,  45,  53,  61,  69,  77, 85, 93,
         101, 109, 117, 125, 7,  15, 23, 31,  39,  47,  55, 63, 71, 79,  87,  95,  103, 111, 119, 127}};
    const __m512i diagonal = _mm512_set1_epi64((long long)UINT64_C(0x8040201008040201));
    __m512i pair[2][4], four[4][2];
#pragma GCC unroll 4
    for (size_t e = 0; e < 4; e++) {
        const __m512i a = _mm512_gf2p8affine_epi64_epi8(diagonal, unit[2 * e], 0),
                      c = _mm512_gf2p8affine_epi64_epi8(diagonal, unit[2 * e + 1], 0);
        pair[0][e] = _mm512_permutex2var_epi8(a, _mm512_loadu_si512(order[0]), c);
        pair[1][e] = _mm512_permutex2var_epi8(a, _mm512_loadu_si512(order[1]), c);
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < 4; i++)
#pragma GCC unroll 2
        for (size_t e = 0; e < 2; e++)
            four[i][e] = i < 2 ? _mm512_shuffle_i64x2(pair[i % 2][2 * e], pair[i % 2][2 * e + 1], 0x88)
                               : _mm512_shuffle_i64x2(pair[i % 2][2 * e], pair[i % 2][2 * e + 1], 0xdd);
#pragma GCC unroll 7
    for (unsigned i = 0; i < BITS_MAX; i++)
        if (i < b)
            _mm512_storeu_si512(to + i * stride, i < 4 ? _mm512_shuffle_i64x2(four[i % 4][0], four[i % 4][1], 0x88)
                                                       : _mm512_shuffle_i64x2(four[i % 4][0], four[i % 4][1], 0xdd));
}

/* A block's codes, spread, in units. */
struct units {
    size_t values, rows, t1, t2; /* units of T1, T2 */
    uint32_t t0_spread[ROW / 2], t1_spread[ROWS_MAX / 2], t2_spread[(ROWS_MAX + ROW) / 2];
};

PLANES void spread_units(uint32_t start, size_t units, uint32_t *spread)
{
    for (uint32_t u = 0; u < units; u++)
        for (uint32_t c = 0; c < UNIT_CODES; c++)
            spread[u * UNIT_CODES + c] =
                ldp_hash_mix(start + u / 4 * (GROUP / 2) + u % 4 * 2 + c / 2 + c % 2 * (GROUP / 4));
}

PLANES void units_init(struct units *units, size_t v, size_t d)
{
    const uint32_t start = (uint32_t)(v / ROW / 2);
    units->values = d - v < ROWS_MAX * ROW ? d - v : ROWS_MAX * ROW;
    units->rows = (units->values + ROW - 1) / ROW;
    units->t1 = (units->rows + UNIT - 1) / UNIT;
    units->t2 = (units->rows + ROW - 1 + UNIT - 1) / UNIT;
    spread_units(0, ROW / UNIT, units->t0_spread);
    spread_units((UINT32_C(1) << 30) + start, units->t1, units->t1_spread);
    spread_units((UINT32_C(2) << 30) + start, units->t2, units->t2_spread);
}

PLANES void planes_of(const struct together *together, const struct units *units, uint32_t wide_g, unsigned b,
                      struct planes *planes)
{
    const __m512i g = _mm512_set1_epi8((char)wide_g), above = _mm512_set1_epi8((char)((1u << b) - wide_g)),
                  words[2] = {_mm512_loadu_si512(together->y), _mm512_loadu_si512(together->y + 32)},
                  from = _mm512_add_epi8(bytes_of(words), g);
    __m512i unit[UNIT];
    for (size_t u = 0; u < ROW / UNIT; u++) {
        unit_of(together, units->t0_spread + u * UNIT_CODES, wide_g, unit);
        for (size_t k = 0; k < UNIT; k++)
            unit[k] = _mm512_add_epi8(unit[k], above);
        unit_store(unit, b, &planes->t0[0][u * UNIT], ROW);
    }
    for (size_t u = 0; u < units->t2; u++) {
        unit_of(together, units->t2_spread + u * UNIT_CODES, wide_g, unit);
        unit_store(unit, b, &planes->t2[0][u * UNIT], ROWS_MAX + ROW);
    }
    for (size_t u = 0; u < units->t1; u++) {
        unit_of(together, units->t1_spread + u * UNIT_CODES, wide_g, unit);
        for (size_t k = 0; k < UNIT; k++) {
            const __m512i sum = _mm512_sub_epi8(from, unit[k]);
            unit[k] = _mm512_min_epu8(sum, _mm512_sub_epi8(sum, g));
        }
        unit_store(unit, b, &planes->target[0][0][u * UNIT], ROWS_MAX);
        if (wide_g == 1u << b)
            continue;
        for (size_t k = 0; k < UNIT; k++)
            unit[k] = _mm512_add_epi8(unit[k], above);
        unit_store(unit, b, &planes->target[1][0][u * UNIT], ROWS_MAX);
    }
}

/* Functions of three bits, as the instruction takes them. */
enum { EXCLUSIVE_OR = 0x96, MAJORITY = 0xe8, OR_DIFFERENT = 0xf6 /* a | (b ^ c) */, SELECT = 0xca /* a ? b : c */ };

/* A sum so far: its carry, and ones where its low bits differ from the target, or from the target + 2^b - g. */
struct sum {
    __m512i carry, not_near, not_far;
};

PLANES struct sum first_bit(__m512i a, __m512i c, __m512i near, __m512i far)
{
    const __m512i bit = _mm512_xor_si512(a, c);
    return (struct sum){_mm512_and_si512(a, c), _mm512_xor_si512(bit, near), _mm512_xor_si512(bit, far)};
}

PLANES struct sum next_bit(struct sum sum, __m512i a, __m512i c, __m512i near, __m512i far)
{
    const __m512i bit = _mm512_ternarylogic_epi64(a, c, sum.carry, EXCLUSIVE_OR);
    return (struct sum){_mm512_ternarylogic_epi64(sum.carry, a, c, MAJORITY),
                        _mm512_ternarylogic_epi64(sum.not_near, bit, near, OR_DIFFERENT),
                        _mm512_ternarylogic_epi64(sum.not_far, bit, far, OR_DIFFERENT)};
}

/* The number of reports that support each of eight values. */
PLANES __m512i supporters(struct sum sum, bool power)
{
    const __m512i others =
        power ? sum.not_near : _mm512_ternarylogic_epi64(sum.carry, sum.not_near, sum.not_far, SELECT);
    return _mm512_popcnt_epi64(_mm512_xor_si512(others, _mm512_set1_epi64(-1)));
}

/* Adds to support the number of reports that support each value of the rows z .. z + rows - 1, at most two: they share
 * the loads of T0. */
PLANES void count_rows(const struct planes *planes, size_t z, size_t rows, unsigned b, bool power, uint64_t *support)
{
    __m512i near[2][BITS_MAX], far[2][BITS_MAX];
#pragma GCC unroll 7
    for (unsigned i = 0; i < b; i++)
#pragma GCC unroll 2
        for (size_t r = 0; r < rows; r++) {
            near[r][i] = _mm512_set1_epi64((long long)planes->target[0][i][z + r]);
            far[r][i] = power ? near[r][i] : _mm512_set1_epi64((long long)planes->target[1][i][z + r]);
        }
    for (size_t x = 0; x < ROW; x += 8) {
        struct sum sum[2];
#pragma GCC unroll 7
        for (unsigned i = 0; i < b; i++) {
            const __m512i a = load_once(&planes->t0[i][x]);
#pragma GCC unroll 2
            for (size_t r = 0; r < rows; r++) {
                const __m512i c = load_once(&planes->t2[i][x + z + r]);
                sum[r] =
                    i == 0 ? first_bit(a, c, near[r][0], far[r][0]) : next_bit(sum[r], a, c, near[r][i], far[r][i]);
            }
        }
#pragma GCC unroll 2
        for (size_t r = 0; r < rows; r++) {
            uint64_t *const at = support + r * ROW + x;
            _mm512_storeu_si512(at, _mm512_add_epi64(_mm512_loadu_si512(at), supporters(sum[r], power)));
        }
    }
}

PLANES void count_block(const struct planes *planes, const struct units *units, unsigned b, bool power,
                        uint64_t *support)
{
    const size_t full = units->values / ROW, left = units->values % ROW;
    for (size_t z = 0; z + 2 <= full; z += 2)
        count_rows(planes, z, 2, b, power, support + z * ROW);
    if (full % 2 > 0)
        count_rows(planes, full - 1, 1, b, power, support + (full - 1) * ROW);
    if (left > 0) {
        uint64_t row[ROW] = {0};
        count_rows(planes, full, 1, b, power, row);
        for (size_t x = 0; x < left; x++)
            support[full * ROW + x] += row[x];
    }
}

typedef void count_function(const struct planes *planes, const struct units *units, uint64_t *support);

#define COUNT(b)                                                                                                       \
    TARGET_gfni static void count_power_##b(const struct planes *planes, const struct units *units, uint64_t *support) \
    {                                                                                                                  \
        count_block(planes, units, b, true, support);                                                                  \
    }                                                                                                                  \
    TARGET_gfni static void count_sum_##b(const struct planes *planes, const struct units *units, uint64_t *support)   \
    {                                                                                                                  \
        count_block(planes, units, b, false, support);                                                                 \
    }
COUNT(1)
COUNT(2)
COUNT(3)
COUNT(4)
COUNT(5)
COUNT(6)
COUNT(7)

/* m is a multiple of TOGETHER. */
TARGET_gfni static void support_planes(const uint64_t *reports, size_t m, size_t d, uint32_t g, uint64_t *support)
{
    static count_function *const functions[BITS_MAX][2] = {{count_sum_1, count_power_1}, {count_sum_2, count_power_2},
                                                           {count_sum_3, count_power_3}, {count_sum_4, count_power_4},
                                                           {count_sum_5, count_power_5}, {count_sum_6, count_power_6},
                                                           {count_sum_7, count_power_7}};
    const unsigned b = 32 - (unsigned)__builtin_clz(g - 1);
    count_function *const count = functions[b - 1][g == 1u << b];
    struct units units;
    struct together together;
    struct planes planes;
    for (size_t v = 0; v < d; v += units.values) {
        units_init(&units, v, d);
        for (size_t i = 0; i < m; i += TOGETHER) {
            together_of(reports + 2 * i, &together);
            planes_of(&together, &units, g, b, &planes);
            count(&planes, &units, support + v);
        }
    }
}
