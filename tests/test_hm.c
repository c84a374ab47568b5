/* test_hm.c - the Hadamard mechanism: the best number of signs, variances by hand, what joint decoding gains. */
#include "sampling/hadamard.h"
#include "setup.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PER_BIT, JOINT };

static struct ldp_protocol hm(double t, int decode, size_t d, double epsilon)
{
    const struct ldp_oracle_spec spec = {.oracle = ldp_oracle_find("hm"), .param = {t, decode}};
    return make_protocol(&spec, d, epsilon);
}

/* The state is counters of 8 and of 4 bytes for 2 K fields, and one number more. */
static size_t order_of(const struct ldp_protocol *protocol)
{
    return (protocol->state_bytes - 8) / 24;
}

Test(hm, sizes)
{
    const struct ldp_protocol two = hm(1, PER_BIT, 2, 1), power = hm(1, PER_BIT, 1024, 1),
                              odd = hm(1, PER_BIT, 1025, 1);
    cr_expect_eq(order_of(&two), 2);
    cr_expect_eq(order_of(&power), 1024); /* index 0 is used, unlike hr's */
    cr_expect_eq(order_of(&odd), 2048);

    cr_expect_eq(hm(5, PER_BIT, 1024, 1).report_words, 1); /* 5 (10 + 1) bits */
    cr_expect_eq(hm(6, PER_BIT, 1024, 1).report_words, 2);
    cr_expect_eq(hm(3, PER_BIT, 4000000000, 1).report_words, 3);
}

/* The t of PVLDB 2021's plots, except at epsilon = 1.5, where they use 1. */
Test(hm, best_number_of_signs)
{
    static const double epsilon[] = {0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5};
    static const double best[] = {1, 1, 2, 2, 2, 3, 3, 4, 4, 5};
    for (size_t i = 0; i < 10; i++)
        cr_expect_eq(hm(NAN, PER_BIT, 1024, epsilon[i]).param[0], best[i], "epsilon %g", epsilon[i]);
    cr_expect_eq(hm(NAN, JOINT, 1024, 1).param[0], 2);
    cr_expect_eq(hm(NAN, JOINT, 1024, 3).param[0], 4);
}

static double mean_variance(const struct ldp_protocol *protocol)
{
    return protocol->s1 + protocol->tf / (double)protocol->d;
}

/* That of t = 1, 2, .. with the least mean variance, where the frequency counts (a small domain) too. */
Test(hm, number_of_signs_has_the_least_variance)
{
    static const size_t domains[] = {2, 3, 1000};
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        for (int decode = PER_BIT; decode <= JOINT; decode++)
            for (double epsilon = 0.25; epsilon < 8; epsilon += 0.125) {
                const struct ldp_protocol best = hm(NAN, decode, domains[i], epsilon);
                double least = INFINITY, t = 0;
                for (double more = 1; more <= 10; more++) {
                    const struct ldp_protocol other = hm(more, decode, domains[i], epsilon);
                    const double variance = mean_variance(&other);
                    if (variance < least * (1 - 1e-12)) {
                        least = variance;
                        t = more;
                    }
                }
                cr_expect_eq(best.param[0], t, "d = %zu, decode %d, epsilon = %g: t = %g, not %g", domains[i], decode,
                             epsilon, best.param[0], t);
            }
}

/* Each sign is right with probability (e+2^(t-1)-1)/(e+2^t-1); one sign alone has the variance of blh and hr. */
Test(hm, constants_by_hand)
{
    const double e = exp(2);
    struct ldp_protocol protocol = hm(3, PER_BIT, 100, 2);
    cr_expect_float_eq(protocol.p, (e + 3) / (e + 7), 1e-15);
    cr_expect_float_eq(protocol.s1, (e + 7) * (e + 7) / (3 * (e - 1) * (e - 1)), 1e-14);
    protocol = hm(1, PER_BIT, 100, 2);
    cr_expect_float_eq(protocol.s1, (e + 1) * (e + 1) / ((e - 1) * (e - 1)), 1e-14);
    cr_expect_float_eq(protocol.tf, -1, 1e-15);
    protocol = hm(4, JOINT, 100, 3);
    cr_expect_float_eq(protocol.s1, 0.2253, 5e-5);
    cr_expect_float_eq(hm(NAN, PER_BIT, 100, 3).s1, 0.6713, 5e-5);
}

