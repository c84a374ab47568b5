/* rounding.c - weights to whole counts of n users, by largest remainder.
 *
 * It is done in integers. The weights are scaled by a power of two so that the largest has
 * 70 bits, and truncated; then quota and remainder of n w_v / W are exact in 128 bits: n <= 2^53, w_v < 2^70, W < 2^32
 * 2^70. A weight that is a whole number up to 2^53 is not changed by this, so scaling a table of counts is exact; a
 * law's quota is off by less than n 2^-70. */
#include "dataset.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#define WEIGHT_BITS 70

struct remainder {
    ldp_uint128 size;
    size_t v;
};

static int by_size(const void *a, const void *b)
{
    const struct remainder *const x = a, *const y = b;

    if (x->size != y->size)
        return x->size < y->size ? 1 : -1;
    return (x->v > y->v) - (x->v < y->v);
}

/* x / y, and what is left of x; the quotient is at most 2^53. */
static uint64_t divide(ldp_uint128 x, ldp_uint128 y, ldp_uint128 *rest)
{
    uint64_t quotient = (uint64_t)((double)x / (double)y); /* off by one or two */

    while (quotient * y > x)
        quotient--;
    while (x - quotient * y >= y)
        quotient++;
    *rest = x - quotient * y;
    return quotient;
}

/* Adds 1 to the counts of the `left` largest of d remainders, each below total. They are the highest of BUCKETS
 * ranges, and of one range the largest. */
static void add_largest(struct remainder *rest, size_t d, ldp_uint128 total, size_t left, uint64_t *counts)
{
    enum { BUCKETS = 4096 };
    const double scale = BUCKETS / (double)total;
    size_t number[BUCKETS + 1] = {0}, last = BUCKETS, above = 0;

    for (size_t v = 0; v < d; v++)
        number[(size_t)((double)rest[v].size * scale)]++;
    while (above + number[last] < left)
        above += number[last--];
    size_t within = 0;
    for (size_t v = 0; v < d; v++) {
        const size_t bucket = (size_t)((double)rest[v].size * scale);

        if (bucket > last)
            counts[v]++;
        else if (bucket == last)
            rest[within++] = rest[v];
    }
    if (within > left - above)
        qsort(rest, within, sizeof *rest, by_size);
    for (size_t i = 0; i < left - above; i++)
        counts[rest[i].v]++;
}

int dataset_round(const double *weight, size_t d, uint64_t n, uint64_t *counts)
{
    struct remainder *const rest = malloc(d * sizeof *rest);

    if (!rest)
        return -1;
    assert(n <= LDP_USERS_MAX);
    double largest = 0;
    for (size_t v = 0; v < d; v++) {
        assert(weight[v] >= 0 && isfinite(weight[v]));
        largest = fmax(largest, weight[v]);
    }
    assert(largest > 0);
    int exponent;
    frexp(largest, &exponent);
    ldp_uint128 total = 0;
    for (size_t v = 0; v < d; v++) {
        rest[v] = (struct remainder){.size = (ldp_uint128)ldexp(weight[v], WEIGHT_BITS - exponent), .v = v};
        total += rest[v].size;
    }
    uint64_t left = n;
    for (size_t v = 0; v < d; v++) {
        const ldp_uint128 share = n * rest[v].size;

        counts[v] = divide(share, total, &rest[v].size);
        left -= counts[v];
    }
    assert(left < d);
    add_largest(rest, d, total, left, counts);
    free(rest);
    return 0;
}
