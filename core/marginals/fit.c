/* fit.c - see fit.h: the maximum of a penalised entropy,
 *
 *     - sum_v t_v log t_v  -  sum_s w_s/2 sum_u (t_s(u) - m_s(u))^2,
 *
 * t_s the marginal of t on the attributes of part s, m_s its target and w_s one over the variance of the target's cells.
 * It is strictly concave and always has one maximum, whatever the targets are: negative cells, and pairs without a joint
 * law. Iterative proportional fitting is the limit of w -> infinity, where there may be no maximum, and it then cycles.
 *
 * At the maximum log t = const + sum_s lambda_s, lambda_s(u) = w_s (m_s(u) - t_s(u)). The dual problem in lambda is concave
 * and smooth, and is solved part by part: with the others as they are, each cell of a part has an equation of its own,
 *
 *     g(x) = log x - log y + w (x - m) = 0,   x the new t_s(u), y = t_s(u) / e^lambda(u),
 *
 * concave in x and convex in log x. One or two Newton steps from where it stands, in the one or the other, go towards the
 * root and not past it, so every step raises the dual. Cost of a sweep: cells times parts. */
#include "marginals/fit.h"

#include "numeric.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { SWEEPS_MAX = 300, STEPS = 2 };
#define TOLERANCE 1e-7
#define LEAST 1e-290 /* below it a cell of a part is empty, and stays so */

/* The new value of a cell of a part: p is its present one. */
static double solve(double p, double lambda, double weight, double target)
{
    double x = p, g = lambda + weight * (p - target);

    for (int step = 0; step < STEPS; step++) {
        if (g > 0) { /* beyond the root: Newton in log x */
            const double by = g / (1 + weight * x);

            x *= ldp_exp(-(by < 600 ? by : 600));
        } else {
            x -= g / (1 / x + weight);
        }
        if (step + 1 < STEPS)
            g = lambda + ldp_log(x / p) + weight * (x - target);
    }
    return x;
}

static double sweep_part(size_t cells, struct fit_part *part, double *t)
{
    double *const sum = part->sum;
    double change = 0;

    memset(sum, 0, part->cells * sizeof *sum);
    for (size_t v = 0; v < cells; v++)
        sum[part->index[v]] += t[v];
    for (size_t u = 0; u < part->cells; u++) {
        const double p = sum[u];

        if (p < LEAST) {
            sum[u] = 1;
            continue;
        }
        const double x = solve(p, part->lambda[u], part->weight, part->target[u]);

        change += fabs(x - p);
        part->lambda[u] += ldp_log(x / p);
        sum[u] = x / p;
    }
    for (size_t v = 0; v < cells; v++)
        t[v] *= sum[part->index[v]];
    return change;
}

struct fit_result fit_maximum_entropy(size_t cells, struct fit_part *part, size_t nparts, double *t)
{
    struct fit_result result = {0};
    double total;

    for (size_t v = 0; v < cells; v++)
        t[v] = 1 / (double)cells;
    for (size_t s = 0; s < nparts; s++)
        memset(part[s].lambda, 0, part[s].cells * sizeof *part[s].lambda);
    do {
        result.change = 0;
        for (size_t s = 0; s < nparts; s++) {
            const double change = sweep_part(cells, &part[s], t);

            result.change = change > result.change ? change : result.change;
        }
        result.sweeps++;
    } while (nparts > 0 && result.change > TOLERANCE && result.sweeps < SWEEPS_MAX);
    total = ldp_sum(t, cells);
    for (size_t v = 0; v < cells; v++)
        t[v] /= total;
    return result;
}

void fit_index(const struct ldp_set *set, const struct ldp_set *part, const uint32_t *cardinality, uint32_t *index)
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
    /* The first cells of an axis at a time, each a shifted copy of what stands before it. */
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
