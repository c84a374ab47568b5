/* banded.c - factors of banded symmetric matrices, column by column: the terms of an element are subtracted in one
 * order, whatever the vectors of the processor. */
#include "banded.h"

#include "numeric.h"
#include "simd.h"

size_t ldp_banded_bytes(size_t order, size_t width)
{
    return order * (width + 1) * sizeof(double);
}

/* Subtracts the outer product of a column, divided by its pivot, from the `below` columns that follow it. */
static inline __attribute__((always_inline)) void eliminate(double *restrict column, double *restrict next,
                                                            size_t stride, size_t below)
{
    const double scale = 1 / column[0];
    for (size_t i = 1; i <= below; i++, next += stride) {
        const double factor = column[i] * scale;
        for (size_t k = i; k <= below; k++)
            next[k - i] -= factor * column[k];
    }
    for (size_t i = 1; i <= below; i++)
        column[i] *= scale;
}

#define LEVEL(name)                                                                                                    \
    LDP_TARGET_##name static void eliminate_##name(double *column, double *next, size_t stride, size_t below)          \
    {                                                                                                                  \
        eliminate(column, next, stride, below);                                                                        \
    }
LDP_LEVELS(LEVEL)

bool ldp_banded_factor(const struct ldp_banded *matrix, double *log_det)
{
    const size_t stride = matrix->width + 1;
    void (*const best)(double *, double *, size_t, size_t) = LDP_BEST(eliminate);
    *log_det = 0;
    for (size_t k = 0; k < matrix->order; k++) {
        double *const column = matrix->column + k * stride;
        const size_t left = matrix->order - 1 - k;
        if (!(column[0] > 0 && column[0] < INFINITY))
            return false;
        *log_det += ldp_log(column[0]);
        best(column, column + stride, stride, left < matrix->width ? left : matrix->width);
    }
    return true;
}

void ldp_banded_solve(const struct ldp_banded *factors, double *x)
{
    const size_t order = factors->order, width = factors->width, stride = width + 1;
    for (size_t k = 0; k < order; k++)
        for (size_t i = 1; i <= width && k + i < order; i++)
            x[k + i] -= factors->column[k * stride + i] * x[k];
    for (size_t k = order; k-- > 0;) {
        x[k] /= factors->column[k * stride];
        for (size_t i = 1; i <= width && k + i < order; i++)
            x[k] -= factors->column[k * stride + i] * x[k + i];
    }
}
