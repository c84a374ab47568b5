/* test_setting.c - who is best, and how surely: critical values, hand-worked statistics, and settings of known truth.
 */
#include "quick.h"
#include "setup.h"
#include "statistics.h"
#include "stats/setting.h"

#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 500, CANDIDATES = 4 };

/* Values of some candidates. */
struct play {
    double value[CANDIDATES][ROOM];
    struct sample sample[CANDIDATES];
    struct setting_result result;
};

static void judge(struct play *play, size_t count, size_t n, const struct ldp_measure *measure, bool any_time)
{
    for (size_t i = 0; i < count; i++)
        play->sample[i] = sample_of(play->value[i], n);
    const struct setting setting = setting_of(play->sample, count, measure, 0.05, any_time);
    play->result = setting_compare(&setting);
}

static const struct ldp_measure errors = {.name = "mse", .better = LDP_LESS, .low = 0, .high = INFINITY};
static const struct ldp_measure scores = {.name = "f1", .better = LDP_MORE, .low = 0, .high = 1};

/* ---- Critical values ---- */

/* Computed apart from this program, from the mixture's formula with a prior variance of 1/3. */
Test(setting, critical_values_at_any_time)
{
    static const struct {
        double n, c;
    } known[] = {{7, 8.169},  {8, 5.691},   {9, 4.847},   {10, 4.407},  {20, 3.414},
                 {30, 3.261}, {100, 3.198}, {300, 3.297}, {1000, 3.449}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        cr_expect_gt(robust_p(known[i].c - 0.0006, known[i].n, true), 0.05, "N = %g", known[i].n);
        cr_expect_lt(robust_p(known[i].c + 0.0006, known[i].n, true), 0.05, "N = %g", known[i].n);
    }
    for (double n = 0; n <= 6; n++)
        cr_expect_gt(robust_p(1e6, n, true), 0.05, "N = %g", n);
}

Test(setting, critical_values_of_fixed_repetitions_are_students)
{
    cr_expect_float_eq(robust_p(2.5706, 6, false), 0.05, 1e-5); /* five degrees of freedom */
    cr_expect_float_eq(robust_p(2.0423, 31, false), 0.05, 1e-5);
    cr_expect_eq(robust_p(1e6, 1, false), 1);
}

/* ---- Equal differences ---- */

/* n differences of the same size give t = (2 n - 1) / 3, so the smallest n that decide are 5 and 8. */
Test(setting, equal_differences)
{
    static const size_t first[] = {5, 8};
    struct play play;

    for (size_t i = 0; i < ROOM; i++) {
        play.value[0][i] = 5 + (double)(i % 7);
        play.value[1][i] = play.value[0][i] + 0.25;
    }
    for (int any_time = 0; any_time < 2; any_time++)
        for (size_t n = 1; n < 40; n++) {
            judge(&play, 2, n, &errors, any_time);
            cr_expect_eq(play.result.best, 0);
            cr_expect_eq(play.result.decided, n >= first[any_time], "%zu, %d", n, any_time);
        }
    judge(&play, 2, 20, &errors, false);
    cr_expect_float_eq(play.result.p, 2 * gsl_cdf_tdist_Q(39.0 / 3, 20), 1e-15);
    judge(&play, 2, 1, &errors, true);
    cr_expect_eq(play.result.p, 1);
}

/* Differences 1, 2, 3, 4, 5, 9 and -4.5: the sum is 19.5, of squares 156.25. */
Test(setting, a_statistic_by_hand)
{
    static const double difference[] = {1, 2, 3, 4, 5, 9};
    const double mean = 19.5 / 7, variance = (156.25 - 7 * mean * mean) / 6, t = mean * sqrt(7 / variance);
    struct play play;

    for (size_t i = 0; i < 6; i++) {
        play.value[0][i] = 10 + difference[i];
        play.value[1][i] = 10;
    }
    judge(&play, 2, 6, &errors, false);
    cr_expect_eq(play.result.best, 1);
    cr_expect_float_eq(play.result.p, 2 * gsl_cdf_tdist_Q(t, 6), 1e-12);
    cr_expect_not(play.result.decided);
    judge(&play, 2, 6, &scores, false);
    cr_expect_eq(play.result.best, 0);
    cr_expect_float_eq(play.result.p, 2 * gsl_cdf_tdist_Q(t, 6), 1e-12);
}

