/* hash.c - a hash family for local hashing: five-wise independent, a few byte operations per 32 evaluations.
 *
 *   H(v) = (T0[x] + T1[z] + T2[x + z]) mod g,   v = 64 z + x, 0 <= x < 64,
 *
 * tables T0, T1, T2 of random residues mod g, made from the seed. Any set of at most five values v has one whose x, z
 * or x + z no other has (Thorup and Zhang, Tabulation based 5-universal hashing and linear probing, ALENEX 2010), so
 * five values are hashed independently and uniformly when the tables are random. With a user's own value among the
 * five, the support counts of any four values have the joint law that ideal hashing gives them: more than the
 * three-wise independence that exact covariances need.
 *
 * A table entry is a word of a keyed mixer, scaled to g: floor(word g / 2^w) with w = 16 where g <= 128 and w = 32
 * elsewhere. The probability of a single entry differs from uniform by a factor of at most 1 + g 2^-w, the sum of three
 * by 1 + (g 2^-w)^3: below 1 + 2^-27 where g <= 128, and no difference if g is a power of two.
 *
 * Cost: 64 + d/64 + (d/64 + 63) words for a report, shared by its d evaluations; an evaluation is then an add, a
 * reduction (subtract, minimum), a compare and a count, on 8-bit lanes where g <= 128. */
#include "hashing/hash.h"
#include "simd/simd.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define INLINE LDP_INLINE

enum { ROW = 64, GROUP = 32, NARROW_G = 128 }; /* GROUP: entries that are packed together */

struct key {
    uint32_t add0, multiply0, add1, multiply1;
};

/* Four Feistel rounds: each two consecutive words are a bijection of the seed. */
INLINE struct key key_of(uint64_t seed)
{
    const uint32_t lo = (uint32_t)seed, hi = (uint32_t)(seed >> 32);
    const uint32_t a = lo + ldp_hash_mix(hi + UINT32_C(0x9e3779b9));
    const uint32_t b = hi ^ ldp_hash_mix(a + UINT32_C(0x7f4a7c15));
    const uint32_t c = a + ldp_hash_mix(b + UINT32_C(0xf39cc060));
    const uint32_t e = b ^ ldp_hash_mix(c + UINT32_C(0x5cedc834));
    return (struct key){a, b | 1, c, e | 1};
}

#define LAST_FACTOR UINT32_C(0x9e3779b1)

/* The keyed mixer on a code that ldp_hash_mix() has spread: no two codes share a word under any key. */
INLINE uint32_t word(struct key key, uint32_t spread)
{
    uint32_t x = (spread + key.add0) * key.multiply0;
    x ^= x >> 16;
    x = (x + key.add1) * key.multiply1;
    x ^= x >> 15;
    x *= LAST_FACTOR;
    x ^= x >> 16;
    return x;
}

/* floor(x g / 2^32). */
static inline uint32_t scale(uint32_t x, uint32_t g)
{
    return (uint32_t)((uint64_t)x * g >> 32);
}

/* Both 16-bit halves of x scaled to g <= 128, in bits 0-7 and 16-23. */
static inline uint32_t halves(uint32_t x, uint32_t g)
{
    return ((x & 0xffff) * g >> 16) | ((x >> 16) * g & 0xff0000);
}

/* Entry i of a table. Of 32 narrow entries, 4 l + b is half b / 2 of the word of code l + 8 (b mod 2), as hash_lanes.h
 * packs them. */
INLINE uint32_t entry(struct key key, uint32_t table, uint32_t i, uint32_t g, bool narrow)
{
    if (!narrow)
        return scale(word(key, ldp_hash_mix((table << 30) + i)), g);
    const uint32_t code = i / GROUP * (GROUP / 2) + i % GROUP / 4 + i % 2 * (GROUP / 4);
    const uint32_t both = halves(word(key, ldp_hash_mix((table << 30) + code)), g);
    return i & 2 ? both >> 16 : both & 0xff;
}

