/* unary.c - l_sue, l_osue, l_oue, l_soue: chains whose memoized response is d bits, one memoized response for each
 * value that a user has.
 *
 * A bit of the memoized response is 1 with probability p1 if it is that of the value, else q1; it is reported as 1 with
 * probability p2 if it is 1, else q2. By counts, independently over v: A_t(v) users have a memoized response of round t
 * whose bit v is 1, each span adds Bin(m_v, p1) + Bin(m - m_v, q1) to all of its rounds (m of its users, m_v of them
 * who have v), and the support is Bin(A_t(v), p2) + Bin(n - A_t(v), q2). Exact. Cost d for each span, d for each round;
 * most spans are one user, whose memoized response is drawn and counted 64 bits at a time. */
#include "numerics/arena.h"
#include "privacy/rounds.h"
#include "protocol/bits.h"
#include "protocol/protocol.h"
#include "sampling/alias.h"
#include "sampling/binomials.h"

#include <math.h>
#include <string.h>

/* A bit of the memoized response that is 1 is reported as 1 with probability p2, one that is 0 with q2 = p2 - gap. */
static void set_second(struct ldp_rounds *rounds, double p2, double gap)
{
    const double margin = gap * ROUNDS_MARGIN;
    rounds->p1 = rounds->memo.p;
    rounds->q1 = rounds->memo.q;
    rounds->p2 = p2;
    rounds->q2 = p2 - gap;
    rounds->second = rounds->report;
    ldp_unary_set(&rounds->second, (struct ldp_unary){ldp_coin_of(p2 - margin), ldp_coin_of(p2 - gap + margin)});
}

/* p - q of sue is tanh(epsilon/4), that of oue tanh(epsilon/2)/2. */
static double gap_of(const char *oracle, double epsilon)
{
    const double capped = ldp_coin_epsilon(epsilon);
    const bool symmetric = strcmp(oracle, "sue") == 0;
    const double gain = ldp_expm1(capped / (symmetric ? 2 : 1)); /* tanh x = (e^2x - 1)/(e^2x + 1) */
    return gain / (gain + 2) / (symmetric ? 1 : 2);
}

/* The memoized response by one oracle, both rounds together by another. */
static enum ldp_status init_both(struct ldp_rounds *rounds, const char *memo, const char *report,
                                 struct ldp_reason *reason)
{
    const struct ldp_oracle_spec own = ldp_rounds_oracle(memo), both = ldp_rounds_oracle(report);
    const enum ldp_status status = ldp_protocol_init(&rounds->memo, &own, rounds->d, rounds->epsilon, reason);
    return status == LDP_OK ? ldp_protocol_init(&rounds->report, &both, rounds->d, rounds->first, reason) : status;
}

/* Both rounds, and both together, are sue, or oue: p2 + q2 = 1. */
static enum ldp_status set_turned(struct ldp_rounds *rounds, const char *oracle, struct ldp_reason *reason)
{
    const enum ldp_status status = init_both(rounds, oracle, oracle, reason);
    const double gap = gap_of(oracle, rounds->first) / gap_of(oracle, rounds->epsilon);
    if (status == LDP_OK)
        set_second(rounds, (1 + gap) / 2, gap);
    return status;
}

/* q2 for p2 = 1/2: the smaller root of A z^2 + B z + C, where p (1 - q) = e1 (1 - p) q; below 0: there is none. */
static double second_of_half(double p1, double q1, double gap1, double gain)
{
    const double a0 = p1 / 2, a1 = 1 - p1, b0 = q1 / 2, b1 = 1 - q1;
    const double A = gain * a1 * b1, B = gain * (a0 * b1 + a1 * b0 - b1) - gap1, C = gap1 / 2 - gain * b0 * (1 - a0);
    return C < 0 ? C : 2 * C / (-B + sqrt(B * B - 4 * A * C));
}

