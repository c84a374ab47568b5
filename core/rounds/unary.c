/* unary.c - chains whose memo is d bits, one memo for each value that a user holds.
 *
 * A bit of the memo is 1 with probability p1 if it is that of the value, else q1; it is reported as 1 with probability
 * p2 if it is 1, else q2. By counts, independently over v: A_t(v) users have a memo of round t whose bit v is 1, each
 * span adds Bin(m_v, p1) + Bin(m - m_v, q1) to all of its rounds (m of its users, m_v of them who hold v), and the
 * support is Bin(A_t(v), p2) + Bin(n - A_t(v), q2). Exact. Cost d for each span, d for each round. */
#include "aligned.h"
#include "binomials.h"
#include "bits.h"
#include "protocol.h"
#include "rounds/rounds.h"

#include <string.h>

/* A bit of the memo that is 1 is reported as 1 with probability p2, one that is 0 with q2. */
static void set_second(struct ldp_rounds *rounds, double p2, double q2)
{
    const double margin = (p2 - q2) * ROUNDS_MARGIN;
    rounds->p1 = rounds->memo.p;
    rounds->q1 = rounds->memo.q;
    rounds->p2 = p2;
    rounds->q2 = q2;
    rounds->second = rounds->report;
    ldp_unary_set(&rounds->second, (struct ldp_unary){ldp_coin_of(p2 - margin), ldp_coin_of(q2 + margin)});
}

enum ldp_status ldp_rounds_set_unary(struct ldp_rounds *rounds, const char *oracle, double scale,
                                     struct ldp_reason *reason)
{
    const struct ldp_oracle_spec spec = ldp_rounds_oracle(oracle);
    enum ldp_status status = ldp_protocol_init(&rounds->memo, &spec, rounds->d, rounds->epsilon, reason);
    if (status == LDP_OK)
        status = ldp_protocol_init(&rounds->report, &spec, rounds->d, rounds->first, reason);
    if (status != LDP_OK)
        return status;
    const double gap = ldp_rounds_tanh(ldp_coin_epsilon(rounds->first) / scale) /
                       ldp_rounds_tanh(ldp_coin_epsilon(rounds->epsilon) / scale);
    set_second(rounds, (1 + gap) / 2, (1 - gap) / 2);
    return LDP_OK;
}

/* ---- By counts ---- */

struct work {
    double *step; /* [rounds + 1][d]: the change of the memos with bit v from the round before */
    double *ones; /* [d] of a span, then of a round */
};

static struct work take(const struct ldp_rounds *rounds, struct ldp_arena *arena)
{
    struct work work;
    work.step = ldp_take(arena, (rounds->rounds + 1) * rounds->d * sizeof *work.step);
    work.ones = ldp_take(arena, rounds->d * sizeof *work.ones);
    return work;
}

static size_t scratch_bytes(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode)
{
    (void)sequences;
    if (mode == LDP_REPORTS)
        return ldp_rounds_users_bytes(rounds);
    struct ldp_arena arena = {0};
    take(rounds, &arena);
    return arena.bytes;
}

/* ones[v] ~ Bin(m, q1), with Bin(m - m_v, q1) + Bin(m_v, p1) for the values that are held. */
static void draw_span(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences,
                      const struct ldp_span *span, struct ldp_rng *rng, double *ones)
{
    const struct ldp_held *held = sequences->held + span->held, *const end = held + span->nheld;
    double n[LDP_BINOMIALS_MAX], p[LDP_BINOMIALS_MAX];
    for (size_t i = 0; i < LDP_BINOMIALS_MAX; i++)
        p[i] = rounds->q1;
    for (size_t first = 0, m; first < rounds->d; first += m) {
        m = rounds->d - first < LDP_BINOMIALS_MAX ? rounds->d - first : LDP_BINOMIALS_MAX;
        for (size_t i = 0; i < m; i++)
            n[i] = (double)span->users;
        for (const struct ldp_held *at = held; at < end && at->value < first + m; at++)
            n[at->value - first] -= (double)at->users;
        ldp_binomials(rng, m, n, p, ones + first);
        for (; held < end && held->value < first + m; held++)
            ones[held->value] += (double)ldp_binomial(rng, held->users, rounds->p1);
    }
}

static void add(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, const struct ldp_span *span,
                const struct work *work)
{
    const size_t d = rounds->d;
    for (size_t k = 0; k < span->nintervals; k++) {
        const struct ldp_interval_of_rounds at = sequences->interval[span->interval + k];
        double *const begin = work->step + at.from * d, *const end = work->step + at.to * d;
        for (size_t v = 0; v < d; v++) {
            begin[v] += work->ones[v];
            end[v] -= work->ones[v];
        }
    }
}

