/* permutation.h - public random permutations of 0 .. size-1, evaluated at single values. Internal to the core. */
#ifndef LDPBENCH_PERMUTATION_H
#define LDPBENCH_PERMUTATION_H

#include "ldp.h"

enum { LDP_PERMUTATION_ROUNDS = 40 };

struct ldp_permutation {
    uint64_t size, rows, columns;
    unsigned rounds; /* even */
    uint64_t key[LDP_PERMUTATION_ROUNDS][2];
};

/* The permutation of this seed and purpose; 1 <= size < 2^32. */
void ldp_permutation_init(struct ldp_permutation *permutation, uint64_t seed, const char *purpose, uint64_t size);

/* Replaces x[i] < size by its image, for i < m. */
void ldp_permutation_apply(const struct ldp_permutation *permutation, uint32_t *x, size_t m);

/* Both, for few. */
void ldp_permute(uint64_t seed, const char *purpose, uint64_t size, uint32_t *x, size_t m);

#endif
