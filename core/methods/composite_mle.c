/* composite_mle.c - maximum of the product of the support counts' binomial likelihoods.
 *
 * The support of v is close to Binomial(n, m_v), m_v = q + (p - q) f_v. On the simplex
 *
 *     sum_v C_v log m_v + (1 - C_v) log(1 - m_v),   C_v = c_v / n = q + (p - q) est_v,
 *
 * is maximised. It is concave, because each term is a sum of logarithms of affine functions of f_v with weights >= 0,
 * and it is separable: with a multiplier u for sum f = 1, every f_v > 0 solves (C_v - m) / (m (1 - m)) = u. The left
 * side decreases in m, so, with w the root of (1 + u)^2 - 4 u C_v,
 *
 *     m_v = 2 C_v / (1 + u + w),   f_v = max(0, est_v - u m_v (1 - m_v) / (p - q)),
 *
 * and the sum of f decreases in u, each f_v > 0 by m (1 - m) / (w (p - q)). Its one root is found by Newton's method,
 * within the ends of an interval that holds it, until the sum is 1 up to rounding or no double is left. A value whose f
 * is 0 at a u below the root is 0 there too, and is not looked at again.
 *
 * Source: a composite likelihood (Lindsay 1988): it ignores that the support counts are dependent, and that the support
 * of v is a sum of two binomials rather than one. mle_apx is its normal approximation (NDSS 2020, sec. IV-D). It is not
 * the exact maximum likelihood of any oracle's reports; for randomised response mle is exact. Estimates that no support
 * counts from 0 to n give are replaced by the nearest that some support counts give. Cost: O(d) per step, about ten
 * steps over a shrinking set. */
#include "ldp.h"
#include "numerics/numeric.h"
#include "simd/simd.h"

/* True if support counts are binomial, by their variance. */
static bool suits(const struct ldp_protocol *protocol)
{
    const double q = protocol->q, gap = protocol->gap, s1 = protocol->s1 * gap * gap;
    return !protocol->oracle->estimate && gap > 0 && fabs(s1 - q * (1 - q)) <= 1e-9;
}

enum { LANES = 8, STEPS = 200 };

#define ROUNDING 0x1p-47 /* of the sum of f, which is scaled to 1 in the end */

struct problem {
    double q, range;
    double least, most; /* estimates that support counts give */
};

/* The f of one value at a multiplier, and how fast it decreases there. */
struct point {
    double f, fall;
};

LDP_INLINE struct point at(struct problem problem, double u, double x)
{
    const double up = x < problem.least ? problem.least : x, est = up > problem.most ? problem.most : up;
    const double c = problem.q + problem.range * est, low = c < 0 ? 0 : c, C = low > 1 ? 1 : low;
    /* (1 + u)^2 - 4 u C as a sum of terms >= 0. */
    const double half = 1 + u, square = u > 0 ? (1 - u) * (1 - u) + 4 * u * (1 - C) : half * half - 4 * u * C;
    const double root = sqrt(square);
    const double m = u > -1 ? 2 * C / (half + root) : (half - root) / (2 * u);
    const double spread = m * (1 - m) / problem.range, f = est - u * spread, fall = spread / root;
    return (struct point){.f = f > 0 ? f : 0, .fall = f > 0 ? fall : 0};
}

/* The sums over est[m]. Always in lanes of 8, so that no width of vectors
 * shows in the result. */
LDP_INLINE struct point sum_at(struct problem problem, double u, const double *restrict est, size_t m)
{
    double sum[LANES] = {0}, falls[LANES] = {0};
    for (size_t v = 0; v + LANES <= m; v += LANES)
#pragma omp simd
        for (size_t i = 0; i < LANES; i++) {
            const struct point point = at(problem, u, est[v + i]);
            sum[i] += point.f;
            falls[i] += point.fall;
        }
    for (size_t v = m / LANES * LANES; v < m; v++) {
        const struct point point = at(problem, u, est[v]);
        sum[v % LANES] += point.f;
        falls[v % LANES] += point.fall;
    }
    return (struct point){.f = ldp_sum(sum, LANES), .fall = ldp_sum(falls, LANES)};
}

LDP_INLINE void all_at(struct problem problem, double u, const double *restrict est, size_t d, double *restrict f)
{
#pragma omp simd
    for (size_t v = 0; v < d; v++)
        f[v] = at(problem, u, est[v]).f;
}

/* The same source compiled for each level. */
LDP_VECTORS(struct point, sum_at, (struct problem problem, double u, const double *est, size_t m),
            return sum_at(problem, u, est, m))
LDP_VECTORS(void, all_at, (struct problem problem, double u, const double *est, size_t d, double *f),
            all_at(problem, u, est, d, f))

/* Drops estimates whose f is 0 at u and above: those up to u q (1 - q) / (p - q), with a margin for rounding. */
static size_t drop(const struct problem *problem, double u, double *est, size_t m)
{
    const double bound = u * problem->q * (1 - problem->q) / problem->range * (1 - 0x1p-40);
    size_t kept = 0;
    for (size_t v = 0; v < m; v++) {
        const double x = est[v];
        est[kept] = x;
        kept += x > bound;
    }
    return kept;
}

/* The multiplier at which the sum of f is 1, by the estimates est[m], of which those that become 0 are dropped. */
static double find_multiplier(const struct problem *problem, double *est, size_t m)
{
    double lo = -INFINITY, hi = INFINITY, u = 0, by = 1e-3;
    for (int step = 0; step < STEPS; step++) {
        const struct point sum = LDP_BEST(sum_at)(*problem, u, est, m);
        const double excess = sum.f - 1;
        if (fabs(excess) <= ROUNDING)
            return u;
        lo = excess > 0 ? u : lo;
        hi = excess < 0 ? u : hi;
        if (excess > 0 && u > 0)
            m = drop(problem, u, est, m);
        double next = u + excess / sum.fall;
        if (!(next > lo && next < hi)) { /* also if no f decreases */
            next = lo == -INFINITY ? hi - by : hi == INFINITY ? lo + by : lo + (hi - lo) / 2;
            by *= 4;
        }
        if (!(next > lo && next < hi))
            return u;
        u = next;
    }
    return u;
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double *const est = collection->est;
    const size_t d = protocol->d;
    const double q = protocol->q, range = protocol->gap;
    const struct problem problem = {.q = q, .range = range, .least = -q / range, .most = (1 - q) / range};
    memcpy(scratch, est, d * sizeof *est);
    const double u = find_multiplier(&problem, scratch, d);
    LDP_BEST(all_at)(problem, u, est, d, out);
    const double sum = ldp_sum(out, d);
    for (size_t v = 0; v < d; v++)
        out[v] /= sum; /* 1 up to rounding */
}

const struct ldp_method ldp_method_composite_mle = {
    .name = "composite_mle",
    .title = "Maximum of the product of the likelihoods of support counts",
    .source = "composite likelihood; NDSS 2020, sec. IV-D without the normal approximation",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER,
    .suits = suits,
    .needs = "an oracle whose support counts are binomial, such as olh",
    .scratch_bytes = ldp_numbers_bytes,
    .apply = apply,
};
