/* amp.c - approximate message passing: a decoder that knows how many values have which counts.
 *
 * Y[j][x] = r cell[j][x], each row with all n users; m the posterior means of the counts, at first those of nnls. In
 * rounds, R' the R of the round before,
 *
 *     R[j][x] = Y[j][x] - sum_{v: h_j(v) = x} m_v + b R'[j][x], less the mean of its row,
 *     z_v = m_v + mean_j R[j][h_j(v)],   tau^2 = sum R^2 / (r^2 (c - 1)),
 *     m_v <- m_v + DAMPING (E[f | z_v] - m_v),
 *     b <- b + DAMPING (sum_v Var[f | z_v] / (tau^2 r (c - 1)) - b),
 *
 * f of the law that maximises the likelihood of z under noise N(0, tau^2) (priors/mixture.h). The term b makes the
 * errors of z those of independent noise: z_v is what an oracle over the whole domain would give, unbiased and nearly
 * normal, of variance tau^2 + tf n_v, with tau^2 from the data. So z, not m, is the answer, and methods and intervals
 * do with it as with the estimate of any oracle.
 *
 * Posterior means come from a table in steps of 1/32 tau, and their variance from its slope: Var[f | z] = tau^2 d E[f |
 * z] / d z. The first residuals are those of a fit and too small, by about .02 d / (r c).
 *
 * Source: Donoho, Maleki, Montanari, PNAS 2009; damped as by Rangan, Schniter, Fletcher, ISIT 2014; for sketches, with
 * a fitted prior, ours. If tau^2 does not settle, or is above the noise of the mean decoder, as it can be with few
 * rows, or far below that of the row oracle over the whole domain, as where nnls fits the noise of flat data with more
 * values than cells, the answer is that of nnls. Cost: nnls, then some 10 to 30 rounds of 2 r d hashes and look-ups and
 * a fit. */
#include "aligned.h"
#include "numeric.h"
#include "priors/mixture.h"
#include "sketch.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 60, BLOCK = LDP_HASH_BLOCK, BELOW = 8, ABOVE = 48, STEPS = 32, POINTS = (BELOW + ABOVE) * STEPS + 1 };
static const double DAMPING = 0.7, SETTLED = 1e-3, LEAST = 0.8; /* of n s1 */

struct work {
    struct ldp_amp *found;
    uint64_t *seeds; /* [r] */
    uint32_t *cell;  /* [BLOCK] */
    double *Y, *R;   /* [r][c] */
    double *m, *y;   /* [d]; y: z in units of tau */
    double *table;   /* [POINTS] posterior means in units of tau */
    void *fit;
    size_t bytes;
};

static struct work work_in(const struct ldp_sketch_shape *shape, size_t d, void *scratch)
{
    const size_t r = (size_t)shape->rows, cells = r * (size_t)shape->columns * sizeof(double),
                 fit = ldp_mixture_scratch(d), nnls = ldp_nnls_bytes(shape, d);
    struct ldp_arena arena = {scratch, 0};
    struct work work = {.found = ldp_take(&arena, sizeof(struct ldp_amp))};
    work.seeds = ldp_take(&arena, r * sizeof(uint64_t));
    work.cell = ldp_take(&arena, BLOCK * sizeof(uint32_t));
    work.Y = ldp_take(&arena, cells);
    work.R = ldp_take(&arena, cells);
    work.m = ldp_take(&arena, d * sizeof(double));
    work.y = ldp_take(&arena, d * sizeof(double));
    work.table = ldp_take(&arena, POINTS * sizeof(double));
    work.fit = ldp_take(&arena, fit > nnls ? fit : nnls);
    work.bytes = arena.bytes;
    return work;
}

size_t ldp_amp_bytes(const struct ldp_sketch_shape *shape, size_t d)
{
    return work_in(shape, d, NULL).bytes;
}

struct ldp_amp ldp_amp_found(const void *scratch)
{
    return *(const struct ldp_amp *)scratch;
}

/* The cells of the values v .. v + m - 1 in row j. */
static void hash_block(const struct ldp_sketch_shape *shape, const struct work *work, size_t j, size_t v, size_t m)
{
    ldp_hash_rows(&work->seeds[j], 1, (uint32_t)shape->columns, v, m, work->cell);
}

/* R = Y - sums of m + b R, each row less its mean. Returns tau^2. */
static double residuals(const struct ldp_sketch_shape *shape, const struct work *work, size_t d, double b)
{
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns;
    double squares = 0;
    for (size_t j = 0; j < r; j++) {
        double *const R = work->R + j * c, *const Y = work->Y + j * c;
        for (size_t x = 0; x < c; x++)
            R[x] = Y[x] + b * R[x];
        for (size_t v = 0; v < d; v += BLOCK) {
            const size_t size = d - v < BLOCK ? d - v : BLOCK;
            hash_block(shape, work, j, v, size);
            for (size_t i = 0; i < size; i++)
                R[work->cell[i]] -= work->m[v + i];
        }
        const double mean = ldp_sum(R, c) / (double)c;
        for (size_t x = 0; x < c; x++) {
            R[x] -= mean;
            squares += R[x] * R[x];
        }
    }
    return squares / (double)(r * (c - 1)) / (double)r;
}

