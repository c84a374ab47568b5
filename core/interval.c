/* interval.c - the table of intervals, and their common functions. */
#include "interval.h"

#include "numeric.h"
#include "registry.h"

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

LDP_FIND(interval, ldp_intervals)

/* Computes the exact variances for a histogram where one value has nearly all users: this reveals other terms than
 * those of the law. */
enum ldp_status ldp_interval_suits(const struct ldp_interval *interval, const struct ldp_protocol *protocol,
                                   struct ldp_reason *reason)
{
    const char *const name = protocol->oracle->name;
    const size_t d = protocol->d;
    if (protocol->oracle->flags & LDP_ORACLE_BIASED || protocol->flags & LDP_ORACLE_BIASED)
        return ldp_refuse(reason, "the estimates of %s are biased", name);
    if (interval->suits && !interval->suits(protocol))
        return ldp_refuse(reason, "%s intervals do not suit %s: %s", interval->name, name, interval->unsuited);
    if (!protocol->oracle->variance)
        return LDP_OK;
    uint64_t *const counts = calloc(d, sizeof *counts);
    double *const variance = malloc(d * sizeof *variance);
    void *const work = malloc(ldp_spread_law_bytes(d));
    enum ldp_status status = counts && variance && work ? LDP_OK : LDP_ENOMEM;
    if (status == LDP_OK) {
        const struct ldp_histogram histogram = {.d = d, .n = 1000, .counts = counts};
        const struct ldp_spread_law law = ldp_spread_law(protocol, histogram.n, work);
        counts[0] = 900;
        counts[d - 1] += 100;
        ldp_variance(protocol, &histogram, variance);
        for (size_t v = 0; v < d && status == LDP_OK; v++) {
            const double expected = 1000 * ldp_spread_law_at(&law, (double)counts[v] / 1000, 0.82);
            if (!(fabs(variance[v] - expected) <= 1e-9 * expected))
                status = ldp_refuse(reason, "the variance of an estimate of %s depends on other values", name);
        }
    }
    free(work);
    free(variance);
    free(counts);
    return status;
}

bool ldp_interval_normal_tails(const struct ldp_protocol *protocol)
{
    return !(protocol->flags & LDP_ORACLE_SKETCH);
}

double ldp_interval_z(double alpha)
{
    return -ldp_normal_quantile(alpha / 2);
}

/* f solves a quadratic equation. If no f is a solution, the estimate is further outside [0, 1] than noise explains. */
void ldp_score_interval(const struct ldp_interval_input *input, double z, double x, double *low, double *high)
{
    const struct ldp_spread *const spread = &input->spread;
    const double scale = z * z / (double)input->n, b = scale * spread->tf, A = 1 - scale * spread->square,
                 square =
                     scale * (spread->s1 + spread->tf * x + spread->square * (x * x - scale * spread->s1)) + b * b / 4,
                 half = square > 0 ? sqrt(square) : 0;
    const double from = (x + b / 2 - half) / A, to = (x + b / 2 + half) / A;
    *low = from < 0 ? 0 : from > 1 ? 1 : from;
    *high = to < 0 ? 0 : to > 1 ? 1 : to;
}

double ldp_interval_sd(const struct ldp_interval_input *input, double f)
{
    const struct ldp_spread *const spread = &input->spread;
    const double clipped = f < 0   ? 0
                           : f > 1 ? 1
                                   : f,
                 variance = spread->s1 + spread->tf * clipped + spread->square * clipped * clipped;
    return sqrt((variance > 0 ? variance : 0) / (double)input->n);
}

double ldp_interval_threshold(const double *est, size_t d, size_t k, double *work)
{
    memcpy(work, est, d * sizeof *work);
    ldp_sort(work, d, work + d);
    return work[d - 1 - k];
}
