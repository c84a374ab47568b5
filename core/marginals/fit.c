/* fit.c - see fit.h: the maximum of a penalised entropy,
 *
 *     - sum_v t_v log t_v  -  sum_s w_s/2 sum_u (t_s(u) - m_s(u))^2,
 *
 * t_s the marginal of t on the attributes of part s, m_s its target and w_s one over the variance of the target's
 * cells. It is strictly concave and always has one maximum, for any targets, also with negative cells or pairs without
 * a joint law. Iterative proportional fitting is the limit of w -> infinity, where there may be no maximum, and it then
 * cycles.
 *
 * At the maximum log t = const + sum_s lambda_s, lambda_s(u) = w_s (m_s(u) - t_s(u)). The dual problem in lambda is
 * concave and smooth, and is solved part by part: with the others fixed, each cell of a part has its own equation,
 *
 *     g(x) = log x - log y + w (x - m) = 0,   x the new t_s(u), y = t_s(u) / e^lambda(u),
 *
 * concave in x and convex in log x. If x is too large, a Newton step in log x goes towards the root and not past it; if
 * x is too small, a Newton step in x does so. That step is x (1 + s), and its logarithm is at least 2 s / (2 + s). So
 * every step raises the dual. Cost of a sweep: cells times parts. */
#include "marginals/fit.h"

#include "numerics/numeric.h"
#include "sampling/hadamard.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define CHANGE 1e-5    /* of a sweep, at the end */
#define STEP_MOST 50.0 /* of log t */

struct fit_part ldp_fit_part(size_t cells, double weight, const uint32_t *index, double *room)
{
    return (struct fit_part){.cells = cells,
                             .weight = weight,
                             .index = index,
                             .target = room,
                             .lambda = room + cells,
                             .sum = room + 2 * cells};
}

/* One step of each cell: replaces sum, the present values, by the factors by which they change. */
static double step_cells(struct fit_part *part)
{
    const double weight = part->weight;
    double *const sum = part->sum, *const lambda = part->lambda;
    double change = 0;

    for (size_t u = 0; u < part->cells; u++) {
        const double p = sum[u], newton = -(lambda[u] + weight * (p - part->target[u])) / (1 + weight * p);
        const double up = 2 * newton / (2 + newton), down = newton > -STEP_MOST ? newton : -STEP_MOST;
        const double by = newton > 0 ? up : down, factor = ldp_exp(by);

        lambda[u] += by;
        sum[u] = factor;
        change += fabs(p * (factor - 1));
    }
    return change;
}

static void sum_cells(size_t cells, struct fit_part *part, const double *t)
{
    double *const sum = part->sum;
    const uint32_t *const index = part->index;

    memset(sum, 0, part->cells * sizeof *sum);
    for (size_t v = 0; v < cells; v++)
        sum[index[v]] += t[v];
}

/* Multiplies t by the factors of a part, and sums the marginal of the next one, in the same pass if that is another. */
static void apply_factors(size_t cells, const struct fit_part *part, struct fit_part *next, double *restrict t)
{
    const double *const factor = part->sum;
    const uint32_t *const index = part->index, *const to = next->index;
    double *const restrict sum = next->sum;

    if (next == part) {
        for (size_t v = 0; v < cells; v++)
            t[v] *= factor[index[v]];
        sum_cells(cells, next, t);
        return;
    }
    memset(sum, 0, next->cells * sizeof *sum);
    for (size_t v = 0; v < cells; v++)
        sum[to[v]] += t[v] *= factor[index[v]];
}

struct fit_result ldp_fit_maximum_entropy(size_t cells, struct fit_part *part, size_t nparts, size_t most, double *t)
{
    struct fit_result result = {0};

    for (size_t v = 0; v < cells; v++)
        t[v] = 1 / (double)cells;
    for (size_t s = 0; s < nparts; s++)
        memset(part[s].lambda, 0, part[s].cells * sizeof *part[s].lambda);
    if (nparts > 0)
        sum_cells(cells, &part[0], t);
    do {
        result.change = 0;
        for (size_t s = 0; s < nparts; s++) {
            const double change = step_cells(&part[s]);

            apply_factors(cells, &part[s], &part[(s + 1) % nparts], t);
            result.change = change > result.change ? change : result.change;
        }
        result.sweeps++;
    } while (nparts > 0 && result.change > CHANGE && result.sweeps < most);
    const double total = ldp_sum(t, cells);
    for (size_t v = 0; v < cells; v++)
        t[v] /= total;
    return result;
}

