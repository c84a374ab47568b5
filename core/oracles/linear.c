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
 * for what they are.
 *
 * An iteration divides the excess of the variance by about D = degrees / (d - 1), as the spectrum of A' W A is that of
 * random matrices. The square of the gradient's length, in the inverse of the diagonal, is the excess over the noise,
 * so that it says when to stop: the first round where no excess is left, the last at a 4096th of it. A gradient of which
 * only rounding is left would give directions that do not sum to 0.
 *
 * The law. With w = W_jy, u_v the sum of w over the cells of v and m_v that of w (1 - w / sum of w in the row), A' W A
 * is diag(m) + u u' / sum of all w, but for what is random in A: that adds 1 / (1 - 1/D) to each 1 / m_v. m_v is taken
 * as u_v (1 - c u_v / sum of all w), with c right on average for values that share cells, and 1 for one that fills
 * them. So with t = 1 / (m (1 - 1/D)), a = t u, Y = sum of all w + sum a u, and s = t - a sum(a) / Y for V 1,
 *
 *     Var(x_S) = t_S - a_S^2 / Y - s_S^2 / sum s - f_S (1 - f_S) / n:
 *
 * the inverse, less what the known sum tells, less the choice of the n users by the law f. Within 5 % of the exact
 * inverse on average, single values within 20 % at D = 2 (tests/test_flh.c).
 *
 * Source: ours. Cost: for each iteration, and once more, a product with A and one with A'. */
#include "oracles/linear.h"

#include "numerics/arena.h"
#include "numerics/numeric.h"
#include "numerics/simplex.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ITERATIONS_MAX = 60 };
static const double LEFT = 0x1p-12; /* of the variance, when the last round ends */

struct work {
    double *weight, *cells;                /* [groups][g]; weight: 1 / pi */
    double *gradient, *before, *p, *m, *u; /* [d] */
    size_t bytes;
};

