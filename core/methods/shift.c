/* shift.c - the least estimate is subtracted from all, the rest is scaled:
 *
 *     est'_v = (est_v - min est) / sum_w (est_w - min est).
 *
 * A countermeasure to malicious users. The least of d noisy estimates is about three standard deviations below 0, which
 * this adds to every value: heavy values shrink, the error of data without attack is that of a nearly uniform answer,
 * and a gain shrinks as heavy values do. If all estimates are equal, the answer is uniform.
 *
 * Source: Cao, Jia and Gong, USENIX Security 2021, sec. 5.1 (normalisation). Cost: O(d). */
#include "ldp.h"

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const double *const est = collection->est;
    const size_t d = collection->protocol->d;
    double least = est[0], sum = 0;
    for (size_t v = 1; v < d; v++)
        least = est[v] < least ? est[v] : least;
    for (size_t v = 0; v < d; v++)
        sum += out[v] = est[v] - least;
    for (size_t v = 0; v < d; v++)
        out[v] = sum > 0 ? out[v] / sum : 1 / (double)d;
}

const struct ldp_method ldp_method_shift = {
    .name = "shift",
    .title = "Smallest estimate subtracted, scaled to sum 1",
    .source = "Cao, Jia, Gong, USENIX Security 2021, sec. 5.1",
    .guarantees = LDP_NONNEGATIVE | LDP_SUMS_TO_ONE | LDP_KEEPS_ORDER | LDP_COUNTERMEASURE,
    .apply = apply,
};
