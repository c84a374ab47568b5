/* mix_top.c - E(f_v | v is among the k largest, the estimate): an answer for the list of the k most frequent values.
 *
 * For squared error over the k truly largest values the best answer is not the posterior mean: among the k largest,
 * frequencies are larger than that. Under each prior of mix, the k largest are those t above the position with k values
 * above it, and priors are averaged by their evidence times the probability, given the estimate, of being among them
 * (priors/ensemble.c), and more if they leave less variance: their error is to be compared with what can be had. What
 * is answered for other values is what they would have if they were among the k largest, so the answers are no
 * histogram: their sum may be far above 1. Values that surely are not (probability below HARDLY) have their posterior
 * mean.
 *
 * Guard: if all values are equal, which of them are the largest is chance, and the posterior mean is nearly exact. With
 * prior odds of e^EQUAL for that, an evidence E of equal values, and E_others the logarithm of the sum of the evidences
 * of all other priors, the answer is
 *
 *     A_v^w mean_v^(1 - w),   w = 1 / (1 + e^(EQUAL - (E_others - E))),   A_v as above,
 *
 * a geometric mean, since the two may differ by factors of hundreds. (The sum, and not the largest: that of many
 * evidences is large by chance.) To A_v and mean_v is added, as in mix, what is left of the sum of all t: tau times
 * their variances.
 *
 * Source: none: derived here; EQUAL was chosen on populations that studies/mix.md does not report. Cost: mix's. */
#include "numerics/simplex.h"
#include "priors/ensemble.h"

#define EQUAL 5.0
#define HARDLY 1e-6
#define LEAST 1e-12 /* of an answer, in standard deviations of the noise */

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("k", 32, 1, 0x1p32, "length of the list"),
    {.name = NULL},
};

/* The mean of t for value v under an average, with its part of what is left of the sum. */
static double answer(const struct ldp_ensemble *ensemble, const struct ldp_posterior *average, size_t v, double est,
                     double tau)
{
    double V;
    const double mean = ldp_ensemble_mean(ensemble, average, v, est, &V);
    return fmin(fmax(mean + tau * V, LEAST), ensemble->lattice.top);
}

/* log of the evidences of all members but that of equal values, over the latter's. */
static double lead_of_others(const struct ldp_ensemble *ensemble)
{
    const double equal = ensemble->one_point - ensemble->sum.best; /* at most 0 */
    const double others = ensemble->sum.weight - (equal > -700 ? ldp_exp(equal) : 0);
    return ldp_log(fmax(others, 0x1p-1000)) - equal;
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const size_t d = collection->protocol->d, k = param[0] < (double)d ? (size_t)param[0] : d;
    if (!(ldp_sigma(collection->protocol, collection->n) >= 0x1p-48)) {
        ldp_simplex_project(collection->est, d, scratch, out);
        return;
    }
    const struct ldp_ensemble *const ensemble = ldp_ensemble_of(collection, LDP_MEMBERS, k, scratch);
    const struct ldp_lattice *const lattice = &ensemble->lattice;
    const bool fitted = ensemble->sum.weight > 0;
    const double lead = lead_of_others(ensemble), tau = ldp_ensemble_rest(ensemble);
    const double unequal = lead < 100 ? 1 / (1 + ldp_exp(EQUAL - lead)) : 1;
    for (size_t v = 0; v < d; v++) {
        const double mean = answer(ensemble, &ensemble->all, v, collection->est[v], tau);
        const double largest = answer(ensemble, &ensemble->top, v, collection->est[v], tau);
        const double w = fitted ? unequal / (1 + HARDLY / ensemble->top.f[lattice->row_of[v]]) : 0;
        out[v] = lattice->s * ldp_exp(w * ldp_log(largest) + (1 - w) * ldp_log(mean));
    }
}

const struct ldp_method ldp_method_mix_top = {
    .name = "mix_top",
    .title = "Mean of a value that is among the k largest, under mix's priors",
    .source = "mix; studies/mix.md",
    .guarantees = LDP_NONNEGATIVE | LDP_SLOW,
    .params = params,
    .scratch_bytes = ldp_ensemble_bytes,
    .apply = apply,
};
