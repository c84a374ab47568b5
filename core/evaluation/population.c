/* population.c - true counts, their frequencies and their order. */
#include "queries/sample.h"

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

/* The last value becomes the last of the ranks. */
static void put_last(uint32_t *rank, size_t d)
{
    size_t at = 0;
    while (rank[at] != d - 1)
        at++;
    memmove(rank + at, rank + at + 1, (d - 1 - at) * sizeof *rank);
    rank[d - 1] = (uint32_t)(d - 1);
}

/* size 0: no sample. */
static enum ldp_status make(const uint64_t *counts, const uint64_t *truth, double size, size_t d, bool ranked,
                            struct ldp_population **out)
{
    const bool apart = truth != counts;
    *out = NULL;
    if (d < 2 || d > UINT32_MAX)
        return LDP_EINVAL;
    uint64_t n = 0, largest = 0;
    for (size_t v = 0; v < d; v++) {
        if (counts[v] > LDP_USERS_MAX - n)
            return LDP_EINVAL;
        n += counts[v];
        largest = truth[v] > largest ? truth[v] : largest;
    }
    if (n == 0)
        return LDP_EINVAL;

    /* One block: the population, then its arrays. */
    struct ldp_sampled_population *const population =
        malloc(sizeof *population +
               d * ((apart ? 2 : 1) * sizeof(uint64_t) + sizeof(double) + (ranked ? sizeof(uint32_t) : 0)));
    uint32_t *const order = ranked ? malloc(d * sizeof *order) : NULL;
    enum ldp_status status = LDP_OK;
    if (!population || (ranked && !order)) {
        free(population);
        status = LDP_ENOMEM;
        goto out;
    }
    uint64_t *const copy = (uint64_t *)(population + 1);
    uint64_t *const true_copy = apart ? copy + d : copy;
    double *const f = (double *)(true_copy + d);
    uint32_t *const rank = ranked ? (uint32_t *)(f + d) : NULL;
    memcpy(copy, counts, d * sizeof *copy);
    if (apart)
        memcpy(true_copy, truth, d * sizeof *truth);
    for (size_t v = 0; v < d; v++)
        f[v] = (double)truth[v] / (double)n;
    if (ranked)
        rank_by_count(truth, d, largest, order, rank);
    if (size > 0)
        put_last(rank, d);
    *population = (struct ldp_sampled_population){
        {.d = d, .n = n, .counts = copy, .f = f, .rank = rank}, true_copy, size > 0 ? size : 1};
    *out = &population->population;
out:
    free(order);
    return status;
}

enum ldp_status ldp_population_new(const uint64_t *counts, size_t d, struct ldp_population **out)
{
    return make(counts, counts, 0, d, true, out);
}

enum ldp_status ldp_population_sampled(const uint64_t *counts, const uint64_t *truth, double size, size_t d,
                                       struct ldp_population **out)
{
    return size >= 1 ? make(counts, truth, size, d, true, out) : LDP_EINVAL;
}

enum ldp_status ldp_population_unranked(const uint64_t *counts, size_t d, struct ldp_population **out)
{
    return make(counts, counts, 0, d, false, out);
}

void ldp_population_free(struct ldp_population *population)
{
    free(population);
}
