/* hm.c - Hadamard mechanism: t random coefficients of the user's row of the Hadamard matrix.
 *
 * K = 2^ceil(log2 d). The user draws j_1 .. j_t uniform below K, with replacement, and sends them with a word of t
 * signs: H[v][j_1] .. H[v][j_t] with probability p = e/(e+2^t-1), e = exp(epsilon), each other word with 1/(e+2^t-1);
 * as a mixture, the true word with probability KAP = (e-1)/(e+2^t-1), else a uniform one. Index 0 carries no
 * information about v, but without it the rows would not be orthogonal.
 *
 * per_bit, the decoding as published: every sign b_i is added to S[j_i], and F_x = W[x] / (t KAP), W the transform of
 * S. A report supports x by the share of its signs that match, c_x = (n + W[x]/t) / 2, with p = (1 + KAP)/2, q = 1/2.
 *
 *     s1 = 1/(t KAP^2),    tf = 1/KAP - 1/(t KAP) - 1
 *
 * joint: a report supports x if all its signs match, which is local hashing with g = 2^t (see olh.c for the variance):
 * p = e/(e+2^t-1), q = 2^-t. The product of the (1 + b_i H[x][j_i])/2, multiplied out, adds for each non-empty set T of
 * signs their product to S[xor of their j]; c_x = (n + W[x]) / 2^t. The field of a sign bit and an index is xored as a
 * whole, so that each set of signs costs one increment of N[sign][index], and S[j] = N[0][j] - N[1][j].
 *
 * likelihood, for t = 1: the same reports as those of rhr with one block, whose decoder it is (rhr.c).
 *
 * Source: Cormode, Maddock, Maple, PVLDB 2021, sec. 3.5, which states the variance of joint decoding but decodes per
 * bit; joint decoding is ours, and so is the padding of d to K. The default t is the best one for the decoding, by s1 +
 * tf/d.
 *
 * Cost by reports: per_bit n t + K log K, joint n 2^t + K log K. By counts: per_bit O(K log K), the pairs (j, sign) of
 * kept reports by the butterfly of hadamard.h, or one by one if there are fewer than K; all other reports are one
 * uniform multinomial over the 2 K pairs. joint needs whole words: those of kept reports are drawn by a butterfly as
 * well, all others by one uniform multinomial over the (2 K)^t words with their indices, O((2 K)^t) for any n. If that
 * is more than 2^22, or a quarter of n, joint draws user by user, n 2^t. No shorter way is known for large K and t > 1:
 * the support is a sum over n random subspaces of codimension t, and there are too many such subspaces to count the
 * users of each.
 *
 * This file is over 500 lines because client, server, sampler and malicious users share the layout of a report. */
#include "protocol/craft.h"
#include "protocol/protocol.h"
#include "protocol/pure.h"
#include "protocol/tally.h"
#include "sampling/hadamard.h"
#include "simd/simd.h"

#include <assert.h>

enum { T_MAX = 10, CHUNK = 256, CELLS_MAX = 1 << 22 };
enum { PER_BIT, JOINT, LIKELIHOOD };

static const char *const decodings[] = {"per_bit", "joint", "likelihood", NULL};

static const struct ldp_param params[] = {
    LDP_PARAM_INTEGER("t", NAN, 1, T_MAX, "coefficients in a report; default: as many as give the lowest variance"),
    LDP_PARAM_CHOICE("decode", decodings, PER_BIT, LIKELIHOOD,
                     "per_bit: each sign by itself; joint: the word of signs as a whole; likelihood (t = 1): given the "
                     "indices"),
    {0},
};

/* (e-1)/(e+words-1). */
static double kept_share(double epsilon, double words)
{
    return ldp_coin_gap(epsilon) / (1 + (words - 1) * ldp_exp(-epsilon));
}

/* s1 + tf/d. */
static double mean_variance(double epsilon, uint64_t t, bool joint, double d)
{
    const double words = (double)(UINT64_C(1) << t), kap = kept_share(epsilon, words);
    if (!joint)
        return 1 / ((double)t * kap * kap) + ((1 - 1 / (double)t) / kap - 1) / d;
    const double q = 1 / words, p = kap + (1 - kap) * q;
    return 1 / (kap * kap * (words - 1)) + (1 - p - q) / ldp_difference(p - q, kap * (1 - q)) / d;
}

