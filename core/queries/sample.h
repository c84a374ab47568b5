/* sample.h - users with several items, of which each reports one: what is estimated is how many have an item.
 *
 * A user draws one of `size` items: of their own and, if these are fewer, padding, which is the last value. Internal to
 * the project, not installed. */
#ifndef LDPBENCH_SAMPLE_H
#define LDPBENCH_SAMPLE_H

#include "ldp.h"

/* What every population is, behind its public part. */
struct ldp_sampled_population {
    struct ldp_population population; /* counts: of what users have; f and rank: of what they have */
    const uint64_t *truth;            /* [d], users who have it; counts, if this is no sample */
    double size;                      /* estimates times this are of f; 1 if this is no sample */
};

/* LDP_EINVAL as ldp_population_new, and for a size below 1. The last value is the last in rank. */
enum ldp_status ldp_population_sampled(const uint64_t *counts, const uint64_t *truth, double size, size_t d,
                                       struct ldp_population **out);

static inline const struct ldp_sampled_population *ldp_sample_of(const struct ldp_population *population)
{
    return (const struct ldp_sampled_population *)population;
}

#endif
