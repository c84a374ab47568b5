/* binomials.c - exact binomial draws, many laws at once.
 *
 * What binomial.c does for one law, in loops that vectorise: with p <= 1/2 by symmetry
 *   n p < 20    inversion: search from 0
 *   else        BTRS (btrs.h): a first pass over all lanes accepts the candidates that need only
 *               the hat; a second compares the others with f(k) / f(mode), by the polynomial of saddle.h with its
 *               bound on the error, and the few that this does not decide by the saddle-point form. Rejected lanes are
 *               drawn again.
 * Each pass draws the words of its lanes first, in order, so that the result does not depend on the vectors' width. */
#include "sampling/binomials.h"
#include "numerics/saddle.h"
#include "random/rng.h"
#include "sampling/btrs.h"
#include "simd/simd.h"

#include <assert.h>

/* The mean where inversion ends: BTRS holds from 10 on, but the polynomial seldom decides below 20. LARGE: the mean up
 * to which the polynomial's error and whole numbers by LDP_ROUNDER are as stated. */
static const double INVERSION = 20, LARGE = 0x1p50;

/* Bound of the terms that the polynomial leaves out: 1/(360 k^3) of Stirling's formula for k >= 5, four times. */
static const double MARGIN = 1e-4;

enum { MOST = LDP_BINOMIALS_MAX, CLIMB = 256 };

/* The index of lane i's law: all lanes have that of the first, known where a loop is compiled, or one each. */
#define LAW(i) (same ? 0 : (i))

/* Lanes that the first pass left open: one law each, p <= 1/2, and where their results go. */
struct lanes {
    double n[MOST], p[MOST], v[MOST];
    uint32_t to[MOST];
    size_t m;
};

LDP_INLINE double whole(double y)
{
    const double nearest = (y + LDP_ROUNDER) - LDP_ROUNDER;
    return nearest > y ? nearest - 1 : nearest;
}

/* Uniform numbers as in rng_uniform. */
LDP_INLINE void uniforms(struct ldp_rng *rng, size_t m, double *restrict u)
{
    uint64_t bits[MOST];
    ldp_rng_words(rng, m, bits);
#pragma omp simd
    for (size_t i = 0; i < m;
         i++) /* 52 bits as those of a number from 1 to 2: conversions of 64 bits have no vectors */
        u[i] = (numeric_double(bits[i] >> 12 | UINT64_C(0x3ff0000000000000)) - 1) + 0x1p-53;
}

/* The result of a pass for a lane. */
#define DONE 0.0
#define INVERT 1.0
#define REJECT 2.0
#define OPEN 3.0

/* out[i], with p <= 1/2 or its mirror image, if the words v[i] decide at once. */
LDP_INLINE void first_pass(bool same, size_t m, const double *restrict n, const double *restrict p,
                           const double *restrict v, double *restrict out, double *restrict state)
{
#pragma omp simd
    for (size_t i = 0; i < m; i++) {
        const double users = n[LAW(i)], share = p[LAW(i)], less = share > 0.5 ? 1 - share : share, mean = users * less;
        const struct btrs hat = btrs_of(users, less);
        /* w = top / bottom, u = w - BTRS_HALF = far / bottom, 0.5 - |u| = near / bottom, with one division. */
        const double top = v[i] * hat.b, bottom = hat.bottom, far = top - BTRS_HALF * bottom,
                     near = 0.5 * bottom - fabs(far);
        const double k = whole(far * (hat.a2 * bottom + hat.b * near) / (near * bottom) + (mean + 0.5));
        const double found = mean < INVERSION ? 0 : k;
        /* f(0) is at least 1 - mean, by Bernoulli's inequality. */
        state[i] = mean < INVERSION ? (v[i] <= 1 - mean ? DONE : INVERT)
                                    : (((top < BTRS_WHOLE * bottom) & (users < LARGE)) ? DONE : REJECT);
        out[i] = share > 0.5 ? users - found : found;
    }
}

/* ---- Inversion ---- */

/* f(0) and the ratio f(k) / f(k-1) = slope / k - odds. */
LDP_INLINE void invert_setup(const struct lanes *lanes, size_t m, double *restrict f0, double *restrict slope,
                             double *restrict odds)
{
    const double *restrict const n = lanes->n, *restrict const p = lanes->p;
#pragma omp simd
    for (size_t i = 0; i < m; i++) {
        odds[i] = p[i] / (1 - p[i]);
        slope[i] = (n[i] + 1) * odds[i];
        f0[i] = ldp_exp(n[i] * ldp_log1p(-p[i]));
    }
}

