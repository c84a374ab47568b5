/* selected_intervals.c - coverage of the intervals of the k values with the largest estimates.
 *
 * As in `intervals`, but over the selected values, whichever they are, in place of a band of true ranks: one minus the
 * coverage is the false coverage rate. `conditional` and `selected` account for the selection, `score` ignores it. A
 * point is k; measures are undefined in a collection where no value is above the threshold. Source: Benjamini and
 * Yekutieli, JASA 2005. Cost: that of the interval, for each k and method. */
#include "queries/coverage.h"

#include "numerics/arena.h"

#include <math.h>

static const char *const kinds[] = {"conditional", "selected", "score", NULL};
enum { SCORE = 2 };

static const struct ldp_param params[] = {
    LDP_PARAM_CHOICE("interval", kinds, 0, SCORE,
                     "given the selection; at the false coverage rate; the selection ignored"),
    {.name = NULL},
};

static size_t interval_bytes(const struct ldp_interval *interval, size_t d)
{
    const size_t own = interval->scratch_bytes ? interval->scratch_bytes(d) : 0, sort = 2 * d * sizeof(double);

    return own > sort ? own : sort;
}

static const struct ldp_interval *interval_of(const struct ldp_query_spec *spec)
{
    return ldp_interval_find(kinds[(int)spec->param[0]]);
}

static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    return 3 * ldp_aligned(d * sizeof(double)) + interval_bytes(interval_of(spec), d);
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
    const size_t d = population->d, step = ldp_aligned(d * sizeof(double));
    double *const x = scratch, *const low = (double *)(void *)((char *)scratch + step),
                  *const high = (double *)(void *)((char *)scratch + 2 * step);
    void *const work = (char *)scratch + 3 * step;
    const bool suits = !interval->suits || interval->suits(protocol);

    for (size_t i = 0; i < answers->m; i++) {
        for (size_t v = 0; v < d; v++)
            x[v] = answers->est[i][v] > answers->floor[i] ? answers->est[i][v] : answers->floor[i];
        const struct ldp_collection input = ldp_coverage_of(collection, x);
        for (size_t j = 0; j < spec->npoints; j++) {
            const struct ldp_coverage coverage =
                suits ? of_selected(interval, spec->points[j], &input, population->f, work, low, high)
                      : (struct ldp_coverage){0};

            ldp_coverage_measure(&coverage, protocol, population->n,
                                 out + (i * spec->npoints + j) * LDP_COVERAGE_MEASURES);
        }
    }
}

const struct ldp_query ldp_query_selected_intervals = {
    .name = "selected_intervals",
    .title = "how often 95 % intervals of the k largest estimates cover the true value, and how wide they are",
    .source = "Benjamini and Yekutieli, JASA 2005",
    .params = params,
    .point = LDP_PARAM_INTEGER("k", NAN, 1, UINT32_MAX, "values that are selected, at most d"),
    .measures = ldp_coverage_measures,
    .scratch_bytes = scratch_bytes,
    .measure = measure,
    .interval = interval_of,
};
