/* norm_sub_once.c - one pass of additive normalisation, called Norm-Sub in PVLDB 2021:
 *
 *     est'_v = max(est_v + (1 - S) / m, 0) where est_v > 0, else 0;   S is the sum, m the number of positive estimates.
 *
 * It is the first step of norm_sub, not a projection: if S is far above 1, the sum stays above 1, since the mass that
 * is clipped at 0 is not taken from the other values again.
 *
 * Source: Cormode, Maddock, Maple, PVLDB 2021, sec. 6 and Figure 11, with the clipping at 0 that their driver does at
 * the end (its rounding to whole users is left out). If no estimate is positive, all answers are 0. Cost: O(d). */
#include "ldp.h"

static void apply(const double *param, const struct ldp_collection *collection, void *scratch, double *out)
{
    const double *const est = collection->est;
    const size_t d = collection->protocol->d;
    double largest = 0;
    for (size_t v = 0; v < d; v++)
        largest = est[v] > largest ? est[v] : largest;
    double positive = 0;
    for (size_t v = 0; v < d; v++)
        positive += est[v] > 0;
    double excess = -1;
    /* Relative to the largest, so that huge estimates neither lose digits nor overflow: S - 1 = sum (est - largest) + m
     * largest - 1. */
    for (size_t v = 0; v < d; v++)
        if (est[v] > 0)
            excess += est[v] - largest;
    const double least = largest + excess / positive;
    for (size_t v = 0; v < d; v++)
        out[v] = est[v] > 0 && est[v] > least ? est[v] - least : 0;
}

const struct ldp_method ldp_method_norm_sub_once = {
    .name = "norm_sub_once",
    .title = "One pass of additive normalisation",
    .source = "PVLDB 2021, sec. 6",
    .guarantees = LDP_NONNEGATIVE | LDP_KEEPS_ORDER,
    .apply = apply,
};