static struct work work_in(const struct ldp_linear *linear, void *scratch)
{
    struct ldp_arena arena = {scratch, 0};
    const size_t cells = linear->groups * linear->g * sizeof(double), values = linear->d * sizeof(double);
    struct work work = {.weight = ldp_take(&arena, cells)};
    work.cells = ldp_take(&arena, cells);
    work.gradient = ldp_take(&arena, values);
    work.before = ldp_take(&arena, values);
    work.p = ldp_take(&arena, values);
    work.m = ldp_take(&arena, values);
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

/* residual -= step users (rest + kept cells). */
static void subtract(const struct ldp_linear *linear, const double *users, double step, double rest,
                     const double *cells, double *residual)
{
    for (size_t j = 0, i = 0; j < linear->groups; j++)
        for (size_t y = 0; y < linear->g; y++, i++)
            residual[i] -= step * users[j] * (rest + linear->kept * cells[i]);
}

/* The next direction: the gradient, by the diagonal m and less its mean, conjugate to the direction before (Polak and
 * Ribiere, as these were rounded). *square: of the gradient's length in m. */
static void turn(const struct work *work, size_t d, double *square)
{
    double sum = 0, weights = 0, now = 0, change = 0;
    for (size_t v = 0; v < d; v++) {
        sum += work->gradient[v] / work->m[v];
        weights += 1 / work->m[v];
    }
    const double mean = sum / weights;
    for (size_t v = 0; v < d; v++) {
        const double centred = work->gradient[v] - mean, z = centred / work->m[v];
        now += z * centred;
        change += z * (centred - work->before[v]);
        work->gradient[v] = centred;
    }
    const double beta = *square > 0 ? change / *square : 0;
    for (size_t v = 0; v < d; v++) {
        work->p[v] = work->gradient[v] / work->m[v] + beta * work->p[v];
        work->before[v] = work->gradient[v];
    }
    *square = now;
}

/* Until the excess of the variance is so much of it. */
static void descend(const struct ldp_linear *linear, const struct work *work, double left, const double *users,
                    double *residual, double *x)
{
    const size_t ncells = linear->groups * linear->g;
    const double unknown = (double)linear->d - 1, D = linear->degrees / unknown;
    double square = 0;
    memset(work->p, 0, linear->d * sizeof *work->p);
    memset(work->before, 0, linear->d * sizeof *work->before);
    for (int k = 0; k < ITERATIONS_MAX; k++) {
        for (size_t i = 0; i < ncells; i++)
            work->cells[i] = linear->kept * residual[i] * work->weight[i];
        linear->collect(linear->context, work->cells, work->gradient);
        turn(work, linear->d, &square);
        if (!(square > left * unknown))
            return;
        linear->spread(linear->context, work->p, work->cells);
        double slope = 0, curvature = 0;
        for (size_t v = 0; v < linear->d; v++)
            slope += work->p[v] * work->gradient[v];
        for (size_t j = 0, i = 0; j < linear->groups; j++)
            for (size_t y = 0; y < linear->g; y++, i++)
                curvature += users[j] * work->cells[i] * work->cells[i] * work->weight[i];
        const double step = slope / (linear->kept * linear->kept * curvature);
        for (size_t v = 0; v < linear->d; v++)
            x[v] += step * work->p[v];
        subtract(linear, users, step, 0, work->cells, residual);
        if (square <= left * D * unknown)
            return;
    }
}

/* m of a value. */
static double own_weight(const struct ldp_linear_weights *weights, double u)
{
    const double part = u * weights->g / weights->all,
                 c = 1 + (weights->squares * weights->g / weights->all - 1) * part;
    return u * (1 - c * part / weights->g);
}

void ldp_linear_value(const struct ldp_linear_weights *weights, double u, double *own, double *shared)
{
    *own = weights->n * weights->inflation / own_weight(weights, u);
    *shared = *own * u / sqrt(weights->n * weights->Y);
}

struct ldp_linear_law ldp_linear_sums(struct ldp_linear_weights *weights, const double *u, size_t d)
{
    struct ldp_linear_law law = {0};
    double own, shared, sum = 0;
    weights->Y = weights->all;
    for (size_t v = 0; v < d; v++)
        weights->Y += weights->inflation / own_weight(weights, u[v]) * u[v] * u[v];
    for (size_t v = 0; v < d; v++) {
        ldp_linear_value(weights, u[v], &own, &shared);
        law.all += shared;
        sum += own;
    }
    const double total = sum - law.all * law.all;
    law.total = total > 0 ? 1 / total : 0;
    return law;
}

/* Weights where A f is in `cells`; u and m. */
static struct ldp_linear_weights weigh(const struct ldp_linear *linear, const struct work *work, const double *users)
{
    const size_t g = linear->g, d = linear->d;
    const double unit = linear->kept * linear->kept;
    struct ldp_linear_weights weights = {
        .n = ldp_sum(users, linear->groups), .g = (double)g, .inflation = 1 / (1 - ((double)d - 1) / linear->degrees)};
    for (size_t j = 0, i = 0; j < linear->groups; j++) {
        double row = 0, square = 0;
        for (size_t y = 0; y < g; y++, i++) {
            work->weight[i] = 1 / (linear->rest + linear->kept * (work->cells[i] > 0 ? work->cells[i] : 0));
            work->cells[i] = users[j] * unit * work->weight[i];
            row += work->cells[i];
            square += work->cells[i] * work->cells[i];
        }
        weights.all += row;
        weights.squares += square / row;
    }
    linear->collect(linear->context, work->cells, work->u);
    for (size_t v = 0; v < d; v++)
        work->m[v] = own_weight(&weights, work->u[v]);
    return weights;
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
    const size_t d = linear->d, ncells = linear->groups * linear->g;
    assert(scratch && linear->degrees > (double)d - 1);
    memcpy(work.u, x, d * sizeof *x);
    ldp_simplex_project(work.u, d, work.p, x);
    linear->spread(linear->context, x, work.cells);
    subtract(linear, users, 1, linear->rest, work.cells, counts);
    if (!near(linear)) {
        const double m = ldp_sum(users, linear->groups) * linear->kept * linear->kept * ((double)linear->g - 1);
        for (size_t v = 0; v < d; v++)
            work.m[v] = m;
        for (size_t i = 0; i < ncells; i++)
            work.weight[i] = (double)linear->g;
        descend(linear, &work, 1, users, counts, x);
        ldp_simplex_project(x, d, work.u, work.p);
        linear->spread(linear->context, work.p, work.cells);
    }
    struct ldp_linear_weights weights = weigh(linear, &work, users);
    descend(linear, &work, LEFT, users, counts, x);
    const struct ldp_linear_law sums = ldp_linear_sums(&weights, work.u, d);
    law->all = sums.all;
    law->total = sums.total;
    for (size_t v = 0; v < d; v++)
        ldp_linear_value(&weights, work.u[v], &law->own[v], &law->shared[v]);
}
