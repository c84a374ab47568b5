/* btrs.h - constants of BTRS, transformed rejection with squeeze (Hoermann, The generation of binomial random variates,
 * J. Stat. Comput. Simul. 46, 1993, sec. 4), for binomial.c and binomials.c. Internal to the core.
 *
 * A candidate is floor((2 a / (0.5 - |u|) + b) u + c), u uniform in (-1/2, 1/2), c = n p + 1/2, accepted with v uniform
 * in (0, 1). The numbers are those of the paper, which fitted a, b and alpha such that the hat holds for n p >= 10. It
 * accepts at once where |u| <= 0.43 and v <= v_r = bottom / b; the draws use that v and u then follow from one uniform
 * number (the paper's BTRD, which decomposes the hat). */
#ifndef LDPBENCH_BTRS_H
#define LDPBENCH_BTRS_H

#include <math.h>

/* Where |u| is at most BTRS_HALF, a share BTRS_WHOLE of all u, the squeeze accepts v <= v_r. BTRS_TAIL is 1/2 more, as
 * the nearest double: a sum would differ in its last bit. */
#define BTRS_HALF 0.43
#define BTRS_WHOLE 0.86
#define BTRS_TAIL 0.93

struct btrs {
    double sigma, b, a2, bottom; /* a2: twice a */
};

static inline __attribute__((always_inline)) struct btrs btrs_of(double n, double p)
{
    struct btrs hat;
    hat.sigma = sqrt(n * p * (1 - p));
    hat.b = 1.15 + 2.53 * hat.sigma;
    hat.a2 = 2 * (-0.0873 + 0.0248 * hat.b + 0.01 * p);
    hat.bottom = 0.92 * hat.b - 4.2;
    return hat;
}

/* The factor of v in the comparison with f(k) / f(mode). */
static inline __attribute__((always_inline)) double btrs_alpha(double b, double sigma)
{
    return (2.83 + 5.1 / b) * sigma;
}

/* u of a uniform number w = v / v_r from BTRS_WHOLE to 1, beyond what the squeeze accepts. */
static inline __attribute__((always_inline)) double btrs_tail(double w)
{
    const double far = w - BTRS_TAIL;
    return (far < 0 ? -0.5 : 0.5) - far;
}

#endif
