/* attack.c - how often somebody who sees the reports of all rounds of a user guesses the value: of one that stays, or
 * of a round, if it changes and the rounds in which the user has it are known.
 *
 * Bits that are independent, exactly: with c_v ones among the T reports of bit v, the likelihood of v is that of nobody
 * times the ratio R(c_v) = W(p1, c_v, T) / W(q1, c_v, T) (protect.c). In the order of falling prior_v R(c), over all v
 * and c, F(v, c) is the probability that no other value is before, and
 *
 *     success = sum_v prior_v sum_c binomial(T, c) W(p1, c, T) F(v, c).
 *
 * Collections without memoized responses have p1 = 1, q1 = 0. In the limit of many rounds an observer knows the
 * memoized response, which tells as much as a report of the first round's protocol. Else by simulated users
 * (attack_success.h), whose reports a form weighs. Cost: d T log(d T); users times d or T. */
#include "numerics/pool.h"
#include "privacy/rounds.h"
#include "protocol/attack_success.h"
#include "protocol/bits.h"
#include "random/rng.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 1 << 20, USERS = 8192, SEED = 1 };
#define WORK 0x1p25

void ldp_rounds_likelihoods(double *log, size_t d)
{
    const double most = ldp_largest(log, d);
    for (size_t v = 0; v < d; v++)
        log[v] = ldp_exp(log[v] - most);
}

/* ---- Independent bits ---- */

struct point {
    double log; /* of prior_v R(c) */
    uint32_t value, ones;
};

/* A value's points fall with c. */
static int by_log(const void *a, const void *b)
{
    const struct point *const x = a, *const y = b;
    if (x->log != y->log)
        return x->log < y->log ? 1 : -1;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value)
                                : (x->ones < y->ones) - (x->ones > y->ones);
}

/* log own[c], log ratio[c], and the log of the probability of at most c ones of a bit that is not the value's. */
static void bit_laws(const struct ldp_rounds *rounds, double *own, double *ratio, double *below)
{
    const double t = (double)rounds->rounds;
    double sum = 0, ways = 0;
    for (size_t i = 0; i <= rounds->rounds; i++) {
        const double c = (double)i;
        ways += i > 0 ? ldp_log((t - c + 1) / c) : 0;
        const double other = ldp_rounds_bits_law(rounds, rounds->q1, c, t);
        own[i] = ldp_rounds_bits_law(rounds, rounds->p1, c, t);
        ratio[i] = fmax(own[i] - other, i > 0 ? ratio[i - 1] : -INFINITY); /* but for rounding it grows */
        own[i] += ways;
        sum += ldp_exp(ways + other);
        below[i] = ldp_log(sum);
    }
}

static double by_bits(const struct ldp_rounds *rounds, const double *prior, struct point *point, double *room)
{
    const size_t levels = rounds->rounds + 1;
    double *const own = room, *const ratio = own + levels, *const below = ratio + levels;
    double before = 0, success = 0;
    size_t n = 0;
    bit_laws(rounds, own, ratio, below);
    for (size_t v = 0; v < rounds->d; v++)
        for (size_t c = 0; c < levels && prior[v] > 0; c++)
            point[n++] = (struct point){ldp_log(prior[v]) + ratio[c], (uint32_t)v, (uint32_t)c};
    qsort(point, n, sizeof *point, by_log);
    for (size_t i = 0; i < n && before > -60; i++) { /* the rest is less than e^-60 */
        const size_t c = point[i].ones;
        success += prior[point[i].value] * ldp_exp(own[c] + before - below[c]);
        before = c > 0 ? before - below[c] + below[c - 1] : -INFINITY;
    }
    return success;
}

/* Rounds whose bits are independent, of the same law; false: they are not. */
static bool bits_of(const struct ldp_rounds *rounds, struct ldp_rounds *bits)
{
    *bits = *rounds;
    if (rounds->chain->form == &ldp_rounds_unary)
        return true;
    bits->p1 = 1;
    bits->q1 = 0;
    bits->p2 = rounds->report.p;
    bits->q2 = rounds->report.q;
    return rounds->chain->form == &ldp_rounds_apart && rounds->report.oracle->overlap == ldp_unary_overlap;
}

/* ---- By simulated users ---- */

struct seen {
    struct ldp_rounds rounds;
    uint32_t *values;  /* [rounds] */
    uint64_t *reports; /* [rounds][words] */
    double *room;
    void *scratch;
    const double *in_rounds; /* [rounds + 1], probability of so many rounds; NULL: all */
    size_t most;
};

static void weigh_apart(struct seen *seen, uint32_t value, uint64_t public_seed, struct ldp_rng *rng,
                        double *likelihood)
{
    struct ldp_protocol *const report = &seen->rounds.report;
    for (size_t v = 0; v < report->d; v++)
        likelihood[v] = 0;
    for (size_t t = 0; t < seen->rounds.rounds; t++) {
        report->public_seed = t == 0 ? public_seed : ldp_rng_next(rng);
        report->oracle->client(report, &value, 1, rng, seen->reports);
        for (size_t v = 0; v < report->d; v++)
            likelihood[v] += report->oracle->log_likelihood(report, (uint32_t)v, seen->reports);
    }
    ldp_rounds_likelihoods(likelihood, report->d);
}

