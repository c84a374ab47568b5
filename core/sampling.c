/* sampling.c - exact samplers of counts: binomial, multinomial, hypergeometric. No normal approximation anywhere: the
 * joint laws of the simulation by counts rest on these.
 *
 * Binomial(n, p), with p <= 1/2 by symmetry:
 *   p = 1/2, n <= 256   ones among n random bits
 *   n p < 10            inversion by search from 0; f(k) = f(k-1) (n-k+1)/k p/(1-p)
 *   else                BTRS: transformed rejection with squeeze (Hoermann, The generation of binomial random variates,
 *                       J. Stat. Comput. Simul. 46, 1993)
 * A candidate k is held against f(k) / f(mode) in Loader's saddle-point form (Fast and accurate computation of binomial
 * probabilities, 2000),
 *   f(k) = sqrt(n / (2 pi k (n-k))) exp(e(n) - e(k) - e(n-k) - D),   D = np phi((k-np)/np) + nq phi((np-k)/nq),
 * phi(t) = (1+t) log(1+t) - t, e the error of Stirling's formula. Differences of log-gammas would lose 13 of 16 digits
 * at n = 10^12; here none is lost.
 *
 * Hypergeometric: ball by ball where few are drawn or few are good, else ratio of uniforms (Stadlober, The ratio of
 * uniforms approach for generating discrete random variates, J. Comput. Appl. Math. 31, 1990) with the same form of f,
 * since f(k) = B(k; good, t) B(draws-k; bad, t) / B(draws; good+bad, t) for any t.
 *
 * Multinomial: a chain of conditional binomials, cost O(k). With equal weights: halving, each half a fair binomial. */
#include "numeric.h"
#include "rng.h"

#include <assert.h>

#define LARGEST (UINT64_C(1) << 53)

enum { COINS = 256, BALLS = 12, INVERSION = 10, SEARCHED = 64 };

enum method { FIXED, TOSS, INVERT, REJECT };
enum { F0, ODDS, SLOPE };                                /* constants of INVERT */
enum { MODE, PEAK, MEAN, MEAN_LOW, A, B, C, VR, ALPHA }; /* of REJECT */

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

/* D above, for a binomial of n tries whose mean is off k by x. */
static double deviance(double n, double mean, double x)
{
    return mean * phi(x / mean) + (n - mean) * phi(-x / (n - mean));
}

/* What stands for k under the square root, so that k = 0 fits the same formula: 0! = sqrt(2 pi / (2 pi)). */
static double width(double k)
{
    return k > 0 ? k : 0.15915494309189535;
}

static uint64_t toss(struct ldp_rng *rng, uint64_t n)
{
    uint64_t ones = 0;
    for (; n > 0; n -= n < 64 ? n : 64) {
        uint64_t bits = rng_next(rng) >> (n < 64 ? 64 - n : 0);
        bits -= bits >> 1 & UINT64_C(0x5555555555555555);
        bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
        bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
        ones += bits * UINT64_C(0x0101010101010101) >> 56;
    }
    return ones;
}

static void invert_init(double *c, double n, double p)
{
    c[F0] = ldp_exp(n * ldp_log1p(-p));
    c[ODDS] = p / (1 - p);
    c[SLOPE] = (n + 1) * c[ODDS];
}

static uint64_t invert(const double *c, uint64_t n, struct ldp_rng *rng)
{
    uint64_t last = n < SEARCHED ? n : SEARCHED;
    for (;;) {
        double u = rng_uniform(rng), f = c[F0];
        for (uint64_t k = 0; k <= last; k++) {
            if (u <= f)
                return k;
            u -= f;
            f *= c[SLOPE] / (double)(k + 1) - c[ODDS];
        }
        /* Beyond is less than 2^-52, the grain of u: rounding brought us here. */
    }
}

static void reject_init(double *c, double n, double p)
{
    double spq = sqrt(n * p * (1 - p));
    c[MEAN] = numeric_product(n, p, &c[MEAN_LOW]);
    c[B] = 1.15 + 2.53 * spq;
    c[A] = -0.0873 + 0.0248 * c[B] + 0.01 * p;
    c[C] = c[MEAN] + 0.5;
    c[VR] = 0.92 - 4.2 / c[B];
    c[ALPHA] = (2.83 + 5.1 / c[B]) * spq;
    c[MODE] = floor((n + 1) * p);
    c[PEAK] = ldp_stirling_error(c[MODE]) + ldp_stirling_error(n - c[MODE]) +
              deviance(n, c[MEAN], (c[MODE] - c[MEAN]) - c[MEAN_LOW]);
}

