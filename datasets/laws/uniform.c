/* uniform.c - all d values equally frequent. */
#include "dataset.h"

static void weights(const double *param, size_t d, double *weight)
{
    for (size_t v = 0; v < d; v++)
        weight[v] = 1;
}

const struct dataset_type dataset_type_uniform = {
    .name = "uniform",
    .title = "uniform, p(r) = 1/d",
    .source = "no skew, for comparison",
    .weights = weights,
};
