/* numeric.h - elementary functions and sums whose bytes are the same on every processor. Internal to the core.
 *
 * libm chooses an implementation at run time (with or without fused multiply-add) and the choices differ in the last
 * bit. These functions use only +, -, *, / and integer operations, so with -ffp-contract=off every compiler and every
 * vector width gives the same double. Branch-free, so that loops over them vectorise. Rounding to nearest is
 * assumed. Brings math.h and string.h. */
#ifndef LDPBENCH_NUMERIC_H
#define LDPBENCH_NUMERIC_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A difference of two doubles, or its accurate value where rounding has taken more than 1e-12 of it: budgets of
 * collections that people make keep the bytes of the former. */
static inline double ldp_difference(double rounded, double accurate)
{
    return fabs(rounded - accurate) <= 1e-12 * accurate ? rounded : accurate;
}

/* Adding 1.5 2^52 and subtracting it again rounds to an integer; before the subtraction the integer is in the low
 * bits. */
#define LDP_ROUNDER 0x1.8p52
#define LDP_LN2_HI 0x1.62e42fefa3800p-1 /* 42 bits: its product with an exponent is exact */
#define LDP_LN2_LO 0x1.ef35793c76730p-45
#define LDP_LOG2_E 0x1.71547652b82fep+0

static inline uint64_t numeric_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double numeric_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^k for an integer k + LDP_ROUNDER, -1022 <= k <= 1023. */
static inline double numeric_power2(double rounded)
{
    return numeric_double((numeric_bits(rounded) + 1023) << 52);
}

/* (e^r - 1 - r) / r^2 for |r| <= ln(2)/2; minimax, error below 2e-19 of e^r. */
static inline double numeric_exp_tail(double r)
{
    double s = r * r;
    double even =
        0x1p-1 + s * (0x1.5555555555556p-5 +
                      s * (0x1.6c16c16c162d4p-10 +
                           s * (0x1.a01a01a6d889cp-16 + s * (0x1.27e4db646b17ep-22 + s * 0x1.1f730349868cep-29))));
    double odd = 0x1.5555555555557p-3 +
                 s * (0x1.11111111100dcp-7 +
                      s * (0x1.a01a01abe7fe1p-13 + s * (0x1.71de0231960ebp-19 + s * 0x1.af4de97ca4194p-26)));
    return even + r * odd;
}

/* exp(x + y), |y| far below |x| or 1; 0 or infinity outside the range. */
static inline double numeric_exp_sum(double x, double y)
{
    x = x < -746 ? -746 : x;
    x = x > 711 ? 711 : x;
    double rounded = x * LDP_LOG2_E + LDP_ROUNDER;
    double k = rounded - LDP_ROUNDER;
    double hi = x - k * LDP_LN2_HI, lo = k * LDP_LN2_LO - y;
    double r = hi - lo;
    double rest = (hi - r) - lo;
    double e = 1 + (r + (rest + r * r * numeric_exp_tail(r)));
    /* In two factors, since 2^k itself may be out of range. */
    double half = k * 0.5 + LDP_ROUNDER;
    double other = k - (half - LDP_ROUNDER) + LDP_ROUNDER;
    return e * numeric_power2(half) * numeric_power2(other);
}

/* e^x: within 1 ulp; 0 and infinity if that is nearest. */
static inline double ldp_exp(double x)
{
    return numeric_exp_sum(x, 0);
}

/* e^x - 1 without cancellation near 0: within 1.5 ulp. */
static inline double ldp_expm1(double x)
{
    double a = x < -40 ? -40 : x;
    a = a > 710 ? 710 : a;
    double rounded = a * LDP_LOG2_E + LDP_ROUNDER;
    double k = rounded - LDP_ROUNDER;
    double hi = a - k * LDP_LN2_HI, lo = k * LDP_LN2_LO;
    double r = hi - lo;
    double rest = (hi - r) - lo;
    double q = rest + r * r * numeric_exp_tail(r);
    /* 2^k e^r - 1 = 2 (2^(k-1) (r + q) + (2^(k-1) - 1/2)), the exponent lowered so that 2^1024 is not needed. */
    double scale = numeric_power2(rounded - 1);
    double y = 2 * ((scale * r + (scale - 0.5)) + scale * q);
    return k == 0 ? r + q : y;
}