/* Lanes that search side by side, until the last of them is done, and the steps from one look to the next. */
enum { SIDE = 32, STEPS = 8 };

/* Some steps further up from k, for lanes that have u left. Returns how many are left. */
LDP_INLINE double climb(double k, double *restrict u, double *restrict f, const double *restrict slope,
                        const double *restrict odds, double *restrict steps)
{
    double inverse[STEPS], left = 0;
    for (int j = 0; j < STEPS; j++)
        inverse[j] = 1 / (k + j + 1);
#pragma omp simd reduction(+ : left)
    for (size_t i = 0; i < SIDE; i++) {
        const double slope_i = slope[i], odds_i = odds[i]; /* loaded once, for all lanes */
        double done = steps[i], rest = u[i], next = f[i];
        for (int j = 0; j < STEPS; j++) {
            const bool on = rest > next;
            rest = on ? rest - next : rest;
            next = on ? next * (slope_i * inverse[j] - odds_i) : next;
            done = on ? done + 1 : done;
        }
        u[i] = rest;
        f[i] = next;
        steps[i] = done;
        left += rest > next ? 1 : 0;
    }
    return left;
}

/* Some steps further up for lanes that have one law. */
LDP_INLINE double descend(double *restrict u, const double *restrict f, double *restrict steps)
{
    double left = 0;
#pragma omp simd reduction(+ : left)
    for (size_t i = 0; i < SIDE; i++) {
        double done = steps[i], rest = u[i];
        for (int j = 0; j < STEPS; j++) {
            const bool on = rest > f[j];
            rest = on ? rest - f[j] : -1;
            done = on ? done + 1 : done;
        }
        u[i] = rest;
        steps[i] = done;
        left += rest < 0 ? 0 : 1;
    }
    return left;
}

/* All steps of lanes that have one law, whose f(k) are found once: f[CLIMB + 1], filled as far as is needed. A lane
 * that is done has -1 left. */
LDP_INLINE void climb_same(size_t m, double *restrict u, double *restrict f, double slope, double odds,
                           double *restrict steps)
{
    size_t known = 0;
    for (size_t first = 0; first < m; first += SIDE) {
        double left = 1;
        for (size_t k = 0; k < CLIMB && left > 0; k += STEPS) {
            for (; known < k + STEPS; known++)
                f[known + 1] = f[known] * (slope * (1 / ((double)known + 1)) - odds);
            left = descend(u + first, f + k, steps + first);
        }
    }
    for (size_t i = 0; i < m; i++)
        if (u[i] >= 0 && u[i] <= f[CLIMB]) /* not used unless all steps were made */
            u[i] = -1;
}

/* Search from 0 up; again with another u if only rounding errors are left of it. */
LDP_INLINE void invert(bool same, struct ldp_rng *rng, struct lanes *lanes, double *k)
{
    double f[MOST + SIDE], slope[MOST + SIDE], odds[MOST + SIDE], u[MOST + SIDE], steps[MOST + SIDE];
    while (lanes->m > 0) {
        invert_setup(lanes, same ? 1 : lanes->m, f, slope, odds);
        for (size_t i = 0; i < lanes->m; i++)
            u[i] = lanes->v[i];
        for (size_t i = 0; i < lanes->m + SIDE; i++)
            steps[i] = 0;
        for (size_t i = lanes->m; i < lanes->m + SIDE; i++)
            u[i] = same ? -1 : 0;
        if (same) {
            climb_same(lanes->m, u, f, slope[0], odds[0], steps);
        } else {
            for (size_t i = lanes->m; i < lanes->m + SIDE; i++)
                f[i] = slope[i] = odds[i] = 0;
            for (size_t i = 0; i < lanes->m; i += SIDE)
                for (double k_from = 0; k_from < CLIMB; k_from += STEPS)
                    if (climb(k_from, u + i, f + i, slope + i, odds + i, steps + i) == 0)
                        break;
        }
        size_t m = 0;
        for (size_t i = 0; i < lanes->m; i++) {
            k[lanes->to[i]] = steps[i];
            lanes->n[m] = lanes->n[i];
            lanes->p[m] = lanes->p[i];
            lanes->to[m] = lanes->to[i];
            m += same ? u[i] >= 0 : u[i] > f[i];
        }
        lanes->m = m;
        uniforms(rng, m, lanes->v);
    }
}

/* ---- Rejection ---- */

