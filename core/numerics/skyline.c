/* skyline.c - see skyline.h. Factors by rows (Jennings, Computer Journal 9, 1966), sums in the order of columns. */
#include "numerics/skyline.h"

#include "numerics/numeric.h"

size_t ldp_skyline_begin(struct ldp_skyline *matrix)
{
    size_t used = 0;
    for (size_t i = 0; i < matrix->order; i++) {
        matrix->start[i] = used - matrix->first[i];
        used += i + 1 - matrix->first[i];
    }
    memset(matrix->value, 0, used * sizeof *matrix->value);
    return used;
}

/* sum_k a_k b_k, from <= k < to. */
static double product(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += a[k] * b[k];
    return sum;
}

bool ldp_skyline_factor(const struct ldp_skyline *matrix, double *log_det)
{
    *log_det = 0;
    for (size_t i = 0; i < matrix->order; i++) {
        const size_t from = matrix->first[i];
        for (size_t j = from; j < i; j++) { /* L D */
            const size_t first = matrix->first[j] > from ? matrix->first[j] : from;
            *ldp_skyline_at(matrix, i, j) -=
                product(ldp_skyline_at(matrix, i, first), ldp_skyline_at(matrix, j, first), j - first);
        }
        double pivot = *ldp_skyline_at(matrix, i, i);
        for (size_t j = from; j < i; j++) {
            double *const element = ldp_skyline_at(matrix, i, j);
            const double factor = *element / *ldp_skyline_at(matrix, j, j);
            pivot -= *element * factor;
            *element = factor;
        }
        if (!(pivot > 0))
            return false;
        *ldp_skyline_at(matrix, i, i) = pivot;
        *log_det += ldp_log(pivot);
    }
    return true;
}

void ldp_skyline_solve(const struct ldp_skyline *factors, double *x)
{
    const size_t n = factors->order;
    for (size_t i = 0; i < n; i++) {
        const size_t from = factors->first[i];
        x[i] -= product(ldp_skyline_at(factors, i, from), x + from, i - from);
    }
    for (size_t i = 0; i < n; i++)
        x[i] /= *ldp_skyline_at(factors, i, i);
    for (size_t i = n; i-- > 0;)
        for (size_t j = factors->first[i]; j < i; j++)
            x[j] -= *ldp_skyline_at(factors, i, j) * x[i];
}
