/* zeta.h - the power law P(k) proportional to k^-a on 1 .. n. */
#ifndef LDP_ZETA_H
#define LDP_ZETA_H

/* *h0 = sum_{k=1}^n k^-a and *h1 = sum_{k=1}^n k^(1-a): 1e-14 relative for 0 <= a <= 64, whole n >= 1. */
void ldp_zeta_sums(double a, double n, double *h0, double *h1);

/* The exponent whose law has this mean: h1 / h0 = mean, to machine precision. The mean falls from n / (1 + .. + 1/n)
 * at a = 1 to 1; a mean not below the former gives 1, a mean below 1 - 1e-9 (or NAN) gives 1.01. */
double ldp_zeta_fit(double mean, double n);

#endif
