/* npmle_credible.c - equal-tailed posterior intervals under the prior that the method npmle fits.
 *
 * The posterior of an estimate has the weights w_j exp(-(y - t_j)^2 / 2) at the atoms t_j: low is the first atom with a
 * share of (1 - level) / 2 at or below, high the first with (1 + level) / 2. It is NOT an interval that covers a given
 * value: a lone large estimate gets an atom of its own, so that its interval is a point, and on Zipf data 14 % of those
 * at ranks 1 to 10 cover their value (studies/intervals.md). It is here so that this can be measured.
 * Source: core/methods/npmle.c. Cost: that of npmle, and O(atoms) per value. */
#include "laws/interval.h"
#include "numerics/arena.h"
#include "numerics/numeric.h"
#include "priors/mixture.h"

static size_t scratch_bytes(size_t d)
{
    return ldp_aligned(d * sizeof(double)) + ldp_mixture_scratch(d);
}

static double weight(const struct ldp_mixture *mixture, size_t j, double y, double origin)
{
    /* exp(-(y - t)^2 / 2) over its value at the atom nearest to y */
    const double from = origin - mixture->t[j];
    return mixture->w[j] * ldp_exp(-from * (2 * (y - origin) + from) / 2);
}

static void posterior(const struct ldp_mixture *mixture, double y, double tail, double *low, double *high)
{
    double origin = mixture->t[0], total = 0, sum = 0;
    for (size_t j = 0; j < mixture->natoms; j++)
        if (fabs(y - mixture->t[j]) < fabs(y - origin))
            origin = mixture->t[j];
    for (size_t j = 0; j < mixture->natoms; j++)
        total += weight(mixture, j, y, origin);
    *low = *high = mixture->t[mixture->natoms - 1];
    for (size_t j = mixture->natoms; j-- > 0;) { /* from above: the least j whose share at or below is enough */
        const double below = total - sum;
        if (below >= (1 - tail) * total)
            *high = mixture->t[j];
        if (below >= tail * total)
            *low = mixture->t[j];
        sum += weight(mixture, j, y, origin);
    }
}

static void apply(const double *param, const struct ldp_collection *collection, double level, void *scratch,
                  double *low, double *high)
{
    const size_t d = collection->protocol->d;
    double *const y = scratch;
    void *const rest = (char *)scratch + ldp_aligned(d * sizeof *y);
    const double s = sqrt(ldp_variance_terms_mean(collection->protocol).s1 / (double)collection->n),
                 most = 0x1p1000 * s;
    if (!(s >= 0x1p-48)) {
        ldp_interval_find("score")->apply(NULL, collection, level, NULL, low, high);
        return;
    }
    for (size_t v = 0; v < d; v++)
        y[v] = (collection->est[v] < -most ? -most : collection->est[v] > most ? most : collection->est[v]) / s;
    struct ldp_mixture mixture;
    ldp_mixture_fit(y, d, 1 / s, rest, &mixture);
    for (size_t v = 0; v < d; v++) {
        posterior(&mixture, y[v], (1 - level) / 2, &low[v], &high[v]);
        low[v] = fmin(low[v] * s, 1);
        high[v] = fmin(high[v] * s, 1);
    }
}

const struct ldp_interval ldp_interval_npmle_credible = {
    .name = "npmle_credible",
    .title = "Posterior under a fitted nonparametric prior (NPMLE): too short, do not report it",
    .source = "Kiefer and Wolfowitz 1956",
    .scratch_bytes = scratch_bytes,
    .apply = apply,
};
