/* regression.h - least squares with penalties and w >= 0, on a matrix of zeros and a few ones in each column: by
 * coordinate descent. Internal to the core. */
#ifndef LDPBENCH_SKETCHES_REGRESSION_H
#define LDPBENCH_SKETCHES_REGRESSION_H

#include "numerics/arena.h"
#include "sketches/amp.h"

#include <stdint.h>

/* res is the residual of y after w, and y where w is 0; column v has ones in the rows ones[v][width], of which those
 * that are N are padding. */
struct ldp_regression {
    size_t d, width, N;
    double *res;    /* [N + 1]; the last is for padding, and 0 */
    uint32_t *ones; /* [d][width] */
    double intercept;
    double *then, *bound; /* [N + 1], [d]: an earlier residual, and the most that X_v.res was with it */
    uint32_t *active;     /* [d] */
};

struct ldp_regression ldp_regression_in(size_t d, size_t width, size_t N, struct ldp_arena *arena);

/* Minimises 1/(2N) |y - Xw - b|^2 + lasso |w|_1 + ridge/2 |w|^2 over w >= 0, from the w that is given with its
 * residual; b is 0 without an intercept. Values of w = -1 stay out. */
void ldp_regression_descend(struct ldp_regression *x, double lasso, double ridge, bool intercept, double *w);

/* Message passing over the bits of Bloom filters (bloom_amp.c). Y[N]: of each bit the users whose filter has it, as if
 * all n users were in each cohort; m[d] a start, least squares if `fitted`. z[d], true if it has converged at a
 * variance that is no less than most of `least`. The scratch begins with what was found, a struct ldp_amp. */
size_t ldp_bloom_amp_bytes(size_t d, size_t N);
bool ldp_bloom_amp(const struct ldp_regression *x, size_t cohorts, const double *Y, double n, double least, bool fitted,
                   void *scratch, double *m, double *z);

#endif
