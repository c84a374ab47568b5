/* mixture.c - the mixture of normal laws of unit variance that maximises the likelihood of estimates.
 *
 * Finds atoms t_j in [0, top] and weights w_j that maximise
 *
 *     (1/d) sum_v log f(y_v),   f(y) = sum_j w_j exp(-(y - t_j)^2 / 2),   w >= 0, sum w = 1.
 *
 * Source: Kiefer and Wolfowitz, Ann. Math. Statist. 27 (1956); as a convex problem Koenker and Mizera, J. Amer.
 * Statist. Assoc. 109 (2014). With D(t) = (1/d) sum_v exp(-(y_v - t)^2 / 2) / f(y_v), w is optimal if and only if
 * D(t_j) <= 1 for all j, and the mean log-likelihood is below the largest by at most max_j D(t_j) - 1. The fit ends
 * when that is TOLERANCE: by Newton steps on the atoms that have weight (exchange.c) or, if those do not converge, by
 * an interior-point method (interior.c). Expectation maximisation would take thousands of passes.
 *
 * Atoms follow the data. At the optimum D <= 1 everywhere, so at a distance a from all data D is at most 2 exp(-a^2 /
 * 2): no atom is further than sqrt(2 log 2) = 1.18 from an estimate. Atoms are placed at the multiples of 1/4 up to 1.5
 * away from an estimate. A lone estimate (none other within 3) has atoms on it and 1/4 from it, an isolated one (none
 * other within 8) has one atom on it. Estimates more than 8 apart do not affect each other's weights: each cluster
 * between such gaps is a separate problem. A cluster of more than 256 atoms is solved in blocks of 256, with the other
 * blocks fixed, until all agree.
 *
 * The bound TOLERANCE is relative to the best mixture on these atoms; docs/methods.md says what atoms anywhere would
 * gain.
 *
 * Approximations: estimates are fitted in bins of 1/16, each at its mean, which changes a log-likelihood by at most
 * 1/2048 where the posterior variance is below 2. Estimates more than 24 outside [0, top] are moved to 24 outside.
 * Terms with |t - y| > 9 are left out: less than d exp(-40) of f, since D <= 1 at an estimate implies f >= 1 / d. There
 * is memory for several atoms per estimate for SPREAD estimates that are far apart; of more than SPREAD, the largest
 * have one atom each. With relevant noise, that many estimates cannot be far apart: their sum would be above n.
 *
 * Cost: O(d) and the fit: about ten rounds, each a few passes over the likelihoods of bins and atoms. Their number
 * depends on the range that estimates cover densely, and hardly on the number of estimates. */
#include "priors/mixture.h"
#include "numerics/arena.h"
#include "numerics/numeric.h"
#include "simd/simd.h"

#include <assert.h>

#define STEP LDP_INTERIOR_STEP /* of the atoms */
#define BIN 0.0625             /* of the estimates */
#define NEAR 1.5               /* atoms are placed this far around an estimate */
#define LONE 3.0               /* distance of a lone estimate from its neighbours on both sides */
#define ISOLATED 8.0
#define WINDOW 9.0    /* of a row: atoms further away do not count */
#define EXTERNAL 24.0 /* estimates further outside are moved to this distance */
#define TOLERANCE 1e-6
#define PRUNED 0.01 /* of the tolerance: the most that removed atoms may contribute */

enum {
    BLOCK = LDP_INTERIOR_ATOMS,
    BAND = LDP_INTERIOR_BAND,
    ROWS = LDP_INTERIOR_ROWS,
    ATOMS_EACH = 14,  /* atoms at most for each bin */
    SPREAD = 1 << 12, /* the number of bins with room for that many atoms */
    CLOSE = 1 << 10,  /* the number of bins that are counted without sorting */
    MODEST = 16,      /* estimates up to this have their means side by side */
    LANES = LDP_INTERIOR_LANES,
    SWEEPS = 10
};

/* ---- The fit of a cluster ---- */

/* L[j] = exp(-(y - t[j])^2 / 2) relative to its largest value for t in [0, top], which is at p = ldp_clip(y). */
LDP_INLINE void likelihoods(double y, double p, const double *restrict t, size_t m, double *restrict L)
{
#pragma omp simd
    for (size_t j = 0; j < m; j++)
        L[j] = ldp_exp((t[j] - p) * (2 * y - t[j] - p) / 2);
}

