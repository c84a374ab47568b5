/* geometric.c - a truncated geometric law on d ranks: p(r) proportional to ratio^r. */
#include "dataset.h"
#include "numerics/numeric.h"

static const struct ldp_param params[] = {
    {"ratio", LDP_REAL, 0.99, 0x1p-1022, 0x1.fffffffffffffp-1, NULL,
     "frequency of a rank over that of the one before, in (0, 1)"},
    {.name = NULL},
};

static void weights(const double *param, size_t d, double *weight)
{
    for (size_t v = 0; v < d; v++)
        weight[v] = ldp_pow(param[0], (double)v);
}

const struct dataset_type dataset_type_geometric = {
    .name = "geometric",
    .title = "geometric, p(r) ~ ratio^r",
    .source = "exponential skew, for comparison",
    .params = params,
    .weights = weights,
};
