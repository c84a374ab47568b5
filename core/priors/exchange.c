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
 *
 * Cost of a round: rows times the band for D, rows times the square of the support's atoms within the band for H. */
#include "numeric.h"
#include "priors/interior.h"
#include "simd.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { MOST = LDP_EXCHANGE_ATOMS, ROUNDS = 60, STUCK = 3, START_STEPS = 4 };

/* Distance between the atoms that the fit starts with; what is added to a diagonal, relative to it. */
#define START_APART 1.5
#define RIDGE 1e-10
#define NOTHING 1e-14 /* a weight this small is rounding */

/* ---- The support ---- */

/* The atoms of the support that row i touches, lo .. hi - 1, which both grow with i, and their likelihoods. */
INLINE void find_ranges(struct ldp_interior *block)
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
        s->hi[i] = hi;
        for (size_t a = lo; a < hi; a++)
            s->L[i][a - lo] = block->L[i][s->atom[a] - block->first[i]];
    }
}

/* The initial support: atoms at a distance from each other, with equal weights. */
INLINE bool start(struct ldp_interior *block)
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
    for (size_t a = 0; a < s->m; a++)
        s->w[a] = mass / (double)s->m;
    find_ranges(block);
    return true;
}

/* Computes f, and D at the support; false if a row is out of reach of the support. */
INLINE bool densities(struct ldp_interior *block)
{
    struct ldp_exchange *const s = &block->exchange;
    memset(s->D, 0, s->m * sizeof *s->D);
    for (size_t i = 0; i < block->nrows; i++) {
        const double *restrict const L = s->L[i];
        const size_t lo = s->lo[i], m = s->hi[i] - lo;
        const double f = block->other[i] + ldp_interior_dot(s->w + lo, L, m);
        if (!(f > 0))
            return false;
        const double per = block->c[i] / f;
        double *restrict const D = s->D + lo;
        block->f[i] = f;
        for (size_t a = 0; a < m; a++)
            D[a] += per * L[a];
    }
    return true;
}

