/* ensemble.h - priors of several families, averaged in proportion to their evidence. Internal to the core. */
#ifndef LDPBENCH_ENSEMBLE_H
#define LDPBENCH_ENSEMBLE_H

#include "priors/lattice.h"

enum ldp_members {
    LDP_SHAPES = 1, /* log-normal laws */
    LDP_SPIKES = 2, /* a point, and a log-normal law of the other values */
    LDP_POINTS = 4, /* few points */
    LDP_FREE = 8    /* weights of largest likelihood on all atoms */
};

#define LDP_CONVERGED 0.01 /* a gain of the log evidence that is not worth a round */

enum { LDP_POINTS_MOST = 10 };

enum { LDP_MEMBERS = LDP_SHAPES | LDP_SPIKES | LDP_POINTS | LDP_FREE };

struct ldp_evidence {
    double best;   /* log evidence of the best member */
    double weight; /* sum of the evidences of all members, relative to the best */
};

struct ldp_ensemble {
    unsigned families; /* enum ldp_members */
    size_t largest;    /* k: the average of those t that are among the k largest is requested as well; 0: it is not */
    struct ldp_evidence sum, sum_top; /* sum_top: with the weights for the k largest */
    double one_point;                 /* that of the prior in which all t are equal; -INFINITY: it was not fitted */
    double of_family[4];              /* the same of each family, in the order of their bits */
    /* Averages over members: the likelihood of a row, and mean and variance of t; of all t, and of the k largest, where
     * the likelihood is the probability of being among them. */
    struct ldp_posterior all, top;
    struct ldp_lattice lattice;
    struct ldp_posterior member, member_top; /* of the member at hand */
    struct ldp_totals totals;                /* of member */
    union {                                  /* in turn */
        struct ldp_interior block;
        double of_point[LDP_POINTS_MOST][LDP_INTERIOR_ROWS]; /* points.c: the likelihoods of each */
    };
};

/* The families fitted to a collection whose noise is not negligible. scratch has ldp_ensemble_bytes(d) bytes. */
struct ldp_ensemble *ldp_ensemble_of(const struct ldp_collection *collection, unsigned families, size_t largest,
                                     void *scratch);
size_t ldp_ensemble_bytes(size_t d);

/* The mean of t for value v, whose estimate is est, under an average; *variance is that of its row. */
double ldp_ensemble_mean(const struct ldp_ensemble *ensemble, const struct ldp_posterior *average, size_t v, double est,
                         double *variance);

/* tau such that max(m + tau V, 0) sums to top over all values, m and V being the means and variances of all t. */
double ldp_ensemble_rest(const struct ldp_ensemble *ensemble);

/* ---- Private to the families ---- */

/* The posterior under the prior w is at hand, with its totals. */
void ldp_ensemble_try(struct ldp_ensemble *ensemble, const double w[LDP_LATTICE_WEIGHTS]);

/* Adds a member whose posterior is at hand; of its weights, largest[] belong to the k largest values, if these are
 * requested. */
void ldp_ensemble_add(struct ldp_ensemble *ensemble, enum ldp_members family, double evidence, const double *largest);

/* The same of a member without weights on the lattice: its posterior among the k largest is at hand, too. */
void ldp_ensemble_add_posterior(struct ldp_ensemble *ensemble, enum ldp_members family, double evidence);

/* The part of each weight w, in ascending order of t, that belongs to the k largest values; n[m]: the number of values
 * that the estimates suggest at each. */
void ldp_ensemble_largest(const struct ldp_ensemble *ensemble, const double *w, const double *n, size_t m,
                          double *largest);

/* log of the density of the estimates and of the sum of all t under the member at hand, less what the location of a law
 * of n values costs; n = 0: that is left to the caller.
 *
 *     sum_v log f_v - (top - sum_v m_v)^2 / (2 V) - log(n V + top^2) / 2 - log log(1 + top),   V = sum_v V_v
 *
 * Locations are uniform in log t. The sum says as much of one as (top^2 / V), the estimates at most as much as n: for a
 * narrow law the sum alone decides, and has a density of its own only where estimates say something else. */
double ldp_ensemble_evidence(const struct ldp_ensemble *ensemble, double n);

/* The derivative of that by sum_v m_v, between -1/2 and 1/2. */
double ldp_ensemble_pull(const struct ldp_ensemble *ensemble);

/* By how much the evidence of K points t with weights w is below their log-likelihood; V is the variance of the sum. */
double ldp_points_cost(const struct ldp_ensemble *ensemble, const double *t, const double *w, size_t K, double V);

/* Clusters of weights w on the lattice: position and weight of each. Returns their number. */
size_t ldp_lattice_clusters(const struct ldp_lattice *lattice, const double *w, double *t, double *weight);

void ldp_shapes_fit(struct ldp_ensemble *ensemble);
/* w are the weights of largest likelihood. */
void ldp_spikes_fit(struct ldp_ensemble *ensemble, const double *w);
void ldp_points_fit(struct ldp_ensemble *ensemble, const double *w);

#endif
