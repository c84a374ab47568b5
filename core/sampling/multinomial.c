/* multinomial.c - exact multinomials: a chain of conditional binomials, cost O(k). With equal weights: users one by one
 * if a cell has few, else by halving blocks of powers of two, where each half is a fair binomial (binomial_half.h):
 * cost O(min(n, k)). */
#include "numerics/numeric.h"
#include "numerics/popcount.h"
#include "random/rng.h"
#include "sampling/binomials.h"
#include "sampling/multinomials.h"

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

/* Blocks of at most this many cells are halved part by part. */
enum { SMALL = 16 };

/* Binomial(n, 1/2), as in ldp_binomial; mostly a few coins. */
static inline uint64_t coins(struct ldp_rng *rng, uint64_t n)
{
    if (n == 0)
        return 0;
    return n <= 64 ? ldp_bits_count(rng_next(rng) >> (64 - n)) : ldp_binomial(rng, n, 0.5);
}

static void halve_small(struct ldp_rng *rng, size_t block, uint64_t *out)
{
    for (size_t half = block / 2; half > 0; half /= 2)
        for (size_t i = 0; i < block; i += 2 * half) {
            const uint64_t total = out[i];
            out[i] = coins(rng, total);
            out[i + half] = total - out[i];
        }
}

/* out[block], a power of two: total users in out[0], halved down to single cells in place. A part's total is stored in
 * its first cell. */
static void halve(struct ldp_rng *rng, size_t block, uint64_t *out)
{
    uint64_t total[LDP_HALVES_MAX], first[LDP_HALVES_MAX];
    for (size_t half = block / 2; half > 0; half /= 2)
        for (size_t i = 0; i < block; i += 2 * half * LDP_HALVES_MAX) {
            const size_t parts = (block - i) / (2 * half), m = parts < LDP_HALVES_MAX ? parts : LDP_HALVES_MAX;
            for (size_t j = 0; j < m; j++)
                total[j] = out[i + j * 2 * half];
            ldp_halves(rng, m, total, first);
            for (size_t j = 0; j < m; j++) {
                out[i + j * 2 * half] = first[j];
                out[i + j * 2 * half + half] = total[j] - first[j];
            }
        }
}

/* Up to this many users of a cell are drawn one by one: one word serves several. */
static uint64_t few_of(size_t k)
{
    return (k & (k - 1)) == 0 ? 10 : 2;
}

/* Adds n users one by one to 2^bits cells. */
static void add_by_bits(struct ldp_rng *rng, uint64_t n, unsigned bits, uint64_t *out)
{
    enum { WORDS = 256 };
    const unsigned fields = bits > 0 ? 64 / bits : 64;
    const uint64_t low = (UINT64_C(1) << bits) - 1;
    uint64_t words[WORDS];
    while (n > 0) {
        const uint64_t needed = (n + fields - 1) / fields;
        const size_t m = needed < WORDS ? (size_t)needed : WORDS;
        ldp_rng_words(rng, m, words);
        for (size_t w = 0; w < m; w++) {
            uint64_t word = words[w];
            const unsigned users = n < fields ? (unsigned)n : fields;
            for (unsigned i = 0; i < users; i++, word >>= bits)
                out[word & low]++;
            n -= users;
        }
    }
}

static void add_one_by_one(struct ldp_rng *rng, uint64_t n, size_t k, uint64_t *out)
{
    enum { CHUNK = 256 };
    if ((k & (k - 1)) == 0) {
        unsigned bits = 0;
        while (k >> bits > 1)
            bits++;
        add_by_bits(rng, n, bits, out);
        return;
    }
    for (; k > UINT32_MAX && n > 0; n--)
        out[rng_below(rng, k)]++;
    uint32_t cells[CHUNK];
    for (uint64_t left = n; left > 0;) {
        const size_t m = left < CHUNK ? (size_t)left : CHUNK;
        rng_below_many(rng, (uint32_t)k, m, cells);
        for (size_t i = 0; i < m; i++)
            out[cells[i]]++;
        left -= m;
    }
}

void ldp_multinomial_uniform(struct ldp_rng *rng, uint64_t n, size_t k, uint64_t *out)
{
    assert(k > 0);
    if (n / few_of(k) < k) {
        memset(out, 0, k * sizeof *out);
        add_one_by_one(rng, n, k, out);
        return;
    }
    while (k > 0) {
        size_t block = 1;
        while (block <= k / 2)
            block *= 2;
        out[0] = ldp_binomial(rng, n, (double)block / (double)k);
        n -= out[0];
        if (block <= SMALL)
            halve_small(rng, block, out);
        else
            halve(rng, block, out);
        out += block;
        k -= block;
    }
}

void ldp_multinomials_uniform(struct ldp_rng *rng, size_t m, const uint64_t *users, size_t k, uint64_t *out)
{
    uint64_t left[LDP_HALVES_MAX], first[LDP_HALVES_MAX];
    assert(m <= LDP_HALVES_MAX && k > 0);
    memcpy(left, users, m * sizeof *left);
    while (k > 0) {
        size_t block = 1;
        while (block <= k / 2)
            block *= 2;
        if (block < k)
            ldp_binomials_shared(rng, m, left, (double)block / (double)k, out);
        else
            memcpy(out, left, m * sizeof *out);
        for (size_t i = 0; i < m; i++)
            left[i] -= out[i];
        for (size_t half = block / 2; half > 0; half /= 2)
            for (size_t c = 0; c < block; c += 2 * half) {
                uint64_t *const low = out + c * m, *const high = low + half * m;
                ldp_halves(rng, m, low, first);
                for (size_t i = 0; i < m; i++) {
                    high[i] = low[i] - first[i];
                    low[i] = first[i];
                }
            }
        out += block * m;
        k -= block;
    }
}
