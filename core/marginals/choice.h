/* choice.h - designs to choose from, and what a first part of the users says about them. Internal to the core. */
#ifndef LDPBENCH_CHOICE_H
#define LDPBENCH_CHOICE_H

#include "marginals/tables.h"

/* Dependence among attributes, as the pilot sees it; each shrunk by its own error. */
struct dependence {
    double
        single;  /* mean squared deviation of one attribute from uniform, times its cells and per coefficient: 0 to 1 */
    double pair; /* of two from the product of theirs, over the smaller cardinality less one: 0 to 1 */
    double sure; /* that of two less two standard errors of what noise alone would give, at least 0; not shrunk */
};

/* What a design has of a marginal and what not, by the number of attributes of an interaction. */
struct outlook {
    bool covered, pairs; /* whether some table has all of it, and each pair in it */
    double *noise;       /* [size + 1]: sum of v / P of the interactions that tables have (choice.c) */
    double *known;       /* [size + 1]: sum of u of the same */
    double *missing;     /* [size + 1]: sum of u of the others */
};

struct choice {
    const struct ldp_workload *workload;
    bool shrinks; /* interactions are shrunk by their noise */
    size_t pilot; /* the first so many tables of every candidate are the pilot's */
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

/* From the pilot's tables x. */
struct dependence ldp_choice_look(const struct choice *choice, const double *x);

/* The errors that a design is expected to have for each marginal of the workload. learned: energies of shrink.h, from
 * the design's own tables; NULL: none are known. */
void ldp_choice_predict(const struct choice *choice, size_t candidate, const struct dependence *dependence,
                        const double *learned, struct ldp_prediction *out);

/* The candidate of the least sum of expected errors, with the dependence that the pilot is sure of; the floor where it
 * is sure of none. */
size_t ldp_choice_best(const struct choice *choice, const struct dependence *dependence);

#endif
