/* overshoot.c - the mean of the positive part of a sum X of n independent terms, for any n.
 *
 * With K(s) = log E e^(sX) = n log(1 + sum_i share_i (e^(s value_i) - 1)),
 *
 *     E (X)_+ = 1/(2 pi) int e^K(s) / s^2 dy,    s = s0 + iy,    s0 the root of K'(s) = 2/s.
 *
 * Three inequalities enclose it. W is normal noise with mean 0 and variance v = widening (K''(s0) + 2/s0^2).
 *
 *  - E (X)_+ <= E (X + W)_+ <= E (X)_+ + v f(0), f the density of X + W: the first is Jensen's inequality, the second
 *    sqrt(v) (phi(u) - u P(Z > u)) <= sqrt(v) phi(u), u = |X| / sqrt(v).
 *  - The trapezoid sum of step h is the sum of e^(-m s0 T) E (X + W + m T)_+ over all integers m, T = 2 pi / h
 * (Poisson's formula). No term is negative: it is an upper value. Chernoff's bounds on the terms m != 0 give a lower
 * one.
 *  - |e^K(s)| <= e^K(s0), so that W's factor e^(-v y^2 / 2) bounds what the sum leaves out above y = Y.
 *
 * Without W, a sum with few informative terms would be like a lattice, whose integrand decays as slowly as 1/y^2. The
 * n-th power of the terms' characteristic function is taken by squaring, on numbers minus 1, so that n = 10^9 costs no
 * digits; rounding is covered by a share of the result.
 *
 * Source: the contour is Lugannani and Rice, Adv. Appl. Prob. 12, 1980; the enclosure is ours. Cost: 9 / sqrt(widening)
 * nodes of log2 n squarings. */
#include "laws/overshoot.h"

#include "numerics/numeric.h"

enum { LANES = 8, NEWTON_MAX = 100 };
static const double NEAR_0 = 1e-12; /* of E e^(sX) of a term: with more users than one or two it is raised to 0 */
static const double PI = 3.141592653589793, REACH = 6.2; /* of W's factor, in standard deviations */

/* ---- Complex numbers minus 1 ---- */

struct factor {
    double re, im;
};

/* (1 + a) (1 + b) - 1. */
static inline struct factor times(struct factor a, struct factor b)
{
    return (struct factor){a.re + b.re + (a.re * b.re - a.im * b.im), a.im + b.im + (a.re * b.im + a.im * b.re)};
}

/* e^(i angle) - 1: the series of a small angle, doubled. */
static struct factor turn(double angle)
{
    unsigned doublings = 0;
    for (; fabs(angle) > 0.25; doublings++)
        angle /= 2;
    const double a = angle * angle;
    struct factor result = {-a / 2 * (1 - a / 12 * (1 - a / 30 * (1 - a / 56 * (1 - a / 90 * (1 - a / 132))))),
                            angle * (1 - a / 6 * (1 - a / 20 * (1 - a / 42 * (1 - a / 72 * (1 - a / 110)))))};
    for (; doublings > 0; doublings--)
        result = times(result, result);
    return result;
}

/* ---- The law of the terms, tilted by e^(s value) ---- */

struct tilt {
    double s, K, slope, curvature, lost; /* K(s), K'(s), K''(s); the rounding error of K */
};

static struct tilt tilt_at(const struct ldp_terms *terms, double s)
{
    double gain = 0, first = 0, second = 0, size = 0;
    for (size_t i = 0; i < terms->size; i++) {
        const double z = terms->value[i], gained = terms->share[i] * ldp_expm1(s * z),
                     weight = terms->share[i] + gained;
        gain += gained;
        size += fabs(gained);
        first += weight * z;
        second += weight * z * z;
    }
    gain = fmax(gain, NEAR_0 - 1);
    const double n = (double)terms->n, mean = first / (1 + gain);
    return (struct tilt){s, n * ldp_log1p(gain), n * mean, n * (second / (1 + gain) - mean * mean),
                         1e-15 * n * size / (1 + gain)};
}

/* The root of s K'(s) = 2: K' increases, 2/s decreases. */
static struct tilt saddle(const struct ldp_terms *terms)
{
    double low = 0, high = INFINITY, s = 1;
    struct tilt tilt = tilt_at(terms, s);
    for (int i = 0; i < NEWTON_MAX; i++) {
        const double gap = tilt.slope - 2 / s;
        if (fabs(gap) < 1e-6 * (2 / s))
            break;
        *(gap > 0 ? &high : &low) = s;
        const double next = s - gap / (tilt.curvature + 2 / (s * s));
        s = high == INFINITY ? fmin(fmax(next, 1.1 * s), 2 * s) : next > low && next < high ? next : (low + high) / 2;
        tilt = tilt_at(terms, s);
    }
    return tilt;
}

/* ---- The integral ---- */

/* Shared by all nodes; values are in units of the largest. */
struct contour {
    struct tilt tilt;
    double v, period, step; /* of W; T; h */
    size_t nodes;
};

/* The terms with m != 0 of Poisson's formula, mean the sum found. */
static double aliases(const struct ldp_terms *terms, const struct contour *contour, double mean)
{
    const double s0 = contour->tilt.s, T = contour->period, v = contour->v, shrunk = ldp_exp(-s0 * T);
    const double above = shrunk / (1 - shrunk) * (mean + T / (1 - shrunk)); /* E (X + mT)_+ <= E (X)_+ + mT */
    double below = INFINITY; /* Chernoff's bound of E (X - mT)_+, where it is least */
    for (double step = 0.25; step < 16; step *= 2) {
        const double s1 = s0 + step / sqrt(contour->tilt.curvature + 2 / (s0 * s0) + v);
        const double ratio = ldp_exp((s0 - s1) * T), K = tilt_at(terms, s1).K + v * s1 * s1 / 2;
        below = fmin(below, ldp_exp(K - 1) / s1 * ratio / (1 - ratio));
    }
    return above + below;
}

