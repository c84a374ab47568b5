/* mix_top.c - E(f_v | v is among the k largest, the estimate): an answer for the list of the k most frequent values.
 *
 * For squared error over the k truly largest values the best answer is not the posterior mean: among the k largest,
 * frequencies are larger than that. Under each prior of mix, the k largest are those t above the quantile with k / d
 * above it, and priors are averaged by their evidence times the probability, given the estimate, of being among them
 * (priors/ensemble.c). What is answered for other values is what they would have if they were among the k largest, so
 * the answers are no histogram: their sum may be far above 1.
 *
 * Guard: if equal values explain the estimates nearly as well as the best prior (log evidence within FLAT), which of
 * them are the largest is chance, and the answer is the posterior mean.
 *
 * Source: none: derived here. Cost: mix's. */
#include "priors/ensemble.h"
#include "simplex.h"

#include <math.h>

#define FLAT 6.0

static const struct ldp_param params[] = {
    {.name = "k", .kind = LDP_INTEGER, .fallback = 32, .min = 1, .max = 0x1p32, .help = "length of the list"},
    {.name = NULL},
};

static size_t scratch_bytes(size_t d)
{
    return ldp_ensemble_bytes(d);
}

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const size_t d = collection->protocol->d, k = param[0] < (double)d ? (size_t)param[0] : d;
    if (!(ldp_sigma(collection->protocol, collection->n) >= 0x1p-48)) {
        ldp_simplex_project(collection->est, d, scratch, out);
        return;
    }
    const struct ldp_ensemble *const ensemble = ldp_ensemble_of(collection, LDP_MEMBERS, k, scratch);
    const bool flat = ensemble->one_point > ensemble->best - FLAT;
    for (size_t v = 0; v < d; v++) {
        double V;
        out[v] = ensemble->lattice.s *
                 ldp_ensemble_mean(ensemble, flat ? &ensemble->all : &ensemble->top, v, collection->est[v], &V);
    }
}

const struct ldp_method ldp_method_mix_top = {
    .name = "mix_top",
    .title = "Mean of a value that is among the k largest, under mix's priors",
    .source = "mix; docs/mix.md",
    .guarantees = LDP_NONNEGATIVE | LDP_SLOW,
    .params = params,
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
