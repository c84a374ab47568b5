/* sampling.c - exact samplers of counts: binomial, multinomial, hypergeometric; and of sums of noise: gamma. No normal
 * approximation anywhere: the joint laws of the simulation by counts rest on these.
 *
 * Binomial(n, p), with p <= 1/2 by symmetry:
 *   p = 1/2, n <= 256                ones among n random bits
 *   one draw, n <= 64                n biased coins at once, a binary digit of p at a time
 *   one draw, n p < 10               inversion, search from 0; f(k) / f(k-1) = (n-k+1)/k p/(1-p)
 *   prepared, n p < 64               inversion, search from the mode both ways
 *   else                             BTRS: transformed rejection with squeeze (Hoermann, The generation of binomial
 *                                    random variates, J. Stat. Comput. Simul. 46, 1993), whose hat and squeeze hold
 *                                    for n p >= 10
 * A candidate k of BTRS that the squeeze does not take is held against f(k) / f(mode): where the mean is small a
 * product of neighbours' ratios; else a polynomial with a bound on its error, which nearly always decides; and where
 * that does not, Loader's saddle-point form (Fast and accurate computation of binomial probabilities, 2000), f(k) =
 * sqrt(n / (2 pi k (n-k))) exp(e(n) - e(k) - e(n-k) - D),   D = np phi((k-np)/np) + nq phi((np-k)/nq), phi(t) = (1+t)
 * log(1+t) - t, e the error of Stirling's formula. Differences of log-gammas would lose 13 of 16 digits at n = 10^12;
 * here none is lost.
 *
 * Hypergeometric: one ball after the other where three or fewer decide, inversion from 0 where the mean is below 10,
 * else ratio of uniforms (Stadlober, The ratio of uniforms approach for generating discrete random variates, J. Comput.
 * Appl. Math. 31, 1990) with f(k) as above, in four cells in place of two.
 *
 * Multinomial: a chain of conditional binomials, cost O(k). With equal weights: users one by one where they are fewer
 * than cells, else halving, each half a fair binomial: cost O(min(n, k)) of the cheapest draws. */
#include "numeric.h"
#include "rng.h"

#include <assert.h>

#define LARGEST (UINT64_C(1) << 53)

/* Where inversion ends: for a draw from 0 up, for a prepared law from its mode. */
static const double INVERSION = 10, SMALL_MEAN = 64;

enum { COINS = 256, BALLS = 3, RECIPROCALS = 256 };

/* 1/i: a product in place of a division in loops over k. */
#define R4(i) 1.0 / (i), 1.0 / ((i) + 1), 1.0 / ((i) + 2), 1.0 / ((i) + 3)
#define R16(i) R4(i), R4((i) + 4), R4((i) + 8), R4((i) + 12)
#define R64(i) R16(i), R16((i) + 16), R16((i) + 32), R16((i) + 48)
static const double reciprocal[RECIPROCALS] = {0,       1,       1.0 / 2, 1.0 / 3, R4(4),    R4(8),   R4(12),
                                               R16(16), R16(32), R16(48), R64(64), R64(128), R64(192)};
#undef R64
#undef R16
#undef R4

/* phi(t) = (1 + t) log(1 + t) - t for t >= -1. */
static double phi(double t)
{
    if (t <= -1)
        return 1;
    double v = t / (2 + t), z = v * v;
    if (z < 0.029)
        return v * (t + (1 + t) * numeric_log_tail(z));
    return (1 + t) * ldp_log1p(t) - t;
}

static const double INVERSE_2PI = 0.15915494309189535;

/* What stands for k under the square root, so that k = 0 fits the same formula: 0! = sqrt(2 pi / (2 pi)). */
static double width(double k)
{
    return k > 0 ? k : INVERSE_2PI;
}

static inline uint64_t ones(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return bits * UINT64_C(0x0101010101010101) >> 56;
}

/* A law whose log f(k) is a constant less the sum of log(cell!), cells growing or falling by one with k: k and n - k of
 * the binomial; good and bad, drawn and left, of the hypergeometric. */
struct shape {
    int cells;
    double base[4];           /* the cells at k = 0 */
    double mean[4], mean_low; /* the cells at the mean; of the first, what the double does not hold */
    double mode;
};

