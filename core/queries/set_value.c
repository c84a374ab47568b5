/* set_value.c - squared error of the total frequency of random sets of values:
 *
 *     mse(rho) = mean over sets S of (max(floor, sum_{v in S} est_v) - sum_{v in S} f_v)^2,
 *
 * S uniform among the sets of m = max(1, floor(rho d / 100)) values.
 * Source: Wang et al., NDSS 2020, sec. V-D, Figures 6 and 7. The paper states neither the number of sets (here 100 in
 * each repetition by default) nor how rho d / 100 is rounded.
 *
 * One partial shuffle of the domain gives a set for every rho: its first m values or, if m > d/2, all but its first d -
 * m values. So each set alone is uniform, while the sets of one shuffle depend on each other: they are nested up to
 * d/2, and those of rho and 100 - rho are complements. All methods answer the same sets.
 *
 * Cost for each set: a shuffle of up to d/2 values, and one pass over them per 15 methods. */
#include "ldp.h"
#include "numerics/numeric.h"
#include "queries/set_size.h"
#include "simd/simd.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Columns of a block: the truth and one less methods; few methods have narrow blocks. A fixed number keeps the running
 * sums in registers. */
enum { LANES = 16, NARROW_LANES = 8, GROUP_MAX = 4, BATCH_MAX = 8 };

struct layout {
    size_t d, lanes; /* lanes: LANES or NARROW_LANES */
    size_t stride;   /* of sets: values of the longest shuffle that a set needs */
    double *column;  /* [blocks][d][lanes] */
    double *total;   /* [blocks][lanes], of each column */
    size_t *size;    /* [npoints], of the sets */
    size_t *order;   /* [npoints], points, by the length of the shuffle that they need */
    uint32_t *value; /* [d], the shuffle */
    uint32_t *set;   /* [GROUP_MAX][stride], a group of sets */
};

static size_t lanes_of(size_t m)
{
    return m < NARROW_LANES ? NARROW_LANES : LANES;
}

static size_t blocks_of(size_t m)
{
    return (m + lanes_of(m) - 2) / (lanes_of(m) - 1);
}

static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    return blocks_of(m) * (d + 1) * lanes_of(m) * sizeof(double) + 2 * spec->npoints * sizeof(size_t) +
           (1 + GROUP_MAX) * d * sizeof(uint32_t);
}

/* Estimates transposed, so that the numbers of one value are adjacent. */
static void transpose(const struct ldp_population *population, const struct ldp_answers *answers, size_t lanes,
                      double *column)
{
    const size_t d = population->d, blocks = blocks_of(answers->m);

    memset(column, 0, blocks * d * lanes * sizeof *column);
    for (size_t b = 0; b < blocks; b++, column += d * lanes) {
        for (size_t v = 0; v < d; v++)
            column[v * lanes] = population->f[v];
        for (size_t c = 1; c < lanes && b * (lanes - 1) + c - 1 < answers->m; c++) {
            const double *const est = answers->est[b * (lanes - 1) + c - 1];

            for (size_t v = 0; v < d; v++)
                column[v * lanes + c] = est[v];
        }
    }
}

/* The length of the shuffle that a set of m values needs. */
static size_t part(size_t m, size_t d)
{
    return m <= d / 2 ? m : d - m;
}

static void order_points(const size_t *size, size_t npoints, size_t d, size_t *order)
{
    for (size_t j = 0; j < npoints; j++) {
        size_t at = j;

        for (; at > 0 && part(size[order[at - 1]], d) > part(size[j], d); at--)
            order[at] = order[at - 1];
        order[at] = j;
    }
}

/* How many bounded numbers are made from one random word: the product of their bounds stays below 2^52. */
static size_t batch_of(size_t d)
{
    const uint64_t limit = UINT64_C(1) << 52;
    size_t batch = 1;

    for (uint64_t product = d; batch < BATCH_MAX && product <= limit / d; product *= d)
        batch++;
    return batch;
}

/* k positions from i on. */
LDP_INLINE void shuffle_some(struct ldp_rng *rng, size_t d, size_t i, size_t k, uint32_t *value)
{
    uint64_t product = 1;
    for (size_t c = 0; c < k; c++)
        product *= d - i - c;
    assert(product > 0);
    size_t pick[BATCH_MAX];
    uint64_t low;
    do {
        low = ldp_rng_next(rng);
        for (size_t c = 0; c < k; c++) {
            const ldp_uint128 x = (ldp_uint128)low * (d - i - c);

            pick[c] = i + c + (size_t)(x >> 64);
            low = (uint64_t)x;
        }
    } while (low < product && low < -product % product);
    for (size_t c = 0; c < k; c++) {
        const uint32_t kept = value[i + c];

        value[i + c] = value[pick[c]];
        value[pick[c]] = kept;
    }
}