/* ---- Candidates with the same values, undefined values ---- */

/* One candidate, but not the only best: what was not seen may differ (and a leader that is decided needs others). */
Test(setting, the_same_values_are_one_candidate)
{
    struct play play;

    for (size_t i = 0; i < ROOM; i++) {
        play.value[0][i] = 2 + 0.1 * (double)(i % 3);
        play.value[1][i] = 1 + 0.1 * (double)(i % 5);
        play.value[2][i] = play.value[1][i] * (1 + 1e-14);
        play.value[3][i] = play.value[0][i];
    }
    judge(&play, 4, 20, &errors, false);
    cr_expect_eq(play.result.best, 1);
    cr_expect_eq(play.result.next, 0);
    cr_expect(!play.result.decided && play.result.p == 1);
    for (size_t i = 0; i < ROOM; i++)
        play.value[2][i] = play.value[0][i];
    judge(&play, 4, 20, &errors, false);
    cr_expect(play.result.decided && play.result.p < 0.05, "those that are the same are both beaten");
}

/* p of equality after n repetitions with the same value. */
static double equality_of(struct play *play, double value, size_t n, const struct ldp_measure *measure, bool any_time)
{
    for (size_t c = 0; c < 2; c++)
        for (size_t i = 0; i < n; i++)
            play->value[c][i] = value;
    judge(play, 2, n, measure, any_time);
    const struct setting setting = setting_of(play->sample, 2, measure, 0.05, any_time);
    return setting_equal(&setting, 0, 1, 0.01);
}

/* What is the same in n repetitions may yet differ in a share 3 / n of all: it takes 299 of them to say that the means
 * differ by less than 1 %, and 438 if they were added until that could be said. Computed apart from this program. */
Test(setting, the_same_values_are_equal_in_time)
{
    static const size_t least[] = {299, 438};
    struct play play;

    for (int any_time = 0; any_time < 2; any_time++)
        for (size_t k = 0; k < 2; k++) {
            const struct ldp_measure *const measure = k == 0 ? &errors : &scores;
            cr_expect_geq(equality_of(&play, 1, least[any_time] - 1, measure, any_time), 0.05);
            cr_expect_lt(equality_of(&play, 1, least[any_time], measure, any_time), 0.05);
        }
    cr_expect_geq(equality_of(&play, 0, ROOM, &scores, true), 0.05);
    cr_expect_lt(equality_of(&play, 0, 438, &errors, true), 0.05); /* of whatever size: `exact` */
}

/* Repetitions that neither has do not count against one, nor does anything of an exact mean; of a mean and its
 * deviation alone a setting can be judged beside values. */
Test(setting, undefined_together_and_summaries_beside_values)
{
    struct play play;

    for (size_t c = 0; c < 2; c++)
        for (size_t i = 0; i < 30; i++)
            play.value[c][i] = i < 10 ? (double)NAN : 1 + (double)c + 0.01 * (double)(i % 3);
    const struct sample one = sample_of(play.value[0], 30), two = sample_of(play.value[1], 30);
    const struct sample exact = {.exact = true, .mean = 2}, summary = {.n = 20, .mean = 2.01, .sd = 0.008};
    cr_expect_eq(undefined_more(&one, &two), 1);
    cr_expect_lt(undefined_more(&one, &exact), 0.01);
    const struct sample pairs[][2] = {{one, summary}, {summary, one}};
    for (size_t k = 0; k < 2; k++) {
        const struct setting setting = setting_of(pairs[k], 2, &errors, 0.05, false);
        const struct setting_result result = setting_compare(&setting);
        cr_expect(result.decided && result.best == k);
    }
}

