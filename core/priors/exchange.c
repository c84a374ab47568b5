/* exchange.c - weights that maximise a mixture's likelihood, by Newton steps on the few atoms with positive weight.
 *
 * Source: Wang, On fast computation of the non-parametric maximum likelihood estimate of a mixing distribution, J. R.
 * Statist. Soc. B 69, 2007 (constrained Newton method). With D_j = sum_i c_i L_ij / f_i, f = other + L w, on a support,
 * which is a subset of the atoms:
 *   1. Newton's step for -sum c log f + sum w under w >= 0: H y = D - 1 + H w, H = L' diag(c / f^2) L, solved on the
 *      atoms that stay above 0 (active set, as Lawson and Hanson's least squares), then a line search;
 *   2. atoms whose weight is 0 leave, and those where D has a local maximum above 1 come in.
 * It ends by the conditions of interior.c on all atoms: max D - 1 and the gap sum w (1 - D) / sum w are within half the
 * tolerance. If that takes more than ROUNDS rounds or MOST atoms, the interior-point method is used instead.
 * No test has seen that. It stays because nothing bounds the rounds of an active-set method, or its atoms below those
 * of a block, while the interior-point method's are known in advance.
 *
 * Cost of a round: rows times the band for D, rows times the square of the support's atoms within the band for H, and a
 * decomposition of H for every set of atoms that is tried. */
#include "numerics/numeric.h"
#include "priors/interior.h"
#include "simd/simd.h"

enum { MOST = LDP_EXCHANGE_ATOMS, LANES = LDP_INTERIOR_LANES, ROUNDS = 60, STUCK = 3, START_STEPS = 4 };

/* Distance between the atoms that the fit starts with; what is added to a diagonal, relative to it. */
#define START_APART 1.5
#define RIDGE 1e-10
#define NOTHING 1e-14 /* a weight this small is rounding */

/* ---- Rows that end in zeros ----
 *
 * A row touches about ten atoms of the support. Its numbers are followed by zeros up to a multiple of LANES, so that
 * loops over it have whole vectors and no rest; adding zeros changes no sum. */

/* The inner product of a and b, of which one is 0 from m on, always in four partial sums, so that no width of vectors
 * shows in the result. */
