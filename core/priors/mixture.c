/* mixture.c - the mixture of normal laws of unit variance that maximises the likelihood of estimates.
 *
 * Atoms t_j in [0, top], weights w_j that maximise
 *
 *     (1/d) sum_v log f(y_v),   f(y) = sum_j w_j exp(-(y - t_j)^2 / 2),   w >= 0, sum w = 1.
 *
 * Source: Kiefer and Wolfowitz, Ann. Math. Statist. 27 (1956); as a convex problem Koenker and Mizera, J. Amer.
 * Statist. Assoc. 109 (2014). With D(t) = (1/d) sum_v exp(-(y_v - t)^2 / 2) / f(y_v), w is optimal if and only if
 * D(t_j) <= 1 for all j, and the mean log-likelihood falls short of the largest by at most max_j D(t_j) - 1: solved
 * until that is TOLERANCE, by a primal-dual interior-point method, since expectation maximisation takes thousands of
 * passes.
 *
 * Atoms follow the data. At the optimum D <= 1 everywhere, so that at a distance a from all data D is at most
 * 2 exp(-a^2 / 2): no atom is further than sqrt(2 log 2) = 1.18 from an estimate. Atoms stand at the multiples of 1/4
 * up to 1.5 away from an estimate, at a lone estimate (none within 3) on it and 1/4 beside it, and at an isolated one
 * (none within 8) on it alone. Estimates more than 8 apart do not touch each other's weights: each cluster between such
 * gaps is a problem of its own, solved in blocks of 256 atoms where it has more, the others kept, until all agree.
 *
 * The bound TOLERANCE is against the best mixture on these atoms; what atoms anywhere would gain is in docs/methods.md.
 *
 * Approximations: estimates are fitted in bins of 1/16, each at its mean, which changes a log-likelihood by at most
 * 1/2048 where the posterior variance is below 2. Estimates more than 24 outside [0, top] are taken to be 24 outside.
 * Terms with |t - y| > 9 are left out: less than d exp(-40) of f, since D <= 1 at an estimate says f >= 1 / d.
 * There is memory for several atoms an estimate for SPREAD estimates that stand apart; of more, the largest have an
 * atom each. So many do not stand apart while the noise is of any size: their sum would be beyond n.
 *
 * Cost: O(d) and the fit, whose Newton steps take about 10^5 operations for every 10 units of range that estimates
 * cover densely, whatever their number. */
#include "priors/mixture.h"
#include "aligned.h"
#include "numeric.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define STEP 0.25  /* of the atoms */
#define BIN 0.0625 /* of the estimates */
#define NEAR 1.5   /* atoms reach so far from an estimate */
#define LONE 3.0   /* from neighbours on both sides */
#define ISOLATED 8.0
#define WINDOW 9.0   /* of a row: atoms further off do not count */
#define OUTSIDE 24.0 /* estimates further below 0 are taken for this */
#define TOLERANCE 1e-6

enum {
    BLOCK = 256,                                   /* atoms that are solved for at once */
    BAND = 80,                                     /* atoms in a window: 18 / STEP and ends */
    ROWS = 4 * BLOCK + 2 * 24 * 16 + 18 * 16 + 32, /* bins that touch a block */
    ATOMS_EACH = 14,                               /* atoms at most for each bin */
    SPREAD = 1 << 12,                              /* bins that there is room for so many atoms of */
    ITERATIONS = 60,
    SWEEPS = 10
};

/* A block of the problem: rows i of weight c, each of them touching a run of atoms. */
struct block {
    size_t nrows, natoms;
    size_t first[ROWS], count[ROWS];
    double c[ROWS], other[ROWS], f[ROWS], df[ROWS];
    double L[ROWS][BAND];
    double H[BLOCK][BAND]; /* H[j][BAND - 1 - (j - k)] for k <= j */
    double w[BLOCK], z[BLOCK], D[BLOCK], dw[BLOCK], dz[BLOCK];
};

