/* intervals.c - coverage of intervals: how often 95 % intervals around an estimate contain the truth.
 *
 * For each estimate x the interval of core/intervals that the parameter names is computed as if x were the unprocessed
 * estimate. For `base` it is exactly that interval; for other methods it shows what happens if the margin of the
 * unprocessed estimate is used for a processed one. Values are grouped into bands by their rank in the truth: a point
 * is the last rank of its band, and the band begins after the next smaller point. For each band and collection:
 *
 *     coverage   share of the values whose interval contains their true frequency
 *     width      mean width, in units of the width 2 z sqrt(s1 / n) of an uncut interval of a value that nobody holds
 *     all        1 if all intervals contain theirs, else 0
 *
 * A mean over all values would be dominated by the rare values, which are many and easy to cover.
 * Source: see the files of the intervals; none for the query. Cost O(d) for each method, plus the cost of its
 * interval. */
#include "queries/coverage.h"

#include <math.h>

static const char *const kinds[] = {"score",          "exact",          "bonferroni", "power_split", "npmle_split",
                                    "power_credible", "npmle_credible", "mid_p",      "permutation", NULL};

static const struct ldp_param params[] = {
    LDP_PARAM_CHOICE(
        "interval", kinds, 0, 8,
        "each value by its variance, or by the distribution of its count; all values at once; each value at its "
        "level with a fitted prior; posterior intervals; each value of a sketch by its cells' distribution"),
    {.name = NULL},
};

static const struct ldp_interval *interval_of(const struct ldp_query_spec *spec)
{
    return ldp_interval_find(kinds[(int)spec->param[0]]);
}

static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    const struct ldp_interval *const interval = interval_of(spec);

    const size_t own = interval->scratch_bytes ? interval->scratch_bytes(d) : 0;
    return 3 * d * sizeof(double) + own;
}

/* The first rank of point j's band. */
static size_t first_rank(const struct ldp_query_spec *spec, size_t j)
{
    size_t first = 0;

    for (size_t i = 0; i < spec->npoints; i++)
        if (spec->points[i] < spec->points[j] && (size_t)spec->points[i] > first)
            first = (size_t)spec->points[i];
    return first;
}

static struct ldp_coverage measure_band(const struct ldp_population *population, const double *low, const double *high,
                                        size_t first, size_t last)
{
    struct ldp_coverage coverage = {0};

    for (size_t r = first; r < last; r++) {
        const uint32_t v = population->rank[r];

        ldp_coverage_add(&coverage, low[v], high[v], population->f[v]);
    }
    return coverage;
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const struct ldp_interval *const interval = interval_of(spec);
    double *const x = scratch, *const low = x + population->d, *const high = low + population->d;
    const bool suits = !interval->suits || interval->suits(protocol);
    void *const work = high + population->d;

    for (size_t i = 0; i < answers->m; i++) {
        for (size_t v = 0; v < population->d; v++)
            x[v] = answers->est[i][v] > answers->floor[i] ? answers->est[i][v] : answers->floor[i];
        const struct ldp_collection input = ldp_coverage_of(collection, x);
        if (suits)
            interval->apply(NULL, &input, LDP_COVERAGE_LEVEL, work, low, high);
        for (size_t j = 0; j < spec->npoints; j++) {
            const struct ldp_coverage coverage =
                suits ? measure_band(population, low, high, first_rank(spec, j), (size_t)spec->points[j])
                      : (struct ldp_coverage){0};

            ldp_coverage_measure(&coverage, protocol, population->n,
                                 out + (i * spec->npoints + j) * LDP_COVERAGE_MEASURES);
        }
    }
}

const struct ldp_query ldp_query_intervals = {
    .name = "intervals",
    .title = "how often 95 % intervals around the estimates cover the true value, and how wide they are",
    .source = "core/intervals",
    .params = params,
    .point = LDP_PARAM_INTEGER("rank", NAN, 1, UINT32_MAX, "last rank of a band of true ranks, at most d"),
    .ranks = true,
    .measures = ldp_coverage_measures,
    .scratch_bytes = scratch_bytes,
    .measure = measure,
    .interval = interval_of,
};