static inline uint32_t wrap(uint32_t sum, uint32_t g)
{
    return sum >= g ? sum - g : sum;
}

INLINE uint32_t evaluate(struct key key, uint32_t v, uint32_t g, bool narrow)
{
    const uint32_t x = v % ROW, z = v / ROW;
    const uint32_t sum = wrap(entry(key, 0, x, g, narrow) + entry(key, 2, x + z, g, narrow), g);
    return wrap(sum + entry(key, 1, z, g, narrow), g);
}

uint32_t ldp_hash(uint64_t seed, uint32_t v, uint32_t g)
{
    assert(g >= 1 && g <= LDP_HASH_G_MAX);
    return evaluate(key_of(seed), v, g, g <= NARROW_G);
}

/* Rows of 64 values that are counted together: counters and tables stay in the first-level cache. */
enum { ROWS_MAX = 128, GATHER_ROWS = 32, ENTRIES_MAX = ROW + ROWS_MAX + ROWS_MAX + ROW };

struct block {
    size_t rows, values;
    size_t first[3], entries;     /* where T0, T1, T2 start, where they end; multiples of GROUP */
    uint32_t spread[ENTRIES_MAX]; /* codes of the entries, spread by ldp_hash_mix() */
};

/* The block of the values from v on: at most rows_max rows, a multiple of GROUP, so that T1 and T2 start a group. */
INLINE void block_init(struct block *block, size_t v, size_t d, size_t rows_max, uint32_t g)
{
    block->values = d - v < rows_max * ROW ? d - v : rows_max * ROW;
    block->rows = (block->values + ROW - 1) / ROW;
    block->first[0] = 0;
    block->first[1] = ROW;
    block->first[2] = block->first[1] + (block->rows + GROUP - 1) / GROUP * GROUP;
    block->entries = block->first[2] + (block->rows + ROW - 1 + GROUP - 1) / GROUP * GROUP;
    const size_t last[3] = {block->first[1], block->first[2], block->entries};
    const size_t codes_of = g > NARROW_G ? 1 : 2; /* entries that share a code */
    for (uint32_t table = 0; table < 3; table++) {
        uint32_t code = (table << 30) + (uint32_t)((table == 0 ? 0 : v / ROW) / codes_of);
        for (size_t k = block->first[table] / codes_of; k < last[table] / codes_of; k++)
            block->spread[k] = ldp_hash_mix(code++);
    }
}

/* As block_init for g <= 128, in halves of groups: T0, T2 and T1 are 16 entries at a time, so that little is made that
 * is not used. Half h of a group has codes 4 h .. 4 h + 3 and 8 more, in these positions of a register. */
INLINE void block_of_halves(struct block *block, size_t v, size_t d)
{
    enum { HALF = GROUP / 2, CODES = GROUP / 2 };
    static const uint32_t order[3] = {0, 2, 1};
    block->values = d - v < ROWS_MAX * ROW ? d - v : ROWS_MAX * ROW;
    block->rows = (block->values + ROW - 1) / ROW;
    const size_t entries[3] = {ROW, block->rows, block->rows + ROW - 1};
    size_t half = 0;
    memset(block->spread, 0, sizeof block->spread);
    for (size_t i = 0; i < 3; i++) {
        const uint32_t table = order[i], start = (table << 30) + (uint32_t)((table == 0 ? 0 : v / ROW) / 2);
        block->first[table] = half * HALF;
        for (uint32_t h = 0; h < (entries[table] + HALF - 1) / HALF; h++, half++)
            for (uint32_t l = 0; l < 4; l++) {
                const uint32_t code = start + h / 2 * CODES + h % 2 * 4 + l;
                uint32_t *const at = block->spread + half / 2 * CODES + half % 2 * 4 + l;
                at[0] = ldp_hash_mix(code);
                at[CODES / 2] = ldp_hash_mix(code + CODES / 2);
            }
    }
    block->entries = (half + 1) / 2 * GROUP;
}