/* The same where t[j] = t[0] + j STEP, with decay[j] = exp(-(j STEP)^2 / 2): the exponent is that of t[0], plus j STEP
 * (y - t[0]), less (j STEP)^2 / 2, so two exponentials are enough. Always in lanes of 8, so that no width of vectors
 * shows in the result. */
LDP_INLINE void likelihoods_of_run(double y, double p, double t, const double *restrict decay, size_t m,
                                   double *restrict L)
{
    const double ratio = ldp_exp(STEP * (y - t)), ratio2 = ratio * ratio, ratio4 = ratio2 * ratio2;
    const double power[LANES] = {1,      ratio,          ratio2,          ratio2 * ratio,
                                 ratio4, ratio4 * ratio, ratio4 * ratio2, ratio4 * (ratio2 * ratio)};
    double first = ldp_exp((t - p) * (2 * y - t - p) / 2);
    for (size_t j = 0; j < m; j += LANES, first *= ratio4 * ratio4)
        for (size_t i = 0; i < LANES; i++)
            L[j + i] = first * (power[i] * decay[j + i]);
}

/* Whether t[0 .. m - 1] are STEP apart: multiples of it are exact. */
LDP_INLINE bool is_run(const double *t, size_t m)
{
    bool run = true;
    for (size_t j = 1; j < m; j++)
        run &= t[j] - t[j - 1] == STEP;
    return run;
}

/* L[0 .. m - 1], with room for LANES - 1 more. */
LDP_INLINE void row(const struct ldp_mixture *mixture, double y, double p, const double *t, size_t m, double *L)
{
    if (m > 2 && is_run(t, m))
        likelihoods_of_run(y, p, t[0], mixture->decay, m, L);
    else
        likelihoods(y, p, t, m, L);
}

/* Posterior means of y[LANES], each clipped, by the atoms first .. end - 1, of which each takes those within its
 * window. Measured from 0 no terms cancel; far from 0 digits would be lost. */
LDP_INLINE void means(const struct ldp_mixture *mixture, const double *y, size_t first, size_t end,
                      double *restrict out)
{
    double p[LANES], origin[LANES], mass[LANES] = {0}, moment[LANES] = {0};
#pragma omp simd
    for (size_t i = 0; i < LANES; i++) {
        p[i] = ldp_clip(y[i], 0, mixture->top);
        origin[i] = p[i] < 2 * WINDOW ? 0 : p[i];
    }
    for (size_t j = first; j < end; j++) {
        const double t = mixture->t[j], w = mixture->w[j];
#pragma omp simd
        for (size_t i = 0; i < LANES; i++) {
            const double from = t - p[i], exponent = from * (2 * y[i] - t - p[i]) / 2;
            const double L = fabs(from) <= WINDOW ? w * ldp_exp(exponent) : 0;
            mass[i] += L;
            moment[i] += L * (t - origin[i]);
        }
    }
#pragma omp simd
    for (size_t i = 0; i < LANES; i++)
        out[i] = ldp_clip(origin[i] + moment[i] / mass[i], 0, mixture->top);
}

/* The same source compiled for each level. */
LDP_VECTORS(void, row, (const struct ldp_mixture *mixture, double y, double p, const double *t, size_t m, double *L),
            row(mixture, y, p, t, m, L))
LDP_VECTORS(void, means, (const struct ldp_mixture *mixture, const double *y, size_t first, size_t end, double *out),
            means(mixture, y, first, end, out))

typedef void row_function(const struct ldp_mixture *mixture, double y, double p, const double *t, size_t m, double *L);
typedef void means_function(const struct ldp_mixture *mixture, const double *y, size_t first, size_t end, double *out);

/* The first of t[from .. to - 1] that is not below x. */
static size_t lower_bound(const double *t, size_t from, size_t to, double x)
{
    return from + ldp_sorted_below(t + from, to - from, x, false);
}

/* The atoms t[from .. to - 1] within the window of p: the first, their number in *m. */
static size_t window(const double *t, size_t from, size_t to, double p, size_t *m)
{
    const size_t first = lower_bound(t, from, to, p - WINDOW);
    size_t end = lower_bound(t, first, to, p + WINDOW);
    end += end < to && t[end] == p + WINDOW;
    *m = end - first;
    assert(*m <= BAND);
    return first;
}

