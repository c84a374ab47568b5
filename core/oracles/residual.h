/* residual.h - Hadamard responses whose rows are known, decoded without what frequent values add (rhr, hm with t = 1).
 * Internal to the core. */
#ifndef LDPBENCH_RESIDUAL_H
#define LDPBENCH_RESIDUAL_H

#include "ldpbench.h"

/* A frequency that is surely above the noise, in standard deviations. */
#define LDP_RESIDUAL_SURE 3.5

/* K places in blocks of m, n users, whose block and sign are kept with probability `kept`. */
struct ldp_residual {
    size_t K, m;
    double n, kept;
};

/* From N[sign][place], which is overwritten, the estimate est[K] of each place; and for each block, at its first place,
 * the reports[K] of which it would have the variance of its estimates if no frequency were known. */
size_t ldp_residual_bytes(const struct ldp_residual *residual);
void ldp_residual_decode(const struct ldp_residual *residual, int64_t *N, void *scratch, double *est, double *reports);

#endif
