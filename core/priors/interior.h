/* interior.h - weights of normal laws at given positions that maximise a likelihood. Internal to the core. */
#ifndef LDPBENCH_INTERIOR_H
#define LDPBENCH_INTERIOR_H

#include <stdbool.h>
#include <stddef.h>

#define LDP_INTERIOR_STEP 0.25 /* distance between the atoms of a run */

enum {
    LDP_INTERIOR_ATOMS = 256, /* solved for at once */
    LDP_INTERIOR_LANES = 8,
    LDP_INTERIOR_BAND = 80, /* atoms that a row touches: 18 / STEP and ends; a multiple of LANES */
    LDP_INTERIOR_ROWS = 4 * LDP_INTERIOR_ATOMS + 2 * 24 * 16 + 18 * 16 + 32 /* bins that touch that many atoms */
};

/* PADDED: with room for the zeros after them. */
enum { LDP_EXCHANGE_ATOMS = 96, LDP_EXCHANGE_PADDED = LDP_EXCHANGE_ATOMS + LDP_INTERIOR_LANES };

/* Private to exchange.c: atoms that have weight, by position, their weights, D, and the model of a step. */
struct ldp_exchange {
    size_t m, atom[LDP_EXCHANGE_ATOMS], next_atom[LDP_EXCHANGE_ATOMS];
    double w[LDP_EXCHANGE_PADDED], next_w[LDP_EXCHANGE_ATOMS], D[LDP_EXCHANGE_PADDED], dw[LDP_EXCHANGE_PADDED],
        b[LDP_EXCHANGE_ATOMS], per[LDP_EXCHANGE_ATOMS];
    double H[LDP_EXCHANGE_ATOMS][LDP_EXCHANGE_PADDED], U[LDP_EXCHANGE_ATOMS][LDP_EXCHANGE_PADDED];
    /* Row i touches lo[i] .. lo[i] + touched[i] - 1 of the support, with likelihoods L[i]; share is c / f. */
    size_t lo[LDP_INTERIOR_ROWS], touched[LDP_INTERIOR_ROWS];
    double L[LDP_INTERIOR_ROWS][LDP_INTERIOR_BAND], share[LDP_INTERIOR_ROWS];
};

/* Row i of weight c[i] touches atoms first[i] .. first[i] + count[i] - 1 with likelihoods L[i][], exp(-(y_i - t_j)^2 /
 * 2) times a factor of the row, and then zeros up to a multiple of LANES; other[i] is the part of atoms that are not
 * solved for. w is the answer. */
struct ldp_interior {
    size_t nrows, natoms;
    size_t first[LDP_INTERIOR_ROWS], count[LDP_INTERIOR_ROWS];
    double c[LDP_INTERIOR_ROWS], other[LDP_INTERIOR_ROWS];
    double L[LDP_INTERIOR_ROWS][LDP_INTERIOR_BAND];
    double t[LDP_INTERIOR_ATOMS], w[LDP_INTERIOR_ATOMS];
    /* Private to interior.c: */
    double f[LDP_INTERIOR_ROWS], df[LDP_INTERIOR_ROWS];
    double H[LDP_INTERIOR_ATOMS][LDP_INTERIOR_BAND]; /* H[j][BAND - 1 - (j - k)] for k <= j */
    double z[LDP_INTERIOR_ATOMS], D[LDP_INTERIOR_ATOMS + LDP_INTERIOR_LANES], dw[LDP_INTERIOR_ATOMS],
        dz[LDP_INTERIOR_ATOMS], second[LDP_INTERIOR_ATOMS];
    double even[LDP_INTERIOR_ATOMS], odd[LDP_INTERIOR_ATOMS], decay[LDP_INTERIOR_BAND];
    size_t run_end[LDP_INTERIOR_ATOMS];
    struct ldp_exchange exchange;
};

static inline double ldp_clip(double x, double least, double most)
{
    return x < least ? least : x > most ? most : x;
}

/* Minimises -sum_i c_i log(other_i + sum_j w_j L_ij) + sum_j w_j over w >= 0, to `tolerance` in D_j - 1 and in the gap.
 */
void ldp_interior_fit(struct ldp_interior *block, double tolerance);

/* The same by steps on the atoms that have weight, many times faster; false, with w unset, if it does not converge.
 * Rows are in order. */
bool ldp_exchange_fit(struct ldp_interior *block, double tolerance);

#endif