/* A repetition that one of two does not have counts for neither: the lead is that of the others. Scores lead the other
 * way round, and a best without error by no factor. */
Test(setting, leads_are_over_common_repetitions)
{
    struct play play;

    for (size_t c = 0; c < 2; c++)
        for (size_t i = 0; i < 12; i++)
            play.value[c][i] = 2 + (double)c;
    play.value[0][12] = play.value[1][13] = (double)NAN;
    play.value[0][13] = play.value[1][12] = 1e3;
    judge(&play, 2, 12, &errors, false);
    cr_expect_float_eq(play.result.lead, 1.5, 1e-12);
    play.value[0][13] = 2;
    judge(&play, 2, 14, &errors, false);
    cr_expect_float_eq(play.result.lead, 1.5, 1e-12);
    judge(&play, 2, 12, &scores, false);
    cr_expect(play.result.best == 1 && fabs(play.result.lead - 1.5) < 1e-12);
    for (size_t i = 0; i < 12; i++)
        play.value[0][i] = 0;
    judge(&play, 2, 12, &errors, false);
    cr_expect(isinf(play.result.lead));
}

/* Means known exactly are equal within a part of the smaller one; of two samples both directions are tested. */
Test(setting, equality_goes_both_ways)
{
    struct sample exact[3] = {
        {.exact = true, .mean = 1}, {.exact = true, .mean = 1.0099}, {.exact = true, .mean = 1.0101}};
    struct setting setting = setting_of(exact, 3, &errors, 0.05, false);
    struct play play;

    cr_expect_eq(setting_equal(&setting, 0, 1, 0.01), 0);
    cr_expect_eq(setting_equal(&setting, 1, 0, 0.01), 0);
    cr_expect_eq(setting_equal(&setting, 0, 2, 0.01), 1);
    cr_expect_eq(setting_equal(&setting, 2, 0, 0.01), 1);
    for (size_t i = 0; i < ROOM; i++) {
        play.value[0][i] = 1 + 0.001 * (double)(i % 5);
        play.value[1][i] = 1.1 + 0.001 * (double)(i % 7);
    }
    judge(&play, 2, ROOM, &errors, false);
    setting = setting_of(play.sample, 2, &errors, 0.05, false);
    cr_expect_eq(setting_equal(&setting, 0, 1, 0.05), 1);
    cr_expect_eq(setting_equal(&setting, 1, 0, 0.05), 1);
    cr_expect_lt(setting_equal(&setting, 0, 1, 0.15), 1e-6);
    play.value[1][3] = play.value[1][4] = play.value[1][5] = play.value[1][6] = play.value[1][7] = play.value[1][8] =
        (double)NAN;
    judge(&play, 2, ROOM, &errors, false);
    setting = setting_of(play.sample, 2, &errors, 0.05, false);
    cr_expect_eq(setting_equal(&setting, 0, 1, 0.15), 1, "one is undefined more often");
}

Test(setting, undefined_values)
{
    struct play play;

    for (size_t i = 0; i < ROOM; i++) {
        play.value[0][i] = i % 2 == 0 ? (double)NAN : 1;
        play.value[1][i] = 2 + 0.1 * (double)(i % 3);
        play.value[2][i] = (double)NAN;
    }
    judge(&play, 3, 40, &errors, false);
    cr_expect_eq(play.result.best, 0);
    cr_expect_not(play.result.decided, "it is better where it is defined, and undefined in half of all repetitions");
    judge(&play, 3, 8, &errors, false); /* four discordant repetitions: p = 1/16 */
    cr_expect_lt(play.result.p, 1);
    judge(&play, 3, 10, &errors, false); /* five: 1/32; three are needed to test, five to decide */
    cr_expect_eq(play.result.p, 1);
    play.sample[0] = sample_of(play.value[2], 10);
    const struct setting none = setting_of(play.sample, 1, &errors, 0.05, false);
    play.result = setting_compare(&none);
    cr_expect_eq(play.result.best, SIZE_MAX);
    cr_expect_not(play.result.decided);
}

