/* bonferroni.c - all values at once: the level is the probability that every interval contains its value.
 *
 * score at level 1 - (1 - level) / d; where n q is below 1000, so that the far tails of counts are longer than normal
 * ones, exact at that level. Covariances matter only for d <= 4, where the intervals are wider than necessary. Cost:
 * O(d), or that of exact. */
#include "count_law.h"

static size_t scratch_bytes(size_t d)
{
    (void)d;
    return sizeof(struct ldp_count_intervals);
}

static void apply(const double *param, const struct ldp_interval_input *input, void *scratch, double *low, double *high)
{
    (void)param;
    ldp_far_intervals(input, (1 - input->level) / (double)input->protocol->d, scratch, low, high);
}

const struct ldp_interval ldp_interval_bonferroni = {
    .name = "bonferroni",
    .title = "All values at once: every interval holds with this probability",
    .source = "Bonferroni; the variance NDSS 2020, eq. 5",
    .scratch_bytes = scratch_bytes,
    LDP_INTERVAL_NORMAL_TAILS,
    .apply = apply,
};
