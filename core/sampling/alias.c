/* alias.c - tables for the alias method (Walker, ACM TOMS 3, 1977; built as by Vose, IEEE Trans. Softw. Eng. 17, 1991).
 *
 * An outcome k has probability f(k), and there are as many cells as outcomes. Cell k holds a share of outcome k, at
 * most 1/cells, and is filled up with another outcome. A cell is a word: its upper 56 bits are the share that is left
 * to its own outcome, the lower 8 the other outcome. So probabilities are those of the recurrence in doubles, rounded
 * by less than 2^-56 of a cell.
 *
 * Cost: a table, about ten operations for each outcome; a draw, a word, a multiplication and a load. */
#include "sampling/alias.h"
#include "numerics/numeric.h"
#include "simd/simd.h"

#include <assert.h>

/* f(k) for all k up to a factor, by ratios of neighbours from the mode. */
static double weights(size_t n, double p, double *f)
{
    const double odds = p / (1 - p);
    const size_t mode = (size_t)((double)(n + 1) * p);
    f[mode] = 1;
    double sum = 1;
    for (size_t k = mode; k < n; k++)
        sum += f[k + 1] = f[k] * (odds * (double)(n - k) / (double)(k + 1));
    for (size_t k = mode; k > 0; k--)
        sum += f[k - 1] = f[k] * ((double)k / ((double)(n - k + 1) * odds));
    return sum;
}

/* Certain outcomes: every cell names this one and leaves nothing to its own. */
static void fill_certain(size_t n, size_t outcome, uint64_t *cell)
{
    for (size_t k = 0; k <= n; k++)
        cell[k] = outcome;
}

/* The cells of outcomes 0 .. count - 1 whose probabilities are left[count] in cells, which are used up. */
static void fill(double *left, size_t count, uint64_t *cell)
{
    uint8_t less[LDP_ALIAS_COUNT_MAX], more[LDP_ALIAS_COUNT_MAX];
    size_t nless = 0, nmore = 0;
    for (size_t k = 0; k < count; k++) {
        cell[k] = ~UINT64_C(0) << 8 | k;
        if (left[k] < 1)
            less[nless++] = (uint8_t)k;
        else
            more[nmore++] = (uint8_t)k;
    }
    /* A value that is left in a list at the end fills its cell up to rounding errors. */
    while (nless > 0 && nmore > 0) {
        const size_t small = less[--nless], large = more[nmore - 1];
        cell[small] = (uint64_t)(left[small] * 0x1p56) << 8 | large;
        left[large] -= 1 - left[small];
        if (left[large] < 1) {
            less[nless++] = (uint8_t)large;
            nmore--;
        }
    }
}

void ldp_alias_binomial(size_t n, double p, uint64_t *cell)
{
    assert(n <= LDP_ALIAS_MAX && p >= 0 && p <= 1);
    if (n == 0 || p <= 0 || p >= 1) {
        fill_certain(n, p > 0 ? n : 0, cell);
        return;
    }
    double left[LDP_ALIAS_MAX + 1]; /* of outcome k, in cells */
    const double scale = (double)(n + 1) / weights(n, p, left);
    for (size_t k = 0; k <= n; k++)
        left[k] *= scale;
    fill(left, n + 1, cell);
}

void ldp_alias_part(uint64_t n, double p, struct ldp_alias_part *part)
{
    static const double least = 0x1p-70;
    const double odds = p / (1 - p), mode = floor((double)(n + 1) * p);
    double below[LDP_ALIAS_COUNT_MAX], left[LDP_ALIAS_COUNT_MAX], sum = 1, f = 1;
    size_t nbelow = 0, count = 0;
    assert(p > 0 && p < 1);
    part->count = 0;
    for (double k = mode; k > 0 && nbelow < LDP_ALIAS_COUNT_MAX; k--) {
        f *= k / (((double)n - k + 1) * odds);
        if (f < least)
            break;
        below[nbelow++] = f;
    }
    while (count < nbelow) {
        left[count] = below[nbelow - 1 - count];
        sum += left[count++];
    }
    f = 1;
    for (double k = mode; f >= least && k <= (double)n; k++) {
        if (count == LDP_ALIAS_COUNT_MAX)
            return;
        left[count++] = f;
        f *= odds * ((double)n - k) / (k + 1);
        sum += f;
    }
    sum -= f;
    for (size_t i = 0; i < count; i++)
        left[i] *= (double)count / sum;
    fill(left, count, part->cell);
    part->first = (uint64_t)mode - nbelow;
    part->count = count;
}

/* ---- Many draws ---- */

static void draws_generic(const uint64_t *cell, size_t n, struct ldp_rng *rng, size_t m, double *out)
{
    struct ldp_rng own = *rng;
    for (size_t i = 0; i < m; i++)
        out[i] = (double)ldp_alias_draw(cell, n, &own);
    *rng = own;
}

#ifdef __x86_64__
enum { AHEAD = 256 };

/* The product by halves of the word: tables have at most 2^8 cells. */
LDP_TARGET_avx2 static void draws_avx2(const uint64_t *restrict cell, size_t n, struct ldp_rng *rng, size_t m,
                                       double *restrict out)
{
    const uint64_t cells = n + 1;
    uint64_t word[AHEAD];
    for (size_t first = 0, size; first < m; first += size) {
        size = m - first < AHEAD ? m - first : AHEAD;
        ldp_rng_words(rng, size, word);
#pragma omp simd
        for (size_t i = 0; i < size; i++) {
            const uint64_t low = (uint64_t)(uint32_t)word[i] * cells, high = (word[i] >> 32) * cells + (low >> 32);
            const uint64_t own = high >> 32, rest = high << 32 | (uint32_t)low, at = cell[own];
            const uint64_t outcome = (int64_t)(rest >> 8) < (int64_t)(at >> 8) ? own : at & 255;
            out[first + i] = numeric_double(outcome | UINT64_C(0x4330000000000000)) - 0x1p52;
        }
    }
}
#else
#define draws_avx2 draws_generic
#endif

void ldp_alias_draws(const uint64_t *cell, size_t n, struct ldp_rng *rng, size_t m, double *out)
{
    (ldp_simd_level() >= LDP_SIMD_AVX2 ? draws_avx2 : draws_generic)(cell, n, rng, m, out);
}
