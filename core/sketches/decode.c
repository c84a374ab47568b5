/* decode.c - from the r c cells of a sketch to the counts of d values (sketch.h).
 *
 * mean     sum_j e_j, e_j = (g_j(x)) cell[j][h_j(x)]
 * median   r times the middle one of the e_j, or the mean of the middle two
 * min      r times the least of the e_j
 * nnls     nnls.c
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

/* The same without signs, added at once. */
static void add_cells(const uint32_t *restrict cell, size_t m, const double *restrict cells, double *restrict out)
{
    for (size_t i = 0; i < m; i++)
        out[i] += cells[cell[i]];
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

/* Scratch of the streaming decoders: hashes of a group of rows, the terms of one row, for medians those of all. */
struct work {
    struct residues *residues;
    double *term; /* [BLOCK] */
    double *all;  /* [BLOCK][r] */
    double *out;  /* [BLOCK] */
    size_t bytes;
};

static struct work work_in(const struct ldp_sketch_shape *shape, void *scratch)
{
    const size_t residues = ldp_aligned(sizeof(struct residues)), term = BLOCK * sizeof(double),
                 all = shape->decode == LDP_DECODE_MEDIAN ? term * (size_t)shape->rows : 0,
                 size = residues + 2 * term + all;
    char *const at = scratch;
    if (!at)
        return (struct work){.bytes = size};
    double *const of_terms = (double *)(void *)(at + residues);
    return (struct work){scratch, of_terms, of_terms + 2 * BLOCK, of_terms + BLOCK, size};
}

/* The values v .. v + m - 1, v a multiple of BLOCK. */
static void decode_block(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, size_t v, size_t m,
                         const struct work *work, double *out)
{
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns;
    for (size_t i = 0; i < m; i++)
        out[i] = shape->decode == LDP_DECODE_MIN ? INFINITY : 0;
    for (size_t j = 0; j < r; j++) {
        if (j % GROUP == 0)
            hash_group(shape, family, j, r - j < GROUP ? r - j : GROUP, v, m, work->residues);
        const size_t at = j % GROUP * BLOCK;
        if (shape->decode == LDP_DECODE_MEAN && shape->signs == LDP_SIGNS_NONE) {
            add_cells(work->residues->cell + at, m, cells + j * c, out);
            continue;
        }
        terms_of(shape, work->residues->cell + at, work->residues->sign + at, m, cells + j * c, work->term);
        if (shape->decode == LDP_DECODE_MEDIAN)
            for (size_t i = 0; i < m; i++)
                work->all[i * r + j] = work->term[i];
        else if (shape->decode == LDP_DECODE_MIN)
            for (size_t i = 0; i < m; i++)
                out[i] = work->term[i] < out[i] ? work->term[i] : out[i];
        else
            for (size_t i = 0; i < m; i++)
                out[i] += work->term[i];
    }
    for (size_t i = 0; shape->decode == LDP_DECODE_MEDIAN && i < m; i++)
        out[i] = median(work->all + i * r, r);
    for (size_t i = 0; shape->decode != LDP_DECODE_MEAN && i < m; i++)
        out[i] *= (double)r;
}

size_t ldp_decode_bytes(const struct ldp_sketch_shape *shape, size_t d)
{
    return shape->decode == LDP_DECODE_NNLS ? ldp_nnls_bytes(shape, d) : work_in(shape, NULL).bytes;
}

void ldp_decode(const struct ldp_sketch_shape *shape, uint64_t family, double *cells, size_t d, void *scratch,
                double *counts)
{
    if (shape->decode == LDP_DECODE_NNLS) {
        ldp_nnls(shape, family, cells, d, scratch, counts);
        return;
    }
    const struct work work = work_in(shape, scratch);
    for (size_t v = 0; v < d; v += BLOCK)
        decode_block(shape, family, cells, v, d - v < BLOCK ? d - v : BLOCK, &work, counts + v);
}

/* ---- Noise ---- */

/* A sum of one cell of each row, picked at random: its variance is known at once. */
static double variance_of_sum(const struct ldp_sketch_shape *shape, const double *cells, const double *loads)
{
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns;
    double variance = 0;
    for (size_t j = 0; j < r; j++) {
        const double load = loads ? loads[j] / (double)c : 0;
        double squares = 0;
        for (size_t x = 0; x < c; x++)
            squares += (cells[j * c + x] - load) * (cells[j * c + x] - load);
        variance += squares / (double)c;
    }
    return variance;
}

/* Other decoders are shown values that nobody can hold, beyond the domain: one block of them. */
static double variance_beyond(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells,
                              const struct work *work)
{
    const size_t first = ((size_t)1 << 32) - BLOCK;
    double mean = 0, squares = 0;
    decode_block(shape, family, cells, first, BLOCK, work, work->out);
    for (size_t i = 0; i < BLOCK; i++)
        mean += work->out[i] / BLOCK;
    for (size_t i = 0; i < BLOCK; i++)
        squares += (work->out[i] - mean) * (work->out[i] - mean);
    return squares / (BLOCK - 1);
}

double ldp_decode_noise(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, const double *loads,
                        size_t d, void *scratch)
{
    (void)d;
    switch (shape->decode) {
    case LDP_DECODE_MEAN: return variance_of_sum(shape, cells, loads);
    case LDP_DECODE_NNLS: return variance_of_sum(shape, cells, NULL); /* of a step from 0, before its bound */
    case LDP_DECODE_MEDIAN:
    case LDP_DECODE_MIN: break;
    }
    const struct work work = work_in(shape, scratch);
    return variance_beyond(shape, family, cells, &work);
}
