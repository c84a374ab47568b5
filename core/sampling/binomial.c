/* binomial.c - exact binomial draws, one or many. There is no normal approximation: the joint laws of the simulation by
 * counts are exact because these draws are.
 *
 * Binomial(n, p), with p <= 1/2 by symmetry:
 *   p = 1/2, n <= 256                ones among n random bits
 *   one draw, n <= 64                n biased coins at once, a binary digit of p at a time
 *   one draw, n p < 10               inversion, search from 0; f(k) / f(k-1) = (n-k+1)/k p/(1-p)
 *   prepared, n p < 64               inversion, search from the mode both ways
 *   else                             BTRS: transformed rejection with squeeze (btrs.h), which holds for
 *                                    n p >= 10
 * A candidate k of BTRS that the squeeze does not accept is compared with f(k) / f(mode). If the mean is small, that is
 * a product of ratios of neighbours; else a polynomial with a bound on its error, which nearly always decides; and if
 * that does not decide, the saddle-point form of saddle.c. */
#include "numerics/popcount.h"
#include "numerics/saddle.h"
#include "random/rng.h"
#include "sampling/btrs.h"

#include <assert.h>

/* Where inversion ends: for a draw from 0 up, for a prepared law from its mode. */
static const double INVERSION = 10, SMALL_MEAN = 64;

enum { COINS = 256, RECIPROCALS = 256 };

/* 1/i: a product in place of a division in loops over k. */
#define R4(i) 1.0 / (i), 1.0 / ((i) + 1), 1.0 / ((i) + 2), 1.0 / ((i) + 3)
#define R16(i) R4(i), R4((i) + 4), R4((i) + 8), R4((i) + 12)
#define R64(i) R16(i), R16((i) + 16), R16((i) + 32), R16((i) + 48)
static const double reciprocal[RECIPROCALS] = {0,       1,       1.0 / 2, 1.0 / 3, R4(4),    R4(8),   R4(12),
                                               R16(16), R16(32), R16(48), R64(64), R64(128), R64(192)};
#undef R64
#undef R16
#undef R4

/* ---- Coins ---- */

static inline uint64_t toss(struct ldp_rng *rng, uint64_t n)
{
    uint64_t heads = 0;
    for (; n > 64; n -= 64)
        heads += ldp_bits_count(rng_next(rng));
    return heads + ldp_bits_count(rng_next(rng) >> (64 - n));
}

/* n <= 64 coins of bias p < 1/2: each compares the binary digits of a uniform number with those of p, all coins one
 * digit at a time, until digits differ. About log2(n) + 2 words. */
static uint64_t toss_biased(struct ldp_rng *rng, uint64_t n, double p)
{
    uint64_t open = ~UINT64_C(0) >> (64 - n), heads = 0;
    double rest = p;
    while (open && rest > 0) {
        const uint64_t bits = rng_next(rng);
        rest *= 2;
        if (rest >= 1) {
            rest -= 1;
            heads |= open & ~bits;
            open &= bits;
        } else
            open &= ~bits;
    }
    return ldp_bits_count(heads);
}

/* ---- Inversion ---- */

static inline struct ldp_ratio ratio_init(double n, double p)
{
    const double odds = p / (1 - p);
    return (struct ldp_ratio){.slope = (n + 1) * odds, .odds = odds};
}

/* f(k) / f(k-1). */
static inline double ratio_at(const struct ldp_ratio *ratio, uint64_t k)
{
    return ratio->slope * reciprocal[k] - ratio->odds;
}

/* f(0) = (1-p)^n, n p < 10. */
static double probability_of_zero(uint64_t n, double p)
{
    if (n > 512) {
        /* log(1-p) by its series: p < 0.02. */
        const double p2 = p * p, p4 = p2 * p2;
        const double series =
            (1 + p / 2) + p2 * (1.0 / 3 + p / 4) + p4 * ((0.2 + p / 6) + p2 * (1.0 / 7 + p / 8) + p4 / 9);
        return ldp_exp(-((double)n * p * series));
    }
    double power = 1;
    for (double square = 1 - p; n > 0; n >>= 1, square *= square)
        power *= n & 1 ? square : 1;
    return power;
}

