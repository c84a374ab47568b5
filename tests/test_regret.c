/* test_regret.c - regret, wins and ranks, by hand. */
#include "ldp.h"
#include "quick.h"
#include "results/ranking.h"
#include "setup.h"
#include "statistics.h"
#include "stats/regret.h"
#include "stats/setting.h"
#include "support/numbers.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Type 7 of 1, 2, 3, 4, 10: at 0.95, 3.8 of the way along. */
Test(regret, quantiles)
{
    static const double sorted[] = {1, 2, 3, 4, 10};

    cr_expect_float_eq(quantile_sorted(sorted, 5, 0.95), 4 + 0.8 * 6, 1e-12);
    cr_expect_eq(quantile_sorted(sorted, 5, 0), 1);
    cr_expect_eq(quantile_sorted(sorted, 5, 1), 10);
    cr_expect_eq(quantile_sorted(sorted, 1, 0.95), 1);
}

/* Of few repetitions and of many, in any order and with ties; the other's are all 1. */
Test(regret, percentiles_of_any_number)
{
    double a[500], b[500], sorted[500];

    for (size_t n = 1; n <= 500; n = n < 50 ? n + 1 : n + 150) {
        for (size_t i = 0; i < n; i++) {
            a[i] = sorted[i] = 1 + (double)(i * 7919 % 101);
            b[i] = 1;
        }
        qsort(sorted, n, sizeof *sorted, by_number);
        struct sample sample[] = {sample_of(a, n), sample_of(b, n)};
        struct ranks ranks[2];

        sample[0].sd = sample[1].sd = 0.1;
        regret_of(&(struct settings){.count = 1, .methods = 2, .sample = sample}, 0.05, ranks);
        cr_expect_float_eq(ranks[0].regret_95, quantile_sorted(sorted, n, 0.95), 1e-12 * ranks[0].regret_95,
                           "%zu repetitions", n);
        cr_expect_float_eq(ranks[1].regret_95, 1, 1e-12);
    }
}

/* Holm's steps: of four pairs with p = 0.001, 0.015, 0.03 and 1 the first two are found at the level 0.05, since
 * 4 * 0.001 and 3 * 0.015 are below it and 2 * 0.03 is not. */
Test(regret, wins_step_by_step)
{
    /* The p of half as many differences below 0 as above, of size 1, moved up by m: found by bisection. */
    static const double requested[] = {0.001, 0.015, 0.03, 1};
    enum { REPETITIONS = 1000 };
    double value[4][2][REPETITIONS];
    struct sample sample[8];

    for (size_t i = 0; i < 4; i++) {
        double low = 0, high = requested[i] < 1 ? 1 : 0;
        for (int step = 0; step < 60; step++) {
            double p[4], middle = (low + high) / 2;
            for (size_t r = 0; r < REPETITIONS; r++) {
                value[i][0][r] = 10;
                value[i][1][r] = 10 + middle + (r % 2 ? 1 : -1);
            }
            sample[2 * i] = sample_of(value[i][0], REPETITIONS);
            sample[2 * i + 1] = sample_of(value[i][1], REPETITIONS);
            const struct setting setting = {.sample = sample + 2 * i, .count = 2, .level = 0.05};
            setting_pairs(&setting, p);
            *(p[1] > requested[i] ? &low : &high) = middle;
        }
    }
    struct ranks ranks[2];
    regret_of(&(struct settings){.count = 4, .methods = 2, .sample = sample}, 0.05, ranks);
    cr_expect(ranks[0].wins == 2 && ranks[1].losses == 2, "%zu", ranks[0].wins);
    regret_of(&(struct settings){.count = 4, .methods = 2, .sample = sample}, 0.061, ranks);
    cr_expect(ranks[0].wins == 3 && ranks[1].losses == 3, "%zu", ranks[0].wins);
}

/* Means 1, 2, 4 and 9, 3, 3: regrets sqrt(1 * 3), sqrt(2 * 1), sqrt(4 * 1); ranks (1 + 3) / 2, (2 + 1.5) / 2,
 * (3 + 1.5) / 2. A third setting without an error does not count. */
Test(regret, by_hand)
{
    static const double mean[] = {1, 2, 4, 9, 3, 3, 0, 1, 1};
    struct sample sample[9];

    for (size_t i = 0; i < 9; i++)
        sample[i] = (struct sample){.n = 10, .mean = mean[i], .sd = 0.01};
    struct ranks ranks[3];
    regret_of(&(struct settings){.count = 3, .methods = 3, .sample = sample}, 0.05, ranks);
    cr_expect_eq(ranks[0].settings, 2);
    cr_expect_float_eq(ranks[0].regret, sqrt(3), 1e-12);
    cr_expect_float_eq(ranks[1].regret, sqrt(2), 1e-12);
    cr_expect_float_eq(ranks[2].regret, 2, 1e-12);
    cr_expect_float_eq(ranks[0].rank, 2, 1e-12);
    cr_expect_float_eq(ranks[1].rank, 1.75, 1e-12);
    cr_expect_float_eq(ranks[2].rank, 2.25, 1e-12);
    cr_expect(ranks[0].wins == 2 && ranks[0].losses == 2);
    cr_expect(ranks[1].wins == 2 && ranks[1].losses == 1);
    cr_expect(ranks[2].wins == 1 && ranks[2].losses == 2);
    cr_expect(isnan(ranks[0].regret_95));
}

