/* law.c - see law.h. Cost: O(d), and for posterior means one table for each class. */
#include "law.h"

#include "aligned.h"
#include "count_law.h"
#include "numeric.h"
#include "priors/power_law.h"
#include "priors/prior.h"
#include "sketches/sketch.h"

#include <math.h>
#include <string.h>

static const double WIDTH = 1.1;

/* ---- Thresholds of absent values ---- */

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
    const double mean = trials.trials * trials.q, sd = sqrt(mean * (1 - trials.q)), wanted = ldp_log(share);
    double now = start, slope = -fmax(start + 1 / (start + 1), 0.5), before = now, excess_before = 0;
    for (int i = 0; i < 10; i++) {
        const double excess = ldp_count_log_tail(&law, mean + now * sd) - wanted;
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
    static const double doubt = 0.01; /* the error is far less (tests/test_law.c) */
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
    const size_t first = ldp_threshold_place(own);
    for (size_t i = 0; i < NEAR; i++) {
        const size_t place = (first + i) % LDP_THRESHOLD_ROOM;
        if (thresholds->trials[place] == own)
            return thresholds->threshold[place];
        if (isnan(thresholds->trials[place])) {
            thresholds->trials[place] = own;
            return thresholds->threshold[place] = threshold_of(thresholds, v);
        }
    }
    thresholds->trials[first] = own;
    return thresholds->threshold[first] = threshold_of(thresholds, v);
}

/* ---- Classes ---- */

struct work {
    struct ldp_classes classes;
    double *distinct; /* [d]: the s1 of classes to be, each once, in the order of its first value; then sorted */
    double *sorted;   /* [2 d] */
    uint32_t *place;  /* [d]: of a value's s1 among the distinct; then its class */
    uint32_t *slot;   /* [nslots]: 1 + a place, 0: free */
    size_t nslots;
    size_t bytes;
};

static struct work work_in(size_t d, void *scratch)
{
    struct ldp_arena arena = {scratch, 0};
    struct work work = {.nslots = 64};
    while (work.nslots < 2 * d)
        work.nslots *= 2;
    work.classes.s1 = ldp_take(&arena, d * sizeof(double));
    work.classes.first = ldp_take(&arena, (d + 1) * sizeof(uint32_t));
    work.classes.member = ldp_take(&arena, d * sizeof(uint32_t));
    work.distinct = ldp_take(&arena, d * sizeof(double));
    work.sorted = ldp_take(&arena, 2 * d * sizeof(double));
    work.place = ldp_take(&arena, d * sizeof(uint32_t));
    work.slot = ldp_take(&arena, work.nslots * sizeof(uint32_t));
    work.bytes = arena.bytes;
    return work;
}

size_t ldp_classes_bytes(size_t d)
{
    return work_in(d, NULL).bytes;
}

/* Fills distinct and place; returns the number of distinct s1. */
static size_t find_distinct(const struct ldp_protocol *protocol, const struct work *work)
{
    size_t count = 0;
    memset(work->slot, 0, work->nslots * sizeof *work->slot);
    for (size_t v = 0; v < protocol->d; v++) {
        const double s1 = ldp_law_s1(protocol, v);
        uint64_t bits;
        memcpy(&bits, &s1, sizeof bits);
        size_t at = (size_t)((bits * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (work->nslots - 1);
        while (work->slot[at] > 0 && work->distinct[work->slot[at] - 1] != s1)
            at = (at + 1) & (work->nslots - 1);
        if (work->slot[at] == 0) {
            work->distinct[count] = s1;
            work->slot[at] = (uint32_t)++count;
        }
        work->place[v] = work->slot[at] - 1;
    }
    return count;
}

/* Replaces each of the distinct by the first of its class; s1[i] becomes that of class i. Returns their number. */
static size_t find_firsts(const struct work *work, size_t count)
{
    size_t nclasses = 0;
    memcpy(work->sorted, work->distinct, count * sizeof *work->sorted);
    ldp_sort(work->sorted, count, work->sorted + count);
    for (size_t i = 0; i < count; i++) {
        const double least = nclasses > 0 ? work->classes.s1[nclasses - 1] : 0;
        if (nclasses == 0 || work->sorted[i] > (least > 0 ? WIDTH * least : 0))
            work->classes.s1[nclasses++] = work->sorted[i];
    }
    return nclasses;
}

static uint32_t class_of(const double *first, size_t nclasses, double s1)
{
    size_t low = 0, high = nclasses;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (first[middle] <= s1)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

struct ldp_classes ldp_classes_of(const struct ldp_protocol *protocol, void *scratch)
{
    const size_t d = protocol->d;
    struct work work = work_in(d, scratch);
    struct ldp_classes *const classes = &work.classes;
    uint32_t *const class_at = work.slot;
    const size_t count = find_distinct(protocol, &work);
    classes->nclasses = find_firsts(&work, count);
    for (size_t i = 0; i < count; i++)
        class_at[i] = class_of(classes->s1, classes->nclasses, work.distinct[i]);
    memset(classes->first, 0, (classes->nclasses + 1) * sizeof *classes->first);
    memset(classes->s1, 0, classes->nclasses * sizeof *classes->s1);
    for (size_t v = 0; v < d; v++) {
        const uint32_t own = work.place[v] = class_at[work.place[v]];
        classes->s1[own] += ldp_value_s1(protocol, v);
        classes->first[own + 1]++;
    }
    for (size_t i = 0; i < classes->nclasses; i++) {
        classes->s1[i] /= (double)classes->first[i + 1];
        classes->first[i + 1] += classes->first[i];
        class_at[i] = classes->first[i];
    }
    for (size_t v = 0; v < d; v++)
        classes->member[class_at[work.place[v]]++] = (uint32_t)v;
    return *classes;
}

/* ---- Posterior means under a power law ---- */

size_t ldp_power_means_scratch(size_t d)
{
    return ldp_aligned(ldp_power_law_scratch()) + 2 * ldp_aligned(d * sizeof(double)) + ldp_classes_bytes(d);
}

void ldp_power_means(const struct ldp_protocol *protocol, double n, double a, const double *est, void *scratch,
                     double *mean)
{
    const size_t d = protocol->d;
    if (!protocol->law.trials) {
        ldp_power_law(a, n, ldp_noise_users(n, protocol->s1), est, d, scratch, mean, NULL);
        return;
    }
    struct ldp_arena arena = {scratch, ldp_aligned(ldp_power_law_scratch())};
    double *const x = ldp_take(&arena, d * sizeof *x), *const means = ldp_take(&arena, d * sizeof *means);
    const struct ldp_classes classes = ldp_classes_of(protocol, arena.block + arena.bytes);
    for (size_t v = 0; v < d; v++)
        x[v] = est[classes.member[v]];
    for (size_t i = 0; i < classes.nclasses; i++) {
        const uint32_t first = classes.first[i];
        ldp_power_law(a, n, ldp_noise_users(n, classes.s1[i]), x + first, classes.first[i + 1] - first, scratch,
                      means + first, NULL);
    }
    for (size_t v = 0; v < d; v++)
        mean[classes.member[v]] = means[v];
}
