/* test_search_planned.c - pem_planned: what it expects beforehand against what it finds, and which parameters it leaves
 * alone. What every search must keep is in test_search.c. */
#include "program.h"
#include "quick.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Zipf's law on 100,000 random strings of 12 symbols, of which those that users have are written. */
static void write_law(const char *folder, double n)
{
    enum { STRINGS = 100000, LENGTH = 12 };
    struct ldp_rng rng = make_stream(6, "planned", 0);
    char path[PATH_ROOM];
    double all = 0, sum = 0, given = 0;
    for (int r = 1; r <= STRINGS; r++)
        all += 1. / r;
    snprintf(path, sizeof path, "%s/z.strings", folder);
    FILE *const file = fopen(path, "w");
    cr_assert(file);
    for (int r = 1; r <= STRINGS; r++) {
        const double count = floor((sum += n / r / all) - given);
        if (count < 1)
            continue;
        for (int i = 0; i < LENGTH; i++)
            fputc("0123456789abcdef"[ldp_rng_below(&rng, 16)], file);
        fprintf(file, "\t%.0f\n", count);
        given += count;
    }
    cr_assert_eq(fclose(file), 0);
}

/* F1 and recall are those of the note, of a plan that knows the law, within 0.02 and three standard errors (120
 * repetitions: they differ by at most 0.019, of which 0.005 are its rounding); what it states of strings with zero
 * frequency is not less than what is found, by three standard errors of the difference, whether or not it is bounded;
 * the bound is kept; 95 % of the intervals cover the true value, and a protocol without intervals has none. */
FolderTest(search_planned, finds_what_it_expects, SLOW)
{
    write_law(folder, 300000);
    write_text(
        folder, "c.json",
        "{\"name\": \"z\", \"task\": \"search\", \"seed\": 3, \"repetitions\": 12, \"datasets\": [{\"type\": "
        "\"strings\", \"file\": \"z.strings\", \"length\": 12, \"alphabet\": \"0123456789abcdef\"}], "
        "\"oracles\": [\"olh\"], \"epsilon\": [0.5, 2], \"protocols\": [\"pem_planned\", {\"name\": \"pem_planned\", "
        "\"fdr\": 0.3}, \"pem\"], \"targets\": {\"top\": 10}, \"outputs\": [\"search\", \"intervals\"]}");
    run_in(folder,
           "ldpbench run c.json --dry-run | sed -n 's/.*epsilon \\([0-9.]*\\), if.*expected F1 \\([0-9.]*\\), recall "
           "\\([0-9.]*\\): .*/\\1 \\2 \\3/p' > expected && ldpbench run c.json -o r --quiet");
    demand_output(
        folder,
        "awk -F, 'NR == FNR { split($0, w, \" \"); f1[w[1]] = w[2]; recall[w[1]] = w[3]; next } "
        "FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { e = $at[\"epsilon\"]; rows++; "
        "if ($at[\"protocol\"] == \"pem\") { if ($at[\"coverage\"] != \"\" || $at[\"width\"] != \"\") print; next } "
        "bound = $at[\"protocol\"] ~ /fdr/ ? 0.3 : 1; "
        "if ($at[\"coverage\"] < 0.95 - 3 * $at[\"coverage_stderr\"] || !($at[\"width\"] > 0)) print; "
        "a = bound == 1 ? $at[\"f1\"] - f1[e] : 0; b = bound == 1 ? $at[\"recall\"] - recall[e] : 0; "
        "c = $at[\"false_found\"] - $at[\"false_stated\"]; "
        "v = $at[\"false_found_stderr\"]^2 + $at[\"false_stated_stderr\"]^2; "
        "if (a * a > (0.02 + 3 * $at[\"f1_stderr\"])^2 || b * b > (0.02 + 3 * $at[\"recall_stderr\"])^2 || "
        "c > 3 * sqrt(v) || $at[\"false_stated\"] > bound) print e, a, b, c, $at[\"false_stated\"] } "
        "END { print rows }' expected r/search.csv",
        "6\n");
}