/* Pairs (y, sign) of users of every column: means, variances and covariances of the multinomials that they make. */
Test(hm, signs_by_the_butterfly)
{
    enum { K = 8, R = 20000, CELLS = 2 * K };
    struct ldp_rng rng = make_stream(statistics_seed(11), "signs", 0);
    struct moments *const moments = moments_new(CELLS);
    for (size_t r = 0; r < R; r++) {
        int64_t N[CELLS];
        for (size_t X = 0; X < K; X++) {
            N[X] = X == 3 ? 0 : 100 * (int64_t)(X + 1);
            N[K + X] = 0;
        }
        ldp_hadamard_signs(&rng, N, K, K);
        double row[CELLS], total = 0;
        for (size_t i = 0; i < CELLS; i++) {
            row[i] = (double)N[i];
            total += row[i];
            cr_assert_geq(N[i], 0);
        }
        cr_assert_eq(total, 3600 - 400);
        moments_add(moments, row);
    }
    const double limit = statistics_z_bound(CELLS * CELLS);
    for (size_t a = 0; a < CELLS; a++) {
        for (size_t b = 0; b <= a; b++) {
            double mean = 0, cov = 0, va = 0, vb = 0;
            for (size_t X = 0; X < K; X++) {
                const double users = X == 3 ? 0 : 100 * (double)(X + 1), cell = 1.0 / K;
                const double pa = ldp_parity(X & a % K) == a / K ? cell : 0,
                             pb = ldp_parity(X & b % K) == b / K ? cell : 0;
                mean += users * pa;
                cov += users * ((a == b ? pa : 0) - pa * pb);
                va += users * pa * (1 - pa);
                vb += users * pb * (1 - pb);
            }
            if (va == 0 || vb == 0)
                continue;
            const double z = (moments_covariance(moments, a, b) - cov) / sqrt((va * vb + cov * cov) / R);
            cr_expect(fabs(z) < limit, "covariance %zu, %zu: z = %.1f", a, b, z);
            if (a == b)
                cr_expect(fabs(statistics_z(moments->mean[a], mean, va, R)) < limit, "mean %zu", a);
        }
    }
    moments_free(moments);
}

/* Two users, words of two signs: the joint law of their cells by enumeration. */
Test(hm, words_by_the_butterfly)
{
    enum { K = 4, T = 2, CELLS = 64, DRAWS = 200000 };
    static const size_t own[] = {3, 1};
    static double law[CELLS * CELLS];
    static uint64_t seen[CELLS * CELLS];
    struct ldp_rng rng = make_stream(statistics_seed(13), "words", 0);
    for (size_t a = 0; a < K * K; a++)
        for (size_t b = 0; b < K * K; b++) {
            size_t cell[2] = {0, 0};
            for (size_t u = 0; u < 2; u++) {
                const size_t y[] = {(u ? b : a) / K, (u ? b : a) % K};
                for (size_t bit = 2; bit-- > 0;)
                    cell[u] = 4 * cell[u] + (y[0] >> bit & 1) + 2 * (y[1] >> bit & 1);
                cell[u] = 4 * cell[u] + ldp_parity(y[0] & own[u]) + 2 * ldp_parity(y[1] & own[u]);
            }
            law[cell[0] < cell[1] ? cell[0] * CELLS + cell[1] : cell[1] * CELLS + cell[0]] += 1.0 / (K * K * K * K);
        }
    for (size_t i = 0; i < DRAWS; i++) {
        int64_t users[K] = {0};
        for (size_t u = 0; u < 2; u++)
            users[own[u]]++;
        int64_t N[CELLS], spare[CELLS];
        ldp_hadamard_words(&rng, users, K, T, N, spare);
        size_t at[2], found = 0;
        for (size_t cell = 0; cell < CELLS; cell++)
            for (int64_t k = 0; k < N[cell]; k++) {
                cr_assert_lt(found, 2);
                at[found++] = cell;
            }
        cr_assert_eq(found, 2);
        seen[at[0] * CELLS + at[1]]++;
    }
    const double p = statistics_chi_square(seen, law, (size_t)CELLS * CELLS);
    cr_expect_gt(p, statistics_p_bound(1), "p = %g", p);
}

