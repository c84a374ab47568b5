/* nnls.c - the counts >= 0 that fit all cells of a sketch best.
 *
 * A value v of n_v users adds n_v / r to its cell in each row: with w = n / r, the least of
 *
 *     1/2 sum_{j, x} (cell[j][x] - sum_{v: h_j(v) = x} w_v)^2    over w >= 0.
 *
 * With free signs a row has a cell for each sign (symbols.c). Coordinate descent: w_v <- max(0, w_v + mean_j
 * res[j][h_j(v)]), res the residual of the cells. Most w are 0 and stay 0, so passes over all values alternate with
 * passes over those above 0, until no w in a pass over all changes by more than TOLERANCE of the largest. Cost: r
 * hashes and look-ups for each value of a pass, those of LANES values at once.
 *
 * Source: ours, not from a paper; Lawson and Hanson 1974 for the problem. */
#include "simd/simd.h"
#include "sketches/sketch.h"

#include <assert.h>

enum { BLOCK = LDP_HASH_BLOCK, LANES = 8, PASSES = 100, INNER_PASSES = 20 };
static const double TOLERANCE = 1e-4;

struct work {
    uint64_t *seeds;  /* [2 r], of cells and of signs */
    uint64_t *pairs;  /* [2 r] */
    uint32_t *cells;  /* [r][BLOCK], symbols */
    uint32_t *active; /* [d] values above 0 */
    size_t bytes;
};

static struct work work_in(const struct ldp_sketch_shape *shape, size_t d, void *scratch)
{
    const size_t r = (size_t)shape->rows;
    struct ldp_arena arena = {scratch, 0};
    struct work work = {.seeds = ldp_take(&arena, 2 * r * sizeof *work.seeds)};
    work.pairs = ldp_take(&arena, 2 * r * sizeof *work.pairs);
    work.cells = ldp_take(&arena, r * BLOCK * sizeof *work.cells);
    work.active = ldp_take(&arena, d * sizeof *work.active);
    work.bytes = arena.bytes;
    return work;
}

size_t ldp_nnls_bytes(const struct ldp_sketch_shape *shape, size_t d)
{
    return work_in(shape, d, NULL).bytes;
}

/* The sums of the residuals in the cells of `count` values, each in order of rows; at[j stride + i] is the cell of the
 * i-th in row j. */
LDP_INLINE void sum_residuals(const struct ldp_sketch_shape *shape, const double *res, const uint32_t *at,
                              size_t stride, size_t count, double *sum)
{
    const size_t r = (size_t)shape->rows, c = ldp_sketch_symbols(shape);
    for (size_t i = 0; i < count; i++)
        sum[i] = 0;
    for (size_t j = 0; j < r; j++)
        for (size_t i = 0; i < count; i++)
            sum[i] += res[j * c + at[j * stride + i]];
}

/* w after one step. */
static inline double stepped(const struct ldp_sketch_shape *shape, double w, double sum)
{
    return fmax(0, w + sum / (double)shape->rows);
}

/* One step of one value, from the sum of its residuals; returns the change. */
static inline double step(const struct ldp_sketch_shape *shape, double *res, const uint32_t *at, size_t stride,
                          double sum, double *w)
{
    const size_t r = (size_t)shape->rows, c = ldp_sketch_symbols(shape), half = (size_t)shape->columns;
    const double next = stepped(shape, *w, sum), change = next - *w;
    if (change == 0)
        return 0;
    *w = next;
    for (size_t j = 0; j < r; j++)
        res[j * c + at[j * stride]] -= change;
    for (size_t j = 0; ldp_sketch_mirrors(shape) && j < r; j++)
        res[j * c + (at[j * stride] + half) % c] += change;
    return fabs(change);
}

/* Steps of the values of a block, one after the other. Most of them change nothing, so sums are computed for several at
 * once, and again after the first one that changes. */
static double pass_over_block(const struct ldp_sketch_shape *shape, double *res, const uint32_t *at, size_t m,
                              double *w)
{
    double largest = 0;
    for (size_t i = 0; i < m;) {
        const size_t count = m - i < LANES ? m - i : LANES;
        double sum[LANES];
        if (count == LANES)
            sum_residuals(shape, res, at + i, BLOCK, LANES, sum);
        else
            sum_residuals(shape, res, at + i, BLOCK, count, sum);
        size_t k = 0;
        while (k < count && stepped(shape, w[i + k], sum[k]) == w[i + k])
            k++;
        if (k < count) {
            largest = fmax(largest, step(shape, res, at + i + k, BLOCK, sum[k], &w[i + k]));
            k++;
        }
        i += k;
    }
    return largest;
}

static double pass_over_all(const struct ldp_sketch_shape *shape, const struct work *work, double *res, size_t d,
                            double *w)
{
    double largest = 0;
    for (size_t v = 0; v < d; v += BLOCK) {
        const size_t m = d - v < BLOCK ? d - v : BLOCK;
        ldp_sketch_symbols_of(shape, work->seeds, 0, (size_t)shape->rows, v, m, work->cells);
        largest = fmax(largest, pass_over_block(shape, res, work->cells, m, w + v));
    }
    return largest;
}

/* The residues of one value by the functions of all rows, work->pairs[2 j + 1]. */
static void hash_value(const struct work *work, size_t r, const uint64_t *seeds, uint32_t *values, uint32_t v,
                       uint32_t residues)
{
    for (size_t j = 0; j < r; j++) {
        work->pairs[2 * j] = seeds[j];
        values[j] = v;
    }
    ldp_hash_clients(values, r, residues, work->pairs);
}

static double pass_over_active(const struct ldp_sketch_shape *shape, const struct work *work, double *res,
                               size_t nactive, double *w)
{
    const size_t r = (size_t)shape->rows;
    const uint32_t c = (uint32_t)shape->columns;
    double largest = 0;
    uint32_t *const values = work->cells, *const cells = work->cells + r;
    for (size_t a = 0; a < nactive; a++) {
        const uint32_t v = work->active[a];
        hash_value(work, r, work->seeds, values, v, c);
        for (size_t j = 0; j < r; j++)
            cells[j] = (uint32_t)work->pairs[2 * j + 1];
        if (ldp_sketch_symbols(shape) > c) {
            hash_value(work, r, work->seeds + r, values, v, 2);
            for (size_t j = 0; j < r; j++)
                cells[j] += (uint32_t)work->pairs[2 * j + 1] * c;
        }
        double sum;
        sum_residuals(shape, res, cells, 1, 1, &sum);
        largest = fmax(largest, step(shape, res, cells, 1, sum, &w[v]));
    }
    return largest;
}

void ldp_nnls(const struct ldp_sketch_shape *shape, uint64_t family, double *cells, size_t d, void *scratch,
              double *counts)
{
    const struct work work = work_in(shape, d, scratch);
    assert(work.seeds && work.active);
    ldp_sketch_seeds(shape, family, work.seeds);
    for (size_t v = 0; v < d; v++)
        counts[v] = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        const double change = pass_over_all(shape, &work, cells, d, counts);
        double most = 0;
        size_t nactive = 0;
        for (size_t v = 0; v < d; v++) {
            most = fmax(most, counts[v]);
            if (counts[v] > 0)
                work.active[nactive++] = (uint32_t)v;
        }
        if (change <= TOLERANCE * most)
            break;
        for (int inner = 0; inner < INNER_PASSES; inner++)
            if (pass_over_active(shape, &work, cells, nactive, counts) <= TOLERANCE * most)
                break;
    }
    for (size_t v = 0; v < d; v++)
        counts[v] *= (double)shape->rows;
}
