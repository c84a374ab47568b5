/* mixture.h - the mixture of normal laws that maximises the likelihood of estimates. Internal to the core. */
#ifndef LDPBENCH_MIXTURE_H
#define LDPBENCH_MIXTURE_H

#include "priors/interior.h"

/* Bins of the estimates and atoms of the mixture, both ascending; they are stored in the scratch of the fit. */
struct ldp_mixture {
    double top;
    size_t nrows, natoms, room;      /* room: atoms at most */
    size_t placed;                   /* atoms that were solved for; those that got weight are kept */
    double *y, *c;                   /* [nrows]: mean and share of the estimates of a bin; c sums to 1 */
    double *t, *w;                   /* [natoms]: position and weight of an atom; w sums to 1 */
    double decay[LDP_INTERIOR_BAND]; /* [j]: a normal density j steps of the atoms from its peak, relative to that */
};

/* Bytes of scratch for d estimates. */
size_t ldp_mixture_scratch(size_t d);

/* Fits atoms in [0, top] to y[d] in units of the noise's standard deviation; 0 < top <= 2^48, y finite. */
void ldp_mixture_fit(const double *y, size_t d, double top, void *scratch, struct ldp_mixture *mixture);

/* The posterior mean at y. */
double ldp_mixture_mean(const struct ldp_mixture *mixture, double y);

/* out[v] = ldp_mixture_mean(mixture, y[v]), with the same bytes, for many; out may be y. */
void ldp_mixture_means(const struct ldp_mixture *mixture, const double *y, size_t d, double *out);

#endif