static const double sign[4] = {1, -1, -1, 1};

/* log f(k) in the saddle-point form, without constant and square root. */
static double saddle(const struct shape *shape, double k)
{
    double x = (k - shape->mean[0]) - shape->mean_low, sum = 0;
    for (int i = 0; i < shape->cells; i++)
        sum += ldp_stirling_error(shape->base[i] + sign[i] * k) + shape->mean[i] * phi(sign[i] * x / shape->mean[i]);
    return -sum;
}

/* Whether left <= right f(k) / f(mode), by the saddle-point form. */
static bool below_exactly(const struct shape *shape, double k, double left, double right)
{
    double ratio = 1;
    for (int i = 0; i < shape->cells; i++)
        ratio *= width(shape->base[i] + sign[i] * k) / width(shape->base[i] + sign[i] * shape->mode);
    double v = left / right;
    return ldp_log(v * v * ratio) <= 2 * (saddle(shape, k) - saddle(shape, shape->mode));
}

/* log f(k) / f(mode) as G0 + G1 x + .. + G4 x^4, x = k - mean: the series, in x / mean[i], of the saddle-point form
 * with e(k) = 1 / (12 k). For |x| <= mean[0] / 2, the least of the means, what is left out is below G5 |x|^5 + 1e-6. */
enum { G0, G1, G2, G3, G4, G5 };

static inline double polynomial(const double *g, double x)
{
    double x2 = x * x;
    return (g[G0] + x * g[G1]) + x2 * ((g[G2] + x * g[G3]) + x2 * g[G4]);
}

static inline void polynomial_init(double *g, const struct shape *shape)
{
    for (int i = G0; i <= G5; i++)
        g[i] = 0;
    for (int i = 0; i < shape->cells; i++) {
        double a = 1 / shape->mean[i], a2 = a * a, a3 = a2 * a, a4 = a2 * a2;
        g[G1] += sign[i] * (a2 * (1.0 / 12) - a * 0.5);
        g[G2] += a2 * 0.25 - a * 0.5 - a3 * (1.0 / 12);
        g[G3] += sign[i] * (a2 * (1.0 / 6) - a3 * (1.0 / 6) + a4 * (1.0 / 12));
        g[G4] += a4 * 0.125 - a3 * (1.0 / 12);
        g[G5] += a4 * 0.125;
    }
    g[G0] = -polynomial(g, (shape->mode - shape->mean[0]) - shape->mean_low);
}

/* e^x for x <= 1 to 2e-7; 2^r minimax on |r| <= 1/2. */
static inline double exp_roughly(double x)
{
    x = x < -700 ? -700 : x;
    double t = x * LDP_LOG2_E, rounded = t + LDP_ROUNDER;
    double r = t - (rounded - LDP_ROUNDER), r2 = r * r;
    double y =
        (1.0000000759092484 + r * 0.6931471880711763) + r2 * ((0.24022105305823857 + r * 0.05550356898627073) +
                                                              r2 * (0.009676148062069416 + r * 0.0013390978248123866));
    return y * numeric_power2(rounded);
}

/* Whether left <= right f(k) / f(mode), by the polynomial: 1 yes, 0 no, -1 not known. */
static inline int below_roughly(const double *g, double x, double mean, double left, double right)
{
    double r = fabs(x), error = 2 * g[G5] * (r * r) * (r * r) * r + 1e-5;
    if (r > 0.5 * mean || error > 0.5)
        return -1;
    double close = right * exp_roughly(polynomial(g, x));
    error *= close;
    return left <= close - error ? 1 : left >= close + error ? 0 : -1;
}

/* Fair coins. */
static inline uint64_t toss(struct ldp_rng *rng, uint64_t n)
{
    uint64_t heads = 0;
    for (; n > 64; n -= 64)
        heads += ones(rng_next(rng));
    return heads + ones(rng_next(rng) >> (64 - n));
}

/* n <= 64 coins of bias p < 1/2: each holds the digits of a uniform number against those of p, all coins a digit at a
 * time, until digits differ. Some log2(n) + 2 words. */
