/* columns.h - single attributes that every user reports, a noisy table each; marginals are products of these. Internal
 * to the core. */
#ifndef LDPBENCH_COLUMNS_H
#define LDPBENCH_COLUMNS_H

#include "marginals/synopsis.h"
#include "numerics/pool.h"

struct columns {
    const struct ldp_workload *workload;
    struct ldp_method_spec method;
    size_t a;                      /* attributes */
    size_t *first;                 /* [a + 1]: where the cells of an attribute begin */
    uint64_t *counts;              /* [first[a]]: of all users */
    struct ldp_protocol *protocol; /* [a]: of a report */
    struct ldp_protocol *noise;    /* [a]: as methods see the estimates */
    double *x[LDP_EXACT + 1];      /* [stage][first[a]] */
    double *support, *valid;       /* room: of one attribute; [first[a]] */
    void *scratch;
};

/* Every attribute is reported with that epsilon. */
enum ldp_status ldp_columns_init(struct columns *columns, struct ldp_pool *pool, const struct ldp_synopsis_spec *spec,
                                 const struct ldp_workload *workload, double epsilon, struct ldp_reason *reason);

/* The support of users with these counts of an attribute: columns->support. */
void ldp_columns_support(struct columns *columns, size_t attribute, const uint64_t *counts, uint64_t n,
                         struct ldp_rng *rng);

/* Answers for the workload from x[stage]. */
void ldp_columns_answer(struct columns *columns, enum ldp_stage stage, double *out);

#endif