/* Scores 0, 0.5, 1 and 0, 0, 0.25: more is better, 0 counts, there is no regret; ranks (3 + 2.5) / 2, (2 + 2.5) / 2, 1.
 */
Test(regret, scores_by_hand)
{
    static const double mean[] = {0, 0.5, 1, 0, 0, 0.25};
    struct sample sample[6];

    for (size_t i = 0; i < 6; i++)
        sample[i] = (struct sample){.n = 10, .mean = mean[i], .sd = 0.01};
    struct ranks ranks[3];
    regret_of(&(struct settings){.count = 2, .methods = 3, .sample = sample, .scores = true}, 0.05, ranks);
    cr_expect_eq(ranks[0].settings, 2);
    cr_expect(isnan(ranks[0].regret) && isnan(ranks[2].regret_95));
    cr_expect_float_eq(ranks[0].rank, 2.75, 1e-12);
    cr_expect_float_eq(ranks[1].rank, 2.25, 1e-12);
    cr_expect_float_eq(ranks[2].rank, 1, 1e-12);
    cr_expect(ranks[0].wins == 0 && ranks[0].losses == 3);
    cr_expect(ranks[1].wins == 1 && ranks[1].losses == 2);
    cr_expect(ranks[2].wins == 4 && ranks[2].losses == 0);
}

/* The interval of a rank by scores: the second is always the better one, which five repetitions decide. */
Test(regret, intervals_of_scores)
{
    static const double a[] = {0, 0.2, 0.4, 0.1, 0.3}, b[] = {0.1, 0.3, 0.5, 0.2, 0.4};
    struct ranks ranks[2];

    for (size_t n = 4; n <= 5; n++) {
        struct sample sample[] = {sample_of(a, n), sample_of(b, n)};
        regret_of(&(struct settings){.count = 1, .methods = 2, .sample = sample, .scores = true}, 0.05, ranks);
        cr_expect(ranks[0].rank == 2 && ranks[0].rank_low == (n == 5 ? 2 : 1) && ranks[0].rank_high == 2);
        cr_expect(ranks[1].rank == 1 && ranks[1].rank_low == 1 && ranks[1].rank_high == (n == 5 ? 1 : 2));
        cr_expect(ranks[1].wins == (n == 5) && ranks[0].losses == (n == 5));
    }
}

/* Two methods whose repetitions go up and down together: the second is always 1 % worse, which pairs see. Two that
 * change places from repetition to repetition: their intervals of ranks reach from the first to the second. */
Test(regret, pairs_and_intervals)
{
    double a[20], b[20], c[20], d[20];

    for (size_t i = 0; i < 20; i++) {
        a[i] = 1 + (double)(i % 5);
        b[i] = 1.01 * a[i];
        c[i] = i % 2 ? 1 : 2;
        d[i] = i % 2 ? 2 : 1;
    }
    struct sample sample[] = {sample_of(a, 20), sample_of(b, 20)};
    struct sample even[] = {sample_of(c, 20), sample_of(d, 20)};

    struct ranks ranks[2];
    regret_of(&(struct settings){.count = 1, .methods = 2, .sample = sample}, 0.05, ranks);
    cr_expect(ranks[0].wins == 1 && ranks[1].losses == 1);
    cr_expect_float_eq(ranks[1].regret, 1.01, 1e-12);
    cr_expect_float_eq(ranks[1].regret_95, 1.01, 1e-12);
    cr_expect(ranks[0].rank_low == 1 && ranks[0].rank_high == 1);
    cr_expect(ranks[1].rank_low == 2 && ranks[1].rank_high == 2);
    regret_of(&(struct settings){.count = 1, .methods = 2, .sample = even}, 0.05, ranks);
    cr_expect(ranks[0].wins == 0 && ranks[0].losses == 0);
    cr_expect(ranks[0].rank == 1.5 && ranks[0].rank_low == 1 && ranks[0].rank_high == 2);
}

/* Log ratios 1 and 3 to the best of population 0, 5 of 1, 7 of 2: mean 4, sums of deviations over populations -4, 1 and
 * 3, standard error sqrt(3 / 2 * 26) / 4, and 4.302653 of Student's law with 2 degrees of freedom. */
