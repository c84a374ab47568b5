/* rounding.c - weights to whole counts of n users, by largest remainder.
 *
 * It is done in integers. The weights are scaled by a power of two so that the largest has
 * 70 bits, and truncated; then quota and remainder of n w_v / W are exact in 128 bits: n <= 2^53, w_v < 2^70, W < 2^32
 * 2^70. A weight that is a whole number up to 2^53 is not changed by this, so scaling a table of counts is exact; a
 * law's quota is off by less than n 2^-70. */
#include "dataset.h"

#include "support/memory.h"

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

/* A whole number below 2^WEIGHT_BITS, truncated. */
static ldp_uint128 truncated(double x)
{
    return x < 0x1p63 ? (uint64_t)x : (ldp_uint128)(uint64_t)(x * 0x1p-10) << 10; /* 2^63 on they are multiples of it */
}

/* x / y, and what is left of x; `guess` is off by a few at most. */
static uint64_t divide(ldp_uint128 x, ldp_uint128 y, uint64_t guess, ldp_uint128 *rest)
{
    uint64_t quotient = guess;

    while (quotient * y > x)
        quotient--;
    while (x - quotient * y >= y)
        quotient++;
    *rest = x - quotient * y;
    return quotient;
}

enum { BUCKETS = 1024 };

/* The bucket of a remainder, the larger the higher: by its leading bits, which a double takes exactly or nearly. */
static size_t bucket_of(ldp_uint128 size, unsigned shift, double scale)
{
    return (size_t)((double)(int64_t)(uint64_t)(size >> shift) * scale);
}

/* Adds 1 to the counts of the `left` largest of d remainders, each below total. They are the highest of BUCKETS
 * ranges, and of one range the largest. within[d]: memory. */
static void add_largest(const ldp_uint128 *rest, size_t d, ldp_uint128 total, size_t left, struct remainder *within,
                        uint64_t *counts)
{
    unsigned shift = 0;
    while (total >> shift > INT64_MAX)
        shift++;
    const double scale = BUCKETS / ((double)(int64_t)(uint64_t)(total >> shift) + 1);
    size_t number[BUCKETS + 1] = {0}, last = BUCKETS, above = 0, count = 0;

    for (size_t v = 0; v < d; v++)
        number[bucket_of(rest[v], shift, scale)]++;
    while (above + number[last] < left)
        above += number[last--];
    for (size_t v = 0; v < d; v++) {
        const size_t bucket = bucket_of(rest[v], shift, scale);

        if (bucket > last)
            counts[v]++;
        else if (bucket == last)
            within[count++] = (struct remainder){rest[v], v};
    }
    if (count > left - above)
        qsort(within, count, sizeof *within, by_size);
    for (size_t i = 0; i < left - above; i++)
        counts[within[i].v]++;
}

void dataset_round(const double *weight, size_t d, uint64_t n, uint64_t *counts)
{
    ldp_uint128 *const size = xmalloc(d, sizeof *size);
    struct remainder *const within = xmalloc(d, sizeof *within);

    assert(n <= LDP_USERS_MAX);
    double largest = 0;
    for (size_t v = 0; v < d; v++) {
        assert(weight[v] >= 0 && isfinite(weight[v]));
        largest = weight[v] > largest ? weight[v] : largest;
    }
    assert(largest > 0);
    int exponent;
    frexp(largest, &exponent);
    /* The power of two as two factors, since it may be out of range; products are exact unless they are below 1. */
    const int half = (WEIGHT_BITS - exponent) / 2;
    const double first = ldexp(1, half), second = ldexp(1, WEIGHT_BITS - exponent - half);
    ldp_uint128 total = 0;
    for (size_t v = 0; v < d; v++)
        total += size[v] = truncated(weight[v] * first * second);
    const double share = (double)n / (double)total;
    uint64_t left = n;
    for (size_t v = 0; v < d; v++) {
        counts[v] = divide(n * size[v], total, (uint64_t)(weight[v] * first * second * share), &size[v]);
        left -= counts[v];
    }
    assert(left < d);
    add_largest(size, d, total, left, within, counts);
    free(within);
    free(size);
}
