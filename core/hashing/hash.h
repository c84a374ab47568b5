/* hash.h - the hash family of local hashing (olh, blh, flh): its definition, clients in batches, support counting.
 * Internal to the core. */
#ifndef LDPBENCH_HASH_H
#define LDPBENCH_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest hashed domain. */
#define LDP_HASH_G_MAX (UINT32_C(1) << 31)

/* H_seed(v) in 0 .. g-1, 1 <= g <= LDP_HASH_G_MAX. Over a uniform 64-bit seed any five values are independent and
 * uniform (see hash.c for the error). */
uint32_t ldp_hash(uint64_t seed, uint32_t v, uint32_t g);

/* Clients: reports[2 i] holds a seed, reports[2 i + 1] becomes H_seed(values[i]), for i < m. */
void ldp_hash_clients(const uint32_t *values, size_t m, uint32_t g, uint64_t *reports);

/* Server of olh and blh: m reports (seed, y), y < g; adds to support[v] the number of reports with H_seed(v) == y, for
 * each v < d. */
void ldp_hash_support(const uint64_t *reports, size_t m, size_t d, uint32_t g, uint64_t *support);

/* Functions of flh's server, for the values below d. */
struct ldp_hash_functions {
    const uint64_t *seeds; /* [k] */
    size_t k, d;
    uint32_t g;
    const uint8_t *tables; /* of ldp_hash_tables; NULL: made in each pass */
};

/* What passes need not make again: bytes, 0 if g or d is too large. */
size_t ldp_hash_tables_bytes(size_t k, uint32_t g, size_t d);
void ldp_hash_tables(const struct ldp_hash_functions *functions, uint8_t *tables);

/* support[v] grows by the sum over j < k of N[j g + H_seeds[j](v)], for each v < d. */
void ldp_hash_gather(const struct ldp_hash_functions *functions, const uint64_t *N, uint64_t *support);

/* The transpose: sums[j g + H_seeds[j](v)] grows by x[v], for each j < k and v < d; no |x| above LDP_HASH_SCATTER_MOST.
 */
enum { LDP_HASH_SCATTER_MOST = 1023 };
void ldp_hash_scatter(const struct ldp_hash_functions *functions, const int16_t *x, int64_t *sums);

/* Residues of the values first .. first + m - 1 under k functions: residues[j LDP_HASH_BLOCK + i] is H_seeds[j](first +
 * i). first is a multiple of LDP_HASH_BLOCK, m <= LDP_HASH_BLOCK; entries after m, up to a multiple of 64, are
 * overwritten. */
enum { LDP_HASH_BLOCK = 2048 };
void ldp_hash_rows(const uint64_t *seeds, size_t k, uint32_t g, size_t first, size_t m, uint32_t *residues);

/* Seed j of a family of functions: splitmix64 (Steele, Lea, Flood, OOPSLA 2014), a bijection of j. */
static inline uint64_t ldp_hash_seed(uint64_t family, uint64_t j)
{
    uint64_t z = family + (j + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A bijection of 32 bits with full avalanche (Wellons, hash-prospector, lowbias32). */
static inline uint32_t ldp_hash_mix(uint32_t x)
{
    x ^= x >> 16;
    x *= UINT32_C(0x21f0aaad);
    x ^= x >> 15;
    x *= UINT32_C(0x735a2d97);
    x ^= x >> 15;
    return x;
}

#endif
