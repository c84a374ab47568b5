/* bonferroni.c - all values at once: the level is the probability that every interval contains its value.
 *
 * score at level 1 - (1 - level) / d; where n q is below 1000, so that the far tails of counts are longer than normal
 * ones, exact at that level. Covariances matter only for d <= 4, where the intervals are wider than necessary. Cost:
 * O(d), or that of exact. */
#include "laws/count_law.h"

/* With shared hash functions or blocks the variances of a collection differ by value. Their means serve one value at a
 * time: all at once they were covered with 0.03 to 0.5 where 0.95 was asked. Few shared functions have no normal tails.
 */
static bool suits(const struct ldp_protocol *protocol)
{
    return (!(protocol->flags & LDP_ORACLE_UNEVEN) || protocol->law.trials) && ldp_interval_normal_tails(protocol);
}

static size_t scratch_bytes(size_t d)
{
    return sizeof(struct ldp_count_intervals);
}

static void apply(const double *param, const struct ldp_collection *collection, double level, void *scratch,
                  double *low, double *high)
{
    ldp_far_intervals(collection, (1 - level) / (double)collection->protocol->d, scratch, low, high);
}

const struct ldp_interval ldp_interval_bonferroni = {
    .name = "bonferroni",
    .title = "All values at once: all intervals cover with this probability",
    .source = "Bonferroni; the variance NDSS 2020, eq. 5",
    .scratch_bytes = scratch_bytes,
    .suits = suits,
    .unsuited = "far tails depend on public randomness that is not known: shared cells, hash functions or blocks",
    .apply = apply,
};
