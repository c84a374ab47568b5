/* mle_apx.c - maximum likelihood under Gaussian noise whose variance depends on the answer, without its normalising
 * factor:
 *
 *     minimise sum_v (est'_v - est_v)^2 / (A + B est'_v)   subject to est' >= 0, sum est' = 1,
 *
 * A + B f proportional to the variance of the estimate of a frequency f: A = s1, B = tf. With m values kept, S their
 * sum,
 *
 *     est'_v = (est_v (m A + B) + A (1 - S)) / (m A + B S),
 *
 * and 0 if that is negative. Dropping a value can only raise the bound A (S - 1) / (m A + B) below which values are
 * dropped, so the kept set is found exactly, as in norm_sub.
 *
 * Source: NDSS 2020, sec. IV-D, app. B, corrected: the printed x_v has m A - B in place of m A + B, and does not sum to
 * 1. B = 0 is norm_sub, A -> 0 norm_mul. Deviation: the closed form assumes A + B est_v > 0; if it is negative, it is
 * treated as 0, so that the order is kept. Cost: expected O(d). */
#include "laws/classes.h"
#include "numerics/arena.h"
#include "numerics/numeric.h"
#include "simd/simd.h"

enum { LANES = 8 };

static size_t scratch_bytes(size_t d)
{
    return 2 * ldp_aligned((d + LANES) * sizeof(double));
}

/* Sums over the values of x and own[d], d a multiple of LANES, with x_v slope + own_v rest > 0. */
struct kept {
    double S, A;
};

LDP_INLINE struct kept add_kept(const double *x, const double *own, size_t d, double slope, double rest)
{
    typedef double lanes __attribute__((vector_size(4 * sizeof(double))));
    typedef int64_t masks __attribute__((vector_size(4 * sizeof(double))));
    lanes S[2] = {{0}}, A[2] = {{0}};
    for (size_t v = 0; v < d; v += LANES) {
        lanes at[2], of[2];
        memcpy(at, x + v, sizeof at);
        memcpy(of, own + v, sizeof of);
        for (size_t i = 0; i < 2; i++) {
            const masks keep = (masks)(at[i] * slope + of[i] * rest > 0);
            S[i] += (lanes)((masks)at[i] & keep);
            A[i] += (lanes)((masks)of[i] & keep);
        }
    }
    const lanes sum = S[0] + S[1], of_all = A[0] + A[1];
    return (struct kept){(sum[0] + sum[1]) + (sum[2] + sum[3]), (of_all[0] + of_all[1]) + (of_all[2] + of_all[3])};
}

/* Copies est and the A of each value. */
LDP_INLINE void copy(const struct ldp_protocol *protocol, const double *est, double *restrict x, double *restrict own)
{
    const struct ldp_law law = protocol->law;
    const double s1 = protocol->s1;
    for (size_t v = 0, d = protocol->d; v < d; v++) {
        x[v] = est[v];
        own[v] = ldp_value_s1_in(&law, s1, v);
    }
}

/* The answers: x_v slope + own_v rest where that is positive. */
LDP_INLINE void answer(const double *x, const double *own, size_t d, double slope, double rest, double *restrict out)
{
    for (size_t v = 0; v < d; v++) {
        const double above = x[v] * slope + own[v] * rest;
        out[v] = above > 0 ? above : 0;
    }
}

LDP_VECTORS(struct kept, add_kept, (const double *x, const double *own, size_t d, double slope, double rest),
            return add_kept(x, own, d, slope, rest))
LDP_VECTORS(void, copy, (const struct ldp_protocol *protocol, const double *est, double *x, double *own),
            copy(protocol, est, x, own))
LDP_VECTORS(void, answer, (const double *x, const double *own, size_t d, double slope, double rest, double *out),
            answer(x, own, d, slope, rest, out))

