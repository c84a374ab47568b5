/* exact.c - one value at a time, by the law of its support: for few counts.
 *
 * Of n_v users who have v and n - n_v who do not, C = Bin(n_v, p) + Bin(n - n_v, q) reports support v, and C grows with
 * n_v. The interval contains all n_v / n for which neither tail of the observed count c is below (1 - level) / 2 (for a
 * binomial, the interval of Clopper and Pearson), so that its level is at least the stated one, however few reports
 * support a value by chance. The count is recovered from the estimate: c = n (q + (p - q) x). Tails: count_law.c.
 * Source: Lugannani and Rice 1980; Clopper and Pearson 1934. Cost: two bisections per count. */
#include "laws/count_law.h"

static void apply(const double *param, const struct ldp_collection *collection, double level, void *scratch,
                  double *low, double *high)
{
    ldp_count_each(collection, level, false, scratch, low, high);
}

const struct ldp_interval ldp_interval_exact = {
    .name = "exact",
    .title = "One value, by its count's distribution: covers it with at least this probability, however few the counts",
    .source = "Clopper and Pearson 1934; tails of Lugannani and Rice 1980",
    .scratch_bytes = ldp_count_scratch,
    .suits = ldp_count_law_suits,
    .unsuited = "its support counts are not binomial",
    .apply = apply,
};
