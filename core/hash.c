/* hash.c - a hash family for local hashing: five-wise independent, a few byte operations for 32 evaluations.
 *
 *   H(v) = (T0[x] + T1[z] + T2[x + z]) mod g,   v = 64 z + x, 0 <= x < 64,
 *
 * tables T0, T1, T2 of random residues mod g, made from the seed. Any set of at most five values v has one whose x, z
 * or x + z no other has (Thorup and Zhang, Tabulation based 5-universal hashing and linear probing, ALENEX 2010), so
 * five values are hashed independently and uniformly when the tables are random. With a user's own value among the
 * five, the supports of any four values have the joint law that ideal hashing gives them: more than the three-wise
 * independence that exact covariances ask for.
 *
 * A table entry is a word of a keyed mixer, scaled to g: floor(word g / 2^w) with w = 16 where g <= 128 and w = 32
 * elsewhere. A single entry is off uniform by a factor of at most 1 + g 2^-w, the sum of three by 1 + (g 2^-w)^3:
 * below 1 + 2^-27 where g <= 128, nothing where g is a power of two.
 *
 * Cost: 64 + d/64 + (d/64 + 63) words for a report, shared by its d evaluations; an evaluation is then an add, a
 * reduction (subtract, minimum), a compare and a count, on 8-bit lanes where g <= 128. */
#include "hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 64, GROUP = 32, NARROW_G = 128 };

/* A bijection of 32 bits with full avalanche (Wellons, hash-prospector, lowbias32). */
static inline uint32_t mix(uint32_t x)
{
    x ^= x >> 16;
    x *= UINT32_C(0x21f0aaad);
    x ^= x >> 15;
    x *= UINT32_C(0x735a2d97);
    x ^= x >> 15;
    return x;
}

struct key {
    uint32_t add0, multiply0, add1, multiply1;
};

/* Four Feistel rounds: each two consecutive words are a bijection of the seed. */
static inline struct key key_of(uint64_t seed)
{
    uint32_t lo = (uint32_t)seed, hi = (uint32_t)(seed >> 32);
    uint32_t a = lo + mix(hi + UINT32_C(0x9e3779b9));
    uint32_t b = hi ^ mix(a + UINT32_C(0x7f4a7c15));
    uint32_t c = a + mix(b + UINT32_C(0xf39cc060));
    uint32_t e = b ^ mix(c + UINT32_C(0x5cedc834));
    return (struct key){a, b | 1, c, e | 1};
}

/* The keyed mixer on a code that mix() has spread: no two codes share a word under any key. */
static inline uint32_t word(struct key key, uint32_t spread)
{
    uint32_t x = (spread + key.add0) * key.multiply0;
    x ^= x >> 16;
    x = (x + key.add1) * key.multiply1;
    x ^= x >> 15;
    x *= UINT32_C(0x9e3779b1);
    x ^= x >> 16;
    return x;
}

/* Entry i of a table. 16-bit words are the halves of a 32-bit one, 16 low halves before 16 high ones. */
static inline uint32_t entry(struct key key, uint32_t table, uint32_t i, uint32_t g)
{
    if (g > NARROW_G)
        return (uint32_t)((uint64_t)word(key, mix((table << 30) + i)) * g >> 32);
    uint32_t w = word(key, mix((table << 30) + i / GROUP * (GROUP / 2) + i % (GROUP / 2)));
    return ((i & GROUP / 2 ? w >> 16 : w & 0xffff) * g) >> 16;
}

static inline uint32_t reduce(uint32_t x, uint32_t g)
{
    return x >= g ? x - g : x;
}

static inline uint32_t evaluate(struct key key, uint32_t v, uint32_t g)
{
    uint32_t x = v % ROW, z = v / ROW;
    return reduce(reduce(entry(key, 0, x, g) + entry(key, 2, x + z, g), g) + entry(key, 1, z, g), g);
}

uint32_t ldp_hash(uint64_t seed, uint32_t v, uint32_t g)
{
    assert(g >= 1 && g <= LDP_HASH_G_MAX);
    return evaluate(key_of(seed), v, g);
}

void ldp_hash_clients_at(enum ldp_hash_level level, const uint32_t *values, size_t m, uint32_t g, uint64_t *reports)
{
    (void)level;
    for (size_t i = 0; i < m; i++)
        reports[2 * i + 1] = ldp_hash(reports[2 * i], values[i], g);
}

void ldp_hash_support_at(enum ldp_hash_level level, const uint64_t *reports, size_t m, size_t d, uint32_t g,
                         uint64_t *support)
{
    (void)level;
    for (size_t i = 0; i < m; i++)
        for (size_t v = 0; v < d; v++)
            support[v] += ldp_hash(reports[2 * i], (uint32_t)v, g) == reports[2 * i + 1];
}

void ldp_hash_gather_at(enum ldp_hash_level level, const uint64_t *seeds, size_t k, uint32_t g, const uint64_t *N,
                        size_t d, uint64_t *support)
{
    (void)level;
    for (size_t j = 0; j < k; j++)
        for (size_t v = 0; v < d; v++)
            support[v] += N[j * g + ldp_hash(seeds[j], (uint32_t)v, g)];
}

const char *ldp_hash_level_name(enum ldp_hash_level level)
{
    static const char *const names[LDP_HASH_LEVELS] = {"generic", "sse4", "avx2", "avx512"};
    return names[level];
}

bool ldp_hash_level_available(enum ldp_hash_level level)
{
    return level == LDP_HASH_GENERIC;
}

enum ldp_hash_level ldp_hash_level(void)
{
    const char *asked = getenv("LDPBENCH_SIMD");
    enum ldp_hash_level best = LDP_HASH_GENERIC;
    for (enum ldp_hash_level level = LDP_HASH_GENERIC; level < LDP_HASH_LEVELS; level++) {
        if (!ldp_hash_level_available(level))
            continue;
        if (asked && strcmp(asked, ldp_hash_level_name(level)) == 0)
            return level;
        best = level;
    }
    return best;
}

void ldp_hash_clients(const uint32_t *values, size_t m, uint32_t g, uint64_t *reports)
{
    ldp_hash_clients_at(ldp_hash_level(), values, m, g, reports);
}

void ldp_hash_support(const uint64_t *reports, size_t m, size_t d, uint32_t g, uint64_t *support)
{
    ldp_hash_support_at(ldp_hash_level(), reports, m, d, g, support);
}

void ldp_hash_gather(const uint64_t *seeds, size_t k, uint32_t g, const uint64_t *N, size_t d, uint64_t *support)
{
    ldp_hash_gather_at(ldp_hash_level(), seeds, k, g, N, d, support);
}
