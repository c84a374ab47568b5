/* mid_p.c - one value at a time, by the law of its support, at about the level: for few counts.
 *
 * As exact, but the observed count c counts half in each tail: the interval contains all n_v / n for which neither P(C
 * > c) + P(C = c) / 2 nor P(C < c) + P(C = c) / 2 is below (1 - level) / 2. Its coverage is near the level in place of
 * above it, and can be below it where counts are very few (studies/intervals.md). Tails: count_law.c. Source:
 * Lancaster, J. Amer. Statist. Assoc. 56 (1961). Cost: two bisections per count. */
#include "laws/count_law.h"

static void apply(const double *param, const struct ldp_collection *collection, double level, void *scratch,
                  double *low, double *high)
{
    ldp_count_each(collection, level, true, scratch, low, high);
}

const struct ldp_interval ldp_interval_mid_p = {
    .name = "mid_p",
    .title = "One value, by its count's distribution, half of the observed count in each tail: about this probability",
    .source = "Lancaster 1961; tails of Lugannani and Rice 1980",
    .scratch_bytes = ldp_count_scratch,
    .suits = ldp_count_law_suits,
    .unsuited = "its support counts are not binomial",
    .apply = apply,
};