/* The first round is sue or oue, the second has p2 = 1/2. */
static enum ldp_status set_half(struct ldp_rounds *rounds, const char *oracle, struct ldp_reason *reason)
{
    const enum ldp_status status = init_both(rounds, oracle, "sue", reason);
    if (status != LDP_OK)
        return status;
    struct ldp_protocol *const report = &rounds->report;
    const double p1 = rounds->memo.p, q1 = rounds->memo.q, gap1 = gap_of(oracle, rounds->epsilon);
    const double z = second_of_half(p1, q1, gap1, ldp_expm1(ldp_coin_epsilon(rounds->first)));
    if (z < 0) /* C = 0 where e1 = a0 (1 - b0) / (b0 (1 - a0)) */
        return ldp_refuse(reason, "no instantaneous response with p2 = 1/2 gives one report %g: expected at most %g",
                          rounds->first, ldp_log(p1 * (2 - q1) / (q1 * (2 - p1))));
    set_second(rounds, 0.5, 0.5 - z);
    const double gap = gap1 * (0.5 - z);
    report->p = p1 / 2 + (1 - p1) * z;
    report->q = q1 / 2 + (1 - q1) * z;
    ldp_gap_set(report, gap);
    report->s1 = report->q * (1 - report->q) / (gap * gap);
    report->tf = (1 - report->p - report->q) / gap;
    ldp_unary_set(report, (struct ldp_unary){ldp_coin_of(report->p - gap * ROUNDS_MARGIN),
                                             ldp_coin_of(report->q + gap * ROUNDS_MARGIN)});
    return LDP_OK;
}

/* ---- By counts ---- */

struct work {
    double *step;        /* [rounds + 1][d]: the change of the memoized responses with bit v from the round before */
    double *ones;        /* [d] of a span, then of a round */
    uint64_t *alias;     /* tables of Bin(m, q1) for the spans of few users, one after another */
    bool *has_table;     /* [LDP_ALIAS_MAX + 1] */
    uint64_t single;     /* spans of one user, whose memoized responses are counted as strings of bits: */
    uint64_t *string;    /* [words] of one memoized response */
    char *begun, *ended; /* [rounds] counters of the memoized responses that a round is the first with, or without */
    size_t counters;     /* bytes of a round's */
};

/* Where the table of m users begins. */
static size_t alias_start(size_t m)
{
    return m * (m + 1) / 2;
}

static struct work take(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, struct ldp_arena *arena)
{
    struct work work = {.single = 0};
    for (size_t i = 0; i < sequences->nspans; i++)
        work.single += sequences->span[i].users == 1;
    work.counters = ldp_planes_bytes_few(rounds->d, work.single);
    work.step = ldp_take(arena, (rounds->rounds + 1) * rounds->d * sizeof *work.step);
    work.ones = ldp_take(arena, rounds->d * sizeof *work.ones);
    work.alias = ldp_take(arena, alias_start(LDP_ALIAS_MAX + 1) * sizeof *work.alias);
    work.has_table = ldp_take(arena, (LDP_ALIAS_MAX + 1) * sizeof *work.has_table);
    work.string = ldp_take(arena, ldp_bits_words(rounds->d) * sizeof *work.string);
    work.begun = ldp_take(arena, rounds->rounds * work.counters);
    work.ended = ldp_take(arena, rounds->rounds * work.counters);
    return work;
}

static size_t scratch_bytes(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode)
{
    struct ldp_arena arena = {0};
    take(rounds, sequences, &arena);
    return arena.bytes;
}

static const uint64_t *alias_of(const struct ldp_rounds *rounds, size_t m, const struct work *work)
{
    uint64_t *const cell = work->alias + alias_start(m);
    if (!work->has_table[m])
        ldp_alias_binomial(m, rounds->q1, cell);
    work->has_table[m] = true;
    return cell;
}

/* ones[v] ~ Bin(m, q1) for all v, of m users of whom none has v. */
static void draw_others(const struct ldp_rounds *rounds, uint64_t m, struct ldp_rng *rng, const struct work *work)
{
    if (m <= LDP_ALIAS_MAX)
        ldp_alias_draws(alias_of(rounds, m, work), m, rng, rounds->d, work->ones);
    else
        ldp_binomials_same(rng, rounds->d, (double)m, rounds->q1, work->ones);
}

