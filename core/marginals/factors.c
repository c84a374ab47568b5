/* factors.c - see shrink.h.
 *
 * The central moments of all pairs are the blocks of one symmetric matrix R, a row for each contrast of each attribute,
 * scaled so that noise has variance N in each entry. Where a few hidden causes make attributes depend on each other, R
 * has few strong directions, off its diagonal blocks, which no table shows. Noise alone has a largest eigenvalue of
 * about 2 s sqrt(D), D rows, s^2 the mean noise of a row's entries, with fluctuations s D^(-1/6) (Tracy and Widom
 * 1994). An eigenvalue y above it is that of a direction of strength theta, y = theta + D s^2 / theta, whose estimate
 * is best taken with
 *
 *     theta - D s^2 / theta,      theta = (y + sqrt(y^2 - 4 D s^2)) / 2
 *
 * (Gavish and Donoho, IEEE Transactions on Information Theory 63, 2017, for squared error). With T the sum of these
 * directions, the diagonal blocks and pairs that nobody was asked for are filled by T, entries with more noise than
 * sigma^2, the harmonic mean of N, by T + sigma^2 / N (R - T), and the directions are found again, ROUNDS times. As
 * many are kept as need at most half of the numbers. Interactions are then shrunk to T, in place of 0 (shrink.c), if
 * that makes what was seen more likely (energies.c) by more than its price: a direction's D numbers, of variance theta
 * / D before and s^2 / theta after, make it less likely by D/2 log(1 + theta^2 / (D s^2)) (Laplace's approximation).
 *
 * Eigenvectors: orthogonal iteration of FACTORS_MAX vectors, shifted by what makes the eigenvalues of noise positive.
 * Cost: D^2 FACTORS_MAX times the iterations. */
#include "marginals/shrink.h"

#include "numerics/numeric.h"

#include <math.h>
#include <string.h>

enum { FACTORS_MAX = 8, ROWS_MAX = 256, ROUNDS = 12, FIRST_TURNS = 30, TURNS = 4, SWEEPS = 12 };
#define SURE 2.0 /* units of fluctuation: noise alone exceeds it once in a hundred times */

enum ldp_status ldp_factors_init(struct factors *factors, struct ldp_pool *pool, const struct tables *tables)
{
    const size_t d = tables->workload->records->d;
    size_t most = SIZE_MAX, rows;

    *factors = (struct factors){.rows = 0};
    do {
        rows = 0;
        for (size_t a = 0; a < d; a++) {
            const size_t own = tables->cardinality[a] - 1;
            factors->first[a] = rows;
            rows += own <= most && ldp_closure_find(&tables->closure, UINT64_C(1) << a) != CLOSURE_NONE ? own : 0;
        }
        most = most > rows ? rows : most / 2;
    } while (rows > ROWS_MAX);
    factors->first[d] = factors->rows = rows;
    TAKE(pool, factors->seen, rows * rows + 1);
    TAKE(pool, factors->weight, rows * rows + 1);
    TAKE(pool, factors->fit, rows * rows + 1);
    TAKE(pool, factors->mixed, rows * rows + 1);
    TAKE(pool, factors->axis, FACTORS_MAX * rows + 1);
    TAKE(pool, factors->image, FACTORS_MAX * rows + 1);
    return ldp_pool_status(pool);
}

/* An entry of a pair's block: both its positions in the matrix, and its coefficient. */
struct entry {
    size_t at, mirror, coef;
    double scale; /* from a coefficient to a number of unit contrasts */
    bool is_known;
    size_t block, cell; /* in the block */
};

/* The next entry of the pairs, after none at first (all zero); false: there is none. */
static bool next_entry(const struct factors *factors, const struct tables *tables, struct entry *entry)
{
    const struct closure *const closure = &tables->closure;

    for (size_t b = entry->block, c = entry->cell + (b > 0); b < closure->nblocks; b++, c = 0) {
        const struct ldp_set set = ldp_set_of_mask(closure->mask[b]);
        if (set.size != 2)
            continue;
        const size_t i = set.attribute[0], j = set.attribute[1], rows = factors->first[i + 1] - factors->first[i],
                     columns = factors->first[j + 1] - factors->first[j];
        if (c >= rows * columns)
            continue;
        const size_t row = factors->first[i] + c / columns, column = factors->first[j] + c % columns;
        const double scale = sqrt((double)tables->cardinality[i] * (double)tables->cardinality[j]);
        *entry = (struct entry){row * factors->rows + column,
                                column * factors->rows + row,
                                closure->offset[b] + c,
                                scale,
                                tables->has[b],
                                b,
                                c};
        return true;
    }
    return false;
}

/* ---- eigenvectors ---- */

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Gram and Schmidt, twice: vectors that are nearly those of others come out clean. */
static void make_orthonormal(double *axis, size_t count, size_t n)
{
    for (size_t k = 0; k < count; k++) {
        double *const own = axis + k * n;
        for (int twice = 0; twice < 2; twice++)
            for (size_t j = 0; j < k; j++) {
                const double part = dot(own, axis + j * n, n);
                for (size_t i = 0; i < n; i++)
                    own[i] -= part * axis[j * n + i];
            }
        const double length = sqrt(dot(own, own, n));
        for (size_t i = 0; i < n; i++)
            own[i] = length > 0 ? own[i] / length : 0;
    }
}

static void multiply(const double *matrix, const double *axis, size_t count, size_t n, double shift, double *image)
{
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < n; i++)
            image[k * n + i] = dot(matrix + i * n, axis + k * n, n) + shift * axis[k * n + i];
}

