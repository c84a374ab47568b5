/* optimum.c - the least mean variance that an oracle can have, and the fewest bits of a report.
 *
 * The variance per user of subset selection of k values, averaged over the domain, is
 *
 *     V(k) = (d-1)^2 (k e + d - k)^2 / (d^2 k (d-k) (e-1)^2) - (d-1)/d^2,    e = exp(epsilon),
 *
 * for every distribution of the values, and no oracle's unbiased estimates have a smaller mean variance than the least
 * V(k) (Ye, Barg, IEEE Trans. Inf. Theory 64, 2018, asymptotically). The best k is d/(e+1) rounded down or up. Block
 * designs with that k reach it as well (Park, Nam, Lee, arXiv 2305.01261), which have at least d blocks (Fisher): each
 * of them needs at least log2 d bits. */
#include "laws/optimum.h"

#include "numerics/numeric.h"
#include "protocol/pure.h"

#include <assert.h>
#include <math.h>

static double subset_variance(double d, double k, double r, double gap)
{
    const double top = (d - 1) / d * (k + (d - k) * r) / gap;
    return top * top / (k * (d - k)) - (d - 1) / (d * d);
}

uint64_t ldp_optimum_size(size_t d, double epsilon)
{
    assert(d >= 2 && epsilon > 0);
    const double values = (double)d, r = ldp_exp(-epsilon), gap = -ldp_expm1(-epsilon);
    const double k = floor(fmax(1, fmin(values - 1, values * r / (1 + r))));
    const bool more = k + 1 < values && subset_variance(values, k + 1, r, gap) < subset_variance(values, k, r, gap);
    return (uint64_t)k + more;
}

double ldp_optimum(size_t d, double epsilon)
{
    const double k = (double)ldp_optimum_size(d, epsilon);
    return fmax(0, subset_variance((double)d, k, ldp_exp(-epsilon), -ldp_expm1(-epsilon)));
}

double ldp_over_optimum(const struct ldp_protocol *protocol)
{
    if (protocol->oracle->flags & LDP_ORACLE_NOT_PRIVATE)
        return NAN;
    return (protocol->s1 + protocol->tf / (double)protocol->d) / ldp_optimum(protocol->d, protocol->epsilon);
}

double ldp_optimum_bits(size_t d)
{
    return ldp_code_bits(d);
}
