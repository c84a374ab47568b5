/* tables.h - tables of groups of users, made to agree: what most synopses keep. Internal to the core. */
#ifndef LDPBENCH_MARGINALS_TABLES_H
#define LDPBENCH_MARGINALS_TABLES_H

#include "marginals/closure.h"
#include "marginals/contrasts.h"
#include "marginals/groups.h"
#include "synopsis.h"

struct tables {
    const struct ldp_workload *workload;
    const uint32_t *cardinality;
    size_t m;
    struct ldp_set *set;           /* [m] */
    size_t *first;                 /* [m + 1]: where the cells of a table begin */
    uint64_t *users;               /* [m] */
    struct ldp_protocol *protocol; /* [m] */
    double *variance;              /* [m]: in a direction that keeps the total: noise alone */
    double *weight;                /* [m]: 1 / (cells variance), sampling included */
    struct closure closure;
    size_t own;    /* tables before it only sharpen what the others have */
    bool *has;     /* [closure.nblocks]: whether one of those others has the block */
    uint32_t *map; /* [first[m]]: coefficients of the tables */
    double *
        precision; /* [closure.nblocks]: the coefficients of a block have variance 1 / (cells of the block precision) */
    double *own_precision; /* [closure.nblocks]: what the tables from own on give of it */

    /* Room of one collection. */
    uint64_t *cells;
    double *support, *x, *work;
    void *scratch;
};

/* m sets, each with its users, and room for a method. To be cleared in any case. */
enum ldp_status ldp_tables_init(struct tables *tables, const struct ldp_workload *workload, const struct ldp_set *set,
                                const uint64_t *users, size_t m, const struct ldp_method_spec *method,
                                struct ldp_reason *reason);
/* The end of it: what follows from sets, cells and weights. most: cells of any table; bytes: scratch. */
enum ldp_status ldp_tables_finish(struct tables *tables, size_t most, size_t bytes);
void ldp_tables_clear(struct tables *tables);

/* Lets the first tables count for nothing that the others have not. */
void ldp_tables_set_own(struct tables *tables, size_t own);

/* Users of m groups out of n, as equal as can be. */
void ldp_tables_share(uint64_t n, size_t m, uint64_t *users);

/* One collection of table i: noisy[cells], and the true frequencies of the same users (NULL: nobody asks). */
void ldp_tables_collect(struct tables *tables, size_t i, struct groups *groups, struct ldp_rng *rng, double *noisy,
                        double *sampled);

/* True frequencies of everybody, all tables. */
void ldp_tables_exact(struct tables *tables, double *exact);

/* The coefficients nearest to tables x[first[m]], by weighted least squares: those of consistent tables. */
void ldp_tables_agree(struct tables *tables, const double *x, double *coefs);

/* From coefficients to the tables, but those that only sharpen others. */
void ldp_tables_expand(struct tables *tables, const double *coefs, double *x);

/* Makes the tables of coefficients sum to 1 and, where the method's estimates are not negative, have no negative cell.
 * Tables that only sharpen others are left out of it. method: applied table by table first. */
void ldp_tables_make_valid(struct tables *tables, const struct ldp_method_spec *method, double *coefs);

/* Coefficients of tables that agree, sum to 1 and, where the method's estimates are not negative, have no negative
 * cell: both of the above. */
void ldp_tables_settle(struct tables *tables, const struct ldp_method_spec *method, const double *x, double *coefs);

/* The table of any set from coefficients, those of unknown blocks 0. map: closure_map of the set. */
void ldp_tables_project(const struct tables *tables, const double *coefs, const struct ldp_set *set,
                        const uint32_t *map, double *out);

/* Predicted squared error of noise in the marginal of a set: of the blocks that tables have. */
double ldp_tables_noise(const struct tables *tables, const struct ldp_set *set);

#endif
