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

const struct dataset_type dataset_type_zipf = {
    .name = "zipf",
    .title = "Zipf's law, p(r) ~ r^-s",
    .source = "NDSS 2020, sec. V",
    .params = params,
    .weights = weights,
};
