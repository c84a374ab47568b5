/* fit_binary.c - see fit.h. The same penalised entropy as in fit.c, in the coordinates of the signs. At its
 * maximum log t = const + sum_i lambda_i chi_i, chi_i the product of signs of mean i, and lambda is the minimum of
 *
 *     F(lambda) = log sum_v exp(sum_i lambda_i chi_i(v)) - sum_i lambda_i m_i + sum_i lambda_i^2 / (2 w_i),
 *
 * smooth and strictly convex. Newton's method: its matrix is the covariance of the products, plus 1/w; since the
 * product of two products of signs is that of their symmetric difference, one Walsh-Hadamard transform of t gives all
 * entries. A step is halved until F decreases by a share of the decrease that its slope predicts (Armijo). Cost of a
 * step: 2^size size + nmeans^3 / 6. */
#include "marginals/fit.h"

#include "numeric.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { STEPS_MAX = 60, HALVINGS_MAX = 40 };
#define TOLERANCE 1e-13 /* predicted decrease of F in a step */
#define SHARE 1e-4

static void walsh(double *x, size_t cells)
{
    for (size_t step = 1; step < cells; step *= 2)
        for (size_t at = 0; at < cells; at += 2 * step)
            for (size_t s = at; s < at + step; s++) {
                const double a = x[s], b = x[s + step];

                x[s] = a + b;
                x[s + step] = a - b;
            }
}

size_t ldp_fit_binary_room(size_t size, size_t nmeans)
{
    return ((size_t)1 << size) + nmeans * nmeans + 3 * nmeans;
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
    walsh(t, cells);
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

size_t ldp_fit_binary(size_t size, const struct fit_mean *mean, size_t n, double *room, double *t)
{
    const size_t cells = (size_t)1 << size;
    double *const moment = room, *const matrix = moment + cells, *const lambda = matrix + n * n,
                  *const slope = lambda + n, *const step = slope + n;
    size_t steps = 0;

    assert(size <= FIT_BINARY_SIZE && n <= FIT_BINARY_MEANS);
    memset(lambda, 0, n * sizeof *lambda);
    double value = value_at(cells, mean, n, lambda, t);

    for (; steps < STEPS_MAX; steps++) {
        double promise = 0, length = 1;

        memcpy(moment, t, cells * sizeof *t);
        walsh(moment, cells);
        for (size_t i = 0; i < n; i++) {
            const double own = moment[mean[i].mask];

            slope[i] = own - mean[i].target + lambda[i] / mean[i].weight;
            for (size_t j = 0; j < i; j++)
                matrix[i * n + j] = moment[mean[i].mask ^ mean[j].mask] - own * moment[mean[j].mask];
            matrix[i * n + i] = 1 - own * own + 1 / mean[i].weight;
        }
        solve(matrix, n, slope, step);
        for (size_t i = 0; i < n; i++)
            promise -= slope[i] * step[i];
        if (!(promise > TOLERANCE))
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
