/* decode.c - from the r c cells of a sketch to the counts of d values (sketch.h).
 *
 * mean     sum_j e_j, e_j = (g_j(x)) cell[j][h_j(x)]
 * median   r times the middle one of the e_j, or the mean of the middle two
 * min      r times the least of the e_j
 *
 * Cost: r d hashes and look-ups. */
#include "hash.h"
#include "sketch.h"

#include "aligned.h"

#include <math.h>

/* GROUP: rows whose hashes are computed together. */
enum { GROUP = 4, BLOCK = LDP_HASH_BLOCK };

/* Hashes of a block of values in a group of rows. */
struct residues {
    uint32_t cell[GROUP * BLOCK], sign[GROUP * BLOCK];
};

static void hash_group(const struct ldp_sketch_shape *shape, uint64_t family, size_t row, size_t rows, size_t v,
                       size_t m, struct residues *residues)
{
    uint64_t seeds[GROUP];
    for (size_t i = 0; i < rows; i++)
        seeds[i] = ldp_sketch_cell_seed(family, row + i);
    ldp_hash_rows(seeds, rows, (uint32_t)shape->columns, v, m, residues->cell);
    if (shape->signs != LDP_SIGNS_FREE)
        return;
    for (size_t i = 0; i < rows; i++)
        seeds[i] = ldp_sketch_sign_seed(family, row + i);
    ldp_hash_rows(seeds, rows, 2, v, m, residues->sign);
}

/* e_j of a block of values. */
static void terms_of(const struct ldp_sketch_shape *shape, const uint32_t *cell, const uint32_t *sign, size_t m,
                     const double *cells, double *term)
{
    for (size_t i = 0; i < m; i++)
        term[i] = cells[cell[i]];
    if (shape->signs == LDP_SIGNS_FREE)
        for (size_t i = 0; i < m; i++)
            term[i] = sign[i] ? -term[i] : term[i];
    if (shape->signs == LDP_SIGNS_PARITY)
        for (size_t i = 0; i < m; i++)
            term[i] = cell[i] % 2 ? -term[i] : term[i];
}

/* Puts the k-th least of x[0..n-1] in its place, what is less before it and what is more behind (Hoare 1961). */
static double select(double *x, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        const double a = x[low], b = x[(low + high) / 2], c = x[high];
        const double middle = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        size_t i = low, j = high;
        for (;;) {
            while (x[i] < middle)
                i++;
            while (x[j] > middle)
                j--;
            if (i >= j)
                break;
            const double swap = x[i];
            x[i++] = x[j];
            x[j--] = swap;
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return x[k];
}

static double median(double *x, size_t n)
{
    const double upper = select(x, n, n / 2);
    if (n % 2)
        return upper;
    double lower = x[0];
    for (size_t i = 1; i < n / 2; i++)
        lower = x[i] > lower ? x[i] : lower;
    return (lower + upper) / 2;
}

size_t ldp_decode_bytes(const struct ldp_sketch_shape *shape, size_t d)
{
    (void)d;
    return ldp_aligned(sizeof(struct residues)) + (shape->decode == LDP_DECODE_MEDIAN
                                                       ? BLOCK * ((size_t)shape->rows + 1) * sizeof(double)
                                                       : BLOCK * sizeof(double));
}

void ldp_decode(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, size_t d, void *scratch,
                double *est)
{
    struct residues *const residues = scratch;
    double *const term = (double *)(void *)((char *)scratch + ldp_aligned(sizeof *residues)), *const all = term + BLOCK;
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns;
    for (size_t v = 0; v < d; v += BLOCK) {
        const size_t m = d - v < BLOCK ? d - v : BLOCK;
        double *const out = est + v;
        for (size_t i = 0; i < m; i++)
            out[i] = shape->decode == LDP_DECODE_MIN ? INFINITY : 0;
        for (size_t j = 0; j < r; j++) {
            if (j % GROUP == 0)
                hash_group(shape, family, j, r - j < GROUP ? r - j : GROUP, v, m, residues);
            const uint32_t *const cell = residues->cell + j % GROUP * BLOCK;
            terms_of(shape, cell, residues->sign + j % GROUP * BLOCK, m, cells + j * c, term);
            switch (shape->decode) {
            case LDP_DECODE_MEDIAN:
                for (size_t i = 0; i < m; i++)
                    all[i * r + j] = term[i];
                break;
            case LDP_DECODE_MIN:
                for (size_t i = 0; i < m; i++)
                    out[i] = term[i] < out[i] ? term[i] : out[i];
                break;
            default:
                for (size_t i = 0; i < m; i++)
                    out[i] += term[i];
            }
        }
        if (shape->decode == LDP_DECODE_MEDIAN)
            for (size_t i = 0; i < m; i++)
                out[i] = median(all + i * r, r);
        if (shape->decode != LDP_DECODE_MEAN)
            for (size_t i = 0; i < m; i++)
                out[i] *= (double)r;
    }
}