/* With few users nothing is expected, and nothing is found. */
FolderTest(search_planned, says_that_nothing_can_be_found, SLOW)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"z\", \"task\": \"search\", \"seed\": 3, \"repetitions\": 8, \"datasets\": [{\"type\": "
        "\"zipf_strings\", \"s\": 1, \"d\": 1000, \"n\": [300, 100000]}], \"oracles\": [\"olh\"], \"epsilon\": [1],"
        " \"protocols\": [\"pem_planned\"]}");
    run_in(folder, "ldpbench run c.json --dry-run > out && "
                   "grep -q 'n = 300, .* nothing can be found at this n and epsilon' out && "
                   "grep 'n = 100000' out | grep -q 'zero frequency' && ldpbench run c.json -o r --quiet && "
                   "awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at[\"n\"] == 300 && "
                   "$at[\"recall\"] > 0.03 { exit 1 }' r/search.csv");
}

/* Where all that is returned is noise, strings have an interval in one repetition of twenty (P = 0.002 for more than
 * three of twelve): what was returned because the law was learnt from its own estimate had too many. */
FolderTest(search_planned, noise_has_no_intervals, SLOW)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"z\", \"task\": \"search\", \"repetitions\": 12, \"datasets\": [{\"type\": \"zipf_strings\", "
        "\"s\": 0.01, \"d\": 1000, \"n\": 3000, \"length\": 3}], \"oracles\": [\"olh\"], \"epsilon\": 0.5, "
        "\"protocols\": [\"pem_planned\"], \"targets\": {\"top\": 3}, \"outputs\": [\"search\", \"intervals\"]}");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench list r search.csv 0 --format json >row && "
                   "sed 's/.*\"coverage\":.\\([^]]*\\).*/\\1/' row | tr , '\\n' >each && test $(wc -l <each) -ge 11 && "
                   "test $(grep -vc null each) -le 3");
}

/* Strings of 128 bits need more levels than short ones: their plan is expected to find what it finds (3 standard errors
 * and 0.03), and no more strings are requested than users have. */
FolderTest(search_planned, plans_for_long_strings, SLOW)
{
    write_text(folder, "few.strings", "abc\t40000\nab\t30000\nc\t20000\n");
    write_text(
        folder, "c.json",
        "{\"name\": \"z\", \"task\": \"search\", \"seed\": 3, \"repetitions\": 10, \"datasets\": [{\"type\": "
        "\"zipf_strings\", \"s\": 1, \"d\": 1000, \"n\": 100000, \"length\": 16, \"bits\": true, \"label\": \"long\"}, "
        "{\"type\": \"strings\", \"file\": \"few.strings\", \"length\": 3, \"alphabet\": \"a-z\", \"label\": \"few\"}], "
        "\"oracles\": [\"olh\"], \"epsilon\": [2], \"protocols\": [\"pem_planned\"]}");
    run_in(folder, "ldpbench run c.json --dry-run | sed -n 's/.*pem_planned on \\([a-z]*\\), .*expected F1 "
                   "\\([0-9.]*\\), .*/\\1 \\2/p' > expected && ldpbench run c.json -o r --quiet");
    demand_output(
        folder,
        "awk -F, 'NR == FNR { split($0, w, \" \"); f1[w[1]] = w[2]; next } "
        "FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { a = $at[\"f1\"] - f1[$at[\"dataset\"]]; rows++; "
        "if (f1[$at[\"dataset\"]] < 0.2 || a * a > (0.03 + 3 * $at[\"f1_stderr\"])^2) print $0, a } "
        "END { print rows }' expected r/search.csv",
        "2\n");
}

/* Strings that share no prefixes, of nearly equal frequencies: all levels tell these, and without the earlier ones the
 * most frequent are found as rarely as by fewer users: F1 is .093 below that of pem_joint by the last level alone, .017
 * by all (200 repetitions, standard errors of .01). */
