/* fixed_sets.c - squared error of the total frequency of given sets of values, averaged over the sets:
 *
 *     mse = (1/|S|) sum_{S} (max(floor, sum_{v in S} est_v) - sum_{v in S} f_v)^2.
 *
 * The paper's sets are 68 categories of emoji (Wang et al., NDSS 2020, sec. V-D, Figure 8). The sets may overlap.
 * Cost O(members) for each method. */
#include "ldp.h"

#include <assert.h>

static double error_of_sets(const struct ldp_sets *sets, const double *f, const double *est, double floor)
{
    double sum = 0;

    for (size_t s = 0; s < sets->count; s++) {
        double truth = 0, answer = 0;

        for (size_t i = sets->first[s]; i < sets->first[s + 1]; i++) {
            truth += f[sets->member[i]];
            answer += est[sets->member[i]];
        }
        const double difference = (answer > floor ? answer : floor) - truth;
        sum += difference * difference;
    }
    return sum / (double)sets->count;
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    assert(spec->sets && spec->sets->count > 0);
    for (size_t i = 0; i < answers->m; i++)
        out[i] = error_of_sets(spec->sets, population->f, answers->est[i], answers->floor[i]);
}

const struct ldp_query ldp_query_fixed_sets = {
    .name = "fixed_sets",
    .title = "total frequency of each of given sets",
    .source = "NDSS 2020, sec. V-D, Figure 8",
    .takes_sets = true,
    .samples = true,
    .measures = ldp_squared_error,
    .measure = measure,
};