static uint64_t toss_biased(struct ldp_rng *rng, uint64_t n, double p)
{
    uint64_t open = ~UINT64_C(0) >> (64 - n), heads = 0;
    double rest = p;
    while (open && rest > 0) {
        uint64_t bits = rng_next(rng);
        rest *= 2;
        if (rest >= 1) {
            rest -= 1;
            heads |= open & ~bits;
            open &= bits;
        } else
            open &= ~bits;
    }
    return ones(heads);
}

/* f(0) = (1-p)^n, n p < 10. */
static double none(uint64_t n, double p)
{
    if (n > 512) {
        /* log(1-p) by its series: p < 0.02. */
        double p2 = p * p, p4 = p2 * p2;
        double series = (1 + p / 2) + p2 * (1.0 / 3 + p / 4) + p4 * ((0.2 + p / 6) + p2 * (1.0 / 7 + p / 8) + p4 / 9);
        return ldp_exp(-((double)n * p * series));
    }
    double power = 1;
    for (double square = 1 - p; n > 0; n >>= 1, square *= square)
        power *= n & 1 ? square : 1;
    return power;
}

/* Inversion goes up from f(0), or from the mode both ways, by f(k) = f(k-1) (SLOPE / k - ODDS). */
enum { SLOPE, ODDS, F_MODE, BELOW_MODE, MODE };

static inline void ratio_init(double *c, double n, double p)
{
    c[ODDS] = p / (1 - p);
    c[SLOPE] = (n + 1) * c[ODDS];
}

static inline double ratio(const double *c, uint64_t k)
{
    return c[SLOPE] * reciprocal[k] - c[ODDS];
}

/* Subtracts f(k), f(k+1), .. from u until it is used up; k. More than n where rounding errors are all that is left of
 * u, below its grain of 2^-52. */
static inline uint64_t climb(const double *c, double u, double f, uint64_t k, uint64_t n)
{
    uint64_t last = n < RECIPROCALS - 1 ? n : RECIPROCALS - 1;
    while (u > f) {
        if (++k > last)
            return UINT64_MAX;
        u -= f;
        f *= ratio(c, k);
    }
    return k;
}

static inline uint64_t invert(const double *c, uint64_t n, struct ldp_rng *rng)
{
    for (;;) {
        double u = rng_uniform(rng), f = c[F_MODE];
        uint64_t k = (uint64_t)(int64_t)c[MODE];
        if (u > c[BELOW_MODE]) {
            k = climb(c, u - c[BELOW_MODE], f, k, n);
            if (k <= n)
                return k;
            continue;
        }
        while (k > 0) {
            f *= 1 / ratio(c, k);
            k--;
            if (u <= f)
                return k;
            u -= f;
        }
    }
}

/* Constants of rejection: first what every draw needs, then what a fifth of them need: the polynomial, or where the
 * mean is small the ratios of neighbours. */
enum { A2, B, C, INVERSE_VR, ALPHA, REST, REJECT_CONSTANTS = REST + G5 + 1 };

/* Returns what the top 52 random bits are below where BTRS accepts at once. */
static inline uint64_t reject_start(double *c, double n, double p)
{
    double mean = n * p, sigma = sqrt(mean * (1 - p));
    c[B] = 1.15 + 2.53 * sigma;
    c[A2] = 2 * (-0.0873 + 0.0248 * c[B] + 0.01 * p);
    c[C] = mean + 0.5;
    c[INVERSE_VR] = c[B] / (0.92 * c[B] - 4.2);
    return (uint64_t)(int64_t)(0.86 * 0x1p52 / c[INVERSE_VR]);
}

static struct shape binomial_shape(double n, double p)
{
    struct shape shape = {.cells = 2, .base = {0, n}, .mode = floor((n + 1) * p)};
    shape.mean[0] = numeric_product(n, p, &shape.mean_low);
    shape.mean[1] = n - shape.mean[0];
    return shape;
}

static void reject_finish(double *c, double n, double p)
{
    struct shape shape = binomial_shape(n, p);
    c[ALPHA] = (2.83 + 5.1 / c[B]) * sqrt(n * p * (1 - p));
    if (shape.mean[0] >= SMALL_MEAN)
        polynomial_init(c + REST, &shape);
    else {
        ratio_init(c + REST, n, p);
        c[REST + MODE] = shape.mode;
    }
}