/* A report: t fields of an index and a sign (1: -1), as many in a word as fit. */
struct layout {
    unsigned bits; /* of an index */
    unsigned width;
    size_t fields; /* in a word */
};

static struct layout layout_of(uint64_t K, size_t t)
{
    const unsigned bits = ldp_log2(K), width = bits + 1;
    const size_t fields = 64 / width;
    assert(fields > 0 && t > 0);
    return (struct layout){bits, width, fields < t ? fields : t};
}

struct own {
    struct ldp_retention retention; /* the true word is kept */
    uint64_t K;                     /* order of the matrix */
    size_t t;                       /* coefficients in a report */
    bool joint;
    struct layout layout;
};
LDP_OWN(struct own);

static inline uint64_t field_of(const struct layout *layout, const uint64_t *report, size_t i)
{
    return report[i / layout->fields] >> i % layout->fields * layout->width & ((UINT64_C(1) << layout->width) - 1);
}

/* The server's state: N[s][j], how many signs, or sets of signs, have index j and sign s. Counts are collected in
 * 32-bit counters, which fit into the cache, and added to the 64-bit counters before one can overflow. */
struct state {
    uint64_t *N;       /* [2 K] */
    uint64_t *pending; /* the most that one of the small counters can hold */
    uint32_t *small;   /* [2 K] */
};

static size_t state_bytes(uint64_t K)
{
    return (2 * (size_t)K + 1) * sizeof(uint64_t) + 2 * (size_t)K * sizeof(uint32_t);
}

static struct state state_in(uint64_t K, void *bytes)
{
    uint64_t *const N = bytes;
    return (struct state){N, N + 2 * K, (uint32_t *)(void *)(N + 2 * K + 1)};
}

static enum ldp_status become_rhr(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                  struct ldp_reason *reason)
{
    struct ldp_oracle_spec rhr = ldp_spec_default("rhr");
    rhr.param[0] = rhr.param[1] = 1; /* one block, likelihood */
    if (!isnan(spec->param[0]) && spec->param[0] != 1)
        return ldp_refuse(reason,
                          "decode = likelihood: expected t = 1, got %g: words of signs are local hashing, which flh "
                          "decodes so",
                          spec->param[0]);
    return ldp_protocol_become(protocol, &rhr, reason);
}

static enum ldp_status configure(struct ldp_protocol *protocol, const struct ldp_oracle_spec *spec,
                                 struct ldp_reason *reason)
{
    if (spec->param[1] == LIKELIHOOD)
        return become_rhr(protocol, spec, reason);
    const double epsilon = ldp_coin_epsilon(protocol->epsilon), d = (double)protocol->d;
    const bool joint = spec->param[1] == JOINT;
    uint64_t t = 1;
    if (!isnan(spec->param[0]))
        t = (uint64_t)spec->param[0];
    else
        for (uint64_t more = 2; more <= T_MAX; more++)
            if (mean_variance(epsilon, more, joint, d) < mean_variance(epsilon, t, joint, d))
                t = more;
    uint64_t K = 2;
    while (K < protocol->d)
        K *= 2;
    protocol->param[0] = (double)t;
    const double words = (double)(UINT64_C(1) << t), kap = kept_share(epsilon, words);
    if (joint) {
        protocol->p = kap + (1 - kap) / words;
        protocol->q = 1 / words;
    } else {
        protocol->p = (1 + kap) / 2;
        protocol->q = 0.5;
        protocol->s1 = 1 / ((double)t * kap * kap);
        protocol->tf = (1 - 1 / (double)t) / kap - 1;
    }
    ldp_gap_set(protocol, joint ? kap * (1 - 1 / words) : kap / 2);
    const struct layout layout = layout_of(K, (size_t)t);
    own_set(protocol, (struct own){ldp_retention_init(epsilon, words, kap), K, (size_t)t, joint, layout});
    if (!joint || t == 1)
        protocol->flags |= LDP_ORACLE_NEGATES;
    protocol->report_words = ((size_t)t + layout.fields - 1) / layout.fields;
    protocol->state_bytes = state_bytes(K);
    return LDP_OK;
}

