/* npmle_split.c - one value at a time, at the exact level, shorter in the tail by a prior without an assumed shape.
 *
 * As power_split, with the mixture that the method npmle fits (core/methods/npmle.c) as the prior. The level holds for
 * each value whatever the prior is, as long as the fit hardly depends on the value: fewer than 1000 values are refused.
 * Cost: that of npmle's fit and some milliseconds. */
#include "laws/acceptance.h"
#include "numerics/arena.h"
#include "numerics/numeric.h"
#include "priors/mixture.h"

enum { FEWEST = 1000 };

struct workspace {
    struct ldp_prior_curve curve;
    struct ldp_split_room room;
};

static size_t scratch_bytes(size_t d)
{
    return ldp_aligned(sizeof(struct workspace)) + ldp_aligned(d * sizeof(double)) + ldp_mixture_scratch(d);
}

/* K(y) and the posterior mean. */
static void point_of_curve(const struct ldp_mixture *mixture, double y, double *K, double *slope)
{
    double largest = -INFINITY, mass = 0, moment = 0;
    for (size_t j = 0; j < mixture->natoms; j++) {
        const double exponent = mixture->t[j] * (y - mixture->t[j] / 2);
        largest = exponent > largest ? exponent : largest;
    }
    for (size_t j = 0; j < mixture->natoms; j++) {
        const double weight = mixture->w[j] * ldp_exp(mixture->t[j] * (y - mixture->t[j] / 2) - largest);
        mass += weight;
        moment += weight * mixture->t[j];
    }
    *K = largest + ldp_log(mass);
    *slope = moment / mass;
}

static void apply(const double *param, const struct ldp_collection *collection, double level, void *scratch,
                  double *low, double *high)
{
    struct workspace *const work = scratch;
    const size_t d = collection->protocol->d;
    double *const y = (double *)(void *)((char *)scratch + ldp_aligned(sizeof *work));
    void *const rest = (char *)y + ldp_aligned(d * sizeof *y);
    const double s = sqrt(ldp_variance_terms_mean(collection->protocol).s1 / (double)collection->n);
    if (!(s >= 0x1p-48)) {
        ldp_interval_find("score")->apply(NULL, collection, level, NULL, low, high);
        return;
    }
    const double most = 0x1p1000 * s;
    for (size_t v = 0; v < d; v++)
        y[v] = (collection->est[v] < -most ? -most : collection->est[v] > most ? most : collection->est[v]) / s;
    struct ldp_mixture mixture;
    ldp_mixture_fit(y, d, 1 / s, rest, &mixture);
    for (size_t i = 0; i < LDP_CURVE_POINTS; i++)
        point_of_curve(&mixture, LDP_CURVE_FIRST + LDP_CURVE_STEP * (double)i, &work->curve.K[i],
                       &work->curve.slope[i]);
    ldp_split_intervals(collection, level, &work->curve, &work->room, low, high);
}

static bool suits(const struct ldp_protocol *protocol)
{
    return protocol->d >= FEWEST;
}

const struct ldp_interval ldp_interval_npmle_split = {
    .name = "npmle_split",
    .title = "One value, at the exact level, shorter for rare values by a fitted nonparametric prior (NPMLE)",
    .source = "Pratt 1963; Yu and Hoff, Biometrika 2018",
    .scratch_bytes = scratch_bytes,
    .suits = suits,
    .unsuited = "it takes 1000 values or more",
    .apply = apply,
};
