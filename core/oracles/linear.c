/* linear.c - see linear.h.
 *
 * C_jy is the count of cell y of group j, n_j the users of the group. A cell's probability is pi_jy = rest + kept (A
 * f)_jy, so by Fisher scoring the next f solves, with sum f = 1,
 *
 *     A' W A f = A' W z,   z_jy = (C_jy / n_j - rest) / kept,   W_jy = n_j kept^2 / pi_jy,
 *
 * by conjugate gradients. Weights are 1 / pi, and not 1 / (pi (1 - pi)): a multinomial cell has the information of a
 * Poisson cell once the sum is known. pi is that of the first estimate's projection on the simplex, if that is near
 * enough; else there is a round with pi = 1/g before. Directions sum to 0, and may be rounded, as their step is exact
 * for what they are; the last has step 1, without a product.
 *
 * An iteration divides the excess of the variance by about D = degrees / (d - 1), as the spectrum of A' W A is that of
 * random matrices. The square of the gradient's length, in the inverse of the diagonal, is the excess over the noise,
 * so that it says when to stop: the first round where no excess is left, the last at a 256th of it, and a 32nd for the
 * value that is worst: a frequent one is off by most.
 *
 * The law. With w = W_jy, u_v the sum of w over the cells of v and m_v that of w (1 - w / sum of w in the row), A' W A
 * is diag(m) + u u' / sum of all w, but for what is random in A: that adds 1 / (1 - 1/D) to each 1 / m_v. m_v is taken
 * as u_v (1 - c u_v / sum of all w), with c right on average for values that share cells, and 1 for one that fills
 * them. So with t = 1 / (m (1 - 1/D)), a = t u, Y = sum of all w + sum a u, and s = t - a sum(a) / Y for V 1,
 *
 *     Var(x_S) = t_S - a_S^2 / Y - s_S^2 / sum s - f_S (1 - f_S) / n:
 *
 * the inverse, less what the known sum tells, less the choice of the n users by the law f. Within 5 % of the exact
 * inverse on average, single values within 20 % at D = 2 (tests/test_flh.c). Weights, and with them t, are those of the
 * first estimate; t is moved to the last by its slope 1 / kept (1 - 1/D), as intervals add what users of a value do.
 *
 * Source: ours. Cost: for each iteration, and once more, a product with A and one with A', but for the last. */
#include "oracles/linear.h"

#include "numerics/arena.h"
#include "numerics/numeric.h"
#include "numerics/simplex.h"
#include "simd/simd.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ITERATIONS_MAX = 60 };
static const double LEFT = 0x1p-8, /* of the variance, when the last round ends */
    ONE = 8,                       /* and of that of one value, so many times it */
    GAIN = 64;                     /* of a step, at most, as m approximates */

struct work {
    double *weight, *cells, *squares;        /* [groups][g]; weight: W */
    double *gradient, *before, *p, *own, *u; /* [d]; own: 1 / m */
    size_t bytes;
};

static struct work work_in(const struct ldp_linear *linear, void *scratch)
{
    struct ldp_arena arena = {scratch, 0};
    const size_t cells = linear->groups * linear->g * sizeof(double), values = linear->d * sizeof(double);
    struct work work = {.weight = ldp_take(&arena, cells)};
    work.cells = ldp_take(&arena, cells);
    work.squares = ldp_take(&arena, cells);
    work.gradient = ldp_take(&arena, values);
    work.before = ldp_take(&arena, values);
    work.p = ldp_take(&arena, values);
    work.own = ldp_take(&arena, values);
    work.u = ldp_take(&arena, values);
    work.bytes = arena.bytes;
    return work;
}

size_t ldp_linear_bytes(const struct ldp_linear *linear)
{
    return work_in(linear, NULL).bytes;
}

double ldp_linear_variance(const struct ldp_linear_law *law, double own, double shared, double f)
{
    const double sum = own - shared * law->all;
    return own - shared * shared - law->total * sum * sum - f * (1 - f);
}

/* The next direction: the gradient, by the diagonal m and less its mean, conjugate to the direction before (Polak and
 * Ribiere, as these were rounded). *square: of the gradient's length in m. Returns the largest part of one value. */
LDP_INLINE double turn(const struct work *work, size_t d, double *square)
{
    double sum = 0, weights = 0, now = 0, change = 0, most = 0;
    for (size_t v = 0; v < d; v++) {
        sum += work->gradient[v] * work->own[v];
        weights += work->own[v];
    }
    const double mean = sum / weights;
    for (size_t v = 0; v < d; v++) {
        const double centred = work->gradient[v] - mean, z = centred * work->own[v], part = z * centred;
        now += part;
        most = part > most ? part : most;
        change += z * (centred - work->before[v]);
        work->gradient[v] = centred;
    }
    const double beta = *square > 0 ? change / *square : 0;
    for (size_t v = 0; v < d; v++) {
        work->p[v] = work->gradient[v] * work->own[v] + beta * work->p[v];
        work->before[v] = work->gradient[v];
    }
    *square = now;
    return most;
}

/* How far to go along p, which is rounded; what that takes from the residual is taken. */
LDP_INLINE double step(const struct ldp_linear *linear, const struct work *work, double *residual)
{
    const size_t ncells = linear->groups * linear->g;
    double slope = 0;
    linear->spread(linear->context, work->p, work->cells);
    for (size_t v = 0; v < linear->d; v++)
        slope += work->p[v] * work->gradient[v];
    for (size_t i = 0; i < ncells; i++)
        work->squares[i] = work->weight[i] * work->cells[i] * work->cells[i];
    const double length = slope / ldp_sum(work->squares, ncells);
    for (size_t i = 0; i < ncells; i++)
        residual[i] -= length * work->cells[i];
    return length;
}