/* Candidates k of lanes that have drawn v and again: DONE if left <= right f(k) / f(mode), else REJECT. */
LDP_INLINE void second_pass(bool same, const struct lanes *lanes, const double *restrict again, double *restrict left,
                            double *restrict right, double *restrict k, double *restrict state)
{
    const double *restrict const v = lanes->v;
#pragma omp simd
    for (size_t i = 0; i < lanes->m; i++) {
        const double n = lanes->n[LAW(i)], p = lanes->p[LAW(i)];
        const struct btrs hat = btrs_of(n, p);
        const double vr = hat.bottom / hat.b, w = v[i] / vr;
        const double u = w >= 1 ? again[i] - 0.5 : btrs_tail(w);
        const double height = w >= 1 ? v[i] : again[i] * vr;
        const double us = 0.5 - fabs(u);
        double low;
        const double mean = numeric_product(n, p, &low), rest = n - mean;
        const double y = (hat.a2 / us + hat.b) * u + (mean + 0.5);
        const double inside = ((y >= 0) & (y < n + 1)) ? 1 : 0;
        k[i] = whole(inside > 0 ? y : mean);
        left[i] = height * btrs_alpha(hat.b, hat.sigma) * us * us;
        right[i] = 0.5 * hat.a2 + hat.b * us * us;
        /* struct ldp_polynomial, of two cells. */
        const double a = 1 / mean, b = 1 / rest, a_2 = a * a, b_2 = b * b, a_3 = a_2 * a, b_3 = b_2 * b,
                     a_4 = a_2 * a_2, b_4 = b_2 * b_2;
        const double c1 = (a_2 - b_2) * (1.0 / 12) - (a - b) * 0.5;
        const double c2 = (a_2 + b_2) * 0.25 - (a + b) * 0.5 - (a_3 + b_3) * (1.0 / 12);
        const double c3 = (a_2 - b_2) * (1.0 / 6) - (a_3 - b_3) * (1.0 / 6) + (a_4 - b_4) * (1.0 / 12);
        const double c4 = (a_4 + b_4) * 0.125 - (a_3 + b_3) * (1.0 / 12);
        const double x = (k[i] - mean) - low, z = (whole((n + 1) * p) - mean) - low, r = fabs(x);
        const double x2 = x * x, z2 = z * z;
        const double g = (x - z) * c1 + (x2 - z2) * c2 + (x2 * x - z2 * z) * c3 + (x2 * x2 - z2 * z2) * c4;
        const double error = (a_4 + b_4) * 0.25 * (x2 * x2) * r + MARGIN, close = right[i] * exp_roughly(g);
        const double known = left[i] <= close - error * close ? DONE : left[i] >= close + error * close ? REJECT : OPEN;
        state[i] = inside > 0 ? (((r > 0.5 * mean) | (error > 0.5)) ? OPEN : known) : REJECT;
    }
}

/* All lanes whose words v were not accepted at once, round by round. */
LDP_INLINE void reject(bool same, struct ldp_rng *rng, struct lanes *lanes, double *out)
{
    double again[MOST], left[MOST], right[MOST], k[MOST], state[MOST];
    while (lanes->m > 0) {
        uniforms(rng, lanes->m, again);
        second_pass(same, lanes, again, left, right, k, state);
        size_t m = 0;
        for (size_t i = 0; i < lanes->m; i++) {
            bool taken = state[i] == DONE;
            if (state[i] == OPEN) {
                const struct ldp_shape shape = ldp_shape_binomial(lanes->n[i], lanes->p[i]);
                taken = ldp_below_exactly(&shape, k[i], left[i], right[i]);
            }
            out[lanes->to[i]] = k[i];
            lanes->n[m] = lanes->n[i];
            lanes->p[m] = lanes->p[i];
            lanes->to[m] = lanes->to[i];
            m += !taken;
        }
        /* Rejected lanes start again. */
        uniforms(rng, m, lanes->v);
        first_pass(same, m, lanes->n, lanes->p, lanes->v, k, state);
        lanes->m = 0;
        for (size_t i = 0; i < m; i++) {
            const size_t j = lanes->m;
            out[lanes->to[i]] = k[i];
            lanes->n[j] = lanes->n[i];
            lanes->p[j] = lanes->p[i];
            lanes->v[j] = lanes->v[i];
            lanes->to[j] = lanes->to[i];
            lanes->m = j + (state[i] == REJECT);
        }
    }
}

/* ---- All ---- */

LDP_INLINE void lanes_add(struct lanes *lanes, double n, double p, double v)
{
    lanes->n[lanes->m] = n;
    lanes->p[lanes->m] = p > 0.5 ? 1 - p : p;
    lanes->v[lanes->m] = v;
    lanes->to[lanes->m] = (uint32_t)lanes->m;
    lanes->m++;
}

/* Results of the lanes that draw again: one call for each way, so that no frame has the arrays of both. */
typedef void again_function(struct ldp_rng *rng, struct lanes *lanes, double *k);

