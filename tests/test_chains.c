/* Chains of reports over rounds: errors of every one of the registry, by counts, by reports and as stated; bad input.
 */
#include "chains.h"
#include "privacy/rounds.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
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

/* ---- Errors, by counts and by reports ---- */

static double true_frequency(const struct ldp_sequences *sequences, size_t round, size_t v)
{
    return (double)ldp_sequences_round(sequences, round).counts[v] / (double)sequences->n;
}

/* The covariance of the estimates of v in two rounds, from the classes of users. */
static double stated(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, size_t s, size_t t,
                     uint32_t v)
{
    const double n = (double)sequences->n, f = true_frequency(sequences, s, v), f2 = true_frequency(sequences, t, v);
    if (s == t)
        return ldp_rounds_variance(rounds, sequences->n, s, f);
    struct ldp_round_covariance share;
    rounds->chain->form->covariance(rounds, sequences->n, &share);
    double sum = 0;
    for (size_t u = 0; sequences->values && u < N; u++) {
        const uint32_t x = sequences->values[u * ROUNDS + s], y = sequences->values[u * ROUNDS + t];
        sum += x == y ? (x == v ? share.both : share.equal) : x == v || y == v ? share.one : share.neither;
    }
    if (!sequences->values)
        sum = n * (f * (share.both - share.equal) + share.equal);
    return (sum / n + share.product * f * f2) / n;
}

