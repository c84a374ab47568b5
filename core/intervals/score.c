/* score.c - one value at a time: all f that a test at this level does not reject.
 *
 *     {f : (x - f)^2 <= z^2 (s1 + tf f) / n}, cut to [0, 1]
 *
 * The variance is that at f, not at the estimate, as in Wilson's interval of a binomial (1927), so the level also holds
 * for heavy values and if tf is large. Cost: O(d). */
#include "laws/interval.h"

static void apply(const double *param, const struct ldp_collection *collection, double level, void *scratch,
                  double *low, double *high)
{
    const double z = ldp_interval_z(1 - level);
    for (size_t v = 0; v < collection->protocol->d; v++) {
        const struct ldp_variance_terms spread = ldp_variance_terms_of(collection->protocol, v);
        ldp_score_interval(&spread, (double)collection->n, z, collection->est[v], &low[v], &high[v]);
    }
}

const struct ldp_interval ldp_interval_score = {
    .name = "score",
    .title = "One value: its interval covers it with this probability",
    .source = "Wilson 1927; the variance NDSS 2020, eq. 5",
    .apply = apply,
};
