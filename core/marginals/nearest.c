/* nearest.c - see nearest.h.
 *
 *     min sum_s p_s |a_s - r_s|^2   such that  M_A = sum_{s in A} expand(a_s) >= 0  for every set A,
 *
 * solved in its dual by accelerated gradient steps (Nesterov), which start again where they turn away from the gradient
 * (O'Donoghue and Candes, Found. Comput. Math. 15, 2015). With y >= 0 the dual variables of the cells, a = r + W^-1 E'
 * y and E the map from interactions to cells, the objective is y (E a - E r) / 2 and the dual's value -y (E a + E r)
 * / 2. Mixed with as much of the uniform distribution as leaves no cell negative, a is a solution whose objective is
 * above the least by at most the difference of the two, the duality gap.
 *
 * Gradient steps settle which cells are 0, but slowly where some hardly matter. Where more is demanded, the augmented
 * Lagrangian follows: with u = max(y - sigma E a, 0), the a that minimises |a - r|^2_W / 2 + |u|^2 / (2 sigma), then y
 * = u. The minimum is found by semismooth Newton steps, (I + sigma W^-1 E_A' E_A) d = r + W^-1 E' u - a, A the cells
 * where u > 0, by conjugate gradients in the inner product of W (Li, Sun and Toh, SIAM J. Optim. 28, 2018). */
#include "marginals/nearest.h"

#include "marginals/contrasts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OUTER_MAX = 40, INNER_MAX = 40, CONJUGATE_MAX = 300, HALVINGS_MAX = 30 };
#define ROUNDING 1e-12  /* of a cell, relative to the uniform cell */
#define STIFFNESS 100.0 /* sigma times the largest curvature of the dual, at the start */
#define STIFFER 4.0
#define STIFFEST 1e7

enum ldp_status ldp_nearest_init(struct nearest *own, const uint32_t *cardinality, const struct ldp_set *sets,
                                 size_t nsets, const size_t *first)
{
    const size_t answers = first[nsets];

    *own = (struct nearest){.cardinality = cardinality, .sets = sets, .nsets = nsets, .first = first};
    own->closure.cardinality = cardinality;
    for (size_t i = 0; i < nsets; i++)
        if (ldp_closure_add(&own->closure, &sets[i]) != LDP_OK)
            return LDP_ENOMEM;
    double **const of_coefs[] = {&own->inverse,   &own->start,    &own->weight, &own->a,
                                 &own->direction, &own->residual, &own->moved,  &own->image};
    double **const of_cells[] = {&own->first_cells, &own->before, &own->dual, &own->last, &own->work, &own->along};
    bool made = (own->map = malloc(answers * sizeof *own->map)) != NULL;
    for (size_t i = 0; i < sizeof of_coefs / sizeof *of_coefs; i++)
        made = (*of_coefs[i] = malloc(own->closure.ncoefs * sizeof **of_coefs)) && made;
    for (size_t i = 0; i < sizeof of_cells / sizeof *of_cells; i++)
        made = (*of_cells[i] = malloc(answers * sizeof **of_cells)) && made;
    for (size_t i = 0; made && i < nsets; i++)
        ldp_closure_map(&own->closure, &sets[i], own->map + first[i]);
    return made ? LDP_OK : LDP_ENOMEM;
}

void ldp_nearest_clear(struct nearest *own)
{
    double *const rooms[] = {own->inverse,  own->start, own->weight, own->a,           own->direction,
                             own->residual, own->moved, own->image,  own->first_cells, own->before,
                             own->dual,     own->last,  own->work,   own->along};

    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++)
        free(rooms[i]);
    free(own->map);
    ldp_closure_clear(&own->closure);
    *own = (struct nearest){.map = NULL};
}

/* The largest curvature of the dual: for a coefficient of a block, the squared norm of the expansion is (cells of the
 * block) / cells in each marginal that has the block, and the inverse weight is 1 / (p cells of the block). */