/* Keys of many reports at once: one at a time, their latency would limit the speed. */
enum { KEYS = 64 };

INLINE void keys(const uint64_t *reports, size_t m, struct key *key)
{
    for (size_t i = 0; i < m; i++)
        key[i] = key_of(reports[2 * i]);
}

#ifndef __SSE2__
static inline uint32_t little_endian(uint32_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap32(x);
#else
    return x;
#endif
}
#endif

#define LANE uint8_t
#define LANE_BITS 8
#define NAME(f) f##_8
#include "hashing/hash_lanes.h"

#define LANE uint16_t
#define LANE_BITS 16
#define NAME(f) f##_16
#include "hashing/hash_lanes.h"

#define LANE uint32_t
#define LANE_BITS 32
#define NAME(f) f##_32
#include "hashing/hash_lanes.h"

INLINE void clients(const uint32_t *values, size_t m, uint32_t g, uint64_t *reports)
{
    enum { CHUNK = 64 };
    assert(g >= 1 && g <= LDP_HASH_G_MAX);
    for (size_t i = 0; i < m; i += CHUNK) {
        const size_t chunk = m - i < CHUNK ? m - i : CHUNK;
        uint64_t seed[CHUNK];
        for (size_t l = 0; l < chunk; l++)
            seed[l] = reports[2 * (i + l)];
        uint32_t residue[CHUNK];
        if (g <= NARROW_G)
            for (size_t l = 0; l < chunk; l++)
                residue[l] = evaluate(key_of(seed[l]), values[i + l], g, true);
        else
            for (size_t l = 0; l < chunk; l++)
                residue[l] = evaluate(key_of(seed[l]), values[i + l], g, false);
        for (size_t l = 0; l < chunk; l++)
            reports[2 * (i + l) + 1] = residue[l];
    }
}

INLINE void make_tables(const struct ldp_hash_functions *of, uint8_t *out)
{
    struct block block;
    union tables_8 tables = {0};
    block_init(&block, 0, of->d, GATHER_ROWS, of->g);
    for (size_t j = 0; j < of->k; j++, out += block.entries) {
        fill_8(key_of(of->seeds[j]), &block, of->g, &tables);
        memcpy(out, tables.entry, block.entries);
    }
}

