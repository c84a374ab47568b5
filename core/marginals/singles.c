/* singles.c - see singles.h.
 *
 * Their own risk: z(f) is the projection onto the simplex of y = b + f (x - b), b a table without noise. It moves with
 * x by f in the cells that stay positive, k of them, whose total is fixed. So for normal noise of variance V in x,
 *
 *     |z(f) - x|^2 - L V + 2 V f (k - 1)
 *
 * has the expected value E |z(f) - mean of x|^2, whatever the mean is (Stein, Annals of Statistics 9, 1981). Of the
 * factors 0, 0.1, .., 1 the one of the smallest estimate is used: 0 where all is noise, 1 where few cells are large,
 * between them where many are alike; but 0 where no other is better by DOUBT standard deviations of |x - b|^2. The
 * estimate's own error falls as 1/sqrt(L): for tables of few cells others are better. Cost: STEPS projections. */
#include "marginals/singles.h"

#include "numerics/simplex.h"

#include <math.h>
#include <string.h>

enum { STEPS = 10, MANY_VALUES = 8 };
#define KNOWN 10.0 /* precision of an attribute, up to which its own unevenness says nothing */
#define DOUBT 1.0  /* standard deviations of |x - b|^2 where x is noise alone */

double ldp_stein_factor(const double *x, const double *base, size_t cells, double variance, double *room, void *scratch,
                        double *moves)
{
    double *const moved = room, *const valid = room + cells, least = INFINITY, found = 0;

    for (int step = 0; step <= STEPS; step++) {
        const double factor = (double)step / STEPS;
        double distance = 0;
        size_t positive = 0;
        for (size_t c = 0; c < cells; c++)
            moved[c] = base[c] + factor * (x[c] - base[c]);
        ldp_simplex_project(moved, cells, scratch, valid);
        for (size_t c = 0; c < cells; c++) {
            positive += valid[c] > 0;
            distance += (valid[c] - x[c]) * (valid[c] - x[c]);
        }
        const double risk = distance + 2 * variance * factor * (double)(positive - 1);
        if (risk < least) {
            least = step == 0 ? risk - DOUBT * variance * sqrt(2 * (double)cells) : risk;
            found = factor;
            *moves = 0;
            for (size_t c = 0; c < cells; c++)
                *moves += (valid[c] - base[c]) * (valid[c] - base[c]);
        }
    }
    return found;
}

/* The factor of an attribute to uniform. room[3 * cells]. */
static double stein_single(const struct tables *tables, const double *coefs, size_t attribute, double *room,
                           void *scratch)
{
    const size_t cells = tables->cardinality[attribute];
    const struct ldp_set set = ldp_set_of_mask(UINT64_C(1) << attribute);
    const size_t block = ldp_closure_find(&tables->closure, ldp_set_mask(&set));
    double *const base = room + cells;

    room[0] = 1;
    memcpy(room + 1, coefs + tables->closure.offset[block], (cells - 1) * sizeof *coefs);
    ldp_contrasts_inverse(&set, tables->cardinality, room);
    for (size_t c = 0; c < cells; c++)
        base[c] = 1 / (double)cells;
    double moves;
    return ldp_stein_factor(room, base, cells, 1 / (tables->precision[block] * (double)cells), base + cells, scratch,
                            &moves);
}

/* The variance of each attribute over that of even values: its own where it is known to 1 / KNOWN, of all attributes
 * where it is not. */
void ldp_singles_variances(const struct tables *tables, const double *coefs, double varies[LDP_ATTRIBUTES_MAX])
{
    const size_t d = tables->workload->records->d;
    struct uneven uneven;
    double mean = 0;

    ldp_energies_find_uneven(tables, coefs, &uneven);
    for (size_t a = 0; a < d; a++)
        mean += uneven.sampling[a] / (double)d;
    for (size_t a = 0; a < d; a++) {
        const size_t block = ldp_closure_find(&tables->closure, UINT64_C(1) << a);
        const double precision = block == CLOSURE_NONE ? 0 : tables->precision[block],
                     own = precision > KNOWN ? 1 - KNOWN / precision : 0;
        varies[a] = mean + own * (uneven.sampling[a] - mean);
    }
}

double ldp_singles_shrink(struct energies *energies, struct shrinking *shrinking, const struct tables *tables,
                          double *coefs, double *room, void *scratch)
{
    const struct closure *const closure = &tables->closure;
    const size_t d = tables->workload->records->d;
    double varies[LDP_ATTRIBUTES_MAX], left = 1;

    ldp_singles_variances(tables, coefs, varies);
    ldp_energies_learn_singles(energies, shrinking, tables, coefs);
    for (size_t a = 0; a < d; a++) {
        const uint64_t mask = UINT64_C(1) << a;
        const size_t block = ldp_closure_find(closure, mask), cells = closure->cardinality[a];
        if (block == CLOSURE_NONE || ldp_valid_is_rare(mask, varies))
            continue;
        double *const own = coefs + closure->offset[block], factor = shrinking->factor[block];
        if (cells >= MANY_VALUES)
            factor = stein_single(tables, coefs, a, room, scratch);
        for (size_t c = 0; c < cells - 1; c++)
            own[c] *= factor;
        left -= (1 - factor * factor) / (double)d;
    }
    return left;
}