/* By counts as many users as can be: no harder than few where K is small, or t = 1. */
Test(hm, joint_by_counts_whatever_n)
{
    static const uint64_t counts[] = {UINT64_C(1) << 50, 1000, 0, UINT64_C(1) << 49};
    struct ldp_population *const population = make_population(counts, 4);
    for (int t = 1; t <= 4; t++) {
        const struct ldp_protocol protocol = hm(t, JOINT, 4, 1);
        const double users = (double)population->n;
        struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
        void *const scratch = malloc(simulation.scratch_bytes);
        struct ldp_rng rng = make_stream(statistics_seed(14), "many", (uint64_t)t);
        double variance[4];
        ldp_variance(&protocol, &population->histogram, variance);
        for (size_t r = 0; r < 20; r++) {
            double support[4];
            ldp_simulate(&simulation, &rng, scratch, support);
            double est[4];
            ldp_estimate(&protocol, population->n, support, NULL, est);
            for (size_t v = 0; v < 4; v++)
                cr_expect(fabs(est[v] - population->f[v]) < 1e-13 + statistics_z_bound(320) * sqrt(variance[v]) / users,
                          "t %d value %zu: %g", t, v, est[v]);
        }
        free(scratch);
        ldp_simulation_clear(&simulation);
    }
    ldp_population_free(population);
}

/* Fewer users than cells of the butterfly are drawn one by one: means and variances as stated, for one sign and for
 * two. */
Test(hm, few_users_by_counts)
{
    enum { D = 33, R = 20000 };
    uint64_t counts[D] = {[3] = 6, [7] = 1, [32] = 4};
    struct ldp_population *const population = make_population(counts, D);
    for (int t = 1; t <= 2; t++) {
        const struct ldp_protocol protocol = hm(t, PER_BIT, D, 2);
        void *const scratch = malloc(ldp_collect_scratch(&protocol, &population->histogram, LDP_COUNTS));
        double sum[D] = {0}, squares[D] = {0}, variance[D];
        struct ldp_rng rng = make_stream(statistics_seed(15), "few", (uint64_t)t);
        ldp_variance(&protocol, &population->histogram, variance);
        for (size_t r = 0; r < R; r++) {
            double support[D], est[D];
            ldp_collect(&protocol, &population->histogram, LDP_COUNTS, &rng, scratch, support);
            ldp_estimate(&protocol, population->n, support, NULL, est);
            for (size_t v = 0; v < D; v++) {
                const double error = (double)population->n * est[v] - (double)counts[v];
                sum[v] += error / R;
                squares[v] += error * error / R;
            }
        }
        for (size_t v = 0; v < D; v++) {
            cr_expect(fabs(statistics_z(sum[v], 0, variance[v], R)) < statistics_z_bound(4 * D), "t %d value %zu: %g",
                      t, v, sum[v]);
            /* A sum of 11 signs or more has a kurtosis below 3. */
            cr_expect(fabs(squares[v] / variance[v] - 1) < statistics_z_bound(4 * D) * sqrt(2.0 / R),
                      "t %d value %zu: variance %g, stated %g", t, v, squares[v], variance[v]);
        }
        free(scratch);
    }
    ldp_population_free(population);
}

