/* choice.h - designs to choose from, and the choice by reports of a first part of the users. Internal to the core. */
#ifndef LDPBENCH_CHOICE_H
#define LDPBENCH_CHOICE_H

#include "marginals/pilot.h"

/* Which parts of a marginal a design covers, by the number of attributes of an interaction. */
struct outlook {
    bool covered, pairs; /* true if some table has all of it; if tables have each pair in it */
    double *noise;       /* [size + 1]: sum of v / P of the interactions that tables have (choice.c) */
    double *sampled;     /* [size + 1]: the part of it from choosing users, if cells are equal */
    double *known;       /* [size + 1]: sum of u of the same interactions */
    double *coefs;       /* [size + 1]: sum of v of the same interactions */
    double *missing;     /* [size + 1]: sum of u of the other interactions */
};

struct choice {
    const struct ldp_workload *workload;
    bool shrinks;       /* interactions are shrunk by their noise */
    bool drops;         /* interactions are dropped if they are mostly noise */
    bool is_open;       /* there are several designs to choose from, or too few users for anything but the floor */
    struct pilot pilot; /* its tables are the first of every candidate */
    size_t count;
    struct tables *tables;   /* [count]; the first is the floor, tables of one attribute */
    struct outlook *outlook; /* [count][workload->nsets] */
    double *sums;            /* what outlooks point to */
};

/* The candidates; with a given design it is the only one, and there is no pilot. To be cleared in any case. */
enum ldp_status ldp_choice_given(struct choice *choice, const struct ldp_workload *workload, const struct ldp_set *set,
                                 size_t m, const struct ldp_method_spec *method, struct ldp_reason *reason);
enum ldp_status ldp_choice_open(struct choice *choice, const struct ldp_workload *workload,
                                const struct ldp_method_spec *method, bool shrinks, struct ldp_reason *reason);
void ldp_choice_clear(struct choice *choice);

/* The expected errors of a design for each marginal of the workload. left: by number of attributes, the share of
 * noise left after the design's own tables were shrunk (shrink.h, singles.h); NULL: not known. */
void ldp_choice_predict(const struct choice *choice, size_t candidate, const struct dependence *dependence,
                        const double *left, struct ldp_prediction *out);

/* The candidate with the least sum of expected errors, of those that would be a cheap mistake. */
size_t ldp_choice_best(const struct choice *choice, const struct dependence *dependence);

#endif
