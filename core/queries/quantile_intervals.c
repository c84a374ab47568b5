/* quantile_intervals.c - coverage of the intervals of quantiles of ordered values.
 *
 * With F_v = sum_{u <= v} f_u, the quantile Q is the first v with F_v > beta. The 95 % interval low_v .. high_v of each
 * F_v (core/laws/set_interval.c) is computed from each method's estimates, as if they were the unprocessed ones: for
 * `base` it is exactly that interval. The interval of Q is
 *
 *     from the first v with high_v > beta to the last v with low_{v-1} <= beta.
 *
 * Q is below it only if the interval of F_Q is below F_Q, and above it only if that of F_{Q-1} is above F_{Q-1}: each
 * has a probability of 2.5 %, so that Q is covered with 95 % or more. Measures are undefined where the variance of sums
 * is not known. Source: ours, by inversion. Cost: d intervals for each method. */
#include "queries/coverage.h"
#include "queries/measure.h"

#include <math.h>

enum { COVERAGE, WIDTH, MEASURES };

/* Work of the variances' law, the values of a sum, and the ends of all F. */
static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    return ldp_set_interval_bytes(d) + 2 * d * sizeof(double) + d * sizeof(uint32_t);
}

static void find_bands(const struct ldp_collection *collection, int64_t *work, double *low, double *high,
                       uint32_t *value)
{
    const size_t d = collection->protocol->d;

    for (size_t v = 0; v + 1 < d; v++) {
        value[v] = (uint32_t)v;
        ldp_set_interval(collection, LDP_COVERAGE_LEVEL, value, v + 1, work, &low[v], &high[v]);
    }
    low[d - 1] = high[d - 1] = 1;
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    const size_t d = population->d;
    const bool known = ldp_set_interval_known(collection);
    double *const low = (double *)(void *)((char *)scratch + ldp_set_interval_bytes(d)), *const high = low + d;

    for (size_t i = 0; i < answers->m; i++) {
        const struct ldp_collection input = ldp_coverage_of(collection, answers->est[i]);

        if (known)
            find_bands(&input, scratch, low, high, (uint32_t *)(void *)(high + d));
        for (size_t j = 0; j < spec->npoints; j++) {
            const double beta = spec->points[j] / 100;
            double *const at = out + (i * spec->npoints + j) * MEASURES;
            uint64_t users = 0;
            size_t q = 0, from = 0, to = d - 1;

            while (q + 1 < d && !((double)(users += population->counts[q]) / (double)population->n > beta + 1e-12))
                q++;
            while (known && from + 1 < d && !(high[from] > beta))
                from++;
            while (known && to > 0 && !(low[to - 1] <= beta))
                to--;
            at[COVERAGE] = known ? from <= q && q <= to : (double)NAN;
            at[WIDTH] = known ? (to < from ? 0 : (double)(to - from + 1) / (double)d) : (double)NAN;
        }
    }
}

static const struct ldp_measure measures[] = {
    MEASURE("coverage", "share of 95 % intervals that cover the quantile", "coverage of 95 % intervals", LDP_TARGET,
            .high = 1, .target = 0.95),
    MEASURE("width", "mean width of the intervals, of the range of the values", "width of 95 % intervals", LDP_LESS,
            .high = 1, .unit = LDP_UNIT_SCALE),
    {.name = NULL},
};

const struct ldp_query ldp_query_quantile_intervals = {
    .name = "quantile_intervals",
    .title = "how often 95 % intervals of quantiles cover them, and how wide they are",
    .source = "core/laws/set_interval.c",
    .point = LDP_PARAM_REAL("percent", NAN, 0x1p-1022, 0x1.8ffffffffffffp+6,
                            "percent of the users whose values lie below the quantile, less than 100"),
    .ordered = true,
    .sums = true,
    .measures = measures,
    .scratch_bytes = scratch_bytes,
    .measure = measure,
};
