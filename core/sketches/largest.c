/* largest.c - the largest counts of a sketch without signs, where the others are not needed (sketch.h).
 *
 * All values are compared by a number that takes a byte or a bit of each cell; only those that may be among the largest
 * are decoded from whole cells, with the result of decode.c.
 *
 * mean     Cells are rounded to 256 equal steps. A sum of rounded cells is off by r/2 steps at most, so a value whose
 *          sum is more than r steps below the `most`-th largest such sum is none of the largest.
 * median   A median is at least b only if half of the r terms are. b is guessed, from a sample of the cells, so that a
 *          few more than `most` values should have such a median; if there are fewer, b is lowered.
 *
 * Where this would be no gain, all values are decoded. Cost: r d look-ups of bits or bytes in registers. */
#include "aligned.h"
#include "numeric.h"
#include "sketch.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { SAMPLE = LDP_CELLS_SAMPLE, VALUES_LEAST = 4096, SHARE = 8, GUESSES = 3, STEPS = 255 };

/* Scratch: seeds of the rows, their bits or bytes, a number for each value; the values that may be among the largest;
 * the terms of one value, or a sample of cells. */
struct work {
    uint64_t *seeds;   /* [r] */
    uint8_t *table;    /* [r][c], and LDP_HASH_BEYOND */
    uint32_t *numbers; /* [d], sums; medians have 16-bit numbers there */
    uint32_t *chosen;  /* [d / SHARE + 1] */
    double *terms;     /* [max(r, SAMPLE)] */
    size_t bytes;
};

static struct work work_in(const struct ldp_sketch_shape *shape, size_t d, void *scratch)
{
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns, seeds = ldp_aligned(r * sizeof(uint64_t)),
                 table = ldp_aligned(r * c + LDP_HASH_BEYOND), numbers = ldp_aligned(d * sizeof(uint32_t)),
                 chosen = ldp_aligned((d / SHARE + 1) * sizeof(uint32_t)),
                 terms = (r > SAMPLE ? r : SAMPLE) * sizeof(double);
    char *const at = scratch;
    if (!at)
        return (struct work){.bytes = seeds + table + numbers + chosen + terms};
    return (struct work){(uint64_t *)(void *)at,
                         (uint8_t *)(void *)(at + seeds),
                         (uint32_t *)(void *)(at + seeds + table),
                         (uint32_t *)(void *)(at + seeds + table + numbers),
                         (double *)(void *)(at + seeds + table + numbers + chosen),
                         seeds + table + numbers + chosen + terms};
}

static bool suits(const struct ldp_sketch_shape *shape)
{
    return shape->signs == LDP_SIGNS_NONE && (shape->decode == LDP_DECODE_MEAN || shape->decode == LDP_DECODE_MEDIAN);
}

size_t ldp_largest_bytes(const struct ldp_sketch_shape *shape, size_t d)
{
    const size_t all = ldp_decode_bytes(shape, d), own = suits(shape) ? work_in(shape, d, NULL).bytes : 0;
    return all > own ? all : own;
}

/* Arranges x so that x[rank] is the number of that rank and no number before it is larger, none after it smaller. */
static void arrange(double *x, size_t count, size_t rank)
{
    size_t low = 0, high = count - 1;
    while (low < high) {
        const double pivot = x[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (x[i] < pivot)
                i++;
            while (pivot < x[j])
                j--;
            if (i >= j)
                break;
            const double swap = x[i];
            x[i++] = x[j];
            x[j--] = swap;
        }
        /* No number up to j is above the pivot, none from j + 1 on below it. */
        if (rank <= j)
            high = j;
        else
            low = j + 1;
    }
}

double ldp_middle(double *x, size_t count)
{
    arrange(x, count, count / 2);
    double below = -INFINITY;
    for (size_t i = 0; i < count / 2; i++)
        below = x[i] > below ? x[i] : below;
    return count % 2 ? x[count / 2] : (below + x[count / 2]) / 2;
}