void ldp_fit_index(const struct ldp_set *set, const struct ldp_set *part, const uint32_t *cardinality, uint32_t *index)
{
    uint32_t stride[LDP_SET_MAX] = {0}, step = 1;
    const size_t cells = (size_t)ldp_set_cells(set, cardinality);
    size_t filled = 1;

    for (size_t i = part->size; i-- > 0;) {
        size_t at = 0;

        while (set->attribute[at] != part->attribute[i])
            at++;
        assert(at < set->size);
        stride[at] = step;
        step *= cardinality[part->attribute[i]];
    }
    /* Fills the index axis by axis; each part is a shifted copy of the previous part. */
    index[0] = 0;
    for (size_t i = set->size; i-- > 0;) {
        const size_t c = cardinality[set->attribute[i]];

        for (size_t j = 1; j < c; j++)
            for (size_t s = 0; s < filled; s++)
                index[j * filled + s] = index[s] + (uint32_t)j * stride[i];
        filled *= c;
    }
    assert(filled == cells);
}

void ldp_fit_sum(const struct ldp_set *set, const uint32_t *cardinality, const double *table,
                 const struct ldp_set *part, uint32_t *index, double *out)
{
    const size_t cells = (size_t)ldp_set_cells(set, cardinality);

    ldp_fit_index(set, part, cardinality, index);
    for (size_t c = 0; c < cells; c++)
        out[index[c]] += table[c];
}

/* ---- Binary attributes ----
 *
 * The same penalised entropy in the coordinates of the signs. At its maximum log t = const + sum_i lambda_i chi_i,
 * chi_i the product of signs of mean i, and lambda is the minimum of
 *
 *     F(lambda) = log sum_v exp(sum_i lambda_i chi_i(v)) - sum_i lambda_i m_i + sum_i lambda_i^2 / (2 w_i),
 *
 * smooth and strictly convex. Newton's method: its matrix is the covariance of the products, plus 1/w; since the
 * product of two products of signs is that of their symmetric difference, one Walsh-Hadamard transform of t gives all
 * entries. With more than FIT_BINARY_MEANS of them the matrix is not formed: two transforms multiply by it, and the
 * step is that of conjugate gradients, exact to INEXACT. A step is halved until F decreases by a share of the decrease
 * that its slope predicts (Armijo). Cost of a step: 2^size size + nmeans^3 / 6, or ITERATIONS_MAX times 2^size size. */

enum { STEPS_MAX = 60, HALVINGS_MAX = 40, ITERATIONS_MAX = 100 };
#define DECREASE 1e-13 /* of F that a step promises, at the end */
#define SHARE 1e-4
#define INEXACT 1e-2 /* of the slope, in the inverse of the matrix's diagonal */

size_t ldp_fit_binary_room(size_t size, size_t n)
{
    const size_t few = n < FIT_BINARY_MEANS ? n : FIT_BINARY_MEANS;
    return 2 * ((size_t)1 << size) + 6 * n + few * few;
}

/* F at lambda, and the t of this lambda. */
static double value_at(size_t cells, const struct fit_mean *mean, size_t n, const double *lambda, double *t)
{
    double penalty = 0, total = 0, top = -INFINITY;

    memset(t, 0, cells * sizeof *t);
    for (size_t i = 0; i < n; i++) {
        t[mean[i].mask] = lambda[i];
        penalty += lambda[i] * (lambda[i] / (2 * mean[i].weight) - mean[i].target);
    }
    ldp_fwht_real(t, cells);
    for (size_t v = 0; v < cells; v++)
        top = t[v] > top ? t[v] : top;
    for (size_t v = 0; v < cells; v++)
        t[v] = ldp_exp(t[v] - top);
    for (size_t v = 0; v < cells; v++)
        total += t[v];
    for (size_t v = 0; v < cells; v++)
        t[v] /= total;
    return penalty + top + ldp_log(total);
}