static double curvature(const struct nearest *own)
{
    double *const sum = own->a, most = 0;

    memset(sum, 0, own->closure.ncoefs * sizeof *sum);
    for (size_t i = 0; i < own->nsets; i++) {
        const size_t first = own->first[i], cells = own->first[i + 1] - first;

        for (size_t c = 0; c < cells; c++)
            sum[own->map[first + c]] += 1 / (double)cells;
    }
    for (size_t c = 0; c < own->closure.ncoefs; c++) {
        const double bound = sum[c] * own->inverse[c];

        most = bound > most ? bound : most;
    }
    return most;
}

void ldp_nearest_weigh(struct nearest *own)
{
    for (size_t b = 0; b < own->closure.nblocks; b++) {
        const struct ldp_set set = ldp_set_of_mask(own->closure.mask[b]);
        const double cells = ldp_set_cells(&set, own->cardinality);

        for (size_t c = own->closure.offset[b]; c < own->closure.offset[b + 1]; c++)
            own->weight[c] = own->inverse[c] > 0 ? cells / own->inverse[c] : 0;
    }
    own->step = 1 / curvature(own);
}

void ldp_nearest_expand(const struct nearest *own, const double *a, double *out)
{
    for (size_t i = 0; i < own->nsets; i++) {
        for (size_t c = own->first[i]; c < own->first[i + 1]; c++)
            out[c] = a[own->map[c]];
        ldp_contrasts_inverse(&own->sets[i], own->cardinality, out + own->first[i]);
    }
}

/* a = base + 1 / (p cells of the block) (expand)^T dual; base NULL: 0. The transpose of the expansion is the forward
 * transform, divided by the number of cells that a coefficient is spread over, cells / cells of the block. */
