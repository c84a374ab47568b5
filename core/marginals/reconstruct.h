/* reconstruct.h - the requested marginals from consistent tables: a sum of cells if a table covers the marginal, else
 * of maximum entropy. Internal to the core. */
#ifndef LDPBENCH_RECONSTRUCT_H
#define LDPBENCH_RECONSTRUCT_H

#include "marginals/known.h"

struct reconstruction {
    const struct tables *tables;
    struct known_fits fits;
};

enum ldp_status ldp_reconstruction_init(struct reconstruction *reconstruction, struct ldp_pool *pool,
                                        const struct tables *tables);

/* out: the answers to the workload, from coefficients of the tables. */
void ldp_reconstruction_run(struct reconstruction *reconstruction, const double *coefs, double *out);

#endif