FolderTest(search_planned, ranks_by_all_levels, SLOW)
{
    enum { STRINGS = 40, LENGTH = 12 };
    struct ldp_rng rng = make_stream(7, "planned", 0);
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/near.strings", folder);
    FILE *const file = fopen(path, "w");
    cr_assert(file);
    for (int r = 0; r < STRINGS; r++) {
        for (int i = 0; i < LENGTH; i++)
            fputc("0123456789abcdef"[ldp_rng_below(&rng, 16)], file);
        fprintf(file, "\t%d\n", 2500 - 25 * r);
    }
    cr_assert_eq(fclose(file), 0);
    write_text(folder, "c.json",
               "{\"name\": \"z\", \"task\": \"search\", \"seed\": 3, \"repetitions\": 100, \"datasets\": [{\"type\": "
               "\"strings\", \"file\": \"near.strings\", \"length\": 12, \"alphabet\": \"0123456789abcdef\"}], "
               "\"oracles\": [\"olh\"], \"epsilon\": [3], \"protocols\": [\"pem_planned\", {\"name\": \"pem_joint\", "
               "\"return\": 10}], \"targets\": {\"top\": 10}}");
    run_in(folder, "ldpbench run c.json -o r --quiet");
    demand_output(
        folder,
        "awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { ahead += $at[\"protocol\"] ~ /joint/ ? "
        "-$at[\"f1\"] : $at[\"f1\"] } END { print (ahead > -0.05 ? \"as good\" : ahead), NR }' r/search.csv",
        "as good 3\n");
}

/* With grr the supports of the candidates are no normal numbers: of few users nearly every answer is a candidate with
 * zero frequency, and that is stated. Where supports are few whole numbers, intervals cover the true value too. */
FolderTest(search_planned, states_the_noise_of_few_users, SLOW)
{
    write_text(folder, "few.strings", "ab\t3\nabc\t100\n");
    write_text(
        folder, "grr.json",
        "{\"name\": \"g\", \"task\": \"search\", \"seed\": 3, \"repetitions\": 5, \"datasets\": [{\"type\": "
        "\"strings\", \"file\": \"few.strings\", \"length\": 3, \"alphabet\": \"a-z\"}], \"oracles\": [\"grr\", \"ss\"], "
        "\"epsilon\": [1], \"protocols\": [\"pem_planned\"]}");
    write_text(folder, "olh.json",
               "{\"name\": \"o\", \"task\": \"search\", \"seed\": 3, \"repetitions\": 10, \"datasets\": [{\"type\": "
               "\"zipf_strings\", \"s\": 1, \"d\": 1000, \"n\": 300}], \"oracles\": [\"olh\"], \"epsilon\": [8, 20], "
               "\"protocols\": [\"pem_planned\"], \"outputs\": [\"search\", \"intervals\"]}");
    run_in(folder, "ldpbench run grr.json -o g --quiet && ldpbench run olh.json -o o --quiet");
    demand_output(folder,
                  "awk -F, 'FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { rows++ } FILENAME ~ /^g/ && "
                  "$at[\"false_stated\"] < $at[\"false_found\"] - 0.1 { print } FILENAME ~ /^o/ && "
                  "$at[\"coverage\"] < 0.95 - 3 * $at[\"coverage_stderr\"] { print } "
                  "END { print rows }' g/search.csv o/search.csv",
                  "4\n");
}

/* All users at the first of several levels leave none for the others. */
FolderTest(search_planned, refuses_levels_without_users)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"z\", \"task\": \"search\", \"datasets\": [{\"type\": \"zipf_strings\", \"s\": 1, \"d\": "
        "1000, \"n\": 1000}], \"oracles\": [\"olh\"], \"epsilon\": [1], \"protocols\": [{\"name\": \"pem_planned\", "
        "\"pilot\": 1, \"first\": 2}]}");
    struct outcome outcome = shell_in(folder, "ldpbench run c.json -o r --quiet");
    cr_expect_eq(outcome.status, 2);
    cr_expect(strstr(outcome.err, "pilot = 1: expected less"), "%s", outcome.err);
    outcome_free(&outcome);
}