LDP_INLINE double padded_dot(const double *a, const double *b, size_t m)
{
    double lane[4] = {0};
    for (size_t i = 0; i < m; i += 4)
        for (size_t j = 0; j < 4; j++)
            lane[j] += a[i + j] * b[i + j];
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

/* sum[j] += scale x[j] for j < m, if x is 0 from m on. */
LDP_INLINE void add_padded(double *restrict sum, double scale, const double *restrict x, size_t m)
{
    for (size_t i = 0; i < m; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            sum[i + j] += scale * x[i + j];
}

/* ---- The support ---- */

/* The atoms of the support that row i touches, lo .. hi - 1, which both grow with i, and their likelihoods. */
LDP_INLINE void find_ranges(struct ldp_interior *block)
{
    struct ldp_exchange *const s = &block->exchange;
    size_t lo = 0, hi = 0;
    for (size_t i = 0; i < block->nrows; i++) {
        while (lo < s->m && s->atom[lo] < block->first[i])
            lo++;
        hi = hi < lo ? lo : hi;
        while (hi < s->m && s->atom[hi] < block->first[i] + block->count[i])
            hi++;
        s->lo[i] = lo;
        s->touched[i] = hi - lo;
        for (size_t a = lo; a < hi; a++)
            s->L[i][a - lo] = block->L[i][s->atom[a] - block->first[i]];
        for (size_t a = hi - lo; a % LANES > 0; a++)
            s->L[i][a] = 0;
    }
}

/* The initial support: atoms at a distance from each other, with equal weights. */
LDP_INLINE bool start(struct ldp_interior *block)
{
    struct ldp_exchange *const s = &block->exchange;
    double mass = 0;
    for (size_t i = 0; i < block->nrows; i++)
        mass += block->c[i];
    s->m = 0;
    for (size_t j = 0; j < block->natoms; j++) {
        if (s->m > 0 && block->t[j] < block->t[s->atom[s->m - 1]] + START_APART)
            continue;
        if (s->m == MOST)
            return false;
        s->atom[s->m++] = j;
    }
    /* Padding meets 0, or a former weight or step. */
    memset(s->w, 0, sizeof s->w);
    memset(s->dw, 0, sizeof s->dw);
    for (size_t a = 0; a < s->m; a++)
        s->w[a] = mass / (double)s->m;
    find_ranges(block);
    return true;
}

/* Computes f and c / f; false if a row is out of reach of the support. */
LDP_INLINE bool densities(struct ldp_interior *block)
{
    struct ldp_exchange *const s = &block->exchange;
    bool reached = true;
    for (size_t i = 0; i < block->nrows; i++) {
        block->f[i] = block->other[i] + padded_dot(s->w + s->lo[i], s->L[i], s->touched[i]);
        reached &= block->f[i] > 0;
    }
    for (size_t i = 0; i < block->nrows; i++)
        s->share[i] = block->c[i] / block->f[i];
    return reached;
}

/* Computes f, c / f, and D at the support; false as above. */
LDP_INLINE bool slopes(struct ldp_interior *block)
{
    struct ldp_exchange *const s = &block->exchange;
    if (!densities(block))
        return false;
    memset(s->D, 0, (s->m + LANES) * sizeof *s->D);
    for (size_t i = 0; i < block->nrows; i++)
        add_padded(s->D + s->lo[i], s->share[i], s->L[i], s->touched[i]);
    return true;
}

/* H at f, b = D - 1 + H w. */
LDP_INLINE void model(struct ldp_interior *block)
{
    struct ldp_exchange *const s = &block->exchange;
    for (size_t a = 0; a < s->m; a++)
        memset(s->H[a], 0, (s->m + LANES) * sizeof s->H[a][0]);
    for (size_t i = 0; i < block->nrows; i++) {
        const double *const L = s->L[i], per = s->share[i] / block->f[i];
        const size_t lo = s->lo[i];
        for (size_t a = 0; a < s->touched[i]; a++) /* Entries above the diagonal are overwritten below. */
            add_padded(s->H[lo + a] + lo, per * L[a], L, a + 1);
    }
    for (size_t a = 0; a < s->m; a++) {
        s->b[a] = s->D[a] - 1;
        s->H[a][a] *= 1 + RIDGE;
        for (size_t b = 0; b < a; b++)
            s->H[b][a] = s->H[a][b];
    }
    for (size_t a = 0; a < s->m; a++)
        for (size_t b = 0; b < s->m; b++)
            s->b[a] += s->H[a][b] * s->w[b];
}

/* ---- A step ---- */

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* Columns c .. c + LANES - 1 of sum_k U_ki U_kc over from <= k < i, in four partial sums. from is a multiple of 4; U is
 * 0 from row i on. */
LDP_INLINE void products(const struct ldp_exchange *s, size_t from, size_t i, size_t c, lanes *out)
{
    lanes sum[4] = {{0}}, row;
    for (size_t k = from; k < i; k += 4)
#pragma GCC unroll 4
        for (size_t l = 0; l < 4; l++) {
            memcpy(&row, s->U[k + l] + c, sizeof row);
            sum[l] += s->U[k + l][i] * row;
        }
    *out = (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/* H y = b on the p atoms of the list, by Cholesky's decomposition H = U' U within the band that rows reach. b is one
 * more column of H, which becomes U'^-1 b. */
LDP_INLINE void solve(struct ldp_exchange *s, const size_t *list, size_t p, double *y)
{
    for (size_t i = 0; i < (p + 3) / 4 * 4; i++)
        memset(s->U[i], 0, (p + LANES) * sizeof s->U[i][0]);
    for (size_t i = 0, from = 0; i < p; i++) {
        double H[LDP_EXCHANGE_PADDED] = {0};
        lanes row, sum;
        for (size_t j = i; j < p; j++)
            H[j] = s->H[list[i]][list[j]];
        H[p] = s->b[list[i]];
        while (s->atom[list[i]] - s->atom[list[from]] >= LDP_INTERIOR_BAND)
            from++;
        for (size_t c = i / LANES * LANES; c <= p; c += LANES) {
            products(s, from / 4 * 4, i, c, &sum);
            if (c <= i) {
                const double rest = H[i] - sum[i - c];
                s->per[i] = 1 / sqrt(rest > H[i] * RIDGE ? rest : H[i] * RIDGE);
            }
            memcpy(&row, H + c, sizeof row);
            row = (row - sum) * s->per[i];
            memcpy(s->U[i] + c, &row, sizeof row);
        }
    }
    for (size_t i = p; i-- > 0;) {
        y[i] = s->U[i][p];
        for (size_t j = p; j-- > i + 1;)
            y[i] -= s->U[i][j] * y[j];
        y[i] *= s->per[i];
    }
}

/* dw leads to the minimum of the quadratic model under w >= 0, or to a point where atoms that reach 0 on the way stay
 * at 0. */
LDP_INLINE void aim(struct ldp_exchange *s)
{
    size_t list[MOST], p = s->m;
    double x[MOST], y[MOST];
    for (size_t a = 0; a < s->m; a++) {
        list[a] = a;
        x[a] = s->w[a];
        s->dw[a] = -s->w[a];
    }
    for (size_t left;; p = left) {
        solve(s, list, p, y);
        double step = 1;
        size_t nearest = p; /* safe against rounding */
        for (size_t j = 0; j < p; j++)
            if (y[j] < 0 && x[list[j]] < step * (x[list[j]] - y[j])) {
                step = x[list[j]] / (x[list[j]] - y[j]);
                nearest = j;
            }
        left = 0;
        for (size_t j = 0; j < p; j++) {
            const size_t a = list[j];
            const bool at_zero = j == nearest || (y[j] < 0 && x[a] <= step * (x[a] - y[j]));
            x[a] += step * (y[j] - x[a]);
            list[left] = a;
            left += !at_zero;
        }
        if (left == p || left == 0)
            break;
    }
    for (size_t j = 0; j < p; j++)
        s->dw[list[j]] = x[list[j]] - s->w[list[j]];
}

/* The change of -sum c log f + sum w by a step along dw. */
LDP_INLINE double change(const struct ldp_interior *block, double sum, double step)
{
    double all[4] = {0};
    const size_t even = block->nrows / 4 * 4;
    for (size_t i = 0; i < even; i += 4)
        for (size_t j = 0; j < 4; j++)
            all[j] -= block->c[i + j] * ldp_log1p(step * block->df[i + j] / block->f[i + j]);
    for (size_t i = even; i < block->nrows; i++)
        all[i - even] -= block->c[i] * ldp_log1p(step * block->df[i] / block->f[i]);
    return step * sum + ((all[0] + all[2]) + (all[1] + all[3]));
}

/* The slope along dw, and the sum of it. */
LDP_INLINE double slope_of(const struct ldp_exchange *s, double *sum)
{
    double slope = 0;
    *sum = 0;
    for (size_t a = 0; a < s->m; a++) {
        slope += (1 - s->D[a]) * s->dw[a];
        *sum += s->dw[a];
    }
    return slope;
}

/* A step from weights for which f, D and the model are known; false if no step descends. */
LDP_INLINE bool descend(struct ldp_interior *block)
{
    struct ldp_exchange *const s = &block->exchange;
    double step = 1;
    aim(s);
    double sum;
    const double slope = slope_of(s, &sum);
    if (!(slope < 0))
        return false;
    for (size_t i = 0; i < block->nrows; i++)
        block->df[i] = padded_dot(s->dw + s->lo[i], s->L[i], s->touched[i]);
    /* Not if the remaining gain is below rounding. */
    while (-slope > 1e-13 && step > 1e-6 && !(change(block, sum, step) <= 1e-4 * step * slope))
        step /= 2;
    for (size_t a = 0; a < s->m; a++) {
        s->w[a] += step * s->dw[a];
        s->w[a] = s->w[a] > NOTHING ? s->w[a] : 0;
    }
    return true;
}

/* ---- Atoms come and go ---- */

/* D at all atoms, the support's too. */
LDP_INLINE void gradient(struct ldp_interior *block)
{
    struct ldp_exchange *const s = &block->exchange;
    memset(block->D, 0, (block->natoms + LANES) * sizeof *block->D);
    for (size_t i = 0; i < block->nrows; i++)
        add_padded(block->D + block->first[i], s->share[i], block->L[i], block->count[i]);
    for (size_t a = 0; a < s->m; a++)
        s->D[a] = block->D[s->atom[a]];
}

/* Merges the atoms of the support that have weight with the local maxima of D above 1 + least; false if there are too
 * many. */
LDP_INLINE bool exchange(struct ldp_interior *block, double least)
{
    struct ldp_exchange *const s = &block->exchange;
    const size_t m = block->natoms;
    const double *const D = block->D;
    size_t count = 0, a = 0;
    for (size_t j = 0; j < m; j++) {
        const bool inside = a < s->m && s->atom[a] == j;
        const double w = inside ? s->w[a] : 0;
        const bool top = D[j] > 1 + least && (j == 0 || D[j] >= D[j - 1]) && (j + 1 == m || D[j] > D[j + 1]);
        a += inside;
        if (w <= 0 && !top)
            continue;
        if (count == MOST)
            return false;
        s->next_atom[count] = j;
        s->next_w[count++] = w;
    }
    memcpy(s->atom, s->next_atom, count * sizeof *s->atom);
    memcpy(s->w, s->next_w, count * sizeof *s->w);
    s->m = count;
    find_ranges(block);
    return true;
}

LDP_INLINE bool fit(struct ldp_interior *block, double tolerance)
{
    struct ldp_exchange *const s = &block->exchange;
    if (!start(block) || !slopes(block))
        return false;
    for (int step = 0; step < START_STEPS; step++) {
        for (size_t a = 0; a < s->m; a++)
            s->w[a] *= s->D[a];
        if (!slopes(block))
            return false;
    }
    for (int round = 0, stuck = 0; round < ROUNDS && stuck < STUCK; round++) {
        double gap = 0, excess = 0, sum = 0;
        model(block);
        stuck += !descend(block);
        if (!densities(block))
            return false;
        gradient(block);
        for (size_t a = 0; a < s->m; a++) {
            gap += s->w[a] * (1 - s->D[a]);
            sum += s->w[a];
        }
        for (size_t j = 0; j < block->natoms; j++)
            excess = block->D[j] - 1 > excess ? block->D[j] - 1 : excess;
        if (excess <= tolerance / 2 && fabs(gap) <= tolerance / 2 * sum) {
            memset(block->w, 0, block->natoms * sizeof *block->w);
            for (size_t a = 0; a < s->m; a++)
                block->w[s->atom[a]] = s->w[a];
            return true;
        }
        if (!exchange(block, tolerance / 4) || !slopes(block))
            return false;
    }
    return false;
}

LDP_VECTORS(bool, fit, (struct ldp_interior * block, double tolerance), return fit(block, tolerance))

bool ldp_exchange_fit(struct ldp_interior *block, double tolerance)
{
    return LDP_BEST(fit)(block, tolerance);
}
