/* beta.c - the Beta law on d ordered values: p(v) proportional to x^(a-1) (1-x)^(b-1), x = (v + 1/2) / d.
 *
 * Source: Li et al., SIGMOD 2020, sec. 6: a = 5, b = 2. They draw real numbers; the density at the middle of a value is
 * that of the value to 1e-4 at d = 256. */
#include "dataset.h"
#include "numerics/numeric.h"

#include <math.h>

static const struct ldp_param params[] = {
    {"a", LDP_REAL, NAN, 0x1p-10, 1e3, NULL, "the first parameter of the beta distribution; must be given"},
    {"b", LDP_REAL, NAN, 0x1p-10, 1e3, NULL, "the second parameter of the beta distribution; must be given"},
    {.name = NULL},
};

/* In logarithms from the largest, so that no exponent underflows. */
static void weights(const double *param, size_t d, double *weight)
{
    double top = -INFINITY;
    for (size_t v = 0; v < d; v++) {
        const double x = ((double)v + 0.5) / (double)d;
        weight[v] = (param[0] - 1) * ldp_log(x) + (param[1] - 1) * ldp_log(1 - x);
        top = fmax(top, weight[v]);
    }
    for (size_t v = 0; v < d; v++)
        weight[v] = ldp_exp(weight[v] - top);
}

const struct dataset_type dataset_type_beta = {
    .name = "beta",
    .title = "Beta, p(v) ~ x^(a-1) (1-x)^(b-1)",
    .source = "SIGMOD 2020, sec. 6",
    .params = params,
    .ordered = true,
    .weights = weights,
};
