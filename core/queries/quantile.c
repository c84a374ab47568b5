/* quantile.c - error of a quantile of ordered values. With F_v = sum_{u <= v} f_u and F'_v the largest running sum of
 * the estimates up to v,
 *
 *     Q = the first v with F_v > beta, or d - 1 if there is none,
 *     quantile_error = |Q' - Q| / d,   rank_error = the distance of beta from F_{Q'-1} .. F_{Q'}.
 *
 * quantile_error is in units of the range of the values; rank_error is the share of users between the answer and the
 * quantile, 0 if the answer is right.
 *
 * Source: Li et al., SIGMOD 2020, sec. 6 (the mean over beta = 10 % .. 90 %); Cormode, Kulkarni and Srivastava, PVLDB
 * 12, 2019, for both errors. Cost O(d) for each method. */
#include "queries/measure.h"

#include <math.h>

enum { QUANTILE, RANK, MEASURES };

static size_t scratch_bytes(const struct ldp_query_spec *spec, size_t d, size_t m)
{
    return 2 * d * sizeof(double);
}

/* F ascends. What rounds above beta in a running sum is not above it. */
static size_t quantile(const double *F, size_t d, double beta)
{
    size_t v = 0;

    while (v + 1 < d && !(F[v] > beta + 1e-12))
        v++;
    return v;
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    const size_t d = population->d;
    double *const truth = scratch, *const F = truth + d;
    uint64_t users = 0;

    for (size_t v = 0; v < d; v++) {
        users += population->counts[v];
        truth[v] = (double)users / (double)population->n;
    }
    for (size_t i = 0; i < answers->m; i++) {
        double sum = 0, most = 0;

        for (size_t v = 0; v < d; v++) {
            sum += answers->est[i][v] > answers->floor[i] ? answers->est[i][v] : answers->floor[i];
            most = sum > most ? sum : most;
            F[v] = most;
        }
        for (size_t j = 0; j < spec->npoints; j++) {
            const double beta = spec->points[j] / 100;
            const size_t q = quantile(truth, d, beta), own = quantile(F, d, beta);
            double *const at = out + (i * spec->npoints + j) * MEASURES;

            at[QUANTILE] = fabs((double)own - (double)q) / (double)d;
            at[RANK] = fmax(0, fmax(beta - truth[own], own > 0 ? truth[own - 1] - beta : 0));
        }
    }
}

static const struct ldp_measure measures[] = {
    MEASURE("quantile_error", "distance from the quantile (1 is the range of the values)", "error of the quantile",
            LDP_LESS, .high = 1, .unit = LDP_UNIT_SCALE),
    MEASURE("rank_error", "share of users between the answer and the quantile", "error in rank", LDP_LESS, .high = 1),
    {.name = NULL},
};

const struct ldp_query ldp_query_quantile = {
    .name = "quantile",
    .title = "the value below which a share of the users is",
    .source = "SIGMOD 2020, sec. 6; PVLDB 12 (2019)",
    .point = LDP_PARAM_REAL("percent", NAN, 0x1p-1022, 0x1.8ffffffffffffp+6,
                            "percent of the users whose values lie below the quantile, less than 100"),
    .ordered = true,
    .measures = measures,
    .scratch_bytes = scratch_bytes,
    .measure = measure,
};
