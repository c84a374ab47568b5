/* power.c - posterior mean under a power-law prior.
 *
 * In counts, x = n est_v: prior P(k) proportional to k^-a on k = 1 .. n, noise N(0, s^2), s^2 = n s1 (the f-term
 * dropped; where blocks differ, those of values of about the same variance); a is fitted so that the prior's mean
 * equals the mean of x. The answer is
 *
 *     m(x) = sum_k k^(1-a) w_k / sum_k k^-a w_k,   w_k = exp(-(x - k)^2 / (2 s^2)).
 *
 * Source: NDSS 2020, sec. IV-E, eq. 13, in the discrete form of Jia and Gong, INFOCOM 2019, eq. 12, 15 and 17 (the
 * printed integral over [0, 1] has no normaliser for a >= 1). Unlike the authors' code, it has no fixed window and does
 * not round x. Every answer is at least one user.
 *
 * Cost (power_law.c): O(d) and about 100,000 operations, for any n, epsilon and d. Error: below 1e-10 relative. */
#include "numerics/numeric.h"
#include "priors/power_law.h"
#include "priors/zeta.h"

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double *const est = collection->est;
    const double n = (double)collection->n;
    ldp_power_means(protocol, n, ldp_zeta_fit(n * (ldp_sum(est, protocol->d) / (double)protocol->d), n), est, scratch,
                    out);
}

const struct ldp_method ldp_method_power = {
    .name = "power",
    .title = "Posterior mean under a power law",
    .source = "NDSS 2020, sec. IV-E, eq. 13; INFOCOM 2019, eq. 12, 15, 17",
    .guarantees = LDP_NONNEGATIVE | LDP_KEEPS_ORDER,
    .scratch_bytes = ldp_power_means_scratch,
    .apply = apply,
};
