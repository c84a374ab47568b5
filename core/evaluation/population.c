/* population.c - true counts, their frequencies and their order. */
#include "ldpbench.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT = 11, BUCKETS = 1 << DIGIT };

/* Stable radix sort of the values by decreasing count: cost O(d) for each 11 bits that the largest count has. The
 * result is in rank; order has the same length. */
static void rank_by_count(const uint64_t *counts, size_t d, uint64_t largest, uint32_t *order, uint32_t *rank)
{
    uint32_t *from = order;
    for (size_t v = 0; v < d; v++)
        from[v] = (uint32_t)v;
    uint32_t *to = rank;
    for (int shift = 0; shift < 64 && largest >> shift > 0; shift += DIGIT) {
        uint32_t start[BUCKETS + 1];
        memset(start, 0, sizeof start);
        for (size_t v = 0; v < d; v++)
            start[BUCKETS - (counts[v] >> shift & (BUCKETS - 1))]++;
        for (size_t i = 1; i <= BUCKETS; i++)
            start[i] += start[i - 1];
        for (size_t i = 0; i < d; i++) {
            const uint32_t v = from[i];
            to[start[BUCKETS - 1 - (counts[v] >> shift & (BUCKETS - 1))]++] = v;
        }
        uint32_t *const swap = from;
        from = to;
        to = swap;
    }
    if (from != rank)
        memcpy(rank, from, d * sizeof *rank);
}

static enum ldp_status make(const uint64_t *counts, size_t d, bool ranked, struct ldp_population **out)
{
    *out = NULL;
    if (d < 2 || d > UINT32_MAX)
        return LDP_EINVAL;
    uint64_t n = 0, largest = 0;
    for (size_t v = 0; v < d; v++) {
        if (counts[v] > LDP_USERS_MAX - n)
            return LDP_EINVAL;
        n += counts[v];
        largest = counts[v] > largest ? counts[v] : largest;
    }
    if (n == 0)
        return LDP_EINVAL;

    /* One block: the population, then its arrays. */
    struct ldp_population *const population =
        malloc(sizeof *population + d * (sizeof(uint64_t) + sizeof(double) + (ranked ? sizeof(uint32_t) : 0)));
    uint32_t *const order = ranked ? malloc(d * sizeof *order) : NULL;
    enum ldp_status status = LDP_OK;
    if (!population || (ranked && !order)) {
        free(population);
        status = LDP_ENOMEM;
        goto out;
    }
    uint64_t *const copy = (uint64_t *)(population + 1);
    double *const f = (double *)(copy + d);
    uint32_t *const rank = ranked ? (uint32_t *)(f + d) : NULL;
    memcpy(copy, counts, d * sizeof *copy);
    for (size_t v = 0; v < d; v++)
        f[v] = (double)counts[v] / (double)n;
    if (ranked)
        rank_by_count(counts, d, largest, order, rank);
    *population = (struct ldp_population){.d = d, .n = n, .counts = copy, .f = f, .rank = rank};
    *out = population;
out:
    free(order);
    return status;
}

enum ldp_status ldp_population_new(const uint64_t *counts, size_t d, struct ldp_population **out)
{
    return make(counts, d, true, out);
}

enum ldp_status ldp_population_unranked(const uint64_t *counts, size_t d, struct ldp_population **out)
{
    return make(counts, d, false, out);
}

void ldp_population_free(struct ldp_population *population)
{
    free(population);
}
