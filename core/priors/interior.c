/* interior.c - weights that maximise a mixture's likelihood, by a primal-dual interior-point method.
 *
 * With D_j = sum_i c_i L_ij / f_i, f = other + L w, and z the multipliers of w >= 0, the conditions are D + z = 1 and w
 * z = 0. A step of Newton's method solves H dw = D - 1 + mu / w, H = L' diag(c / f^2) L + diag(z / w), mu decreasing to
 * 0 as fast as a trial step to mu = 0 allows (Mehrotra, SIAM J. Optim. 2, 1992). H is a band matrix, as wide as the
 * reach of a row. A few steps of expectation maximisation, w D, come first: they bring f to the right order of
 * magnitude.
 *
 * Normal laws of one width make H cheap: L_ij L_ik is L_im^2 exp(-(t_j - t_k)^2 / 4) with m halfway between j and k. So
 * for a run of equally spaced atoms H needs only the sums over rows at the atoms and halfway between them: two terms
 * for each atom and row instead of one for each pair.
 *
 * Loops are compiled for several vector levels with the same bytes. Cost of a step: rows times the band, and atoms
 * times the band squared for the decomposition. */
#include "priors/interior.h"
#include "numerics/numeric.h"
#include "simd/simd.h"

enum { BAND = LDP_INTERIOR_BAND, ITERATIONS = 60, START_STEPS = 10 };

#define START_FLOOR 0.1

/* The inner product of a and b, always in four partial sums, so that no width of vectors shows in the result. */
LDP_INLINE double dot(const double *a, const double *b, size_t m)
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

/* Computes f from the weights, and D from f. */
LDP_INLINE void gradient(struct ldp_interior *block)
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

/* Adds row i to H: within a run by its sums, between runs pair by pair. */
LDP_INLINE void add_row(struct ldp_interior *block, size_t i)
{
    const double *const L = block->L[i];
    const double per = block->c[i] / block->f[i] / block->f[i];
    const size_t first = block->first[i], count = block->count[i];
    double scaled[BAND];
    for (size_t j = 0; j < count; j++)
        scaled[j] = per * L[j];
    for (size_t start = 0, end; start < count; start = end) {
        end = block->run_end[first + start] - first;
        end = end < count ? end : count;
        double *const even = block->even + first, *const odd = block->odd + first;
        for (size_t j = start; j < end; j++)
            even[j] += scaled[j] * L[j];
        for (size_t j = start; j + 1 < end; j++)
            odd[j] += scaled[j] * L[j + 1];
        for (size_t j = start; start > 0 && j < end; j++) {
            double *const H = block->H[first + j] + (BAND - 1 - j);
            for (size_t k = 0; k < start; k++)
                H[k] += scaled[j] * L[k];
        }
    }
}

/* H = sum_i c_i L_i L_i' / f_i^2 + diag(z / w). In a run of atoms STEP apart the entry of j and k is the sum at their
 * middle, which is an atom or halfway between two, times exp(-(t_j - t_k)^2 / 4). */
LDP_INLINE void hessian(struct ldp_interior *block)
{
    const size_t m = block->natoms;
    memset(block->H, 0, m * sizeof *block->H);
    memset(block->even, 0, m * sizeof *block->even);
    memset(block->odd, 0, m * sizeof *block->odd);
    for (size_t i = 0; i < block->nrows; i++)
        add_row(block, i);
    for (size_t start = 0, end; start < m; start = end) {
        end = block->run_end[start];
        for (size_t j = start; j < end; j++)
            for (size_t away = 0; away < BAND && away <= j - start; away++) {
                const size_t middle = j - (away + 1) / 2;
                const double sum = away % 2 ? block->odd[middle] : block->even[middle];
                block->H[j][BAND - 1 - away] += sum * block->decay[away];
            }
    }
    for (size_t j = 0; j < m; j++)
        block->H[j][BAND - 1] += block->z[j] / block->w[j];
}

/* Cholesky's decomposition H = U D U' in place, column by column. */
LDP_INLINE void decompose(struct ldp_interior *block)
{
    const size_t m = block->natoms;
    for (size_t k = 0; k < m; k++) {
        const double per = 1 / block->H[k][BAND - 1];
        const size_t reach = m - k < BAND ? m - k : BAND;
        double column[BAND];
        for (size_t j = 1; j < reach; j++)
            column[j] = block->H[k + j][BAND - 1 - j];
        for (size_t j = 1; j < reach; j++) {
            double *const H = block->H[k + j] + (BAND - 1 - j);
            const double scale = column[j] * per;
            for (size_t l = 1; l <= j; l++)
                H[l] -= scale * column[l];
            H[0] = scale;
        }
    }
}

/* x = H^-1 x from the decomposition. */
LDP_INLINE void solve(const struct ldp_interior *block, double *x)
{
    const size_t m = block->natoms;
    for (size_t k = 1; k < m; k++) {
        const size_t reach = k < BAND - 1 ? k : BAND - 1;
        x[k] -= dot(block->H[k] + (BAND - 1 - reach), x + k - reach, reach);
    }
    for (size_t k = 0; k < m; k++)
        x[k] /= block->H[k][BAND - 1];
    for (size_t k = m; k-- > 1;) {
        const size_t reach = k < BAND - 1 ? k : BAND - 1;
        const double *const H = block->H[k] + (BAND - 1 - reach);
        double *const before = x + k - reach;
        for (size_t j = 0; j < reach; j++)
            before[j] -= H[j] * x[k];
    }
}

