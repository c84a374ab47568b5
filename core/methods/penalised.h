/* penalised.h - penalised likelihood of a distribution over ordered values, its weight by Laplace's marginal
 * likelihood: what pen, tree_pen and others of its kind share. Internal to the core.
 *
 *     f = softmax(a),   a maximises   log likelihood of f - lambda/2 |D2 a|^2 - 1e-3/2 |D1 a|^2,
 *
 * D1 and D2 first and second differences. The last term, worth a hundredth of a unit for the shapes of real data, makes
 * the answer finite where the reports allow any slope. lambda is the best of a grid of half decades by
 *
 *     the maximum + (K-2)/2 log lambda - log det (H + lambda D2'D2 + 1e-3 D1'D1) / 2,
 *
 * K the length of a, H its observed information: the likelihood of lambda if a is normal with precision lambda D2'D2,
 * by Laplace's approximation. The grid goes down from the stiffest lambda to 1e-2, or to where 20 units are lost, by
 * Newton steps from the answer before.
 *
 * a has a number for each group of `size` values of the same frequency, the last group shorter. Steps are in x_i =
 * dF_i, the change of the cumulative distribution at the end of group i, x_{-1} = x_{K-1} = 0, so that da_i = (x_i -
 * x_{i-1}) over the mass of a group, and log det (H + ..) is that of the matrix of x and twice sum log mass, but for a
 * constant.
 *
 * Source: Eilers, Statistical Modelling 7 (2007), penalised composite links; the choice of lambda and the unknowns are
 * ours. Cost: 30 to 60 steps. */
#ifndef LDPBENCH_PENALISED_H
#define LDPBENCH_PENALISED_H

#include "numerics/arena.h"

#include <stdbool.h>

/* A linear form of the unknowns x: up to four of them, as they were added. */
struct ldp_form {
    size_t terms, unknown[4];
    double factor[4];
};

struct ldp_penalised;

/* What the reports say of f, and the matrix of x. `of` is the fit's. */
struct ldp_penalised_model {
    double (*likelihood)(void *of, const struct ldp_penalised *fit); /* the logarithm, of fit->f */
    void (*pull)(void *of, const struct ldp_penalised *fit); /* adds what it gains by a user more in a group to pull */
    void (*observe)(void *of, const struct ldp_penalised *fit); /* adds its observed information of x, as squares */
    void (*clear)(void *of);
    void (*add)(void *of, const struct ldp_form *form, double weight); /* weight times the square of a form */
    double *(*at)(void *of, size_t i, size_t j); /* element (i, j), i >= j >= i - 3, after clear; NULL: by add alone */
    bool (*factor)(void *of, double *log_det);   /* false: not positive definite */
    void (*solve)(void *of, double *x);          /* with the factors; x[K - 1] is replaced */
};

struct ldp_penalised {
    const struct ldp_penalised_model *model;
    void *of;
    bool serial; /* f is divided by a sum in order, and by the inverses of masses (pen) */
    size_t d, K, size;
    double lambda;
    double *a, *trial, *best, *mass, *inverse, *pull, *x, *t; /* [K] */
    double **near;                                            /* [K][4], what model->at returns of i and i - 0 .. 3 */
    double *f;                                                /* [d] */
};

/* Takes the arrays for d values in groups. */
void ldp_penalised_take(struct ldp_penalised *fit, struct ldp_arena *arena, size_t d, size_t size);

/* From the stiffest lambda; the answer is fit->f. */
void ldp_penalised_fit(struct ldp_penalised *fit, double stiffest);

/* The least lambda of the grid. */
static const double LDP_PENALISED_LAST = 1e-2;

static inline size_t ldp_penalised_members(const struct ldp_penalised *fit, size_t k)
{
    return k + 1 < fit->K ? fit->size : fit->d - k * fit->size;
}

/* Adds a term; those of x_{-1} and x_{K-1} are 0. */
static inline void ldp_form_add(const struct ldp_penalised *fit, struct ldp_form *form, size_t unknown, double factor)
{
    if (unknown >= fit->K - 1 || factor == 0)
        return;
    form->unknown[form->terms] = unknown;
    form->factor[form->terms++] = factor;
}

#endif
