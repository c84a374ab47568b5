/* intervals.c - coverage of intervals, and of those of selected values: how often 95 % intervals around an estimate
 * contain the true value.
 *
 * For each estimate x the interval of core/intervals that the parameter names is computed as if x were the unprocessed
 * estimate. For `base` it is exactly that interval; for other methods it shows what happens if the margin of the
 * unprocessed estimate is used for a processed one. Values are grouped into bands by their rank in the truth: a point
 * is the last rank of its band, and the band begins after the next smaller point. For each band and collection:
 *
 *     coverage   share of the values whose interval contains their true frequency
 *     width      mean width, in units of the width 2 z sqrt(s1 / n) of an uncut interval of a value with zero frequency
 *     all        1 if all intervals contain theirs, else 0
 *
 * A mean over all values would be dominated by the rare values, which are many and easy to cover.
 * Source: see the files of the intervals; none for the query. Cost O(d) for each method, plus the cost of its
 * interval.
 *
 * selected_intervals: as intervals, but over the k values with the largest estimates, whichever they are, in place of a
 * band of true ranks: one minus the coverage is the false coverage rate. `conditional` and `selected` account for the
 * selection, `score` ignores it. A point is k; measures are undefined in a collection where no value is above the
 * threshold. Source: Benjamini and Yekutieli, JASA 2005. Cost: that of the interval, for each k and method. */
#include "queries/coverage.h"

#include "numerics/arena.h"

#include <math.h>

static const char *const kinds[] = {"score",          "exact",          "bonferroni", "power_split", "npmle_split",
                                    "power_credible", "npmle_credible", "mid_p",      "permutation", NULL},
                         *const selected_kinds[] = {"conditional", "selected", "score", NULL};

static const struct ldp_param params[] = {
    LDP_PARAM_CHOICE(
        "interval", kinds, 0, 8,
        "each value by its variance, or by the distribution of its count; all values at once; each value at its "
        "level with a fitted prior; posterior intervals; each value of a sketch by its cells' distribution"),
    {.name = NULL},
};

static const struct ldp_param selected_params[] = {
    LDP_PARAM_CHOICE("interval", selected_kinds, 0, 2,
                     "given the selection; at the false coverage rate; the selection ignored"),
    {.name = NULL},
};

static const struct ldp_interval *interval_of(const struct ldp_query_spec *spec)
{
    return ldp_interval_find((spec->query->ranks ? kinds : selected_kinds)[(int)spec->param[0]]);
}

/* Of numbers of values, and of the interval or a sort. */
static size_t step_of(size_t d)
{
    return ldp_aligned(d * sizeof(double));
}

static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    const struct ldp_interval *const interval = interval_of(spec);
    const size_t own = interval->scratch_bytes ? interval->scratch_bytes(d) : 0, sort = 2 * d * sizeof(double);
    return 3 * step_of(d) + (own > sort ? own : sort);
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

static struct ldp_coverage of_selected(const struct ldp_interval *interval, double k,
                                       const struct ldp_collection *collection, const double *f, void *work,
                                       double *low, double *high)
{
    const size_t d = collection->protocol->d;
    const double param[LDP_PARAMS_MAX] = {k};
    struct ldp_coverage coverage = {0};

    interval->apply(param, collection, LDP_COVERAGE_LEVEL, work, low, high);
    const double threshold = (size_t)k < d ? ldp_interval_threshold(collection->est, d, (size_t)k, work) : -INFINITY;
    for (size_t v = 0; v < d; v++)
        if (collection->est[v] > threshold)
            ldp_coverage_add(&coverage, low[v], high[v], f[v]);
    return coverage;
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const struct ldp_interval *const interval = interval_of(spec);
    const size_t d = population->d, step = step_of(d);
    double *const x = scratch, *const low = (double *)(void *)((char *)scratch + step),
                  *const high = (double *)(void *)((char *)scratch + 2 * step);
    void *const work = (char *)scratch + 3 * step;
    const bool suits = !interval->suits || interval->suits(protocol), bands = spec->query->ranks;

    for (size_t i = 0; i < answers->m; i++) {
        for (size_t v = 0; v < d; v++)
            x[v] = answers->est[i][v] > answers->floor[i] ? answers->est[i][v] : answers->floor[i];
        const struct ldp_collection input = ldp_coverage_of(collection, x);
        if (suits && bands)
            interval->apply(NULL, &input, LDP_COVERAGE_LEVEL, work, low, high);
        for (size_t j = 0; j < spec->npoints; j++) {
            const struct ldp_coverage coverage =
                !suits  ? (struct ldp_coverage){0}
                : bands ? measure_band(population, low, high, first_rank(spec, j), (size_t)spec->points[j])
                        : of_selected(interval, spec->points[j], &input, population->f, work, low, high);

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

const struct ldp_query ldp_query_selected_intervals = {
    .name = "selected_intervals",
    .title = "how often 95 % intervals of the k largest estimates cover the true value, and how wide they are",
    .source = "Benjamini and Yekutieli, JASA 2005",
    .params = selected_params,
    .point = LDP_PARAM_INTEGER("k", NAN, 1, UINT32_MAX, "values that are selected, at most d"),
    .measures = ldp_coverage_measures,
    .scratch_bytes = scratch_bytes,
    .measure = measure,
    .interval = interval_of,
};
