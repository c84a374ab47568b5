/* subsets.h - column sums of random 0/1 rows of fixed sizes, without making the rows. Internal to the core. */
#ifndef LDPBENCH_SUBSETS_H
#define LDPBENCH_SUBSETS_H

#include "ldp.h"

/* Bytes of scratch for d columns and sets of k. */
size_t ldp_subsets_bytes(size_t d, size_t k);

/* sum[v], v < d: how many of these rows contain v, 1 <= k < d: `rows` rows that are uniform sets of k columns, and for
 * each v forced[v] rows of v and a uniform set of k - 1 of the others. At most 2^53 rows. */
void ldp_subsets(struct ldp_rng *rng, size_t d, size_t k, double rows, const double *forced, void *scratch,
                 double *sum);

#endif