/* The part after the random words, for reports of one sign: field[i] becomes a report, the true one if kept[i]. */
LDP_INLINE void set_signs(const uint32_t *restrict values, const uint32_t *restrict kept, size_t m, unsigned bits,
                          uint64_t *restrict field)
{
    const uint64_t low = (UINT64_C(1) << bits) - 1;
#pragma omp simd
    for (size_t i = 0; i < m; i++) {
        const uint64_t index = field[i] & low, sign = (uint64_t)ldp_parity(index & values[i]) << bits;
        field[i] = kept[i] ? index | sign : field[i] & (2 * low + 1);
    }
}

LDP_VECTORS(void, set_signs, (const uint32_t *values, const uint32_t *kept, size_t m, unsigned bits, uint64_t *field),
            set_signs(values, kept, m, bits, field))

/* Reports of one sign: the words of a chunk first, so that all else needs no branch and has vectors. */
static void client_of_signs(const struct own *own, const uint32_t *values, size_t m, struct ldp_rng *rng,
                            uint64_t *reports)
{
    uint64_t word[2 * CHUNK];
    uint32_t kept[CHUNK];
    for (size_t done = 0; done < m; done += CHUNK) {
        const size_t size = m - done < CHUNK ? m - done : CHUNK;
        ldp_rng_words(rng, 2 * size, word);
        struct ldp_rng_ahead ahead = {word, word + 2 * size, rng};
        for (size_t i = 0; i < size; i++) {
            kept[i] = ldp_coin_heads_ahead(own->retention.keep, &ahead);
            reports[done + i] = rng_take(&ahead);
        }
        LDP_BEST(set_signs)(values + done, kept, size, own->layout.bits, reports + done);
    }
}

static void client(const struct ldp_protocol *protocol, const uint32_t *values, size_t m, struct ldp_rng *rng,
                   uint64_t *reports)
{
    const struct own own = own_of(protocol);
    const struct layout layout = own.layout;
    const uint64_t low = (UINT64_C(1) << layout.width) - 1;
    const size_t words = protocol->report_words;
    if (own.t == 1) {
        client_of_signs(&own, values, m, rng, reports);
        return;
    }
    for (size_t i = 0; i < m; i++) {
        const bool kept = ldp_coin_heads(own.retention.keep, rng);
        for (size_t w = 0, first = 0; w < words; w++, first += layout.fields) {
            uint64_t random = rng_next(rng), report = 0;
            for (size_t f = 0; f < layout.fields && first + f < own.t; f++, random >>= layout.width) {
                uint64_t field = random & low;
                if (kept)
                    field = (field & (low >> 1)) | (uint64_t)ldp_parity(field & (low >> 1) & values[i]) << layout.bits;
                report |= field << f * layout.width;
            }
            reports[i * words + w] = report;
        }
    }
}

static void empty_small(uint64_t K, const struct state *state)
{
    for (size_t field = 0; field < 2 * K; field++)
        state->N[field] += state->small[field];
    memset(state->small, 0, 2 * (size_t)K * sizeof *state->small);
    *state->pending = 0;
}

/* counter[x]++ for the xor x of every non-empty set of t fields, in the order of a Gray code: a step changes one field.
 * t and words, those of a report, are constants where they are small, so that the loops unroll; the sets of a single
 * field are those of per_bit. */
static inline void count_sets(const struct layout *layout, size_t t, size_t words, bool joint, const uint64_t *reports,
                              size_t m, uint32_t *counter)
{
    const uint64_t low = (UINT64_C(1) << layout->width) - 1;
    for (size_t i = 0; i < m; i++, reports += words) {
        uint64_t field[T_MAX];
        for (size_t j = 0; j < t; j++)
            field[j] = words == 1 ? reports[0] >> j * layout->width & low : field_of(layout, reports, j);
        if (!joint) {
            for (size_t j = 0; j < t; j++)
                counter[field[j]]++;
            continue;
        }
        uint64_t x = 0;
        for (unsigned long set = 1; set < 1UL << t; set++) {
            x ^= field[__builtin_ctzl(set)];
            counter[x]++;
        }
    }
}

