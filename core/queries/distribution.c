/* distribution.c - distances between the estimated and the true distribution of ordered values, and errors of its
 * moments. With F_v = sum_{u <= v} f_u and values at the middles of d equal cells of [0, 1],
 *
 *     wasserstein = (1/d) sum_v |F'_v - F_v|,   ks = max_v |F'_v - F_v|,
 *     mean_error = |mu' - mu|,   variance_error = |sigma'^2 - sigma^2|.
 *
 * The unit of wasserstein and mean_error is the range of the values; a distance in values is d times as large.
 * Estimates need not sum to 1: F' is their running sum, and moments are those of the estimates as they are.
 *
 * Source: Li et al., SIGMOD 2020, sec. 6, who do not divide the Wasserstein distance by d. Cost O(d) for each method.
 */
#include "numerics/numeric.h"
#include "queries/measure.h"

#include <math.h>

enum { WASSERSTEIN, KS, MEAN, VARIANCE, MEASURES };

static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    return 3 * d * sizeof(double);
}

/* Mean and mean square of values with these frequencies; term[d]. */
static void moments(const double *f, double floor, size_t d, double *term, double moment[2])
{
    for (size_t k = 0; k < 2; k++) {
        for (size_t v = 0; v < d; v++) {
            const double x = ((double)v + 0.5) / (double)d;
            term[v] = (f[v] > floor ? f[v] : floor) * (k == 0 ? x : x * x);
        }
        moment[k] = ldp_sum(term, d);
    }
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    const size_t d = population->d;
    double *const off = scratch, *const term = off + d, *const truth = term + d, moment[2], own[2];
    uint64_t users = 0;

    for (size_t v = 0; v < d; v++) {
        users += population->counts[v];
        truth[v] = (double)users / (double)population->n;
    }
    moments(population->f, 0, d, term, moment);
    for (size_t i = 0; i < answers->m; i++) {
        const double floor = answers->floor[i], *const est = answers->est[i];
        double sum = 0, *const at = out + i * MEASURES;

        for (size_t v = 0; v < d; v++) {
            sum += est[v] > floor ? est[v] : floor;
            off[v] = fabs(sum - truth[v]);
        }
        moments(est, floor, d, term, own);
        at[WASSERSTEIN] = ldp_sum(off, d) / (double)d;
        at[KS] = ldp_largest(off, d);
        at[MEAN] = fabs(own[0] - moment[0]);
        at[VARIANCE] = fabs(own[1] - own[0] * own[0] - (moment[1] - moment[0] * moment[0]));
    }
}

static const struct ldp_measure measures[] = {
    MEASURE("wasserstein", "Wasserstein distance (1 is the range of the values)", "Wasserstein distance", LDP_LESS,
            .high = INFINITY, .unit = LDP_UNIT_SCALE),
    MEASURE("ks", "Kolmogorov-Smirnov distance", "Kolmogorov-Smirnov distance", LDP_LESS, .high = INFINITY),
    MEASURE("mean_error", "error of the mean (1 is the range of the values)", "error of the mean", LDP_LESS,
            .high = INFINITY),
    MEASURE("variance_error", "error of the variance (1 is the squared range of the values)", "error of the variance",
            LDP_LESS, .high = INFINITY),
    {.name = NULL},
};

const struct ldp_query ldp_query_distribution = {
    .name = "distribution",
    .title = "distance from the true distribution: Wasserstein, Kolmogorov-Smirnov, moments",
    .source = "SIGMOD 2020, sec. 6",
    .ordered = true,
    .measures = measures,
    .scratch_bytes = scratch_bytes,
    .measure = measure,
};
