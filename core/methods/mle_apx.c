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
#include "aligned.h"
#include "keep.h"
#include "law.h"
#include "numeric.h"

#include <math.h>

static size_t scratch_bytes(size_t d)
{
    return 2 * ldp_aligned(d * sizeof(double)) + d * sizeof(uint32_t);
}

/* Where each value has its own A: est'_v = (est_v (B + sum A) + A_v (1 - S)) / (B S + sum A) for the kept ones. */
static void apply_uneven(const struct ldp_protocol *protocol, const double *est, void *scratch, double *out)
{
    const size_t d = protocol->d;
    const double B = protocol->law.tf;
    struct ldp_arena arena = {scratch, 0};
    double *const x = ldp_take(&arena, d * sizeof *x), *const own = ldp_take(&arena, d * sizeof *own);
    uint32_t *const kept = ldp_take(&arena, d * sizeof *kept);
    size_t m = d, before;
    double S, A;
    for (size_t v = 0; v < d; v++) {
        x[v] = est[v];
        own[v] = ldp_value_s1(protocol, v);
        kept[v] = (uint32_t)v;
        out[v] = 0;
    }
    do { /* dropping a value raises the bound */
        before = m;
        S = A = 0;
        for (size_t i = 0; i < m; i++) {
            S += x[i];
            A += own[i];
        }
        const bool positive = B * S + A > 0;
        m = 0;
        for (size_t i = 0; i < before; i++) {
            const bool keep = positive && x[i] * (B + A) + own[i] * (1 - S) > 0;
            x[m] = x[i];
            own[m] = own[i];
            kept[m] = kept[i];
            m += keep;
        }
    } while (m < before);
    for (size_t i = 0; i < m; i++)
        out[kept[i]] = (x[i] * (B + A) + own[i] * (1 - S)) / (B * S + A);
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

    (void)param;
    if (protocol->law.trials) {
        apply_uneven(protocol, est, scratch, out);
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
