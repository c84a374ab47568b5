/* acceptance.c - see acceptance.h.
 *
 * phi(y - theta) / marginal(y) is exp(theta y - K(y)) times a constant, and K is convex, so an interval [l, u] is
 * accepted, with Phi(u - theta) - Phi(l - theta) = 1 - alpha and theta (u - l) = K(u) - K(l): theta is the average over
 * [l, u] of the posterior mean. One unknown, a = Phi(l - theta) between 0 and alpha, is found by bisection.
 *
 * Any function a(theta) gives the exact level. The split form changes a from the prior's to alpha / 2 between theta = 4
 * and 8 (fixed before the data are seen: a switch that looks at y would not keep the level), and uses the variance at
 * theta, of each value by itself: the prior is in units of the mean noise.
 *
 * Where n q is below 1000, the ends of the split form are those of the law of the count (count_law.h) in place of
 * normal quantiles: with a below and alpha - a above, at most.
 *
 * Source: Pratt 1963; Yu and Hoff, Biometrika 2018; the split form is ours. Cost: about 40000 normal quantiles, then
 * O(log) per estimate. */
#include "laws/acceptance.h"

#include "numerics/numeric.h"

enum { SMALL = 60 /* values of theta between LEAST and STEP, at equal ratios */, BISECTIONS = 45 };

#define LEAST 1e-5
#define STEP 0.02

/* K at y: cubic between the points, straight beyond them. */
static double curve_at(const struct ldp_prior_curve *curve, double y)
{
    const double at = (y - LDP_CURVE_FIRST) / LDP_CURVE_STEP, last = LDP_CURVE_POINTS - 1, h = LDP_CURVE_STEP;
    if (!(at > 0))
        return curve->K[0] + (y - LDP_CURVE_FIRST) * curve->slope[0];
    if (!(at < last))
        return curve->K[LDP_CURVE_POINTS - 1] + (at - last) * h * curve->slope[LDP_CURVE_POINTS - 1];
    const size_t i = (size_t)at;
    const double t = at - (double)i, r = 1 - t;
    return r * r * ((1 + 2 * t) * curve->K[i] + t * h * curve->slope[i]) +
           t * t * ((1 + 2 * r) * curve->K[i + 1] - r * h * curve->slope[i + 1]);
}

double ldp_acceptance_at(const struct ldp_prior_curve *curve, double alpha, double theta, double *l, double *u)
{
    double from = 0, to = alpha;
    for (int i = 0; i < BISECTIONS; i++) {
        const double a = from + (to - from) / 2;
        *l = theta + ldp_normal_quantile(a);
        *u = theta - ldp_normal_quantile(alpha - a);
        *(theta * (*u - *l) > curve_at(curve, *u) - curve_at(curve, *l) ? &from : &to) = a;
    }
    return from + (to - from) / 2;
}

static double theta_at(size_t i)
{
    if (i == 0)
        return 0;
    if (i <= SMALL)
        return LEAST * ldp_exp(ldp_log(STEP / LEAST) * ((double)i - 1) / SMALL);
    return STEP * (double)(i - SMALL);
}

/* The counts that theta accepts, each with half a count around it, so that no rounding of an estimate matters. */
static void count_ends(const struct ldp_acceptance_rule *rule, double theta, double a, double *low, double *high)
{
    const struct ldp_collection *const collection = rule->counts;
    const struct ldp_protocol *const protocol = collection->protocol;
    const double n = (double)collection->n, scale = rule->unit * protocol->gap, own = fmin(theta * rule->unit, 1) * n;
    const struct ldp_count_law law = {protocol->p, protocol->q, own, n - own};
    const double least = ldp_count_largest(&law, 1 - a), most = ldp_count_largest(&law, rule->alpha - a);
    *low = ((least - 0.5) / n - protocol->q) / scale;
    *high = ((most + 0.5) / n - protocol->q) / scale;
}

/* Where an end does not rise, its largest value so far, or its least from there on, gives the wider interval. */
static void make_monotone(struct ldp_acceptance *acceptance)
{
    for (size_t i = 1; i < LDP_ACCEPTANCE_POINTS; i++)
        if (acceptance->high[i] < acceptance->high[i - 1])
            acceptance->high[i] = acceptance->high[i - 1];
    for (size_t i = LDP_ACCEPTANCE_POINTS - 1; i-- > 0;)
        if (acceptance->low[i] > acceptance->low[i + 1])
            acceptance->low[i] = acceptance->low[i + 1];
}

/* The ends for a value whose noise has `ratio` times the variance of the unit, after init with the same rule, under a
 * normal law: which share of alpha lies below theta stays as it is. */
static void scale(struct ldp_acceptance *acceptance, const struct ldp_acceptance_rule *rule, double ratio)
{
    for (size_t i = 0; i < LDP_ACCEPTANCE_POINTS; i++) {
        const double theta = acceptance->theta[i],
                     variance = ratio + theta * (rule->tf_ratio + theta * rule->square_ratio),
                     sd = sqrt(variance > 0 ? variance : 0);
        acceptance->low[i] = theta + sd * acceptance->below[i];
        acceptance->high[i] = theta + sd * acceptance->above[i];
    }
    make_monotone(acceptance);
}