/* Subtracts f(k), f(k+1), .. from u until u is used up; returns k. The result is above n if only rounding errors are
 * left of u, below its resolution of 2^-52. */
static inline uint64_t climb(const struct ldp_ratio *ratio, double u, double f, uint64_t k, uint64_t n)
{
    const uint64_t last = n < RECIPROCALS - 1 ? n : RECIPROCALS - 1;
    while (u > f) {
        if (++k > last)
            return UINT64_MAX;
        u -= f;
        f *= ratio_at(ratio, k);
    }
    return k;
}

static inline uint64_t invert(const struct ldp_inversion *law, uint64_t n, struct ldp_rng *rng)
{
    for (;;) {
        double u = rng_uniform(rng), f = law->f_mode;
        uint64_t k = (uint64_t)(int64_t)law->mode;
        if (u > law->below_mode) {
            k = climb(&law->ratio, u - law->below_mode, f, k, n);
            if (k <= n)
                return k;
            continue;
        }
        while (k > 0) {
            f *= 1 / ratio_at(&law->ratio, k);
            k--;
            if (u <= f)
                return k;
            u -= f;
        }
    }
}

/* Prepared inversion: probabilities below the mode are summed from the mode down. */
static struct ldp_inversion invert_init(double n, double p)
{
    const struct ldp_shape shape = ldp_shape_binomial(n, p);
    const double mode = shape.mode;
    struct ldp_inversion law = {.ratio = ratio_init(n, p), .mode = mode};
    if (mode > 0)
        law.f_mode =
            ldp_exp(ldp_stirling_error(n) + ldp_saddle(&shape, mode)) * sqrt(n / mode / (n - mode) * LDP_INVERSE_2PI);
    else
        law.f_mode = probability_of_zero((uint64_t)n, p);
    double f = law.f_mode;
    for (uint64_t k = (uint64_t)mode; k > 0 && f > 0x1p-64; k--) {
        f *= 1 / ratio_at(&law.ratio, k);
        law.below_mode += f;
    }
    return law;
}

/* ---- Rejection ---- */

/* The constants that every draw needs. */
static inline void reject_start(struct ldp_rejection *law, double n, double p)
{
    const struct btrs hat = btrs_of(n, p);
    law->b = hat.b;
    law->a2 = hat.a2;
    law->c = n * p + 0.5;
    law->inverse_vr = hat.b / hat.bottom;
    law->limit = (uint64_t)(int64_t)(BTRS_WHOLE * 0x1p52 / law->inverse_vr);
}

/* Constants that a fifth of the draws need: the polynomial or, if the mean is small, the ratios of neighbours. */
static void reject_finish(struct ldp_rejection *law, double n, double p)
{
    const struct ldp_shape shape = ldp_shape_binomial(n, p);
    law->alpha = btrs_alpha(law->b, btrs_of(n, p).sigma);
    if (shape.mean[0] >= SMALL_MEAN) {
        law->polynomial = ldp_polynomial_init(&shape);
    } else {
        law->neighbours.ratio = ratio_init(n, p);
        law->neighbours.mode = shape.mode;
    }
}

/* True if left <= right f(k) / f(mode). */
static bool below(const struct ldp_rejection *law, double n, double p, double k, double left, double right)
{
    const double mean = law->c - 0.5;
    if (mean >= SMALL_MEAN) {
        const int known = ldp_below_roughly(&law->polynomial, k - mean, mean, left, right);
        if (known >= 0)
            return known;
    } else if (fabs(k - law->neighbours.mode) <= 20) {
        const uint64_t to = (uint64_t)(int64_t)k, mode = (uint64_t)(int64_t)law->neighbours.mode;
        for (uint64_t i = mode + 1; i <= to; i++)
            right *= ratio_at(&law->neighbours.ratio, i);
        for (uint64_t i = to + 1; i <= mode; i++)
            left *= ratio_at(&law->neighbours.ratio, i);
        return left <= right;
    }
    const struct ldp_shape shape = ldp_shape_binomial(n, p);
    return ldp_below_exactly(&shape, k, left, right);
}

