/* pairs.h - how the values of a set lie on the lines of a projective space: their covariances. Internal to the core. */
#ifndef LDPBENCH_GEOMETRY_PAIRS_H
#define LDPBENCH_GEOMETRY_PAIRS_H

#include "geometry/projective.h"

/* Let g_u of a set S of points be in hyperplane u. The square at a point v is the sum of g_u^2 over the
 * hyperplanes u through v: the triples (a, b, u), a and b in S. K_(t-2) hyperplanes contain a, b and v if these are on
 * one line, else K_(t-3). */
struct ldp_pairs {
    double all;     /* the sum of g_u^2 over all hyperplanes */
    double in, out; /* the mean square at values of S, at other values (those of S if there are none) */
    double excess;  /* sum_v f_v (square at v - in or out) */
};

/* point[d] are the values' points, member[size] those of S. False if the work space is too small. O(K q t). */
bool ldp_pairs(const struct ldp_projective *space, const uint32_t *point, size_t d, const uint32_t *member, size_t size,
               const double *f, void *work, size_t bytes, struct ldp_pairs *pairs);

#endif
