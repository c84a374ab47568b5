/* amp.h - approximate message passing (amp.c). Internal to the core. */
#ifndef LDPBENCH_SKETCHES_AMP_H
#define LDPBENCH_SKETCHES_AMP_H

#include <stdbool.h>
#include <stddef.h>

enum { LDP_AMP_ROWS = 4 }; /* with fewer positions of a value it seldom converges */
/* Beyond it the variance that is stated is not near enough (studies/sketches.md): no intervals follow. */
static const double LDP_AMP_EXCESS_MOST = 0.02;

/* share: of the cells, what the values' counts take up: the effective dimension over the residuals' freedom. excess: by
 * how much the variance is larger than that of the residuals, relative, and stated so; INFINITY: not converged. */
struct ldp_amp {
    double variance; /* of the count of a value with zero frequency */
    double share, excess;
    double positions; /* of the law above 0 */
    bool converged;
};

/* y = A counts + noise. The context keeps y and the residuals R. */
struct ldp_amp_design {
    size_t d;
    double freedom;           /* of the residuals: their number, less that of the means that were subtracted */
    double positions, ncells; /* y's that a value is in, and all of them */
    double least;             /* the variance of an oracle over the whole domain, by noise alone */
    bool fitted;              /* the first m are a fit, and not 0 */
    void *context;
    double (*residuals)(void *context, const double *m, double b);           /* R = y - A m + b R; tau^2 */
    void (*decode)(void *context, const double *m, double share, double *z); /* z = m + share A^T R */
};

size_t ldp_amp_pass_bytes(size_t d);

/* From m[d] on: z[d], and *found. It has converged if tau^2 has, at most at `most`, and is not far below design->least,
 * which would mean that noise was fitted. */
void ldp_amp_pass(const struct ldp_amp_design *design, double n, double most, void *scratch, double *m, double *z,
                  struct ldp_amp *found);

/* The variance before anything is collected, by that of noise and of the choice of rows and the counts (amp_law.c). */
struct ldp_histogram;
double ldp_amp_state(double least, double freedom, const struct ldp_histogram *histogram);

#endif
