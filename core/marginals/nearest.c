/* nearest.c - see fit.h.
 *
 *     min sum_s p_s |a_s - r_s|^2   such that  M_A = sum_{s in A} expand(a_s) >= 0  for every set A,
 *
 * solved in its dual by accelerated gradient steps (Nesterov), which start again where they turn away from the gradient
 * (O'Donoghue and Candes, Found. Comput. Math. 15, 2015). With y >= 0 the dual variables of the cells, a = r + W^-1 E'
 * y and E the map from interactions to cells, the objective is y (E a - E r) / 2 and the dual's value -y (E a + E r)
 * / 2. Mixed with as much of the uniform distribution as leaves no cell negative, a is a solution whose objective is
 * above the least by at most the difference of the two, the duality gap.
 *
 * Steps differ by table: with D_A for the cells of table A, they are short enough if the sum of D_A / (p cells of A)
 * over the tables that have a coefficient is at most 1. Marginals with all of their precise coefficients then move as
 * fast as those that have imprecise ones. Cost of a round: all cells times attributes. */
#include "marginals/fit.h"

#include "marginals/contrasts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDING 1e-12 /* of a cell, relative to the uniform cell */

enum ldp_status ldp_nearest_init(struct nearest *own, struct ldp_pool *pool, const uint32_t *cardinality,
                                 const struct ldp_set *sets, size_t nsets, const size_t *first)
{
    const size_t answers = first[nsets];

    *own = (struct nearest){.cardinality = cardinality, .sets = sets, .nsets = nsets, .first = first};
    own->closure = (struct closure){.pool = pool, .cardinality = cardinality};
    for (size_t i = 0; i < nsets; i++)
        if (ldp_closure_add(&own->closure, &sets[i]) != LDP_OK)
            return LDP_ENOMEM;
    double **const of_coefs[] = {&own->inverse, &own->start, &own->weight, &own->a};
    double **const of_cells[] = {&own->first_cells, &own->before, &own->dual, &own->last, &own->work};
    TAKE(pool, own->map, answers);
    TAKE(pool, own->step, nsets);
    for (size_t i = 0; i < sizeof of_coefs / sizeof *of_coefs; i++)
        TAKE(pool, *of_coefs[i], own->closure.ncoefs);
    for (size_t i = 0; i < sizeof of_cells / sizeof *of_cells; i++)
        TAKE(pool, *of_cells[i], answers);
    for (size_t i = 0; !pool->failed && i < nsets; i++)
        ldp_closure_map(&own->closure, &sets[i], own->map + first[i]);
    return ldp_pool_status(pool);
}

/* For a coefficient of a block, the squared norm of the expansion is (cells of the block) / cells in each table that
 * has the block, and the inverse weight is 1 / (p cells of the block). */
void ldp_nearest_weigh(struct nearest *own, bool same_step)
{
    double *const sum = own->a, least = INFINITY;

    memset(sum, 0, own->closure.ncoefs * sizeof *sum);
    for (size_t b = 0; b < own->closure.nblocks; b++) {
        const struct ldp_set set = ldp_set_of_mask(own->closure.mask[b]);
        const double cells = ldp_set_cells(&set, own->cardinality);

        for (size_t c = own->closure.offset[b]; c < own->closure.offset[b + 1]; c++)
            own->weight[c] = own->inverse[c] > 0 ? cells / own->inverse[c] : 0;
    }
    for (size_t i = 0; i < own->nsets; i++)
        for (size_t c = own->first[i]; c < own->first[i + 1]; c++)
            sum[own->map[c]] += 1 / (double)(own->first[i + 1] - own->first[i]);
    for (size_t i = 0; i < own->nsets; i++) {
        double most = 0;

        for (size_t c = own->first[i]; c < own->first[i + 1]; c++) {
            const double bound = sum[own->map[c]] * own->inverse[own->map[c]];

            most = bound > most ? bound : most;
        }
        own->step[i] = 1 / most;
        least = own->step[i] < least ? own->step[i] : least;
    }
    for (size_t i = 0; same_step && i < own->nsets; i++)
        own->step[i] = least;
}

void ldp_nearest_expand(const struct nearest *own, const double *a, double *out)
{
    for (size_t i = 0; i < own->nsets; i++) {
        for (size_t c = own->first[i]; c < own->first[i + 1]; c++)
            out[c] = a[own->map[c]];
        ldp_contrasts_inverse(&own->sets[i], own->cardinality, out + own->first[i]);
    }
}

