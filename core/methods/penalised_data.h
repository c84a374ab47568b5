/* penalised_data.h - what reports say of a distribution, for penalised.h: counts of the outputs of a channel of
 * windows, estimates of the nodes of a tree. `of` of a model begins with one of them. Internal to the core. */
#ifndef LDPBENCH_PENALISED_DATA_H
#define LDPBENCH_PENALISED_DATA_H

#include "methods/penalised.h"
#include "numerics/skyline.h"
#include "ordinal/levels.h"
#include "ordinal/wave.h"

/* sum_j c_j log (M f)_j. */
struct ldp_wave_data {
    struct ldp_wave wave;
    const double *c;            /* [outputs] */
    double n;                   /* their sum */
    double *g, *r, *run, *back; /* M f, [outputs] twice, run[] of wave.h; M^T r, [d] */
};

void ldp_wave_data_take(struct ldp_wave_data *data, struct ldp_arena *arena, size_t d);
void ldp_wave_data_set(struct ldp_wave_data *data, const struct ldp_protocol *protocol, const double *support);
double ldp_wave_data_likelihood(void *of, const struct ldp_penalised *fit);
void ldp_wave_data_pull(void *of, const struct ldp_penalised *fit);
void ldp_wave_data_observe(void *of, const struct ldp_penalised *fit);

/* The lambda at which about three modes of a are free; more above 512 groups, where the stiffest of them would be lost
 * in rounding. */
double ldp_wave_data_stiffest(const struct ldp_wave_data *data, const struct ldp_penalised *fit);

/* -1/2 sum_l omega_l |x_l - T_l f|^2, T_l the sums of the nodes of level l; groups of one value. */
struct ldp_tree_data {
    struct ldp_tree tree;
    double omega[LDP_LEVELS_MAX];
    double *x, *mass; /* [nodes] */
};

void ldp_tree_data_take(struct ldp_tree_data *data, struct ldp_arena *arena, size_t d);
void ldp_tree_data_set(struct ldp_tree_data *data, const struct ldp_protocol *protocol, const double *support);
double ldp_tree_data_likelihood(void *of, const struct ldp_penalised *fit);
void ldp_tree_data_pull(void *of, const struct ldp_penalised *fit);
void ldp_tree_data_observe(void *of, const struct ldp_penalised *fit);

/* The lambda at which about three modes of a are free: the information of a mode is sum_l omega_l (leaves of a node) /
 * d^2 at uniform f. */
double ldp_tree_data_stiffest(const struct ldp_tree_data *data);

/* Adds weight times the square of a form whose unknowns ascend. */
void ldp_form_square(const struct ldp_skyline *matrix, const struct ldp_form *form, double weight);

/* The first unknown with which unknown i shares a node or a penalty. */
size_t ldp_tree_data_first(const struct ldp_tree *tree, size_t i);

#endif
