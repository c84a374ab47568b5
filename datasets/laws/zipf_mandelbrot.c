/* zipf_mandelbrot.c - Mandelbrot's law with an exponential cut-off on d ranks:
 *
 *     p(r) proportional to (r + shift)^-s exp(-cutoff r / d),   r = 1..d.
 *
 * The defaults, with d = 1573 and n = 884427, are a model of the emoji counts of Wang et al. (NDSS 2020, sec. V),
 * fitted to daily averages of emojistats.org. The divergence of those (d = 1572, sorted) from the model is 0.0096
 * with ranks from 1; with ranks from 0 it would be 0.39, so ranks begin at 1. */
#include "dataset.h"
#include "numerics/numeric.h"

static const struct ldp_param params[] = {
    {"s", LDP_REAL, 1.0872, 0x1p-1022, 1e3, NULL, "exponent, > 0"},
    {"shift", LDP_REAL, 0.1718, -0x1.fffffffffffffp-1, 1e15, NULL, "added to the rank, > -1"},
    {"cutoff", LDP_REAL, 4.3531, 0, 1e3, NULL, "exponent of the last rank's cut-off, >= 0"},
    {.name = NULL},
};

static void weights(const double *param, size_t d, double *weight)
{
    const double s = param[0], shift = param[1], cutoff = param[2];

    /* Relative to the first rank, so that no weight overflows and not all underflow. */
    for (size_t v = 0; v < d; v++)
        weight[v] = ldp_pow(((double)(v + 1) + shift) / (1 + shift), -s) * ldp_exp(-cutoff * (double)v / (double)d);
}

const struct dataset_type dataset_type_zipf_mandelbrot = {
    .name = "zipf_mandelbrot",
    .title = "Mandelbrot's law with a cut-off, p(r) ~ (r + shift)^-s exp(-cutoff r/d)",
    .source = "model of the emoji counts of NDSS 2020, sec. V",
    .params = params,
    .weights = weights,
};