static void gather(const struct nearest *own, const double *base, const double *dual, double *a)
{
    if (base)
        memcpy(a, base, own->closure.ncoefs * sizeof *a);
    else
        memset(a, 0, own->closure.ncoefs * sizeof *a);
    for (size_t i = 0; i < own->nsets; i++) {
        const size_t first = own->first[i], cells = own->first[i + 1] - first;

        memcpy(own->work, dual + first, cells * sizeof *own->work);
        ldp_contrasts_forward(&own->sets[i], own->cardinality, own->work);
        for (size_t c = 0; c < cells; c++)
            own->work[c] /= (double)cells;
        for (size_t c = 0; c < cells; c++)
            a[own->map[first + c]] += own->work[c] * own->inverse[own->map[first + c]];
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
static bool step(struct nearest *own, double momentum, const double *out, size_t answers)
{
    double along = 0;

    for (size_t c = 0; c < answers; c++) {
        const double ahead = own->dual[c] + momentum * (own->dual[c] - own->last[c]);
        const double slope = out[c] + momentum * (out[c] - own->before[c]);
        const double moved = ahead - own->step * slope, next = moved > 0 ? moved : 0;

        along += slope * (next - own->dual[c]);
        own->last[c] = own->dual[c];
        own->before[c] = out[c];
        own->dual[c] = next;
    }
    return along > 0;
}

/* ---- Newton's method ---- */

static double dot(const struct nearest *own, const double *x, const double *y)
{
    double sum = 0;

    for (size_t c = 0; c < own->closure.ncoefs; c++)
        sum += own->weight[c] * x[c] * y[c];
    return sum;
}

/* The augmented Lagrangian at a; u = max(y - sigma E a, 0), in own->last. */
static double lagrangian(struct nearest *own, double sigma, const double *a, double *out)
{
    double square = 0, sum = 0;

    ldp_nearest_expand(own, a, out);
    for (size_t c = 0; c < own->first[own->nsets]; c++) {
        const double u = own->dual[c] - sigma * out[c];

        own->last[c] = u > 0 ? u : 0;
        sum += own->last[c] * own->last[c];
    }
    for (size_t c = 0; c < own->closure.ncoefs; c++)
        square += own->weight[c] * (a[c] - own->start[c]) * (a[c] - own->start[c]);
    return square / 2 + sum / (2 * sigma);
}

/* image = (I + sigma W^-1 E_A' E_A) x */
static void apply(struct nearest *own, double sigma, const double *x)
{
    ldp_nearest_expand(own, x, own->along);
    for (size_t c = 0; c < own->first[own->nsets]; c++)
        own->along[c] = own->last[c] > 0 ? sigma * own->along[c] : 0;
    gather(own, x, own->along, own->image);
}

/* The Newton step for the gradient in own->residual, to a part of its norm: moved. */
static void solve(struct nearest *own, double sigma, double square, double accuracy)
{
    const double enough = accuracy * accuracy * square;

    memset(own->moved, 0, own->closure.ncoefs * sizeof *own->moved);
    memcpy(own->direction, own->residual, own->closure.ncoefs * sizeof *own->direction);
    for (size_t round = 0; round < CONJUGATE_MAX && square > enough; round++) {
        apply(own, sigma, own->direction);
        const double length = square / dot(own, own->direction, own->image);

        for (size_t c = 0; c < own->closure.ncoefs; c++) {
            own->moved[c] += length * own->direction[c];
            own->residual[c] -= length * own->image[c];
        }
        const double next = dot(own, own->residual, own->residual), more = next / square;

        for (size_t c = 0; c < own->closure.ncoefs; c++)
            own->direction[c] = own->residual[c] + more * own->direction[c];
        square = next;
    }
}

/* Minimises the augmented Lagrangian over a until its gradient is small; returns the steps. */
static size_t minimise(struct nearest *own, double sigma, double tolerance, double *out)
{
    double value = lagrangian(own, sigma, own->a, out);
    size_t steps = 0;

    for (; steps < INNER_MAX; steps++) {
        double length = 1;

        gather(own, own->start, own->last, own->residual);
        for (size_t c = 0; c < own->closure.ncoefs; c++)
            own->residual[c] -= own->a[c];
        const double square = dot(own, own->residual, own->residual);
        if (square <= tolerance)
            break;
        solve(own, sigma, square, fmin(0.1, sqrt(sqrt(tolerance / square)) / 10));
        for (size_t halvings = 0;; halvings++, length /= 2) {
            for (size_t c = 0; c < own->closure.ncoefs; c++)
                own->direction[c] = own->a[c] + length * own->moved[c];
            const double next = lagrangian(own, sigma, own->direction, out);

            if (next <= value || halvings == HALVINGS_MAX) {
                value = next;
                break;
            }
        }
        memcpy(own->a, own->direction, own->closure.ncoefs * sizeof *own->a);
    }
    return steps;
}

static bool polish(struct nearest *own, double gap, double *part, struct nearest_result *result, double *out)
{
    const size_t answers = own->first[own->nsets];
    double stiffness = STIFFNESS;

    for (size_t outer = 0; outer < OUTER_MAX; outer++) {
        result->steps += minimise(own, stiffness * own->step, 1e-6 * gap * result->objective, out);
        memcpy(own->dual, own->last, answers * sizeof *own->dual);
        gather(own, own->start, own->dual, own->a);
        ldp_nearest_expand(own, own->a, out);
        if (is_near(own, out, gap, part, result))
            return true;
        stiffness = fmin(STIFFER * stiffness, STIFFEST);
    }
    return false;
}

struct nearest_result ldp_nearest_run(struct nearest *own, double gap, size_t rounds, bool exact, double *out)
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

        t = step(own, (t - 1) / next, out, answers) ? 1 : next;
        gather(own, own->start, own->dual, own->a);
        ldp_nearest_expand(own, own->a, out);
    }
    if (!result.near && exact)
        result.near = polish(own, gap, &part, &result, out);
    for (size_t i = 0; i < own->nsets; i++) {
        const double uniform = 1 / (double)(own->first[i + 1] - own->first[i]);
        double sum = 0;

        for (size_t c = own->first[i]; c < own->first[i + 1]; c++) {
            const double mixed = result.near ? out[c] + part * (uniform - out[c]) : out[c];

            out[c] = mixed > 0 ? mixed : 0;
            sum += out[c];
        }
        for (size_t c = own->first[i]; !result.near && c < own->first[i + 1]; c++)
            out[c] /= sum;
    }
    return result;
}