/* Sets up a block for the atoms a .. b - 1 of the cluster, which has rows r .. q - 1 and atoms A .. B - 1, and solves
 * it. */
static void fit_block(struct ldp_mixture *mixture, struct ldp_interior *block, size_t r, size_t q, size_t A, size_t B,
                      size_t a, size_t b)
{
    const double *const t = mixture->t;
    row_function *const level = LDP_BEST(row);
    block->natoms = b - a;
    block->nrows = 0;
    for (size_t i = r; i < q; i++) {
        const double y = mixture->y[i], p = ldp_clip(y, 0, mixture->top);
        const size_t m = block->nrows;
        if (t[b - 1] < p - WINDOW || t[a] > p + WINDOW)
            continue;
        assert(m < ROWS);
        block->c[m] = mixture->c[i];
        block->other[m] = 0;
        block->count[m] = 0;
        double L[BAND + LANES];
        size_t near;
        const size_t first = window(t, A, B, p, &near);
        level(mixture, y, p, t + first, near, L);
        const size_t from = first > a ? first : a, to = first + near < b ? first + near : b;
        for (size_t j = first; j < first + near; j++)
            if (j < a || j >= b)
                block->other[m] += mixture->w[j] * L[j - first];
        if (from < to) {
            block->first[m] = from - a;
            block->count[m] = to - from;
            memcpy(block->L[m], L + (from - first), (to - from) * sizeof *L);
            for (size_t j = to - from; j % LANES > 0; j++)
                block->L[m][j] = 0;
        }
        block->nrows += block->count[m] > 0;
    }
    /* A smaller tolerance if several blocks must agree. */
    memcpy(block->t, t + a, (b - a) * sizeof *block->t);
    const double tolerance = b - a < B - A ? TOLERANCE / 1000 : TOLERANCE;
    if (!ldp_exchange_fit(block, tolerance))
        ldp_interior_fit(block, tolerance);
    memcpy(mixture->w + a, block->w, (b - a) * sizeof *block->w);
}

/* Scales the weights of a cluster to their right sum. */
static void scale(struct ldp_mixture *mixture, size_t A, size_t B, double mass)
{
    const double sum = ldp_sum(mixture->w + A, B - A);
    for (size_t j = A; j < B; j++)
        mixture->w[j] *= mass / sum;
}

/* Returns max D - 1 over a cluster. */
static double cluster_gap(struct ldp_mixture *mixture, double *D, size_t r, size_t q, size_t A, size_t B)
{
    const double *const t = mixture->t;
    row_function *const level = LDP_BEST(row);
    for (size_t j = A; j < B; j++)
        D[j] = 0;
    for (size_t i = r; i < q; i++) {
        const double y = mixture->y[i], p = ldp_clip(y, 0, mixture->top);
        double L[BAND + LANES], f = 0;
        size_t m;
        const size_t first = window(t, A, B, p, &m);
        level(mixture, y, p, t + first, m, L);
        for (size_t j = 0; j < m; j++)
            f += mixture->w[first + j] * L[j];
        const double per = mixture->c[i] / f;
        for (size_t j = 0; j < m; j++)
            D[first + j] += per * L[j];
    }
    double most = 0;
    for (size_t j = A; j < B; j++)
        most = D[j] - 1 > most ? D[j] - 1 : most;
    return most;
}

/* Removes negligible weights: the interior-point method leaves some weight at every atom. The mean log-likelihood falls
 * by at most their sum times D. */
static void prune(struct ldp_mixture *mixture, size_t A, size_t B, double mass)
{
    const double least = PRUNED * TOLERANCE / (double)(B - A) * mass;
    for (size_t j = A; j < B; j++)
        mixture->w[j] = mixture->w[j] < least ? 0 : mixture->w[j];
}

/* Keeps the atoms from A on that have weight. */
static void compact(struct ldp_mixture *mixture, size_t A)
{
    const size_t B = mixture->natoms;
    mixture->natoms = A;
    for (size_t j = A; j < B; j++)
        if (mixture->w[j] > 0) {
            mixture->t[mixture->natoms] = mixture->t[j];
            mixture->w[mixture->natoms++] = mixture->w[j];
        }
}