static void server(const struct ldp_protocol *protocol, const uint64_t *reports, size_t m, void *bytes)
{
    const struct own own = own_of(protocol);
    const struct layout layout = own.layout;
    const struct state state = state_in(own.K, bytes);
    const size_t words = protocol->report_words;
    const uint64_t sets = own.joint ? (UINT64_C(1) << own.t) - 1 : own.t, part = UINT32_MAX / sets;
    for (size_t done = 0; done < m;) {
        const size_t some = m - done < part ? m - done : (size_t)part;
        if (*state.pending + some * sets > UINT32_MAX)
            empty_small(own.K, &state);
        *state.pending += some * sets;
        const uint64_t *const from = reports + done * words;
        switch (own.joint && words == 1 ? own.t : 0) {
        case 2: count_sets(&layout, 2, 1, true, from, some, state.small); break;
        case 3: count_sets(&layout, 3, 1, true, from, some, state.small); break;
        case 4: count_sets(&layout, 4, 1, true, from, some, state.small); break;
        default: count_sets(&layout, own.t, words, own.joint, from, some, state.small); break;
        }
        done += some;
    }
}

static void tally(const struct ldp_protocol *protocol, void *bytes, uint64_t n, struct ldp_tally *tally)
{
    const struct own own = own_of(protocol);
    const struct state state = state_in(own.K, bytes);
    empty_small(own.K, &state);
    ldp_tally_sum(tally, state.N, 2 * (size_t)own.K, n * (own.joint ? (UINT64_C(1) << own.t) - 1 : own.t));
}

/* Turns N into support by the difference of its rows. */
static void support_of_signs(const struct ldp_protocol *protocol, uint64_t n, int64_t *N, double *support)
{
    const struct own own = own_of(protocol);
    const size_t K = (size_t)own.K;
    const double users = (double)n, t = (double)own.t;
    for (size_t j = 0; j < K; j++)
        N[j] -= N[K + j];
    ldp_fwht(N, K);
    for (size_t x = 0; x < protocol->d; x++)
        support[x] = own.joint ? (double)(((int64_t)n + N[x]) >> own.t) : (users + (double)N[x] / t) / 2;
}

static void support_of(const struct ldp_protocol *protocol, void *bytes, uint64_t n, double *support)
{
    const struct state state = state_in(own_of(protocol).K, bytes);
    empty_small(own_of(protocol).K, &state);
    support_of_signs(protocol, n, (int64_t *)(void *)state.N, support);
}

/* True if the simulation by counts needs whole words, not only signs. */
static bool needs_words(const struct ldp_protocol *protocol)
{
    const struct own own = own_of(protocol);
    return own.joint && own.t > 1;
}

/* By counts: the number of words with their indices, (2 K)^t, if drawing how many users have each is less work than
 * drawing users one by one; else 0. */
static size_t cells_of(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    const struct own own = own_of(protocol);
    size_t cells = 1;
    for (size_t i = 0; i < own.t; i++)
        cells = cells > CELLS_MAX ? cells : cells * 2 * (size_t)own.K;
    return cells <= CELLS_MAX && 4 * (uint64_t)cells < histogram->n ? cells : 0;
}

/* The state and a chunk of reports; or N with two arrays of all words, or with the uniform fields of
 * counts_of_signs. */
static size_t scratch_bytes(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram)
{
    const size_t fields = 2 * (size_t)own_of(protocol).K, cells = cells_of(protocol, histogram);
    if (needs_words(protocol) && cells == 0)
        return protocol->state_bytes + CHUNK * protocol->report_words * sizeof(uint64_t);
    return (fields + (needs_words(protocol) ? 2 * cells : fields)) * sizeof(int64_t);
}

/* By counts, signs one by one: first[s][j] pairs of index j and sign s. */
static void counts_of_signs(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                            const void *plan, struct ldp_rng *rng, int64_t *first)
{
    const struct own own = own_of(protocol);
    const size_t K = (size_t)own.K;
    int64_t *const uniform = first + 2 * K;
    struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
    memset(first, 0, 2 * K * sizeof *first);
    memset(uniform, 0, K * sizeof *uniform);
    while (ldp_kept_next(&kept, rng))
        for (size_t i = 0; i < kept.size; i++)
            uniform[kept.first + i] = (int64_t)kept.users[i] * (int64_t)own.t;
    if (ldp_hadamard_few(uniform, K)) {
        ldp_hadamard_add_signs(rng, uniform, first, K, K);
    } else {
        memcpy(first, uniform, K * sizeof *first);
        ldp_hadamard_signs(rng, first, K, K);
    }
    ldp_multinomial_uniform(rng, kept.rest * own.t, 2 * K, (uint64_t *)(void *)uniform);
    for (size_t field = 0; field < 2 * K; field++)
        first[field] += uniform[field];
}

