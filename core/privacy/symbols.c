/* symbols.c - chains whose memoized response is one of the d values, one memoized response for each value that a user
 * has.
 *
 * Both rounds are generalised randomised response. By counts: of a span's users who have v, Bin(m_v, p1 - q1) keep v,
 * their other memoized responses are one uniform multinomial; a round's reports are those of the instantaneous response
 * on the histogram of its memoized responses. Exact. Cost d for each round, and at most d for each span. */
#include "numerics/arena.h"
#include "privacy/rounds.h"
#include "random/coin.h"
#include "random/rng.h"

#include <math.h>
#include <string.h>

/* The probability that grr of m symbols keeps one, and the budget at which it is that. */
static double keep(double epsilon, double m)
{
    const double gain = ldp_expm1(ldp_coin_epsilon(epsilon));
    return gain / (gain + m);
}

static double kept_at(double kept, double m)
{
    const double epsilon = ldp_log1p(m * kept / (1 - kept));
    return epsilon < 50 ? epsilon : 50; /* kept = 1 where both budgets are above those of coins */
}

enum ldp_status ldp_rounds_set_symbols(struct ldp_rounds *rounds, size_t m, const struct ldp_oracle_spec *oracle,
                                       bool published, struct ldp_reason *reason)
{
    const struct ldp_oracle_spec grr = ldp_rounds_oracle("grr");
    const double memo = ldp_coin_epsilon(rounds->epsilon), first = ldp_coin_epsilon(rounds->first), n = (double)m;
    const double e = ldp_exp(memo), e1 = ldp_exp(first), exact = kept_at(keep(first, n) / keep(memo, n), n);
    const double second = (published ? ldp_log((e * e1 - 1) / (e - e1)) : exact) * (1 - ROUNDS_MARGIN);
    const double report = published ? kept_at(keep(memo, n) * keep(second, n), n) : rounds->first;
    enum ldp_status status = ldp_protocol_init(&rounds->memo, &grr, m, rounds->epsilon, reason);
    if (status == LDP_OK)
        status = ldp_protocol_init(&rounds->second, &grr, m, second, reason);
    if (status == LDP_OK)
        status = ldp_protocol_init(&rounds->report, oracle, rounds->d, report, reason);
    rounds->p1 = rounds->memo.p;
    rounds->q1 = rounds->memo.q;
    rounds->p2 = rounds->second.p;
    rounds->q2 = rounds->second.q;
    return status;
}

struct work {
    int64_t *step;  /* [rounds + 1][d]: the change of the memoized responses v from the round before */
    uint64_t *memo; /* [d] of a span, then of a round */
    void *second;
};

static struct work take(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, struct ldp_arena *arena)
{
    const struct ldp_histogram any = {.d = rounds->d, .n = sequences->n};
    struct work work;
    work.step = ldp_take(arena, (rounds->rounds + 1) * rounds->d * sizeof *work.step);
    work.memo = ldp_take(arena, rounds->d * sizeof *work.memo);
    work.second = ldp_take(arena, ldp_collect_scratch(&rounds->second, &any, LDP_COUNTS));
    return work;
}

static size_t scratch_bytes(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode)
{
    struct ldp_arena arena = {0};
    take(rounds, sequences, &arena);
    return arena.bytes;
}

/* So many memoized responses v in the rounds of a span. */
static void add(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, const struct ldp_span *span,
                int64_t *step, size_t v, uint64_t users)
{
    for (size_t k = span->interval; k < span->interval + span->nintervals; k++) {
        step[sequences->interval[k].from * rounds->d + v] += (int64_t)users;
        step[sequences->interval[k].to * rounds->d + v] -= (int64_t)users;
    }
}

static void draw_span(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences,
                      const struct ldp_span *span, struct ldp_rng *rng, const struct work *work)
{
    const double kept_share = rounds->p1 - rounds->q1;
    const struct ldp_value_group *const group = sequences->group + span->group;
    uint64_t rest = span->users;
    for (size_t i = 0; i < span->ngroups; i++) {
        const uint64_t kept = ldp_binomial(rng, group[i].users, kept_share);
        add(rounds, sequences, span, work->step, group[i].value, kept);
        rest -= kept;
    }
    if (rest < rounds->d) {
        for (; rest > 0; rest--)
            add(rounds, sequences, span, work->step, (size_t)rng_below(rng, rounds->d), 1);
        return;
    }
    ldp_multinomial_uniform(rng, rest, rounds->d, work->memo);
    for (size_t v = 0; v < rounds->d; v++)
        add(rounds, sequences, span, work->step, v, work->memo[v]);
}