static void append_atom(struct ldp_mixture *mixture, size_t A, double t)
{
    t = ldp_clip(t, 0, mixture->top);
    if (mixture->natoms == A || t > mixture->t[mixture->natoms - 1])
        mixture->t[mixture->natoms++] = t;
}

/* Atoms that there is room for. */
static size_t atoms_room(size_t d)
{
    return d + (ATOMS_EACH - 1) * (d < SPREAD ? d : SPREAD);
}

/* Fits the atoms for rows r .. q - 1, a cluster. */
static void place_atoms(struct ldp_mixture *mixture, size_t r, size_t q)
{
    const size_t A = mixture->natoms;
    double before = -INFINITY;
    for (size_t i = r; i < q; i++) {
        const double p = ldp_clip(mixture->y[i], 0, mixture->top);
        const double after = i + 1 < q ? ldp_clip(mixture->y[i + 1], 0, mixture->top) : INFINITY;
        const bool tight = mixture->natoms + ATOMS_EACH + (mixture->nrows - i - 1) > mixture->room;
        if (tight) {
            if (mixture->natoms == A || p >= mixture->t[mixture->natoms - 1] + STEP)
                append_atom(mixture, A, p);
        } else if (p - before > ISOLATED && after - p > ISOLATED) {
            append_atom(mixture, A, p);
        } else if (p - before > LONE && after - p > LONE) {
            for (int side = -1; side <= 1; side++)
                append_atom(mixture, A, p + side * STEP);
        } else {
            const double least = ceil((p - NEAR) / STEP), most = floor((p + NEAR) / STEP);
            for (int k = 0; k <= most - least; k++)
                append_atom(mixture, A, (least + k) * STEP);
        }
        before = p;
    }
}

static void fit_cluster(struct ldp_mixture *mixture, struct ldp_interior *block, double *D, size_t r, size_t q)
{
    const size_t A = mixture->natoms;
    const double *const t = mixture->t;
    place_atoms(mixture, r, q);
    const size_t B = mixture->natoms;
    mixture->placed += B - A;
    double mass = 0;
    for (size_t i = r; i < q; i++)
        mass += mixture->c[i];
    for (size_t j = A; j < B; j++)
        mixture->w[j] = mass / (double)(B - A);
    if (B - A == 1)
        return;
    /* More atoms than a block holds: solve block by block with the others fixed, with different cuts in every other
     * sweep. */
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (size_t a = A, b; a < B; a = b) {
            const size_t most = sweep % 2 && a == A ? BLOCK / 2 : BLOCK;
            b = B - a < most ? B : a + most;
            fit_block(mixture, block, t[a] <= WINDOW ? r : lower_bound(mixture->y, r, q, t[a] - WINDOW),
                      t[b - 1] >= mixture->top - WINDOW ? q : lower_bound(mixture->y, r, q, t[b - 1] + WINDOW), A, B, a,
                      b);
        }
        prune(mixture, A, B, mass);
        scale(mixture, A, B, mass);
        /* The fit of a single block has ended by that condition. */
        if (B - A <= BLOCK || cluster_gap(mixture, D, r, q, A, B) <= TOLERANCE)
            break;
    }
    compact(mixture, A);
}

/* ---- Estimates to bins ---- */

/* Turns y[0 .. count - 1], in order, into the means of bins and their weights, the next rows. */
static void gather(struct ldp_mixture *mixture, const double *y, size_t count, size_t d)
{
    for (size_t v = 0, end; v < count; v = end) {
        const double least = y[v], bin = floor(least / BIN);
        double sum = 0;
        for (end = v; end < count && floor(y[end] / BIN) == bin; end++)
            sum += y[end] - least;
        mixture->y[mixture->nrows] = least + sum / (double)(end - v);
        mixture->c[mixture->nrows++] = (double)(end - v) / (double)d;
    }
}

