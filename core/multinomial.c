/* multinomial.c - exact multinomials: a chain of conditional binomials, cost O(k). With equal weights: users one by one
 * if they are fewer than the cells, else by halving, where each half is a fair binomial: cost O(min(n, k)) of the
 * cheapest draws. */
#include "bits.h"
#include "numeric.h"
#include "rng.h"

#include <assert.h>

void ldp_multinomial(struct ldp_rng *rng, uint64_t n, const double *p, size_t k, uint64_t *out)
{
    assert(k > 0);
    /* out[i] first holds the weight of i and all after it, summed from the end: subtracting from a total would leave
     * rounding errors, and even negative weights, where weights are small. */
    double weight = 0;
    for (size_t i = k; i-- > 0;) {
        assert(p[i] >= 0);
        weight += p[i];
        out[i] = numeric_bits(weight);
    }
    assert(weight > 0 && weight < INFINITY);
    size_t i = 0;
    for (; i < k && n > 0; i++) {
        weight = numeric_double(out[i]);
        out[i] = p[i] > 0 ? ldp_binomial(rng, n, p[i] / weight) : 0;
        n -= out[i];
    }
    for (; i < k; i++)
        out[i] = 0;
}

/* Binomial(n, 1/2), as in ldp_binomial; mostly a few coins. */
static inline uint64_t halve(struct ldp_rng *rng, uint64_t n)
{
    if (n == 0)
        return 0;
    return n <= 64 ? ldp_bits_count(rng_next(rng) >> (64 - n)) : ldp_binomial(rng, n, 0.5);
}

void ldp_multinomial_uniform(struct ldp_rng *rng, uint64_t n, size_t k, uint64_t *out)
{
    assert(k > 0);
    if (n < k) {
        memset(out, 0, k * sizeof *out);
        for (; n > 0; n--)
            out[rng_below(rng, k)]++;
        return;
    }
    /* Blocks of powers of two, each halved down to single cells in place: a block's total is stored in its first
     * cell. */
    while (k > 0) {
        size_t block = 1;
        while (block <= k / 2)
            block *= 2;
        out[0] = ldp_binomial(rng, n, (double)block / (double)k);
        n -= out[0];
        for (size_t half = block / 2; half > 0; half /= 2)
            for (size_t i = 0; i < block; i += 2 * half) {
                const uint64_t total = out[i];
                out[i] = halve(rng, total);
                out[i + half] = total - out[i];
            }
        out += block;
        k -= block;
    }
}
