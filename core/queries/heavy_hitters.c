/* heavy_hitters.c - which values are frequent: precision, recall and F-score of the values above a threshold T.
 *
 * A value is heavy if its true count is above T, and is named if its estimate is above T, both strictly. With TP values
 * heavy and named, FP named only, FN heavy only,
 *
 *     precision = TP / (TP + FP),   recall = TP / (TP + FN),   F = 2 TP / (2 TP + FP + FN).
 *
 * A quotient of two zeros is NAN. F is the harmonic mean of precision and recall, where an undefined one counts as 0; F
 * is undefined only if no value is heavy or named. The number of named values is reported too.
 *
 * The point gives T in one of three scales: a number of users; a fraction of them; or beta, for the significance
 * threshold T = Phi^-1(1 - beta / d) sqrt(n s1), which beta values of count 0 are expected to pass (0 where beta / d >=
 * 1/2). base_cut with alpha = beta has the same threshold.
 *
 * Source: Jia and Gong, INFOCOM 2019, eq. 6 to 8 and 22. They do not say how a value exactly at T counts; here it is
 * neither heavy nor named. Truth, estimates and T are compared as frequencies, each a count over n rounded once, so
 * that a value at T is treated in the same way in all of them. Cost O(d) for each method and point. */
#include "numerics/numeric.h"
#include "queries/measure.h"

#include <math.h>

enum { COUNT, FRACTION, SIGNIFICANCE };
enum { PRECISION, RECALL, F_SCORE, NAMED, MEASURES };

/* T / n. */
static double frequency(const struct ldp_query_spec *spec, const struct ldp_protocol *protocol, uint64_t n,
                        size_t point)
{
    const double at = spec->points[point];

    switch ((int)spec->param[0]) {
    case COUNT: return at / (double)n;
    case FRACTION: return at;
    default: break;
    }
    const double tail = at / (double)protocol->d;

    return tail < 0.5 ? -ldp_normal_quantile(tail) * ldp_sigma(protocol, n) : 0;
}

static double threshold(const struct ldp_query_spec *spec, const struct ldp_protocol *protocol,
                        const struct ldp_population *population, size_t point)
{
    if ((int)spec->param[0] == COUNT)
        return spec->points[point];
    return (double)population->n * frequency(spec, protocol, population->n, point);
}

static double point_max(const double *param)
{
    return (int)param[0] == FRACTION ? 0x1.fffffffffffffp-1 : (double)LDP_USERS_MAX;
}

static double quotient(size_t part, size_t whole)
{
    return whole ? (double)part / (double)whole : (double)NAN;
}

static void measure_one(const struct ldp_population *population, const double *est, double floor, double t, double *out)
{
    const double n = (double)population->n;
    size_t both = 0, named = 0, heavy = 0;

    for (size_t v = 0; v < population->d; v++) {
        const bool is_heavy = (double)population->counts[v] / n > t;
        const bool is_named = (est[v] > floor ? est[v] : floor) > t;

        heavy += is_heavy;
        named += is_named;
        both += is_heavy && is_named;
    }
    out[PRECISION] = quotient(both, named);
    out[RECALL] = quotient(both, heavy);
    out[F_SCORE] = quotient(2 * both, named + heavy);
    out[NAMED] = (double)named;
}

static void measure(const struct ldp_query_spec *spec, const struct ldp_collection *collection,
                    const struct ldp_population *population, const struct ldp_answers *answers, struct ldp_rng *rng,
                    void *scratch, double *out)
{
    for (size_t j = 0; j < spec->npoints; j++) {
        const double t = frequency(spec, collection->protocol, population->n, j);

        for (size_t i = 0; i < answers->m; i++)
            measure_one(population, answers->est[i], answers->floor[i], t, out + (i * spec->npoints + j) * MEASURES);
    }
}

static const struct ldp_measure measures[] = {
    MEASURE("precision", "share of the named values that are heavy", "precision", LDP_MORE, .high = 1),
    MEASURE("recall", "share of the heavy values that are named", "recall", LDP_MORE, .high = 1),
    MEASURE("f_score", "harmonic mean of precision and recall", "F-score", LDP_MORE, .high = 1, .unit = LDP_UNIT_WRONG),
    MEASURE("named", "number of named values", "values named", LDP_NEUTRAL, .high = INFINITY),
    {.name = NULL},
};

static const char *const scales[] = {"count", "fraction", "significance", NULL};

static const struct ldp_param params[] = {
    LDP_PARAM_CHOICE("scale", scales, COUNT, SIGNIFICANCE,
                     "unit of threshold: users, a fraction of them, or beta of the significance threshold"),
    {.name = NULL},
};

const struct ldp_query ldp_query_heavy_hitters = {
    .name = "heavy_hitters",
    .title = "which values are above a threshold: precision, recall, F-score",
    .source = "INFOCOM 2019, eq. 6 to 8, 22",
    .params = params,
    .point = LDP_PARAM_REAL("threshold", NAN, 0x1p-1022, (double)LDP_USERS_MAX, "in the unit that scale names"),
    .point_max = point_max,
    .measures = measures,
    .threshold = threshold,
    .measure = measure,
};
