/* set_size.h - the number of values in a set that is given as a percentage of the domain. Internal to the core. */
#ifndef LDPBENCH_QUERIES_SET_SIZE_H
#define LDPBENCH_QUERIES_SET_SIZE_H

#include <math.h>
#include <stddef.h>

/* The factor slightly above 1 corrects percentages such as 29.999999999999996, which sweeps with a step produce. */
static inline size_t ldp_set_size(double percent, size_t d)
{
    const double size = floor(percent * (double)d / 100 * (1 + 1e-12));

    return size < 1 ? 1 : size < (double)d ? (size_t)size : d;
}

#endif
