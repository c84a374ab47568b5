/* banded.c - factors of banded symmetric matrices, column by column: the terms of an element are subtracted in one
 * order, whatever the vectors of the processor. */
#include "numerics/banded.h"

#include "numerics/numeric.h"
#include "simd/simd.h"

enum { LANES = LDP_BANDED_LANES, BLOCK = 64 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

size_t ldp_banded_bytes(size_t order, size_t width)
{
    return order * (width + LANES) * sizeof(double);
}

/* Subtracts the outer product of a column, divided by its pivot, from the `below` columns that follow it. The elements
 * after a column are 0, and stay so. */
LDP_INLINE void eliminate(double *restrict column, double *restrict next, size_t stride, size_t below)
{
    const double scale = 1 / column[0];
    for (size_t i = 1; i <= below; i++, next += stride) {
        const double factor = column[i] * scale;
        for (size_t k = i; k <= below; k += LANES) {
            lanes here, of_pivot;
            memcpy(&here, next + (k - i), sizeof here);
            memcpy(&of_pivot, column + k, sizeof of_pivot);
            here -= factor * of_pivot;
            memcpy(next + (k - i), &here, sizeof here);
        }
    }
    for (size_t i = 1; i <= below; i++)
        column[i] *= scale;
}

LDP_INLINE bool factor(const struct ldp_banded *matrix, double *log_det)
{
    const size_t order = matrix->order, width = matrix->width, stride = width + LANES;
    double pivot[BLOCK];
    *log_det = 0;
    for (size_t k = 0; k < order; k++) {
        double *const column = matrix->column + k * stride;
        const size_t left = order - 1 - k, used = k % BLOCK + 1;
        if (!(column[0] > 0 && column[0] < INFINITY))
            return false;
        pivot[used - 1] = column[0];
        if (used == BLOCK || left == 0) {
            for (size_t i = 0; i < used; i++)
                pivot[i] = ldp_log(pivot[i]);
            for (size_t i = 0; i < used; i++)
                *log_det += pivot[i];
        }
        eliminate(column, column + stride, stride, left < width ? left : width);
    }
    return true;
}

LDP_INLINE void solve(const struct ldp_banded *factors, double *restrict x)
{
    const size_t order = factors->order, width = factors->width, stride = width + LANES;
    for (size_t k = 0; k < order; k++) {
        const double *restrict const column = factors->column + k * stride;
        const size_t left = order - 1 - k, below = left < width ? left : width;
        for (size_t i = 1; i <= below; i++)
            x[k + i] -= column[i] * x[k];
    }
    for (size_t k = order; k-- > 0;) {
        const double *restrict const column = factors->column + k * stride;
        const size_t left = order - 1 - k, below = left < width ? left : width;
        double sum = x[k] / column[0];
        for (size_t i = 1; i <= below; i++)
            sum -= column[i] * x[k + i];
        x[k] = sum;
    }
}

LDP_VECTORS(bool, factor, (const struct ldp_banded *matrix, double *log_det), return factor(matrix, log_det))
LDP_DISPATCH(ldp_banded_solve, (const struct ldp_banded *factors, double *x), solve, (factors, x))

bool ldp_banded_factor(const struct ldp_banded *matrix, double *log_det)
{
    return LDP_BEST(factor)(matrix, log_det);
}
