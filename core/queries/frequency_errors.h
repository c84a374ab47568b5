/* frequency_errors.h - the measures of a list of frequencies that metrics of values, of sets and of marginals share.
 * Internal to the project, not installed. */
#ifndef LDPBENCH_QUERIES_FREQUENCY_ERRORS_H
#define LDPBENCH_QUERIES_FREQUENCY_ERRORS_H

#include "ldp.h"

enum { LDP_ERROR_MSE, LDP_ERROR_MAE, LDP_ERROR_TV, LDP_ERROR_MAX, LDP_ERROR_KL, LDP_ERROR_KENDALL, LDP_ERRORS };
extern const struct ldp_measure ldp_frequency_errors[], ldp_overlapping_errors[]; /* the latter without tv and kl */

/* Numbers of work for m frequencies. */
#define LDP_ERRORS_WORK(m) (4 * (m))

/* Of the true f[m] in falling order and their answers x[m], which are overwritten: of n users. */
void ldp_errors_sorted(const double *f, double *x, size_t m, uint64_t n, double *work, double out[LDP_ERRORS]);

/* Of any order, which stays; frequencies are alike where they are the same double. */
void ldp_errors_of(const double *f, const double *x, size_t m, uint64_t n, double *work, double out[LDP_ERRORS]);

#endif
