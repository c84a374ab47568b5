/* mid_p.c - one value at a time, by the law of its support, at about the level: for few counts.
 *
 * As exact, but the observed count c counts half in each tail: the interval contains all n_v / n for which neither P(C
 * > c) + P(C = c) / 2 nor P(C < c) + P(C = c) / 2 is below (1 - level) / 2. Its coverage is near the level in place of
 * above it, and can be below it where counts are very few (docs/intervals.md). Tails: count_law.c. Source: Lancaster,
 * J. Amer. Statist. Assoc. 56 (1961). Cost: two bisections per count. */
#include "count_law.h"

static size_t scratch_bytes(size_t d)
{
    (void)d;
    return sizeof(struct ldp_count_intervals);
}

static void apply(const double *param, const struct ldp_collection *collection, double level, void *scratch,
                  double *low, double *high)
{
    const double tail = (1 - level) / 2;
    (void)param;
    struct ldp_count_intervals *const room = scratch;
    ldp_count_intervals_init(room, tail, tail);
    room->half = true;
    for (size_t v = 0; v < collection->protocol->d; v++)
        ldp_count_interval(collection, room, v, &low[v], &high[v]);
}

const struct ldp_interval ldp_interval_mid_p = {
    .name = "mid_p",
    .title = "One value, by the law of its count, half of the observed count in each tail: about this probability",
    .source = "Lancaster 1961; tails of Lugannani and Rice 1980",
    .scratch_bytes = scratch_bytes,
    .suits = ldp_count_law_suits,
    .unsuited = "its supports are no binomial counts of reports",
    .apply = apply,
};
