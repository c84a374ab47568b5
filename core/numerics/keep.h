/* keep.h - dropping small numbers from an array. Internal to the core. */
#ifndef LDPBENCH_KEEP_H
#define LDPBENCH_KEEP_H

#include <stddef.h>

/* Moves the numbers above the bound to the front of x[m], in their order, and returns how many they are; what is behind
 * them is left undefined. */
size_t ldp_keep_above(double *x, size_t m, double bound);

#endif
