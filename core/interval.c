/* interval.c - the table of intervals, and their common functions. */
#include "interval.h"

#include "numeric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LDP_INTERVAL(id) extern const struct ldp_interval ldp_interval_##id;
#include "intervals.def"
#undef LDP_INTERVAL

#define LDP_INTERVAL(id) &ldp_interval_##id,
const struct ldp_interval *const ldp_intervals[] = {
#include "intervals.def"
    NULL};

const struct ldp_interval *ldp_interval_find(const char *name)
{
    for (size_t i = 0; ldp_intervals[i]; i++)
        if (strcmp(ldp_intervals[i]->name, name) == 0)
            return ldp_intervals[i];
    return NULL;
}

/* Computes the exact variances for a histogram where one value has nearly all users: this reveals terms besides s1 and
 * tf. */
enum ldp_status ldp_interval_suits(const struct ldp_interval *interval, const struct ldp_protocol *protocol,
                                   struct ldp_reason *reason)
{
    const char *const name = protocol->oracle->name;
    const size_t d = protocol->d;
    if (protocol->oracle->flags & LDP_ORACLE_BIASED)
        return ldp_refuse(reason, "the estimates of %s are biased", name);
    if (interval->suits && !interval->suits(protocol))
        return ldp_refuse(reason, "%s intervals do not suit %s: its supports are no counts of reports", interval->name,
                          name);
    if (!protocol->oracle->variance)
        return LDP_OK;
    uint64_t *const counts = calloc(d, sizeof *counts);
    double *const variance = malloc(d * sizeof *variance);
    enum ldp_status status = counts && variance ? LDP_OK : LDP_ENOMEM;
    if (status == LDP_OK) {
        const struct ldp_histogram histogram = {.d = d, .n = 1000, .counts = counts};
        counts[0] = 900;
        counts[d - 1] += 100;
        ldp_variance(protocol, &histogram, variance);
        for (size_t v = 0; v < d && status == LDP_OK; v++) {
            const double expected = 1000 * protocol->s1 + (double)counts[v] * protocol->tf;
            if (!(fabs(variance[v] - expected) <= 1e-9 * expected))
                status = ldp_refuse(reason, "the variance of an estimate of %s depends on other values", name);
        }
    }
    free(variance);
    free(counts);
    return status;
}

double ldp_interval_z(double alpha)
{
    return -ldp_normal_quantile(alpha / 2);
}

/* f - b/2 solves a quadratic equation. If no f is a solution, the estimate is further outside [0, 1] than noise
 * explains. */
void ldp_score_interval(const struct ldp_protocol *protocol, uint64_t n, double z, double x, double *low, double *high)
{
    const double scale = z * z / (double)n, b = scale * protocol->tf,
                 square = scale * (protocol->s1 + protocol->tf * x) + b * b / 4, half = square > 0 ? sqrt(square) : 0;
    const double from = x + b / 2 - half, to = x + b / 2 + half;
    *low = from < 0 ? 0 : from > 1 ? 1 : from;
    *high = to < 0 ? 0 : to > 1 ? 1 : to;
}

double ldp_interval_threshold(const double *est, size_t d, size_t k, double *work)
{
    memcpy(work, est, d * sizeof *work);
    ldp_sort(work, d, work + d);
    return work[d - 1 - k];
}
