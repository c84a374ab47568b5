/* linear_amp.h - message passing over a linear model (linear_amp.c). Internal to the core. */
#ifndef LDPBENCH_SKETCHES_LINEAR_AMP_H
#define LDPBENCH_SKETCHES_LINEAR_AMP_H

#include "oracles/linear.h"
#include "sketches/amp.h"

/* As ldp_linear_fit, from 1/d on; nothing is asked of linear->degrees. found->variance is that of n times x, `least`
 * the least it can be. */
size_t ldp_linear_amp_bytes(const struct ldp_linear *linear);
void ldp_linear_amp(const struct ldp_linear *linear, const double *users, double *counts, double least, void *scratch,
                    double *x, struct ldp_amp *found);

#endif
