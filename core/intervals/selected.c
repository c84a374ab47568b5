/* selected.c - the k values with the largest estimates: the expected share of wrong intervals among them is at most 1 -
 * level.
 *
 * score at level 1 - (1 - level) k / d (Benjamini and Yekutieli, JASA 2005: false coverage rate). Errors are on one
 * side, since selected values are overestimated, so it is wider than conditional. Values at the threshold are not
 * selected. Cost: a sort. */
#include "interval.h"

#include <math.h>

static const struct ldp_param params[] = {
    {.name = "k", .kind = LDP_INTEGER, .fallback = 10, .min = 1, .max = 4294967295, .help = "values that are selected"},
    {.name = NULL},
};

static size_t scratch_bytes(size_t d)
{
    return 2 * d * sizeof(double);
}

static void apply(const double *param, const struct ldp_interval_input *input, void *scratch, double *low, double *high)
{
    const double *const est = input->est;
    const size_t d = input->protocol->d, k = param[0] < (double)d ? (size_t)param[0] : d;
    const double z = ldp_interval_z((1 - input->level) * (double)k / (double)d),
                 threshold = k < d ? ldp_interval_threshold(est, d, k, scratch) : -INFINITY;
    for (size_t v = 0; v < d; v++) {
        low[v] = high[v] = NAN;
        if (est[v] > threshold)
            ldp_score_interval(input, z, est[v], &low[v], &high[v]);
    }
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
