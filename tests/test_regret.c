/* test_regret.c - regret, wins and ranks, by hand. */
#include "stats/contest.h"
#include "stats/regret.h"
#include "support/numbers.h"

#include <criterion/criterion.h>
#include <math.h>
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
        struct standing standing[2];

        sample[0].sd = sample[1].sd = 0.1;
        regret_of(&(struct contests){1, 2, sample, false, false}, 0.05, standing);
        cr_expect_float_eq(standing[0].regret_95, quantile_sorted(sorted, n, 0.95), 1e-12 * standing[0].regret_95,
                           "%zu repetitions", n);
        cr_expect_float_eq(standing[1].regret_95, 1, 1e-12);
    }
}

/* Holm's steps: of four pairs with p = 0.001, 0.015, 0.03 and 1 the first two are found at the level 0.05, since
 * 4 * 0.001 and 3 * 0.015 are below it and 2 * 0.03 is not. */
Test(regret, wins_step_by_step)
{
    /* The p of half as many differences below 0 as above, of size 1, moved up by m: found by bisection. */
    static const double wanted[] = {0.001, 0.015, 0.03, 1};
    enum { REPETITIONS = 1000 };
    double value[4][2][REPETITIONS];
    struct sample sample[8];

    for (size_t i = 0; i < 4; i++) {
        double low = 0, high = wanted[i] < 1 ? 1 : 0;
        for (int step = 0; step < 60; step++) {
            double p[4], middle = (low + high) / 2;
            for (size_t r = 0; r < REPETITIONS; r++) {
                value[i][0][r] = 10;
                value[i][1][r] = 10 + middle + (r % 2 ? 1 : -1);
            }
            sample[2 * i] = sample_of(value[i][0], REPETITIONS);
            sample[2 * i + 1] = sample_of(value[i][1], REPETITIONS);
            const struct contest contest = {.sample = sample + 2 * i, .count = 2, .level = 0.05};
            contest_pairs(&contest, p);
            *(p[1] > wanted[i] ? &low : &high) = middle;
        }
    }
    struct standing standing[2];
    regret_of(&(struct contests){4, 2, sample, false, false}, 0.05, standing);
    cr_expect(standing[0].wins == 2 && standing[1].losses == 2, "%zu", standing[0].wins);
    regret_of(&(struct contests){4, 2, sample, false, false}, 0.061, standing);
    cr_expect(standing[0].wins == 3 && standing[1].losses == 3, "%zu", standing[0].wins);
}

/* Means 1, 2, 4 and 9, 3, 3: regrets sqrt(1 * 3), sqrt(2 * 1), sqrt(4 * 1); ranks (1 + 3) / 2, (2 + 1.5) / 2,
 * (3 + 1.5) / 2. A third contest without an error does not count. */
Test(regret, by_hand)
{
    static const double mean[] = {1, 2, 4, 9, 3, 3, 0, 1, 1};
    struct sample sample[9];

    for (size_t i = 0; i < 9; i++)
        sample[i] = (struct sample){.n = 10, .mean = mean[i], .sd = 0.01};
    struct standing standing[3];
    regret_of(&(struct contests){3, 3, sample, false, false}, 0.05, standing);
    cr_expect_eq(standing[0].contests, 2);
    cr_expect_float_eq(standing[0].regret, sqrt(3), 1e-12);
    cr_expect_float_eq(standing[1].regret, sqrt(2), 1e-12);
    cr_expect_float_eq(standing[2].regret, 2, 1e-12);
    cr_expect_float_eq(standing[0].rank, 2, 1e-12);
    cr_expect_float_eq(standing[1].rank, 1.75, 1e-12);
    cr_expect_float_eq(standing[2].rank, 2.25, 1e-12);
    cr_expect(standing[0].wins == 2 && standing[0].losses == 2);
    cr_expect(standing[1].wins == 2 && standing[1].losses == 1);
    cr_expect(standing[2].wins == 1 && standing[2].losses == 2);
    cr_expect(isnan(standing[0].regret_95));
}

/* Scores 0, 0.5, 1 and 0, 0, 0.25: more is better, 0 counts, there is no regret; ranks (3 + 2.5) / 2, (2 + 2.5) / 2, 1.
 */
Test(regret, scores_by_hand)
{
    static const double mean[] = {0, 0.5, 1, 0, 0, 0.25};
    struct sample sample[6];

    for (size_t i = 0; i < 6; i++)
        sample[i] = (struct sample){.n = 10, .mean = mean[i], .sd = 0.01};
    struct standing standing[3];
    regret_of(&(struct contests){2, 3, sample, true, false}, 0.05, standing);
    cr_expect_eq(standing[0].contests, 2);
    cr_expect(isnan(standing[0].regret) && isnan(standing[2].regret_95));
    cr_expect_float_eq(standing[0].rank, 2.75, 1e-12);
    cr_expect_float_eq(standing[1].rank, 2.25, 1e-12);
    cr_expect_float_eq(standing[2].rank, 1, 1e-12);
    cr_expect(standing[0].wins == 0 && standing[0].losses == 3);
    cr_expect(standing[1].wins == 1 && standing[1].losses == 2);
    cr_expect(standing[2].wins == 4 && standing[2].losses == 0);
}

/* The interval of a rank by scores: the second is always the better one, which five repetitions decide. */
Test(regret, intervals_of_scores)
{
    static const double a[] = {0, 0.2, 0.4, 0.1, 0.3}, b[] = {0.1, 0.3, 0.5, 0.2, 0.4};
    struct standing standing[2];

    for (size_t n = 4; n <= 5; n++) {
        struct sample sample[] = {sample_of(a, n), sample_of(b, n)};
        regret_of(&(struct contests){1, 2, sample, true, false}, 0.05, standing);
        cr_expect(standing[0].rank == 2 && standing[0].rank_low == (n == 5 ? 2 : 1) && standing[0].rank_high == 2);
        cr_expect(standing[1].rank == 1 && standing[1].rank_low == 1 && standing[1].rank_high == (n == 5 ? 1 : 2));
        cr_expect(standing[1].wins == (n == 5) && standing[0].losses == (n == 5));
    }
}

/* Two competitors whose repetitions go up and down together: the second is always 1 % worse, which pairs see. Two that
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

    struct standing standing[2];
    regret_of(&(struct contests){1, 2, sample, false, false}, 0.05, standing);
    cr_expect(standing[0].wins == 1 && standing[1].losses == 1);
    cr_expect_float_eq(standing[1].regret, 1.01, 1e-12);
    cr_expect_float_eq(standing[1].regret_95, 1.01, 1e-12);
    cr_expect(standing[0].rank_low == 1 && standing[0].rank_high == 1);
    cr_expect(standing[1].rank_low == 2 && standing[1].rank_high == 2);
    regret_of(&(struct contests){1, 2, even, false, false}, 0.05, standing);
    cr_expect(standing[0].wins == 0 && standing[0].losses == 0);
    cr_expect(standing[0].rank == 1.5 && standing[0].rank_low == 1 && standing[0].rank_high == 2);
}