/* ---- Means without repetitions, conditions, points ---- */

/* An exact mean of 10 against values: differences 1, 2, 3, 4, 5, 9 as above. Two exact means are compared as they are.
 */
Test(setting, exact_means)
{
    static const double value[] = {11, 12, 13, 14, 15, 19};
    const double mean = 19.5 / 7, variance = (156.25 - 7 * mean * mean) / 6, t = mean * sqrt(7 / variance);
    struct play play;
    struct sample sample[] = {sample_of(value, 6), {.exact = true, .mean = 10}, {.exact = true, .mean = 10.5}};
    struct setting setting = setting_of(sample, 2, &errors, 0.05, false);

    play.result = setting_compare(&setting);
    cr_expect(play.result.best == 1 && !play.result.decided);
    cr_expect_float_eq(play.result.p, 2 * gsl_cdf_tdist_Q(t, 6), 1e-12);
    cr_expect_float_eq(play.result.lead, 1.4, 1e-12);
    setting.sample = sample + 1;
    play.result = setting_compare(&setting);
    cr_expect(play.result.best == 0 && play.result.decided && play.result.p == 0);
    cr_expect_float_eq(play.result.lead, 1.05, 1e-12);
    sample[2].mean = 10;
    play.result = setting_compare(&setting);
    cr_expect(!play.result.decided && play.result.next == SIZE_MAX);
}

/* Of summaries nothing is decided that independent values of the same mean and deviation leave open. */
Test(setting, summaries_are_never_surer_than_values)
{
    size_t decided[2] = {0, 0};

    for (uint64_t k = 0; k < 200; k++) {
        struct play play;

        struct ldp_rng rng = make_stream(31, "summaries", k);
        for (size_t i = 0; i < 30; i++) {
            play.value[0][i] = 10 + ldp_rng_uniform(&rng);
            play.value[1][i] = 10.25 + ldp_rng_uniform(&rng);
        }
        struct sample sample[] = {sample_of(play.value[0], 30), sample_of(play.value[1], 30)};
        struct setting setting = setting_of(sample, 2, &errors, 0.05, false);

        play.result = setting_compare(&setting);
        decided[0] += play.result.decided;
        sample[0].value = sample[1].value = NULL;
        play.result = setting_compare(&setting);
        decided[1] += play.result.decided;
    }
    cr_expect(decided[0] > decided[1] && decided[1] > 50, "%zu, %zu", decided[0], decided[1]);
}

/* Five shares of 0.8 for a coverage of 0.9: six values with the guard, t = 3. */
Test(setting, a_condition)
{
    struct play play;
    struct sample share[2];

    for (size_t i = 0; i < 20; i++) {
        play.value[0][i] = 1 + 0.01 * (double)(i % 3);
        play.value[1][i] = 2;
        play.value[2][i] = 0.8;
        play.value[3][i] = i % 2 ? 1 : 0.81;
    }
    for (size_t n = 4; n <= 20; n += 4) {
        for (size_t i = 0; i < 2; i++) {
            play.sample[i] = sample_of(play.value[i], n);
            share[i] = sample_of(play.value[2 + i], n);
        }
        struct setting setting = setting_of(play.sample, 2, &errors, 0.05, false);

        setting.share = share;
        setting.least = 0.9;
        play.result = setting_compare(&setting);
        cr_expect_eq(setting_short(&setting, 0) < 0.05, n > 4);
        cr_expect_geq(setting_short(&setting, 1), 0.05);
        cr_expect_eq(play.result.best, n > 4 ? 1 : 0);
        cr_expect(n == 4 || (play.result.decided && play.result.next == SIZE_MAX));
    }
}

/* Of p = 0.001, 0.012, 0.035, 0.045 and 0.6 the first two are at most 0.05 k / 5; a point without a rival stays
 * decided. */