/* From residual = z - A x until the excess of the variance is `left` of it, and ONE times that for each value. */
LDP_INLINE void descend(const struct ldp_linear *linear, const struct work *work, double left, double *residual,
                        double *x)
{
    const size_t ncells = linear->groups * linear->g;
    const double unknown = (double)linear->d - 1, gain = fmin(linear->degrees / unknown, GAIN);
    double square = 0;
    memset(work->p, 0, linear->d * sizeof *work->p);
    memset(work->before, 0, linear->d * sizeof *work->before);
    for (int k = 0; k < ITERATIONS_MAX; k++) {
        for (size_t i = 0; i < ncells; i++)
            work->cells[i] = work->weight[i] * residual[i];
        linear->collect(linear->context, work->cells, work->gradient);
        const double most = turn(work, linear->d, &square) / ONE, excess = fmax(square / unknown, most) / left;
        if (!(excess > 1))
            return;
        const bool last = excess <= gain;
        const double length = last && left < 1 && k > 0 ? 1 : step(linear, work, residual);
        for (size_t v = 0; v < linear->d; v++)
            x[v] += length * work->p[v];
        if (last)
            return;
    }
}

LDP_VECTORS(void, descend,
            (const struct ldp_linear *linear, const struct work *work, double left, double *residual, double *x),
            descend(linear, work, left, residual, x))

static double inflation_of(const struct ldp_linear *linear)
{
    return 1 / (1 - ((double)linear->d - 1) / linear->degrees);
}

/* W where A f is in `cells`, and what follows from it: 1 / m and the law. */
static void weigh(const struct ldp_linear *linear, const struct work *work, const double *users,
                  struct ldp_linear_law *law)
{
    const size_t d = linear->d;
    const double unit = linear->kept * linear->kept, g = (double)linear->g, n = ldp_sum(users, linear->groups),
                 inflation = inflation_of(linear);
    double all = 0, squares = 0, sum = 0; /* squares: of the rows, over the row's sum */
    for (size_t j = 0, i = 0; j < linear->groups; j++) {
        double row = 0, square = 0;
        for (size_t y = 0; y < linear->g; y++, i++) {
            const double cell = work->cells[i] > 0 ? work->cells[i] : 0,
                         w = users[j] * unit / (linear->rest + linear->kept * cell);
            work->weight[i] = work->cells[i] = w;
            row += w;
            square += w * w;
        }
        all += row;
        squares += square / row;
    }
    linear->collect(linear->context, work->cells, work->u);
    double Y = all;
    for (size_t v = 0; v < d; v++) {
        const double u = work->u[v], part = u * g / all, c = 1 + (squares * g / all - 1) * part;
        work->own[v] = 1 / (u * (1 - c * part / g));
        Y += inflation * work->own[v] * u * u;
    }
    law->all = 0;
    for (size_t v = 0; v < d; v++) {
        law->own[v] = n * inflation * work->own[v];
        law->shared[v] = law->own[v] * work->u[v] / sqrt(n * Y);
        law->all += law->shared[v];
        sum += law->own[v];
    }
    const double total = sum - law->all * law->all;
    law->total = total > 0 ? 1 / total : 0;
}

void ldp_linear_law(const struct ldp_linear *linear, const double *users, double *f, void *scratch,
                    struct ldp_linear_law *law)
{
    const struct work work = work_in(linear, scratch);
    assert(scratch);
    linear->spread(linear->context, f, work.cells);
    weigh(linear, &work, users, law);
}

/* True if the error of a first estimate, of which the hash functions add 1 / degrees, changes pi by little. */
static bool near(const struct ldp_linear *linear)
{
    static const double enough = 3;
    const double share = linear->rest / linear->kept;
    return linear->degrees / ((double)linear->d - 1) * (double)linear->g * share * share >= enough;
}

void ldp_linear_fit(const struct ldp_linear *linear, const double *users, double *counts, void *scratch, double *x,
                    struct ldp_linear_law *law)
{
    const struct work work = work_in(linear, scratch);
    const size_t d = linear->d, g = linear->g;
    const double n = ldp_sum(users, linear->groups), unit = linear->kept * linear->kept * (double)g, *first = x;
    assert(scratch && linear->degrees > (double)d - 1);
    memcpy(work.u, x, d * sizeof *x);
    ldp_simplex_project(work.u, d, work.p, x);
    linear->spread(linear->context, x, work.cells);
    for (size_t j = 0, i = 0; j < linear->groups; j++)
        for (size_t y = 0; y < g; y++, i++) {
            counts[i] = (counts[i] / users[j] - linear->rest) / linear->kept - work.cells[i];
            work.weight[i] = users[j] * unit;
        }
    if (!near(linear)) {
        for (size_t v = 0; v < d; v++)
            work.own[v] = 1 / (n * unit * (1 - 1 / (double)g));
        LDP_BEST(descend)(linear, &work, 1, counts, x);
        ldp_simplex_project(x, d, work.u, work.p);
        linear->spread(linear->context, work.p, work.cells);
        first = work.p;
    }
    weigh(linear, &work, users, law);
    memcpy(work.u, first, d * sizeof *x);
    LDP_BEST(descend)(linear, &work, LEFT, counts, x);
    for (size_t v = 0; v < d; v++)
        law->own[v] += (fmin(fmax(x[v], 0), 1) - work.u[v]) * inflation_of(linear) / linear->kept;
}
