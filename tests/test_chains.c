/* Chains of reports over rounds: what every one of the registry must keep, and tables of outside numbers. */
#include "chain.h"
#include "quick.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { D = 4, ROUNDS = 3, N = 60 };

/* Users who keep their value, change it, change it and come back. */
static struct ldp_sequences *changing(void)
{
    uint32_t *const values = malloc((size_t)N * ROUNDS * sizeof *values);
    struct ldp_sequences *sequences;
    for (uint32_t u = 0; u < N; u++)
        for (uint32_t t = 0; t < ROUNDS; t++)
            values[u * ROUNDS + t] = u % 3 == 0 ? u % 2 : (u / 4 + (u % 3 == 1 ? t : t % 2)) % D;
    cr_assert_eq(ldp_sequences_new(values, D, ROUNDS, N, &sequences), LDP_OK);
    return sequences;
}

static struct ldp_sequences *unchanged(void)
{
    static const uint64_t counts[D] = {30, 0, 19, 11};
    struct ldp_sequences *sequences;
    cr_assert_eq(ldp_sequences_static(counts, D, ROUNDS, &sequences), LDP_OK);
    return sequences;
}

static struct ldp_rounds rounds_of(const struct ldp_chain *chain, size_t d, size_t rounds, double epsilon, double first)
{
    struct ldp_chain_spec spec = {.chain = chain};
    struct ldp_rounds out;
    struct ldp_reason reason = {""};
    ldp_params_default(chain->params, spec.param);
    cr_assert_eq(ldp_rounds_init(&out, &spec, d, N, rounds, epsilon, first, &reason), LDP_OK, "%s: %s", chain->name,
                 reason.text);
    return out;
}

/* ---- Errors, by counts and by reports ---- */

static double true_frequency(const struct ldp_sequences *sequences, size_t round, size_t v)
{
    return (double)ldp_sequences_round(sequences, round).counts[v] / (double)sequences->n;
}

/* The covariance of the estimates of v in two rounds, from the classes of users. */
static double stated(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, size_t s, size_t t,
                     uint32_t v)
{
    const double n = (double)sequences->n;
    if (s == t)
        return (rounds->report.s1 + rounds->report.tf * true_frequency(sequences, s, v)) / n;
    struct ldp_round_covariance share;
    rounds->chain->form->covariance(rounds, &share);
    double sum = 0;
    for (size_t u = 0; sequences->values && u < N; u++) {
        const uint32_t x = sequences->values[u * ROUNDS + s], y = sequences->values[u * ROUNDS + t];
        sum += x == y ? (x == v ? share.both : share.equal) : x == v || y == v ? share.one : share.neither;
    }
    if (!sequences->values)
        sum = n * (true_frequency(sequences, s, v) * (share.both - share.equal) + share.equal);
    return sum / n / n;
}

/* Means, and means of products of deviations from the truth, against what is stated; a z-score each. */
static void examine(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode,
                    const char *what)
{
    enum { M = 3000, ALL = D * ROUNDS };
    const size_t draws = statistics_draws(M), size = rounds->report.support_size;
    void *const scratch = malloc(ldp_rounds_scratch(rounds, sequences, mode) + 1);
    double *const support = malloc(ROUNDS * size * sizeof *support);
    double sum[ALL] = {0}, product[D][ROUNDS][ROUNDS] = {{{0}}}, square[D][ROUNDS][ROUNDS] = {{{0}}};
    struct ldp_rng rng;
    ldp_rng_stream(&rng, statistics_seed(11), rounds->chain->name, (uint64_t)mode);
    for (size_t i = 0; i < draws; i++) {
        double error[ALL];
        ldp_rounds_collect(rounds, sequences, mode, true, &rng, scratch, support);
        for (size_t t = 0; t < ROUNDS; t++) {
            ldp_estimate(&rounds->report, ldp_rounds_users_of(rounds, N, t), support + t * size, NULL, error + t * D);
            for (size_t v = 0; v < D; v++)
                sum[t * D + v] += error[t * D + v] -= true_frequency(sequences, t, v);
        }
        for (size_t v = 0; v < D; v++)
            for (size_t s = 0; s < ROUNDS; s++)
                for (size_t t = 0; t < ROUNDS; t++) {
                    const double xy = error[s * D + v] * error[t * D + v];
                    product[v][s][t] += xy;
                    square[v][s][t] += xy * xy;
                }
    }
    const double m = (double)draws, bound = statistics_z_bound(ALL * (ROUNDS + 1) * 40);
    for (uint32_t v = 0; v < D; v++)
        for (size_t s = 0; s < ROUNDS; s++) {
            const double z = statistics_z(sum[s * D + v] / m, 0, stated(rounds, sequences, s, s, v), m);
            cr_expect(fabs(z) < bound, "%s, %s: value %u in round %zu is biased, z = %.1f", rounds->chain->name, what,
                      v, s, z);
            for (size_t t = 0; t < ROUNDS; t++) {
                const double mean = product[v][s][t] / m, variance = square[v][s][t] / m - mean * mean;
                const double expected = stated(rounds, sequences, s, t, v),
                             far = statistics_z(mean, expected, variance, m);
                cr_expect(fabs(far) < bound, "%s, %s: value %u, rounds %zu and %zu: %g for %g, z = %.1f",
                          rounds->chain->name, what, v, s, t, mean, expected, far);
            }
        }
    free(scratch);
    free(support);
}

