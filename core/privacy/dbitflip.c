/* dbitflip.c - dBitFlipPM: bits of a few buckets, memoized, without a second round.
 *
 * The domain has b buckets of neighbouring values. A user draws k of them once, and for each pattern that the true
 * values can have there (one of the k buckets, or none of them) keeps k bits: that of the own bucket is 1 with
 * probability p, every other with q = 1 - p, p = 1/(1 + exp(-epsilon/2)). A report is the memoized response itself:
 * noise never averages out, and an observer sees every change between patterns.
 *
 * Source: Ding, Kulkarni, Yekhanin, NIPS 2017. Deviation: with k = 1 two values differ in one bit, so p is 1/(1 +
 * exp(-epsilon)); with `published` it is as above, and only epsilon/2 is spent. If there are fewer buckets than values,
 * the estimate of a bucket is shared by its values, which is biased. */
#include "privacy/rounds.h"

#include <math.h>

enum { BUCKETS, BITS, PUBLISHED };
static const struct ldp_param params[] = {
    [BUCKETS] =
        LDP_PARAM_INTEGER("buckets", NAN, 2, 0x1p31, "number of buckets of the domain; default: one for each value"),
    [BITS] = LDP_PARAM_INTEGER("bits", NAN, 1, 0x1p31, "buckets whose bits a user reports; default: all"),
    [PUBLISHED] = LDP_PARAM_PUBLISHED("the published p also for one bit, which uses half of epsilon"),
    {.name = NULL},
};

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    const double d = (double)rounds->d, b = isnan(spec->param[BUCKETS]) ? d : spec->param[BUCKETS],
                 k = isnan(spec->param[BITS]) ? b : spec->param[BITS];
    if (b > d)
        return ldp_refuse(reason, "buckets = %.0f: expected at most d = %.0f", b, d);
    if (k > b)
        return ldp_refuse(reason, "bits = %.0f: expected at most the %.0f buckets", k, b);
    rounds->param[BUCKETS] = b;
    rounds->param[BITS] = k;
    return ldp_rounds_set_buckets(rounds, (size_t)b, (size_t)k, k == 1 && spec->param[PUBLISHED] == 0, reason);
}

const struct ldp_chain ldp_chain_dbitflip = {
    .name = "dbitflip",
    .title = "Memoized bits of a few buckets (dBitFlipPM)",
    .source = "Ding, Kulkarni, Yekhanin, NIPS 2017",
    .params = params,
    .configure = configure,
    .form = &ldp_rounds_buckets,
};