/* By counts, word by word. */
static void counts_of_words(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                            const void *plan, struct ldp_rng *rng, int64_t *S, size_t cells)
{
    const size_t K = (size_t)own_of(protocol).K, t = own_of(protocol).t, W = (size_t)1 << t;
    int64_t *const N = S + 2 * K, *const uniform = N + cells;
    struct ldp_kept kept = ldp_kept_init(protocol, histogram, plan);
    memset(S, 0, K * sizeof *S);
    while (ldp_kept_next(&kept, rng))
        for (size_t i = 0; i < kept.size; i++)
            S[kept.first + i] = (int64_t)kept.users[i];
    ldp_hadamard_words(rng, S, K, (unsigned)t, N, uniform);
    ldp_multinomial_uniform(rng, kept.rest, cells, (uint64_t *)(void *)uniform);
    memset(S, 0, 2 * K * sizeof *S);
    for (size_t Y = 0; Y < cells / W; Y++) {
        int64_t *const of = N + Y * W;
        size_t sum[1 << T_MAX] = {0}; /* of the indices of all sets of signs */
        for (size_t i = 0; i < t; i++)
            for (size_t l = 0; (size_t)1 << l < K; l++)
                sum[(size_t)1 << i] |= (Y >> (l * t + i) & 1) << l;
        for (size_t s = 0; s < W; s++)
            of[s] += uniform[Y * W + s];
        ldp_fwht(of, W);
        for (size_t T = 1; T < W; T++) {
            sum[T] = sum[T & (T - 1)] ^ sum[T & (0 - T)];
            S[sum[T]] += of[T];
        }
    }
}

/* By counts, user by user. */
static void counts_of_users(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram,
                            struct ldp_rng *rng, void *state)
{
    uint32_t values[CHUNK];
    uint64_t *const reports = (uint64_t *)(void *)((char *)state + protocol->state_bytes);
    memset(state, 0, protocol->state_bytes);
    for (size_t v = 0; v < protocol->d; v++) {
        for (size_t i = 0; i < CHUNK && i < histogram->counts[v]; i++)
            values[i] = (uint32_t)v;
        for (uint64_t left = histogram->counts[v]; left > 0;) {
            const size_t m = left < CHUNK ? (size_t)left : CHUNK;
            client(protocol, values, m, rng, reports);
            server(protocol, reports, m, state);
            left -= m;
        }
    }
}

static void counts(const struct ldp_protocol *protocol, const struct ldp_histogram *histogram, const void *plan,
                   struct ldp_rng *rng, void *scratch, double *support)
{
    const size_t cells = needs_words(protocol) ? cells_of(protocol, histogram) : 0;
    if (needs_words(protocol) && cells == 0) {
        counts_of_users(protocol, histogram, rng, scratch);
        support_of(protocol, scratch, histogram->n, support);
        return;
    }
    if (cells > 0)
        counts_of_words(protocol, histogram, plan, rng, scratch, cells);
    else
        counts_of_signs(protocol, histogram, plan, rng, scratch);
    support_of_signs(protocol, histogram->n, scratch, support);
}

static double support_unit(const struct ldp_protocol *protocol)
{
    return own_of(protocol).joint ? 1 : 1 / (double)own_of(protocol).t;
}

static enum ldp_status valid(const struct ldp_protocol *protocol, const uint64_t *report, struct ldp_reason *reason)
{
    const char *const own = (const char *)protocol->own;
    struct layout layout;
    size_t t;
    memcpy(&layout, own + offsetof(struct own, layout), sizeof layout); /* once for each report, so nothing else */
    memcpy(&t, own + offsetof(struct own, t), sizeof t);
    for (size_t w = 0; w < protocol->report_words; w++) {
        const size_t left = t - w * layout.fields, used = left < layout.fields ? left : layout.fields;
        if (used * layout.width < 64 && report[w] >> used * layout.width != 0)
            return ldp_refuse(reason, "expected t = %zu fields of %u bits, got bits beyond them", t, layout.width);
    }
    return LDP_OK;
}

