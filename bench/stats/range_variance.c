/* range_variance.c - see range_variance.h. */
#include "stats/range_variance.h"

#include "interval.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>

enum { VALUES_AT_MOST = 1 << 16 }; /* the work of a set of d values takes 0.5 kB each */

double range_variance(const struct ldp_protocol *protocol, double percent)
{
    const size_t d = protocol->d;
    if (d > VALUES_AT_MOST || protocol->flags & (LDP_ORACLE_BIASED | LDP_ORACLE_PREDICTED | LDP_ORACLE_SKETCH))
        return NAN;
    const struct ldp_query_spec spec = {.query = ldp_query_find("range"), .points = &percent, .npoints = 1};
    uint64_t *const counts = xmalloc(d, sizeof *counts);
    struct ldp_population *population = NULL;
    for (size_t v = 0; v < d; v++)
        counts[v] = 1;
    if (ldp_population_unranked(counts, d, &population) != LDP_OK)
        out_of_memory();
    void *const scratch = xmalloc(ldp_set_interval_bytes(d) + d * sizeof(uint32_t), 1);
    const double variance = spec.query->exact(&spec, protocol, population, 0, scratch);
    free(scratch);
    free(counts);
    ldp_population_free(population);
    return variance * (double)d;
}
