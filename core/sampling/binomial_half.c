/* binomial_half.c - fair binomial draws, many at once.
 *
 *   four neighbours below 16   ones among n of 16 bits each, in one word
 *   n <= 256                   ones among n bits of one to four words
 *   else                       side by side (binomials.h), one by one if they are few or above 2^53 */
#include "sampling/binomial_half.h"
#include "numerics/popcount.h"
#include "random/rng.h"
#include "sampling/binomials.h"
#include "simd/simd.h"

#include <assert.h>

enum { SIDE = 4, FIELD = 16, WORD = 64, WORDS = 4 * WORD, FEW = 16 };

/* Draws that no word decides. */
struct pending {
    double n[LDP_HALVES_MAX], p[LDP_HALVES_MAX];
    uint32_t to[LDP_HALVES_MAX];
    size_t m;
};

/* Four totals below FIELD. */
LDP_INLINE void toss_fields(struct ldp_rng *rng, const uint64_t *total, uint64_t *heads)
{
    uint64_t used = 0;
    for (unsigned i = 0; i < SIDE; i++)
        used |= ((UINT64_C(1) << total[i]) - 1) << i * FIELD;
    uint64_t x = rng_next(rng) & used;
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    x += x >> 8;
    for (unsigned i = 0; i < SIDE; i++)
        heads[i] = x >> i * FIELD & 31;
}

LDP_INLINE void toss(struct ldp_rng *rng, uint64_t n, size_t at, struct pending *pending, uint64_t *heads)
{
    if (n == 0) {
        heads[at] = 0;
    } else if (n <= WORDS) {
        uint64_t ones = 0;
        for (; n > WORD; n -= WORD)
            ones += ldp_bits_count(rng_next(rng));
        heads[at] = ones + ldp_bits_count(rng_next(rng) >> (WORD - n));
    } else if (n > LDP_USERS_MAX) {
        heads[at] = ldp_binomial(rng, n, 0.5);
    } else {
        pending->n[pending->m] = (double)n;
        pending->p[pending->m] = 0.5;
        pending->to[pending->m++] = (uint32_t)at;
    }
}

LDP_INLINE void toss_all(struct ldp_rng *rng, size_t m, const uint64_t *total, struct pending *pending, uint64_t *heads)
{
    struct ldp_rng own = *rng;
    size_t i = 0;
    for (; i + SIDE <= m; i += SIDE) {
        const uint64_t *const of = total + i;
        if ((of[0] | of[1] | of[2] | of[3]) < FIELD)
            toss_fields(&own, of, heads + i);
        else
            for (size_t j = i; j < i + SIDE; j++)
                toss(&own, total[j], j, pending, heads);
    }
    for (; i < m; i++)
        toss(&own, total[i], i, pending, heads);
    *rng = own;
}

/* For the instruction that counts ones. */
LDP_VECTORS(void, toss_all,
            (struct ldp_rng * rng, size_t m, const uint64_t *total, struct pending *pending, uint64_t *heads),
            toss_all(rng, m, total, pending, heads))

void ldp_halves(struct ldp_rng *rng, size_t m, const uint64_t *total, uint64_t *heads)
{
    assert(m <= LDP_HALVES_MAX);
    struct pending pending;
    pending.m = 0;
    LDP_BEST(toss_all)(rng, m, total, &pending, heads);
    if (pending.m < FEW) {
        for (size_t j = 0; j < pending.m; j++)
            heads[pending.to[j]] = ldp_binomial(rng, (uint64_t)pending.n[j], 0.5);
        return;
    }
    double drawn[LDP_HALVES_MAX];
    ldp_binomials(rng, pending.m, pending.n, pending.p, drawn);
    for (size_t j = 0; j < pending.m; j++)
        heads[pending.to[j]] = (uint64_t)drawn[j];
}
