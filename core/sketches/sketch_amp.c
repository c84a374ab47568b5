/* sketch_amp.c - message passing (amp.c) over the cells of a sketch.
 *
 * Y[j][x] = r cell[j][x], each row with all n users; m the posterior means of the counts, at first those of nnls. In
 * rounds, R' the R of the round before,
 *
 *     R[j][x] = Y[j][x] - sum_{v: h_j(v) = x} m_v + b R'[j][x], less the mean of its row,
 *     z_v = m_v + mean_j R[j][h_j(v)],   tau^2 = sum R^2 / (r^2 (c - 1)).
 *
 * With free signs x is one of the 2 c symbols of a row, and c stands for 2 c: to know the users of both signs of a cell
 * is more than to know their difference. Where reports are negated only the difference is known: values come with their
 * signs, no mean is subtracted, tau^2 = sum R^2 / (r^2 c), and m is at first 0, as nnls, whose values may cancel there,
 * fits the noise and takes ten times as long.
 *
 * If tau^2 does not converge, or is above the noise of the mean decoder, as it can be with few rows, or far below that
 * of the row oracle over the whole domain, as where nnls fits the noise of flat data with more values than cells, it
 * starts again from n/d users of each value. If that does not converge either, the answer is that of nnls. Cost: nnls,
 * then for each round of amp.c 2 r d hashes and look-ups. */
#include "sketches/sketch.h"

#include <assert.h>

enum { BLOCK = LDP_HASH_BLOCK };

struct work {
    const struct ldp_sketch_shape *shape;
    size_t d, c; /* c: cells of a row, or symbols */
    bool mirrors;
    double freedom;
    struct ldp_amp *found;
    uint64_t *seeds; /* [2 r] */
    uint32_t *cell;  /* [BLOCK] */
    double *Y, *R;   /* [r][c] */
    double *m;       /* [d] */
    void *pass;
    size_t bytes;
};

static struct work work_in(const struct ldp_sketch_shape *shape, size_t d, void *scratch)
{
    const size_t r = (size_t)shape->rows, c = ldp_sketch_symbols(shape), cells = r * c * sizeof(double),
                 pass = ldp_amp_pass_bytes(d), nnls = ldp_nnls_bytes(shape, d);
    struct ldp_arena arena = {scratch, 0};
    struct work work = {.found = ldp_take(&arena, sizeof(struct ldp_amp)),
                        .shape = shape,
                        .d = d,
                        .c = c,
                        .mirrors = ldp_sketch_mirrors(shape),
                        .freedom = ldp_amp_freedom(shape)};
    work.seeds = ldp_take(&arena, 2 * r * sizeof(uint64_t));
    work.cell = ldp_take(&arena, BLOCK * sizeof(uint32_t));
    work.Y = ldp_take(&arena, cells);
    work.R = ldp_take(&arena, cells);
    work.m = ldp_take(&arena, d * sizeof(double));
    work.pass = ldp_take(&arena, pass > nnls ? pass : nnls);
    work.bytes = arena.bytes;
    return work;
}

size_t ldp_amp_bytes(const struct ldp_sketch_shape *shape, size_t d)
{
    return work_in(shape, d, NULL).bytes;
}

double ldp_amp_freedom(const struct ldp_sketch_shape *shape)
{
    const double c = ldp_sketch_mirrors(shape) ? (double)shape->columns : (double)ldp_sketch_symbols(shape) - 1;
    return (double)shape->rows * c;
}

struct ldp_amp ldp_amp_found(const void *scratch)
{
    return *(const struct ldp_amp *)scratch;
}

/* R of a row, of which the values have been subtracted: less its mean, or with both halves of it. */
static void finish_row(const struct work *work, double *R)
{
    const size_t half = work->c / 2;
    if (work->mirrors) {
        for (size_t x = 0; x < half; x++) {
            R[x] -= R[half + x];
            R[half + x] = -R[x];
        }
        return;
    }
    const double mean = ldp_sum(R, work->c) / (double)work->c;
    for (size_t x = 0; x < work->c; x++)
        R[x] -= mean;
}

static double residuals(void *context, const double *m, double b)
{
    const struct work *const work = context;
    const size_t r = (size_t)work->shape->rows, c = work->c, known = work->mirrors ? c / 2 : c;
    double squares = 0;
    for (size_t j = 0; j < r; j++) {
        double *const R = work->R + j * c, *const Y = work->Y + j * c;
        for (size_t x = 0; x < c; x++)
            R[x] = x < known ? Y[x] + b * R[x] : 0;
        for (size_t v = 0; v < work->d; v += BLOCK) {
            const size_t size = work->d - v < BLOCK ? work->d - v : BLOCK;
            ldp_sketch_symbols_of(work->shape, work->seeds, j, 1, v, size, work->cell);
            for (size_t i = 0; i < size; i++)
                R[work->cell[i]] -= m[v + i];
        }
        finish_row(work, R);
        for (size_t x = 0; x < known; x++)
            squares += R[x] * R[x];
    }
    return squares / work->freedom / (double)r;
}

static void decode(void *context, const double *m, double share, double *z)
{
    const struct work *const work = context;
    const size_t r = (size_t)work->shape->rows, c = work->c, d = work->d;
    memset(z, 0, d * sizeof *z);
    for (size_t j = 0; j < r; j++)
        for (size_t v = 0; v < d; v += BLOCK) {
            const size_t size = d - v < BLOCK ? d - v : BLOCK;
            ldp_sketch_symbols_of(work->shape, work->seeds, j, 1, v, size, work->cell);
            for (size_t i = 0; i < size; i++)
                z[v + i] += work->R[j * c + work->cell[i]];
        }
    for (size_t v = 0; v < d; v++)
        z[v] = m[v] + share * z[v] / (double)r;
}

void ldp_amp(const struct ldp_sketch_shape *shape, uint64_t family, double n, double s1, double *cells, size_t d,
             void *scratch, double *counts)
{
    struct work work = work_in(shape, d, scratch);
    const size_t r = (size_t)shape->rows, c = work.c;
    const double load = work.mirrors ? 0 : n / (double)(r * c);
    double of_mean = 0; /* the variance of the mean decoder */
    assert(work.found && work.Y && work.R && work.m);
    ldp_sketch_seeds(shape, family, work.seeds);
    for (size_t i = 0; i < r * c; i++) {
        work.Y[i] = (double)r * cells[i];
        of_mean += (cells[i] - load) * (cells[i] - load) / (double)c;
    }
    if (work.mirrors)
        memset(work.m, 0, d * sizeof *work.m);
    else
        ldp_nnls(shape, family, cells, d, work.pass, work.m);
    struct ldp_amp_design design = {.d = d,
                                    .freedom = work.freedom,
                                    .positions = (double)r,
                                    .ncells = work.mirrors ? work.freedom : (double)(r * c),
                                    .least = n * s1,
                                    .fitted = !work.mirrors,
                                    .context = &work,
                                    .residuals = residuals,
                                    .decode = decode};
    work.found->converged = false;
    for (int start = 0; start < 2 && !work.found->converged; start++) {
        memset(work.R, 0, r * c * sizeof *work.R);
        for (size_t v = 0; start > 0 && v < d; v++)
            work.m[v] = n / (double)d;
        design.fitted &= start == 0;
        ldp_amp_pass(&design, n, of_mean, work.pass, work.m, counts, work.found);
    }
    if (!work.found->converged) {
        for (size_t i = 0; i < r * c; i++)
            cells[i] = work.Y[i] / (double)r;
        ldp_nnls(shape, family, cells, d, work.pass, counts);
    }
}
