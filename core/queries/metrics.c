/* metrics.c - what else is said of estimated frequencies than their mean squared error (frequency_errors.c): of values,
 * all or the `top` truly most frequent ones, and of the totals of sets, random ones of rho percent of the values as in
 * set_value or given ones as in fixed_sets, whose errors are those of the list of sets; an answer is at least `floor`.
 * tv and kl are for sets without values in common, whose totals are a distribution: random sets have neither.
 *
 * Source: LDP3, arXiv 2507.05875. Cost O(m log m + members) for each method. */
#include "queries/frequency_errors.h"
#include "queries/sample.h"
#include "queries/set_size.h"

#include <math.h>

static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    return 4 * d * sizeof(double);
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    const size_t d = population->d, m = spec->param[0] < (double)d ? (size_t)spec->param[0] : d;
    double *const f = scratch, *const x = f + d;

    for (size_t r = 0; r < m; r++)
        f[r] = population->f[population->rank[r]];
    for (size_t i = 0; i < answers->m; i++) {
        for (size_t r = 0; r < m; r++)
            x[r] = fmax(answers->est[i][population->rank[r]], answers->floor[i]);
        ldp_errors_sorted(f, x, m, population->n, x + d, out + i * LDP_ERRORS);
    }
}

/* ---- Sets ---- */

enum { RANDOM = 4 };
static const size_t of_random[RANDOM] = {LDP_ERROR_MSE, LDP_ERROR_MAE, LDP_ERROR_MAX, LDP_ERROR_KENDALL};

static size_t sets_of(const struct ldp_query_spec *spec)
{
    return spec->query->takes_sets ? spec->sets->count : (size_t)spec->param[0];
}

static size_t sets_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    return (m + 1 + LDP_ERRORS_WORK(1)) * sets_of(spec) * sizeof(double) + d * sizeof(uint32_t);
}

/* The truth of a set, of whole users, so that the same totals are the same numbers; and its answers. */
static void add_set(const struct ldp_population *population, const struct ldp_answers *answers, const uint32_t *member,
                    size_t size, size_t stride, double *f, double *x)
{
    uint64_t users = 0;

    for (size_t k = 0; k < size; k++)
        users += ldp_sample_of(population)->truth[member[k]];
    *f = (double)users / (double)population->n;
    for (size_t i = 0; i < answers->m; i++) {
        double sum = 0;

        for (size_t k = 0; k < size; k++)
            sum += answers->est[i][member[k]];
        x[i * stride] = fmax(sum, answers->floor[i]);
    }
}

static void measure_sets(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                         const struct ldp_population *population, const struct ldp_answers *answers,
                         struct ldp_rng *rng, void *scratch, double *out)
{
    const bool given = spec->query->takes_sets;
    const size_t d = population->d, count = sets_of(spec), measures = given ? LDP_ERRORS : RANDOM;
    double *const f = scratch, *const x = f + count, *const work = x + answers->m * count;
    uint32_t *const value = (uint32_t *)(void *)(work + LDP_ERRORS_WORK(count));

    for (size_t v = 0; v < d; v++)
        value[v] = (uint32_t)v;
    for (size_t j = 0; j < spec->npoints; j++) {
        const size_t size = given ? 0 : ldp_set_size(spec->points[j], d);

        for (size_t s = 0; s < count; s++) {
            if (!given)
                ldp_set_draw(rng, d, size, value);
            add_set(population, answers, given ? spec->sets->member + spec->sets->first[s] : value,
                    given ? spec->sets->first[s + 1] - spec->sets->first[s] : size, count, f + s, x + s);
        }
        for (size_t i = 0; i < answers->m; i++) {
            double of[LDP_ERRORS], *const at = out + (i * spec->npoints + j) * measures;

            ldp_errors_of(f, x + i * count, count, population->n, work, of);
            for (size_t l = 0; l < measures; l++)
                at[l] = of[given ? l : of_random[l]];
        }
    }
}

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("top", NAN, 1, UINT32_MAX, "so many values alone, the truly most frequent ones; default: all"),
    {.name = NULL},
};

const struct ldp_query ldp_query_metrics = {
    .name = "metrics",
    .title = "frequencies by other measures: absolute errors, total variation, KL divergence, Kendall's tau",
    .source = "LDP3, arXiv 2507.05875",
    .params = params,
    .ranks = true,
    .samples = true,
    .measures = ldp_frequency_errors,
    .scratch_bytes = scratch_bytes,
    .measure = measure,
};

static const struct ldp_param sets_params[] = {
    LDP_PARAM_INTEGER("sets", 20, 1, 1000000, "number of random sets in each repetition"),
    {.name = NULL},
};

const struct ldp_query ldp_query_set_metrics = {
    .name = "set_metrics",
    .title = "the same of random sets' totals",
    .source = "LDP3, arXiv 2507.05875",
    .params = sets_params,
    .point = LDP_PARAM_REAL("percent", NAN, 0x1p-1022, 100, "size of the sets, in percent of the values"),
    .samples = true,
    .measures = ldp_overlapping_errors,
    .scratch_bytes = sets_bytes,
    .measure = measure_sets,
};

const struct ldp_query ldp_query_fixed_set_metrics = {
    .name = "fixed_set_metrics",
    .title = "the same of given sets' totals",
    .source = "LDP3, arXiv 2507.05875",
    .takes_sets = true,
    .samples = true,
    .measures = ldp_frequency_errors,
    .scratch_bytes = sets_bytes,
    .measure = measure_sets,
};