static bool below(const double *c, double n, double p, double k, double left, double right)
{
    double mean = c[C] - 0.5;
    if (mean >= SMALL_MEAN) {
        int known = below_roughly(c + REST, k - mean, mean, left, right);
        if (known >= 0)
            return known;
    } else if (fabs(k - c[REST + MODE]) <= 20) {
        uint64_t to = (uint64_t)(int64_t)k, mode = (uint64_t)(int64_t)c[REST + MODE];
        for (uint64_t i = mode + 1; i <= to; i++)
            right *= ratio(c + REST, i);
        for (uint64_t i = to + 1; i <= mode; i++)
            left *= ratio(c + REST, i);
        return left <= right;
    }
    struct shape shape = binomial_shape(n, p);
    return below_exactly(&shape, k, left, right);
}

/* BTRS with the one uniform number for both coordinates where it accepts at once (as in Hoermann's BTRD). unfinished
 * is c where reject_finish is still to be called, else NULL. */
static inline uint64_t reject(const double *c, double *unfinished, uint64_t limit, double n, double p,
                              struct ldp_rng *rng)
{
    for (;;) {
        uint64_t bits = rng_next(rng);
        double v = rng_unit(bits), w = v * c[INVERSE_VR], u;
        if (bits >> 12 < limit) {
            u = w - 0.43;
            return (uint64_t)(int64_t)((c[A2] / (0.5 - fabs(u)) + c[B]) * u + c[C]);
        }
        if (w >= 1)
            u = rng_uniform(rng) - 0.5;
        else {
            u = w - 0.93;
            u = (u < 0 ? -0.5 : 0.5) - u;
            v = rng_uniform(rng) / c[INVERSE_VR];
        }
        double us = 0.5 - fabs(u);
        double y = (c[A2] / us + c[B]) * u + c[C];
        if (!(y >= 0 && y < n + 1))
            continue;
        if (unfinished)
            reject_finish(unfinished, n, p);
        unfinished = NULL;
        uint64_t k = (uint64_t)(int64_t)y;
        if (below(c, n, p, (double)k, v * c[ALPHA] * us * us, 0.5 * c[A2] + c[B] * us * us))
            return k;
    }
}

/* Prepared inversion: what is below the mode is summed from the mode down. */
static void invert_init(double *c, double n, double p)
{
    struct shape shape = binomial_shape(n, p);
    double mode = shape.mode;
    ratio_init(c, n, p);
    c[MODE] = mode;
    if (mode > 0)
        c[F_MODE] = ldp_exp(ldp_stirling_error(n) + saddle(&shape, mode)) * sqrt(n / mode / (n - mode) * INVERSE_2PI);
    else
        c[F_MODE] = none((uint64_t)n, p);
    c[BELOW_MODE] = 0;
    double f = c[F_MODE];
    for (uint64_t k = (uint64_t)mode; k > 0 && f > 0x1p-64; k--) {
        f *= 1 / ratio(c, k);
        c[BELOW_MODE] += f;
    }
}

enum method { FIXED, TOSS, INVERT, REJECT };

void ldp_binomial_init(struct ldp_binomial *law, uint64_t n, double p)
{
    assert(n <= LARGEST && p >= 0 && p <= 1);
    law->n = n;
    law->flipped = p > 0.5;
    law->p = law->flipped ? 1 - p : p;
    if (n == 0 || law->p <= 0)
        law->method = FIXED;
    else if (law->p == 0.5 && n <= COINS)
        law->method = TOSS;
    else if ((double)n * law->p < SMALL_MEAN) {
        law->method = INVERT;
        invert_init(law->constant, (double)n, law->p);
    } else {
        law->method = REJECT;
        law->limit = reject_start(law->constant, (double)n, law->p);
        reject_finish(law->constant, (double)n, law->p);
    }
}