/* As many whole batches as there are below `count`; a fixed size keeps a batch in registers. */
LDP_INLINE size_t shuffle_batches(struct ldp_rng *rng, size_t d, size_t count, size_t batch, uint32_t *value)
{
    size_t i = 0;

    for (; i + batch <= count; i += batch)
        shuffle_some(rng, d, i, batch, value);
    return i;
}

/* Makes the first `count` positions a uniformly random arrangement of values. The numbers of a batch are the high words
 * of successive products, exact by rejection (Brackett-Rozinsky and Lemire, Batched ranged random integer generation,
 * 2024). */
static void shuffle(struct ldp_rng *rng, size_t d, size_t count, size_t batch, uint32_t *value)
{
    size_t done;

    switch (batch) {
    case 4: done = shuffle_batches(rng, d, count, 4, value); break;
    case 5: done = shuffle_batches(rng, d, count, 5, value); break;
    case 6: done = shuffle_batches(rng, d, count, 6, value); break;
    default: done = shuffle_batches(rng, d, count, batch, value);
    }
    if (done < count)
        shuffle_some(rng, d, done, count - done, value);
}

/* Sets whose sums are in registers together. */
static size_t group_of(size_t lanes)
{
    return lanes == NARROW_LANES ? GROUP_MAX : GROUP_MAX / 2;
}

/* Doubles of a level's registers, and sums that are kept in registers at a time: wider vectors or more sums would be
 * spilled. */
enum { WIDTH_generic = 2, WIDTH_avx2 = 4, WIDTH_avx512 = 8, SUMS_generic = 16, SUMS_avx2 = 32, SUMS_avx512 = 32 };

/* add: sum[group][lanes] of sets value[group][stride], from their first values on. add_rows adds the rows of some
 * values of each set of a group: one after the other each sum would wait for its last addition. */
