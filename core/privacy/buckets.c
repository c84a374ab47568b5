/* buckets.c - chains whose memoized response is what is reported: bits of k buckets that a user draws once, one
 * memoized response for each of these buckets that the user's value falls into, and one for all others.
 *
 * A report is two strings of b bits, of the buckets that were drawn and of the ones among them. The support of a bucket
 * is the sum of bit - q over the users who drew it, so that it is unbiased with p = (k/b)(p1 - q1), q = 0:
 *
 *     n Var(est_v) = (b/k) V + f_v (b/k - 1),    V = p1 q1 / (p1 - q1)^2.
 *
 * Users are drawn one by one, by counts as well. Cost n T b/64 words. If all buckets are drawn, single rounds have a
 * law of their own. */
#include "numerics/arena.h"
#include "privacy/rounds.h"
#include "protocol/bits.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"
#include "random/rng.h"

#include <math.h>
#include <string.h>

/* State of the report. */
struct own {
    size_t b, k;
    double q;
    struct ldp_coin own, other;
};
LDP_OWN(struct own);

static size_t bucket_of(const struct ldp_protocol *report, const struct own *own, uint32_t v)
{
    return (size_t)((uint64_t)v * own->b / report->d);
}

/* ---- The server: counters of the buckets that were drawn, then of the ones ---- */

static void server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *state)
{
    const size_t b = own_of(protocol).b, words = ldp_bits_words(b);
    for (size_t i = 0; i < m; i++) {
        ldp_planes_add(state, b, reports + 2 * i * words, 1);
        ldp_planes_add((char *)state + ldp_planes_bytes(b), b, reports + (2 * i + 1) * words, 1);
    }
}

static double count(const uint64_t *planes, size_t words, uint64_t n, size_t i)
{
    uint64_t sum = 0;
    for (size_t j = 0; j < 54 && n >> j != 0; j++)
        sum |= (planes[j * words + i / 64] >> i % 64 & 1) << j;
    return (double)sum;
}

static void support(const struct ldp_protocol *protocol, void *state, uint64_t n, double *out)
{
    const struct own own = own_of(protocol);
    const size_t words = ldp_bits_words(own.b);
    const uint64_t *const drawn = state, *const ones = drawn + ldp_planes_bytes(own.b) / sizeof *drawn;
    for (size_t v = 0, size; v < protocol->d; v += size) {
        const size_t bucket = bucket_of(protocol, &own, (uint32_t)v);
        for (size = 1; v + size < protocol->d && bucket_of(protocol, &own, (uint32_t)(v + size)) == bucket;)
            size++;
        const double share = (count(ones, words, n, bucket) - own.q * count(drawn, words, n, bucket)) / (double)size;
        for (size_t i = v; i < v + size; i++)
            out[i] = share;
    }
}

/* If every user draws every bucket, a round alone: ones ~ Bin(n_v, p1) + Bin(n - n_v, q1), less n q1. */
static void counts_of_all(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                          struct ldp_rng *rng, void *scratch, double *out)
{
    const double q = own_of(protocol).q;
    struct ldp_protocol bits = *protocol;
    bits.p = protocol->p + q;
    bits.q = q;
    ldp_pure_counts(&bits, histogram, plan, rng, scratch, out);
    for (size_t v = 0; v < protocol->d; v++)
        out[v] -= q * (double)histogram->n;
}

#define ORACLE                                                                                                         \
    .name = "dbitflip", .title = "Bits of a few buckets", .source = "Ding, Kulkarni, Yekhanin, NIPS 2017",             \
    .server = server, .support = support
static const struct ldp_oracle of_some = {ORACLE}, of_all = {ORACLE, .counts = counts_of_all};

/* ---- Clients ---- */

struct work {
    uint64_t *drawn; /* [words] */
    uint32_t *order; /* [b] */
    struct ldp_memos memos;
};

static struct work take(const struct ldp_rounds *rounds, struct ldp_arena *arena)
{
    const struct own own = own_of(&rounds->report);
    const size_t words = ldp_bits_words(own.b), most = own.k + 1 < rounds->rounds ? own.k + 1 : rounds->rounds;
    struct work work;
    work.drawn = ldp_take(arena, words * sizeof *work.drawn);
    work.order = ldp_take(arena, own.b * sizeof *work.order);
    work.memos = ldp_memos_take(most, words, arena);
    return work;
}

static size_t client_bytes(const struct ldp_rounds *rounds)
{
    struct ldp_arena arena = {0};
    take(rounds, &arena);
    return arena.bytes;
}

