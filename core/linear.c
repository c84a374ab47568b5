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
 * An iteration divides the excess of the variance by D = degrees / (d - 1), as the spectrum of A' W A is that of random
 * matrices. The first round ends where no excess is left, the last at a 64th of it. Their numbers of iterations follow
 * from D and the excess alone, before anything is seen.
 *
 * The law. With w = W_jy, u_v the sum of w over the cells of v and m_v that of w (1 - w / sum of w in the row), A' W A
 * is diag(m) + u u' / sum of all w, but for what is random in A: that adds 1 / (1 - 1/D) to each 1 / m_v. So with t = 1
 * / (m (1 - 1/D)), a = t u, Y = sum of all w + sum a u, and s = t - a sum(a) / Y for V 1,
 *
 *     Var(x_S) = t_S - a_S^2 / Y - s_S^2 / sum s - f_S (1 - f_S) / n:
 *
 * the inverse, less what the known sum tells, less the choice of the n users by the law f. Within 5 % of the exact
 * inverse on average, single values within 20 % at D = 2 (tests/test_flh.c).
 *
 * Source: ours. Cost: for each iteration, and once or twice more, a product with A and one with A'. */
#include "linear.h"

#include "aligned.h"
#include "numeric.h"
#include "simplex.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { ITERATIONS_MAX = 60 };
static const double LEFT = 0x1p-6; /* of the excess, when the last round ends */

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
 * Ribiere, as these were rounded). Returns the square of the gradient's length in m, *square. */
static void turn(const struct work *work, size_t d, double *square)
{
    double sum = 0, weights = 0, now = 0, change = 0;
    for (size_t v = 0; v < d; v++) {
        sum += work->gradient[v] / work->m[v];
        weights += 1 / work->m[v];
    }
    const double mean = sum / weights;
    for (size_t v = 0; v < d; v++) {
        const double z = (work->gradient[v] - mean) / work->m[v];
        now += z * work->gradient[v];
        change += z * (work->gradient[v] - work->before[v]);
    }
    const double beta = *square > 0 ? change / *square : 0;
    for (size_t v = 0; v < d; v++) {
        work->p[v] = (work->gradient[v] - mean) / work->m[v] + beta * work->p[v];
        work->before[v] = work->gradient[v];
    }
    *square = now;
}

static void descend(const struct ldp_linear *linear, const struct work *work, int iterations, const double *users,
                    double *residual, double *x)
{
    const size_t ncells = linear->groups * linear->g;
    double square = 0;
    memset(work->p, 0, linear->d * sizeof *work->p);
    memset(work->before, 0, linear->d * sizeof *work->before);
    for (int k = 0; k < iterations; k++) {
        for (size_t i = 0; i < ncells; i++)
            work->cells[i] = linear->kept * residual[i] * work->weight[i];
        linear->collect(linear->context, work->cells, work->gradient);
        turn(work, linear->d, &square);
        linear->spread(linear->context, work->p, work->cells);
        double slope = 0, curvature = 0;
        for (size_t v = 0; v < linear->d; v++)
            slope += work->p[v] * work->gradient[v];
        for (size_t j = 0, i = 0; j < linear->groups; j++)
            for (size_t y = 0; y < linear->g; y++, i++)
                curvature += users[j] * work->cells[i] * work->cells[i] * work->weight[i];
        if (!(curvature > 0))
            return;
        const double step = slope / (linear->kept * linear->kept * curvature);
        for (size_t v = 0; v < linear->d; v++)
            x[v] += step * work->p[v];
        subtract(linear, users, step, 0, work->cells, residual);
    }
}

/* Weights where A f is in `cells`; u and m. Returns the sum of all W. */
static double weigh(const struct ldp_linear *linear, const struct work *work, const double *users)
{
    const size_t g = linear->g;
    const double unit = linear->kept * linear->kept;
    double all = 0;
    for (size_t j = 0, i = 0; j < linear->groups; j++)
        for (size_t y = 0; y < g; y++, i++) {
            work->weight[i] = 1 / (linear->rest + linear->kept * (work->cells[i] > 0 ? work->cells[i] : 0));
            work->cells[i] = users[j] * unit * work->weight[i];
        }
    linear->collect(linear->context, work->cells, work->u);
    for (size_t j = 0; j < linear->groups; j++) {
        const double *const weight = work->weight + j * g, row = ldp_sum(weight, g);
        all += users[j] * unit * row;
        for (size_t y = 0; y < g; y++)
            work->cells[j * g + y] = users[j] * unit * weight[y] * (1 - weight[y] / row);
    }
    linear->collect(linear->context, work->cells, work->m);
    return all;
}

static void fill_law(const struct ldp_linear *linear, const struct work *work, double n, double all,
                     struct ldp_linear_law *law)
{
    const size_t d = linear->d;
    const double inflation = 1 / (1 - ((double)d - 1) / linear->degrees);
    double Y = all, own = 0;
    for (size_t v = 0; v < d; v++) {
        law->own[v] = inflation / work->m[v];
        law->shared[v] = law->own[v] * work->u[v];
        Y += law->shared[v] * work->u[v];
    }
    law->all = 0;
    for (size_t v = 0; v < d; v++) {
        law->own[v] *= n;
        law->shared[v] *= sqrt(n / Y);
        law->all += law->shared[v];
        own += law->own[v];
    }
    const double total = own - law->all * law->all;
    law->total = total > 0 ? 1 / total : 0;
}

/* Iterations that divide the excess by so much. What is rounded away of a direction is left to the next. */
static int iterations_of(double D, double excess)
{
    const double most = excess > 0x1p30 ? 16 : 1024;
    const double number = excess > 1 ? ceil(ldp_log(excess) / ldp_log(fmin(D, most))) : 0;
    return number < ITERATIONS_MAX ? (int)number : ITERATIONS_MAX;
}

/* True if the error of a first estimate, of which the hash functions add 1 / degrees, changes pi by little. */
static bool near(const struct ldp_linear *linear, double D)
{
    static const double enough = 3;
    const double share = linear->rest / linear->kept;
    return D * (double)linear->g * share * share >= enough;
}

void ldp_linear_fit(const struct ldp_linear *linear, const double *users, double *counts, void *scratch, double *x,
                    struct ldp_linear_law *law)
{
    const struct work work = work_in(linear, scratch);
    const size_t d = linear->d, ncells = linear->groups * linear->g;
    const double D = linear->degrees / ((double)d - 1);
    double excess = fmax(linear->excess, 1);
    assert(scratch && D > 1);
    memcpy(work.u, x, d * sizeof *x);
    ldp_simplex_project(work.u, d, work.p, x);
    linear->spread(linear->context, x, work.cells);
    subtract(linear, users, 1, linear->rest, work.cells, counts);
    if (!near(linear, D)) {
        for (size_t v = 0; v < d; v++)
            work.m[v] = 1;
        for (size_t i = 0; i < ncells; i++)
            work.weight[i] = (double)linear->g;
        descend(linear, &work, iterations_of(D, excess), users, counts, x);
        ldp_simplex_project(x, d, work.u, work.p);
        linear->spread(linear->context, work.p, work.cells);
        excess = 1;
    }
    const double all = weigh(linear, &work, users);
    descend(linear, &work, iterations_of(D, excess / LEFT), users, counts, x);
    fill_law(linear, &work, ldp_sum(users, linear->groups), all, law);
}