static double clip(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

static double dot(const double *a, const double *b, size_t m)
{
    double lane[4] = {0};
    size_t i = 0;

    for (; i + 4 <= m; i += 4)
        for (size_t j = 0; j < 4; j++)
            lane[j] += a[i + j] * b[i + j];
    for (size_t j = 0; i + j < m; j++)
        lane[j] += a[i + j] * b[i + j];
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

/* ---- The fit of one block, by a primal-dual interior-point method ---- */

/* f at the weights, D at f. */
static void gradient(struct block *block)
{
    memset(block->D, 0, block->natoms * sizeof *block->D);
    for (size_t i = 0; i < block->nrows; i++) {
        const double *const L = block->L[i];
        double *const D = block->D + block->first[i];

        block->f[i] = block->other[i] + dot(L, block->w + block->first[i], block->count[i]);
        const double per = block->c[i] / block->f[i];
        for (size_t j = 0; j < block->count[i]; j++)
            D[j] += per * L[j];
    }
}

/* H = sum_i c_i L_i L_i' / f_i^2 + diag(z / w). */
static void hessian(struct block *block)
{
    memset(block->H, 0, block->natoms * sizeof *block->H);
    for (size_t i = 0; i < block->nrows; i++) {
        const double *const L = block->L[i];
        const double per = block->c[i] / block->f[i] / block->f[i];

        for (size_t j = 0; j < block->count[i]; j++) {
            double *const H = block->H[block->first[i] + j] + (BAND - 1 - j);
            const double scale = per * L[j];

            for (size_t k = 0; k <= j; k++)
                H[k] += scale * L[k];
        }
    }
    for (size_t j = 0; j < block->natoms; j++)
        block->H[j][BAND - 1] += block->z[j] / block->w[j];
}

/* x = H^-1 x by Cholesky's decomposition H = U D U', column by column. */
static void solve(struct block *block, double *x)
{
    const size_t m = block->natoms;

    for (size_t k = 0; k < m; k++) {
        const double pivot = block->H[k][BAND - 1];
        const size_t reach = m - k < BAND ? m - k : BAND;

        double column[BAND];
        for (size_t j = 1; j < reach; j++)
            column[j] = block->H[k + j][BAND - 1 - j];
        for (size_t j = 1; j < reach; j++) {
            double *const H = block->H[k + j] + (BAND - 1 - j);
            const double scale = column[j] / pivot;

            for (size_t l = 1; l <= j; l++)
                H[l] -= scale * column[l];
            H[0] = scale;
            x[k + j] -= scale * x[k];
        }
    }
    for (size_t k = m; k-- > 0;) {
        const size_t reach = m - k < BAND ? m - k : BAND;
        double sum = x[k] / block->H[k][BAND - 1];

        for (size_t j = 1; j < reach; j++)
            sum -= block->H[k + j][BAND - 1 - j] * x[k + j];
        x[k] = sum;
    }
}

/* The largest step in (0, 1] that keeps x + step dx > 0 with some room. */
static double step_within(const double *x, const double *dx, size_t m)
{
    double step = 1;

    for (size_t j = 0; j < m; j++)
        if (x[j] + step * dx[j] < 0.005 * x[j])
            step = -0.995 * x[j] / dx[j];
    return step;
}

/* What a step along dw changes in -sum c log f + sum w - mu sum log w. */
static double change(const struct block *block, double mu, double step)
{
    double sum = 0;

    for (size_t i = 0; i < block->nrows; i++)
        sum -= block->c[i] * ldp_log1p(step * block->df[i] / block->f[i]);
    for (size_t j = 0; j < block->natoms; j++)
        sum += step * block->dw[j] - mu * ldp_log1p(step * block->dw[j] / block->w[j]);
    return sum;
}

/* Minimises -sum c log f + sum w over w >= 0: without a constraint on the sum, which comes out as it should. */
static void fit(struct block *block, double tolerance)
{
    const size_t m = block->natoms;
    double mass = 0;

    for (size_t i = 0; i < block->nrows; i++)
        mass += block->c[i];
    for (size_t j = 0; j < m; j++)
        block->w[j] = mass / (double)m;
    gradient(block);
    for (size_t j = 0; j < m; j++)
        block->z[j] = 1 - block->D[j] > 0.5 ? 1 - block->D[j] : 0.5;
    double mu = 0, shrink = 0.2;
    for (int round = 0; round < ITERATIONS; round++) {
        double gap = 0, excess = 0, sum = 0;

        for (size_t j = 0; j < m; j++) {
            excess = block->D[j] - 1 > excess ? block->D[j] - 1 : excess;
            gap += block->w[j] * (1 - block->D[j]);
            sum += block->w[j];
        }
        if (excess <= tolerance / 2 && gap <= tolerance / 2 * sum)
            return;
        mu = shrink * dot(block->w, block->z, m) / (double)m;
        hessian(block);
        for (size_t j = 0; j < m; j++)
            block->dw[j] = block->D[j] - 1 + mu / block->w[j];
        memcpy(block->dz, block->dw, m * sizeof *block->dw);
        solve(block, block->dw);
        const double slope = -dot(block->dz, block->dw, m);
        for (size_t j = 0; j < m; j++)
            block->dz[j] = mu / block->w[j] - block->z[j] - block->z[j] / block->w[j] * block->dw[j];
        double primal = step_within(block->w, block->dw, m);
        const double dual = step_within(block->z, block->dz, m);
        for (size_t i = 0; i < block->nrows; i++)
            block->df[i] = dot(block->L[i], block->dw + block->first[i], block->count[i]);
        /* Not where rounding hides what is left to gain. */
        while (-slope > 1e-13 && primal > 1e-6 && change(block, mu, primal) > 1e-4 * primal * slope)
            primal /= 2;
        for (size_t j = 0; j < m; j++) {
            block->w[j] += primal * block->dw[j];
            block->z[j] += dual * block->dz[j];
        }
        shrink = primal > 0.9 && dual > 0.9 ? 0.05 : primal > 0.5 && dual > 0.5 ? 0.2 : 0.5;
        gradient(block);
    }
}

/* ---- The fit of a cluster ---- */

/* exp(-(y - t)^2 / 2) relative to its largest value for t in [0, top], which is at p = clip(y). */
static double likelihood(double y, double p, double t)
{
    return ldp_exp((t - p) * (2 * y - t - p) / 2);
}

/* The first of t[from .. to - 1] that is not below x. */
static size_t lower_bound(const double *t, size_t from, size_t to, double x)
{
    while (from < to) {
        const size_t middle = from + (to - from) / 2;

        if (t[middle] < x)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Sets block up for atoms a .. b - 1 out of those of the cluster, rows r .. q - 1 and atoms A .. B - 1, and solves it.
 */
static void fit_block(struct ldp_mixture *mixture, struct block *block, size_t r, size_t q, size_t A, size_t B,
                      size_t a, size_t b)
{
    const double *const t = mixture->t;

    block->natoms = b - a;
    block->nrows = 0;
    for (size_t i = r; i < q; i++) {
        const double y = mixture->y[i], p = clip(y, 0, mixture->top);
        const size_t m = block->nrows;
        size_t j = lower_bound(t, A, B, p - WINDOW);

        if (t[b - 1] < p - WINDOW || t[a] > p + WINDOW)
            continue;
        assert(m < ROWS);
        block->c[m] = mixture->c[i];
        block->other[m] = 0;
        block->count[m] = 0;
        for (; j < B && t[j] <= p + WINDOW; j++) {
            const double L = likelihood(y, p, t[j]);

            if (j < a || j >= b) {
                block->other[m] += mixture->w[j] * L;
                continue;
            }
            assert(block->count[m] < BAND);
            if (block->count[m] == 0)
                block->first[m] = j - a;
            block->L[m][block->count[m]++] = L;
        }
        block->nrows += block->count[m] > 0;
    }
    /* The better where blocks have to agree. */
    fit(block, b - a < B - A ? TOLERANCE / 1000 : TOLERANCE);
    memcpy(mixture->w + a, block->w, (b - a) * sizeof *block->w);
}

/* max D - 1 over a cluster, whose weights it scales to their right sum. */
static double cluster_gap(struct ldp_mixture *mixture, double *D, size_t r, size_t q, size_t A, size_t B)
{
    const double *const t = mixture->t;
    double sum = 0;

    for (size_t j = A; j < B; j++)
        sum += mixture->w[j];
    double mass = 0;
    for (size_t i = r; i < q; i++)
        mass += mixture->c[i];
    for (size_t j = A; j < B; j++) {
        mixture->w[j] *= mass / sum;
        D[j] = 0;
    }
    for (size_t i = r; i < q; i++) {
        const double y = mixture->y[i], p = clip(y, 0, mixture->top);
        const size_t first = lower_bound(t, A, B, p - WINDOW);
        double f = 0;

        for (size_t j = first; j < B && t[j] <= p + WINDOW; j++)
            f += mixture->w[j] * likelihood(y, p, t[j]);
        for (size_t j = first; j < B && t[j] <= p + WINDOW; j++)
            D[j] += mixture->c[i] / f * likelihood(y, p, t[j]);
    }
    double most = 0;
    for (size_t j = A; j < B; j++)
        most = D[j] - 1 > most ? D[j] - 1 : most;
    return most;
}

static void append_atom(struct ldp_mixture *mixture, size_t A, double t)
{
    t = clip(t, 0, mixture->top);
    if (mixture->natoms == A || t > mixture->t[mixture->natoms - 1])
        mixture->t[mixture->natoms++] = t;
}

/* Atoms that there is room for. */
static size_t atoms_room(size_t d)
{
    return d + (ATOMS_EACH - 1) * (d < SPREAD ? d : SPREAD);
}

/* The atoms for rows r .. q - 1, a cluster. */
static void place_atoms(struct ldp_mixture *mixture, size_t r, size_t q)
{
    const size_t A = mixture->natoms;
    double before = -INFINITY;

    for (size_t i = r; i < q; i++) {
        const double p = clip(mixture->y[i], 0, mixture->top);
        const double after = i + 1 < q ? clip(mixture->y[i + 1], 0, mixture->top) : INFINITY;
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

static void fit_cluster(struct ldp_mixture *mixture, struct block *block, double *D, size_t r, size_t q)
{
    const size_t A = mixture->natoms;
    const double *const t = mixture->t;

    place_atoms(mixture, r, q);
    const size_t B = mixture->natoms;
    double mass = 0;
    for (size_t i = r; i < q; i++)
        mass += mixture->c[i];
    for (size_t j = A; j < B; j++)
        mixture->w[j] = mass / (double)(B - A);
    if (B - A == 1)
        return;
    /* More atoms than a block has: block by block with the others kept, from other cuts in every other sweep. */
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (size_t a = A, b; a < B; a = b) {
            const size_t most = sweep % 2 && a == A ? BLOCK / 2 : BLOCK;

            b = B - a < most ? B : a + most;
            fit_block(mixture, block, t[a] <= WINDOW ? r : lower_bound(mixture->y, r, q, t[a] - WINDOW),
                      t[b - 1] >= mixture->top - WINDOW ? q : lower_bound(mixture->y, r, q, t[b - 1] + WINDOW), A, B, a,
                      b);
        }
        if (cluster_gap(mixture, D, r, q, A, B) <= TOLERANCE)
            break;
    }
}

/* ---- Estimates to bins ---- */

/* y[0 .. d - 1], in order, to the means of bins and their weights. */
static void gather(struct ldp_mixture *mixture, size_t d)
{
    double *const y = mixture->y;

    mixture->nrows = 0;
    for (size_t v = 0, end; v < d; v = end) {
        const double least = y[v], bin = floor(least / BIN);
        double sum = 0;

        for (end = v; end < d && floor(y[end] / BIN) == bin; end++)
            sum += y[end] - least;
        y[mixture->nrows] = least + sum / (double)(end - v);
        mixture->c[mixture->nrows++] = (double)(end - v) / (double)d;
    }
}

double ldp_mixture_mean(const struct ldp_mixture *mixture, double y)
{
    y = clip(y, -OUTSIDE, mixture->top + OUTSIDE);

    const double p = clip(y, 0, mixture->top);
    const size_t first = lower_bound(mixture->t, 0, mixture->natoms, p - WINDOW);
    const double *const t = mixture->t + first, *const w = mixture->w + first;
    size_t m = 0;

    while (first + m < mixture->natoms && t[m] <= p + WINDOW)
        m++;
    assert(m <= BAND);
    double mass[BAND], moment[BAND];
    for (size_t j = 0; j < m; j++) {
        mass[j] = w[j] * likelihood(y, p, t[j]);
        moment[j] = mass[j] * (t[j] - p);
    }
    return clip(p + ldp_sum(moment, m) / ldp_sum(mass, m), 0, mixture->top);
}

size_t ldp_mixture_scratch(size_t d)
{
    return ldp_aligned(sizeof(struct block)) + (2 * d + 3 * atoms_room(d)) * sizeof(double);
}

void ldp_mixture_fit(const double *y, size_t d, double top, void *scratch, struct ldp_mixture *mixture)
{
    double *const rows = (double *)(void *)((char *)scratch + ldp_aligned(sizeof(struct block)));
    double *const t = rows + 2 * d;
    const size_t room = atoms_room(d);

    *mixture = (struct ldp_mixture){.top = top, .y = rows, .c = rows + d, .t = t, .w = t + room, .room = room};
    for (size_t v = 0; v < d; v++)
        mixture->y[v] = clip(y[v], -OUTSIDE, top + OUTSIDE);
    ldp_sort(mixture->y, d, mixture->c);
    gather(mixture, d);
    for (size_t r = 0, q; r < mixture->nrows; r = q) {
        for (q = r + 1; q < mixture->nrows; q++)
            if (clip(mixture->y[q], 0, top) - clip(mixture->y[q - 1], 0, top) > ISOLATED)
                break;
        fit_cluster(mixture, scratch, t + 2 * room, r, q);
    }
}
