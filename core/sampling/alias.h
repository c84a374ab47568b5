/* alias.h - binomial draws of a few trials from tables, by the alias method. Internal to the core. */
#ifndef LDPBENCH_ALIAS_H
#define LDPBENCH_ALIAS_H

#include "random/rng.h"

/* The most trials of a table, so that an outcome fits into a byte. */
enum { LDP_ALIAS_MAX = 128 };

/* The table of Binomial(n, p), n <= LDP_ALIAS_MAX, 0 <= p <= 1: cell[n + 1]. */
void ldp_alias_binomial(size_t n, double p, uint64_t *cell);

/* The table of Binomial(n, p), 0 < p < 1, of its outcomes first .. first + count - 1; the others have less than 2^-70
 * of the largest probability, and are left out. count = 0: there are more than LDP_ALIAS_COUNT_MAX such outcomes. A
 * draw of ldp_alias_draw(cell, count - 1, rng) is to be added to `first`. */
enum { LDP_ALIAS_COUNT_MAX = 256 };
struct ldp_alias_part {
    uint64_t first;
    size_t count;
    uint64_t cell[LDP_ALIAS_COUNT_MAX];
};
void ldp_alias_part(uint64_t n, double p, struct ldp_alias_part *part);

/* A draw from a table of n + 1 cells: the word's product with their number chooses a cell by its upper half, and by its
 * lower half between the cell's own outcome and the other outcome that the cell names. No branch, one word. */
static inline uint64_t ldp_alias_draw(const uint64_t *cell, size_t n, struct ldp_rng *rng)
{
    const ldp_uint128 product = (ldp_uint128)rng_next(rng) * (n + 1);
    const uint64_t own = (uint64_t)(product >> 64), at = cell[own];
    return (uint64_t)product >> 8 < at >> 8 ? own : at & 255;
}

/* m draws of ldp_alias_draw, side by side. */
void ldp_alias_draws(const uint64_t *cell, size_t n, struct ldp_rng *rng, size_t m, double *out);

#endif
