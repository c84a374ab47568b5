/* full_domain.c - mean squared error over the whole domain:
 *
 *     mse = (1/d) sum_v (max(floor, est_v) - f_v)^2.
 *
 * Source: Wang et al., NDSS 2020, sec. V-A. Cost O(d) for each method. */
#include "ldp.h"
#include "numerics/numeric.h"

#include <math.h>

static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    return d * sizeof(double);
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    const size_t d = population->d;
    double *const clipped = scratch;

    for (size_t i = 0; i < answers->m; i++) {
        const double *est = answers->est[i];
        const double floor = answers->floor[i];

        if (floor > -INFINITY) {
            for (size_t v = 0; v < d; v++)
                clipped[v] = est[v] > floor ? est[v] : floor;
            est = clipped;
        }
        out[i] = ldp_sum_squares_difference(est, population->f, d) / (double)d;
    }
}

const struct ldp_query ldp_query_full_domain = {
    .name = "full_domain",
    .title = "frequency of every value",
    .source = "NDSS 2020, sec. V-A",
    .whole_domain = true,
    .single_values = true,
    .samples = true,
    .measures = ldp_squared_error,
    .scratch_bytes = scratch_bytes,
    .measure = measure,
};
