/* contrasts.h - a table as its total and its interactions. Internal to the core.
 *
 * Along each axis of c values the transform replaces x_0 .. x_{c-1} by their sum and c-1 orthonormal contrasts
 * (Helmert's). The coefficient at (j_1, .., j_l) belongs to the attributes with j != 0, and is the same in every table
 * that has these attributes: summing over another attribute does not change it. So tables agree if their common
 * coefficients agree. */
#ifndef LDPBENCH_CONTRASTS_H
#define LDPBENCH_CONTRASTS_H

#include "synopsis.h"

/* In place; cost: cells times attributes. */
void ldp_contrasts_forward(const struct ldp_set *set, const uint32_t *cardinality, double *x);
void ldp_contrasts_inverse(const struct ldp_set *set, const uint32_t *cardinality, double *x);

#endif
