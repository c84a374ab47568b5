/* selected.c - the k values with the largest estimates: the expected share of wrong intervals among them is at most 1 -
 * level.
 *
 * score at level 1 - (1 - level) k / d (Benjamini and Yekutieli, JASA 2005: false coverage rate), or exact where n q is
 * below 1000. Errors are on one side, since selected values are overestimated, so it is wider than conditional. Values
 * at the threshold are not selected. Cost: a sort. */
#include "laws/count_law.h"
#include "numerics/arena.h"

#include <math.h>

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("k", 10, 1, 4294967295, "values that are selected"),
    {.name = NULL},
};

static size_t scratch_bytes(size_t d)
{
    return ldp_aligned(2 * d * sizeof(double)) + sizeof(struct ldp_count_intervals);
}

static void apply(const double *param, const struct ldp_collection *collection, double level, void *scratch,
                  double *low, double *high)
{
    const double *const est = collection->est;
    const size_t d = collection->protocol->d, k = param[0] < (double)d ? (size_t)param[0] : d;
    const double threshold = k < d ? ldp_interval_threshold(est, d, k, scratch) : -INFINITY;
    ldp_far_intervals(collection, (1 - level) * (double)k / (double)d,
                      (struct ldp_count_intervals *)(void *)((char *)scratch + ldp_aligned(2 * d * sizeof(double))),
                      low, high);
    for (size_t v = 0; v < d; v++)
        if (!(est[v] > threshold))
            low[v] = high[v] = NAN;
}

const struct ldp_interval ldp_interval_selected = {
    .name = "selected",
    .title = "The k largest estimates: at most this share of their intervals is wrong, on average",
    .source = "Benjamini and Yekutieli, JASA 2005",
    .params = params,
    .scratch_bytes = scratch_bytes,
    LDP_INTERVAL_NORMAL_TAILS,
    .apply = apply,
};
