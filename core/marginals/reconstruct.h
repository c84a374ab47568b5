/* reconstruct.h - the requested marginals from consistent tables: a sum of cells if a table covers the marginal, else
 * of maximum entropy. Internal to the core. */
#ifndef LDPBENCH_RECONSTRUCT_H
#define LDPBENCH_RECONSTRUCT_H

#include "marginals/fit.h"
#include "marginals/tables.h"

struct requested; /* a marginal, prepared */

struct reconstruction {
    struct ldp_pool *pool;
    const struct ldp_workload *workload;
    const struct tables *tables;
    struct requested *requested; /* [workload->nsets] */
    struct fit_part *part;       /* room */
    uint32_t *index;
    double *room;
    struct fit_mean *mean; /* [FIT_BINARY_MEANS]: room */
};

enum ldp_status ldp_reconstruction_init(struct reconstruction *reconstruction, struct ldp_pool *pool,
                                        const struct ldp_workload *workload, const struct tables *tables);

/* out: the answers to the workload, from coefficients of the tables. */
void ldp_reconstruction_run(struct reconstruction *reconstruction, const double *coefs, double *out);

#endif
