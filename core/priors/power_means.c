/* power_means.c - see power_means.h. Cost: O(d), and one table for each class. */
#include "priors/power_means.h"

#include "laws/classes.h"
#include "numerics/arena.h"
#include "priors/power_law.h"
#include "priors/prior.h"

size_t ldp_power_means_scratch(size_t d)
{
    return ldp_aligned(ldp_power_law_scratch()) + 2 * ldp_aligned(d * sizeof(double)) + ldp_classes_bytes(d);
}

void ldp_power_means(const struct ldp_protocol *protocol, double n, double a, const double *est, void *scratch,
                     double *mean)
{
    const size_t d = protocol->d;
    if (!protocol->law.trials) {
        ldp_power_law(a, n, ldp_noise_users(n, protocol->s1), est, d, scratch, mean, NULL);
        return;
    }
    struct ldp_arena arena = {scratch, ldp_aligned(ldp_power_law_scratch())};
    double *const x = ldp_take(&arena, d * sizeof *x), *const means = ldp_take(&arena, d * sizeof *means);
    const struct ldp_classes classes = ldp_classes_of(protocol, arena.block + arena.bytes);
    for (size_t v = 0; v < d; v++)
        x[v] = est[classes.member[v]];
    for (size_t i = 0; i < classes.nclasses; i++) {
        const uint32_t first = classes.first[i];
        ldp_power_law(a, n, ldp_noise_users(n, classes.s1[i]), x + first, classes.first[i + 1] - first, scratch,
                      means + first, NULL);
    }
    for (size_t v = 0; v < d; v++)
        mean[classes.member[v]] = means[v];
}
