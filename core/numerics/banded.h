/* banded.h - symmetric positive definite matrices with a band around the diagonal. Internal to the core. */
#ifndef LDPBENCH_BANDED_H
#define LDPBENCH_BANDED_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

/* column[k * (width + LDP_BANDED_LANES) + i] is the element (k + i, k), i = 0 .. width. What follows, and elements
 * below the last row, are 0. */
enum { LDP_BANDED_LANES = 4 };
struct ldp_banded {
    size_t order, width;
    double *column;
};

size_t ldp_banded_bytes(size_t order, size_t width);

/* The element (i, j) of the lower triangle, i >= j, i - j <= width. */
static inline double *ldp_banded_at(const struct ldp_banded *matrix, size_t i, size_t j)
{
    assert(i >= j && i - j <= matrix->width && i < matrix->order);
    return &matrix->column[j * (matrix->width + LDP_BANDED_LANES) + (i - j)];
}

/* Replaces the matrix by its factors L D L^T, and log_det by the logarithm of its determinant. False if a pivot is not
 * above 0. Cost: order width^2 / 2. */
bool ldp_banded_factor(const struct ldp_banded *matrix, double *log_det);

/* x[order] <- A^-1 x, from the factors. */
void ldp_banded_solve(const struct ldp_banded *factors, double *x);

#endif