/* z = m + the mean of `share` of the residuals in the cells of each value. */
static void decode(const struct ldp_sketch_shape *shape, const struct work *work, size_t d, double share, double *z)
{
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns;
    memset(z, 0, d * sizeof *z);
    for (size_t j = 0; j < r; j++)
        for (size_t v = 0; v < d; v += BLOCK) {
            const size_t size = d - v < BLOCK ? d - v : BLOCK;
            hash_block(shape, work, j, v, size);
            for (size_t i = 0; i < size; i++)
                z[v + i] += work->R[j * c + work->cell[i]];
        }
    for (size_t v = 0; v < d; v++)
        z[v] = work->m[v] + share * z[v] / (double)r;
}

/* One step of m; returns the sum of the slopes of the posterior means. */
static double step(const struct work *work, size_t d, double n, double tau, const double *z)
{
    for (size_t v = 0; v < d; v++)
        work->y[v] = z[v] / tau;
    struct ldp_mixture prior;
    ldp_mixture_fit(work->y, d, n / tau, work->fit, &prior);
    for (size_t i = 0; i < POINTS; i++)
        work->table[i] = (double)i / STEPS - BELOW;
    ldp_mixture_means(&prior, work->table, POINTS, work->table);
    double slopes = 0;
    for (size_t v = 0; v < d; v++) {
        const double at = fmax(work->y[v] + BELOW, 0) * STEPS;
        double mean, slope;
        if (at < POINTS - 1) {
            const size_t i = (size_t)at;
            slope = work->table[i + 1] - work->table[i];
            mean = work->table[i] + (at - (double)i) * slope;
        } else {
            mean = ldp_mixture_mean(&prior, work->y[v]);
            slope = ldp_mixture_mean(&prior, work->y[v] + 1. / STEPS) - mean;
        }
        slopes += slope * STEPS;
        work->m[v] += DAMPING * (tau * mean - work->m[v]);
    }
    return slopes;
}

/* True if tau^2 has settled below `most`. */
static bool pass_messages(const struct ldp_sketch_shape *shape, const struct work *work, double n, size_t d,
                          double most, double *z)
{
    const double ncells = (double)(shape->rows * (shape->columns - 1)),
                 first = 1 / fmax(1 - .02 * (double)d / ncells, .2);
    double b = 0, before = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const double up = round > 0 ? 1 : first, square = up * up * residuals(shape, work, d, b);
        if (!(square > 0 && isfinite(square)))
            return false;
        decode(shape, work, d, up, z);
        work->found->variance = square;
        work->found->share = b;
        if (fabs(square - before) <= SETTLED * square)
            return square <= most;
        before = square;
        b += DAMPING * (step(work, d, n, sqrt(square), z) / ncells - b);
    }
    return false;
}

/* How much more a frequent value errs, as a share of the variance. Its cells are known from the r - 1 other rows, in
 * which others take up b r / (r - 1) in place of b; and a value that is apart from all others is fitted as a whole,
 * which the slopes of the law, and so b, leave out. Ours; of 24 settings with r >= 8 seen within 0.1 of it or smaller.
 */
static double excess_of(const struct ldp_sketch_shape *shape, const struct ldp_amp *found, const double *z, size_t d)
{
    const double r = (double)shape->rows, others = found->share * r / (r - 1), apart = 3 * sqrt(found->variance);
    size_t frequent = 0;
    for (size_t v = 0; v < d; v++)
        frequent += z[v] > apart;
    return others < 1 ? (others - found->share) / (1 - others) + (double)frequent / (r * (double)shape->columns)
                      : INFINITY;
}

void ldp_amp(const struct ldp_sketch_shape *shape, uint64_t family, double n, double s1, double *cells, size_t d,
             void *scratch, double *counts)
{
    const struct work work = work_in(shape, d, scratch);
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns;
    double of_mean = 0; /* the variance of the mean decoder */
    assert(work.found && work.Y && work.R && work.m);
    for (size_t j = 0; j < r; j++)
        work.seeds[j] = ldp_sketch_cell_seed(family, j);
    for (size_t i = 0; i < r * c; i++) {
        const double away = cells[i] - n / (double)(r * c);
        work.Y[i] = (double)r * cells[i];
        of_mean += away * away / (double)c;
    }
    memset(work.R, 0, r * c * sizeof *work.R);
    ldp_nnls(shape, family, cells, d, work.fit, work.m);
    work.found->settled = pass_messages(shape, &work, n, d, of_mean, counts) && work.found->variance >= LEAST * n * s1;
    work.found->excess = work.found->settled ? excess_of(shape, work.found, counts, d) : INFINITY;
    if (!work.found->settled) {
        for (size_t i = 0; i < r * c; i++)
            cells[i] = work.Y[i] / (double)r;
        ldp_nnls(shape, family, cells, d, work.fit, counts);
    }
}