/* k of b buckets, without replacement. */
static void draw_buckets(const struct own *own, struct ldp_rng *rng, const struct work *work)
{
    memset(work->drawn, 0, work->memos.words * sizeof *work->drawn);
    for (size_t i = 0; own->k < own->b && i < own->b; i++)
        work->order[i] = (uint32_t)i;
    for (size_t i = 0; i < own->k; i++) {
        size_t bucket = i;
        if (own->k < own->b) {
            const size_t at = i + (size_t)rng_below(rng, own->b - i);
            bucket = work->order[at];
            work->order[at] = work->order[i];
        }
        work->drawn[bucket / 64] |= UINT64_C(1) << bucket % 64;
    }
}

static void client(const struct ldp_rounds *rounds, const uint32_t *values, struct ldp_rng *rng, void *scratch,
                   uint64_t *reports)
{
    const struct own own = own_of(&rounds->report);
    struct ldp_arena arena = {scratch, 0};
    struct work work = take(rounds, &arena);
    const size_t words = work.memos.words;
    draw_buckets(&own, rng, &work);
    for (size_t t = 0; t < rounds->rounds; t++) {
        const uint32_t bucket = (uint32_t)bucket_of(&rounds->report, &own, values[t]);
        const bool is_drawn = work.drawn[bucket / 64] >> bucket % 64 & 1;
        bool is_new;
        uint64_t *const memo = ldp_memo_of(&work.memos, is_drawn ? bucket : UINT32_MAX, &is_new);
        if (is_new)
            ldp_bits_bernoulli(rng, own.other, memo, words);
        if (is_new && is_drawn)
            memo[bucket / 64] = (memo[bucket / 64] & ~(UINT64_C(1) << bucket % 64)) |
                                (uint64_t)ldp_coin_heads(own.own, rng) << bucket % 64;
        for (size_t w = 0; w < words; w++) {
            if (is_new)
                memo[w] &= work.drawn[w];
            reports[2 * t * words + w] = work.drawn[w];
            reports[(2 * t + 1) * words + w] = memo[w];
        }
    }
}

/* All rounds have the same report. */
static void weigh(const struct ldp_rounds *rounds, const uint64_t *reports, double *room, double *likelihood)
{
    const struct own own = own_of(&rounds->report);
    const uint64_t *const ones = reports + ldp_bits_words(own.b);
    const double one = rounds->p1 / rounds->q1, none = (1 - rounds->p1) / (1 - rounds->q1);
    for (size_t v = 0; v < rounds->d; v++) {
        const size_t bucket = bucket_of(&rounds->report, &own, (uint32_t)v), word = bucket / 64, bit = bucket % 64;
        const bool is_drawn = reports[word] >> bit & 1, is_one = ones[word] >> bit & 1;
        likelihood[v] = !is_drawn ? 1 : is_one ? one : none;
    }
}

/* Two values that were not drawn have the same memoized response. */
static void covariance(const struct ldp_rounds *rounds, uint64_t n, struct ldp_round_covariance *out)
{
    const struct own own = own_of(&rounds->report);
    const double b = (double)own.b, k = (double)own.k, share = b / k, V = rounds->memo.s1;
    *out = (struct ldp_round_covariance){
        .both = share * (1 + V) - 1,
        .equal = share * V,
        .neither = own.b > 2 ? share * V * (b - k) * (b - k - 1) / ((b - 1) * (b - 2)) : 0,
    };
}

/* A report is a memoized response: one that differs from another of the same pattern is impossible. */
static void protect(const struct ldp_rounds *rounds, struct ldp_protection *out)
{
    const struct own own = own_of(&rounds->report);
    const double most = own.k < own.b ? (double)own.k + 1 : (double)own.b;
    out->report = out->unchanged = (own.k == 1 ? 0.5 : 1) * rounds->memo.epsilon;
    out->sequence_low = out->sequence_high = INFINITY;
    out->accounted = fmin(most, (double)rounds->rounds) * rounds->epsilon;
}

/* Memoized responses: one for each drawn bucket of the user's values, and one for their other values, if any. */
static double memos(const struct ldp_rounds *rounds, size_t values)
{
    const struct own own = own_of(&rounds->report);
    const double b = (double)own.b, k = (double)own.k, buckets = (double)values;
    double all = 1; /* the buckets of all values are drawn */
    if (own.b < rounds->d)
        return NAN;
    for (size_t i = 0; i < values; i++)
        all *= (double)i < k ? (k - (double)i) / (b - (double)i) : 0;
    return buckets * k / b + 1 - all;
}

