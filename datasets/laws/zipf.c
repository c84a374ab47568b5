/* zipf.c - Zipf's law on d ranks: p(r) proportional to r^-s, r = 1..d.
 *
 * Source: Wang et al., NDSS 2020, sec. V (s = 1.5, d = 1024, n = 10^6). */
#include "dataset.h"
#include "numerics/numeric.h"

#include <math.h>

static const struct ldp_param params[] = {
    {"s", LDP_REAL, NAN, 0x1p-1022, 1e3, NULL, "exponent, > 0; must be given"},
    {.name = NULL},
};

static void weights(const double *param, size_t d, double *weight)
{
    for (size_t v = 0; v < d; v++)
        weight[v] = ldp_pow((double)(v + 1), -param[0]);
}

/* Bisection: the mean of ln r falls as s grows. */
double zipf_exponent(const struct ldp_population *population)
{
    double target = 0, low = -2, high = 20;

    for (size_t r = 0; r < population->d; r++)
        target += population->f[population->rank[r]] * log((double)(r + 1));
    while (high - low > 1e-9) {
        const double s = (low + high) / 2;
        double weights = 0, logs = 0;

        for (size_t r = 0; r < population->d; r++) {
            const double ln = log((double)(r + 1)), weight = exp(-s * ln);
            weights += weight;
            logs += weight * ln;
        }
        *(logs / weights > target ? &low : &high) = s;
    }
    return low;
}

const struct dataset_type dataset_type_zipf = {
    .name = "zipf",
    .title = "Zipf's law, p(r) ~ r^-s",
    .source = "NDSS 2020, sec. V",
    .params = params,
    .weights = weights,
};