/* Bin(m_v, p1) + Bin(m - m_v, q1). */
static uint64_t draw_group(const struct ldp_rounds *rounds, uint64_t own, uint64_t others, struct ldp_rng *rng,
                           const struct work *work)
{
    const uint64_t ones = own == 1 ? ldp_rng_uniform(rng) < rounds->p1 : ldp_binomial(rng, own, rounds->p1);
    return ones + (others <= LDP_ALIAS_MAX ? ldp_alias_draw(alias_of(rounds, others, work), others, rng)
                                           : ldp_binomial(rng, others, rounds->q1));
}

static void add_span(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences,
                     const struct ldp_span *span, struct ldp_rng *rng, const struct work *work)
{
    const size_t d = rounds->d;
    draw_others(rounds, span->users, rng, work);
    for (size_t i = span->group; i < span->group + span->ngroups; i++) {
        const struct ldp_value_group own = sequences->group[i];
        work->ones[own.value] = (double)draw_group(rounds, own.users, span->users - own.users, rng, work);
    }
    for (size_t k = 0; k < span->nintervals; k++) {
        const struct ldp_interval_of_rounds at = sequences->interval[span->interval + k];
        double *const begin = work->step + at.from * d, *const end = work->step + at.to * d;
        for (size_t v = 0; v < d; v++) {
            begin[v] += work->ones[v];
            end[v] -= work->ones[v];
        }
    }
}

/* The same for a span of one user. */
static void add_memo(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences,
                     const struct ldp_span *span, struct ldp_rng *rng, const struct work *work)
{
    const uint32_t value = sequences->group[span->group].value;
    uint64_t *const word = work->string + value / 64;
    ldp_bits_bernoulli(rng, ldp_unary_of(&rounds->memo).other, work->string, ldp_bits_words(rounds->d));
    *word &= ~(UINT64_C(1) << value % 64);
    *word |= draw_group(rounds, 1, 0, rng, work) << value % 64;
    for (size_t k = 0; k < span->nintervals; k++) {
        const struct ldp_interval_of_rounds at = sequences->interval[span->interval + k];
        ldp_planes_add(work->begun + at.from * work->counters, rounds->d, work->string, 1);
        if (at.to < rounds->rounds)
            ldp_planes_add(work->ended + at.to * work->counters, rounds->d, work->string, 1);
    }
}

/* ones += step of round t. */
static void add_step(const struct ldp_rounds *rounds, const struct work *work, size_t t)
{
    const size_t d = rounds->d;
    double *const step = work->step + t * d, *const change = work->step + rounds->rounds * d;
    for (size_t v = 0; v < d; v++)
        work->ones[v] += step[v];
    if (work->single == 0)
        return;
    ldp_planes_support(&rounds->report, work->begun + t * work->counters, work->single, step);
    ldp_planes_support(&rounds->report, work->ended + t * work->counters, work->single, change);
    for (size_t v = 0; v < d; v++)
        work->ones[v] += step[v] - change[v];
}

void ldp_rounds_respond_bits(const struct ldp_rounds *rounds, double users, const double *ones, struct ldp_rng *rng,
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
    struct ldp_arena arena = {scratch, 0};
    const struct work work = take(rounds, sequences, &arena);
    const size_t d = rounds->d;
    memset(work.step, 0, (rounds->rounds + 1) * d * sizeof *work.step);
    memset(work.has_table, 0, (LDP_ALIAS_MAX + 1) * sizeof *work.has_table);
    memset(work.begun, 0, rounds->rounds * work.counters);
    memset(work.ended, 0, rounds->rounds * work.counters);
    for (size_t i = 0; i < sequences->nspans; i++) {
        const struct ldp_span *const span = &sequences->span[i];
        (span->users == 1 ? add_memo : add_span)(rounds, sequences, span, rng, &work);
    }
    memset(work.ones, 0, d * sizeof *work.ones);
    for (size_t t = 0; t < rounds->rounds; t++) {
        add_step(rounds, &work, t);
        ldp_rounds_respond_bits(rounds, (double)sequences->n, work.ones, rng,
                                support + t * rounds->report.support_size);
    }
}

/* ---- By reports ---- */