/* Two patterns, if one of the two buckets is drawn: one or two of their bits have another law. */
static double seen(const struct ldp_rounds *rounds)
{
    const struct own own = own_of(&rounds->report);
    const double b = (double)own.b, k = (double)own.k, p = rounds->p1, q = rounds->q1, same = p * p + q * q;
    const double pairs = b * (b - 1), two = k * (k - 1) / pairs, one = 2 * k * (b - k) / pairs, none = 1 - two - one;
    const double differs = 2 * p * q; /* an own bit and another one are equal */
    return 1 - none - one * ldp_pow(same, k - 1) * differs -
           (two > 0 ? two * ldp_pow(same, k - 2) * differs * differs : 0);
}

static const struct ldp_round_form form = {
    .client_bytes = client_bytes,
    .client = client,
    .weigh = weigh,
    .covariance = covariance,
    .protect = protect,
    .memos = memos,
    .seen = seen,
};

/* ---- dbitflip: dBitFlipPM: bits of a few buckets, memoized, without an instantaneous response.
 *
 * The domain has b buckets of neighbouring values. A user draws k of them once, and for each pattern that the true
 * values can have there (one of the k buckets, or none of them) keeps k bits: that of the own bucket is 1 with
 * probability p, every other with q = 1 - p, p = 1/(1 + exp(-epsilon/2)). A report is the memoized response itself:
 * noise never averages out, and an observer sees every change between patterns.
 *
 * Source: Ding, Kulkarni, Yekhanin, NIPS 2017. Deviation: with k = 1 two values differ in one bit, so p is 1/(1 +
 * exp(-epsilon)); with `published` it is as above, and only epsilon/2 is spent. If there are fewer buckets than values,
 * the estimate of a bucket is shared by its values, which is biased. */

enum { BUCKETS, BITS, PUBLISHED };
static const struct ldp_param params[] = {
    [BUCKETS] =
        LDP_PARAM_INTEGER("buckets", NAN, 2, 0x1p31, "number of buckets of the domain; default: one for each value"),
    [BITS] = LDP_PARAM_INTEGER("bits", NAN, 1, 0x1p31, "buckets whose bits a user reports; default: all"),
    [PUBLISHED] = LDP_PARAM_PUBLISHED("the published p also for one bit, which uses half of epsilon"),
    {.name = NULL},
};

/* k bits of b buckets, at all of epsilon if values differ in `one` bit, else at half of it. */
static enum ldp_status set_buckets(struct ldp_rounds *rounds, size_t b, size_t k, bool one, struct ldp_reason *reason)
{
    const struct ldp_oracle_spec sue = ldp_rounds_oracle("sue"); /* of two bits, each at half of its budget */
    const enum ldp_status status = ldp_protocol_init(&rounds->memo, &sue, 2, (one ? 2 : 1) * rounds->epsilon, reason);
    if (status != LDP_OK)
        return status;
    const struct ldp_unary bit = ldp_unary_of(&rounds->memo);
    const double p = rounds->memo.p, q = rounds->memo.q, share = (double)b / (double)k,
                 values = (double)rounds->d / (double)b;
    struct ldp_protocol *const report = &rounds->report;
    *report = (struct ldp_protocol){
        .oracle = k == rounds->d ? &of_all : &of_some,
        .d = rounds->d,
        .epsilon = rounds->epsilon,
        .flags = b < rounds->d    ? LDP_ORACLE_BIASED | LDP_ORACLE_PREDICTED
                 : k == rounds->d ? LDP_ORACLE_INDEPENDENT
                                  : 0,
        .p = rounds->memo.gap / share,
        .gap = rounds->memo.gap / share,
        .s1 = share * rounds->memo.s1 / (values * values),
        .tf = (share - 1) / values,
        .support_size = rounds->d,
        .report_words = 2 * ldp_bits_words(b),
        .state_bytes = 2 * ldp_planes_bytes(b),
    };
    own_set(report, (struct own){.b = b, .k = k, .q = q, .own = bit.own, .other = bit.other});
    rounds->p1 = p;
    rounds->q1 = q;
    rounds->p2 = 1;
    rounds->q2 = 0;
    return LDP_OK;
}

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
    return set_buckets(rounds, (size_t)b, (size_t)k, k == 1 && spec->param[PUBLISHED] == 0, reason);
}

const struct ldp_chain ldp_chain_dbitflip = {
    .name = "dbitflip",
    .title = "Memoized bits of a few buckets (dBitFlipPM)",
    .source = "Ding, Kulkarni, Yekhanin, NIPS 2017",
    .params = params,
    .configure = configure,
    .form = &form,
};