/* H at f, b = D - 1 + H w. */
INLINE void model(struct ldp_interior *block)
{
    struct ldp_exchange *const s = &block->exchange;
    for (size_t a = 0; a < s->m; a++)
        memset(s->H[a], 0, s->m * sizeof s->H[a][0]);
    for (size_t i = 0; i < block->nrows; i++) {
        const double *restrict const l = s->L[i];
        const size_t lo = s->lo[i], m = s->hi[i] - lo;
        const double per = block->c[i] / block->f[i] / block->f[i];
        for (size_t a = 0; a < m; a++) {
            const double scaled = per * l[a];
            double *restrict const H = s->H[lo + a] + lo;
            for (size_t b = 0; b <= a; b++)
                H[b] += scaled * l[b];
        }
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

/* H y = b on the p atoms of the list, by Cholesky's decomposition within the band that rows reach; the rows of the
 * first `same` atoms are reused from an earlier list that starts with the same atoms. */
INLINE void solve(struct ldp_exchange *s, const size_t *list, size_t same, size_t p, double *y)
{
    size_t from = same > 0 ? s->least[same - 1] : 0;
    for (size_t j = same; j < p; j++) {
        double *const row = s->U[j];
        const double *const H = s->H[list[j]];
        while (s->atom[list[j]] - s->atom[list[from]] >= LDP_INTERIOR_BAND)
            from++;
        s->least[j] = from;
        for (size_t k = from; k < j; k++) {
            const size_t start = s->least[k] > from ? s->least[k] : from;
            row[k] = (H[list[k]] - ldp_interior_dot(row + start, s->U[k] + start, k - start)) * s->per[k];
        }
        const double all = H[list[j]], rest = all - ldp_interior_dot(row + from, row + from, j - from);
        s->per[j] = 1 / sqrt(rest > all * RIDGE ? rest : all * RIDGE);
        s->half[j] = (s->b[list[j]] - ldp_interior_dot(row + from, s->half + from, j - from)) * s->per[j];
    }
    memcpy(y, s->half, p * sizeof *y);
    for (size_t j = p; j-- > 0;) {
        const double *const row = s->U[j];
        y[j] *= s->per[j];
        for (size_t k = s->least[j]; k < j; k++)
            y[k] -= row[k] * y[j];
    }
}

/* dw leads to the minimum of the quadratic model under w >= 0, or to a point where atoms that reach 0 on the way stay
 * at 0. */
INLINE void aim(struct ldp_exchange *s)
{
    size_t list[MOST], p = s->m;
    double x[MOST], y[MOST];
    for (size_t a = 0; a < s->m; a++) {
        list[a] = a;
        x[a] = s->w[a];
        s->dw[a] = -s->w[a];
    }
    for (size_t left, same = 0;; p = left) {
        solve(s, list, same, p, y);
        double step = 1;
        size_t nearest = p; /* safe against rounding */
        for (size_t j = 0; j < p; j++)
            if (y[j] < 0 && x[list[j]] < step * (x[list[j]] - y[j])) {
                step = x[list[j]] / (x[list[j]] - y[j]);
                nearest = j;
            }
        left = 0;
        same = p;
        for (size_t j = 0; j < p; j++) {
            const size_t a = list[j];
            const bool at_zero = j == nearest || (y[j] < 0 && x[a] <= step * (x[a] - y[j]));
            x[a] += step * (y[j] - x[a]);
            list[left] = a;
            left += !at_zero;
            same = at_zero && j < same ? j : same;
        }
        if (left == p || left == 0)
            break;
    }
    for (size_t j = 0; j < p; j++)
        s->dw[list[j]] = x[list[j]] - s->w[list[j]];
}

/* The change of -sum c log f + sum w by a step along dw. */
INLINE double change(const struct ldp_interior *block, double sum, double step)
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
INLINE double slope_of(const struct ldp_exchange *s, double *sum)
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
INLINE bool descend(struct ldp_interior *block)
{
    struct ldp_exchange *const s = &block->exchange;
    double step = 1;
    aim(s);
    double sum;
    const double slope = slope_of(s, &sum);
    if (!(slope < 0))
        return false;
    for (size_t i = 0; i < block->nrows; i++)
        block->df[i] = ldp_interior_dot(s->dw + s->lo[i], s->L[i], s->hi[i] - s->lo[i]);
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

/* D at all atoms. */
INLINE void gradient(struct ldp_interior *block)
{
    memset(block->D, 0, block->natoms * sizeof *block->D);
    for (size_t i = 0; i < block->nrows; i++) {
        const double *restrict const L = block->L[i];
        double *restrict const D = block->D + block->first[i];
        const double per = block->c[i] / block->f[i];
        for (size_t j = 0; j < block->count[i]; j++)
            D[j] += per * L[j];
    }
}

/* Merges the atoms of the support that have weight with the local maxima of D above 1 + least; false if there are too
 * many. */
INLINE bool exchange(struct ldp_interior *block, double least)
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

INLINE bool fit(struct ldp_interior *block, double tolerance)
{
    struct ldp_exchange *const s = &block->exchange;
    if (!start(block) || !densities(block))
        return false;
    for (int step = 0; step < START_STEPS; step++) {
        for (size_t a = 0; a < s->m; a++)
            s->w[a] *= s->D[a];
        if (!densities(block))
            return false;
    }
    for (int round = 0, stuck = 0; round < ROUNDS && stuck < STUCK; round++) {
        double gap = 0, excess = 0, sum = 0;
        model(block);
        stuck += !descend(block);
        if (!densities(block))
            return false;
        for (size_t a = 0; a < s->m; a++) {
            gap += s->w[a] * (1 - s->D[a]);
            sum += s->w[a];
        }
        gradient(block);
        for (size_t j = 0; j < block->natoms; j++)
            excess = block->D[j] - 1 > excess ? block->D[j] - 1 : excess;
        if (excess <= tolerance / 2 && fabs(gap) <= tolerance / 2 * sum) {
            memset(block->w, 0, block->natoms * sizeof *block->w);
            for (size_t a = 0; a < s->m; a++)
                block->w[s->atom[a]] = s->w[a];
            return true;
        }
        if (!exchange(block, tolerance / 4) || !densities(block))
            return false;
    }
    return false;
}

#define LEVEL(name)                                                                                                    \
    LDP_TARGET_##name static bool fit_##name(struct ldp_interior *block, double tolerance)                             \
    {                                                                                                                  \
        return fit(block, tolerance);                                                                                  \
    }

LDP_LEVELS(LEVEL)

bool ldp_exchange_fit(struct ldp_interior *block, double tolerance)
{
    return LDP_BEST(fit)(block, tolerance);
}
