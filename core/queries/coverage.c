/* coverage.c - see coverage.h. */
#include "queries/coverage.h"
#include "queries/measure.h"

#include <math.h>

const struct ldp_measure ldp_coverage_measures[] = {
    MEASURE("coverage", "share of 95 % intervals that cover the true value", "coverage of 95 % intervals", LDP_TARGET,
            .high = 1, .target = 0.95),
    MEASURE("width", "mean width of the intervals", "width / (2 z sqrt(s1 / n))", LDP_LESS, .high = INFINITY,
            .unit = LDP_UNIT_PLAIN),
    MEASURE("all", "share of collections in which all intervals cover the true value", "all intervals right", LDP_MORE,
            .high = 1),
    {.name = NULL},
};

void ldp_coverage_add(struct ldp_coverage *coverage, double low, double high, double truth)
{
    coverage->count++;
    coverage->covered += low <= truth && truth <= high;
    coverage->width += high - low;
}

void ldp_coverage_measure(const struct ldp_coverage *coverage, const struct ldp_protocol *protocol, uint64_t n,
                          double out[LDP_COVERAGE_MEASURES])
{
    const double unit = 2 * ldp_interval_z(1 - LDP_COVERAGE_LEVEL) * ldp_sigma(protocol, n);

    if (coverage->count == 0) {
        out[0] = out[1] = out[2] = NAN;
        return;
    }
    out[0] = coverage->covered / coverage->count;
    out[1] = unit > 0 ? coverage->width / coverage->count / unit : (double)NAN;
    out[2] = coverage->covered == coverage->count;
}
