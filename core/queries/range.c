/* range.c - error of the total frequency of intervals of ordered values, over all of one width:
 *
 *     R_i = sum_{v=i}^{i+r-1} f_v,   r = max(1, floor(percent d / 100)),   i = 0 .. d - r,
 *     mse = mean_i (max(floor, R'_i) - R_i)^2,   mae = mean_i |max(floor, R'_i) - R_i|.
 *
 * Source: Cormode, Kulkarni and Srivastava, PVLDB 12, 2019; Li et al., SIGMOD 2020, who draw starts at random. All of
 * them take as long, and have no error of their own. Cost O(d) for each method and point. */
#include "laws/interval.h"
#include "numerics/numeric.h"
#include "protocol/protocol.h"
#include "queries/measure.h"
#include "queries/set_size.h"

#include <math.h>

enum { MSE, MAE, MEASURES };

static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    return 3 * d * sizeof(double);
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    const size_t d = population->d;
    double *const off = scratch, *const below = off + d, *const truth = below + d;
    /* Users before a value are whole numbers, so that the truth has no rounding errors of a running sum. */
    uint64_t users = 0;

    for (size_t v = 0; v < d; v++) {
        truth[v] = (double)users / (double)population->n;
        users += population->counts[v];
    }
    for (size_t i = 0; i < answers->m; i++) {
        double sum = 0;

        for (size_t v = 0; v < d; v++) {
            below[v] = sum;
            sum += answers->est[i][v];
        }
        for (size_t j = 0; j < spec->npoints; j++) {
            const size_t r = ldp_set_size(spec->points[j], d), starts = d - r + 1;
            double *const at = out + (i * spec->npoints + j) * MEASURES;

            for (size_t v = 0; v < starts; v++) {
                const double answer = (v + r < d ? below[v + r] : sum) - below[v];

                off[v] = fabs((answer > answers->floor[i] ? answer : answers->floor[i]) -
                              ((v + r < d ? truth[v + r] : 1) - truth[v]));
            }
            at[MAE] = ldp_sum(off, starts) / (double)starts;
            for (size_t v = 0; v < starts; v++)
                off[v] *= off[v];
            at[MSE] = ldp_sum(off, starts) / (double)starts;
        }
    }
}

double ldp_range_variance(const struct ldp_protocol *protocol, uint64_t n, const double *f, size_t width, void *scratch)
{
    const size_t d = protocol->d, starts = d - width + 1;
    int64_t *const work = scratch;
    uint32_t *const member = (uint32_t *)(void *)((char *)scratch + ldp_set_interval_bytes(d));
    double sum = 0, of_range = 0;
    if (!ldp_set_variance_known(protocol) || (protocol->oracle->set_variance && starts > LDP_RANGES_MAX))
        return NAN;
    for (size_t v = 0; v < d; v++)
        member[v] = (uint32_t)v;
    for (size_t v = 0; v < width; v++)
        of_range += f[v];
    for (size_t i = 0; i < starts; i++) {
        const struct ldp_variance_terms spread = ldp_set_variance_terms(protocol, n, member + i, width, f, work);
        sum += spread.s1 + spread.tf * of_range + spread.square * of_range * of_range;
        of_range += (i + width < d ? f[i + width] : 0) - f[i];
    }
    return sum / (double)starts;
}

static double exact(const struct ldp_query_spec *spec, const struct ldp_protocol *protocol,
                    const struct ldp_population *population, size_t point, void *scratch)
{
    return ldp_range_variance(protocol, population->n, population->f, ldp_set_size(spec->points[point], population->d),
                              scratch) /
           (double)population->n;
}

static const struct ldp_measure measures[] = {
    MEASURE("mse", "mean squared error", "MSE of ranges", LDP_LESS, .high = INFINITY, .unit = LDP_UNIT_POINTS),
    MEASURE("mae", "mean absolute error", "mean absolute error of ranges", LDP_LESS, .high = INFINITY),
    {.name = NULL},
};

const struct ldp_query ldp_query_range = {
    .name = "range",
    .title = "total frequency of every interval of a width",
    .source = "PVLDB 12 (2019); SIGMOD 2020",
    .point = LDP_PARAM_REAL("percent", NAN, 0x1p-1022, 100, "width of the intervals, percent of the domain"),
    .ordered = true,
    .measures = measures,
    .scratch_bytes = scratch_bytes,
    .measure = measure,
    .exact = exact,
};
