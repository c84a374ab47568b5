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
 * Cost for each set: a shuffle of up to d/2 values, and one pass over them per LANES - 1 methods. */
#include "ldpbench.h"
#include "queries/set_size.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Columns of a block: the truth and LANES - 1 methods. A fixed number keeps the running sums in registers. */
enum { LANES = 16, BATCH_MAX = 8 };

struct layout {
    double *column;  /* [blocks][d][LANES] */
    double *total;   /* [blocks][LANES], of each column */
    size_t *size;    /* [npoints], of the sets */
    size_t *order;   /* [npoints], points, by the length of the shuffle that they need */
    uint32_t *value; /* [d], the shuffle */
};

static size_t blocks_of(size_t m)
{
    return (m + LANES - 2) / (LANES - 1);
}

static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    return blocks_of(m) * (d + 1) * LANES * sizeof(double) + 2 * spec->npoints * sizeof(size_t) + d * sizeof(uint32_t);
}

/* Estimates transposed, so that the numbers of one value are adjacent. */
static void transpose(const struct ldp_population *population, const struct ldp_answers *answers, double *column)
{
    const size_t d = population->d, blocks = blocks_of(answers->m);

    memset(column, 0, blocks * d * LANES * sizeof *column);
    for (size_t b = 0; b < blocks; b++, column += d * LANES) {
        for (size_t v = 0; v < d; v++)
            column[v * LANES] = population->f[v];
        for (size_t c = 1; c < LANES && b * (LANES - 1) + c - 1 < answers->m; c++) {
            const double *const est = answers->est[b * (LANES - 1) + c - 1];

            for (size_t v = 0; v < d; v++)
                column[v * LANES + c] = est[v];
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

/* Makes the first `count` places a uniformly random arrangement of values. The numbers of a batch are the high words of
 * successive products, exact by rejection (Brackett-Rozinsky and Lemire, Batched ranged random integer generation,
 * 2024). */
static void shuffle(struct ldp_rng *rng, size_t d, size_t count, size_t batch, uint32_t *value)
{
    for (size_t i = 0, k; i < count; i += k) {
        k = count - i < batch ? count - i : batch;
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
}

static void add_values(const double *column, const uint32_t *value, size_t count, double sum[LANES])
{
    double running[LANES];

    memcpy(running, sum, sizeof running);
    for (size_t i = 0; i < count; i++) {
        const double *const row = column + (size_t)value[i] * LANES;

        for (size_t c = 0; c < LANES; c++)
            running[c] += row[c];
    }
    memcpy(sum, running, sizeof running);
}

/* Adds the squared errors of the methods first, first + 1, ... of a block on one shuffle's sets. */
static void add_errors(const struct ldp_query_spec *spec, const struct ldp_answers *answers,
                       const struct layout *layout, size_t d, const double *column, const double *total, size_t first,
                       double *out)
{
    double sum[LANES] = {0};
    size_t done = 0;

    for (size_t k = 0; k < spec->npoints; k++) {
        const size_t j = layout->order[k], m = layout->size[j], reach = part(m, d);
        const bool complement = reach < m;

        add_values(column, layout->value + done, reach - done, sum);
        done = reach;
        const double truth = complement ? total[0] - sum[0] : sum[0];
        for (size_t c = 1; c < LANES && first + c - 1 < answers->m; c++) {
            const double floor = answers->floor[first + c - 1];
            const double answer = complement ? total[c] - sum[c] : sum[c];
            /* The truth is clipped too: rounding may have made it slightly negative. */
            const double difference = (answer > floor ? answer : floor) - (truth > floor ? truth : floor);

            out[(first + c - 1) * spec->npoints + j] += difference * difference;
        }
    }
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_protocol *protocol,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    const size_t d = population->d, sets = (size_t)spec->param[0], batch = batch_of(d);
    const size_t blocks = blocks_of(answers->m), numbers = answers->m * spec->npoints;
    struct layout layout = {.column = scratch};

    (void)protocol;
    assert(spec->npoints >= 1 && sets >= 1);
    layout.total = layout.column + blocks * d * LANES;
    layout.size = (size_t *)(layout.total + blocks * LANES);
    layout.order = layout.size + spec->npoints;
    layout.value = (uint32_t *)(layout.order + spec->npoints);
    for (size_t j = 0; j < spec->npoints; j++)
        layout.size[j] = ldp_set_size(spec->points[j], d);
    order_points(layout.size, spec->npoints, d, layout.order);
    const size_t reach = part(layout.size[layout.order[spec->npoints - 1]], d);
    transpose(population, answers, layout.column);
    for (size_t v = 0; v < d; v++)
        layout.value[v] = (uint32_t)v;
    for (size_t b = 0; b < blocks; b++) {
        memset(layout.total + b * LANES, 0, LANES * sizeof *layout.total);
        add_values(layout.column + b * d * LANES, layout.value, d, layout.total + b * LANES);
    }
    for (size_t l = 0; l < numbers; l++)
        out[l] = 0;
    for (size_t s = 0; s < sets; s++) {
        /* Any arrangement can be shuffled further, so each set continues from the last one's. */
        shuffle(rng, d, reach, batch, layout.value);
        for (size_t b = 0; b < blocks; b++)
            add_errors(spec, answers, &layout, d, layout.column + b * d * LANES, layout.total + b * LANES,
                       b * (LANES - 1), out);
    }
    for (size_t l = 0; l < numbers; l++)
        out[l] /= (double)sets;
}

static const struct ldp_param params[] = {
    {"sets", LDP_INTEGER, 100, 1, 1e9, NULL, "random sets in each repetition"},
    {.name = NULL},
};

const struct ldp_query ldp_query_set_value = {
    .name = "set_value",
    .title = "total frequency of random sets of rho percent of the values",
    .source = "NDSS 2020, sec. V-D, Figures 6 and 7",
    .params = params,
    .point = {"percent", LDP_REAL, NAN, 0x1p-1022, 0x1.8ffffffffffffp6, NULL,
              "rho, percent of the domain, in (0, 100)"},
    .measures = ldp_squared_error,
    .scratch_bytes = scratch_bytes,
    .measure = measure,
};
