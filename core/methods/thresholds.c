/* thresholds.c - see thresholds.h. Cost: O(d). */
#include "methods/thresholds.h"

#include "laws/classes.h"
#include "laws/count_law.h"
#include "sketches/sketch.h"

/* Chebyshev's nodes, cos((2 j + 1) pi / 8), and their barycentric weights, (-1)^j sin((2 j + 1) pi / 8). */
static const double node[LDP_THRESHOLD_NODES] = {0.923879532511286756, 0.382683432365089772, -0.382683432365089772,
                                                 -0.923879532511286756};
static const double weight[LDP_THRESHOLD_NODES] = {0.382683432365089772, -0.923879532511286756, 0.923879532511286756,
                                                   -0.382683432365089772};

struct ldp_absent_thresholds ldp_absent_thresholds_of(const struct ldp_collection *collection, double share)
{
    struct ldp_absent_thresholds thresholds = {.collection = collection, .share = share};
    for (size_t i = 0; i < LDP_THRESHOLD_ROOM; i++)
        thresholds.trials[i] = (double)NAN;
    return thresholds;
}

/* The real c with P(C >= c) = share, C ~ Bin(trials, q), in standard deviations above the mean: by secants, from a
 * first step by the slope of the logarithm of the normal law's tail. */
static double deviations(struct ldp_count_trials trials, double share, double start)
{
    static const double last = 0x1p-7; /* counts: the error after such a step is far less */
    const struct ldp_count_law law = {trials.p, trials.q, 0, trials.trials};
    const double mean = trials.trials * trials.q, sd = sqrt(mean * (1 - trials.q)), requested = ldp_log(share);
    double now = start, slope = -fmax(start + 1 / (start + 1), 0.5), before = now, excess_before = 0;
    for (int i = 0; i < 10; i++) {
        const double excess = ldp_count_log_tail(&law, mean + now * sd) - requested;
        if (i > 0 && now != before)
            slope = (excess - excess_before) / (now - before);
        before = now, excess_before = excess, now -= excess / slope;
        if (!(fabs(now - before) * sd > last))
            break;
    }
    return now;
}

/* Fills the nodes, if no block has few reports. */
static void fill_nodes(struct ldp_absent_thresholds *thresholds)
{
    const struct ldp_collection *const collection = thresholds->collection;
    const struct ldp_protocol *const protocol = collection->protocol;
    const double *const trials = protocol->law.trials, z = ldp_normal_quantile(thresholds->share);
    double least = trials[0], most = trials[0];
    for (size_t v = 1; v < protocol->d; v++) {
        least = trials[v] < least ? trials[v] : least;
        most = trials[v] > most ? trials[v] : most;
    }
    const struct ldp_count_trials fewest = ldp_count_trials_with(protocol, collection->n, least);
    thresholds->tabulated = least * fmin(fewest.q, 1 - fewest.q) >= 25 + 9 * z * z;
    if (!thresholds->tabulated)
        return;
    const double highest = 1 / sqrt(least), lowest = 1 / sqrt(most);
    thresholds->middle = (highest + lowest) / 2;
    thresholds->half = (highest - lowest) / 2;
    double start = -z;
    for (size_t j = 0; j < LDP_THRESHOLD_NODES; j++) {
        const double t = thresholds->middle + thresholds->half * node[j];
        start = deviations(ldp_count_trials_with(protocol, collection->n, 1 / (t * t)), thresholds->share, start);
        thresholds->at[j] = start;
    }
}

/* The largest c with P(C >= c) >= share, by the nodes. */
static double interpolated(const struct ldp_absent_thresholds *thresholds, struct ldp_count_trials trials)
{
    static const double doubt = 0.01; /* the error is far less (tests/test_base_cut.c) */
    const double t = (1 / sqrt(trials.trials) - thresholds->middle) / thresholds->half;
    double above = 0, below = 0;
    for (size_t j = 0; j < LDP_THRESHOLD_NODES; j++) {
        const double away = t - node[j], part = weight[j] / (fabs(away) > 1e-12 ? away : 1e-12);
        above += part * thresholds->at[j];
        below += part;
    }
    const double mean = trials.trials * trials.q, c = mean + above / below * sqrt(mean * (1 - trials.q)),
                 whole = nearbyint(c);
    if (fabs(c - whole) > doubt)
        return floor(c);
    const struct ldp_count_law law = {trials.p, trials.q, 0, trials.trials};
    return ldp_count_tail(&law, whole) >= thresholds->share ? whole : whole - 1;
}

static double threshold_of(struct ldp_absent_thresholds *thresholds, size_t v)
{
    const struct ldp_collection *const collection = thresholds->collection;
    const struct ldp_protocol *const protocol = collection->protocol;
    const double share = thresholds->share, n = (double)collection->n;
    if (ldp_count_law_suits(protocol)) {
        const struct ldp_count_trials trials = ldp_count_trials_of(protocol, collection->n, v);
        const struct ldp_count_law law = {trials.p, trials.q, 0, trials.trials};
        if (!thresholds->asked && protocol->law.trials)
            fill_nodes(thresholds);
        thresholds->asked = true;
        const double most = thresholds->tabulated ? interpolated(thresholds, trials) : ldp_count_largest(&law, share);
        /* Between two counts, so that no rounding matters. */
        return ((most + 0.5 + trials.offset) / n - protocol->q) / protocol->gap;
    }
    const double exact =
        protocol->oracle->estimate == ldp_sketch_estimate ? ldp_sketch_threshold(collection, share) : (double)NAN;
    return isnan(exact) ? -ldp_normal_quantile(share) * sqrt(ldp_value_s1(protocol, v) / n) : exact;
}

double ldp_threshold_find(struct ldp_absent_thresholds *thresholds, size_t v)
{
    enum { NEAR = 16 };
    const double *const trials = thresholds->collection->protocol->law.trials;
    const double own = trials ? trials[v] : 0;
    const size_t first = ldp_threshold_slot(own);
    for (size_t i = 0; i < NEAR; i++) {
        const size_t position = (first + i) % LDP_THRESHOLD_ROOM;
        if (thresholds->trials[position] == own)
            return thresholds->threshold[position];
        if (isnan(thresholds->trials[position])) {
            thresholds->trials[position] = own;
            return thresholds->threshold[position] = threshold_of(thresholds, v);
        }
    }
    thresholds->trials[first] = own;
    return thresholds->threshold[first] = threshold_of(thresholds, v);
}
