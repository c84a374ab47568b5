/* affine.h - linear hash functions over GF(q): sums over the values with a hash value, for all functions at once.
 *
 * A value x < q^t is the vector of its base-q digits x_0 .. x_(t-1). A function is a vector a up to a factor, K_t =
 * (q^t-1)/(q-1) of them: its last nonzero coordinate a_r is 1, and it maps x to h(x) = -(x_r + sum_{j<r} a_j x_j). A
 * report is a function with a value y, and supports x if h(x) = y. Its number is q K_r + y q^r + the digits a_(r-1) ..
 * a_0. Its space is that of projective.h, with q^t below 2^32 and t from 1 on. Internal to the core. */
#ifndef LDPBENCH_GEOMETRY_AFFINE_H
#define LDPBENCH_GEOMETRY_AFFINE_H

#include "geometry/projective.h"

/* The number of the report of function a < K_t and value h(x) + shift. */
uint64_t ldp_affine_report(const struct ldp_projective *space, uint64_t x, uint64_t a, uint32_t shift);

/* Bytes of work space of the two functions below, aligned as by malloc. */
size_t ldp_affine_work(const struct ldp_projective *space);

/* Turns the histogram N[q K_t] of reports, which is overwritten, into sums[q^t]: reports that support each value. */
void ldp_affine_sum(const struct ldp_projective *space, uint64_t total, void *work, uint64_t *N, uint64_t *sums);

/* Adds to N[q K_t] a report of each of users[q^t]: a uniform function with the hash value of the user's value. users is
 * overwritten. */
void ldp_affine_split(const struct ldp_projective *space, struct ldp_rng *rng, void *work, uint64_t *users,
                      uint64_t *N);

#endif