/* support[v] ~ Bin(ones[v], p2) + Bin(n - ones[v], q2). */
static void draw_round(const struct ldp_rounds *rounds, double users, const double *ones, struct ldp_rng *rng,
                       double *support)
{
    double n[LDP_BINOMIALS_MAX], p[LDP_BINOMIALS_MAX], drawn[LDP_BINOMIALS_MAX];
    for (size_t first = 0, m; first < rounds->d; first += m) {
        m = rounds->d - first < LDP_BINOMIALS_MAX ? rounds->d - first : LDP_BINOMIALS_MAX;
        for (size_t i = 0; i < m; i++)
            p[i] = rounds->p2;
        ldp_binomials(rng, m, ones + first, p, support + first);
        for (size_t i = 0; i < m; i++) {
            n[i] = users - ones[first + i];
            p[i] = rounds->q2;
        }
        ldp_binomials(rng, m, n, p, drawn);
        for (size_t i = 0; i < m; i++)
            support[first + i] += drawn[i];
    }
}

static void collect(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode,
                    struct ldp_rng *rng, void *scratch, double *support)
{
    if (mode == LDP_REPORTS) {
        ldp_rounds_users(rounds, sequences, rng, scratch, support);
        return;
    }
    struct ldp_arena arena = {scratch, 0};
    const struct work work = take(rounds, &arena);
    const size_t d = rounds->d;
    memset(work.step, 0, (rounds->rounds + 1) * d * sizeof *work.step);
    for (size_t i = 0; i < sequences->nspans; i++) {
        draw_span(rounds, sequences, &sequences->span[i], rng, work.ones);
        add(rounds, sequences, &sequences->span[i], &work);
    }
    memset(work.ones, 0, d * sizeof *work.ones);
    for (size_t t = 0; t < rounds->rounds; t++) {
        for (size_t v = 0; v < d; v++)
            work.ones[v] += work.step[t * d + v];
        draw_round(rounds, (double)sequences->n, work.ones, rng, support + t * rounds->report.support_size);
    }
}

/* ---- By reports ---- */

static struct ldp_memos take_memos(const struct ldp_rounds *rounds, struct ldp_arena *arena, uint64_t **ones,
                                   uint64_t **zeros)
{
    struct ldp_memos memos = {.words = rounds->report.report_words};
    memos.key = ldp_take(arena, rounds->rounds * sizeof *memos.key);
    memos.memo = ldp_take(arena, rounds->rounds * memos.words * sizeof *memos.memo);
    *ones = ldp_take(arena, memos.words * sizeof **ones);
    *zeros = ldp_take(arena, memos.words * sizeof **zeros);
    return memos;
}

static size_t client_bytes(const struct ldp_rounds *rounds)
{
    struct ldp_arena arena = {0};
    uint64_t *ones, *zeros;
    take_memos(rounds, &arena, &ones, &zeros);
    return arena.bytes;
}

static void client(const struct ldp_rounds *rounds, const uint32_t *values, struct ldp_rng *rng, void *scratch,
                   uint64_t *reports)
{
    const struct ldp_unary second = ldp_unary_of(&rounds->second);
    struct ldp_arena arena = {scratch, 0};
    uint64_t *ones, *zeros;
    struct ldp_memos memos = take_memos(rounds, &arena, &ones, &zeros);
    for (size_t t = 0; t < rounds->rounds; t++, reports += memos.words) {
        bool is_new;
        uint64_t *const memo = ldp_memo_of(&memos, values[t], &is_new);
        if (is_new)
            rounds->memo.oracle->client(&rounds->memo, &values[t], 1, rng, memo);
        ldp_bits_bernoulli(rng, second.own, ones, memos.words);
        ldp_bits_bernoulli(rng, second.other, zeros, memos.words);
        for (size_t w = 0; w < memos.words; w++)
            reports[w] = (memo[w] & ones[w]) | (~memo[w] & zeros[w]);
        reports[memos.words - 1] &= ldp_bits_tail(rounds->d);
    }
}

static void covariance(const struct ldp_rounds *rounds, struct ldp_round_covariance *out)
{
    const double p1 = rounds->p1, q1 = rounds->q1, scale = (p1 - q1) * (p1 - q1);
    *out = (struct ldp_round_covariance){.both = p1 * (1 - p1) / scale, .equal = q1 * (1 - q1) / scale};
}

const struct ldp_round_form ldp_rounds_unary = {
    .scratch_bytes = scratch_bytes,
    .collect = collect,
    .client_bytes = client_bytes,
    .client = client,
    .covariance = covariance,
};
