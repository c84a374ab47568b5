/* interior.h - weights of normal laws on given places that maximise a likelihood. Internal to the core. */
#ifndef LDPBENCH_INTERIOR_H
#define LDPBENCH_INTERIOR_H

#include <stddef.h>

#define LDP_INTERIOR_STEP 0.25 /* of atoms that stand in a run */

enum {
    LDP_INTERIOR_ATOMS = 256, /* that are solved for at once */
    LDP_INTERIOR_BAND = 80,   /* atoms that a row touches: 18 / STEP and ends */
    LDP_INTERIOR_ROWS = 4 * LDP_INTERIOR_ATOMS + 2 * 24 * 16 + 18 * 16 + 32 /* bins that touch so many atoms */
};

/* Row i of weight c[i] touches atoms first[i] .. first[i] + count[i] - 1 with likelihoods L[i][], exp(-(y_i - t_j)^2 /
 * 2) times a number of its own, and has other[i] from atoms that are not solved for. w is the answer. */
struct ldp_interior {
    size_t nrows, natoms;
    size_t first[LDP_INTERIOR_ROWS], count[LDP_INTERIOR_ROWS];
    double c[LDP_INTERIOR_ROWS], other[LDP_INTERIOR_ROWS];
    double L[LDP_INTERIOR_ROWS][LDP_INTERIOR_BAND];
    double t[LDP_INTERIOR_ATOMS], w[LDP_INTERIOR_ATOMS];
    /* Private to interior.c: */
    double f[LDP_INTERIOR_ROWS], df[LDP_INTERIOR_ROWS];
    double H[LDP_INTERIOR_ATOMS][LDP_INTERIOR_BAND]; /* H[j][BAND - 1 - (j - k)] for k <= j */
    double z[LDP_INTERIOR_ATOMS], D[LDP_INTERIOR_ATOMS], dw[LDP_INTERIOR_ATOMS], dz[LDP_INTERIOR_ATOMS],
        second[LDP_INTERIOR_ATOMS];
    double even[LDP_INTERIOR_ATOMS], odd[LDP_INTERIOR_ATOMS], decay[LDP_INTERIOR_BAND];
    size_t run_end[LDP_INTERIOR_ATOMS];
};

/* Minimises -sum_i c_i log(other_i + sum_j w_j L_ij) + sum_j w_j over w >= 0, to `tolerance` in D_j - 1 and in the gap.
 */
void ldp_interior_fit(struct ldp_interior *block, double tolerance);

#endif
