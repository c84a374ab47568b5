/* bloom_amp.h - message passing over the bits of Bloom filters (bloom_amp.c). Internal to the core. */
#ifndef LDPBENCH_SKETCHES_BLOOM_AMP_H
#define LDPBENCH_SKETCHES_BLOOM_AMP_H

#include "sketches/amp.h"
#include "sketches/regression.h"

/* Y[N]: of each bit the users whose filter has it, as if all n users were in each cohort; m[d] a start, least squares
 * if `fitted`. z[d], true if it has converged at a variance that is no less than most of `least`. The scratch begins
 * with what was found, a struct ldp_amp. */
size_t ldp_bloom_amp_bytes(size_t d, size_t N);
bool ldp_bloom_amp(const struct ldp_regression *x, size_t cohorts, const double *Y, double n, double least, bool fitted,
                   void *scratch, double *m, double *z);

#endif
