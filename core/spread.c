/* spread.c - how the variance of an estimate depends on its own frequency and on all others.
 *
 * For every oracle whose variance is known it has the form
 *
 *     n Var(est_v) = A + B f_v + C f_v^2 + D F2,   F2 = sum_w f_w^2
 *
 * with C = D = 0 where values share no hash function. The four numbers follow from the exact variances of two
 * histograms: all users hold one value; half of them hold another one. F2 is estimated from sum_v est_v^2, whose mean
 * is F2 + (d A + B + (C + d D) F2) / n. Cost: O(d). */
#include "interval.h"

#include <math.h>
#include <string.h>

/* Variances per user of values 0 and 2 if `second` users hold value 1 and all others value 0. */
static void variances(const struct ldp_protocol *protocol, uint64_t n, uint64_t second, void *work, double out[2])
{
    const size_t d = protocol->d;
    double *const variance = work;
    uint64_t *const counts = (uint64_t *)(variance + d);
    memset(counts, 0, d * sizeof *counts);
    counts[0] = n - second;
    counts[1] = second;
    ldp_variance(protocol, &(struct ldp_histogram){.d = d, .n = n, .counts = counts}, variance);
    out[0] = variance[0] / (double)n;
    out[1] = variance[2] / (double)n;
}

size_t ldp_spread_law_bytes(size_t d)
{
    return d * (sizeof(double) + sizeof(uint64_t));
}

struct ldp_spread_law ldp_spread_law(const struct ldp_protocol *protocol, uint64_t n, void *work)
{
    if (!protocol->oracle->variance || protocol->d < 3 || n < 4)
        return (struct ldp_spread_law){.A = protocol->s1, .B = protocol->tf};
    const uint64_t second = n / 2;
    const double users = (double)n, f = (double)(n - second) / users, g = (double)second / users, F2 = f * f + g * g;
    double one[2], two[2];
    variances(protocol, n, 0, work, one);
    variances(protocol, n, second, work, two);
    const double D = (one[1] - two[1]) / (1 - F2), B_and_C = one[0] - one[1],
                 C = ((two[0] - two[1]) / f - B_and_C) / (f - 1);
    return (struct ldp_spread_law){.A = one[1] - D, .B = B_and_C - C, .C = C, .D = D};
}

double ldp_spread_law_at(const struct ldp_spread_law *law, double f, double F2)
{
    return law->A + f * (law->B + f * law->C) + law->D * F2;
}

struct ldp_spread ldp_spread_of(const struct ldp_spread_law *law, size_t d, uint64_t n, const double *est)
{
    if (law->D == 0)
        return (struct ldp_spread){.s1 = law->A, .tf = law->B, .square = law->C};
    const double users = (double)n, values = (double)d;
    double squares = 0;
    for (size_t v = 0; v < d; v++)
        squares += est[v] * est[v];
    const double F2 = (squares - (values * law->A + law->B) / users) / (1 + (law->C + values * law->D) / users);
    const double possible = F2 > 1 ? 1 : F2 > 1 / values ? F2 : 1 / values;
    return (struct ldp_spread){.s1 = law->A + law->D * possible, .tf = law->B, .square = law->C};
}