static double log_likelihood(const struct ldp_protocol *protocol, uint32_t value, const uint64_t *report)
{
    if (valid(protocol, report, NULL) != LDP_OK)
        return -INFINITY;
    const struct own own = own_of(protocol);
    const size_t t = own.t;
    bool fits = true;
    for (size_t i = 0; i < t; i++) {
        const uint64_t field = field_of(&own.layout, report, i), index = own.K - 1;
        fits &= field >> own.layout.bits == ldp_parity(field & index & value);
    }
    const double words = (double)(UINT64_C(1) << t), kept = own.retention.kept, truth = kept + (1 - kept) / words;
    return ldp_log(truth) - (fits ? 0 : ldp_coin_epsilon(protocol->epsilon)) - (double)t * ldp_log((double)own.K);
}

/* Flips all signs: W[x] changes its sign. */
static void negate(const struct ldp_protocol *protocol, uint64_t *report)
{
    const struct own own = own_of(protocol);
    for (size_t i = 0; i < own.t; i++)
        report[i / own.layout.fields] ^= UINT64_C(1) << (i % own.layout.fields * own.layout.width + own.layout.bits);
}

/* Fields with an index whose signs agree on most targets, and that sign; index 0 supports everything and is left out. A
 * report repeats one of them, so that all its signs match where one does. */
static struct ldp_best best_fields(const struct own *own, const struct ldp_craft *craft, struct ldp_rng *rng)
{
    struct ldp_best best = {.kept = 0};
    for (uint64_t index = 1; index < own->K; index++) {
        size_t negative = 0;
        for (size_t i = 0; i < craft->r; i++)
            negative += (size_t)ldp_parity(index & craft->target[i]);
        ldp_best_offer(&best, craft->r - negative, index, rng);
        ldp_best_offer(&best, negative, index | UINT64_C(1) << own->layout.bits, rng);
    }
    return best;
}

static void craft(const struct ldp_protocol *protocol, const struct ldp_craft *craft, size_t m, struct ldp_rng *rng,
                  uint64_t *reports)
{
    const struct own own = own_of(protocol);
    const struct layout layout = own.layout;
    const struct ldp_best best = best_fields(&own, craft, rng);
    memset(reports, 0, m * protocol->report_words * sizeof *reports);
    for (size_t i = 0; i < m; i++) {
        uint64_t *const report = reports + i * protocol->report_words, field = ldp_best_draw(&best, rng);
        for (size_t f = 0; f < own.t; f++) {
            if (craft->r == 0)
                field = rng_below(rng, 2 * own.K);
            report[f / layout.fields] |= field << f % layout.fields * layout.width;
        }
    }
}

static void cost(const struct ldp_protocol *protocol, struct ldp_cost *out)
{
    const struct own own = own_of(protocol);
    const double t = (double)own.t, bits = ldp_code_bits(own.K), sets = own.joint ? ldexp(1, (int)own.t) - 1 : t;
    *out = (struct ldp_cost){t * (bits + 1), sets, (double)own.K * bits + (double)protocol->d};
}

/* Signs of different values agree in half of the indices, those of three in a quarter. */
static void overlap_of(const struct ldp_protocol *protocol, struct ldp_overlap *overlap)
{
    const double one = 1 / (double)(UINT64_C(1) << own_of(protocol).t);
    ldp_overlap_set(overlap, protocol->d, one, one * one, one * one * one);
}

const struct ldp_oracle ldp_oracle_hm = {
    .name = "hm",
    .title = "Hadamard mechanism",
    .source = "PVLDB 2021, sec. 3.5",
    .params = params,
    .configure = configure,
    .client = client,
    .valid = valid,
    .server = server,
    .support = support_of,
    .tally = tally,
    .support_unit = support_unit,
    .plan_bytes = ldp_kept_plan_bytes,
    .plan = ldp_kept_plan,
    .scratch_bytes = scratch_bytes,
    .counts = counts,
    .set_variance =
        ldp_uncorrelated, /* estimates of different values are uncorrelated, though they depend on each other */
    .negate = negate,
    .log_likelihood = log_likelihood,
    .odds = ldp_kept_odds,
    .craft = craft,
    .cost = cost,
    .overlap = overlap_of,
};
