/* test_score.c - ldpbench score from a subject to its place. The rules of regrets are in test_regret.c. */
#include "program.h"
#include "quick.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <stdio.h>

Test(score, bad_input)
{
    demand_failure(2, "--track: expected", "ldpbench score --track nosuch");
    demand_failure(2, "expected FILE.py or a program that can be run, got no/such.py", "ldpbench score no/such.py");
    demand_failure(2, "expected a name, NAME(PARAMETER=VALUE), or an object as in a config",
                   "ldpbench score '{\"name\": '");
    demand_failure(2, "score: expected an oracle", "ldpbench score --track oracles %s", program());
    const char *const folder = temporary_folder();
    demand_failure(2, "score: expected a method (ldpbench list methods), got \"no_such_method\"",
                   "cd %s && ldpbench score no_such_method", folder);
    demand_failure(2, "already", "cd %s && touch norm_sub && chmod +x norm_sub && ldpbench score ./norm_sub", folder);
}

/* What cannot be scored leaves no folder behind. */
FolderTest(score, what_is_no_method_leaves_nothing)
{
    write_text(folder, "survey.csv", "value\na\n");
    expect_said(2, "expected FILE.py or a program that can be run, got ./survey.csv",
                "cd %s && ldpbench score ./survey.csv", folder);
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

/* Of a track of pairs the subject is the best pair of its method by one half of the repetitions, and is judged by the
 * other (regret/pairs_by_halves_of_the_repetitions). */
FolderTest(score, pairs_of_an_oracle_and_a_method, SLOW)
{
    run_in(folder, "ldpbench score --track ordered '{\"name\": \"norm\", \"label\": \"mine\"}' -o s > out");
    demand_within(folder, "out", " + mine: regret ");
    demand_within(folder, "out", "The first half of the repetitions chose this pair");
    demand_within(folder, "out", "SW + pen");
    demand_within(folder, "out", "64 settings on 16 data sets");
}

/* A synopsis from its config to its place; the same score again is confirmed by check; report prints the same table. */
FolderTest(score, from_a_subject_to_its_place, SLOW)
{
    const char *const subject = "'{\"name\": \"product\", \"label\": \"mine\"}'";

    run_in(folder, "ldpbench score --track synopses %s -o s > out", subject);
    demand_within(folder, "out", "mine: regret ");
    demand_within(folder, "out", " of 9, mean rank ");
    run_in(folder,
           "ldpbench score --track synopses %s -o again -j1 >out2 && cmp out out2 && ldpbench check --exact s again",
           subject);
    /* Regret and rank are those of a report. */
    run_in(folder,
           "ldpbench score --track synopses %s -o s --format csv > csv && ldpbench report s -o r.md --no-plots && "
           "awk -F, '$4 == \"\" && $5 == \"mine\" { printf \"%%.3f\\n\", $7 }' csv >regret && [ -s regret ] && "
           "grep -q \"^| mine | $(cat regret) |\" r.md",
           subject);
}
