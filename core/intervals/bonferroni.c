/* bonferroni.c - all values at once: the level is the probability that every interval contains its value.
 *
 * score at level 1 - (1 - level) / d. Covariances matter only for d <= 4, where the intervals are wider than necessary.
 * Normal tails are assumed: if n q is below 1000, the far tails of counts are longer, and the level is not quite
 * reached. Cost: O(d). */
#include "interval.h"

static void apply(const double *param, const struct ldp_interval_input *input, void *scratch, double *low, double *high)
{
    (void)param;
    (void)scratch;
    const double z = ldp_interval_z((1 - input->level) / (double)input->protocol->d);
    for (size_t v = 0; v < input->protocol->d; v++)
        ldp_score_interval(input, z, input->est[v], &low[v], &high[v]);
}

const struct ldp_interval ldp_interval_bonferroni = {
    .name = "bonferroni",
    .title = "All values at once: every interval holds with this probability",
    .source = "Bonferroni; the variance NDSS 2020, eq. 5",
    LDP_INTERVAL_NORMAL_TAILS,
    .apply = apply,
};