uint64_t ldp_binomial_draw(const struct ldp_binomial *law, struct ldp_rng *rng)
{
    uint64_t k = 0;
    switch ((enum method)law->method) {
    case FIXED: break;
    case TOSS: return toss(rng, law->n);
    case INVERT: k = invert(law->constant, law->n, rng); break;
    case REJECT: k = reject(law->constant, NULL, law->limit, (double)law->n, law->p, rng); break;
    }
    return law->flipped ? law->n - k : k;
}

/* p <= 1/2, n > 0; constants only as they are needed. */
static uint64_t binomial_once(struct ldp_rng *rng, uint64_t n, double p)
{
    double mean = (double)n * p;
    if (mean < 1 || (mean < INVERSION && n > 64)) {
        double u = rng_uniform(rng), c[2];
        if (u <= 1 - mean) /* at most f(0), by Bernoulli's inequality */
            return 0;
        ratio_init(c, (double)n, p);
        double f = none(n, p);
        uint64_t k;
        while ((k = climb(c, u, f, 0, n)) > n)
            u = rng_uniform(rng);
        return k;
    }
    if (n <= 64)
        return toss_biased(rng, n, p);
    double c[REJECT_CONSTANTS];
    uint64_t limit = reject_start(c, (double)n, p);
    return reject(c, c, limit, (double)n, p, rng);
}

uint64_t ldp_binomial(struct ldp_rng *rng, uint64_t n, double p)
{
    assert(p >= 0 && p <= 1);
    uint64_t before = 0;
    for (; n > LARGEST; n -= LARGEST)
        before += ldp_binomial(rng, LARGEST, p);
    if (n == 0)
        return before;
    if (p == 0.5 && n <= COINS)
        return before + toss(rng, n);
    return before + (p > 0.5 ? n - binomial_once(rng, n, 1 - p) : binomial_once(rng, n, p));
}

void ldp_multinomial(struct ldp_rng *rng, uint64_t n, const double *p, size_t k, uint64_t *out)
{
    assert(k > 0);
    /* out[i] first holds the weight of i and all behind it, summed from the end: subtracting from a total would leave
     * rounding errors where weights get small, and even negative ones. */
    double weight = 0;
    for (size_t i = k; i-- > 0;) {
        assert(p[i] >= 0);
        weight += p[i];
        out[i] = numeric_bits(weight);
    }
    assert(weight > 0 && weight < INFINITY);
    size_t i = 0;
    for (; i < k && n > 0; i++) {
        weight = numeric_double(out[i]);
        out[i] = p[i] > 0 ? ldp_binomial(rng, n, p[i] / weight) : 0;
        n -= out[i];
    }
    for (; i < k; i++)
        out[i] = 0;
}

void ldp_multinomial_uniform(struct ldp_rng *rng, uint64_t n, size_t k, uint64_t *out)
{
    assert(k > 0);
    if (n < k) {
        memset(out, 0, k * sizeof *out);
        for (; n > 0; n--)
            out[rng_below(rng, k)]++;
        return;
    }
    /* Blocks of powers of two, each halved down to single cells in place: a block's total stands in its first cell. */
    while (k > 0) {
        size_t block = 1;
        while (block <= k / 2)
            block *= 2;
        out[0] = ldp_binomial(rng, n, (double)block / (double)k);
        n -= out[0];
        for (size_t half = block / 2; half > 0; half /= 2)
            for (size_t i = 0; i < block; i += 2 * half) {
                uint64_t total = out[i];
                out[i] = ldp_binomial(rng, total, 0.5);
                out[i + half] = total - out[i];
            }
        out += block;
        k -= block;
    }
}

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
        double L = N - b, mean = a * b / N;
        double D = (a - mean) * phi(mean / (a - mean)) + (L - a + mean) * phi(-mean / (L - a + mean));
        double errors =
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
    double f0 = no_ball(a, b, N);
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
    uint64_t rest, whole = divide((ldp_uint128)(uint64_t)a * (uint64_t)b, (uint64_t)N, &rest);
    double part = (double)rest / N, mean = (double)whole + part;
    struct shape shape = {
        .cells = 4, .base = {0, a, b, N - a - b}, .mean = {mean, a - mean, b - mean, N - a - b + mean}};
    shape.mean_low = ((double)whole - mean) + part;
    shape.mode = (double)divide((ldp_uint128)((uint64_t)a + 1) * ((uint64_t)b + 1), (uint64_t)N + 2, &rest);
    double variance = mean * shape.mean[3] / (N - 1);
    double scale = 1.7155277699214135 * sqrt(variance + 0.5) + 0.8989161620588988;
    bool rough = mean >= SMALL_MEAN;
    double g[G5 + 1];
    if (rough)
        polynomial_init(g, &shape);
    for (;;) {
        double u = rng_uniform(rng), v = rng_uniform(rng) - 0.5;
        double y = mean + 0.5 + scale * v / u;
        if (!(y >= 0 && y < a + 1))
            continue;
        double k = (double)(int64_t)y, left = u * u, right = 1;
        int known = -1;
        if (rough)
            known = below_roughly(g, (k - mean) - shape.mean_low, mean, left, right);
        else if (fabs(k - shape.mode) <= 20) {
            uint64_t to = (uint64_t)(int64_t)k, mode = (uint64_t)(int64_t)shape.mode;
            for (uint64_t i = mode + 1; i <= to; i++)
                right *= ball_ratio((double)i, a, b, N);
            for (uint64_t i = to + 1; i <= mode; i++)
                left *= ball_ratio((double)i, a, b, N);
            known = left <= right;
        }
        if (known < 0)
            known = below_exactly(&shape, k, left, right);
        if (known)
            return (uint64_t)(int64_t)k;
    }
}

