/* contrasts.c - see contrasts.h.
 *
 * Helmert's contrast j = 1 .. c-1: (x_0 + .. + x_{j-1} - j x_j) / sqrt(j (j+1)). The running sum is kept in x_0 and
 * ends as the sum of all; the inverse goes back from the mean. Cost of an axis: O(c). */
#include "marginals/contrasts.h"

#include <math.h>

/* An axis of c values at distance `step`, in a range of c * step numbers. */
static void axis_forward(double *x, size_t c, size_t step)
{
    for (size_t j = 1; j < c; j++) {
        const double scale = 1 / sqrt((double)j * (double)(j + 1)), times = (double)j;
        double *const at = x + j * step;

        for (size_t s = 0; s < step; s++) {
            const double value = at[s];

            at[s] = (x[s] - times * value) * scale;
            x[s] += value;
        }
    }
}

static void axis_inverse(double *x, size_t c, size_t step)
{
    for (size_t s = 0; s < step; s++)
        x[s] /= (double)c;
    for (size_t j = c - 1; j > 0; j--) {
        const double scale = 1 / sqrt((double)j * (double)(j + 1)), times = (double)j;
        double *const at = x + j * step;

        for (size_t s = 0; s < step; s++) {
            const double part = at[s] * scale;

            at[s] = x[s] - times * part;
            x[s] += part;
        }
    }
}

/* All axes of two values: the same numbers without a square root and a division for each range. */
static void pairs_forward(double *x, size_t cells, size_t step)
{
    const double scale = 1 / sqrt(2.0);

    for (size_t at = 0; at < cells; at += 2 * step)
        for (size_t s = at; s < at + step; s++) {
            const double a = x[s], b = x[s + step];

            x[s] = a + b;
            x[s + step] = (a - b) * scale;
        }
}

static void pairs_inverse(double *x, size_t cells, size_t step)
{
    const double scale = 1 / sqrt(2.0);

    for (size_t at = 0; at < cells; at += 2 * step)
        for (size_t s = at; s < at + step; s++) {
            const double half = x[s] / 2, part = x[s + step] * scale;

            x[s] = half + part;
            x[s + step] = half - part;
        }
}

static void transform(const struct ldp_set *set, const uint32_t *cardinality, double *x, bool forward)
{
    const size_t cells = (size_t)ldp_set_cells(set, cardinality);
    size_t step = 1;

    for (size_t i = set->size; i-- > 0;) {
        const size_t c = cardinality[set->attribute[i]];

        if (c == 2) {
            (forward ? pairs_forward : pairs_inverse)(x, cells, step);
        } else {
            for (size_t at = 0; at < cells; at += c * step)
                (forward ? axis_forward : axis_inverse)(x + at, c, step);
        }
        step *= c;
    }
}

void ldp_contrasts_forward(const struct ldp_set *set, const uint32_t *cardinality, double *x)
{
    transform(set, cardinality, x, true);
}

void ldp_contrasts_inverse(const struct ldp_set *set, const uint32_t *cardinality, double *x)
{
    transform(set, cardinality, x, false);
}
