/* multinomials.h - uniform multinomials, many at once. Internal to the core. */
#ifndef LDPBENCH_MULTINOMIALS_H
#define LDPBENCH_MULTINOMIALS_H

#include "sampling/binomial_half.h"

/* The most numbers that one call of the functions of core/geometry draws, and so the most lanes for k cells. */
enum { LDP_MULTINOMIALS_ROOM = 8192 };

/* Whether many draws side by side are faster than one by one: a cell has more users than a word has bits. */
static inline bool ldp_multinomials_worth(uint64_t users, size_t k)
{
    return users / k > 64;
}

static inline size_t ldp_multinomials_lanes(size_t k)
{
    const size_t most = LDP_MULTINOMIALS_ROOM / k;
    return most < LDP_HALVES_MAX ? most : LDP_HALVES_MAX;
}

/* The users[i] of each i < m <= LDP_HALVES_MAX over k cells of equal weight: out[c * m + i] of them in cell c. The law
 * is that of ldp_multinomial_uniform; the result is the same at every vector level. */
void ldp_multinomials_uniform(struct ldp_rng *rng, size_t m, const uint64_t *users, size_t k, uint64_t *out);

#endif
