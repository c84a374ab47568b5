/* top_k.c - mean squared error over the k values with the largest true frequencies:
 *
 *     mse(k) = (1/k) sum_{v in D_tk} (max(floor, est_v) - f_v)^2.
 *
 * Values of equal count are ranked by their number. Neither oracle nor method knows D_tk.
 * Source: Wang et al., NDSS 2020, sec. V-E. Cost O(sum of k) for each method. */
#include "ldp.h"

#include <assert.h>
#include <math.h>

static double error_of_top(const struct ldp_population *population, const double *est, double floor, size_t k)
{
    double sum = 0;

    for (size_t r = 0; r < k; r++) {
        const uint32_t v = population->rank[r];
        const double difference = (est[v] > floor ? est[v] : floor) - population->f[v];

        sum += difference * difference;
    }
    return sum / (double)k;
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    for (size_t j = 0; j < spec->npoints; j++) {
        const size_t k = (size_t)spec->points[j];

        assert(k >= 1 && k <= population->d);
        for (size_t i = 0; i < answers->m; i++)
            out[i * spec->npoints + j] = error_of_top(population, answers->est[i], answers->floor[i], k);
    }
}

const struct ldp_query ldp_query_top_k = {
    .name = "top_k",
    .title = "frequencies of the k truly most frequent values",
    .source = "NDSS 2020, sec. V-E",
    .point = LDP_PARAM_INTEGER("k", NAN, 1, UINT32_MAX, "values, at most d"),
    .ranks = true,
    .single_values = true,
    .samples = true,
    .measures = ldp_squared_error,
    .measure = measure,
};
