/* decode.c - from the r c cells of a sketch to the counts of d values (sketch.h).
 *
 * mean     sum_j e_j, e_j = (g_j(x)) cell[j][h_j(x)]
 * median   r times the median of the e_j; for even r the mean of the middle two (median.c) min      r times the least
 * of the e_j nnls     nnls.c
 *
 * Cost: r d hashes and look-ups. */
#include "hash.h"
#include "sketch.h"

#include "aligned.h"
#include "simd.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif
#include <math.h>

/* GROUP: rows whose hashes are computed together. */
enum { GROUP = 4, BLOCK = LDP_HASH_BLOCK, LANES = LDP_MEDIAN_LANES };

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

static const double sign_of[2] = {1, -1};

/* e_j of a block of values. */
static void terms_of(const struct ldp_sketch_shape *shape, const uint32_t *cell, const uint32_t *sign, size_t m,
                     const double *cells, double *term)
{
    for (size_t i = 0; i < m; i++)
        term[i] = cells[cell[i]];
    if (shape->signs == LDP_SIGNS_FREE)
        for (size_t i = 0; i < m; i++)
            term[i] *= sign_of[sign[i]];
    if (shape->signs == LDP_SIGNS_PARITY)
        for (size_t i = 0; i < m; i++)
            term[i] *= sign_of[cell[i] % 2];
}

/* The same without signs, added at once. */
#ifdef __x86_64__
__attribute__((target("avx512f,avx512dq,avx512vl"))) static void
add_cells_avx512(const uint32_t *cell, size_t m, const double *cells, double *out)
{
    for (size_t i = 0; i < m; i += 8) {
        const __mmask8 some = (__mmask8)(m - i >= 8 ? 0xff : (1u << (m - i)) - 1);
        const __m256i at = _mm256_maskz_loadu_epi32(some, cell + i);
        const __m512d sum = _mm512_maskz_loadu_pd(some, out + i),
                      term = _mm512_mask_i32gather_pd(_mm512_setzero_pd(), some, at, cells, sizeof *cells);
        _mm512_mask_storeu_pd(out + i, some, _mm512_add_pd(sum, term));
    }
}
#endif

static void add_cells(const uint32_t *restrict cell, size_t m, const double *restrict cells, double *restrict out)
{
#ifdef __x86_64__
    if (ldp_simd_level() >= LDP_SIMD_AVX512) {
        add_cells_avx512(cell, m, cells, out);
        return;
    }
#endif
    for (size_t i = 0; i < m; i++)
        out[i] += cells[cell[i]];
}

/* The keys of the same terms in a group of rows, keys[strip][r][LANES]. Entries after m are filled too, up to a whole
 * strip. */
static void keys_of(const struct ldp_sketch_shape *shape, const struct residues *residues, size_t row, size_t rows,
                    size_t m, const int32_t *keys_of_cells, int32_t *keys)
{
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns;
    for (size_t i = 0; i < m; i += LANES)
        for (size_t j = 0; j < rows; j++) {
            const uint32_t *const cell = residues->cell + j * BLOCK + i, *const sign = residues->sign + j * BLOCK + i;
            const int32_t *const of_row = keys_of_cells + (row + j) * c;
            int32_t *const strip = keys + i * r + (row + j) * LANES;
            if (shape->signs == LDP_SIGNS_NONE)
                for (size_t l = 0; l < LANES; l++)
                    strip[l] = of_row[cell[l]];
            else if (shape->signs == LDP_SIGNS_FREE)
                for (size_t l = 0; l < LANES; l++)
                    strip[l] = of_row[cell[l]] ^ -(int32_t)sign[l];
            else
                for (size_t l = 0; l < LANES; l++)
                    strip[l] = of_row[cell[l]] ^ -(int32_t)(cell[l] % 2);
        }
}

/* Scratch of the streaming decoders: hashes of a group of rows, the terms of one row; for medians the keys of all cells
 * and, in `room`, of all terms of a block. */
struct work {
    struct residues *residues;
    double *term; /* [BLOCK] */
    double *out;  /* [BLOCK] */
    struct ldp_medians medians;
    size_t ncells, bytes;
};

static struct work work_in(const struct ldp_sketch_shape *shape, void *scratch)
{
    const size_t r = (size_t)shape->rows, ncells = r * (size_t)shape->columns,
                 residues = ldp_aligned(sizeof(struct residues)), term = BLOCK * sizeof(double);
    const bool is_median = shape->decode == LDP_DECODE_MEDIAN;
    const size_t size = residues + 2 * term + (is_median ? ldp_medians_bytes(ncells, r * BLOCK * sizeof(int32_t)) : 0);
    char *const at = scratch;
    if (!at)
        return (struct work){.bytes = size};
    double *const of_terms = (double *)(void *)(at + residues);
    struct work work = {
        .residues = scratch, .term = of_terms, .out = of_terms + BLOCK, .ncells = ncells, .bytes = size};
    if (is_median)
        work.medians = ldp_medians_in(ncells, at + residues + 2 * term);
    return work;
}

/* Adds the terms of row j to the intermediate results of a block of values. */
static void add_row(const struct ldp_sketch_shape *shape, const double *cells, size_t j, size_t m,
                    const struct work *work, double *out)
{
    const size_t at = j % GROUP * BLOCK, c = (size_t)shape->columns;
    const double *const row = cells + j * c;
    if (shape->decode == LDP_DECODE_MEAN && shape->signs == LDP_SIGNS_NONE) {
        add_cells(work->residues->cell + at, m, row, out);
        return;
    }
    terms_of(shape, work->residues->cell + at, work->residues->sign + at, m, row, work->term);
    if (shape->decode == LDP_DECODE_MIN)
        for (size_t i = 0; i < m; i++)
            out[i] = work->term[i] < out[i] ? work->term[i] : out[i];
    else
        for (size_t i = 0; i < m; i++)
            out[i] += work->term[i];
}

/* The values v .. v + m - 1, v a multiple of BLOCK. */
static void decode_block(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, size_t v, size_t m,
                         const struct work *work, double *out)
{
    const size_t r = (size_t)shape->rows;
    for (size_t i = 0; i < m; i++)
        out[i] = shape->decode == LDP_DECODE_MIN ? INFINITY : 0;
    for (size_t j = 0; j < r; j += GROUP) {
        const size_t rows = r - j < GROUP ? r - j : GROUP;
        hash_group(shape, family, j, rows, v, m, work->residues);
        if (shape->decode == LDP_DECODE_MEDIAN)
            keys_of(shape, work->residues, j, rows, m, work->medians.keys, work->medians.room);
        else
            for (size_t i = j; i < j + rows; i++)
                add_row(shape, cells, i, m, work, out);
    }
    for (size_t i = 0; shape->decode == LDP_DECODE_MEDIAN && i < m; i += LANES) {
        double middle[LANES];
        ldp_medians(&work->medians, (const int32_t *)work->medians.room + i * r, r, work->ncells, middle);
        for (size_t l = 0; l < LANES && i + l < m; l++)
            out[i + l] = middle[l];
    }
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
    if (shape->decode == LDP_DECODE_MEDIAN)
        ldp_medians_rank(&work.medians, cells, work.ncells);
    for (size_t v = 0; v < d; v += BLOCK)
        decode_block(shape, family, cells, v, d - v < BLOCK ? d - v : BLOCK, &work, counts + v);
}

/* ---- Noise ---- */

/* A sum of one random cell of each row: its variance has a closed form. */
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

/* Other decoders decode one block of values beyond the domain, which nobody can hold. */
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