#define LEVEL(name)                                                                                                    \
    LDP_TARGET_##name LDP_INLINE void add_rows_##name(const double *column, const uint32_t *value, size_t stride,      \
                                                      size_t count, size_t group, size_t lanes, double *sum)           \
    {                                                                                                                  \
        typedef double vector __attribute__((vector_size(WIDTH_##name * sizeof(double))));                             \
        const size_t some = group * lanes < SUMS_##name ? group * lanes : SUMS_##name;                                 \
        for (size_t from = 0; from < group * lanes; from += some) {                                                    \
            vector running[SUMS_##name / WIDTH_##name], row;                                                           \
            memcpy(running, sum + from, some * sizeof *sum);                                                           \
            for (size_t i = 0; i < count; i++)                                                                         \
                _Pragma("GCC unroll 8") for (size_t n = 0; n < some / WIDTH_##name; n++)                               \
                {                                                                                                      \
                    const size_t first = from + n * WIDTH_##name;                                                      \
                    memcpy(&row, column + (size_t)value[first / lanes * stride + i] * lanes + first % lanes,           \
                           sizeof row);                                                                                \
                    running[n] += row;                                                                                 \
                }                                                                                                      \
            memcpy(sum + from, running, some * sizeof *sum);                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    LDP_TARGET_##name static void add_##name(const double *column, const uint32_t *value, size_t stride, size_t count, \
                                             size_t group, size_t lanes, double *sum)                                  \
    {                                                                                                                  \
        if (lanes == NARROW_LANES && group == GROUP_MAX)                                                               \
            add_rows_##name(column, value, stride, count, GROUP_MAX, NARROW_LANES, sum);                               \
        else if (lanes == LANES && group == GROUP_MAX / 2)                                                             \
            add_rows_##name(column, value, stride, count, GROUP_MAX / 2, LANES, sum);                                  \
        else                                                                                                           \
            for (size_t g = 0; g < group; g++)                                                                         \
                add_rows_##name(column, value + g * stride, stride, count, 1, lanes, sum + g * lanes);                 \
    }
LDP_VECTOR_LEVELS(LEVEL)

/* Adds the squared errors of the methods first, first + 1, ... of a block on a group of sets, set after set. */
static void add_errors(const struct ldp_query_spec *spec, const struct ldp_answers *answers,
                       const struct layout *layout, size_t group, size_t block, double *out)
{
    const size_t lanes = layout->lanes, d = layout->d, first = block * (lanes - 1);
    const double *const total = layout->total + block * lanes;
    double sum[LANES * GROUP_MAX] = {0};
    size_t done = 0;

    for (size_t k = 0; k < spec->npoints; k++) {
        const size_t j = layout->order[k], m = layout->size[j], reach = part(m, d);
        const bool complement = reach < m;

        LDP_BEST(add)
        (layout->column + block * d * lanes, layout->set + done, layout->stride, reach - done, group, lanes, sum);
        done = reach;
        for (size_t g = 0; g < group; g++) {
            const double *const of = sum + g * lanes;
            const double truth = complement ? total[0] - of[0] : of[0];

            for (size_t c = 1; c < lanes && first + c - 1 < answers->m; c++) {
                const double floor = answers->floor[first + c - 1];
                const double answer = complement ? total[c] - of[c] : of[c];
                /* The truth is clipped too: rounding may have made it slightly negative. */
                const double difference = (answer > floor ? answer : floor) - (truth > floor ? truth : floor);

                out[(first + c - 1) * spec->npoints + j] += difference * difference;
            }
        }
    }
}

/* ---- All sets ---- */

enum { ARRANGEMENTS = 4 };

/* Sums of squared errors of sets, with answers as they are and clipped. */
struct errors {
    double plain, clipped;
};

/* Sums of estimates and of true frequencies over the first values of a random arrangement, [d + 1]. */
struct arrangement {
    double *answer, *truth;
    uint32_t *value;       /* [d] */
    struct errors *errors; /* [npoints] */
};

/* The errors of m values that are neighbours, the last value being the first one's: of each random arrangement these
 * are d sets, and each of them alone is uniform. */
static void add_neighbours(const struct arrangement *sums, size_t d, size_t m, double floor, struct errors *errors)
{
    for (size_t i = 0; i < d; i++) {
        const size_t end = i + m < d ? i + m : i + m - d;
        const bool wraps = i + m >= d;
        const double answer = sums->answer[end] - sums->answer[i] + (wraps ? sums->answer[d] : 0);
        const double truth = sums->truth[end] - sums->truth[i] + (wraps ? sums->truth[d] : 0);
        const double plain = answer - truth;
        const double clipped = answer >= floor ? plain : floor - (truth > floor ? truth : floor);

        errors->plain += plain * plain;
        errors->clipped += clipped * clipped;
    }
}

static void arrange(const struct ldp_population *population, const double *est, struct ldp_rng *rng,
                    const struct arrangement *sums)
{
    const size_t d = population->d;

    shuffle(rng, d, d, batch_of(d), sums->value);
    sums->answer[0] = sums->truth[0] = 0;
    for (size_t i = 0; i < d; i++) {
        sums->answer[i + 1] = sums->answer[i] + est[sums->value[i]];
        sums->truth[i + 1] = sums->truth[i] + population->f[sums->value[i]];
    }
}

/* Scales out[npoints], the exact errors of unclipped answers, by what clipping leaves of the errors of random sets. A
 * ratio is never negative, exact where nothing is clipped, and has less variance than a difference of the two. Every
 * method with a floor sees the same arrangements. */
static void clip(const struct ldp_query_spec *spec, const struct ldp_population *population, const double *est,
                 double floor, struct ldp_rng rng, const struct arrangement *sums, double *out)
{
    const size_t d = population->d;

    memset(sums->errors, 0, spec->npoints * sizeof *sums->errors);
    for (size_t v = 0; v < d; v++)
        sums->value[v] = (uint32_t)v;
    for (size_t k = 0; k < ARRANGEMENTS; k++) {
        arrange(population, est, &rng, sums);
        for (size_t j = 0; j < spec->npoints; j++)
            add_neighbours(sums, d, ldp_set_size(spec->points[j], d), floor, &sums->errors[j]);
    }
    for (size_t j = 0; j < spec->npoints; j++)
        if (sums->errors[j].plain > 0)
            out[j] *= sums->errors[j].clipped / sums->errors[j].plain;
}

static void measure_all_sets(const struct ldp_query_spec *spec, const struct ldp_population *population,
                             const struct ldp_answers *answers, const struct ldp_rng *rng, void *scratch, double *out)
{
    const size_t d = population->d;
    const double truth = ldp_sum(population->f, d);
    struct arrangement sums = {.errors = scratch};

    sums.answer = (double *)(sums.errors + spec->npoints);
    sums.truth = sums.answer + d + 1;
    sums.value = (uint32_t *)(sums.truth + d + 1);
    for (size_t i = 0; i < answers->m; i++, out += spec->npoints) {
        const double *const est = answers->est[i];
        const double mean = (ldp_sum(est, d) - truth) / (double)d;
        const double square = ldp_sum_squares_difference(est, population->f, d) / (double)d;
        const double variance = fmax(0, square - mean * mean);

        for (size_t j = 0; j < spec->npoints; j++) {
            const double m = (double)ldp_set_size(spec->points[j], d), rest = (double)d - m;

            out[j] = m * rest / (double)(d - 1) * variance + m * mean * (m * mean);
        }
        if (answers->floor[i] > -INFINITY)
            clip(spec, population, est, answers->floor[i], *rng, &sums, out);
    }
}

/* ---- Random sets ---- */

static struct layout lay_out(const struct ldp_query_spec *spec, size_t d, size_t m, void *scratch)
{
    struct layout layout = {.d = d, .lanes = lanes_of(m), .column = scratch};

    layout.total = layout.column + blocks_of(m) * d * layout.lanes;
    layout.size = (size_t *)(layout.total + blocks_of(m) * layout.lanes);
    layout.order = layout.size + spec->npoints;
    layout.value = (uint32_t *)(layout.order + spec->npoints);
    layout.set = layout.value + d;
    for (size_t j = 0; j < spec->npoints; j++)
        layout.size[j] = ldp_set_size(spec->points[j], d);
    order_points(layout.size, spec->npoints, d, layout.order);
    layout.stride = part(layout.size[layout.order[spec->npoints - 1]], d);
    for (size_t v = 0; v < d; v++)
        layout.value[v] = (uint32_t)v;
    return layout;
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    const size_t d = population->d, sets = (size_t)spec->param[0], batch = batch_of(d);
    const size_t blocks = blocks_of(answers->m), numbers = answers->m * spec->npoints;

    assert(spec->npoints >= 1);
    if (sets == 0) {
        measure_all_sets(spec, population, answers, rng, scratch, out);
        return;
    }
    const struct layout layout = lay_out(spec, d, answers->m, scratch);
    const size_t most = group_of(layout.lanes);
    transpose(population, answers, layout.lanes, layout.column);
    memset(layout.total, 0, blocks * layout.lanes * sizeof *layout.total);
    for (size_t b = 0; b < blocks; b++)
        LDP_BEST(add)
    (layout.column + b * d * layout.lanes, layout.value, d, d, 1, layout.lanes, layout.total + b * layout.lanes);
    for (size_t l = 0; l < numbers; l++)
        out[l] = 0;
    for (size_t s = 0, group; s < sets; s += group) {
        group = sets - s < most ? sets - s : most;
        for (size_t g = 0; g < group; g++) {
            /* Any arrangement can be shuffled further, so each set continues from the last one's. */
            shuffle(rng, d, layout.stride, batch, layout.value);
            memcpy(layout.set + g * layout.stride, layout.value, layout.stride * sizeof *layout.set);
        }
        for (size_t b = 0; b < blocks; b++)
            add_errors(spec, answers, &layout, group, b, out);
    }
    for (size_t l = 0; l < numbers; l++)
        out[l] /= (double)sets;
}

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("sets", 100, 0, 1e9,
                      "random sets in each repetition; 0: the mean over all sets, estimated where answers are clipped"),
    {.name = NULL},
};

static const double all_sets[LDP_PARAMS_MAX] = {0};

const struct ldp_query ldp_query_set_value = {
    .name = "set_value",
    .title = "total frequency of random sets of rho percent of the values",
    .source = "NDSS 2020, sec. V-D, Figures 6 and 7",
    .params = params,
    .point = LDP_PARAM_REAL("percent", NAN, 0x1p-1022, 0x1.8ffffffffffffp6, "rho, percent of the domain, in (0, 100)"),
    .expected = all_sets,
    .samples = true,
    .measures = ldp_squared_error,
    .scratch_bytes = scratch_bytes,
    .measure = measure,
};
