/* linear.h - frequencies by maximum likelihood, where the mean of every count is a known linear function of them (flh).
 * Internal to the core. */
#ifndef LDPBENCH_LINEAR_H
#define LDPBENCH_LINEAR_H

#include <stddef.h>
#include <stdint.h>

/* Users are in groups, which are public. One of group j reports one of g cells, cell y with probability rest + kept
 * (A f)[j][y]; A is public: the frequencies f of all values, each added to its cells. */
struct ldp_linear {
    size_t d, groups, g;
    double kept, rest;
    double degrees; /* of freedom of the cells, for d - 1 unknown frequencies: more than d - 1 */
    void *context;
    /* cells[groups][g] = A x. x may be rounded first: to the digits of the largest, so that the sum stays. */
    void (*spread)(void *context, double *x, double *cells);
    /* x[d] = A' cells, which are overwritten. Their rounding is noise, so it must be far below theirs. */
    void (*collect)(void *context, double *cells, double *x);
};

/* The law of the estimates x, n users, for a set S with f_S, and t_S and b_S the sums of own and shared:
 *
 *     n Var(x_S) = t_S - b_S^2 - total (t_S - b_S all)^2 - f_S (1 - f_S). */
struct ldp_linear_law {
    double *own, *shared; /* [d] */
    double all, total;
};

double ldp_linear_variance(const struct ldp_linear_law *law, double own, double shared, double f);

/* scratch: ldp_linear_bytes. From the users[groups] and the counts[groups][g], which are overwritten, and a first
 * estimate in x, x and its law; or the law alone, at the frequencies f, which spread may round. */
size_t ldp_linear_bytes(const struct ldp_linear *linear);
void ldp_linear_fit(const struct ldp_linear *linear, const double *users, double *counts, void *scratch, double *x,
                    struct ldp_linear_law *law);
void ldp_linear_law(const struct ldp_linear *linear, const double *users, double *f, void *scratch,
                    struct ldp_linear_law *law);

#endif