Test(chains, errors_of_rounds, SLOW)
{
    struct ldp_sequences *const kept = unchanged(), *const changed = changing();
    for (size_t c = 0; ldp_chains[c]; c++) {
        const struct ldp_rounds rounds = rounds_of(ldp_chains[c], D, ROUNDS, 2, 1);
        examine(&rounds, kept, LDP_COUNTS, "static, by counts");
        examine(&rounds, changed, LDP_COUNTS, "changing, by counts");
        examine(&rounds, kept, LDP_REPORTS, "static, by reports");
        examine(&rounds, changed, LDP_REPORTS, "changing, by reports");
    }
    ldp_sequences_free(kept);
    ldp_sequences_free(changed);
}

/* ---- One report ---- */

/* Both rounds are together what is stated of a report, and the report is as private as asked. */
Test(chains, one_report)
{
    static const double budgets[][2] = {{2, 1}, {4, 1.6}, {1, 0.5}, {0.001, 0.0005}, {5, 2}};
    for (size_t c = 0; ldp_chains[c]; c++)
        for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            const struct ldp_rounds rounds = rounds_of(ldp_chains[c], 10, 5, budgets[b][0], budgets[b][1]);
            if (!rounds.memo.oracle)
                continue;
            const double p = rounds.p1 * rounds.p2 + (1 - rounds.p1) * rounds.q2,
                         q = rounds.q1 * rounds.p2 + (1 - rounds.q1) * rounds.q2;
            cr_expect_float_eq(p, rounds.report.p, 1e-12, "%s", ldp_chains[c]->name);
            cr_expect_float_eq(q, rounds.report.q, 1e-12, "%s", ldp_chains[c]->name);
        }
}

Test(chains, spans_by_hand)
{
    uint32_t *const values = malloc(3 * 4 * sizeof *values);
    memcpy(values, (const uint32_t[]){1, 1, 0, 1, 2, 2, 0, 2, 1, 1, 1, 1}, 3 * 4 * sizeof *values);
    struct ldp_sequences *sequences;
    struct ldp_sequence_facts facts;
    cr_assert_eq(ldp_sequences_new(values, 3, 4, 3, &sequences), LDP_OK);
    cr_expect_eq(sequences->nspans, 3);
    size_t users = 0;
    for (size_t i = 0; i < sequences->nspans; i++)
        users += sequences->span[i].users;
    cr_expect_eq(users, 5);
    ldp_sequences_facts(sequences, &facts);
    cr_expect_float_eq(facts.values, 5.0 / 3, 1e-12);
    cr_expect_float_eq(facts.alike, (2 * 6 + 12) / 3.0, 1e-12);
    cr_expect_float_eq(facts.ends, 1, 1e-12);
    ldp_sequences_free(sequences);
}

Test(chains, bad_input)
{
    const struct ldp_chain_spec spec = {.chain = ldp_chain_find("l_sue")};
    struct ldp_rounds rounds;
    struct ldp_reason reason;
    cr_expect_eq(ldp_rounds_init(&rounds, &spec, 4, 10, 3, 1, 1, &reason), LDP_EINVAL);
    cr_expect_str_eq(reason.text, "one report has epsilon = 1: expected more than 0 and less than the memo's 1");
    cr_expect_eq(ldp_rounds_init(&rounds, &spec, 1, 10, 3, 2, 1, &reason), LDP_EINVAL);
    cr_expect_eq(ldp_rounds_init(&rounds, &spec, 4, 10, 0, 2, 1, &reason), LDP_EINVAL);
    struct ldp_sequences *sequences;
    cr_expect_eq(ldp_sequences_new(calloc(2, sizeof(uint32_t)), 2, 2, 0, &sequences), LDP_EINVAL);
    cr_expect_eq(ldp_sequences_static((const uint64_t[]){0, 0}, 2, 2, &sequences), LDP_EINVAL);
}
