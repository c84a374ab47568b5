/* set_intervals.c - coverage of the intervals of total frequencies of sets of values.
 *
 * The score interval of a sum (core/laws/set_interval.c) is computed from each method's estimates, as if they were the
 * unprocessed ones: for `base` it is exactly that interval. The sets are random ones of percent % of the values, as in
 * set_value, given ones, as in fixed_sets, or ranges of ordered values that begin anywhere; they are fixed before the
 * data are seen. Measures are undefined where the variance of sums is not known (sketches). Source:
 * core/laws/set_interval.c. Cost O(members) for each method; for hr also a transform for each set. */
#include "queries/coverage.h"
#include "queries/set_size.h"

static const struct ldp_param range_params[] = {
    LDP_PARAM_INTEGER("ranges", 20, 1, 1000000, "number of random ranges in each repetition"),
    {.name = NULL},
};
static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("sets", 20, 1, 1000000, "number of random sets in each repetition"),
    {.name = NULL},
};

/* Work of the variances' law and of sums, then the arrangement of values that the sets are taken from. */
static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    return ldp_set_interval_bytes(d) + d * sizeof(uint32_t);
}

static void add_set(const struct ldp_collection *collection, const double *f, const uint32_t *member, size_t size,
                    int64_t *work, struct ldp_coverage *coverage)
{
    double truth = 0, low, high;

    for (size_t i = 0; i < size; i++)
        truth += f[member[i]];
    ldp_set_interval(collection, LDP_COVERAGE_LEVEL, member, size, work, &low, &high);
    /* A sum of frequencies may be above 1, or an end below the true value, by a rounding error. */
    ldp_coverage_add(coverage, low - 1e-12, high + 1e-12, truth);
}

/* value[0 .. size-1] = a range of d values. */
static void draw_range(struct ldp_rng *rng, size_t d, size_t size, uint32_t *value)
{
    const uint32_t first = (uint32_t)ldp_rng_below(rng, d - size + 1);

    for (size_t v = 0; v < size; v++)
        value[v] = first + (uint32_t)v;
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    const struct ldp_sets *const given = spec->query->takes_sets ? spec->sets : NULL;
    const size_t d = population->d, sets = given ? given->count : (size_t)spec->param[0];
    int64_t *const work = scratch;
    uint32_t *const value = (uint32_t *)(void *)((char *)scratch + ldp_set_interval_bytes(d));

    for (size_t i = 0; i < answers->m; i++) {
        const struct ldp_collection input = ldp_coverage_of(collection, answers->est[i]);
        struct ldp_rng same = *rng; /* all methods are asked about the same sets */

        for (size_t v = 0; v < d; v++)
            value[v] = (uint32_t)v;
        for (size_t j = 0; j < spec->npoints; j++) {
            const size_t drawn = given ? 0 : ldp_set_size(spec->points[j], d);
            struct ldp_coverage coverage = {0};

            for (size_t s = 0; s < sets && ldp_set_interval_known(collection); s++) {
                if (spec->query->ordered)
                    draw_range(&same, d, drawn, value);
                else
                    ldp_set_draw(&same, d, drawn, value);
                add_set(&input, population->f, given ? given->member + given->first[s] : value,
                        given ? given->first[s + 1] - given->first[s] : drawn, work, &coverage);
            }
            ldp_coverage_measure(&coverage, collection->protocol, population->n,
                                 out + (i * spec->npoints + j) * LDP_COVERAGE_MEASURES);
        }
    }
}

#define INTERVALS                                                                                                      \
    .source = "core/laws/set_interval.c", .sums = true, .measures = ldp_coverage_measures,                             \
    .scratch_bytes = scratch_bytes, .measure = measure

const struct ldp_query ldp_query_set_intervals = {
    .name = "set_intervals",
    .title = "how often 95 % intervals of random sets' total frequencies cover the true value, and how wide they are",
    .params = params,
    .point = LDP_PARAM_REAL("percent", NAN, 0x1p-1074, 100, "size of the sets, in percent of the values"),
    INTERVALS,
};

const struct ldp_query ldp_query_fixed_set_intervals = {
    .name = "fixed_set_intervals",
    .title = "how often 95 % intervals of given sets' total frequencies cover the true value, and how wide they are",
    .takes_sets = true,
    INTERVALS,
};

const struct ldp_query ldp_query_range_intervals = {
    .name = "range_intervals",
    .title = "how often 95 % intervals of ranges' total frequencies cover the true value, and how wide they are",
    .params = range_params,
    .point = LDP_PARAM_REAL("percent", NAN, 0x1p-1022, 100, "width of the ranges, in percent of the domain"),
    .ordered = true,
    INTERVALS,
};
