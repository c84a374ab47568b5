/* law.c - see law.h. Cost: O(d) for each class. */
#include "law.h"

#include "aligned.h"
#include "count_law.h"
#include "numeric.h"
#include "priors/power_law.h"
#include "priors/prior.h"
#include "sketches/sketch.h"

#include <math.h>

static const double WIDTH = 1.1;

double ldp_value_s1(const struct ldp_protocol *protocol, size_t v)
{
    const double s1 = ldp_law_s1(protocol, v);
    return protocol->law.trials && !(s1 > 0) ? protocol->s1 : s1;
}

static double threshold_of(const struct ldp_collection *collection, double share, size_t v)
{
    const struct ldp_protocol *const protocol = collection->protocol;
    const double n = (double)collection->n;
    if (ldp_count_law_suits(protocol)) {
        const struct ldp_count_trials trials = ldp_count_trials_of(protocol, collection->n, v);
        const struct ldp_count_law law = {trials.p, trials.q, 0, trials.trials};
        const double most = ldp_count_largest(&law, share) + 0.5; /* between two counts, so that no rounding matters */
        return ((most + trials.offset) / n - protocol->q) / (protocol->p - protocol->q);
    }
    const double exact =
        protocol->oracle->estimate == ldp_sketch_estimate ? ldp_sketch_threshold(collection, share) : (double)NAN;
    return isnan(exact) ? -ldp_normal_quantile(share) * sqrt(ldp_value_s1(protocol, v) / n) : exact;
}

double ldp_threshold(struct ldp_absent_thresholds *thresholds, size_t v)
{
    const double *const trials = thresholds->collection->protocol->law.trials;
    const double own = trials ? trials[v] : 0;
    if (!thresholds->known || own != thresholds->trials) {
        thresholds->known = true;
        thresholds->trials = own;
        thresholds->threshold = threshold_of(thresholds->collection, thresholds->share, v);
    }
    return thresholds->threshold;
}

bool ldp_classes_next(struct ldp_classes *classes)
{
    const struct ldp_protocol *const protocol = classes->protocol;
    const bool first = classes->size == 0;
    const double done = classes->most;
    double least = INFINITY, sum = 0;
    if (!protocol->law.trials) {
        classes->least = classes->most = classes->s1 = protocol->s1;
        classes->size = protocol->d;
        return first;
    }
    for (size_t v = 0; v < protocol->d; v++) {
        const double s1 = ldp_law_s1(protocol, v);
        least = (first || s1 > done) && s1 < least ? s1 : least;
    }
    if (least == INFINITY)
        return false;
    classes->least = least;
    classes->most = least > 0 ? WIDTH * least : 0;
    classes->size = 0;
    for (size_t v = 0; v < protocol->d; v++)
        if (ldp_classes_has(classes, v)) {
            sum += ldp_value_s1(protocol, v);
            classes->size++;
        }
    classes->s1 = sum / (double)classes->size;
    return true;
}

size_t ldp_classes_gather(const struct ldp_classes *classes, const double *x, double *of_class)
{
    size_t m = 0;
    for (size_t v = 0; v < classes->protocol->d; v++)
        if (ldp_classes_has(classes, v))
            of_class[m++] = x[v];
    return m;
}

void ldp_classes_scatter(const struct ldp_classes *classes, const double *of_class, double *x)
{
    for (size_t v = 0; v < classes->protocol->d; v++)
        if (ldp_classes_has(classes, v))
            x[v] = *of_class++;
}

size_t ldp_power_means_scratch(size_t d)
{
    return ldp_aligned(ldp_power_law_scratch()) + 2 * d * sizeof(double);
}

void ldp_power_means(const struct ldp_protocol *protocol, double n, double a, const double *est, void *scratch,
                     double *mean)
{
    const size_t d = protocol->d;
    double *const x = (double *)(void *)((char *)scratch + ldp_aligned(ldp_power_law_scratch())), *const means = x + d;
    struct ldp_classes classes = {.protocol = protocol};
    if (!protocol->law.trials) {
        ldp_power_law(a, n, ldp_noise_users(n, protocol->s1), est, d, scratch, mean, NULL);
        return;
    }
    while (ldp_classes_next(&classes)) {
        const size_t m = ldp_classes_gather(&classes, est, x);
        ldp_power_law(a, n, ldp_noise_users(n, classes.s1), x, m, scratch, means, NULL);
        ldp_classes_scatter(&classes, means, mean);
    }
}