static void collect(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode,
                    struct ldp_rng *rng, void *scratch, double *support)
{
    struct ldp_arena arena = {scratch, 0};
    const struct work work = take(rounds, sequences, &arena);
    const size_t d = rounds->d;
    memset(work.step, 0, (rounds->rounds + 1) * d * sizeof *work.step);
    for (size_t i = 0; i < sequences->nspans; i++)
        draw_span(rounds, sequences, &sequences->span[i], rng, &work);
    memset(work.memo, 0, d * sizeof *work.memo);
    for (size_t t = 0; t < rounds->rounds; t++) {
        for (size_t v = 0; v < d; v++)
            work.memo[v] += (uint64_t)work.step[t * d + v];
        ldp_collect(&rounds->second, &(struct ldp_histogram){d, sequences->n, work.memo}, LDP_COUNTS, rng, work.second,
                    support + t * rounds->report.support_size);
    }
}

/* ---- By reports ---- */

static size_t client_bytes(const struct ldp_rounds *rounds)
{
    struct ldp_arena arena = {0};
    ldp_memos_take(rounds->rounds, 1, &arena);
    return arena.bytes;
}

static void client(const struct ldp_rounds *rounds, const uint32_t *values, struct ldp_rng *rng, void *scratch,
                   uint64_t *reports)
{
    struct ldp_arena arena = {scratch, 0};
    struct ldp_memos memos = ldp_memos_take(rounds->rounds, 1, &arena);
    for (size_t t = 0; t < rounds->rounds; t++) {
        bool is_new;
        uint64_t *const memo = ldp_memo_of(&memos, values[t], &is_new);
        if (is_new)
            rounds->memo.oracle->client(&rounds->memo, &values[t], 1, rng, memo);
        const uint32_t own = (uint32_t)*memo;
        rounds->second.oracle->client(&rounds->second, &own, 1, rng, &reports[t]);
    }
}

void ldp_rounds_weigh(const struct ldp_rounds *rounds, const uint64_t *reports, size_t stride, size_t m,
                      double *likelihood)
{
    const double rate = ldp_log(rounds->p2 / rounds->q2), q1 = rounds->memo.q;
    double most = 0, sum = 0;
    memset(likelihood, 0, m * sizeof *likelihood);
    for (size_t t = 0; t < rounds->rounds; t++)
        most = fmax(most, ++likelihood[reports[t * stride]]);
    for (size_t i = 0; i < m; i++)
        sum += likelihood[i] = ldp_exp((likelihood[i] - most) * rate);
    for (size_t i = 0; i < m; i++)
        likelihood[i] = (rounds->p1 - q1) * likelihood[i] + q1 * sum;
}

static void weigh(const struct ldp_rounds *rounds, const uint64_t *reports, double *room, double *likelihood)
{
    ldp_rounds_weigh(rounds, reports, 1, rounds->d, likelihood);
}

static double seen(const struct ldp_rounds *rounds)
{
    const double p1 = rounds->p1, q1 = rounds->q1;
    return 1 - 2 * p1 * q1 - ((double)rounds->d - 2) * q1 * q1;
}

static const struct ldp_round_form form = {
    .scratch_bytes = scratch_bytes,
    .collect = collect,
    .client_bytes = client_bytes,
    .client = client,
    .weigh = weigh,
    .covariance = ldp_memos_covariance,
    .protect = ldp_rounds_protect_symbols,
    .memos = ldp_memos_of_values,
    .seen = seen,
};

/* ---- l_grr: generalised randomised response in both rounds.
 *
 * The memoized response is grr at epsilon. With a(x) = (e^x - 1)/(e^x - 1 + d), the probability that grr keeps a value,
 * the instantaneous response keeps the memoized response with probability a(first)/a(epsilon), else it reports a
 * uniform value: both together are grr at `first` exactly.
 *
 * Source: Arcolezi et al., Digital Communications and Networks 2022, L-GRR. Deviation: the paper's p2 solves
 * (p1 p2 + q1 q2)/(p1 q2 + q1 p2) = e^first, which leaves out the memoized responses that are neither of the two
 * values, and is right for d = 2 only: one report is then far more private than asked, and thousandfold as noisy. */

static const struct ldp_param params[] = {
    LDP_PARAM_PUBLISHED("the published p2, with which one report is more private than asked"),
    {.name = NULL},
};

static enum ldp_status configure(struct ldp_rounds *rounds, const struct ldp_chain_spec *spec,
                                 struct ldp_reason *reason)
{
    const struct ldp_oracle_spec grr = ldp_rounds_oracle("grr");
    return ldp_rounds_set_symbols(rounds, rounds->d, &grr, spec->param[0] != 0, reason);
}

const struct ldp_chain ldp_chain_l_grr = {
    .name = "l_grr",
    .title = "Longitudinal randomised response",
    .source = "Arcolezi et al., DCN 2022",
    .params = params,
    .configure = configure,
    .form = &form,
};
