/* chebyshev.h - interpolation at the 16 zeros of the Chebyshev polynomial T_16. Internal to the core. */
#ifndef LDPBENCH_CHEBYSHEV_H
#define LDPBENCH_CHEBYSHEV_H

enum { LDP_CHEBYSHEV = 16 };

/* cos((2 j + 1) pi / 32), j = 0 .. 15, in descending order: the nodes on [-1, 1], each the nearest double. */
extern const double ldp_chebyshev_node[LDP_CHEBYSHEV];

/* The barycentric weight of node j: (-1)^j sin((2 j + 1) pi / 32). */
double ldp_chebyshev_weight(int j);

/* The value at t in [-1, 1] of the polynomial of degree 15 that has these values at the nodes. */
double ldp_chebyshev_interpolate(const double value[LDP_CHEBYSHEV], double t);

#endif