/* Rows of y[d]. Estimates below -OUTSIDE + CLOSE BIN are counted by bin, the others, which are few, sorted. */
static void make_rows(struct ldp_mixture *mixture, const double *y, size_t d)
{
    uint32_t number[CLOSE] = {0};
    double sum[CLOSE] = {0};
    double *const far = mixture->y;
    size_t nfar = 0;
    for (size_t v = 0; v < d; v++) {
        const double x = ldp_clip(y[v], -EXTERNAL, mixture->top + EXTERNAL), position = (x + EXTERNAL) / BIN;
        if (position < CLOSE) {
            const size_t bin = (size_t)position;
            number[bin]++;
            sum[bin] += position - (double)bin;
        } else {
            far[nfar++] = x;
        }
    }
    ldp_sort(far, nfar, mixture->c);
    /* Behind the rows of bins, of which there are at most as many as estimates in them. */
    memmove(mixture->y + (d - nfar), far, nfar * sizeof *far);
    mixture->nrows = 0;
    for (size_t bin = 0; bin < CLOSE; bin++)
        if (number[bin] > 0) {
            mixture->y[mixture->nrows] = ((double)bin + sum[bin] / number[bin]) * BIN - EXTERNAL;
            mixture->c[mixture->nrows++] = number[bin] / (double)d;
        }
    gather(mixture, mixture->y + (d - nfar), nfar, d);
}

/* Posterior means of y[LANES], by the atoms first .. end - 1, which are all that one of them needs. */
static void find_means(const struct ldp_mixture *mixture, const double *y, size_t first, size_t end, double *out)
{
    LDP_BEST(means)(mixture, y, first, end, out);
    for (size_t i = 0; i < LANES; i++)
        if (isnan(out[i])) { /* no estimate is so far from all atoms */
            const size_t next = lower_bound(mixture->t, 0, mixture->natoms, y[i]);
            out[i] = mixture->t[next < mixture->natoms ? next : next - 1];
        }
}

double ldp_mixture_mean(const struct ldp_mixture *mixture, double y)
{
    double lanes[LANES], out[LANES];
    size_t m;
    y = ldp_clip(y, -EXTERNAL, mixture->top + EXTERNAL);
    for (size_t i = 0; i < LANES; i++)
        lanes[i] = y;
    const size_t first = window(mixture->t, 0, mixture->natoms, ldp_clip(y, 0, mixture->top), &m);
    find_means(mixture, lanes, first, first + m, out);
    return out[0];
}

void ldp_mixture_means(const struct ldp_mixture *mixture, const double *y, size_t d, double *out)
{
    size_t reach[MODEST + 1]; /* atoms up to the window of an estimate of that size */
    for (size_t k = 0, end = 0; k <= MODEST; k++) {
        while (end < mixture->natoms && mixture->t[end] <= (double)k + WINDOW)
            end++;
        reach[k] = end;
    }
    for (size_t v = 0; v < d; v += LANES) {
        const size_t m = d - v < LANES ? d - v : LANES;
        double lanes[LANES] = {0}, of[LANES], most = 0;
        for (size_t i = 0; i < m; i++) {
            lanes[i] = y[v + i] <= MODEST ? ldp_clip(y[v + i], -EXTERNAL, mixture->top + EXTERNAL) : 0;
            most = lanes[i] > most ? lanes[i] : most;
        }
        find_means(mixture, lanes, 0, reach[(size_t)ceil(most)], of);
        for (size_t i = 0; i < m; i++)
            out[v + i] = y[v + i] <= MODEST ? of[i] : ldp_mixture_mean(mixture, y[v + i]);
    }
}

size_t ldp_mixture_scratch(size_t d)
{
    return ldp_aligned(sizeof(struct ldp_interior)) + (2 * d + 3 * atoms_room(d)) * sizeof(double);
}

void ldp_mixture_fit(const double *y, size_t d, double top, void *scratch, struct ldp_mixture *mixture)
{
    double *const rows = (double *)(void *)((char *)scratch + ldp_aligned(sizeof(struct ldp_interior)));
    double *const t = rows + 2 * d;
    const size_t room = atoms_room(d);
    *mixture = (struct ldp_mixture){.top = top, .y = rows, .c = rows + d, .t = t, .w = t + room, .room = room};
    for (size_t j = 0; j < BAND; j++)
        mixture->decay[j] = ldp_exp(-(STEP * (double)j) * (STEP * (double)j) / 2);
    make_rows(mixture, y, d);
    for (size_t r = 0, q; r < mixture->nrows; r = q) {
        for (q = r + 1; q < mixture->nrows; q++)
            if (ldp_clip(mixture->y[q], 0, top) - ldp_clip(mixture->y[q - 1], 0, top) > ISOLATED)
                break;
        fit_cluster(mixture, scratch, t + 2 * room, r, q);
    }
}
