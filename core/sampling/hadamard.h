/* hadamard.h - Walsh-Hadamard transforms and the histograms that go into them. H[x][y] = (-1)^popcount(x & y).
 * Internal to the core. */
#ifndef LDPBENCH_HADAMARD_H
#define LDPBENCH_HADAMARD_H

#include "ldp.h"

/* popcount(x) mod 2. */
static inline unsigned ldp_parity(uint64_t x)
{
    x ^= x >> 32;
    x ^= x >> 16;
    x ^= x >> 8;
    x ^= x >> 4;
    return 0x6996u >> (x & 15) & 1;
}

/* log2 K of a power of two. */
static inline unsigned ldp_log2(uint64_t K)
{
    unsigned bits = 0;
    while (K >> bits > 1)
        bits++;
    return bits;
}

/* a[x] becomes sum_y H[x][y] a[y]; K a power of two. */
void ldp_fwht(int64_t *a, size_t K);
void ldp_fwht_real(double *a, size_t K);

/* Histogram of uniform y with H[X][y] = +1, N[0][X] users for each X < K; it replaces N[0], and N[1] (all zero
 * before and after) is its work space. N[s] is N + s * stride; N[0][0] are users without a condition. */
void ldp_hadamard_histogram(struct ldp_rng *rng, int64_t *N, size_t stride, size_t K);

/* Histogram of uniform y with the sign of H[X][y], N[0][X] users for each X < K: N[0] becomes that of y with sign +1,
 * N[1] (all zero before) that of y with sign -1. N[s] is N + s * stride. */
void ldp_hadamard_signs(struct ldp_rng *rng, int64_t *N, size_t stride, size_t K);

/* True if there are so few users that drawing them one by one is faster than the butterfly. */
bool ldp_hadamard_few(const int64_t *users, size_t K);

/* Draws as ldp_hadamard_signs does, and adds to N, which does not overlap users[K]. */
void ldp_hadamard_add_signs(struct ldp_rng *rng, const int64_t *users, int64_t *N, size_t stride, size_t K);

/* Histogram of t independent uniform y_1 .. y_t with the signs of H[X][y_i], users[X] users for each X < K. Cell
 * N[Y 2^t + s], Y < K^t: bit l of y_i is bit i of the digit of 2^(t l) in Y, bit i of s is set where sign i is -1. N
 * and spare have room for (2 K)^t numbers each; spare is work space. */
void ldp_hadamard_words(struct ldp_rng *rng, const int64_t *users, size_t K, unsigned t, int64_t *N, int64_t *spare);

#endif
