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
#include "interval.h"
#include "ldpbench.h"

#include <math.h>

enum { COVERAGE, WIDTH, ALL, MEASURES };

static const char *const kinds[] = {"score",       "exact",          "bonferroni",     "power_split",
                                    "npmle_split", "power_credible", "npmle_credible", NULL};

static const struct ldp_param params[] = {
    {.name = "interval",
     .kind = LDP_CHOICE,
     .fallback = 0,
     .min = 0,
     .max = 6,
     .choices = kinds,
     .help = "each value by itself by its variance, or by the law of its count; all values at once; each value at its "
             "level with a fitted prior; posterior intervals"},
    {.name = NULL},
};

static const struct ldp_measure measures[] = {
    {.name = "coverage",
     .title = "share of 95 % intervals that hold the truth",
     .axis = "coverage of 95 % intervals",
     .better = LDP_TARGET,
     .low = 0,
     .high = 1,
     .target = 0.95},
    {.name = "width",
     .title = "mean width of the intervals",
     .axis = "width / (2 z sqrt(s1 / n))",
     .better = LDP_LESS,
     .low = 0,
     .high = INFINITY},
    {.name = "all",
     .title = "share of collections in which all intervals hold the truth",
     .axis = "all intervals right",
     .better = LDP_MORE,
     .low = 0,
     .high = 1},
    {.name = NULL},
};

static const struct ldp_interval *interval_of(const struct ldp_query_spec *spec)
{
    return ldp_interval_find(kinds[(int)spec->param[0]]);
}

static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    const struct ldp_interval *const interval = interval_of(spec);

    (void)m;
    const size_t own = interval->scratch_bytes ? interval->scratch_bytes(d) : 0, law = ldp_spread_law_bytes(d);
    return 3 * d * sizeof(double) + (own > law ? own : law);
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

static void measure_band(const struct ldp_population *population, const double *low, const double *high, size_t first,
                         size_t last, double unit, double *out)
{
    double held = 0, width = 0;

    for (size_t r = first; r < last; r++) {
        const uint32_t v = population->rank[r];

        held += low[v] <= population->f[v] && population->f[v] <= high[v];
        width += high[v] - low[v];
    }
    const double count = (double)(last - first);
    out[COVERAGE] = held / count;
    out[WIDTH] = unit > 0 ? width / count / unit : (double)NAN;
    out[ALL] = held == count;
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_protocol *protocol,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    const double level = 0.95, unit = 2 * ldp_interval_z(1 - level) * ldp_sigma(protocol, population->n);
    const struct ldp_interval *const interval = interval_of(spec);
    double *const x = scratch, *const low = x + population->d, *const high = low + population->d;
    const bool suits = !interval->suits || interval->suits(protocol);
    void *const work = high + population->d;
    const struct ldp_spread_law law = ldp_spread_law(protocol, population->n, work);

    (void)rng;
    for (size_t i = 0; i < answers->m; i++) {
        for (size_t v = 0; v < population->d; v++)
            x[v] = answers->est[i][v] > answers->floor[i] ? answers->est[i][v] : answers->floor[i];
        const struct ldp_interval_input input = {.protocol = protocol,
                                                 .n = population->n,
                                                 .level = level,
                                                 .est = x,
                                                 .spread = ldp_spread_of(&law, population->d, population->n, x)};
        if (suits)
            interval->apply(NULL, &input, work, low, high);
        for (size_t j = 0; j < spec->npoints; j++) {
            double *const of_point = out + (i * spec->npoints + j) * MEASURES;

            if (suits)
                measure_band(population, low, high, first_rank(spec, j), (size_t)spec->points[j], unit, of_point);
            else
                of_point[COVERAGE] = of_point[WIDTH] = of_point[ALL] = NAN;
        }
    }
}

const struct ldp_query ldp_query_intervals = {
    .name = "intervals",
    .title = "how often 95 % intervals around the estimates hold the truth, and how wide they are",
    .source = "core/intervals",
    .params = params,
    .point = {"rank", LDP_INTEGER, NAN, 1, UINT32_MAX, NULL, "last rank of a band of true ranks, at most d"},
    .measures = measures,
    .scratch_bytes = scratch_bytes,
    .measure = measure,
};