double ldp_sketch_count_of(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, size_t value,
                           double *terms)
{
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns;
    uint32_t values[LDP_SKETCH_CHUNK], rows[LDP_SKETCH_CHUNK], at[LDP_SKETCH_CHUNK];
    bool negative[LDP_SKETCH_CHUNK];
    for (size_t j = 0; j < r; j += LDP_SKETCH_CHUNK) {
        const size_t m = r - j < LDP_SKETCH_CHUNK ? r - j : LDP_SKETCH_CHUNK;
        for (size_t i = 0; i < m; i++) {
            values[i] = (uint32_t)value;
            rows[i] = (uint32_t)(j + i);
        }
        ldp_sketch_place(shape, family, values, m, rows, at, negative);
        for (size_t i = 0; i < m; i++)
            terms[j + i] = cells[(j + i) * c + at[i]];
    }
    if (shape->decode == LDP_DECODE_MEDIAN)
        return (double)r * ldp_middle(terms, r) + 0.0; /* no negative zero */
    double sum = 0;
    for (size_t j = 0; j < r; j++)
        sum += terms[j];
    return sum;
}

/* Decodes the chosen values; the others get -infinity. */
static void decode_chosen(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, size_t d,
                          const struct work *work, size_t chosen, double *counts)
{
    for (size_t v = 0; v < d; v++)
        counts[v] = -INFINITY;
    for (size_t i = 0; i < chosen; i++)
        counts[work->chosen[i]] = ldp_sketch_count_of(shape, family, cells, work->chosen[i], work->terms);
}

/* Bound of rounding in estimates: a count that is smaller by more has a smaller estimate. */
static double slack(const struct ldp_sketch_shape *shape, double least, double largest)
{
    return 1e-9 * (double)shape->rows * fmax(fabs(least), fabs(largest));
}

static void range_of(const double *cells, size_t count, double *least, double *largest)
{
    *least = INFINITY;
    *largest = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        *least = cells[i] < *least ? cells[i] : *least;
        *largest = cells[i] > *largest ? cells[i] : *largest;
    }
}

/* ---- Means ---- */

/* The `most`-th largest of the sums, none of which is above `highest`. Returns false if counting them needs more room
 * than `terms` has. */
static bool rank_sums(const struct work *work, size_t d, size_t most, size_t room, uint32_t *out)
{
    uint32_t least = UINT32_MAX, highest = 0;
    for (size_t v = 0; v < d; v++) {
        least = work->numbers[v] < least ? work->numbers[v] : least;
        highest = work->numbers[v] > highest ? work->numbers[v] : highest;
    }
    const size_t span = (size_t)(highest - least) + 1;
    uint32_t *const having = (uint32_t *)(void *)work->terms;
    if (span > 2 * room)
        return false;
    memset(having, 0, span * sizeof *having);
    for (size_t v = 0; v < d; v++)
        having[work->numbers[v] - least]++;
    size_t above = 0, at = span;
    while (above < most)
        above += having[--at];
    *out = least + (uint32_t)at;
    return true;
}

static bool largest_means(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, size_t d,
                          size_t most, const struct work *work, double *counts)
{
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns;
    double least, largest;
    range_of(cells, r * c, &least, &largest);
    const double step = (largest - least) / STEPS;
    if (!(step > slack(shape, least, largest)))
        return false;
    const double scale = 1 / step;
    for (size_t i = 0; i < r * c; i++)
        work->table[i] = (uint8_t)((cells[i] - least) * scale + 0.5);
    ldp_hash_sums(work->seeds, r, (uint32_t)c, work->table, c, d, work->numbers);
    uint32_t rank;
    if (!rank_sums(work, d, most, r > SAMPLE ? r : SAMPLE, &rank))
        return false;
    size_t chosen = 0;
    for (size_t v = 0; v < d && chosen <= d / SHARE; v++)
        if (work->numbers[v] + r + 4 >= rank)
            work->chosen[chosen++] = (uint32_t)v;
    if (chosen > d / SHARE)
        return false;
    decode_chosen(shape, family, cells, d, work, chosen, counts);
    return true;
}

/* ---- Medians ---- */

