/* hypergeometric.c - exact hypergeometric draws, of two or several colours.
 *
 * Ball by ball if at most three are needed, inversion from 0 if the mean is below 10, else ratio of uniforms
 * (Stadlober, The ratio of uniforms approach for generating discrete random variates, J. Comput. Appl. Math. 31, 1990),
 * with f(k) in the saddle-point form of saddle.c, in four cells. */
#include "numerics/saddle.h"
#include "random/rng.h"

#include <assert.h>

/* The mean where inversion ends, and the range of the polynomial. */
static const double INVERSION = 10, SMALL_MEAN = 64;

enum { BALLS = 3 };

/* Good balls among a drawn, one by one, b of N being good. */
static uint64_t pick_balls(struct ldp_rng *rng, uint64_t a, uint64_t b, uint64_t N)
{
    uint64_t left = b;
    for (; a > 0; a--, N--)
        left -= rng_below(rng, N) < left;
    return b - left;
}

/* f(0) = (N-b)! (N-a)! / (N! (N-a-b)!), a <= b <= N/2, a b / N < 10. */
static double no_ball(double a, double b, double N)
{
    if (a > 64) {
        /* B(0; b, t) B(a; N-b, t) / B(a; N, t) with t = a/N: no large terms cancel. */
        const double L = N - b, mean = a * b / N;
        const double D = (a - mean) * ldp_phi(mean / (a - mean)) + (L - a + mean) * ldp_phi(-mean / (L - a + mean));
        const double errors =
            ldp_stirling_error(L) - ldp_stirling_error(L - a) - ldp_stirling_error(N) + ldp_stirling_error(N - a);
        return ldp_exp(b * ldp_log1p(-a / N) - D + errors + 0.5 * ldp_log1p(mean / (L - a)));
    }
    double f = 1;
    while (a > 0) {
        double above = 1, under = 1; /* of twelve factors up to 2^53 each */
        for (int i = 0; i < 12 && a > 0; i++, a--, N--) {
            above *= N - b;
            under *= N;
        }
        f *= above / under;
    }
    return f;
}

/* f(k) / f(k-1). */
static inline double ball_ratio(double k, double a, double b, double N)
{
    return (a - k + 1) * (b - k + 1) / (k * (N - a - b + k));
}

/* a <= b <= N/2, mean a b / N < 10. */
static uint64_t hypergeometric_invert(struct ldp_rng *rng, double a, double b, double N)
{
    double u = rng_uniform(rng);
    if (u <= 1 - a * b / N) /* at most f(0) */
        return 0;
    const double f0 = no_ball(a, b, N);
    for (;; u = rng_uniform(rng)) {
        double f = f0;
        for (double k = 0; k <= a && f > 0; k++) {
            if (u <= f)
                return (uint64_t)(int64_t)k;
            u -= f;
            f *= ball_ratio(k + 1, a, b, N);
        }
    }
}

static uint64_t divide(ldp_uint128 x, uint64_t y, uint64_t *rest)
{
    if (x >> 64 == 0) {
        *rest = (uint64_t)x % y;
        return (uint64_t)x / y;
    }
    *rest = (uint64_t)(x % y);
    return (uint64_t)(x / y);
}

/* a <= b <= N/2. Ratio of uniforms with Stadlober's constants. */
static uint64_t hypergeometric_reject(struct ldp_rng *rng, double a, double b, double N)
{
    uint64_t rest;
    const uint64_t whole = divide((ldp_uint128)(uint64_t)a * (uint64_t)b, (uint64_t)N, &rest);
    const double part = (double)rest / N, mean = (double)whole + part;
    struct ldp_shape shape = {
        .cells = 4, .base = {0, a, b, N - a - b}, .mean = {mean, a - mean, b - mean, N - a - b + mean}};
    shape.mean_low = ((double)whole - mean) + part;
    shape.mode = (double)divide((ldp_uint128)((uint64_t)a + 1) * ((uint64_t)b + 1), (uint64_t)N + 2, &rest);
    const double variance = mean * shape.mean[3] / (N - 1);
    const double scale = 1.7155277699214135 * sqrt(variance + 0.5) + 0.8989161620588988;
    const bool rough = mean >= SMALL_MEAN;
    const struct ldp_polynomial g = rough ? ldp_polynomial_init(&shape) : (struct ldp_polynomial){0};
    for (;;) {
        const double u = rng_uniform(rng), v = rng_uniform(rng) - 0.5;
        const double y = mean + 0.5 + scale * v / u;
        if (!(y >= 0 && y < a + 1))
            continue;
        const double k = (double)(int64_t)y;
        double left = u * u, right = 1;
        int known = -1;
        if (rough)
            known = ldp_below_roughly(&g, (k - mean) - shape.mean_low, mean, left, right);
        else if (fabs(k - shape.mode) <= 20) {
            const uint64_t to = (uint64_t)(int64_t)k, mode = (uint64_t)(int64_t)shape.mode;
            for (uint64_t i = mode + 1; i <= to; i++)
                right *= ball_ratio((double)i, a, b, N);
            for (uint64_t i = to + 1; i <= mode; i++)
                left *= ball_ratio((double)i, a, b, N);
            known = left <= right;
        }
        if (known < 0)
            known = ldp_below_exactly(&shape, k, left, right);
        if (known)
            return (uint64_t)(int64_t)k;
    }
}

uint64_t ldp_hypergeometric(struct ldp_rng *rng, uint64_t good, uint64_t bad, uint64_t draws)
{
    assert(good <= LDP_USERS_MAX && bad <= LDP_USERS_MAX - good && draws <= good + bad);
    /* There are two splits: good and bad, drawn and left. Take the smaller part of each, and the smaller of the two
     * first. */
    const uint64_t N = good + bad;
    uint64_t b = good < bad ? good : bad, a = draws < N - draws ? draws : N - draws;
    if (a > b) {
        const uint64_t swap = a;
        a = b;
        b = swap;
    }
    uint64_t k;
    if (a <= BALLS)
        k = pick_balls(rng, a, b, N);
    else if ((double)a * (double)b / (double)N < INVERSION)
        k = hypergeometric_invert(rng, (double)a, (double)b, (double)N);
    else
        k = hypergeometric_reject(rng, (double)a, (double)b, (double)N);
    /* k balls are in both smaller parts. */
    const uint64_t lesser_drawn = draws <= N - draws ? draws : N - draws;
    k = good <= bad ? k : lesser_drawn - k;
    return draws <= N - draws ? k : good - k;
}

void ldp_multivariate_hypergeometric(struct ldp_rng *rng, const uint64_t *counts, size_t k, uint64_t draws,
                                     uint64_t *out)
{
    uint64_t total = 0;
    for (size_t i = 0; i < k; i++)
        total += counts[i];
    assert(draws <= total);
    size_t i = 0;
    for (; i < k && draws > 0; i++) {
        total -= counts[i];
        out[i] = ldp_hypergeometric(rng, counts[i], total, draws);
        draws -= out[i];
    }
    for (; i < k; i++)
        out[i] = 0;
}