/* Where not even the largest has a positive variance, it takes the whole mass. */
static void answer_largest(const double *est, size_t d, double *out)
{
    const double top = ldp_largest(est, d);
    size_t m = 0;
    for (size_t v = 0; v < d; v++)
        m += est[v] == top;
    for (size_t v = 0; v < d; v++)
        out[v] = est[v] == top ? 1 / (double)m : 0;
}

/* Where each value has its own A: est'_v = (est_v (B + sum A) + A_v (1 - S)) / (B S + sum A) for the kept ones. That is
 * Newton's method for the bound on est_v / A_v: from any start its first step is at most the bound, and later
 * steps raise it. */
static void apply_uneven(const struct ldp_protocol *protocol, double n, const double *est, void *scratch, double *out)
{
    static const double start = 0.5; /* standard deviations; few steps are left */
    const size_t d = protocol->d, padded = (d + LANES - 1) / LANES * LANES;
    const double B = protocol->law.tf;
    struct ldp_arena arena = {scratch, 0};
    double *const x = ldp_take(&arena, padded * sizeof *x), *const own = ldp_take(&arena, padded * sizeof *own);
    struct kept (*const sums)(const double *, const double *, size_t, double, double) = LDP_BEST(add_kept);
    LDP_BEST(copy)(protocol, est, x, own);
    for (size_t v = d; v < padded; v++)
        x[v] = own[v] = 0;
    struct kept kept = sums(x, own, padded, 1, -start / sqrt(n * protocol->s1));
    if (!(B + kept.A > 0)) /* none: from all */
        kept = sums(x, own, padded, 0, 1);
    double before;
    do {
        before = kept.A;
        kept = sums(x, own, padded, B + kept.A, 1 - kept.S);
    } while (kept.A != before && B * kept.S + kept.A > 0);
    const double unit = B * kept.S + kept.A;
    if (unit > 0)
        LDP_BEST(answer)(x, own, d, (B + kept.A) / unit, (1 - kept.S) / unit, out);
    else
        answer_largest(est, d, out);
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double *const est = collection->est;
    const size_t d = protocol->d;
    const double s1 = protocol->s1, tf = protocol->tf, scale = s1 + fabs(tf);
    const double A = scale > 0 ? s1 / scale : 1;
    /* A + B, the variance at f = 1, may be 0 (hr without noise): rounding must not make it negative. */
    const double B = scale > 0 ? fmax(tf / scale, -A) : 0;
    double *const x = scratch;
    const double top = ldp_largest(est, d);
    if (protocol->law.trials) {
        apply_uneven(protocol, (double)collection->n, est, scratch, out);
        return;
    }
    /* Work with x = (est - top) / (A + B top): the same formulas with the variance at the largest estimate as unit
     *     est'_v = (x_v (m A + B) + 1 - A S) / (m + B S),   dropped where x_v <= (A S - 1) / (m A + B),
     * and m = 1, S = 0 gives a first bound. If even the largest has no positive variance, it takes the whole mass. */
    const double unit = A + B * top;
    double bound = unit > 0 ? -1 / (A + B) : -1;
    for (size_t v = 0; v < d; v++) {
        const double below = unit > 0 ? (est[v] - top) / unit : -INFINITY;
        x[v] = est[v] < top ? below : 0;
    }
    double S = 0;
    size_t kept = ldp_keep_above(x, d, bound), m = 0;
    while (kept != m) {
        m = kept;
        S = ldp_sum(x, m);
        bound = ((A * S) - 1) / ((double)m * A + B);
        kept = ldp_keep_above(x, m, bound);
    }
    for (size_t v = 0; v < d; v++) {
        const double slope = (double)m * A + B, below = est[v] < top ? (est[v] - top) / unit : 0;
        const bool keep = below == 0 || (unit > 0 && below > bound);
        out[v] = keep ? (below * slope + 1 - A * S) / ((double)m + B * S) : 0;
    }
}

const struct ldp_method ldp_method_mle_apx = {
    .name = "mle_apx",
    .title = "Approximate maximum likelihood",
    .source = "NDSS 2020, sec. IV-D, app. B",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
