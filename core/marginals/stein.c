/* stein.c - see stein.h.
 *
 * z(f) is the projection onto the simplex of y = b + f (x - b), b a table without noise. It moves with x by f in the
 * cells that stay positive, k of them, whose total is fixed. So for normal noise of variance V in x,
 *
 *     |z(f) - x|^2 - L V + 2 V f (k - 1)
 *
 * has the expected value E |z(f) - mean of x|^2, whatever the mean is (Stein, Annals of Statistics 9, 1981). Of the
 * factors 0, 0.1, .., 1 the one of the smallest estimate is used: 0 where all is noise, 1 where few cells are large,
 * between them where many are alike. The estimate's own error falls as 1/sqrt(L): for tables of few cells others are
 * better. Cost: STEPS projections. */
#include "marginals/stein.h"

#include "simplex.h"

#include <math.h>

enum { STEPS = 10 };

double ldp_stein_factor(const double *x, const double *base, size_t cells, double variance, double doubt, double *room,
                        void *scratch)
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
            least = step == 0 ? risk - doubt * variance * sqrt(2 * (double)cells) : risk;
            found = factor;
        }
    }
    return found;
}
