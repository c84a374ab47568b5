/* set_size.h - random sets of a percentage of the domain: how many values, and which. Internal to the core. */
#ifndef LDPBENCH_QUERIES_SET_SIZE_H
#define LDPBENCH_QUERIES_SET_SIZE_H

#include "random/rng.h"

#include <math.h>
#include <stddef.h>

/* The factor slightly above 1 corrects percentages such as 29.999999999999996, which sweeps with a step produce. */
static inline size_t ldp_set_size(double percent, size_t d)
{
    const double size = floor(percent * (double)d / 100 * (1 + 1e-12));

    return size < 1 ? 1 : size < (double)d ? (size_t)size : d;
}

/* A random arrangement of d values goes on: its first `size` are a random set. */
static inline void ldp_set_draw(struct ldp_rng *rng, size_t d, size_t size, uint32_t *value)
{
    for (size_t i = 0; i < size; i++) {
        const size_t at = i + (size_t)ldp_rng_below(rng, d - i);
        const uint32_t kept = value[i];

        value[i] = value[at];
        value[at] = kept;
    }
}

#endif