double ldp_cells_quantile(const double *cells, size_t count, double share, double *sample)
{
    const size_t stride = count / SAMPLE | 1, size = count / stride < SAMPLE ? count / stride : SAMPLE;
    for (size_t i = 0; i < size; i++)
        sample[i] = cells[i * stride];
    const size_t rank = (size_t)(share * (double)size);
    arrange(sample, size, rank < size ? rank : size - 1);
    return sample[rank < size ? rank : size - 1];
}

static void bits_of(const double *cells, size_t count, double bound, uint8_t *bits)
{
    for (size_t i = 0; i < count; i += 8) {
        unsigned byte = 0;
        for (size_t k = 0; k < 8 && i + k < count; k++)
            byte |= (unsigned)(cells[i + k] >= bound) << k;
        bits[i / 8] = (uint8_t)byte;
    }
}

/* Decodes the values of which half of the terms are at least `bound`. Returns true if `most` of them are above it. */
static bool medians_above(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, size_t d,
                          size_t most, double bound, const struct work *work, double *counts)
{
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns;
    uint16_t *const ones = (uint16_t *)(void *)work->numbers;
    for (size_t j = 0; j < r; j++)
        bits_of(cells + j * c, c, bound, work->table + j * c);
    ldp_hash_ones(work->seeds, r, (uint32_t)c, work->table, c, d, ones);
    size_t chosen = 0, above = 0;
    for (size_t v = 0; v < d && chosen <= d / SHARE; v++)
        if (ones[v] >= (r + 1) / 2)
            work->chosen[chosen++] = (uint32_t)v;
    if (chosen < most || chosen > d / SHARE)
        return false;
    decode_chosen(shape, family, cells, d, work, chosen, counts);
    const double least = (double)r * bound + slack(shape, bound, bound);
    for (size_t i = 0; i < chosen; i++)
        above += counts[work->chosen[i]] > least;
    return above >= most;
}

static bool largest_medians(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, size_t d,
                            size_t most, const struct work *work, double *counts)
{
    const size_t r = (size_t)shape->rows, c = (size_t)shape->columns;
    double wanted = 4 * (double)most + 16; /* values with such a median */
    for (unsigned i = 0; i < GUESSES && wanted * 4 * SHARE < (double)d; i++, wanted *= 4) {
        const double share = 0.5 - ldp_normal_quantile(wanted / (double)d) / (2 * sqrt((double)r));
        if (share < 1 && medians_above(shape, family, cells, d, most,
                                       ldp_cells_quantile(cells, r * c, share, work->terms), work, counts))
            return true;
    }
    return false;
}

static bool few_medians(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, size_t d,
                        double *terms, double *counts)
{
    for (size_t v = 0; v < d; v++)
        counts[v] = ldp_sketch_count_of(shape, family, cells, v, terms);
    return true;
}

static bool largest(const struct ldp_sketch_shape *shape, uint64_t family, const double *cells, size_t d, size_t most,
                    void *scratch, double *counts)
{
    if (!suits(shape))
        return false;
    const size_t r = (size_t)shape->rows;
    const struct work work = work_in(shape, d, scratch);
    const bool medians = shape->decode == LDP_DECODE_MEDIAN;
    assert(work.seeds);
    if (medians && 2 * d <= shape->columns) /* all cells would have to be sorted */
        return few_medians(shape, family, cells, d, work.terms, counts);
    if (d < VALUES_LEAST || most * 4 * SHARE > d || r > UINT16_MAX || !ldp_hash_screens((uint32_t)shape->columns))
        return false;
    for (size_t j = 0; j < r; j++)
        work.seeds[j] = ldp_sketch_cell_seed(family, j);
    return (medians ? largest_medians : largest_means)(shape, family, cells, d, most, &work, counts);
}

void ldp_decode_largest(const struct ldp_sketch_shape *shape, uint64_t family, double *cells, size_t d, size_t most,
                        void *scratch, double *counts)
{
    if (!largest(shape, family, cells, d, most, scratch, counts))
        ldp_decode(shape, family, cells, d, scratch, counts);
}
