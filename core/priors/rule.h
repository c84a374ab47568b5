/* rule.h - summation rules. Internal to the core. */
#ifndef LDPBENCH_RULE_H
#define LDPBENCH_RULE_H

#include <stddef.h>

enum {
    LDP_RULE_MAX = 3072, /* points of any rule */
    LDP_RULE_SMALL = 192 /* ranges up to this are summed over every integer */
};

/* A rule for sums over t = 1, 2, .. up to reach, exact to about 1e-12 for k^-a times a function that is smooth on the
 * scale length: sum_i weight_i f(point_i). If length >= 10, the integral, not the sum, ends at reach. Returns the
 * number of points. */
size_t ldp_rule(double length, double reach, double *point, double *weight);

/* The same over all of 1 .. n: rules from both ends that meet in the middle. */
size_t ldp_rule_both_ends(double n, double length, double *point, double *weight);

#endif
