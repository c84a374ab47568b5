/* fit_binary.h - a distribution of maximum entropy over binary attributes, for given means of products of signs.
 * Internal to the core. */
#ifndef LDPBENCH_MARGINALS_FIT_BINARY_H
#define LDPBENCH_MARGINALS_FIT_BINARY_H

#include "synopsis.h"

enum { FIT_BINARY_MEANS = 128, FIT_BINARY_SIZE = 10 /* the most means and attributes */ };

/* The mean of the product of the signs (+1 for 0, -1 for 1) of the attributes in mask; the last attribute is bit 0. */
struct fit_mean {
    uint32_t mask;
    double target, weight; /* weight: 1 / variance of the target; > 0 */
};

/* Doubles of room. */
size_t ldp_fit_binary_room(size_t size, size_t nmeans);

/* t[2^size], positive, of sum 1: the maximum of entropy(t) - sum_i weight_i/2 (mean_i(t) - target_i)^2. Returns the
 * number of steps. */
size_t ldp_fit_binary(size_t size, const struct fit_mean *mean, size_t nmeans, double *room, double *t);

#endif
