/* zeta.c - sums of powers and the fit of a power law to a mean.
 *
 * Euler-Maclaurin from k = 16 on:
 *
 *     sum_{k=K}^n k^-s = int_K^n t^-s dt + (K^-s + n^-s) / 2
 *                        + sum_j B_2j / (2j)! s (s+1) .. (s+2j-2) (K^(-s-2j+1) - n^(-s-2j+1)).
 *
 * With six terms the remainder is below 1e-17 of the sum. Cost: about 20 exponentials for any n. Source: Jia and Gong,
 * INFOCOM 2019, eq. 17 (fit of the mean); below-one and above-range means as in the NDSS authors' code. */
#include "priors/zeta.h"
#include "numerics/numeric.h"

enum { DIRECT = 16, TERMS = 6 };

static const double log_of[DIRECT + 1] = {
    0x0.0000000000000p+0, 0x0.0000000000000p+0, 0x1.62e42fefa39efp-1, 0x1.193ea7aad030bp+0, 0x1.62e42fefa39efp+0,
    0x1.9c041f7ed8d33p+0, 0x1.cab0bfa2a2002p+0, 0x1.f2272ae325a57p+0, 0x1.0a2b23f3bab73p+1, 0x1.193ea7aad030bp+1,
    0x1.26bb1bbb55516p+1, 0x1.32ee3b77f374cp+1, 0x1.3e116bcd39e7dp+1, 0x1.485042b318c51p+1, 0x1.51cca16d7bba7p+1,
    0x1.5aa16394d481fp+1, 0x1.62e42fefa39efp+1};

/* B_2j / (2j)! */
static const double bernoulli[TERMS] = {1. / 12,       -1. / 720,      1. / 30240,
                                        -1. / 1209600, 1. / 47900160., -691. / 1307674368000.};

/* sum_{k=16}^n k^-s, given 16^-s, n^-s and log(n / 16). */
static double tail(double s, double n, double first, double last, double log_ratio)
{
    const double u = (1 - s) * log_ratio;
    const double integral = DIRECT * first * log_ratio * (u != 0 ? ldp_expm1(u) / u : 1);
    double sum = integral + (first + last) / 2;
    double rising = s, at_first = first / DIRECT, at_last = last / n;
    for (int j = 0; j < TERMS; j++) {
        sum += bernoulli[j] * rising * (at_first - at_last);
        rising *= (s + 2 * j + 1) * (s + 2 * j + 2);
        at_first /= DIRECT * DIRECT;
        at_last /= n * n;
    }
    return sum;
}

void ldp_zeta_sums(double a, double n, double *h0, double *h1)
{
    const int direct = n < DIRECT ? (int)n : DIRECT - 1;
    *h0 = *h1 = 0;
    for (int k = direct; k >= 1; k--) {
        const double power = ldp_exp(-a * log_of[k]);
        *h0 += power;
        *h1 += k * power;
    }
    if (n >= DIRECT) {
        const double log_n = ldp_log(n), first = ldp_exp(-a * log_of[DIRECT]), last = ldp_exp(-a * log_n);
        *h0 += tail(a, n, first, last, log_n - log_of[DIRECT]);
        *h1 += tail(a - 1, n, DIRECT * first, n * last, log_n - log_of[DIRECT]);
    }
}

/* log of the law's mean over the requested mean: decreases almost linearly in a. */
static double excess(double a, double mean, double n)
{
    double h0, h1;
    ldp_zeta_sums(a, n, &h0, &h1);
    return ldp_log(h1 / h0 / mean);
}

double ldp_zeta_fit(double mean, double n)
{
    /* If n = d, estimates of grr and ss have a mean of 1 up to rounding. */
    if (!(mean >= 1 - 1e-9))
        return 1.01;
    double lo = 1;
    double at_lo = excess(lo, mean, n);
    if (at_lo <= 0)
        return 1;
    double hi = 2;
    double at_hi;
    /* The mean at a = 64 is 1 + 2^-64, 1 as a double. */
    while ((at_hi = excess(hi, mean, n)) > 0 && hi < 64) {
        lo = hi;
        at_lo = at_hi;
        hi *= 2;
    }
    /* Regula falsi, where the weight of an end that stays is halved (Illinois), until no double is left in between or
     * the root is found. */
    for (double next = 0, previous = 0; at_hi < 0; previous = next) {
        const double a = hi - at_hi * (hi - lo) / (at_hi - at_lo);
        if (!(a > lo && a < hi))
            return a <= lo ? lo : hi;
        next = excess(a, mean, n);
        if (next > 0) {
            lo = a;
            at_lo = next;
            if (previous > 0)
                at_hi /= 2;
        } else {
            hi = a;
            at_hi = next;
            if (previous < 0)
                at_lo /= 2;
        }
    }
    return hi;
}