Test(setting, points_of_a_family)
{
    static const double p[] = {0.035, 0.001, 0.6, 0.012, 0.045, (double)NAN};
    struct setting_result result[6];

    for (size_t i = 0; i < 6; i++)
        result[i] = (struct setting_result){.p = p[i], .decided = !(p[i] > 0.05)};
    setting_family(result, 6, 0.05);
    for (size_t i = 0; i < 6; i++)
        cr_expect_eq(result[i].decided, i == 1 || i == 3 || i == 5, "%zu", i);
}

/* A pair's p is that of the setting of the two. */
Test(setting, pairs)
{
    struct play play;
    double p[9];

    for (size_t i = 0; i < 20; i++) {
        play.value[0][i] = 3 + (double)(i % 3);
        play.value[1][i] = 4 + (double)(i % 4);
        play.value[2][i] = i == 5 ? (double)NAN : 4.1 + (double)(i % 4);
    }
    for (size_t i = 0; i < 3; i++)
        play.sample[i] = sample_of(play.value[i], 20);
    struct setting setting = setting_of(play.sample, 3, &errors, 0.05, false);
    setting_pairs(&setting, p);
    play.result = setting_compare(&setting);
    cr_expect_eq(fmax(p[1], p[2]), play.result.p);
    cr_expect(p[0] == 1 && p[3] == 1 && p[6] == 1 && p[5] < 1e-3);
}

/* ---- Holm ---- */

Test(setting, holm_by_hand)
{
    static const double p[] = {0.04, 0.01, 0.03, 0.005, 0.6}, adjusted[] = {0.09, 0.04, 0.09, 0.025, 0.6};
    double found[5];

    holm(p, 5, found);
    for (size_t i = 0; i < 5; i++)
        cr_expect_float_eq(found[i], adjusted[i], 1e-15);
}

/* ---- Settings of known truth ---- */

typedef void draw_fn(struct ldp_rng *rng, double *x, double *y);

static void equal_normal(struct ldp_rng *rng, double *x, double *y)
{
    const double common = statistics_normal(rng);

    *x = 10 + common + statistics_normal(rng);
    *y = 10 + common + 2 * statistics_normal(rng);
}

/* Chi-square of one degree of freedom against one of eight, both of mean 1. */
static void equal_skewed(struct ldp_rng *rng, double *x, double *y)
{
    *x = statistics_normal(rng);
    *x *= *x;
    *y = 0;
    for (size_t i = 0; i < 8; i++) {
        const double z = statistics_normal(rng);
        *y += z * z / 8;
    }
}

static void worse(struct ldp_rng *rng, double *x, double *y)
{
    *x = 10 + statistics_normal(rng);
    *y = 10.5 + statistics_normal(rng);
}

/* The share of settings that name a best after any of many looks, or after the last alone; wrong: only if it is not the
 * first candidate. */
static double decided(draw_fn *draw, const char *name, bool any_time, bool wrong)
{
    enum { CONTESTS = 500 };
    size_t count = 0;

    for (uint64_t i = 0; i < CONTESTS; i++) {
        struct play play;
        bool done = false;

        struct ldp_rng rng = make_stream(31, name, i);
        for (size_t r = 0; r < ROOM; r++)
            draw(&rng, &play.value[0][r], &play.value[1][r]);
        for (size_t n = any_time ? 2 : 30; n <= (any_time ? ROOM : 30) && !done; n += 1 + n / 5) {
            judge(&play, 2, n, &errors, any_time);
            done = play.result.decided;
        }
        count += done && (!wrong || play.result.best != 0);
    }
    return (double)count / CONTESTS;
}

Test(setting, wrong_winners_are_no_more_than_the_level, SLOW)
{
    cr_expect_leq(decided(equal_normal, "normal", true, false), 0.05);
    cr_expect_leq(decided(equal_normal, "normal", false, false), 0.05);
    cr_expect_leq(decided(equal_skewed, "skewed", true, false), 0.05);
    cr_expect_leq(decided(equal_skewed, "skewed", false, false), 0.05);
    cr_expect_leq(decided(worse, "worse", true, true), 0.025);
    cr_expect_geq(decided(worse, "worse", true, false), 0.9);
}
