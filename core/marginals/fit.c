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

#include "numeric.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { SWEEPS_MAX = 300 };
#define TOLERANCE 1e-5
#define STEP_MOST 50.0 /* of log t */

/* One step of each cell: replaces sum, the present values, by the factors by which they change. */
static double step(struct fit_part *part)
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

static double sweep_part(size_t cells, struct fit_part *part, double *t)
{
    double *const sum = part->sum;
    const uint32_t *const index = part->index;

    memset(sum, 0, part->cells * sizeof *sum);
    for (size_t v = 0; v < cells; v++)
        sum[index[v]] += t[v];
    const double change = step(part);

    for (size_t v = 0; v < cells; v++)
        t[v] *= sum[index[v]];
    return change;
}

struct fit_result ldp_fit_maximum_entropy(size_t cells, struct fit_part *part, size_t nparts, double *t)
{
    struct fit_result result = {0};

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
