/* mix.c - posterior mean under an average of priors, for which no shape of the frequencies has to be chosen.
 *
 * With y_v = est_v / s, s = sqrt(s1 / n), the noise of y_v has variance 1 + h t, t_v = f_v / s, and all t sum to top =
 * 1 / s. Log-normal priors, log-normal priors beside a point, few points, and the prior of maximum likelihood are each
 * fitted to the estimates and to that sum, and averaged in proportion to their evidence (priors/ensemble.c). With m_v
 * and V_v, mean and variance of t_v under the averaged prior, the answer is
 *
 *     s max(m_v + tau V_v, 0),   tau such that the sum is 1:
 *
 * what is left of the sum is shared by uncertainty. Where estimates are further from each other than noise, the answer
 * is the estimate.
 *
 * Source: none: derived here; the parts are empirical-Bayes rules as npmle and calibrate. docs/mix.md measures it.
 * Values are treated as independent. Blocks' own variances (hr, pgr) and the variance of frequent values are used as
 * known; if a report names one value and supports are few, noise is Poisson's. If s is below 2^-48, the noise is
 * negligible and the answer is the nearest point of the simplex.
 *
 * Cost: O(d), and the fits, whose cost depends on the range that estimates cover densely and hardly on d. */
#include "aligned.h"
#include "law.h"
#include "numeric.h"
#include "priors/ensemble.h"
#include "simplex.h"

#include <math.h>

enum { MOST_ROUNDS = 100 };

static size_t scratch_bytes(size_t d)
{
    return ldp_aligned(sizeof(struct ldp_ensemble)) + ldp_aligned(d * sizeof(double)) + d * sizeof(uint32_t);
}

/* t[v] = max(t[v] + tau V[v], 0), tau such that they sum to top: Newton's method, convex in tau. */
static void share_rest(double *t, const double *V, size_t d, double top)
{
    double tau = 0, before = INFINITY;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        double sum = 0, slope = 0;
        for (size_t v = 0; v < d; v++) {
            const double x = t[v] + tau * V[v];
            sum += x > 0 ? x : 0;
            slope += x > 0 ? V[v] : 0;
        }
        const double excess = sum - top;
        if (!(slope > 0) || fabs(excess) <= 1e-13 * top || (round > 1 && excess >= before))
            break;
        before = round > 0 ? excess : INFINITY;
        tau -= excess / slope;
    }
    double sum = 0;
    for (size_t v = 0; v < d; v++) {
        const double x = t[v] + tau * V[v];
        sum += t[v] = x > 0 ? x : 0;
    }
    for (size_t v = 0; v < d; v++)
        t[v] = sum > 0 ? t[v] / sum : 1 / (double)d;
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const size_t d = collection->protocol->d;
    struct ldp_arena arena = {scratch, 0};
    struct ldp_ensemble *const ensemble = ldp_take(&arena, sizeof *ensemble);
    double *const V = ldp_take(&arena, d * sizeof *V);
    (void)param;
    if (!(ldp_sigma(collection->protocol, collection->n) >= 0x1p-48)) {
        ldp_simplex_project(collection->est, d, V, out);
        return;
    }
    ensemble->lattice.row_of = ldp_take(&arena, d * sizeof(uint32_t));
    ensemble->families = LDP_MEMBERS;
    ensemble->largest = 0;
    ldp_lattice_init(&ensemble->lattice, collection);
    ldp_ensemble_fit(ensemble);
    for (size_t v = 0; v < d; v++)
        out[v] = ldp_ensemble_mean(ensemble, &ensemble->all, v, collection->est[v], &V[v]);
    share_rest(out, V, d, ensemble->lattice.top);
}

const struct ldp_method ldp_method_mix = {
    .name = "mix",
    .title = "Posterior mean under an average of priors, with sum 1",
    .source = "log-normal, points, npmle by their evidence; docs/mix.md",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_SLOW,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
