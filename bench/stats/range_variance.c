/* range_variance.c - see range_variance.h. */
#include "stats/range_variance.h"

#include "laws/interval.h"
#include "queries/set_size.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>

enum { VALUES_AT_MOST = 1 << 16 }; /* the work of a set of d values takes 0.5 kB each */

double range_variance(const struct ldp_protocol *protocol, double percent)
{
    const size_t d = protocol->d;
    if (d > VALUES_AT_MOST || protocol->flags & (LDP_ORACLE_BIASED | LDP_ORACLE_PREDICTED | LDP_ORACLE_SKETCH))
        return NAN;
    double *const f = xmalloc(d, sizeof *f);
    for (size_t v = 0; v < d; v++)
        f[v] = 1 / (double)d;
    void *const scratch = xmalloc(ldp_set_interval_bytes(d) + d * sizeof(uint32_t), 1);
    const double variance = ldp_range_variance(protocol, 0, f, ldp_set_size(percent, d), scratch);
    free(scratch);
    free(f);
    return variance;
}