Test(regret, interval_over_populations_by_hand)
{
    static const double log_ratio[] = {1, 3, 5, 7};
    static const uint32_t population[] = {0, 0, 1, 2};
    struct sample sample[8];
    struct ranks ranks[2];

    for (size_t c = 0; c < 4; c++) {
        sample[2 * c] = (struct sample){.n = 10, .mean = 1, .sd = 0.01};
        sample[2 * c + 1] = (struct sample){.n = 10, .mean = exp(log_ratio[c]), .sd = 0.01};
    }
    struct settings settings = {.count = 4, .methods = 2, .sample = sample, .population = population};
    regret_of(&settings, 0.05, ranks);
    const double width = 4.302653 * sqrt(1.5 * 26) / 4;
    cr_expect_float_eq(log(ranks[1].regret), 4, 1e-12);
    cr_expect_float_eq(log(ranks[1].regret_high), 4 + width, 1e-5);
    cr_expect_eq(ranks[1].regret_low, 1, "4 - 6.7 is below a regret's least");
    cr_expect(ranks[0].regret_low == 1 && ranks[0].regret_high == 1 && ranks[0].populations == 3);
    settings.count = 3;
    regret_of(&settings, 0.05, ranks);
    cr_expect(isnan(ranks[1].regret_low) && ranks[1].populations == 2, "two populations tell too little");
}

/* Intervals hold the regret on other populations of the same law: ratios exp(2 + 0.5 z), one in 3e4 of them below 1.
 * studies/statements.md states it. */
Test(regret, intervals_hold, SLOW)
{
    enum { MANY = 24 };
    const uint64_t trials = statistics_verify() ? 40000 : 2000;
    size_t held = 0;

    for (uint64_t trial = 0; trial < trials; trial++) {
        struct sample sample[MANY * 2];
        uint32_t population[MANY];
        struct ldp_rng rng = make_stream(17, "regret intervals", trial);
        for (size_t c = 0; c < MANY; c++) {
            population[c] = (uint32_t)c;
            sample[2 * c] = (struct sample){.n = 10, .mean = 1, .sd = 0.01};
            sample[2 * c + 1] = (struct sample){.n = 10, .mean = exp(2 + 0.5 * statistics_normal(&rng)), .sd = 0.01};
        }
        const struct settings settings = {.count = MANY, .methods = 2, .sample = sample, .population = population};
        struct ranks ranks[2];
        regret_of(&settings, 0.05, ranks);
        held += ranks[1].regret_low <= exp(2) && exp(2) <= ranks[1].regret_high;
    }
    const double z = ((double)held - 0.95 * (double)trials) / sqrt((double)trials * 0.05 * 0.95);
    printf("regret: %zu of %g intervals hold the regret\n", held, (double)trials);
    cr_expect(fabs(z) <= 3.9, "%zu of %g: z = %.2f", held, (double)trials, z);
}

/* Pairs of an oracle and a method in two settings. By the first half of the repetitions a + m is best, by the second,
 * which judges it, it errs 1.5 times as much as the others. */
Test(regret, pairs_by_halves_of_the_repetitions)
{
    static const double value[][4] = {{1, 1, 3, 3}, {2, 2, 2, 2}, {2, 2, 2, 2}};
    static const char *const names[] = {"epsilon", "oracle", "method"};
    static char *epsilon[] = {"1", "2"}, *oracle[] = {"a", "b"}, *method[] = {"m", "n"};
    static const struct interned keys[] = {
        {.text = epsilon, .count = 2}, {.text = oracle, .count = 2}, {.text = method, .count = 2}};
    static const uint32_t code[] = {0, 0, 0, 1, 1, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1};
    static const struct ldp_measure measures[] = {{.name = "mse", .better = LDP_LESS}, {.name = NULL}};
    static const struct table declared = {.file = "mse.csv", .subject = "method", .measures = measures};
    struct result_number number[6];

    for (size_t i = 0; i < 6; i++)
        number[i] = (struct result_number){.mean = 2, .sd = 1, .n = 4, .repetitions = 4, .value = value[i % 3]};
    const struct result_table table = {.table = &declared,
                                       .experiment = SIZE_MAX,
                                       .nkeys = 3,
                                       .nmeasures = 1,
                                       .nrows = 6,
                                       .key_name = names,
                                       .value = keys,
                                       .code = code,
                                       .number = number};
    struct ranking_request request = {.table = &table,
                                      .subject = "method",
                                      .partner = "oracle",
                                      .measure = "mse",
                                      .level = 0.05,
                                      .part = RANK_FIRST_HALF};
    struct ranking *ranking;
    size_t count = ranking_find(&request, &ranking);
    cr_assert(count == 1 && ranking[0].count == 3);
    cr_expect_str_eq(ranking[0].ranked[0].subject, "a + m");
    ranking_free(ranking, count);
    request.part = RANK_SECOND_HALF;
    count = ranking_find(&request, &ranking);
    cr_assert(count == 1 && ranking[0].count == 3);
    cr_expect_str_eq(ranking[0].ranked[2].subject, "a + m");
    cr_expect_float_eq(ranking[0].ranked[2].ranks.regret, 1.5, 1e-12);
    ranking_free(ranking, count);
}
