/* npmle.c - posterior mean under the prior of maximum likelihood, without assuming a shape.
 *
 * With y_v = n est_v / s, s^2 = n s1 (eq. 7, the f-term dropped; each value's own s where blocks differ) the noise is
 * N(0, 1). The prior is the law of true
 * counts on [0, n] that makes the estimates most likely, a mixture of atoms s t_j with weights w_j
 * (core/priors/mixture.c), and the answer is the posterior mean
 *
 *     s sum_j t_j w_j exp(-(y - t_j)^2 / 2) / sum_j w_j exp(-(y - t_j)^2 / 2).
 *
 * Source: Kiefer and Wolfowitz, Ann. Math. Statist. 27 (1956); as an empirical-Bayes rule Jiang and Zhang, Ann.
 * Statist. 37 (2009); as a convex problem Koenker and Mizera, J. Amer. Statist. Assoc. 109 (2014). Values are treated
 * as independent, which is not quite true of estimates of grr, ss and Hadamard oracles. If s is below 2^-48 n, the
 * noise is negligible and the answer is the estimate clipped to [0, 1]. The problem is solved on a grid of atoms 1/4
 * apart: compared with atoms at any position, the mean log-likelihood is lower by up to 3.6e-4 and answers differ by up
 * to 0.11 (tests/test_npmle.c, what_the_grid_costs).
 *
 * Cost: O(d), up to 75 exponentials each, and the fit, whose cost depends on the range of dense estimates and hardly on
 * d. */
#include "laws/classes.h"
#include "priors/mixture.h"

#include <math.h>

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double *const est = collection->est;
    const size_t d = protocol->d;
    const bool equal = !protocol->law.trials;
    const double users = (double)collection->n, sigma = ldp_sigma(protocol, collection->n);
    double least = sigma;
    for (size_t v = 0; !equal && v < d; v++)
        least = fmin(least, sqrt(ldp_value_s1(protocol, v) / users));
    const double top = 1 / least, most = 0x1p1000 / top;
    if (!(least >= 0x1p-48)) {
        for (size_t v = 0; v < d; v++)
            out[v] = est[v] < 0 ? 0 : est[v] > 1 ? 1 : est[v];
        return;
    }
    /* A very large estimate may overflow in units of the noise. */
    for (size_t v = 0; v < d; v++) {
        const double unit = equal ? top : 1 / sqrt(ldp_value_s1(protocol, v) / users);
        out[v] = (est[v] < -most ? -most : est[v] > most ? most : est[v]) * unit;
    }
    struct ldp_mixture mixture;
    ldp_mixture_fit(out, d, top, scratch, &mixture);
    ldp_mixture_means(&mixture, out, d, out);
    for (size_t v = 0; v < d; v++)
        out[v] *= equal ? sigma : sqrt(ldp_value_s1(protocol, v) / users);
}

const struct ldp_method ldp_method_npmle = {
    .name = "npmle",
    .title = "Posterior mean under the maximum-likelihood prior on a grid",
    .source = "Kiefer and Wolfowitz 1956; Koenker and Mizera 2014",
    .guarantees = LDP_NONNEGATIVE | LDP_KEEPS_ORDER,
    .scratch_bytes = ldp_mixture_scratch,
    .apply = apply,
};