static struct ldp_memos take_memos(const struct ldp_rounds *rounds, struct ldp_arena *arena, uint64_t **ones,
                                   uint64_t **zeros)
{
    const struct ldp_memos memos = ldp_memos_take(rounds->rounds, rounds->report.report_words, arena);
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

static void weigh(const struct ldp_rounds *rounds, const uint64_t *reports, double *room, double *likelihood)
{
    const double t = (double)rounds->rounds;
    const size_t words = rounds->report.report_words;
    for (size_t v = 0; v < rounds->d; v++) {
        double ones = 0;
        for (size_t i = 0; i < rounds->rounds; i++)
            ones += (double)(reports[i * words + v / 64] >> v % 64 & 1);
        likelihood[v] =
            ldp_rounds_bits_law(rounds, rounds->p1, ones, t) - ldp_rounds_bits_law(rounds, rounds->q1, ones, t);
    }
    ldp_rounds_likelihoods(likelihood, rounds->d);
}

/* Two memoized responses of d bits are the same only if all bits are. */
static double seen(const struct ldp_rounds *rounds)
{
    const double p1 = rounds->p1, q1 = rounds->q1, own = p1 * q1 + (1 - p1) * (1 - q1),
                 other = q1 * q1 + (1 - q1) * (1 - q1);
    return 1 - own * own * ldp_pow(other, (double)rounds->d - 2);
}

const struct ldp_round_form ldp_rounds_unary = {
    .scratch_bytes = scratch_bytes,
    .collect = collect,
    .client_bytes = client_bytes,
    .client = client,
    .weigh = weigh,
    .covariance = ldp_memos_covariance,
    .protect = ldp_rounds_protect_bits,
    .memos = ldp_memos_of_values,
    .seen = seen,
};

/* ---- The chains ----
 *
 * l_sue (RAPPOR): the memoized response is sue at epsilon; a bit of it is kept with probability p2, else turned,
 *
 *     p2 - q2 = tanh(first/4) / tanh(epsilon/4),    p2 + q2 = 1,
 *
 * and both rounds together are sue at `first` exactly. Source: Erlingsson, Pihur, Korolova, CCS 2014 (without its Bloom
 * filter); Arcolezi et al., Digital Communications and Networks 2022, L-SUE, whose formula for p2 is the same number
 * but cancels for a small epsilon.
 *
 * l_osue: the same of oue, with tanh(first/2) / tanh(epsilon/2). Of the four it has the least variance of a value with
 * zero frequency. Source of this and of the others: Arcolezi et al.
 *
 * l_oue: the memoized response is oue at epsilon; a bit of it that is 1 is reported as 1 with probability p2 = 1/2, one
 * that is 0 with q2, the root of a quadratic equation. There is none if e^first > (2 e^epsilon + 1)/3.
 *
 * l_soue: the same of sue. There is none if e^first > a (2 a + 1)/(a + 2), a = exp(epsilon/2). */

extern const struct ldp_chain ldp_chain_l_sue, ldp_chain_l_osue, ldp_chain_l_oue;

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    const struct ldp_chain *const chain = spec->chain;
    const bool first_is_oue = chain == &ldp_chain_l_osue || chain == &ldp_chain_l_oue;
    return (chain == &ldp_chain_l_sue || chain == &ldp_chain_l_osue ? set_turned : set_half)(
        rounds, first_is_oue ? "oue" : "sue", reason);
}

#define UNARY(id, title_, source_)                                                                                     \
    const struct ldp_chain ldp_chain_##id = {                                                                          \
        .name = #id, .title = title_, .source = source_, .configure = configure, .form = &ldp_rounds_unary}

UNARY(l_sue, "Longitudinal symmetric unary encoding (RAPPOR)", "CCS 2014; Arcolezi et al., DCN 2022");
UNARY(l_osue, "Longitudinal optimised, then symmetric unary encoding", "Arcolezi et al., DCN 2022");
UNARY(l_oue, "Longitudinal optimised unary encoding", "Arcolezi et al., DCN 2022");
UNARY(l_soue, "Longitudinal symmetric, then optimised unary encoding", "Arcolezi et al., DCN 2022");
