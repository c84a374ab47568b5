/* max_error.c - the largest error of a value, max_v |max(floor, est_v) - f_v|: said next to that of full_domain, whose
 * root is a typical error. Source: LDP3, arXiv 2507.05875. Cost O(d) for each method. */
#include "queries/measure.h"

#include <math.h>

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    for (size_t i = 0; i < answers->m; i++) {
        out[i] = 0;
        for (size_t v = 0; v < population->d; v++)
            out[i] = fmax(out[i], fabs(fmax(answers->est[i][v], answers->floor[i]) - population->f[v]));
    }
}

static const struct ldp_measure measures[] = {
    MEASURE("max_error", "largest error of a value", "largest error", LDP_LESS, .high = INFINITY,
            .unit = LDP_UNIT_LARGEST),
    {.name = NULL},
};

const struct ldp_query ldp_query_max_error = {
    .name = "max_error",
    .title = "largest error of a value",
    .source = "LDP3, arXiv 2507.05875",
    .samples = true,
    .measures = measures,
    .measure = measure,
};
