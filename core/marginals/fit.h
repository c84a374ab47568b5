/* fit.h - a distribution of maximum entropy for given marginals, which need not have a joint law. Internal to the core.
 */
#ifndef LDPBENCH_MARGINALS_FIT_H
#define LDPBENCH_MARGINALS_FIT_H

#include "synopsis.h"

/* One marginal to fit. */
struct fit_part {
    size_t cells;
    double weight;         /* 1 / variance of a cell of the target; > 0 */
    const uint32_t *index; /* [cells of the whole]: the cell of the part that each belongs to */
    const double *target;  /* [cells] */
    double *lambda, *sum;  /* [cells]: room */
};

struct fit_result {
    size_t sweeps;
    double change; /* of any part in the last sweep, the sum over its cells */
};

/* t[cells], positive, of sum 1. */
struct fit_result ldp_fit_maximum_entropy(size_t cells, struct fit_part *part, size_t nparts, double *t);

/* index[cells of the set]: the cell of a table over `part`, a subset of the attributes, to which each cell of a table
 * over `set` belongs. */
void ldp_fit_index(const struct ldp_set *set, const struct ldp_set *part, const uint32_t *cardinality, uint32_t *index);

#endif
