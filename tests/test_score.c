/* test_score.c - scores by hand, and ldpbench score from a subject to its place. */
#include "ldpbench.h"
#include "program.h"
#include "quick.h"
#include "setup.h"
#include "statistics.h"
#include "stats/rating.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

enum { REPETITIONS = 4, PATTERN = 6, POPULATIONS = 18, SUBJECTS = 3 };

/* Errors of two references and a subject on populations with a contest each, a pattern of six three times. */
static const double error[PATTERN][SUBJECTS] = {
    {1, 2, 0.5}, {2, 1, 0.25}, {4, 8, 2}, {8, 4, 1}, {1, 2, 0.5}, {2, 1, 0.25},
};

struct played {
    double value[POPULATIONS][SUBJECTS][REPETITIONS];
    struct sample sample[POPULATIONS * SUBJECTS];
    size_t population[POPULATIONS];
    struct contestants field;
};

static void play(struct played *played, double noise)
{
    for (size_t p = 0; p < POPULATIONS; p++) {
        played->population[p] = p;
        for (size_t s = 0; s < SUBJECTS; s++) {
            for (size_t i = 0; i < REPETITIONS; i++)
                played->value[p][s][i] = error[p % PATTERN][s] * (1 + noise * (i % 2 ? 1 : -1));
            played->sample[p * SUBJECTS + s] = sample_of(played->value[p][s], REPETITIONS);
        }
    }
    played->field = (struct contestants){.contests = POPULATIONS,
                                         .subjects = SUBJECTS,
                                         .references = 2,
                                         .populations = POPULATIONS,
                                         .sample = played->sample,
                                         .population = played->population};
}

/* The best reference errs by 1, 1, 4, 4, 1, 1: the references are 1 or 2 times as far in half of the contests each, so
 * both score sqrt 2; the subject 1/2, 1/4, 1/2, 1/4, 1/2, 1/4, so 2^-1.5. */
Test(score, geometric_means_over_the_best_reference)
{
    static struct played played;
    struct rating rating[SUBJECTS];
    signed char order[SUBJECTS * SUBJECTS];

    play(&played, 0);
    rate(&played.field, NULL, 0.05, 1, rating);
    cr_expect_float_eq(rating[0].score, sqrt(2), 1e-12);
    cr_expect_float_eq(rating[1].score, sqrt(2), 1e-12);
    cr_expect_float_eq(rating[2].score, pow(2, -1.5), 1e-12);
    cr_expect_float_eq(rating[0].worst, 2, 1e-12);
    cr_expect(rating[2].low >= 0.25 && rating[2].high <= 0.5, "[%g, %g]", rating[2].low, rating[2].high);
    cr_expect_eq(rating[2].rank, 1);
    cr_expect_eq(rating[2].rank_high, 1, "on every population at most half the error of both");
    cr_expect_eq(rating[0].rank_low, 2);
    cr_expect_eq(rating[0].rank_high, 3, "the references are not told apart");
    rate_order(&played.field, NULL, 0.05, order);
    cr_expect_eq(order[2 * SUBJECTS + 0], -1);
    cr_expect_eq(order[0 * SUBJECTS + 2], 1);
    cr_expect_eq(order[0 * SUBJECTS + 1], 0);
}

/* Noise that all subjects share leaves ratios as they are; a ratio counts as at most RATIO_MOST. */
Test(score, repetitions_are_paired_and_ratios_bounded)
{
    static struct played played;
    struct rating rating[SUBJECTS];
    const bool first[POPULATIONS] = {true};

    play(&played, 0.5);
    rate(&played.field, first, 0.05, 7, rating);
    cr_expect_float_eq(rating[2].low, 0.5, 1e-9);
    cr_expect_float_eq(rating[2].high, 0.5, 1e-9);
    for (size_t i = 0; i < REPETITIONS; i++)
        played.value[0][2][i] = 1e6;
    played.sample[2] = sample_of(played.value[0][2], REPETITIONS);
    rate(&played.field, first, 0.05, 7, rating);
    cr_expect_float_eq(rating[2].score, RATIO_MOST, 1e-9);
    cr_expect_float_eq(rating[2].worst, 1e6, 1e-3);
}

/* Intervals hold what a subject scores on other populations of the same law: ratios that vary by a factor exp(0.5 z).
 * Subjects that are equal over all populations are seldom surely better or worse. studies/statements.md states both. */
Test(score, intervals_hold, SLOW)
{
    enum { MANY = 24 };
    const uint64_t trials = statistics_verify() ? 40000 : 2000;
    const double some = (double)trials, sd = sqrt(some * 0.05 * 0.95);
    size_t held = 0, ordered = 0;

    for (uint64_t trial = 0; trial < trials; trial++) {
        double value[MANY][2];
        struct sample sample[MANY * 2];
        size_t population[MANY];
        struct ldp_rng rng = make_stream(17, "score intervals", trial);
        for (size_t c = 0; c < MANY; c++) {
            value[c][0] = 1;
            value[c][1] = 1.3 * exp(0.5 * statistics_normal(&rng));
            population[c] = c;
            for (size_t s = 0; s < 2; s++)
                sample[2 * c + s] = sample_of(&value[c][s], 1);
        }
        const struct contestants field = {MANY, 2, 1, MANY, sample, population};
        struct rating rating[2];
        rate(&field, NULL, 0.05, trial, rating);
        held += rating[1].low <= 1.3 && 1.3 <= rating[1].high;
        for (size_t c = 0; c < MANY; c++) {
            value[c][1] /= 1.3;
            sample[2 * c + 1] = sample_of(&value[c][1], 1);
        }
        signed char order[4];
        rate_order(&field, NULL, 0.05, order);
        ordered += order[1] != 0;
    }
    printf("score: %zu of %g intervals hold the score; equal subjects are surely apart in %zu\n", held, some, ordered);
    cr_expect((double)ordered <= 0.05 * some + 4.8 * sd, "%zu of %g", ordered, some);
    const double z = ((double)held - 0.95 * some) / sd;
    cr_expect(fabs(z) <= 3.9, "%zu of %g: z = %.2f", held, some, z);
}