/* The function whose lanes hold residues mod g. */
#define LANES(function, g, ...)                                                                                        \
    ((g) <= NARROW_G   ? function##_8(__VA_ARGS__)                                                                     \
     : (g) <= 1u << 15 ? function##_16(__VA_ARGS__)                                                                    \
                       : function##_32(__VA_ARGS__))

/* Each level. Counters or bits of 8192 values are up to 32 KB of stack: smaller blocks make tables more often. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wframe-larger-than="
/* With instructions for bytes, and whole vectors. */
#ifdef __x86_64__
#undef LDP_TARGET_avx512
#ifdef __clang__
#define LDP_TARGET_avx512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define LDP_TARGET_avx512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
#define BELOW_AVX512(name, parameters, body)                                                                           \
    LDP_VECTOR(generic, void, name, parameters, body) LDP_VECTOR(avx2, void, name, parameters, body)
#else
#define BELOW_AVX512(name, parameters, body) LDP_VECTOR(generic, void, name, parameters, body)
#endif

LDP_DISPATCH(ldp_hash_clients, (const uint32_t *values, size_t m, uint32_t g, uint64_t *reports), clients,
             (values, m, g, reports))
LDP_VECTORS(void, rows, (const uint64_t *seeds, size_t k, uint32_t g, size_t first, size_t m, uint32_t *residues),
            LANES(rows, g, seeds, k, g, first, m, residues))
BELOW_AVX512(support, (const uint64_t *reports, size_t m, size_t d, uint32_t g, uint64_t *out),
             LANES(support, g, reports, m, d, g, out))
BELOW_AVX512(gather, (const struct ldp_hash_functions *of, const uint64_t *N, uint64_t *out),
             LANES(gather, of->g, of, N, out, NULL, NULL))
BELOW_AVX512(scatter, (const struct ldp_hash_functions *of, const int16_t *x, int64_t *sums),
             LANES(gather, of->g, of, NULL, NULL, x, sums))
BELOW_AVX512(tables, (const struct ldp_hash_functions *of, uint8_t *out), make_tables(of, out))

#ifdef __x86_64__
/* With AVX-512, bytes have instructions of their own. The first of these files has the tables of the others. */
#include <immintrin.h>
#undef INLINE
#define INLINE LDP_TARGET_avx512 LDP_INLINE
#include "hashing/hash_support.h"

#include "hashing/hash_gather.h"
#endif
#pragma GCC diagnostic pop

void ldp_hash_support(const uint64_t *reports, size_t m, size_t d, uint32_t g, uint64_t *support)
{
    assert(g >= 1 && g <= LDP_HASH_G_MAX && d <= UINT32_MAX);
    LDP_BEST(support)(reports, m, d, g, support);
}

void ldp_hash_gather(const struct ldp_hash_functions *functions, const uint64_t *N, uint64_t *support)
{
    assert(functions->g >= 1 && functions->g <= LDP_HASH_G_MAX && functions->d <= UINT32_MAX);
    LDP_BEST(gather)(functions, N, support);
}

/* One value under one function, by its tables. */
static uint32_t residue_at(const uint8_t *tables, const struct block *block, uint32_t v, uint32_t g)
{
    const uint8_t *const t0 = tables + v % ROW, *const t1 = tables + block->first[1] + v / ROW;
    return wrap(wrap((uint32_t)t0[0] + t0[block->first[2] + v / ROW], g) + *t1, g);
}

/* Of few values, which are at[0..some-1]. */
static void scatter_few(const struct ldp_hash_functions *of, const int16_t *x, const uint32_t *at, size_t some,
                        int64_t *sums)
{
    struct block block;
    block_init(&block, 0, of->d, GATHER_ROWS, of->g);
    for (size_t j = 0; j < of->k; j++)
        for (size_t i = 0; i < some; i++)
            sums[j * of->g + (of->tables ? residue_at(of->tables + j * block.entries, &block, at[i], of->g)
                                         : ldp_hash(of->seeds[j], at[i], of->g))] += x[at[i]];
}

void ldp_hash_scatter(const struct ldp_hash_functions *functions, const int16_t *x, int64_t *sums)
{
    enum { SOME = 256 };
    const size_t d = functions->d, part = d / (functions->tables ? 32 : 256), few = part < SOME ? part : SOME;
    size_t some = 0;
    uint32_t at[SOME + 1];
    assert(functions->g >= 1 && functions->g <= LDP_HASH_G_MAX && d <= UINT32_MAX);
    for (uint32_t v = 0; v < d && some <= few; v++) {
        at[some] = v;
        some += x[v] != 0;
    }
    if (some <= few)
        scatter_few(functions, x, at, some, sums);
    else
        LDP_BEST(scatter)(functions, x, sums);
}

size_t ldp_hash_tables_bytes(size_t k, uint32_t g, size_t d)
{
    struct block block;
    if (g > NARROW_G || d > LDP_HASH_BLOCK)
        return 0;
    block_init(&block, 0, d, GATHER_ROWS, g);
    return k * block.entries;
}

void ldp_hash_tables(const struct ldp_hash_functions *functions, uint8_t *tables)
{
    LDP_BEST(tables)(functions, tables);
}

void ldp_hash_rows(const uint64_t *seeds, size_t k, uint32_t g, size_t first, size_t m, uint32_t *residues)
{
    assert(g >= 1 && g <= LDP_HASH_G_MAX && first % LDP_HASH_BLOCK == 0 && m <= LDP_HASH_BLOCK);
    LDP_BEST(rows)(seeds, k, g, first, m, residues);
}
