/* set_value.c - squared error of the total frequency of random sets of values:
 *
 *     mse(rho) = mean over sets S of (max(floor, sum_{v in S} est_v) - sum_{v in S} f_v)^2,
 *
 * S uniform among the sets of max(1, floor(rho d / 100)) values.
 * Source: Wang et al., NDSS 2020, sec. V-D, Figures 6 and 7. The paper states neither the number of sets (here 100 in
 * each repetition, unless told otherwise) nor how rho d / 100 is rounded.
 *
 * One partial shuffle of the domain serves every rho: its first values are the set. So the sets of different rho in
 * one shuffle are nested, while each alone is uniform. All methods answer the same sets.
 *
 * Cost O(sets d max(rho) / 100) random numbers, and that for each LANES - 1 methods once. */
#include "ldpbench.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Columns of a block: the truth and LANES - 1 methods. A fixed number keeps the running sums in registers. */
enum { LANES = 16 };

/* Scratch: double column[blocks][d][LANES], then size_t size[npoints] and order[npoints], then uint32_t value[d]. */
struct layout {
    double *column;
    size_t *size;  /* of point j's sets */
    size_t *order; /* points by increasing size */
    uint32_t *value;
};

static size_t blocks_of(size_t m)
{
    return (m + LANES - 2) / (LANES - 1);
}

static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    return blocks_of(m) * d * LANES * sizeof(double) + 2 * spec->npoints * sizeof(size_t) + d * sizeof(uint32_t);
}

/* The tiny factor makes up for percentages such as 29.999999999999996 that sweeps by a step give. */
static size_t set_size(double percent, size_t d)
{
    const double size = floor(percent * (double)d / 100 * (1 + 1e-12));

    return size < 1 ? 1 : (size_t)size;
}

/* Estimates turned round, so that one value's numbers are neighbours. */
static void transpose(const struct ldp_population *population, const struct ldp_answers *answers, double *column)
{
    const size_t d = population->d, blocks = blocks_of(answers->m);

    memset(column, 0, blocks * d * LANES * sizeof *column);
    for (size_t b = 0; b < blocks; b++, column += d * LANES) {
        for (size_t v = 0; v < d; v++)
            column[v * LANES] = population->f[v];
        for (size_t c = 1; c < LANES && b * (LANES - 1) + c - 1 < answers->m; c++) {
            const double *est = answers->est[b * (LANES - 1) + c - 1];

            for (size_t v = 0; v < d; v++)
                column[v * LANES + c] = est[v];
        }
    }
}

static void order_points(const size_t *size, size_t npoints, size_t *order)
{
    for (size_t j = 0; j < npoints; j++) {
        size_t at = j;

        for (; at > 0 && size[order[at - 1]] > size[j]; at--)
            order[at] = order[at - 1];
        order[at] = j;
    }
}

static void add_values(const double *column, const uint32_t *value, size_t count, double sum[LANES])
{
    double total[LANES];

    memcpy(total, sum, sizeof total);
    for (size_t i = 0; i < count; i++) {
        const double *row = column + (size_t)value[i] * LANES;

        for (size_t c = 0; c < LANES; c++)
            total[c] += row[c];
    }
    memcpy(sum, total, sizeof total);
}

/* Adds the squared errors of the methods first .. m - 1 of a block on one shuffle's sets. */
static void add_errors(const struct ldp_query_spec *spec, const struct ldp_answers *answers,
                       const struct layout *layout, const double *column, size_t first, double *out)
{
    double sum[LANES] = {0};
    size_t size = 0;

    for (size_t k = 0; k < spec->npoints; k++) {
        const size_t j = layout->order[k];

        add_values(column, layout->value + size, layout->size[j] - size, sum);
        size = layout->size[j];
        for (size_t c = 1; c < LANES && first + c - 1 < answers->m; c++) {
            const size_t i = first + c - 1;
            const double difference = (sum[c] > answers->floor[i] ? sum[c] : answers->floor[i]) - sum[0];

            out[i * spec->npoints + j] += difference * difference;
        }
    }
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_protocol *protocol,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    const size_t d = population->d, sets = (size_t)spec->param[0];
    const size_t blocks = blocks_of(answers->m), numbers = answers->m * spec->npoints;
    struct layout layout = {.column = scratch};
    size_t largest;

    (void)protocol;
    layout.size = (size_t *)(layout.column + blocks * d * LANES);
    layout.order = layout.size + spec->npoints;
    layout.value = (uint32_t *)(layout.order + spec->npoints);
    for (size_t j = 0; j < spec->npoints; j++)
        layout.size[j] = set_size(spec->points[j], d);
    order_points(layout.size, spec->npoints, layout.order);
    largest = layout.size[layout.order[spec->npoints - 1]];
    assert(largest <= d);
    transpose(population, answers, layout.column);
    for (size_t v = 0; v < d; v++)
        layout.value[v] = (uint32_t)v;
    for (size_t l = 0; l < numbers; l++)
        out[l] = 0;
    for (size_t s = 0; s < sets; s++) {
        /* Any arrangement may be shuffled further, so the last set's is. */
        for (size_t i = 0; i < largest; i++) {
            const size_t j = i + (size_t)ldp_rng_below(rng, d - i);
            const uint32_t value = layout.value[j];

            layout.value[j] = layout.value[i];
            layout.value[i] = value;
        }
        for (size_t b = 0; b < blocks; b++)
            add_errors(spec, answers, &layout, layout.column + b * d * LANES, b * (LANES - 1), out);
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
    .measures = (const char *const[]){"mse", NULL},
    .scratch_bytes = scratch_bytes,
    .measure = measure,
};
