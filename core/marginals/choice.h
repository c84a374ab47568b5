/* choice.h - designs to choose from, and the choice: by what a first part of the users, the pilot, reports about pairs
 * of attributes. Internal to the core. */
#ifndef LDPBENCH_CHOICE_H
#define LDPBENCH_CHOICE_H

#include "marginals/shrink.h"

/* ---- The pilot: how much attributes depend on each other ---- */

/* Dependence among attributes, as measured by the pilot. */
struct dependence {
    /* [attribute]: squared deviation from uniform times the number of cells. */
    double deviation[LDP_ATTRIBUTES_MAX];
    double single; /* the same per coefficient, mean over the attributes: 0 to 1 */
    double pair;   /* squared deviation of two from the product of theirs, times their cells, over the smaller
                      cardinality minus one: 0 to 1 */
    double pair_error, numbers; /* the standard error of noise alone; of how many squares it is that of the sum */
    double unseen;              /* the relative variance from pairs that the pilot did not ask for */
};

struct pilot {
    size_t m;            /* pairs; 0: there is no pilot */
    struct ldp_set *set; /* [m] */
    struct tables tables;
    struct shrinking shrinking;
    double *coefs;
};

/* Pairs for a pilot of this share of the users: at most `most`, with at most `cells` cells, every attribute equally
 * often; none if there is room for fewer than one of every attribute. */
enum ldp_status ldp_pilot_pairs(struct pilot *pilot, struct ldp_pool *pool, const struct ldp_records *records,
                                double share, size_t most, size_t cells);

/* The pairs' tables from this many users in all. */
enum ldp_status ldp_pilot_init(struct pilot *pilot, struct ldp_pool *pool, const struct ldp_workload *workload,
                               uint64_t users, const struct ldp_method_spec *method, struct ldp_reason *reason);

/* From the tables x. */
struct dependence ldp_pilot_dependence(struct pilot *pilot, const double *x);

/* ---- The choice ---- */

/* The interactions of one number of attributes in a marginal. Of those that tables have: */
struct part {
    double noise;   /* sum of v / P (choice.c) */
    double sampled; /* the part of it from choosing users, if cells are equal */
    double known;   /* sum of u */
    double coefs;   /* sum of v */
    double missing; /* of the others, sum of u */
};

/* Which parts of a marginal a design covers. */
struct outlook {
    bool covered, pairs; /* true if some table has all of it; if tables have each pair in it */
    struct part *part;   /* [size + 1] */
};

struct choice {
    struct ldp_pool *pool;
    const struct ldp_workload *workload;
    bool shrinks;       /* interactions are shrunk by their noise */
    bool drops;         /* interactions are dropped if they are mostly noise */
    bool is_open;       /* there are several designs to choose from, or too few users for anything but the floor */
    struct pilot pilot; /* its tables are the first of every candidate */
    size_t count;
    struct tables *tables;   /* [count]; the first is the floor, tables of one attribute */
    struct outlook *outlook; /* [count][workload->nsets] */
};

/* The candidates; with a given design it is the only one, and there is no pilot. */
enum ldp_status ldp_choice_given(struct choice *choice, struct ldp_pool *pool, const struct ldp_workload *workload,
                                 const struct ldp_set *set, size_t m, const struct ldp_method_spec *method,
                                 struct ldp_reason *reason);
enum ldp_status ldp_choice_open(struct choice *choice, struct ldp_pool *pool, const struct ldp_workload *workload,
                                const struct ldp_method_spec *method, bool shrinks, struct ldp_reason *reason);

/* The expected errors of a design for each marginal of the workload. left: by number of attributes, the share of
 * noise left after the design's own tables were shrunk (shrink.h, singles.h); NULL: not known. */
void ldp_choice_predict(const struct choice *choice, size_t candidate, const struct dependence *dependence,
                        const double *left, struct ldp_prediction *out);

/* The candidate with the least sum of expected errors, of those that would be a cheap mistake. */
size_t ldp_choice_best(const struct choice *choice, const struct dependence *dependence);

#endif