/* The largest step in (0, 1] that keeps x + step dx > 0 with some room. */
LDP_INLINE double step_within(const double *x, const double *dx, size_t m)
{
    double step = 1;
    for (size_t j = 0; j < m; j++)
        if (x[j] + step * dx[j] < 0.005 * x[j])
            step = -0.995 * x[j] / dx[j];
    return step;
}

/* The change of -sum c log f + sum w - mu sum log w by a step along dw. */
LDP_INLINE double change(const struct ldp_interior *block, double mu, double step)
{
    double sum = 0;
    for (size_t i = 0; i < block->nrows; i++)
        sum -= block->c[i] * ldp_log1p(step * block->df[i] / block->f[i]);
    for (size_t j = 0; j < block->natoms; j++)
        sum += step * block->dw[j] - mu * ldp_log1p(step * block->dw[j] / block->w[j]);
    return sum;
}

/* Finds the ends of the runs of atoms, and the factors between an entry of H and the sum at its middle. */
LDP_INLINE void prepare(struct ldp_interior *block)
{
    const size_t m = block->natoms;
    for (size_t j = m; j-- > 0;)
        block->run_end[j] =
            j + 1 < m && block->t[j + 1] - block->t[j] == LDP_INTERIOR_STEP ? block->run_end[j + 1] : j + 1;
    for (size_t away = 0; away < BAND; away++) {
        const double square = (double)(away * away) - (double)(away % 2);
        block->decay[away] = ldp_exp(-square * (LDP_INTERIOR_STEP * LDP_INTERIOR_STEP / 4));
    }
}

/* The step to mu = 0. It returns the next mu, from the length of this step (Mehrotra's rule). second: the product of
 * the parts of the step, which Newton's method leaves out. */
LDP_INLINE double predict(struct ldp_interior *block)
{
    const size_t m = block->natoms;
    const double before = dot(block->w, block->z, m) / (double)m;
    for (size_t j = 0; j < m; j++)
        block->dw[j] = block->D[j] - 1;
    solve(block, block->dw);
    for (size_t j = 0; j < m; j++)
        block->dz[j] = -block->z[j] - block->z[j] / block->w[j] * block->dw[j];
    const double primal = step_within(block->w, block->dw, m), dual = step_within(block->z, block->dz, m);
    double after = 0;
    for (size_t j = 0; j < m; j++) {
        block->second[j] = block->dw[j] * block->dz[j];
        after += (block->w[j] + primal * block->dw[j]) * (block->z[j] + dual * block->dz[j]) / (double)m;
    }
    const double left = after / before;
    return left * left * left * before;
}

/* The step to mu, with the second-order term if it then descends; returns the slope along it. */
LDP_INLINE double correct(struct ldp_interior *block, double mu)
{
    const size_t m = block->natoms;
    for (int corrected = 1;; corrected = 0) {
        for (size_t j = 0; j < m; j++)
            block->dw[j] = block->D[j] - 1 + (mu - corrected * block->second[j]) / block->w[j];
        solve(block, block->dw);
        double slope = 0;
        for (size_t j = 0; j < m; j++)
            slope -= (block->D[j] - 1 + mu / block->w[j]) * block->dw[j];
        if (corrected && slope > 0)
            continue;
        for (size_t j = 0; j < m; j++)
            block->dz[j] = (mu - corrected * block->second[j]) / block->w[j] - block->z[j] -
                           block->z[j] / block->w[j] * block->dw[j];
        return slope;
    }
}

/* Minimises -sum c log f + sum w over w >= 0: without a constraint on the sum, which is right at the minimum. */
LDP_INLINE void fit(struct ldp_interior *block, double tolerance)
{
    const size_t m = block->natoms;
    double mass = 0;
    prepare(block);
    for (size_t i = 0; i < block->nrows; i++)
        mass += block->c[i];
    for (size_t j = 0; j < m; j++)
        block->w[j] = mass / (double)m;
    gradient(block);
    for (int step = 0; step < START_STEPS; step++) {
        for (size_t j = 0; j < m; j++)
            block->w[j] *= block->D[j];
        gradient(block);
    }
    for (size_t j = 0; j < m; j++)
        block->z[j] = 1 - block->D[j] > START_FLOOR ? 1 - block->D[j] : START_FLOOR;
    for (int round = 0; round < ITERATIONS; round++) {
        double gap = 0, excess = 0, sum = 0;
        for (size_t j = 0; j < m; j++) {
            excess = block->D[j] - 1 > excess ? block->D[j] - 1 : excess;
            gap += block->w[j] * (1 - block->D[j]);
            sum += block->w[j];
        }
        if (excess <= tolerance / 2 && gap <= tolerance / 2 * sum)
            return;
        hessian(block);
        decompose(block);
        const double mu = predict(block);
        const double slope = correct(block, mu);
        double primal = step_within(block->w, block->dw, m);
        const double dual = step_within(block->z, block->dz, m);
        for (size_t i = 0; i < block->nrows; i++)
            block->df[i] = dot(block->L[i], block->dw + block->first[i], block->count[i]);
        /* Not if the remaining gain is below rounding. */
        while (-slope > 1e-13 && primal > 1e-6 && change(block, mu, primal) > 1e-4 * primal * slope)
            primal /= 2;
        for (size_t j = 0; j < m; j++) {
            block->w[j] += primal * block->dw[j];
            block->z[j] += dual * block->dz[j];
        }
        gradient(block);
    }
}

LDP_DISPATCH(ldp_interior_fit, (struct ldp_interior * block, double tolerance), fit, (block, tolerance))