void ldp_acceptance_init(struct ldp_acceptance *acceptance, const struct ldp_prior_curve *curve,
                         const struct ldp_acceptance_rule *rule)
{
    const double half = rule->alpha / 2;
    for (size_t i = 0; i < LDP_ACCEPTANCE_POINTS; i++) {
        const double theta = theta_at(i), share = (rule->score_from - theta) / 4,
                     weight = share < 0   ? 0
                              : share > 1 ? 1
                                          : share;
        double l, u;
        const double a = half + (ldp_acceptance_at(curve, rule->alpha, theta, &l, &u) - half) * weight;
        acceptance->theta[i] = theta;
        if (rule->counts) {
            count_ends(rule, theta, a, &acceptance->low[i], &acceptance->high[i]);
            continue;
        }
        acceptance->below[i] = ldp_normal_quantile(a);
        acceptance->above[i] = -ldp_normal_quantile(rule->alpha - a);
    }
    if (rule->counts)
        make_monotone(acceptance);
    else
        scale(acceptance, rule, 1);
}

/* The theta between points i - 1 and i at which an end is y. */
static double between(const struct ldp_acceptance *acceptance, const double *end, size_t i, double y)
{
    const double *const theta = acceptance->theta;
    const double step = end[i] - end[i - 1];
    const double share = step > 0 && isfinite(step) ? (y - end[i - 1]) / step : 1;
    return theta[i - 1] + (theta[i] - theta[i - 1]) * share;
}

void ldp_acceptance_invert(const struct ldp_acceptance *acceptance, double y, double *low, double *high)
{
    const size_t below = ldp_sorted_below(acceptance->high, LDP_ACCEPTANCE_POINTS, y, false),
                 up_to = ldp_sorted_below(acceptance->low, LDP_ACCEPTANCE_POINTS, y, true);
    *low = below == 0                      ? 0
           : below < LDP_ACCEPTANCE_POINTS ? between(acceptance, acceptance->high, below, y)
                                           : (double)INFINITY;
    *high = up_to == 0                      ? 0
            : up_to < LDP_ACCEPTANCE_POINTS ? between(acceptance, acceptance->low, up_to, y)
                                            : (double)INFINITY;
    if (*low > *high)
        *high = *low;
}

/* As ldp_acceptance_invert with ends at counts: what lies between two points of the table is included. */
static void invert_counts(const struct ldp_acceptance *acceptance, double y, double *low, double *high)
{
    const size_t below = ldp_sorted_below(acceptance->high, LDP_ACCEPTANCE_POINTS, y, false),
                 up_to = ldp_sorted_below(acceptance->low, LDP_ACCEPTANCE_POINTS, y, true);
    *low = below == 0 ? 0 : below < LDP_ACCEPTANCE_POINTS ? acceptance->theta[below - 1] : (double)INFINITY;
    *high = up_to == 0 ? 0 : up_to < LDP_ACCEPTANCE_POINTS ? acceptance->theta[up_to] : (double)INFINITY;
}

void ldp_split_intervals(const struct ldp_collection *collection, double level, const struct ldp_prior_curve *curve,
                         struct ldp_split_room *room, double *low, double *high)
{
    struct ldp_acceptance *const acceptance = &room->acceptance;
    const struct ldp_variance_terms spread = ldp_variance_terms_mean(collection->protocol);
    const double alpha = 1 - level, z = ldp_interval_z(alpha), s = sqrt(spread.s1 / (double)collection->n);
    const bool few = !collection->protocol->law.trials && ldp_counts_are_few(collection->protocol, collection->n, 0);
    const struct ldp_acceptance_rule rule = {.alpha = alpha,
                                             .score_from = 8,
                                             .counts = few ? collection : NULL,
                                             .unit = s,
                                             .tf_ratio = spread.tf * s / spread.s1,
                                             .square_ratio = spread.square * s * s / spread.s1};
    ldp_acceptance_init(acceptance, curve, &rule);
    ldp_count_intervals_init(&room->counts, alpha / 2, alpha / 2);
    double scaled = 1;
    for (size_t v = 0; v < collection->protocol->d; v++) {
        const struct ldp_variance_terms own = ldp_variance_terms_of(collection->protocol, v);
        double from, to;
        if (few) {
            invert_counts(acceptance, collection->est[v] / s, &from, &to);
            if (!isfinite(from) || !isfinite(to))
                ldp_count_interval(collection, &room->counts, v, &low[v], &high[v]);
        } else {
            if (own.s1 / spread.s1 != scaled) {
                scaled = own.s1 / spread.s1;
                scale(acceptance, &rule, scaled);
            }
            ldp_acceptance_invert(acceptance, collection->est[v] / s, &from, &to);
            ldp_score_interval(&own, (double)collection->n, z, collection->est[v], &low[v], &high[v]);
        }
        if (isfinite(from))
            low[v] = fmin(from * s, 1);
        if (isfinite(to))
            high[v] = fmin(to * s, 1);
        if (low[v] > high[v])
            high[v] = low[v];
    }
}