/* Turns columns p and q of the vectors so that small[p][q] becomes 0 (Jacobi 1846). */
static void rotate(double small[FACTORS_MAX][FACTORS_MAX], size_t count, size_t p, size_t q, double *axis, size_t n)
{
    if (small[p][q] == 0)
        return;
    const double half = (small[q][q] - small[p][p]) / (2 * small[p][q]),
                 t = (half >= 0 ? 1 : -1) / (fabs(half) + sqrt(half * half + 1)), c = 1 / sqrt(t * t + 1), s = t * c;

    for (size_t k = 0; k < count; k++) {
        const double a = small[k][p], b = small[k][q];
        small[k][p] = c * a - s * b;
        small[k][q] = s * a + c * b;
    }
    for (size_t k = 0; k < count; k++) {
        const double a = small[p][k], b = small[q][k];
        small[p][k] = c * a - s * b;
        small[q][k] = s * a + c * b;
    }
    for (size_t i = 0; i < n; i++) {
        const double a = axis[p * n + i], b = axis[q * n + i];
        axis[p * n + i] = c * a - s * b;
        axis[q * n + i] = s * a + c * b;
    }
}

/* Improves the vectors; value[count]: the matrix in their directions. */
static void find_directions(struct factors *factors, size_t count, size_t turns, double shift, double *value)
{
    const size_t n = factors->rows;
    double small[FACTORS_MAX][FACTORS_MAX];

    for (size_t turn = 0; turn < turns; turn++) {
        multiply(factors->mixed, factors->axis, count, n, shift, factors->image);
        memcpy(factors->axis, factors->image, count * n * sizeof *factors->axis);
        make_orthonormal(factors->axis, count, n);
    }
    multiply(factors->mixed, factors->axis, count, n, 0, factors->image);
    for (size_t p = 0; p < count; p++)
        for (size_t q = 0; q < count; q++)
            small[p][q] = dot(factors->axis + p * n, factors->image + q * n, n);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (size_t p = 0; p < count; p++)
            for (size_t q = p + 1; q < count; q++)
                rotate(small, count, p, q, factors->axis, n);
    for (size_t k = 0; k < count; k++)
        value[k] = small[k][k];
}

/* ---- the fit ---- */

/* The numbers that so many directions are free to choose. */
static double freedom_of(size_t count, size_t rows)
{
    return (double)count * ((double)rows - (double)(count - 1) / 2);
}

static void fill_missing(struct factors *factors)
{
    for (size_t c = 0; c < factors->rows * factors->rows; c++)
        factors->mixed[c] = factors->fit[c] + factors->weight[c] * (factors->seen[c] - factors->fit[c]);
}

/* Sets the fit to the directions that exceed noise, the strongest first. */
static void fit(struct factors *factors, size_t count, const double *value, double noise, size_t known)
{
    const size_t n = factors->rows;
    const double square = (double)n * noise,
                 least = sqrt(noise) * (2 * sqrt((double)n) + SURE * ldp_pow((double)n, -1. / 6));
    bool used[FACTORS_MAX] = {false};

    memset(factors->fit, 0, n * n * sizeof *factors->fit);
    factors->price = 0;
    for (factors->found = 0; factors->found < count; factors->found++) {
        size_t best = count;
        for (size_t k = 0; k < count; k++)
            if (!used[k] && value[k] > least && (best == count || value[k] > value[best]))
                best = k;
        if (best == count || freedom_of(factors->found + 1, n) > (double)known / 2)
            break;
        used[best] = true;
        const double *const axis = factors->axis + best * n;
        const double strength = (value[best] + sqrt(value[best] * value[best] - 4 * square)) / 2,
                     kept = strength - square / strength;
        factors->price += (double)n / 2 * ldp_log1p(strength * strength / square);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                factors->fit[i * n + j] += kept * axis[i] * axis[j];
    }
}

void ldp_factors_find(struct factors *factors, const struct tables *tables, const double *central,
                      const double *variance, double *target)
{
    const size_t n = factors->rows, count = n < FACTORS_MAX ? n : FACTORS_MAX;
    double precision = 0, noise = 0, value[FACTORS_MAX];
    size_t known = 0;
    struct ldp_rng rng;

    factors->found = 0;
    factors->freedom = factors->price = 0;
    memset(factors->weight, 0, n * n * sizeof *factors->weight);
    memset(factors->fit, 0, n * n * sizeof *factors->fit);
    for (struct entry e = {0}; next_entry(factors, tables, &e);)
        if (e.is_known) {
            precision += 1 / (variance[e.coef] * e.scale * e.scale);
            known++;
        }
    if (known > 0) {
        const double common = (double)known / precision; /* sigma^2 */
        for (struct entry e = {0}; next_entry(factors, tables, &e);)
            if (e.is_known) {
                const double own = variance[e.coef] * e.scale * e.scale, weight = fmin(1, common / own);
                factors->seen[e.at] = factors->seen[e.mirror] = central[e.coef] * e.scale;
                factors->weight[e.at] = factors->weight[e.mirror] = weight;
                noise += weight * weight * own;
            }
        noise = 2 * noise / (double)(n * n);
        const double shift = 2 * sqrt(noise * (double)n);
        ldp_rng_stream(&rng, 0, "factors", n);
        for (size_t i = 0; i < count * n; i++)
            factors->axis[i] = ldp_rng_uniform(&rng) - 0.5;
        for (size_t round = 0; round < ROUNDS && (round == 0 || factors->found > 0); round++) {
            fill_missing(factors);
            find_directions(factors, count, round == 0 ? FIRST_TURNS : TURNS, shift, value);
            fit(factors, count, value, noise, known);
        }
        factors->freedom = freedom_of(factors->found, n) / (double)known;
    }
    for (struct entry e = {0}; next_entry(factors, tables, &e);)
        target[e.coef] = factors->fit[e.at] / e.scale;
}