Test(score, bad_input)
{
    demand_failure(2, "--track: expected", "ldpbench score --track nosuch");
    demand_failure(2, "expected a name of a config or a file that can be read", "ldpbench score no/such.py");
    demand_failure(2, "expected an object as in a config", "ldpbench score '{\"name\": '");
    demand_failure(2, "a file is a method", "ldpbench score --track oracles %s", program());
    const char *const folder = temporary_folder();
    demand_failure(2, "score: expected a method or a file with one, got \"no_such_method\"",
                   "cd %s && ldpbench score no_such_method", folder);
    demand_failure(2, "already", "cd %s && touch norm_sub && chmod +x norm_sub && ldpbench score ./norm_sub", folder);
}

/* What cannot be scored leaves no folder behind. */
FolderTest(score, what_is_no_method_leaves_nothing)
{
    write_text(folder, "survey.csv", "value\na\n");
    expect_said(2, "survey.csv is no method: expected a name", "cd %s && ldpbench score ./survey.csv", folder);
    expect_said(2, "did you mean \"norm_sub\"", "cd %s && ldpbench score norm_sbu", folder);
    run_in(folder, "[ ! -e results ] || [ -z \"$(ls results)\" ]");
}

/* A method of one's own that fails ends the score with one line; it is asked about the estimate, the protocol and n. */
FolderTest(score, methods_that_fail_are_one_line, SLOW)
{
    static const char ready[] = "#!/bin/sh\necho 'ldpbench 2'; read greeting; ";
    static const char *const said[][2] = {
        {"read word d rest; echo \"${d#d=} question=1\"; head -c $((8 * ${d#d=})) /dev/zero | tr '\\0' '\\377'",
         " finite numbers, got NaN for value 0"},
        {"read question; echo 3 question=1; head -c 24 /dev/zero", " numbers, got \"3 question=1\""},
        {"read question; cat /dev/zero", " numbers, got \"\""},
        {"read question; yes no number", " numbers, got \"no number\""},
        {"read question; exit 3", "ended with status 3"},
        {"read question; kill -SEGV $$", "was ended by signal 11"},
        /* The first that the system ends where memory runs out; with a limit of its own it says so itself. */
        {"read question; read first </proc/self/oom_score_adj; echo error the $first th", "failed: the 1000 th"},
        {"read question; ulimit -v 200000; exec /usr/bin/awk 'BEGIN {for (x = \"mine\";; x = x x);}'",
         "mine.sh ended with status "},
        {"read question; case $question in *count*|*truth*|*support*) exit 3;; *) echo error that is all;; esac",
         "failed: that is all"},
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        char script[400];
        snprintf(script, sizeof script, "%s%s\n", ready, said[i][0]);
        write_text(folder, "mine.sh", script);
        run_in(folder, "chmod +x mine.sh");
        demand_failure(2, said[i][1], "cd %s && ldpbench score ./mine.sh -o s -j1", folder);
    }
    demand_failure(2, "method mine: sh -c 'echo ldpbench 2; sleep 100' did not answer in time and was killed",
                   "cd %s && ldpbench score '{\"name\": \"external\", \"label\": \"mine\", \"timeout\": 0.2, "
                   "\"command\": [\"sh\", \"-c\", \"echo ldpbench 2; sleep 100\"]}' -o hang -j1",
                   folder);
}

/* Of a track of pairs the subject is the best pair of its method, and contests are named without the pair. */
Test(score, pairs_of_an_oracle_and_a_method, SLOW)
{
    const char *const folder = temporary_folder();

    run_in(folder, "ldpbench score --track ordered '{\"name\": \"norm\", \"label\": \"mine\"}' -o s > out");
    demand_within(folder, "out", " + mine (yours)");
    demand_within(folder, "out", "SW + pen");
    demand_within(folder, "out", "64 contests on 16 populations");
}

/* A synopsis from its config to its place; the same score again is confirmed by check. */
Test(score, from_a_subject_to_its_place, SLOW)
{
    const char *const folder = temporary_folder();
    const char *const subject = "'{\"name\": \"product\", \"label\": \"mine\"}'";

    run_in(folder, "ldpbench score --track synopses %s -o s > out", subject);
    demand_within(folder, "out", "Score ");
    demand_within(folder, "out", "mine (yours)");
    demand_within(folder, "out", "to CALM "); /* where it loses */
    run_in(folder,
           "ldpbench score --track synopses %s -o again -j1 >out2 && cmp out out2 && ldpbench check --exact s again",
           subject);
    run_in(
        folder,
        "ldpbench score --track synopses %s -o s --format json > json && "
        "python3 -c 'import json; s = json.load(open(\"json\")); assert s[\"rank\"] <= 9, s; "
        "assert s[\"low\"] < s[\"score\"] < s[\"high\"] and len(s[\"subjects\"]) > 5 and s[\"groups\"][0][\"kind\"] == \"all\"'",
        subject);
}
