/* conditional.c - the k values with the largest estimates, given that they were selected.
 *
 * X ~ N(f, v), v = (s1 + tf clip(x, 0, 1)) / n, given X >= t, the (k+1)-th largest estimate: f is in the interval if
 * neither tail of x under that law is below (1 - level) / 2. Where n q is below 1000, the law of the count
 * (count_law.h) takes the place of the normal one. t is treated as a fixed threshold, which was right in all
 * measurements but is not proven. The tail of x increases with f, so each end is found by bisection, on its logarithm.
 * Values at the threshold are not selected. Cost: a sort, and 2 x 60 steps per value. */
#include "laws/count_law.h"
#include "numerics/numeric.h"

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("k", 10, 1, 4294967295, "values that are selected"),
    {.name = NULL},
};

static size_t scratch_bytes(size_t d)
{
    return 2 * d * sizeof(double);
}

/* log P(Z > a). */
static double log_tail(double a)
{
    return a > 0 ? ldp_log(ldp_normal_tail_scaled(a)) - a * a / 2 : ldp_log(ldp_normal_tail(a));
}

/* The least f in [0, 1] with P(X >= x | X >= t) >= share; 1 if there is none. */
static double solve(double x, double t, double sd, double share)
{
    const double requested = ldp_log(share);
    if (log_tail(x / sd) - log_tail(t / sd) >= requested)
        return 0; /* and not the bisection's last step, which would leave out values with zero frequency */
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        const double f = low + (high - low) / 2;
        const bool enough = log_tail((x - f) / sd) - log_tail((t - f) / sd) >= requested;
        low = enough ? low : f;
        high = enough ? f : high;
    }
    return high;
}

/* All n_v / n for which neither tail of the count is below `tail`, given that it is above that of t. */
static void by_counts(const struct ldp_collection *collection, size_t v, double t, double tail, double *low,
                      double *high)
{
    const struct ldp_count_trials trials = ldp_count_trials_of(collection->protocol, collection->n, v);
    const double n = (double)collection->n, c = ldp_count_of(collection, &trials, collection->est[v]),
                 given = ldp_count_above(collection, &trials, t);
    const double to = ldp_count_least(&trials, n, c + 1, given, 1 - tail) - 1;
    *high = (to < 0 ? 0 : to) / n;
    *low = fmin(ldp_count_least(&trials, n, c, given, tail) / n, *high);
}

static void apply(const double *param, const struct ldp_collection *collection, double level, void *scratch,
                  double *low, double *high)
{
    const double *const est = collection->est;
    const size_t d = collection->protocol->d, k = param[0] < (double)d ? (size_t)param[0] : d;
    const double z = ldp_interval_z(1 - level), tail = (1 - level) / 2,
                 threshold = k < d ? ldp_interval_threshold(est, d, k, scratch) : -INFINITY;
    for (size_t v = 0; v < d; v++) {
        const double x = est[v], sd = ldp_interval_sd(collection, v, x);
        low[v] = high[v] = NAN;
        if (!(x > threshold))
            continue;
        if (k == d || !(sd > 0)) {
            const struct ldp_variance_terms spread = ldp_variance_terms_of(collection->protocol, v);
            ldp_score_interval(&spread, (double)collection->n, z, x, &low[v], &high[v]);
            continue;
        }
        if (ldp_counts_are_few(collection->protocol, collection->n, v)) {
            by_counts(collection, v, threshold, tail, &low[v], &high[v]);
            continue;
        }
        low[v] = solve(x, threshold, sd, tail);
        high[v] = solve(x, threshold, sd, 1 - tail);
    }
}

const struct ldp_interval ldp_interval_conditional = {
    .name = "conditional",
    .title = "The k largest estimates, given that they were selected",
    .source = "truncated normal distribution; equal tails",
    .params = params,
    .scratch_bytes = scratch_bytes,
    LDP_INTERVAL_NORMAL_TAILS,
    .apply = apply,
};
