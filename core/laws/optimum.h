/* optimum.h - the best size of a reported subset, and parameters chosen for variance and attack success. Internal to
 * the core. */
#ifndef LDPBENCH_OPTIMUM_H
#define LDPBENCH_OPTIMUM_H

#include "ldp.h"

/* The k, 1 <= k < d, for which subset selection has the least mean variance s1 + tf / d, which is ldp_optimum(). */
uint64_t ldp_optimum_size(size_t d, double epsilon);

/* The second parameter of an oracle, by which the default of the first is chosen. */
#define LDP_PARAM_ATTACK_WEIGHT                                                                                        \
    LDP_PARAM_REAL("attack_weight", 0, 0, 0.99,                                                                        \
                   "the default minimises so much of attack success plus the rest of the variance")
#define LDP_ATTACK_WEIGHT_LATER                                                                                        \
    .later = (const char *const[])                                                                                     \
    {                                                                                                                  \
        "attack_weight", NULL                                                                                          \
    }

/* The first parameter: as given, or `variance` where the weight is 0, or the best from low to high. */
double ldp_chosen(const struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec, double variance, double low,
                  double high);

/* Turns the parameters of an oracle, at first the default, into the next ones that a frontier tries; suited: whether
 * the last suit. The first parameter, if its default is derived, goes over its range in steps of 1 or 3 %, a real
 * number by its distance from the largest; again with d as the second whole number (of mss the largest modulus), and
 * with the third doubled up to d (of pgr the blocks). False: there are no more. */
bool ldp_grid_next(struct ldp_oracle_spec *spec, bool suited, size_t d, double epsilon);

#endif
