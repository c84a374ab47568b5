/* saddle.h - laws of counts whose log f(k) is a constant minus a sum of log(cell!), compared by ratios f(k) / f(mode):
 * common code of the rejection samplers of binomial.c and hypergeometric.c. Internal to the core. */
#ifndef LDPBENCH_SADDLE_H
#define LDPBENCH_SADDLE_H

#include "ldp.h"
#include "numerics/numeric.h"

/* Cells increase or decrease by one with k: k and n - k of the binomial; good and bad, drawn and left, of the
 * hypergeometric. */
struct ldp_shape {
    int cells;
    double base[4];           /* the cells at k = 0 */
    double mean[4], mean_low; /* the cells at the mean; the part of the first that the double does not hold */
    double mode;
};

/* Sign of each cell. */
static const double ldp_shape_sign[4] = {1, -1, -1, 1};

/* 1 / (2 pi). */
#define LDP_INVERSE_2PI 0.15915494309189535

static inline struct ldp_shape ldp_shape_binomial(double n, double p)
{
    struct ldp_shape shape = {.cells = 2, .base = {0, n}, .mode = floor((n + 1) * p)};
    shape.mean[0] = numeric_product(n, p, &shape.mean_low);
    shape.mean[1] = n - shape.mean[0];
    return shape;
}

/* phi(t) = (1 + t) log(1 + t) - t for t >= -1. */
double ldp_phi(double t);

/* log f(k) in the saddle-point form, without the constant and the square root. */
double ldp_saddle(const struct ldp_shape *shape, double k);

/* True if left <= right f(k) / f(mode), by the saddle-point form. */
bool ldp_below_exactly(const struct ldp_shape *shape, double k, double left, double right);

static inline double polynomial_at(const struct ldp_polynomial *g, double x)
{
    const double x2 = x * x;
    return (g->c0 + x * g->c1) + x2 * ((g->c2 + x * g->c3) + x2 * g->c4);
}

/* log f(k) / f(mode) as c0 + c1 x + .. + c4 x^4, x = k - mean: the series, in x / mean[i], of the saddle-point form
 * with e(k) = 1 / (12 k). For |x| <= mean[0] / 2, where mean[0] is the least of the means, the omitted terms are below
 * error |x|^5 + 1e-6. */
static inline struct ldp_polynomial ldp_polynomial_init(const struct ldp_shape *shape)
{
    struct ldp_polynomial g = {0};
    for (int i = 0; i < shape->cells; i++) {
        const double sign = ldp_shape_sign[i], a = 1 / shape->mean[i], a2 = a * a, a3 = a2 * a, a4 = a2 * a2;
        g.c1 += sign * (a2 * (1.0 / 12) - a * 0.5);
        g.c2 += a2 * 0.25 - a * 0.5 - a3 * (1.0 / 12);
        g.c3 += sign * (a2 * (1.0 / 6) - a3 * (1.0 / 6) + a4 * (1.0 / 12));
        g.c4 += a4 * 0.125 - a3 * (1.0 / 12);
        g.error += a4 * 0.125;
    }
    g.c0 = -polynomial_at(&g, (shape->mode - shape->mean[0]) - shape->mean_low);
    return g;
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

/* Compares left <= right f(k) / f(mode), by the polynomial: 1 true, 0 false, -1 inconclusive. */
static inline int ldp_below_roughly(const struct ldp_polynomial *g, double x, double mean, double left, double right)
{
    const double r = fabs(x);
    double error = 2 * g->error * (r * r) * (r * r) * r + 1e-5;
    if (r > 0.5 * mean || error > 0.5)
        return -1;
    const double close = right * exp_roughly(polynomial_at(g, x));
    error *= close;
    return left <= close - error ? 1 : left >= close + error ? 0 : -1;
}

#endif
