/* median.c - medians of the terms of many values: see sketch.h.
 *
 * The numbers of all cells are sorted once by absolute value. A term is a cell's number or its negative. Its key is the
 * rank of the number in that order, or the complement of the rank if the term is negative, so that keys are ordered
 * like the terms and a complement flips the sign. Only the leading 16 bits of keys are kept for each term: the medians
 * of LANES values are found among these by bisection, at the same time and without a branch that depends on a term. If
 * there are more than 2^15 cells, several terms may have the leading bits of the median; only their whole keys are
 * looked up. Cost: about 6 passes over r c cells, then about 10 comparisons for each term.
 *
 * Keys of one value are distinct, because they come from cells of different rows; equal numbers may be in any order. */
#include "simd/simd.h"
#include "sketches/sketch.h"

#include <assert.h>

enum { LANES = LDP_MEDIAN_LANES, DIGIT_BITS = 11, DIGITS = 3, DIGIT_VALUES = 1 << DIGIT_BITS };

typedef int16_t lanes __attribute__((vector_size(LANES * sizeof(int16_t))));
typedef lanes loose __attribute__((aligned(sizeof(int16_t)))); /* in memory */

/* A number's position by some bits of its absolute value, its index, and in the highest bit of the index whether it is
 * negative. */
struct item {
    uint32_t bits, at;
};

static const uint32_t NEGATIVE = UINT32_C(1) << 31;

/* Bits that keys have beyond 16. */
static unsigned shift_of(size_t ncells)
{
    unsigned shift = 0;
    while ((ncells - 1) >> shift > INT16_MAX)
        shift++;
    return shift;
}

/* Sorts items by their bits, with room for as many; equal ones stay in order. The result is in items. */
static void sort(struct item *items, struct item *room, size_t count)
{
    static const uint32_t mask = DIGIT_VALUES - 1;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        const unsigned shift = digit * DIGIT_BITS;
        const struct item *const from = digit % 2 == 0 ? items : room;
        struct item *const to = digit % 2 == 0 ? room : items;
        uint32_t first[DIGIT_VALUES] = {0}, total = 0;
        for (size_t i = 0; i < count; i++)
            first[from[i].bits >> shift & mask]++;
        for (size_t k = 0; k < DIGIT_VALUES; k++) {
            const uint32_t size = first[k];
            first[k] = total;
            total += size;
        }
        for (size_t i = 0; i < count; i++)
            to[first[from[i].bits >> shift & mask]++] = from[i];
    }
    if (DIGITS % 2 == 1)
        memcpy(items, room, count * sizeof *items);
}

static uint64_t size_bits(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits & ~(UINT64_C(1) << 63);
}

/* Sorts items by all bits of their numbers. */
static void sort_exactly(const double *cells, struct item *items, struct item *room, size_t count)
{
    for (size_t i = 0; i < count; i++)
        items[i].bits = (uint32_t)size_bits(cells[items[i].at & ~NEGATIVE]);
    sort(items, room, count);
    for (size_t i = 0; i < count; i++)
        items[i].bits = (uint32_t)(size_bits(cells[items[i].at & ~NEGATIVE]) >> 32);
    sort(items, room, count);
}

struct ldp_medians ldp_medians_in(size_t ncells, size_t room, struct ldp_arena *arena)
{
    const size_t sorting = 2 * ncells * sizeof(struct item);
    struct ldp_medians medians = {.shift = shift_of(ncells)};
    medians.keys = ldp_take(arena, ncells * sizeof *medians.keys);
    medians.leading = ldp_take(arena, (ncells + 1) * sizeof *medians.leading);
    medians.sizes = ldp_take(arena, ncells * sizeof *medians.sizes);
    medians.tied = ldp_take(arena, ((size_t)LANES << medians.shift) * sizeof *medians.tied);
    medians.room = ldp_take(arena, sorting > room ? sorting : room);
    return medians;
}

/* The absolute values of items, from `first` on; true if they ascend. */
static bool sizes_of(const double *cells, const struct item *items, size_t first, size_t end, double *sizes)
{
    bool ascend = true;
    for (size_t i = first; i < end; i++) {
        sizes[i] = fabs(cells[items[i].at & ~NEGATIVE]);
        ascend &= i == first || sizes[i - 1] <= sizes[i];
    }
    return ascend;
}

void ldp_medians_rank(const struct ldp_medians *medians, const double *cells, size_t ncells)
{
    assert(ncells <= LDP_MEDIAN_CELLS_MAX);
    struct item *const items = medians->room, *const room = items + ncells;
    double most = 0;
    for (size_t i = 0; i < ncells; i++)
        most = fmax(most, fabs(cells[i]));
    /* In steps of 2^-32 of the largest, few numbers that differ have the same bits. */
    const double scale = most > 1e-290 ? 0x1.ffffffp31 / most : 0;
    for (size_t i = 0; i < ncells; i++)
        items[i] = (struct item){(uint32_t)(fabs(cells[i]) * scale), (uint32_t)i | (cells[i] < 0 ? NEGATIVE : 0)};
    sort(items, room, ncells);
    for (size_t first = 0, end; first < ncells; first = end) {
        for (end = first + 1; end < ncells && items[end].bits == items[first].bits;)
            end++;
        if (!sizes_of(cells, items, first, end, medians->sizes)) {
            sort_exactly(cells, items + first, room, end - first);
            (void)sizes_of(cells, items, first, end, medians->sizes);
        }
    }
    for (size_t position = 0; position < ncells; position++) {
        const uint32_t at = items[position].at;
        medians->keys[at & ~NEGATIVE] = at & NEGATIVE ? ~(int32_t)position : (int32_t)position;
    }
    for (size_t i = 0; i < ncells; i++)
        medians->leading[i] = (int16_t)(medians->keys[i] >> medians->shift);
    medians->leading[ncells] = 0;
}