/* The step that solves matrix step = -slope, by the Cholesky factor, which overwrites the lower half. */
static void solve(double *matrix, size_t n, const double *slope, double *step)
{
    for (size_t i = 0; i < n; i++) {
        double *const row = matrix + i * n;

        for (size_t j = 0; j <= i; j++) {
            const double *const other = matrix + j * n;
            double sum = row[j];

            for (size_t k = 0; k < j; k++)
                sum -= row[k] * other[k];
            row[j] = i == j ? sqrt(sum) : sum / other[j];
        }
    }
    for (size_t i = 0; i < n; i++) {
        double sum = -slope[i];

        for (size_t k = 0; k < i; k++)
            sum -= matrix[i * n + k] * step[k];
        step[i] = sum / matrix[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        double sum = step[i];

        for (size_t k = i + 1; k < n; k++)
            sum -= matrix[k * n + i] * step[k];
        step[i] = sum / matrix[i * n + i];
    }
}

/* The whole matrix; then the step. */
static void step_few(const struct fit_mean *mean, size_t n, const double *moment, double *matrix, const double *slope,
                     double *step)
{
    for (size_t i = 0; i < n; i++) {
        const double own = moment[mean[i].mask];
        for (size_t j = 0; j < i; j++)
            matrix[i * n + j] = moment[mean[i].mask ^ mean[j].mask] - own * moment[mean[j].mask];
        matrix[i * n + i] = 1 - own * own + 1 / mean[i].weight;
    }
    solve(matrix, n, slope, step);
}

/* out = matrix x, by the covariance with sum_i x_i chi_i; work[cells]. */
static void multiply(size_t cells, const struct fit_mean *mean, size_t n, const double *t, const double *x,
                     double *work, double *out)
{
    double at = 0;
    memset(work, 0, cells * sizeof *work);
    for (size_t i = 0; i < n; i++)
        work[mean[i].mask] = x[i];
    ldp_fwht_real(work, cells);
    for (size_t v = 0; v < cells; v++)
        at += t[v] * work[v];
    for (size_t v = 0; v < cells; v++)
        work[v] = t[v] * (work[v] - at);
    ldp_fwht_real(work, cells);
    for (size_t i = 0; i < n; i++)
        out[i] = work[mean[i].mask] + x[i] / mean[i].weight;
}

/* room: cells + 3 n. */
static void step_many(size_t cells, const struct fit_mean *mean, size_t n, const double *t, const double *moment,
                      double *room, const double *slope, double *step)
{
    double *const work = room, *const left = work + cells, *const along = left + n, *const product = along + n;
    double square = 0, first = 0;

    memset(step, 0, n * sizeof *step);
    for (size_t k = 0; k <= ITERATIONS_MAX; k++) {
        double now = 0, curvature = 0;
        for (size_t i = 0; i < n; i++) {
            const double own = moment[mean[i].mask], diagonal = 1 - own * own + 1 / mean[i].weight;
            left[i] = k == 0 ? -slope[i] : left[i];
            product[i] = left[i] / diagonal;
            now += left[i] * product[i];
        }
        first = k == 0 ? now : first;
        if (!(now > INEXACT * INEXACT * first) || k == ITERATIONS_MAX)
            return;
        for (size_t i = 0; i < n; i++)
            along[i] = product[i] + (k == 0 ? 0 : now / square * along[i]);
        square = now;
        multiply(cells, mean, n, t, along, work, product);
        for (size_t i = 0; i < n; i++)
            curvature += along[i] * product[i];
        for (size_t i = 0; i < n; i++) {
            step[i] += square / curvature * along[i];
            left[i] -= square / curvature * product[i];
        }
    }
}

size_t ldp_fit_binary(size_t size, const struct fit_mean *mean, size_t n, double *room, double *t)
{
    const size_t cells = (size_t)1 << size;
    double *const moment = room, *const lambda = moment + cells, *const slope = lambda + n, *const step = slope + n;
    size_t steps = 0;

    assert(size <= FIT_BINARY_SIZE);
    memset(lambda, 0, n * sizeof *lambda);
    double value = value_at(cells, mean, n, lambda, t);

    for (; steps < STEPS_MAX; steps++) {
        double promise = 0, length = 1;

        memcpy(moment, t, cells * sizeof *t);
        ldp_fwht_real(moment, cells);
        for (size_t i = 0; i < n; i++)
            slope[i] = moment[mean[i].mask] - mean[i].target + lambda[i] / mean[i].weight;
        if (n <= FIT_BINARY_MEANS)
            step_few(mean, n, moment, step + n, slope, step);
        else
            step_many(cells, mean, n, t, moment, step + n, slope, step);
        for (size_t i = 0; i < n; i++)
            promise -= slope[i] * step[i];
        if (!(promise > DECREASE))
            break;
        for (size_t halvings = 0; halvings < HALVINGS_MAX; halvings++, length /= 2) {
            for (size_t i = 0; i < n; i++)
                lambda[i] += length * step[i];
            const double next = value_at(cells, mean, n, lambda, t);

            if (next <= value - SHARE * length * promise) {
                value = next;
                break;
            }
            for (size_t i = 0; i < n; i++)
                lambda[i] -= length * step[i];
        }
        if (length < 0x1p-39)
            break;
    }
    value_at(cells, mean, n, lambda, t);
    return steps;
}