/* Error of a whole collection, by counts: the sum of the stated variances, and joint decoding below the other. */
Test(hm, joint_decoding_gains)
{
    enum { D = 50, R = 400 };
    uint64_t counts[D];
    for (size_t v = 0; v < D; v++)
        counts[v] = 2000 / (v + 1);
    struct ldp_population *const population = make_population(counts, D);
    double error[2] = {0}, stated[2] = {0};
    for (int decode = PER_BIT; decode <= JOINT; decode++) {
        const struct ldp_protocol protocol = hm(NAN, decode, D, 3);
        struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
        void *const scratch = malloc(simulation.scratch_bytes);
        struct ldp_rng rng = make_stream(statistics_seed(12), "gain", (uint64_t)decode);
        double total[R];
        for (size_t r = 0; r < R; r++) {
            double support[D];
            ldp_simulate(&simulation, &rng, scratch, support);
            double est[D];
            ldp_estimate(&protocol, population->n, support, NULL, est);
            total[r] = 0;
            for (size_t v = 0; v < D; v++) {
                const double e = (double)population->n * est[v] - (double)counts[v];
                total[r] += e * e;
            }
            error[decode] += total[r] / R;
        }
        double variance[D];
        ldp_variance(&protocol, &population->histogram, variance);
        for (size_t v = 0; v < D; v++)
            stated[decode] += variance[v];
        double square = 0;
        for (size_t r = 0; r < R; r++)
            square += (total[r] - error[decode]) * (total[r] - error[decode]) / (R - 1);
        cr_expect(fabs(error[decode] - stated[decode]) < statistics_z_bound(2) * sqrt(square / R),
                  "decoding %d: %g, stated %g", decode, error[decode], stated[decode]);
        free(scratch);
        ldp_simulation_clear(&simulation);
    }
    cr_expect_lt(error[JOINT], error[PER_BIT] / 2);
    ldp_population_free(population);
}

/* The small counters are emptied before they overflow: the state as it is just before, then a few reports more. Of
 * zeros only they support every value. */
Test(hm, small_counters_do_not_overflow)
{
    enum { BEFORE = 1431655763, REPORTS = 5 }; /* 3 BEFORE is just below 2^32 */
    const struct ldp_protocol protocol = hm(2, JOINT, 4, 1);
    const uint64_t report[REPORTS] = {0}, n = (uint64_t)BEFORE + REPORTS;
    const size_t fields = 2 * order_of(&protocol);
    uint64_t *const state = calloc(protocol.state_bytes, 1);
    uint32_t *const small = (uint32_t *)(void *)(state + fields + 1);
    cr_assert_eq(order_of(&protocol), 4);
    protocol.oracle->server(&protocol, report, 1, state);
    cr_assert(small[0] == 3 && state[fields] == 3 && state[0] == 0);
    small[0] = (uint32_t)(state[fields] = UINT64_C(3) * BEFORE);
    protocol.oracle->server(&protocol, report, REPORTS, state);
    double support[4];
    protocol.oracle->support(&protocol, state, n, support);
    for (size_t v = 0; v < 4; v++)
        cr_expect_eq(support[v], (double)n, "%zu: %.0f", v, support[v]);
    free(state);
}

/* A negated report supports 1 minus the support of the report, and negated again it is the report itself. */
Test(hm, opposites)
{
    enum { D = 40, REPORTS = 200 };
    for (double t = 1; t <= 9; t += 2) {
        const struct ldp_protocol protocol = hm(t, PER_BIT, D, 1);
        cr_assert(protocol.flags & LDP_ORACLE_NEGATES);
        struct ldp_rng rng = make_stream(4, "opposites", (uint64_t)t);
        for (uint32_t i = 0; i < REPORTS; i++) {
            const uint32_t value = i % D;
            uint64_t report[4], turned[4];
            double support[2][D];
            cr_assert_leq(protocol.report_words, 4);
            protocol.oracle->client(&protocol, &value, 1, &rng, report);
            memcpy(turned, report, sizeof turned);
            protocol.oracle->negate(&protocol, turned);
            for (int k = 0; k < 2; k++) {
                void *const state = calloc(1, protocol.state_bytes);
                protocol.oracle->server(&protocol, k ? turned : report, 1, state);
                protocol.oracle->support(&protocol, state, 1, support[k]);
                free(state);
            }
            for (size_t v = 0; v < D; v++)
                cr_assert_float_eq(support[0][v] + support[1][v], 1, 1e-12);
            protocol.oracle->negate(&protocol, turned);
            cr_assert_arr_eq(turned, report, protocol.report_words * sizeof *report);
        }
    }
    cr_expect(hm(1, JOINT, D, 1).flags & LDP_ORACLE_NEGATES);
    cr_expect(!(hm(2, JOINT, D, 1).flags & LDP_ORACLE_NEGATES));
}