/* Draws lanes of one state again; mirrored where p is above 1/2. */
LDP_INLINE void draw_again(bool same, again_function *again, double way, struct ldp_rng *rng, size_t left,
                           const uint32_t *open, const double *n, const double *p, const double *v, const double *state,
                           double *out)
{
    struct lanes lanes;
    uint32_t drawn[MOST];
    double k[MOST];
    lanes.m = 0;
    for (size_t j = 0; j < left; j++) {
        const size_t i = open[j];
        if (state[i] != way)
            continue;
        drawn[lanes.m] = (uint32_t)i;
        lanes_add(&lanes, n[LAW(i)], p[LAW(i)], v[i]);
    }
    const size_t m = lanes.m;
    again(rng, &lanes, k);
    for (size_t j = 0; j < m; j++) {
        const size_t i = drawn[j];
        out[i] = p[LAW(i)] > 0.5 ? n[LAW(i)] - k[j] : k[j];
    }
}

LDP_INLINE void draw(bool same, struct ldp_rng *rng, size_t m, const double *n, const double *p, double *out,
                     again_function *inverted, again_function *rejected)
{
    double v[MOST], state[MOST];
    uint32_t open[MOST];
    uniforms(rng, m, v);
    first_pass(same, m, n, p, v, out, state);
    size_t left = 0;
    for (size_t i = 0; i < m; i++) {
        open[left] = (uint32_t)i;
        left += state[i] != DONE;
    }
    assert(left <= m);
    for (size_t j = 0; j < left; j++) {
        const size_t i = open[j];
        if (n[LAW(i)] >= LARGE && state[i] == REJECT) {
            out[i] = (double)ldp_binomial(rng, (uint64_t)n[LAW(i)], p[LAW(i)]);
            state[i] = DONE;
        }
    }
    draw_again(same, inverted, INVERT, rng, left, open, n, p, v, state, out);
    draw_again(same, rejected, REJECT, rng, left, open, n, p, v, state, out);
}

/* Not inlined: one frame with the arrays of all ways would be too large. */
#define NOINLINE __attribute__((noinline)) void

LDP_VECTORS(NOINLINE, invert, (struct ldp_rng * rng, struct lanes *lanes, double *k), invert(false, rng, lanes, k))
LDP_VECTORS(NOINLINE, invert_same, (struct ldp_rng * rng, struct lanes *lanes, double *k), invert(true, rng, lanes, k))
LDP_VECTORS(NOINLINE, reject, (struct ldp_rng * rng, struct lanes *lanes, double *k), reject(false, rng, lanes, k))
LDP_VECTORS(NOINLINE, reject_same, (struct ldp_rng * rng, struct lanes *lanes, double *k), reject(true, rng, lanes, k))
LDP_VECTORS(void, draw, (struct ldp_rng * rng, size_t m, const double *n, const double *p, double *out),
            draw(false, rng, m, n, p, out, LDP_BEST(invert), LDP_BEST(reject)))
LDP_VECTORS(void, draw_same, (struct ldp_rng * rng, size_t m, double n, double p, double *out),
            draw(true, rng, m, &n, &p, out, LDP_BEST(invert_same), LDP_BEST(reject_same)))

void ldp_binomials(struct ldp_rng *rng, size_t m, const double *n, const double *p, double *out)
{
    assert(m <= MOST);
    LDP_BEST(draw)(rng, m, n, p, out);
}

void ldp_binomials_same(struct ldp_rng *rng, size_t m, double n, double p, double *out)
{
    for (size_t first = 0, size; first < m; first += size) {
        size = m - first < MOST ? m - first : MOST;
        LDP_BEST(draw_same)(rng, size, n, p, out + first);
    }
}

void ldp_binomials_shared(struct ldp_rng *rng, size_t m, const uint64_t *n, double p, uint64_t *out)
{
    enum { SMALL_N = 64 };
    size_t small = 0;
    for (size_t i = 0; i < m; i++)
        small += n[i] <= SMALL_N;
    if (m == 0 || small > m / 2) {
        for (size_t i = 0; i < m; i++)
            out[i] = n[i] > 0 ? ldp_binomial(rng, n[i], p) : 0;
        return;
    }
    double whole_n[MOST], same[MOST], drawn[MOST];
    for (size_t i = 0; i < m; i++) {
        whole_n[i] = (double)n[i];
        same[i] = p;
    }
    ldp_binomials(rng, m, whole_n, same, drawn);
    for (size_t i = 0; i < m; i++)
        out[i] = (uint64_t)drawn[i];
}
