/* composite_mle.c - maximum of the product of the supports' binomial likelihoods.
 *
 * The support of v is close to Binomial(n, m_v), m_v = q + (p - q) f_v. On the simplex
 *
 *     sum_v C_v log m_v + (1 - C_v) log(1 - m_v),   C_v = c_v / n = q + (p - q) est_v,
 *
 * is maximised. It is concave, because each term is a sum of logarithms of affine functions of f_v with weights >= 0,
 * and it is separable: with a multiplier u for sum f = 1, every f_v > 0 solves (C_v - m) / (m (1 - m)) = u. The left
 * side decreases in m, so
 *
 *     m_v = 2 C_v / (1 + u + sqrt((1 + u)^2 - 4 u C_v)),   f_v = max(0, est_v - u m_v (1 - m_v) / (p - q)),
 *
 * and the sum of f decreases in u. Its one root is found by regula falsi (Illinois), until no double is left between
 * the ends or the sum is exactly 1. No further stopping rule or acceleration is needed.
 *
 * Source: a composite likelihood (Lindsay 1988): it ignores that the supports are dependent, and that the support of v
 * is a sum of two binomials rather than one. mle_apx is its normal approximation (NDSS 2020, sec. IV-D). It is not the
 * exact maximum likelihood of any oracle's reports; for randomised response mle is exact. Estimates that no supports
 * from 0 to n give are replaced by the nearest that some supports give. Cost: O(d) per step, about ten to twenty-five
 * steps. */
#include "ldpbench.h"
#include "numeric.h"
#include "simd.h"

#include <math.h>

/* True if supports are binomial, judged by their variance. */
static bool suits(const struct ldp_protocol *protocol)
{
    const double p = protocol->p, q = protocol->q, s1 = protocol->s1 * (p - q) * (p - q);

    return !protocol->oracle->estimate && p > q && fabs(s1 - q * (1 - q)) <= 1e-9;
}

#define INLINE static inline __attribute__((always_inline))

/* The f of one value at a multiplier. */
INLINE double at(double u, double est, double C, double range)
{
    /* (1 + u)^2 - 4 u C as a sum of terms >= 0. */
    const double half = 1 + u, square = u > 0 ? (1 - u) * (1 - u) + 4 * u * (1 - C) : half * half - 4 * u * C;
    const double root = sqrt(square);
    const double m = u > -1 ? 2 * C / (half + root) : (half - root) / (2 * u);
    const double f = est - u * (m * (1 - m) / range);

    return f > 0 ? f : 0;
}

struct problem {
    const double *est; /* [d] */
    size_t d;
    double q, range;
    double *f; /* [d] */
};

/* f at a multiplier. */
INLINE void solve(const struct problem *problem, double u)
{
    const double q = problem->q, range = problem->range, least = -q / range, most = (1 - q) / range;
    const double *const restrict ests = problem->est;
    double *const restrict f = problem->f;

#pragma omp simd
    for (size_t v = 0; v < problem->d; v++) {
        double est = ests[v];

        est = est < least ? least : est > most ? most : est;
        double C = q + range * est;
        C = C < 0 ? 0 : C > 1 ? 1 : C;
        f[v] = at(u, est, C, range);
    }
}

/* The same source compiled for each level. */
#define LEVEL(name)                                                                                                    \
    LDP_TARGET_##name static void solve_##name(const struct problem *problem, double u)                                \
    {                                                                                                                  \
        solve(problem, u);                                                                                             \
    }

LDP_LEVELS(LEVEL)

/* The sum of f less 1. */
static double excess(const struct problem *problem, double u)
{
    LDP_BEST(solve)(problem, u);
    return ldp_sum(problem->f, problem->d) - 1;
}

static void apply(const double *param, const struct ldp_protocol *protocol, uint64_t n, const double *est,
                  void *scratch, double *out)
{
    const size_t d = protocol->d;
    const struct problem problem = {est, d, protocol->q, protocol->p - protocol->q, out};

    (void)param, (void)n, (void)scratch;
    double at_lo = excess(&problem, 0), at_hi = at_lo;
    double lo = 0, hi = 0;
    for (double by = 1e-3; at_hi > 0; by *= 4) {
        lo = hi;
        at_lo = at_hi;
        hi += by;
        at_hi = excess(&problem, hi);
    }
    for (double by = 1e-3; at_lo < 0; by *= 4) {
        hi = lo;
        at_hi = at_lo;
        lo -= by;
        at_lo = excess(&problem, lo);
    }
    for (double next = 0, previous = 0; at_lo > 0 && at_hi < 0; previous = next) {
        const double u = hi - at_hi * (hi - lo) / (at_hi - at_lo);

        if (!(u > lo && u < hi)) {
            lo = hi = u <= lo ? lo : hi;
            break;
        }
        next = excess(&problem, u);
        if (next == 0)
            lo = hi = u;
        if (next >= 0) {
            lo = u;
            at_lo = next;
            at_hi = previous > 0 ? at_hi / 2 : at_hi;
        } else {
            hi = u;
            at_hi = next;
            at_lo = previous < 0 ? at_lo / 2 : at_lo;
        }
    }
    const double sum = 1 + excess(&problem, at_hi == 0 ? hi : lo);
    for (size_t v = 0; v < d; v++)
        out[v] /= sum; /* 1 up to rounding */
}

const struct ldp_method ldp_method_composite_mle = {
    .name = "composite_mle",
    .title = "Maximum of the product of the supports' likelihoods",
    .source = "composite likelihood; NDSS 2020, sec. IV-D without the normal approximation",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER,
    .suits = suits,
    .needs = "an oracle whose supports are binomial, such as olh",
    .apply = apply,
};