/* x = 2^k (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), for x > 0. */
static inline double numeric_log_split(double x, double *k)
{
    double subnormal = x < 0x1p-1022 ? 54 : 0;
    double scaled = x < 0x1p-1022 ? x * 0x1p54 : x;
    /* Moves the cut between two exponents to sqrt(1/2), to the nearest 2^-20. */
    uint64_t bits = numeric_bits(scaled) + (UINT64_C(0x3ff0000000000000) - UINT64_C(0x3fe6a09e00000000));
    double exponent = numeric_double((bits >> 52) | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023);
    *k = exponent - subnormal;
    return numeric_double((bits & UINT64_C(0x000fffffffffffff)) + UINT64_C(0x3fe6a09e00000000)) - 1;
}

/* (log((1 + s) / (1 - s)) - 2 s) / s for z = s^2 <= 0.0295: z (2/3 + 2/5 z + ..), minimax, error below 4e-20. */
static inline double numeric_log_tail(double z)
{
    double w = z * z;
    double odd =
        0x1.9999999999a38p-2 + w * (0x1.c71c720160b47p-3 + w * (0x1.3b1c360763b8ap-3 + w * 0x1.0c04595972ab8p-3));
    double even =
        0x1.5555555555555p-1 + w * (0x1.2492492476c87p-2 + w * (0x1.745cf901605f7p-3 + w * 0x1.0fbe83c2cbcf3p-3));
    return z * (even + z * odd);
}

/* log(2^k (1 + f)) + rest. */
static inline double numeric_log_join(double k, double f, double rest)
{
    double s = f / (2 + f), half = 0.5 * f * f;
    double tail = numeric_log_tail(s * s);
    /* f - (f^2/2 - s (f^2/2 + tail)): the large term f stays exact. */
    return k * LDP_LN2_HI - ((half - (s * (half + tail) + (k * LDP_LN2_LO + rest))) - f);
}

/* log x: within 1 ulp; -infinity at 0, NAN below. */
static inline double ldp_log(double x)
{
    double k;
    double f = numeric_log_split(x, &k);
    double y = numeric_log_join(k, f, 0);
    y = x == 0 ? -INFINITY : y;
    y = x < INFINITY ? y : x;
    return x < 0 ? (double)NAN : y;
}

/* log(1 + x): within 1.5 ulp; -infinity at -1, NAN below. */
static inline double ldp_log1p(double x)
{
    double u = 1 + x, k;
    /* The rounding error of the sum, relative to the sum; exact whichever term is larger. */
    double lost = x > 1 ? 1 - (u - x) : x - (u - 1);
    double f = numeric_log_split(u, &k);
    double y = numeric_log_join(k, f, lost / u);
    y = x == -1 ? -INFINITY : y;
    y = x < INFINITY ? y : x;
    return x < -1 ? (double)NAN : y;
}

/* a b = hi + lo exactly (Dekker), |a|, |b| < 2^996. */
static inline double numeric_product(double a, double b, double *lo)
{
    double ca = 0x1.0000002p27 * a, cb = 0x1.0000002p27 * b;
    double ah = ca - (ca - a), bh = cb - (cb - b);
    double al = a - ah, bl = b - bh;
    double hi = a * b;
    *lo = al * bl - (((hi - ah * bh) - al * bh) - ah * bl);
    return hi;
}