static double number_of(const struct ldp_medians *medians, int32_t key)
{
    return key < 0 ? -medians->sizes[~key] : medians->sizes[key];
}

/* ---- The leading bits of medians ---- */

/* For each lane: the leading bits of the key of rank r/2, the number of keys with smaller ones, and the largest of
 * these. */
struct middles {
    int16_t key[LANES], under[LANES];
    int32_t before[LANES];
};

/* Bounds whose keys are counted together, because keys may not fit into the first-level cache. */
enum { BOUNDS = 3 };

/* A macro, as no vector can be passed by value to a function that is compiled for every level. */
#define CHOOSE(mask, yes, no) (((mask) & (yes)) | (~(mask) & (no)))
#define JOIN_(name, level) name##_##level
#define JOIN(name, level) JOIN_(name, level)

#define LEVEL generic
#define WIDTH 8
#define TARGET
#include "sketches/median_lanes.h"
#ifdef __x86_64__
#define LEVEL avx2
#define WIDTH 16
#define TARGET LDP_TARGET_avx2
#include "sketches/median_lanes.h"
#undef LDP_TARGET_avx512
#define LDP_TARGET_avx512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define LEVEL avx512
#define WIDTH 32
#define TARGET LDP_TARGET_avx512
#include "sketches/median_lanes.h"
#endif

/* ---- Whole keys ---- */

/* The whole keys with the leading bits of the median, in ascending order, and the largest below them. */
struct tied {
    int32_t *key[LANES];
    uint32_t count[LANES];
    int32_t under[LANES];
};

static void add_tied(struct tied *tied, size_t lane, int32_t key)
{
    int32_t *const sorted = tied->key[lane];
    uint32_t i = tied->count[lane]++;
    for (; i > 0 && sorted[i - 1] > key; i--)
        sorted[i] = sorted[i - 1];
    sorted[i] = key;
}

/* Terms whose whole keys are still to be looked up. */
struct waiting {
    size_t count;
    uint32_t row[LDP_MEDIAN_TERMS], lane[LDP_MEDIAN_TERMS];
    bool same[LDP_MEDIAN_TERMS]; /* has the leading bits of the median, else those below it */
};

static void look_up_waiting(struct waiting *waiting, ldp_medians_keys *whole, const void *context, struct tied *tied)
{
    int32_t found[LDP_MEDIAN_TERMS];
    whole(context, waiting->row, waiting->lane, waiting->count, found);
    for (size_t i = 0; i < waiting->count; i++) {
        const size_t l = waiting->lane[i];
        if (waiting->same[i])
            add_tied(tied, l, found[i]);
        else
            tied->under[l] = found[i] > tied->under[l] ? found[i] : tied->under[l];
    }
    waiting->count = 0;
}

static inline void wait_for(struct waiting *waiting, size_t row, size_t lane, bool same)
{
    waiting->row[waiting->count] = (uint32_t)row;
    waiting->lane[waiting->count] = (uint32_t)lane;
    waiting->same[waiting->count++] = same;
}

LDP_INLINE bool any(const lanes *x)
{
    uint64_t words[sizeof *x / sizeof(uint64_t)], all = 0;
    memcpy(words, x, sizeof words);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        all |= words[i];
    return all != 0;
}

/* Looks up the whole keys of the terms whose leading bits are those of their lane's median or the ones below it. */
LDP_INLINE void look_up(const loose *keys, size_t r, const struct middles *middles, ldp_medians_keys *whole,
                        const void *context, struct tied *tied)
{
    struct waiting waiting;
    waiting.count = 0;
    lanes key, under;
    memcpy(&key, middles->key, sizeof key);
    memcpy(&under, middles->under, sizeof under);
    for (size_t j = 0; j < r; j++) {
        const lanes same = keys[j] == key, hit = same | (keys[j] == under);
        if (!any(&hit))
            continue;
        for (size_t l = 0; l < LANES; l++)
            if (hit[l])
                wait_for(&waiting, j, l, same[l]);
        if (waiting.count > LDP_MEDIAN_TERMS - LANES)
            look_up_waiting(&waiting, whole, context, tied);
    }
    look_up_waiting(&waiting, whole, context, tied);
}

LDP_VECTORS(void, look_up,
            (const int16_t *keys, size_t r, const struct middles *middles, ldp_medians_keys *whole, const void *context,
             struct tied *tied),
            look_up((const loose *)(const void *)keys, r, middles, whole, context, tied))

void ldp_medians(const struct ldp_medians *medians, const int16_t *keys, size_t r, ldp_medians_keys *whole,
                 const void *context, double out[LANES])
{
    struct middles middles;
    struct tied tied;
    LDP_BEST(middle)(keys, r, &middles);
    for (size_t l = 0; l < LANES; l++) {
        tied.key[l] = medians->tied + (l << medians->shift);
        tied.count[l] = medians->shift == 0;
        tied.key[l][0] = middles.key[l];
        tied.under[l] = medians->shift == 0 ? middles.under[l] : INT32_MIN;
    }
    if (medians->shift > 0)
        LDP_BEST(look_up)(keys, r, &middles, whole, context, &tied);
    for (size_t l = 0; l < LANES; l++) {
        const uint32_t rank = (uint32_t)(r / 2) - (uint32_t)middles.before[l];
        assert(rank < tied.count[l]);
        const double upper = number_of(medians, tied.key[l][rank]);
        out[l] = r % 2 ? upper : (number_of(medians, rank > 0 ? tied.key[l][rank - 1] : tied.under[l]) + upper) / 2;
    }
}
