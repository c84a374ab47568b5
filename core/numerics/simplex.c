/* simplex.c - Euclidean projection onto the probability simplex:
 *
 *     out_v = max(est_v - tau, 0),   tau the root of sum_v max(est_v - tau, 0) = 1.
 *
 * Source: Michelot, J. Optim. Theory Appl. 50 (1986); NDSS 2020, sec. IV-C and app. A. The mean excess of the
 * values still kept is a lower bound of tau that only increases, so a value at or below it is dropped for good. The
 * loop ends with a pass that drops nothing, not by a tolerance. It is Newton's method on a convex piecewise linear
 * function: usually fewer than 10 passes over a shrinking set, expected O(d). */
#include "numerics/simplex.h"

#include <assert.h>

void ldp_simplex_project(const double *est, size_t d, double *work, double *out)
{
    assert(d > 0);
    const double top = ldp_largest(est, d);
    double tau = -1;
    /* Relative to the largest value, tau is in [-1, 0): huge estimates lose no digits, and values more than 1 below the
     * largest are dropped at once. */
    for (size_t v = 0; v < d; v++)
        work[v] = est[v] - top;
    size_t kept = ldp_keep_above(work, d, tau), m = 0;
    while (kept != m) {
        m = kept;
        tau = (ldp_sum(work, m) - 1) / (double)m;
        kept = ldp_keep_above(work, m, tau);
    }
    /* tau is a mean of up to d numbers near -1, whose sum has a rounding error of order d; the results here sum to
     * 1. */
    for (size_t i = 0; i < m; i++)
        work[i] -= tau;
    tau += (ldp_sum(work, m) - 1) / (double)m;
    for (size_t v = 0; v < d; v++) {
        const double excess = est[v] - top - tau;
        out[v] = excess > 0 ? excess : 0;
    }
}

void ldp_simplex_apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    ldp_simplex_project(collection->est, collection->protocol->d, scratch, out);
}