/* x^y for x >= 0: within 1 ulp. The logarithm has about 66 bits, since y log x is up to 745. */
static inline double ldp_pow(double x, double y)
{
    double k;
    double f = numeric_log_split(x, &k);
    /* s = f / (2 + f) in two doubles; 2 + f may need 54 bits. */
    double den = 2 + f, den_lo = f - (den - 2), product_lo;
    double s = f / den;
    double product = numeric_product(s, den, &product_lo);
    double s_lo = (((f - product) - product_lo) - s * den_lo) / den;
    /* log(1 + f) = 2 s + s^3 (2/3 + z (2/5 + ..)), s^3 2/3 in two doubles too. */
    double z_lo;
    double z = numeric_product(s, s, &z_lo);
    z_lo += 2 * s * s_lo;
    double w = z * z;
    double even =
        0x1.999999999999ap-2 + w * (0x1.c71c71c6eaa10p-3 + w * (0x1.3b1395d2190c1p-3 + w * 0x1.df7cc8e5fa539p-4));
    double odd =
        0x1.2492492492521p-2 + w * (0x1.745d177a96056p-3 + w * (0x1.1118c7e4b0917p-3 + w * 0x1.e02e6fff27908p-4));
    double fifth = z * (even + z * odd);
    double c = 0x1.5555555555555p-1 + fifth;
    double c_lo = (0x1.5555555555555p-1 - c) + fifth + 0x1.5555555555555p-55;
    double zc_lo, cube_lo;
    double zc = numeric_product(z, c, &zc_lo);
    zc_lo += z * c_lo + z_lo * c;
    double cube = numeric_product(s, zc, &cube_lo);
    cube_lo += s * zc_lo + s_lo * zc;
    /* k ln 2 + 2 s + cube, largest first; k LDP_LN2_HI is exact. */
    double base = k * LDP_LN2_HI;
    double sum = base + 2 * s;
    double sum_lo = k != 0 ? (base - sum) + 2 * s : 0;
    double total = sum + cube;
    double lo = (sum - total) + cube + (sum_lo + (k * LDP_LN2_LO + (2 * s_lo + cube_lo)));
    double log_hi = total + lo;
    double log_lo = (total - log_hi) + lo;
    /* No double but 1 has a logarithm below 2^-53, so this y saturates like any larger one. */
    double e = y > 0x1p70 ? 0x1p70 : y;
    e = e < -0x1p70 ? -0x1p70 : e;
    double t_lo;
    double t = numeric_product(e, log_hi, &t_lo);
    t_lo += e * log_lo;
    t_lo = t > 711 || t < -746 ? 0 : t_lo;
    double r = numeric_exp_sum(t, t_lo);
    r = x == INFINITY ? (y > 0 ? INFINITY : 0) : r;
    r = x == 0 ? (y > 0 ? 0 : INFINITY) : r;
    return y == 0 ? 1 : r;
}

/* The p-quantile of the standard normal, 0 < p < 1 (Wichura 1988, AS 241, PPND16): 1e-15 relative. The quantile of an
 * upper tail t is -ldp_normal_quantile(t). */
double ldp_normal_quantile(double p);

/* P(Z > x) of the standard normal, 1e-14 relative, down to the smallest normal double. */
double ldp_normal_tail(double x);

/* P(Z <= x), 1e-14 relative as well. */
double ldp_normal_cdf(double x);

/* P(Z > x) e^(x^2/2) for x >= 0: 1e-15 relative, however large x is. */
double ldp_normal_tail_scaled(double x);

/* log n! - (log sqrt(2 pi n) + n log n - n), n > 0 whole (Loader 2000); 0 at n = 0. */
double ldp_stirling_error(double n);

/* Ascending, digit by digit of their bits: O(n); work[n]. No NAN. */
void ldp_sort(double *x, size_t n, double *work);

/* x[0] + .. + x[n-1] in eight lanes, term i in lane i mod 8; the lanes are added in a fixed order. */
double ldp_sum(const double *x, size_t n);

/* positive[v] = max(x[v], 0); returns their sum, as ldp_sum does. */
double ldp_sum_positive(const double *x, size_t n, double *positive);

/* The largest of x[0] .. x[n-1], n > 0, without NAN. */
double ldp_largest(const double *x, size_t n);

/* The sum of (a[i] - b[i])^2 in the same order. */
double ldp_sum_squares_difference(const double *a, const double *b, size_t n);

/* Scratch of d numbers. */
static inline size_t ldp_numbers_bytes(size_t d)
{
    return d * sizeof(double);
}

/* Moves the numbers above the bound to the front of x[m], in their order, and returns how many they are; what is behind
 * them is left undefined. */
size_t ldp_keep_above(double *x, size_t m, double bound);

/* How many of x[m], ascending, are below t, or at most t. */
static inline size_t ldp_sorted_below(const double *x, size_t m, double t, bool or_at)
{
    size_t from = 0, to = m;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (or_at ? !(x[middle] > t) : x[middle] < t)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

#endif
