/* mix.c - posterior mean under an average of priors, for which no shape of the frequencies has to be chosen.
 *
 * With y_v = est_v / s, s = sqrt(s1 / n), the noise of y_v has variance 1 + h t, t_v = f_v / s, and all t sum to top =
 * 1 / s. Log-normal priors, log-normal priors with a point mass, few points, and the prior of maximum likelihood are
 * each fitted to the estimates and to that sum, and averaged in proportion to their evidence (priors/ensemble.c). With
 * m_v and V_v, mean and variance of t_v under the averaged prior, the answer is
 *
 *     s max(m_v + tau V_v, 0),   tau such that the sum is 1:
 *
 * what is left of the sum is shared by uncertainty. Where estimates are further from each other than noise, the answer
 * is the estimate.
 *
 * Source: none: derived here; the parts are empirical-Bayes rules as npmle and calibrate. studies/mix.md measures it.
 * Values are treated as independent. Blocks' own variances (hr, pgr) and the variance of frequent values are used as
 * known; if a report names one value and support counts are few, noise is Poisson's. If s is below 2^-48, the noise is
 * negligible and the answer is the nearest point of the simplex.
 *
 * Cost: O(d), and the fits, whose cost depends on the range that estimates cover densely and hardly on d. */
#include "numerics/simplex.h"
#include "priors/ensemble.h"

/* The families in the order of their bits, from 1. */
static const char *const families[] = {"none", "shapes", "spikes", "points", "free", NULL};

static const struct ldp_param params[] = {
    LDP_PARAM_CHOICE(
        "without", families, 0, 4,
        "a family of priors that is left out: log-normal, log-normal with a point mass, few atoms, nonparametric"),
    {.name = NULL},
};

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const size_t d = collection->protocol->d;
    if (!(ldp_sigma(collection->protocol, collection->n) >= 0x1p-48)) {
        ldp_simplex_project(collection->est, d, scratch, out);
        return;
    }
    const unsigned left_out = param[0] > 0 ? 1u << ((unsigned)param[0] - 1) : 0;
    const struct ldp_ensemble *const ensemble = ldp_ensemble_of(collection, LDP_MEMBERS & ~left_out, 0, scratch);
    const double tau = ldp_ensemble_rest(ensemble);
    double sum = 0;
    for (size_t v = 0; v < d; v++) {
        double V;
        const double t = ldp_ensemble_mean(ensemble, &ensemble->all, v, collection->est[v], &V);
        out[v] = fmax(t + tau * V, 0);
        sum += out[v];
    }
    for (size_t v = 0; v < d; v++)
        out[v] = sum > 0 ? out[v] / sum : 1 / (double)d;
}

const struct ldp_method ldp_method_mix = {
    .name = "mix",
    .title = "Posterior mean under an average of priors, with sum 1",
    .source = "log-normal, atoms, npmle by their marginal likelihood; studies/mix.md",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_SLOW,
    .params = params,
    .scratch_bytes = ldp_ensemble_bytes,
    .apply = apply,
};