/* The sums over the nodes of Re e^(K(s) - K(s0)) / s^2, and of the same without 1/s^2; that of y = 0 by half. */
static void sum_nodes(const struct ldp_terms *terms, const struct contour *contour, double *overshoot, double *density)
{
    const double s0 = contour->tilt.s, v = contour->v;
    struct factor at[LDP_TERMS_MAX + 1][LANES], step[LDP_TERMS_MAX + 1];
    double weight[LDP_TERMS_MAX], whole = 1;
    for (size_t i = 0; i < terms->size; i++) {
        const double gained = terms->share[i] * ldp_expm1(s0 * terms->value[i]);
        weight[i] = terms->share[i] + gained;
        whole += gained;
    }
    for (size_t i = 0; i <= terms->size; i++) { /* the last one is W's */
        const struct factor one = turn(contour->step * (i < terms->size ? terms->value[i] : v * s0));
        struct factor power = {0, 0};
        for (size_t lane = 0; lane < LANES; lane++, power = times(power, one))
            at[i][lane] = power;
        step[i] = power;
    }
    double sums[LANES] = {0}, densities[LANES] = {0};
    for (size_t node = 0; node < contour->nodes; node += LANES) {
        struct factor base[LANES] = {{0, 0}}, power[LANES] = {{0, 0}};
        for (size_t i = 0; i < terms->size; i++)
            for (size_t lane = 0; lane < LANES; lane++) {
                base[lane].re += weight[i] / whole * at[i][lane].re;
                base[lane].im += weight[i] / whole * at[i][lane].im;
            }
        for (uint64_t n = terms->n; n > 0; n /= 2)
            for (size_t lane = 0; lane < LANES; lane++) {
                power[lane] = n % 2 ? times(power[lane], base[lane]) : power[lane];
                base[lane] = times(base[lane], base[lane]);
            }
        for (size_t lane = 0; lane < LANES; lane++) {
            const struct factor term = times(power[lane], at[terms->size][lane]);
            const double y = contour->step * (double)(node + lane), share = node + lane == 0 ? 0.5 : 1,
                         size = share * ldp_exp(-v * y * y / 2), square = s0 * s0 + y * y;
            /* 1 / s^2 = (s0^2 - y^2 - 2 i s0 y) / |s|^4 */
            sums[lane] += size * ((1 + term.re) * (s0 * s0 - y * y) + term.im * (2 * s0 * y)) / (square * square);
            densities[lane] += size * (1 + term.re);
        }
        for (size_t i = 0; i <= terms->size; i++)
            for (size_t lane = 0; lane < LANES; lane++)
                at[i][lane] = times(at[i][lane], step[i]);
    }
    *overshoot = ldp_sum(sums, LANES);
    *density = ldp_sum(densities, LANES);
}

static struct contour contour_of(struct tilt tilt, double widening)
{
    const double s0 = tilt.s, C = tilt.curvature + 2 / (s0 * s0), v = widening * C;
    /* The saddle-point approximation. Terms m < 0 are to be below 1e-8 of it; the tilted sum has mean 2/s0. */
    const double size = ldp_exp(tilt.K) / (s0 * s0 * sqrt(2 * PI * C));
    double period = 2 / s0 + 7 * sqrt(C);
    for (int i = 0; i < 3; i++)
        period = fmax(period, (18 + ldp_log(period / size)) / s0);
    const double step = 2 * PI / period;
    return (struct contour){tilt, v, period, step, LANES * (size_t)ceil(REACH / sqrt(v) / step / LANES + 0.1)};
}

struct ldp_enclosure ldp_overshoot(const struct ldp_terms *given, double widening)
{
    struct ldp_terms terms = {.n = given->n};
    double unit = 0, most = 0;
    for (size_t i = 0; i < given->size; i++)
        unit = fmax(unit, fabs(given->value[i]));
    for (size_t i = 0; i < given->size; i++)
        if (given->share[i] > 0 && given->value[i] != 0) {
            terms.share[terms.size] = given->share[i];
            terms.value[terms.size] = given->value[i] / unit;
            most = fmax(most, terms.value[terms.size++]);
        }
    if (!(most > 0))
        return (struct ldp_enclosure){0, 0};
    const struct contour contour = contour_of(saddle(&terms), widening);
    const double s0 = contour.tilt.s, v = contour.v, scale = ldp_exp(contour.tilt.K + v * s0 * s0 / 2);
    if (!(scale > 1e-290)) /* then Chernoff's bound is enough */
        return (struct ldp_enclosure){0, unit * scale / s0};
    double overshoot, density;
    sum_nodes(&terms, &contour, &overshoot, &density);
    const double Y = contour.step * (double)(contour.nodes - 1);
    const double omitted = scale * ldp_exp(-v * Y * Y / 2) / (PI * Y), rounding = 1e-9 + contour.tilt.lost;
    const double sum = scale * overshoot * contour.step / PI, f0 = scale * density * contour.step / PI;
    const double low = sum - v * f0 - 2 * omitted - aliases(&terms, &contour, sum);
    return (struct ldp_enclosure){unit * fmax(0, low) * (1 - rounding), unit * (sum + omitted) * (1 + rounding)};
}