/* Means, and means of products of deviations from the true value, against what is stated; a z-score each. */
static void examine(const struct ldp_rounds *rounds, const struct ldp_sequences *sequences, enum ldp_mode mode,
                    const char *what)
{
    enum { M = 800, ALL = D * ROUNDS };
    const size_t draws = statistics_draws(M), size = rounds->report.support_size;
    void *const scratch = malloc(ldp_rounds_scratch(rounds, sequences, mode) + 1);
    double *const support = malloc(ROUNDS * size * sizeof *support);
    double sum[ALL] = {0}, product[D][ROUNDS][ROUNDS] = {{{0}}}, square[D][ROUNDS][ROUNDS] = {{{0}}};
    struct ldp_rng rng = make_stream(statistics_seed(11), what, (uint64_t)mode);
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

static void examine_all(const struct ldp_rounds *rounds)
{
    struct ldp_sequences *const kept = unchanged(), *const changed = changing();
    examine(rounds, kept, LDP_COUNTS, "static, by counts");
    examine(rounds, changed, LDP_COUNTS, "changing, by counts");
    examine(rounds, kept, LDP_REPORTS, "static, by reports");
    examine(rounds, changed, LDP_REPORTS, "changing, by reports");
    ldp_sequences_free(kept);
    ldp_sequences_free(changed);
}

Test(chains, errors_of_rounds, SLOW)
{
    for (size_t c = 0; ldp_chains[c]; c++) {
        const struct ldp_rounds rounds = rounds_of(ldp_chains[c], D, ROUNDS, 2, 1);
        examine_all(&rounds);
    }
    const struct ldp_rounds some[] = {
        named("l_grr", NAN, true, D, ROUNDS, 2, 1), named("loloha", 2, false, D, ROUNDS, 2, 1),
        named("dbitflip", 1, false, D, ROUNDS, 2, 1), named("dbitflip", 3, false, D, ROUNDS, 2, 1)};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        examine_all(&some[i]);
}

/* Many users whose values change at once: spans of more users than have tables, and of several. */
Test(chains, large_spans, SLOW)
{
    enum { USERS = 1500, T = 2, VALUES = 3, M = 400 };
    uint32_t *const values = malloc((size_t)USERS * T * sizeof *values);
    struct ldp_sequences *sequences;
    for (uint32_t u = 0; u < USERS; u++) {
        values[u * T] = u % VALUES;
        values[u * T + 1] = u % 5 == 0 ? (u + 1) % VALUES : u % VALUES;
    }
    cr_assert_eq(ldp_sequences_new(values, VALUES, T, USERS, &sequences), LDP_OK);
    for (size_t c = 0; ldp_chains[c]; c++) {
        const struct ldp_rounds rounds = rounds_of(ldp_chains[c], VALUES, T, 3, 1);
        const size_t size = rounds.report.support_size;
        void *const scratch = malloc(ldp_rounds_scratch(&rounds, sequences, LDP_COUNTS) + 1);
        double *const support = malloc(T * size * sizeof *support), average = 0, square = 0;
        struct ldp_round_errors exact;
        struct ldp_rng rng;
        ldp_rng_stream(&rng, statistics_seed(12), rounds.chain->name, 0);
        for (size_t i = 0; i < M; i++) {
            double est[T][VALUES], error = 0;
            ldp_rounds_collect(&rounds, sequences, LDP_COUNTS, true, &rng, scratch, support);
            for (size_t t = 0; t < T; t++)
                ldp_estimate(&rounds.report, ldp_rounds_users_of(&rounds, USERS, t), support + t * size, NULL, est[t]);
            for (size_t v = 0; v < VALUES; v++) {
                const double of =
                    (est[0][v] + est[1][v] - true_frequency(sequences, 0, v) - true_frequency(sequences, 1, v)) / 2;
                error += of * of / VALUES;
            }
            average += error / M;
            square += error * error / M;
        }
        ldp_rounds_errors(&rounds, sequences, &exact);
        const double z = statistics_z(average, exact.average, square - average * average, M);
        cr_expect(fabs(z) < statistics_z_bound(40), "%s: %g for %g, z = %.1f", rounds.chain->name, average,
                  exact.average, z);
        free(scratch);
        free(support);
    }
    ldp_sequences_free(sequences);
}

/* Single rounds have the same errors if they are drawn apart. */
Test(chains, rounds_apart)
{
    struct ldp_sequences *const changed = changing();
    for (size_t c = 0; ldp_chains[c]; c++) {
        const struct ldp_rounds rounds = rounds_of(ldp_chains[c], D, ROUNDS, 2, 1);
        const size_t size = rounds.report.support_size;
        void *const scratch = malloc(ldp_rounds_scratch(&rounds, changed, LDP_COUNTS) + 1);
        double *const support = malloc(ROUNDS * size * sizeof *support), mean = 0, square = 0;
        struct ldp_round_errors exact;
        struct ldp_rng rng;
        enum { M = 300 };
        ldp_rng_stream(&rng, statistics_seed(13), rounds.chain->name, 0);
        for (size_t i = 0; i < M; i++) {
            double error = 0;
            ldp_rounds_collect(&rounds, changed, LDP_COUNTS, false, &rng, scratch, support);
            for (size_t t = 0; t < ROUNDS; t++) {
                double est[D];
                ldp_estimate(&rounds.report, ldp_rounds_users_of(&rounds, N, t), support + t * size, NULL, est);
                for (size_t v = 0; v < D; v++)
                    error += (est[v] - true_frequency(changed, t, v)) * (est[v] - true_frequency(changed, t, v)) /
                             (D * ROUNDS);
            }
            mean += error / M;
            square += error * error / M;
        }
        ldp_rounds_errors(&rounds, changed, &exact);
        const double z = statistics_z(mean, exact.round, square - mean * mean, M);
        cr_expect(fabs(z) < statistics_z_bound(40), "%s: z = %.1f", rounds.chain->name, z);
        free(scratch);
        free(support);
    }
    ldp_sequences_free(changed);
}

/* ---- One report ---- */

/* Both rounds are together what is stated of a report. */
Test(chains, one_report)
{
    static const double budgets[][2] = {{2, 1}, {4, 1.6}, {1, 0.5}, {0.001, 0.0005}, {5, 2}};
    for (size_t c = 0; ldp_chains[c]; c++)
        for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            const struct ldp_rounds rounds = rounds_of(ldp_chains[c], 10, 5, budgets[b][0], budgets[b][1]);
            if (!rounds.memo.oracle || rounds.p2 == 1)
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
    cr_expect_eq(sequences->distinct[1], 1);
    cr_expect_eq(sequences->distinct[2], 2);
    cr_expect_float_eq(facts.equal_pairs, (2 * 6 + 12) / 3.0, 1e-12);
    cr_expect_float_eq(facts.ends, 1, 1e-12);
    ldp_sequences_free(sequences);
}

Test(chains, bad_input)
{
    const struct ldp_chain_spec spec = {.chain = ldp_chain_find("l_sue")};
    struct ldp_rounds rounds;
    struct ldp_reason reason;
    cr_expect_eq(ldp_rounds_init(&rounds, &spec, 4, 10, 3, 1, 1, &reason), LDP_EINVAL);
    cr_expect_str_eq(reason.text, "one report has epsilon = 1: expected more than 0 and less than the first's 1");
    cr_expect_eq(ldp_rounds_init(&rounds, &spec, 1, 10, 3, 2, 1, &reason), LDP_EINVAL);
    cr_expect_eq(ldp_rounds_init(&rounds, &spec, 4, 10, 0, 2, 1, &reason), LDP_EINVAL);
    static const struct {
        const char *name;
        double param;
        size_t rounds;
        double first;
        const char *reason;
    } bad[] = {
        {"loloha", 11, 3, 1, "g = 11: expected at most d = 10"},
        {"dbitflip", 11, 3, 1, "bits = 11: expected at most the 10 buckets"},
        {"once", NAN, 21, 1, "a round without users: expected n of at least 21, got 20"},
        {"l_oue", NAN, 3, 1.7, "no instantaneous response with p2 = 1/2 gives one report 1.7: expected at most 1.66"},
        {"l_soue", NAN, 3, 1.95, "no instantaneous response with p2 = 1/2 gives one report 1.95: expected at most 1.3"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ldp_chain_spec of = default_spec(ldp_chain_find(bad[i].name));
        if (!isnan(bad[i].param))
            of.param[strcmp(bad[i].name, "dbitflip") == 0] = bad[i].param;
        cr_expect_eq(ldp_rounds_init(&rounds, &of, 10, 20, bad[i].rounds, 2, bad[i].first, &reason), LDP_EINVAL);
        cr_expect(strncmp(reason.text, bad[i].reason, strlen(bad[i].reason)) == 0, "%s: %s", bad[i].name, reason.text);
    }
    struct ldp_sequences *sequences;
    cr_expect_eq(ldp_sequences_new(calloc(2, sizeof(uint32_t)), 2, 2, 0, &sequences), LDP_EINVAL);
    cr_expect_eq(ldp_sequences_static((const uint64_t[]){0, 0}, 2, 2, &sequences), LDP_EINVAL);
}

/* Bits of the second round, beyond the values that are drawn at once: each has its mean. */
Test(chains, second_round_of_many_values)
{
    enum { VALUES = 600, USERS = 10000 };
    const struct ldp_rounds rounds = named("l_sue", NAN, false, VALUES, 5, 2, 1);
    struct ldp_rng rng = make_stream(4, "second", 0);
    double ones[VALUES], support[VALUES] = {0};
    for (size_t v = 0; v < VALUES; v++)
        ones[v] = (double)(v % 3 * 2500);
    ldp_rounds_respond_bits(&rounds, USERS, ones, &rng, support);
    for (size_t v = 0; v < VALUES; v++) {
        const double zeros = USERS - ones[v], mean = ones[v] * rounds.p2 + zeros * rounds.q2,
                     variance = ones[v] * rounds.p2 * (1 - rounds.p2) + zeros * rounds.q2 * (1 - rounds.q2),
                     z = (support[v] - mean) / sqrt(variance);
        cr_expect(fabs(z) < statistics_z_bound(VALUES), "value %zu: z = %.1f", v, z);
    }
}