/* a = start + 1 / (p cells of the block) (expand)^T dual. The transpose of the expansion is the forward transform,
 * divided by the number of cells that a coefficient is spread over, cells / cells of the block. */
static void gather(struct nearest *own)
{
    memcpy(own->a, own->start, own->closure.ncoefs * sizeof *own->a);
    for (size_t i = 0; i < own->nsets; i++) {
        const size_t first = own->first[i], cells = own->first[i + 1] - first;

        memcpy(own->work, own->dual + first, cells * sizeof *own->work);
        ldp_contrasts_forward(&own->sets[i], own->cardinality, own->work);
        for (size_t c = 0; c < cells; c++)
            own->work[c] /= (double)cells;
        for (size_t c = 0; c < cells; c++)
            own->a[own->map[first + c]] += own->work[c] * own->inverse[own->map[first + c]];
    }
}

/* With out = E a: the part of the uniform distribution that leaves no cell negative, and whether a with that part is
 * within `demanded` of the least objective. */
static bool is_near(const struct nearest *own, const double *out, double demanded, double *part,
                    struct nearest_result *result)
{
    double worst = 0, now = 0, start = 0, even = 0, square = 0;

    for (size_t i = 0; i < own->nsets; i++) {
        const double uniform = 1 / (double)(own->first[i + 1] - own->first[i]);
        double least = 0, sum = 0;

        for (size_t c = own->first[i]; c < own->first[i + 1]; c++) {
            least = out[c] < least ? out[c] : least;
            now += own->dual[c] * out[c];
            start += own->dual[c] * own->first_cells[c];
            sum += own->dual[c];
        }
        even += sum * uniform;
        worst = -least / uniform > worst ? -least / uniform : worst;
    }
    *part = worst / (1 + worst);
    result->objective = (now - start) / 2;
    result->gap = now > 0 ? now : 0;
    if (worst <= ROUNDING && now <= 0)
        return true;
    for (size_t c = 0; c < own->closure.ncoefs; c++)
        square += own->weight[c] * own->a[c] * own->a[c];
    result->objective = (now - start) / 2 + *part * (even - now) + *part * *part * square / 2;
    result->gap = result->objective + (now + start) / 2;
    return result->gap <= demanded * result->objective;
}

/* One accelerated step of the dual from `ahead`, linear in y and so in E a; true if it went against the gradient. */
static bool step(struct nearest *own, double momentum, const double *out)
{
    double along = 0;

    for (size_t i = 0; i < own->nsets; i++)
        for (size_t c = own->first[i]; c < own->first[i + 1]; c++) {
            const double ahead = own->dual[c] + momentum * (own->dual[c] - own->last[c]);
            const double slope = out[c] + momentum * (out[c] - own->before[c]);
            const double moved = ahead - own->step[i] * slope, next = moved > 0 ? moved : 0;

            along += slope * (next - own->dual[c]);
            own->last[c] = own->dual[c];
            own->before[c] = out[c];
            own->dual[c] = next;
        }
    return along > 0;
}

struct nearest_result ldp_nearest_run(struct nearest *own, double gap, size_t rounds, double *out)
{
    const size_t answers = own->first[own->nsets];
    struct nearest_result result = {.rounds = 0};
    double t = 1, part = 0;

    memcpy(own->a, own->start, own->closure.ncoefs * sizeof *own->a);
    ldp_nearest_expand(own, own->a, out);
    memset(own->dual, 0, answers * sizeof *own->dual);
    memset(own->last, 0, answers * sizeof *own->last);
    memcpy(own->first_cells, out, answers * sizeof *out);
    memcpy(own->before, out, answers * sizeof *out);
    for (; !(result.near = is_near(own, out, gap, &part, &result)) && result.rounds < rounds; result.rounds++) {
        const double next = (1 + sqrt(1 + 4 * t * t)) / 2;

        t = step(own, (t - 1) / next, out) ? 1 : next;
        gather(own);
        ldp_nearest_expand(own, own->a, out);
    }
    for (size_t i = 0; result.near && i < own->nsets; i++) {
        const double uniform = 1 / (double)(own->first[i + 1] - own->first[i]);

        for (size_t c = own->first[i]; c < own->first[i + 1]; c++) {
            const double mixed = out[c] + part * (uniform - out[c]);

            out[c] = mixed > 0 ? mixed : 0;
        }
    }
    return result;
}
