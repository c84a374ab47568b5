/* skyline.h - symmetric positive definite matrices whose rows begin at their first element that is not 0. Internal to
 * the core. */
#ifndef LDPBENCH_SKYLINE_H
#define LDPBENCH_SKYLINE_H

#include <stdbool.h>
#include <stddef.h>

/* Row i has the elements of the columns first[i] .. i; element (i, j) is value[start[i] + j]. */
struct ldp_skyline {
    size_t order;
    size_t *first, *start; /* start may be below 0, modulo 2^64 */
    double *value;
};

/* Sets start from first, and all elements to 0. Returns their number. */
size_t ldp_skyline_begin(struct ldp_skyline *matrix);

static inline double *ldp_skyline_at(const struct ldp_skyline *matrix, size_t i, size_t j)
{
    return &matrix->value[matrix->start[i] + j];
}

/* Replaces the matrix by its factors L D L^T, which have no elements outside of it, and log_det by the logarithm of its
 * determinant. False if a pivot is not above 0. Cost: for each element of a row the elements of that column's row. */
bool ldp_skyline_factor(const struct ldp_skyline *matrix, double *log_det);

/* x[order] <- A^-1 x, from the factors. */
void ldp_skyline_solve(const struct ldp_skyline *factors, double *x);

#endif
