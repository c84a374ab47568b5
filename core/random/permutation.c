/* permutation.c - random permutations of any size without a table.
 *
 * The numbers below rows * columns, which is only slightly above size, are pairs (row, column). A round adds a random
 * function of the column to the row, modulo rows; the next one a function of the row to the column: a Feistel network
 * (Black, Rogaway, CT-RSA 2002, for sizes that are no power of two). An image outside 0 .. size-1 is mapped again until
 * it is inside.
 *
 * For random functions, two rounds reduce the deviation of the probability that two values share their column from its
 * limit to at most 1/(rows columns) of what it was, so few rounds are enough; the number here brings it below 2^-40. */
#include "random/permutation.h"

#include <assert.h>

enum { TOGETHER = 16 };

/* A random function of x to 0 .. range-1. */
static inline uint64_t scatter(const uint64_t key[2], uint64_t x, uint64_t range)
{
    uint64_t z = (x ^ key[0]) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 32) * key[1];
    return (z >> 32) * range >> 32;
}

void ldp_permutation_init(struct ldp_permutation *permutation, uint64_t seed, const char *purpose, uint64_t size)
{
    assert(size >= 1 && size <= UINT32_MAX);
    uint64_t rows = 2;
    while (rows * rows < size)
        rows++;
    const uint64_t columns = (size - 1) / rows + 1 > 2 ? (size - 1) / rows + 1 : 2;
    unsigned rounds = 2;
    const double off = 1 / ((double)rows * (double)columns);
    double left = off;
    while (left > 0x1p-40) {
        left *= off;
        rounds += 2;
    }
    assert(rounds <= LDP_PERMUTATION_ROUNDS);
    *permutation = (struct ldp_permutation){.size = size, .rows = rows, .columns = columns, .rounds = rounds};
    struct ldp_rng rng;
    ldp_rng_stream(&rng, seed, purpose, 0);
    for (unsigned i = 0; i < rounds; i++) {
        permutation->key[i][0] = ldp_rng_next(&rng);
        permutation->key[i][1] = ldp_rng_next(&rng) | 1;
    }
}

/* All rounds for a few values together, so that their multiplications overlap. */
static void permute(const struct ldp_permutation *permutation, uint32_t *x, size_t m)
{
    const uint64_t rows = permutation->rows, columns = permutation->columns;
    uint64_t row[TOGETHER], column[TOGETHER];
    for (size_t i = 0; i < m; i++) {
        row[i] = x[i] / (uint32_t)columns;
        column[i] = x[i] - row[i] * columns;
    }
    for (unsigned round = 0; round < permutation->rounds; round += 2)
        for (size_t i = 0; i < m; i++) {
            row[i] += scatter(permutation->key[round], column[i], rows);
            row[i] -= row[i] >= rows ? rows : 0;
            column[i] += scatter(permutation->key[round + 1], row[i], columns);
            column[i] -= column[i] >= columns ? columns : 0;
        }
    for (size_t i = 0; i < m; i++)
        x[i] = (uint32_t)(row[i] * columns + column[i]);
}

void ldp_permutation_apply(const struct ldp_permutation *permutation, uint32_t *x, size_t m)
{
    for (size_t start = 0; start < m; start += TOGETHER) {
        const size_t end = start + TOGETHER < m ? start + TOGETHER : m;
        permute(permutation, x + start, end - start);
        for (size_t i = start; i < end; i++)
            while (x[i] >= permutation->size)
                permute(permutation, x + i, 1);
    }
}

void ldp_permute(uint64_t seed, const char *purpose, uint64_t size, uint32_t *x, size_t m)
{
    struct ldp_permutation permutation;
    ldp_permutation_init(&permutation, seed, purpose, size);
    ldp_permutation_apply(&permutation, x, m);
}
