/* median.c - medians of the terms of many values: see sketch.h.
 *
 * The numbers of all cells are sorted once by absolute value. A term is a cell's number or its negative. Its key is the
 * rank of the number in that order, or the complement of the rank if the term is negative, so that keys are ordered
 * like the terms and a complement flips the sign. The median of the keys of LANES values at a time is found by
 * bisection: no branch depends on a term. Cost: 6 passes over r c cells, then about 10 to 20 comparisons for each term.
 *
 * Keys of one value are distinct, because they come from cells of different rows; equal numbers may be in any order. */
#include "aligned.h"
#include "simd.h"
#include "sketch.h"

#include <assert.h>
#include <string.h>

enum { LANES = LDP_MEDIAN_LANES, DIGIT_BITS = 11, DIGITS = 6, DIGIT_VALUES = 1 << DIGIT_BITS };

typedef int32_t lanes __attribute__((vector_size(LANES * sizeof(int32_t))));
typedef lanes loose __attribute__((aligned(sizeof(int32_t)))); /* in memory */

#define INLINE static inline __attribute__((always_inline))

/* The bits of a number's absolute value, and its position. */
struct item {
    uint64_t bits;
    uint32_t at;
};

size_t ldp_medians_bytes(size_t ncells, size_t room)
{
    const size_t sorting = 2 * ncells * sizeof(struct item);
    return ldp_aligned(ncells * sizeof(int32_t)) + ldp_aligned(ncells * sizeof(double)) +
           (sorting > room ? sorting : room);
}

/* Sorts items by their bits, with room for as many; returns whichever of the two arrays holds the result. */
static struct item *sort(struct item *items, struct item *room, size_t count)
{
    static const uint64_t mask = DIGIT_VALUES - 1;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        const unsigned shift = digit * DIGIT_BITS;
        uint32_t first[DIGIT_VALUES] = {0};
        for (size_t i = 0; i < count; i++)
            first[items[i].bits >> shift & mask]++;
        uint32_t total = 0;
        for (size_t k = 0; k < DIGIT_VALUES; k++) {
            const uint32_t size = first[k];
            first[k] = total;
            total += size;
        }
        for (size_t i = 0; i < count; i++)
            room[first[items[i].bits >> shift & mask]++] = items[i];
        struct item *const swap = items;
        items = room;
        room = swap;
    }
    return items;
}

struct ldp_medians ldp_medians_in(size_t ncells, void *scratch)
{
    char *const at = scratch, *const sizes = at + ldp_aligned(ncells * sizeof(int32_t));
    return (struct ldp_medians){(int32_t *)(void *)at, (double *)(void *)sizes,
                                sizes + ldp_aligned(ncells * sizeof(double))};
}

void ldp_medians_rank(const struct ldp_medians *medians, const double *cells, size_t ncells)
{
    static const uint64_t sign = UINT64_C(1) << 63;
    assert(ncells <= LDP_MEDIAN_CELLS_MAX);
    struct item *const items = medians->room;
    for (size_t i = 0; i < ncells; i++) {
        memcpy(&items[i].bits, &cells[i], sizeof items[i].bits);
        items[i].bits &= ~sign;
        items[i].at = (uint32_t)i;
    }
    const struct item *const sorted = sort(items, items + ncells, ncells);
    for (size_t place = 0; place < ncells; place++) {
        const uint32_t at = sorted[place].at;
        memcpy(&medians->sizes[place], &sorted[place].bits, sizeof sorted[place].bits);
        medians->keys[at] = cells[at] < 0 ? ~(int32_t)place : (int32_t)place;
    }
}

static double number_of(const struct ldp_medians *medians, int32_t key)
{
    return key < 0 ? -medians->sizes[~key] : medians->sizes[key];
}

/* Macros, as no vector can be passed by value to a function that is compiled for every level. */
#define SPLAT(x) ((int32_t)(x) - (lanes){0})
#define CHOOSE(mask, yes, no) (((mask) & (yes)) | (~(mask) & (no)))

INLINE bool any(const lanes *x)
{
    int32_t all = 0;
    for (size_t l = 0; l < LANES; l++)
        all |= (*x)[l];
    return all != 0;
}

/* Of the r keys of each lane: upper is the one of rank r/2, and for even r lower is the one before it. */
INLINE void middle(const loose *keys, size_t r, int32_t ncells, lanes *lower, lanes *upper)
{
    const lanes rank = SPLAT(r / 2), one = SPLAT(1);
    /* low: keys up to it are at most rank; high: keys up to it are more. */
    lanes low = SPLAT(-ncells - 1), high = SPLAT(ncells - 1), below = SPLAT(0), upto = SPLAT(r);
    for (lanes open = upto - below > one; any(&open); open = upto - below > one) {
        const lanes middle = (low & high) + ((low ^ high) >> 1);
        lanes count = SPLAT(0);
        for (size_t j = 0; j < r; j++)
            count -= keys[j] <= middle;
        const lanes more = count > rank, raise = open & more, fall = open & ~more;
        high = CHOOSE(raise, middle, high);
        upto = CHOOSE(raise, count, upto);
        low = CHOOSE(fall, middle, low);
        below = CHOOSE(fall, count, below);
    }
    lanes best = SPLAT(INT32_MIN), before = SPLAT(INT32_MIN);
    for (size_t j = 0; j < r; j++) {
        const lanes key = keys[j], in = CHOOSE(key <= high, key, SPLAT(INT32_MIN)),
                    out = CHOOSE(key <= low, key, SPLAT(INT32_MIN));
        best = CHOOSE(in > best, in, best);
        before = CHOOSE(out > before, out, before);
    }
    *upper = best;
    *lower = before;
}

/* The same source compiled for each level. */
#define LEVEL(name)                                                                                                    \
    TARGET_##name static void middle_##name(const loose *keys, size_t r, int32_t ncells, lanes *lower, lanes *upper)   \
    {                                                                                                                  \
        middle(keys, r, ncells, lower, upper);                                                                         \
    }

#define TARGET_generic
LEVEL(generic)
#ifdef __x86_64__
#define TARGET_avx2 __attribute__((target("avx2")))
#ifdef __clang__
#define TARGET_avx512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#else
#define TARGET_avx512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
LEVEL(avx2)
LEVEL(avx512)
#endif

void ldp_medians(const struct ldp_medians *medians, const int32_t *keys, size_t r, size_t ncells, double out[LANES])
{
    const loose *const all = (const loose *)(const void *)keys;
    lanes lower, upper;
#ifdef __x86_64__
    const enum ldp_simd level = ldp_simd_level();
    if (level >= LDP_SIMD_AVX512)
        middle_avx512(all, r, (int32_t)ncells, &lower, &upper);
    else if (level >= LDP_SIMD_AVX2)
        middle_avx2(all, r, (int32_t)ncells, &lower, &upper);
    else
#endif
        middle_generic(all, r, (int32_t)ncells, &lower, &upper);
    for (size_t l = 0; l < LANES; l++)
        out[l] =
            r % 2 ? number_of(medians, upper[l]) : (number_of(medians, lower[l]) + number_of(medians, upper[l])) / 2;
}
