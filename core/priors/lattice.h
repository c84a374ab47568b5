/* lattice.h - estimates and frequencies on two grids: a prior is weights on the second. Internal to the core. */
#ifndef LDPBENCH_LATTICE_H
#define LDPBENCH_LATTICE_H

#include "ldp.h"
#include "priors/interior.h"

enum {
    LDP_LATTICE_WEIGHTS = LDP_INTERIOR_ATOMS + LDP_INTERIOR_LANES /* with room for a band that ends behind the last */
};

/* In units of s = sqrt(s1 / n): y = est / s is t = f / s and noise of variance scale^2 + h t, where scale is 1 unless
 * variances differ by value. A row is estimates that lie close together, of about the same scale; rows ascend. An atom
 * is a position of t, or an interval where positions are further apart than the noise. */
struct ldp_lattice {
    double s, top, h; /* top = 1 / s, the sum of all t */
    double drawn;     /* DRAWN times the variance of a value's count, if users are drawn and all values are equal */
    /* Support counts follow Poisson's law, mean + per y with mean mean + per t; per = 0: the noise is normal. */
    double mean, per;
    size_t d, nrows, natoms;
    bool unit_scales;                                                            /* all scales are 1 */
    double fine;                                                                 /* rows are 1 / fine wide near 0 */
    uint32_t *row_of;                                                            /* [d] */
    double y[LDP_INTERIOR_ROWS], scale[LDP_INTERIOR_ROWS], c[LDP_INTERIOR_ROWS]; /* c: number of values */
    double best[LDP_INTERIOR_ROWS]; /* log-likelihood that those of the row are relative to */
    double t[LDP_INTERIOR_ATOMS], edge[LDP_INTERIOR_ATOMS + 1]; /* atom j is at t[j], between two edges */
    /* The likelihoods of row i's atoms first[i] .. first[i] + count[i] - 1, then zeros; and times t - y, (t - y)^2. */
    size_t first[LDP_INTERIOR_ROWS], count[LDP_INTERIOR_ROWS];
    double L[LDP_INTERIOR_ROWS][LDP_INTERIOR_BAND], L1[LDP_INTERIOR_ROWS][LDP_INTERIOR_BAND],
        L2[LDP_INTERIOR_ROWS][LDP_INTERIOR_BAND];
};

/* Likelihood of each row under one prior, with mean and variance of t. */
struct ldp_posterior {
    double f[LDP_INTERIOR_ROWS], m[LDP_INTERIOR_ROWS], V[LDP_INTERIOR_ROWS];
};

/* Totals over all rows: sum c log f, and mean and variance of the sum of t over all values. */
struct ldp_totals {
    double log_f, mean, variance;
};

/* Fills the lattice; row_of is the caller's, and the noise is not negligible. scratch: ldp_classes_bytes(d). */
void ldp_lattice_init(struct ldp_lattice *lattice, const struct ldp_collection *collection, void *scratch);

/* L[i], the likelihood of t for each row. */
void ldp_lattice_likelihoods(const struct ldp_lattice *lattice, double t, double *L);

/* The posterior under the prior w, which sums to 1. */
void ldp_lattice_posterior(const struct ldp_lattice *lattice, const double w[LDP_LATTICE_WEIGHTS],
                           struct ldp_posterior *posterior);

struct ldp_totals ldp_lattice_totals(const struct ldp_lattice *lattice, const struct ldp_posterior *posterior);

/* D[j] = sum_i c_i L_ij (1 + pull (t_j - m_i)) / f_i: by how much the weight of atom j would grow in a step of
 * expectation maximisation in which each t is drawn towards a larger sum. */
void ldp_lattice_growth(const struct ldp_lattice *lattice, const struct ldp_posterior *posterior, double pull,
                        double D[LDP_LATTICE_WEIGHTS]);

#endif