static uint64_t reject(const double *c, double n, struct ldp_rng *rng)
{
    for (;;) {
        double v = rng_uniform(rng), u = rng_uniform(rng) - 0.5;
        double us = 0.5 - fabs(u);
        double k = floor((2 * c[A] / us + c[B]) * u + c[C]);
        if (us >= 0.07 && v <= c[VR])
            return (uint64_t)k;
        if (k < 0 || k > n)
            continue;
        v *= c[ALPHA] / (c[A] / (us * us) + c[B]);
        double ratio = (width(k) / c[MODE]) * (width(n - k) / (n - c[MODE]));
        double x = (k - c[MEAN]) - c[MEAN_LOW];
        double rest = ldp_stirling_error(k) + ldp_stirling_error(n - k) + deviance(n, c[MEAN], x);
        if (ldp_log(v * v * ratio) <= 2 * (c[PEAK] - rest))
            return (uint64_t)k;
    }
}

void ldp_binomial_init(struct ldp_binomial *law, uint64_t n, double p)
{
    assert(n <= LARGEST && p >= 0 && p <= 1);
    law->n = n;
    law->p = p;
    law->flipped = p > 0.5;
    double least = law->flipped ? 1 - p : p;
    if (n == 0 || least <= 0)
        law->method = FIXED;
    else if (least == 0.5 && n <= COINS)
        law->method = TOSS;
    else if ((double)n * least < INVERSION) {
        law->method = INVERT;
        invert_init(law->constant, (double)n, least);
    } else {
        law->method = REJECT;
        reject_init(law->constant, (double)n, least);
    }
}

uint64_t ldp_binomial_draw(const struct ldp_binomial *law, struct ldp_rng *rng)
{
    uint64_t k = 0;
    switch ((enum method)law->method) {
    case FIXED: break;
    case TOSS: return toss(rng, law->n);
    case INVERT: k = invert(law->constant, law->n, rng); break;
    case REJECT: k = reject(law->constant, (double)law->n, rng); break;
    }
    return law->flipped ? law->n - k : k;
}

uint64_t ldp_binomial(struct ldp_rng *rng, uint64_t n, double p)
{
    struct ldp_binomial law;
    ldp_binomial_init(&law, n, p);
    return ldp_binomial_draw(&law, rng);
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

/* Draws of the fewer kind, ball by ball: least <= draws, least <= good + bad - draws. */
static uint64_t pick_balls(struct ldp_rng *rng, uint64_t good, uint64_t total, uint64_t draws)
{
    uint64_t left = good;
    for (; draws > 0 && left > 0; draws--, total--)
        left -= rng_below(rng, total) < left;
    return good - left;
}

static double hypergeometric_rest(double k, double good, double bad, double draws, double mean, double x)
{
    return ldp_stirling_error(k) + ldp_stirling_error(good - k) + ldp_stirling_error(draws - k) +
           ldp_stirling_error(bad - draws + k) + deviance(good, mean, x) + deviance(bad, draws - mean, -x);
}

/* good <= bad, draws <= (good + bad) / 2. */
static uint64_t hypergeometric_reject(struct ldp_rng *rng, uint64_t good, uint64_t bad, uint64_t draws)
{
    double G = (double)good, L = (double)bad, m = (double)draws, N = G + L;
    ldp_uint128 product = (ldp_uint128)good * draws;
    uint64_t whole = (uint64_t)(product / (good + bad));
    double mean = (double)whole, mean_low = (double)(uint64_t)(product % (good + bad)) / N;
    double share = G / N;
    double scale = 1.7155277699214135 * sqrt((N - m) * m * share * (1 - share) / (N - 1) + 0.5) + 0.8989161620588988;
    double mode = (double)(uint64_t)((ldp_uint128)(draws + 1) * (good + 1) / (good + bad + 2));
    double average = mean + mean_low;
    double peak = hypergeometric_rest(mode, G, L, m, average, (mode - mean) - mean_low);
    double most = draws < good ? m : G;
    for (;;) {
        double u = rng_uniform(rng), v = rng_uniform(rng) - 0.5;
        double k = floor(mean + (mean_low + 0.5 + scale * v / u));
        if (k < 0 || k > most)
            continue;
        double ratio = (width(k) / width(mode)) * (width(G - k) / width(G - mode)) * (width(m - k) / width(m - mode)) *
                       (width(L - m + k) / width(L - m + mode));
        double rest = hypergeometric_rest(k, G, L, m, average, (k - mean) - mean_low);
        double u2 = u * u;
        if (ldp_log(u2 * u2 * ratio) <= 2 * (peak - rest))
            return (uint64_t)k;
    }
}

uint64_t ldp_hypergeometric(struct ldp_rng *rng, uint64_t good, uint64_t bad, uint64_t draws)
{
    assert(good <= LARGEST && bad <= LARGEST - good && draws <= good + bad);
    uint64_t total = good + bad;
    bool rest = draws > total - draws;
    uint64_t m = rest ? total - draws : draws;
    bool flipped = good > bad;
    uint64_t G = flipped ? bad : good;
    uint64_t k;
    if (m <= G)
        k = m <= BALLS ? pick_balls(rng, G, total, m) : hypergeometric_reject(rng, G, total - G, m);
    else
        k = G <= BALLS ? pick_balls(rng, m, total, G) : hypergeometric_reject(rng, G, total - G, m);
    k = flipped ? m - k : k;
    return rest ? good - k : k;
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
