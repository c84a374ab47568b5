/* ems_cv - expectation maximisation with the smoothing that half of the reports choose.
 *
 * Each report goes to one of two halves (c'_j ~ Binomial(c_j, 1/2)). From one half, rounds as those of ems with another
 * kernel, and the same stop, give f'; the other half's log likelihood of f' is the kernel's score. Kernels, from wide
 * to narrow: Gaussians of 12, 6, 3 and 1.5 values, cut at three of these, then (1 - s) of a value and s of (1, 2, 1)/4
 * with s = 1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001; those after two that were each worse than the one before are not
 * tried. The best is fitted to all reports.
 *
 * Source: ours; thinning of counts as in density estimation. Cost: O(d) per round, up to eleven fits and one more. */
#include "numerics/arena.h"
#include "ordinal/wave.h"

enum { GAUSSIANS = 4, KERNELS = 11 };
static const double SLACK = 1e-6; /* of scores: rounding errors choose no kernel */

static struct ldp_kernel kernel_of(size_t i)
{
    static const double sd[GAUSSIANS] = {12, 6, 3, 1.5},
                        share[KERNELS - GAUSSIANS] = {1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001};
    if (i >= GAUSSIANS)
        return ldp_kernel_binomial(share[i - GAUSSIANS]);
    struct ldp_kernel kernel = {.reach = (size_t)ceil(3 * sd[i])};
    double sum = 0;
    for (size_t k = 0; k <= kernel.reach; k++) {
        const double x = (double)k / sd[i];
        kernel.weight[k] = ldp_exp(-x * x / 2);
        sum += (k == 0 ? 1 : 2) * kernel.weight[k];
    }
    for (size_t k = 0; k <= kernel.reach; k++)
        kernel.weight[k] /= sum;
    return kernel;
}

static size_t scratch_bytes(size_t d)
{
    return ldp_aligned(2 * ldp_wave_most(d) * sizeof(double)) + ldp_wave_scratch(d);
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const size_t d = protocol->d;
    double *const half = scratch, *const other = half + protocol->support_size;
    double best = -INFINITY, last = -INFINITY;
    void *const rest = (char *)scratch + ldp_aligned(2 * ldp_wave_most(d) * sizeof(double));
    struct ldp_kernel chosen = kernel_of(GAUSSIANS);
    ldp_wave_halve(collection->support, protocol->support_size, half, other);
    const size_t kernels = ldp_sum(half, protocol->support_size) > 0 ? KERNELS : 0;
    for (size_t i = 0, worse = 0; i < kernels && worse < 2; i++) {
        const struct ldp_kernel kernel = kernel_of(i);
        ldp_wave_fit(protocol, half, 1e-3, &kernel, rest, out);
        const double score = ldp_wave_likelihood(protocol, other, out, rest);
        worse = score < last - SLACK ? worse + 1 : 0;
        last = score;
        if (score > best + SLACK) {
            best = score;
            chosen = kernel;
        }
    }
    ldp_wave_fit(protocol, collection->support, 1e-3, &chosen, rest, out);
}

const struct ldp_method ldp_method_ems_cv = {
    .name = "ems_cv",
    .title = "Expectation maximisation, its smoothing chosen by half of the reports",
    .source = "thinned counts",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE,
    .suits = ldp_wave_suits,
    .needs = "an oracle whose reports are near the value, such as sw",
    .by_support = true,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