/* BTRS with one uniform number for both coordinates if it accepts at once (as in Hoermann's BTRD). unfinished is the
 * law if reject_finish must still be called, else NULL. */
static inline uint64_t reject(const struct ldp_rejection *law, struct ldp_rejection *unfinished, double n, double p,
                              struct ldp_rng *rng)
{
    for (;;) {
        const uint64_t bits = rng_next(rng);
        double v = rng_unit(bits);
        const double w = v * law->inverse_vr;
        double u;
        if (bits >> 12 < law->limit) {
            u = w - BTRS_HALF;
            return (uint64_t)(int64_t)((law->a2 / (0.5 - fabs(u)) + law->b) * u + law->c);
        }
        if (w >= 1)
            u = rng_uniform(rng) - 0.5;
        else {
            u = btrs_tail(w);
            v = rng_uniform(rng) / law->inverse_vr;
        }
        const double us = 0.5 - fabs(u), y = (law->a2 / us + law->b) * u + law->c;
        if (!(y >= 0 && y < n + 1))
            continue;
        if (unfinished)
            reject_finish(unfinished, n, p);
        unfinished = NULL;
        const uint64_t k = (uint64_t)(int64_t)y;
        if (below(law, n, p, (double)k, v * law->alpha * us * us, 0.5 * law->a2 + law->b * us * us))
            return k;
    }
}

/* ---- Prepared for many draws ---- */

enum method { FIXED, TOSS, INVERT, REJECT };

void ldp_binomial_init(struct ldp_binomial *law, uint64_t n, double p)
{
    assert(n <= LDP_USERS_MAX && p >= 0 && p <= 1);
    law->n = n;
    law->flipped = p > 0.5;
    law->p = law->flipped ? 1 - p : p;
    if (n == 0 || law->p <= 0)
        law->method = FIXED;
    else if (law->p == 0.5 && n <= COINS)
        law->method = TOSS;
    else if ((double)n * law->p < SMALL_MEAN) {
        law->method = INVERT;
        law->inversion = invert_init((double)n, law->p);
    } else {
        law->method = REJECT;
        reject_start(&law->rejection, (double)n, law->p);
        reject_finish(&law->rejection, (double)n, law->p);
    }
}

uint64_t ldp_binomial_draw(const struct ldp_binomial *law, struct ldp_rng *rng)
{
    uint64_t k = 0;
    switch ((enum method)law->method) {
    case FIXED: break;
    case TOSS: return toss(rng, law->n);
    case INVERT: k = invert(&law->inversion, law->n, rng); break;
    case REJECT: k = reject(&law->rejection, NULL, (double)law->n, law->p, rng); break;
    }
    return law->flipped ? law->n - k : k;
}

/* ---- One draw ---- */

/* p <= 1/2, n > 0; constants are computed only when they are needed. */
static uint64_t binomial_once(struct ldp_rng *rng, uint64_t n, double p)
{
    const double mean = (double)n * p;
    if (mean < 1 || (mean < INVERSION && n > 64)) {
        double u = rng_uniform(rng);
        if (u <= 1 - mean) /* at most f(0), by Bernoulli's inequality */
            return 0;
        const struct ldp_ratio ratio = ratio_init((double)n, p);
        const double f = probability_of_zero(n, p);
        uint64_t k;
        while ((k = climb(&ratio, u, f, 0, n)) > n)
            u = rng_uniform(rng);
        return k;
    }
    if (n <= 64)
        return toss_biased(rng, n, p);
    struct ldp_rejection law;
    reject_start(&law, (double)n, p);
    return reject(&law, &law, (double)n, p, rng);
}

uint64_t ldp_binomial(struct ldp_rng *rng, uint64_t n, double p)
{
    assert(p >= 0 && p <= 1);
    uint64_t before = 0;
    for (; n > LDP_USERS_MAX; n -= LDP_USERS_MAX)
        before += ldp_binomial(rng, LDP_USERS_MAX, p);
    if (n == 0)
        return before;
    if (p == 0.5 && n <= COINS)
        return before + toss(rng, n);
    return before + (p > 0.5 ? n - binomial_once(rng, n, 1 - p) : binomial_once(rng, n, p));
}
