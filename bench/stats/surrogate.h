/* surrogate.h - synthetic populations made from one collection, on which errors are predicted (NDSS 2020, sec. V-D):
 * what the task `selection` and the command `advise` have in common. */
#ifndef LDPBENCH_SURROGATE_H
#define LDPBENCH_SURROGATE_H

#include "stats/collection.h"
#include "stats/posterior.h"
#include "support/names.h"

/* A way of making them: a method whose estimates are a distribution, or draws from a posterior. */
struct surrogate {
    const char *name;
    struct ldp_method_spec spec; /* spec.method NULL: draws from the posterior, or the truth */
    bool is_fewest_atoms;        /* of the posterior: the law of the fewest points, instead of a smooth one */
    bool is_truth;               /* the true population, as a control: shows the loss from the number of trials alone */
};

/* Their names, NULL-terminated: the posterior first, then methods, then the truth where it is known. */
void surrogate_names(bool known, const char *names[NAMES_MAX]);

/* The surrogate at an index of that list. */
struct surrogate surrogate_at(size_t index);

/* The method whose distribution is the sharpest that suits an estimate: nonparametric maximum likelihood. */
struct surrogate surrogate_fewest_atoms(void);

/* A surrogate fitted to one estimate; read-only while trials run. Start from all zero. */
struct surrogate_fit {
    size_t d, room;
    bool varies;    /* every trial draws a population of its own, from the posterior */
    double *weight; /* [d], else: proportional to frequencies */
    struct posterior posterior;
    void *scratch; /* of the surrogate's method */
    size_t scratch_room;
};

/* Fits to est[d], made by a protocol from n users; what a former fit allocated is used again. The posterior makes use
 * of sets (NULL: none) whose values may be equal; they must outlive the fit. */
void surrogate_fit(struct surrogate_fit *fit, const struct surrogate *surrogate, const struct ldp_protocol *protocol,
                   uint64_t n, const double *est, const struct ldp_sets *sets);

/* The sets of the first query that has some, or NULL. */
const struct ldp_sets *surrogate_sets(const struct ldp_query_spec *queries, size_t nqueries);

/* A population that is known, in place of a fit. */
void surrogate_given(struct surrogate_fit *fit, const struct ldp_population *population);

void surrogate_fit_clear(struct surrogate_fit *fit);

/* One thread's trials: a synthetic population and collections from it. Start from all zero. */
struct trials {
    struct collection collection;
    struct ldp_population *population;
    double *weight;   /* [room] */
    uint64_t *counts; /* [room] */
    size_t room;
    bool unranked; /* no query uses ranks */
};

/* A population of n users from the fit, and a protocol's collections from it. Draws from rng where the fit varies; to
 * be called again for every trial then. */
int trials_begin(struct trials *trials, const struct surrogate_fit *fit, uint64_t n,
                 const struct ldp_protocol *protocol, enum ldp_mode mode, struct ldp_rng *rng, struct failure *failure);

void trials_clear(struct trials *trials);

/* ---- Populations of three kinds that a collection may come from, and one prediction from all of them ---- */

/* Draws from a smooth law; draws from the law of the fewest points; one population, by nonparametric maximum
 * likelihood. */
enum { KIND_SMOOTH, KIND_SHARP, KIND_POINT, SURROGATE_KINDS };

/* The surrogate that makes populations of a kind. */
struct surrogate kind_surrogate(int kind);

/* Whether all kinds count in predictions for a query, one that asks for values of certain ranks; otherwise the smooth
 * kind counts alone. */
bool kinds_count_for(const struct ldp_query *query);

/* The prediction from all kinds, whose own predictions have these means (>= 0), is the sum of scale[k] times that of
 * kind k, trial by trial. */
void kinds_scale(const double mean[SURROGATE_KINDS], double scale[SURROGATE_KINDS]);

#endif
