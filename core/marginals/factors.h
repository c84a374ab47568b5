/* factors.h - what all interactions of pairs have in common: the few strong directions of their matrix. Internal to the
 * core. */
#ifndef LDPBENCH_FACTORS_H
#define LDPBENCH_FACTORS_H

#include "marginals/tables.h"

struct factors {
    size_t rows, found;                   /* contrasts of all attributes; directions */
    size_t first[LDP_ATTRIBUTES_MAX + 1]; /* of each attribute's contrasts; those of too many values have none */
    double *seen, *weight, *fit, *mixed;  /* room: [rows * rows] */
    double *axis, *image;                 /* room: [FACTORS_MAX * rows] */
    double freedom;                       /* of all interactions' numbers, the part that the fit was free to choose */
    double price; /* logarithm: how much less likely any interactions of that kind were before */
};

/* Room for the attributes of tables. */
enum ldp_status ldp_factors_init(struct factors *factors, struct ldp_pool *pool, const struct tables *tables);

/* Fills target[] of all pairs that tables have from their central moments and the variances of these; 0 where noise
 * alone would do. */
void ldp_factors_find(struct factors *factors, const struct tables *tables, const double *central,
                      const double *variance, double *target);

#endif