uint64_t ldp_hypergeometric(struct ldp_rng *rng, uint64_t good, uint64_t bad, uint64_t draws)
{
    assert(good <= LARGEST && bad <= LARGEST - good && draws <= good + bad);
    /* The law knows four: good and bad, drawn and left. Of the two splits the lesser part each, and of those the lesser
     * first. */
    uint64_t N = good + bad, b = good < bad ? good : bad, a = draws < N - draws ? draws : N - draws;
    uint64_t k;
    if (a > b) {
        uint64_t swap = a;
        a = b;
        b = swap;
    }
    if (a <= BALLS)
        k = pick_balls(rng, a, b, N);
    else if ((double)a * (double)b / (double)N < INVERSION)
        k = hypergeometric_invert(rng, (double)a, (double)b, (double)N);
    else
        k = hypergeometric_reject(rng, (double)a, (double)b, (double)N);
    /* k balls are in both lesser parts. */
    uint64_t lesser_drawn = draws <= N - draws ? draws : N - draws;
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

double ldp_laplace(struct ldp_rng *rng)
{
    const uint64_t bits = rng_next(rng);
    const double size = -ldp_log(rng_unit(bits)); /* of the top 52 bits */
    return bits & 1 ? -size : size;
}

/* log(1+t) - t + t^2/2 - t^3/3 for t > -1. */
static double lambda(double t)
{
    double t2 = t * t;
    if (t2 > 0.01)
        return ldp_log1p(t) - t + t2 * (0.5 - t * (1.0 / 3));
    double even = 1.0 / 4 + t2 * (1.0 / 6 + t2 * (1.0 / 8 + t2 * (1.0 / 10 + t2 * (1.0 / 12 + t2 * (1.0 / 14)))));
    double odd = 1.0 / 5 + t2 * (1.0 / 7 + t2 * (1.0 / 9 + t2 * (1.0 / 11 + t2 * (1.0 / 13))));
    return -t2 * t2 * (even - t * odd);
}

double ldp_gamma(struct ldp_rng *rng, double shape)
{
    assert(shape >= 1 && shape <= (double)LARGEST);
    const double a = shape - 1.0 / 3, scale = 1 / sqrt(9 * a);
    for (;;) {
        const double z = ldp_normal_quantile(rng_uniform(rng)), t = z * scale, z2 = z * z;
        if (t <= -1)
            continue;
        const double u = rng_uniform(rng);
        /* Their squeeze, then the law itself. */
        if (u < 1 - 0.0331 * z2 * z2 || ldp_log(u) < 3 * a * lambda(t))
            return a * ((1 + t) * (1 + t) * (1 + t));
    }
}
