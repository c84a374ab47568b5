/* power_split.c - one value at a time, at the exact level, shorter in the tail where frequencies follow a power law.
 *
 * The intervals of acceptance.h, with the prior that the method power fits (core/methods/power.c): rare values gain, as
 * nearly all of the error probability is put above them; values of about 2 to 7 standard deviations pay. The level
 * holds for each value whatever the frequencies are. Cost: O(d) and some
 * milliseconds. */
#include "laws/acceptance.h"
#include "numerics/arena.h"
#include "numerics/numeric.h"
#include "priors/power_law.h"
#include "priors/zeta.h"

struct workspace {
    struct ldp_prior_curve curve;
    struct ldp_split_room room;
    double est[LDP_CURVE_POINTS];
};

static size_t scratch_bytes(size_t d)
{
    return ldp_aligned(sizeof(struct workspace)) + ldp_power_law_scratch();
}

static void apply(const double *param, const struct ldp_collection *collection, double level, void *scratch,
                  double *low, double *high)
{
    struct workspace *const work = scratch;
    void *const rest = (char *)scratch + ldp_aligned(sizeof *work);
    const size_t d = collection->protocol->d;
    const double n = (double)collection->n, s = sqrt(ldp_variance_terms_mean(collection->protocol).s1 / n);
    if (!(s >= 0x1p-48)) {
        ldp_interval_find("score")->apply(NULL, collection, level, NULL, low, high);
        return;
    }
    const double a = ldp_zeta_fit(n * (ldp_sum(collection->est, d) / (double)d), n);
    for (size_t i = 0; i < LDP_CURVE_POINTS; i++)
        work->est[i] = (LDP_CURVE_FIRST + LDP_CURVE_STEP * (double)i) * s;
    ldp_power_law(a, n, n * s, work->est, LDP_CURVE_POINTS, rest, work->curve.slope, work->curve.K);
    for (size_t i = 0; i < LDP_CURVE_POINTS; i++) {
        const double y = LDP_CURVE_FIRST + LDP_CURVE_STEP * (double)i;
        work->curve.K[i] += y * y / 2;
        work->curve.slope[i] /= s;
    }
    ldp_split_intervals(collection, level, &work->curve, &work->room, low, high);
}

const struct ldp_interval ldp_interval_power_split = {
    .name = "power_split",
    .title = "One value, at the exact level, shorter for rare values by a fitted power law",
    .source = "Pratt 1963; Yu and Hoff, Biometrika 2018",
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