static void draw(void *state, uint32_t value, uint64_t public_seed, struct ldp_rng *rng, double *likelihood)
{
    struct seen *const seen = state;
    const struct ldp_round_form *const form = seen->rounds.chain->form;
    if (seen->in_rounds)
        seen->rounds.rounds = ldp_told_value(seen->in_rounds, NULL, seen->most + 1, rng);
    if (!form->client) {
        weigh_apart(seen, value, public_seed, rng, likelihood);
        return;
    }
    for (size_t t = 0; t < seen->rounds.rounds; t++)
        seen->values[t] = value;
    form->client(&seen->rounds, seen->values, rng, seen->scratch, seen->reports);
    form->weigh(&seen->rounds, seen->reports, seen->room, likelihood);
}

enum ldp_status ldp_rounds_attack_told(const struct ldp_rounds *rounds, const double *in_rounds, const double *prior,
                                       uint64_t users, struct ldp_attack_success *out, struct ldp_reason *reason)
{
    const struct ldp_round_form *const form = rounds->chain->form;
    struct seen seen = {.rounds = *rounds, .in_rounds = in_rounds, .most = rounds->rounds};
    const struct ldp_told told = {rounds->d, draw, &seen};
    struct ldp_pool pool = {.last = NULL};
    if (form->users)
        seen.rounds.rounds = 1;
    if (!form->client && !rounds->report.oracle->log_likelihood)
        return ldp_refuse(reason, "oracle %s: the distribution of its reports is not known",
                          rounds->report.oracle->name);
    TAKE(&pool, seen.values, rounds->rounds);
    TAKE(&pool, seen.reports, rounds->rounds * rounds->report.report_words);
    TAKE(&pool, seen.room, rounds->second.d + 1);
    seen.scratch = ldp_pool_take(&pool, form->client ? form->client_bytes(rounds) : 1, 1);
    const enum ldp_status status =
        pool.failed ? LDP_ENOMEM : ldp_attack_success_told(&told, prior, users, SEED, out, reason);
    ldp_pool_clear(&pool);
    return status;
}

/* Users who take about a tenth of a second. */
static uint64_t users_of(const struct ldp_rounds *rounds)
{
    const double t = (double)rounds->rounds, d = (double)rounds->d, words = (double)rounds->report.report_words;
    return (uint64_t)fmin(USERS, WORK / (rounds->chain->form->client ? t * (8 + words) + d * 8 : t * d * 8));
}

enum ldp_status ldp_rounds_attack(const struct ldp_rounds *rounds, const double *prior, struct ldp_attack_success *out,
                                  struct ldp_reason *reason)
{
    const struct ldp_round_form *const form = rounds->chain->form;
    const size_t levels = rounds->rounds + 1;
    const bool one_report = rounds->rounds == 1 || form->users || rounds->report.flags & LDP_ORACLE_NOT_PRIVATE;
    struct ldp_rounds bits;
    if (one_report && rounds->report.oracle->log_likelihood)
        return ldp_attack_success(&rounds->report, prior, users_of(rounds), SEED, out, reason);
    if (!bits_of(rounds, &bits) || (double)rounds->d * (double)levels > POINTS)
        return ldp_rounds_attack_told(rounds, NULL, prior, users_of(rounds), out, reason);
    const enum ldp_status status = ldp_rounds_attack_told(rounds, NULL, prior, 0, out, reason); /* the guess */
    if (status != LDP_OK)
        return status;
    struct point *const point = malloc(rounds->d * levels * sizeof *point);
    double *const room = malloc(3 * levels * sizeof *room);
    if (point && room)
        ldp_attack_success_set(out, by_bits(&bits, prior, point, room), out->guess);
    free(point);
    free(room);
    out->error = 0;
    return point && room ? LDP_OK : LDP_ENOMEM;
}

enum ldp_status ldp_rounds_attack_known(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences,
                                        const double *prior, struct ldp_attack_success *out, struct ldp_reason *reason)
{
    const size_t most = rounds->rounds;
    double share = 0;
    enum ldp_status status = ldp_rounds_attack(rounds, prior, out, reason);
    if (status != LDP_OK || !sequences->values || most == 1 || rounds->report.flags & LDP_ORACLE_NOT_PRIVATE)
        return status;
    double *const in_rounds = calloc(most + 1, sizeof *in_rounds);
    if (!in_rounds)
        return LDP_ENOMEM;
    for (size_t s = 0; s < sequences->nspans; s++) {
        const struct ldp_span *const span = &sequences->span[s];
        size_t in = 0;
        for (size_t i = 0; i < span->nintervals; i++)
            in += sequences->interval[span->interval + i].to - sequences->interval[span->interval + i].from;
        in_rounds[in] += (double)span->users * (double)in / ((double)sequences->n * (double)most);
    }
    for (size_t in = 1; in <= most; in++)
        share += in_rounds[in] * (double)in / (double)most;
    if (rounds->chain->form->users) /* the one report is of the value, or tells nothing */
        ldp_attack_success_set(out, share * out->success + (1 - share) * out->guess, out->guess);
    else
        status = ldp_rounds_attack_told(rounds, in_rounds, prior, users_of(rounds), out, reason);
    free(in_rounds);
    return status;
}
