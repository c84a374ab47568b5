/* stein.c - see stein.h.
 *
 * z(f) is the projection onto the simplex of y = b + f (x - b), b a table without noise. It moves with x by f in the
 * cells that stay positive, k of them, whose total is fixed. So for normal noise of variance V in x,
 *
 *     |z(f) - x|^2 - L V + 2 V f (k - 1)
 *
 * has the expected value E |z(f) - mean of x|^2, whatever the mean is (Stein, Annals of Statistics 9, 1981). Of the
 * factors 0, 0.1, .., 1 the one of the smallest estimate is used: 0 where all is noise, 1 where few cells are large,
 * between them where many are alike; but 0 where no other is better by DOUBT standard deviations of |x - b|^2. The
 * estimate's own error falls as 1/sqrt(L): for tables of few cells others are better. Cost: STEPS projections. */
#include "marginals/stein.h"

#include "simplex.h"

#include <math.h>
#include <string.h>

enum { STEPS = 10 };
#define DOUBT 1.0 /* standard deviations of |x - b|^2 where x is noise alone */

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

double ldp_stein_single(const struct tables *tables, const double *coefs, size_t attribute, double *room, void *scratch)
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

/* The table of a pair from its coefficients; beyond: instead from those of its attributes alone, with these central
 * moments. */
static void fill_pair(const struct tables *tables, const double *coefs, const struct ldp_set *set, const double *beyond,
                      double *out)
{
    const struct closure *const closure = &tables->closure;
    const size_t rows = closure->cardinality[set->attribute[0]], columns = closure->cardinality[set->attribute[1]];
    const double *single[2];
    const uint64_t mask = ldp_set_mask(set);
    const double *const own = coefs + closure->offset[ldp_closure_find(closure, mask)];

    for (size_t i = 0; i < 2; i++)
        single[i] = coefs + closure->offset[ldp_closure_find(closure, UINT64_C(1) << set->attribute[i])];
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) {
            const double row = r > 0 ? single[0][r - 1] : 1, column = c > 0 ? single[1][c - 1] : 1;
            const size_t at = r > 0 && c > 0 ? (r - 1) * (columns - 1) + c - 1 : 0;
            out[r * columns + c] = r == 0 || c == 0 ? row * column : beyond ? row * column + beyond[at] : own[at];
        }
    ldp_contrasts_inverse(set, closure->cardinality, out);
}

double ldp_stein_pair(const struct tables *tables, const double *coefs, const double *target, const struct ldp_set *set,
                      double *room, void *scratch, double *moves)
{
    const size_t cells = (size_t)ldp_set_cells(set, tables->cardinality),
                 block = ldp_closure_find(&tables->closure, ldp_set_mask(set));
    double *const base = room + cells;

    fill_pair(tables, coefs, set, NULL, room);
    fill_pair(tables, coefs, set, target + tables->closure.offset[block], base);
    const double factor = ldp_stein_factor(room, base, cells, 1 / (tables->precision[block] * (double)cells),
                                           base + cells, scratch, moves);

    for (size_t c = tables->closure.offset[block]; c < tables->closure.offset[block + 1]; c++)
        *moves += target[c] * target[c];
    return factor;
}
