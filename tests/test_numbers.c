/* test_numbers.c - numbers in bins, one a line: bins by hand, refusals, what knows their order. */
#include "program.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* The counts of a dataset of numbers, as run writes them into values.csv. */
static const char config[] =
    "{\"name\": \"c\", \"repetitions\": 2, \"epsilon\": 1, \"oracles\": [\"exact\"],\n"
    " \"methods\": [\"base\"], \"queries\": [\"distribution\"], \"outputs\": [\"mse\", \"values\"],\n"
    " \"datasets\": [{\"type\": \"numbers\", \"file\": \"x.numbers\"%s}]}\n";

static const char counts[] = "ldpbench run c.json -o r --quiet --fresh && tail -n +2 r/values.csv | sort -t, -k9n | "
                             "cut -d, -f9,10 | tr '\\n' ' '";

static void demand_counts(const char *folder, const char *numbers, const char *keys, const char *expected)
{
    char text[1024];

    write_text(folder, "x.numbers", numbers);
    snprintf(text, sizeof text, config, keys);
    write_text(folder, "c.json", text);
    struct outcome outcome = run_shell("cd '%s' && %s", folder, counts);
    cr_expect_str_eq(outcome.out, expected, "%s: %s", keys, outcome.err);
    outcome_free(&outcome);
}

FolderTest(numbers, bins_by_hand)
{
    /* Whole numbers: one bin for each; two for each where there may be three at most; a table of counts. */
    demand_counts(folder, "3\n5\n3\n# a comment\n7\n", "", "3,2 4,0 5,1 6,0 7,1 ");
    demand_counts(folder, "3\n5\n3\n7\n", ", \"bins\": 3", "3..4,2 5..6,1 7..8,1 ");
    demand_counts(folder, "value\tcount\n-1\t4\n1\t6\n", ", \"ordered\": true", "-1,4 0,0 1,6 ");
    demand_counts(folder, "0\n3\n", ", \"high\": 4, \"bins\": 2", "0..1,1 2..3,1 ");
    /* Multiples of 0.1: bins begin and end with one. */
    demand_counts(folder, "0.5\n1\n2\n2.5\n", ", \"bins\": 4", "0.5..1,2 1.1..1.6,0 1.7..2.2,1 2.3..2.8,1 ");
    demand_counts(folder, "0.5\n1\n", ", \"high\": 2, \"bins\": 2", "0..0.9,1 1..1.9,1 ");
    /* Others: the largest is in the last bin. */
    demand_counts(folder, "0.12345678901\n1.1\n2.1\n2.12345678901\n", ", \"bins\": 2",
                  "0.12345678901,2 1.12345678901,2 ");
}

static void refuse(const char *folder, const char *numbers, const char *keys, const char *fragment)
{
    char text[1024];

    write_text(folder, "x.numbers", numbers);
    snprintf(text, sizeof text, config, keys);
    write_text(folder, "c.json", text);
    demand_failure(2, fragment, "cd '%s' && ldpbench run c.json --quiet", folder);
}

FolderTest(numbers, refused_in_one_line)
{
    refuse(folder, "1\nx\n", "",
           "x.numbers:2: expected a number from -1e15 to 1e15, alone or with TAB count, got \"x\"");
    refuse(folder, "1\ninf\n", "", "x.numbers:2: expected a number");
    refuse(folder, "1\t-1\n", "", "x.numbers:1: expected a whole count from 0 to 2^53, got \"-1\"");
    refuse(folder, "7\n7\n", "", "x.numbers: expected numbers in at least two bins, got one (7)");
    refuse(folder, "# nothing\n", "", "x.numbers: expected at least 1 value, got 0");
    refuse(folder, "1\n9\n", ", \"high\": 9", "x.numbers:2: expected a number from low = 0 to below high = 9, got 9");
    refuse(folder, "1\n9\n", ", \"low\": 5", "low = 5, high = 0: expected a high above low");
    refuse(folder, "1\n9\n", ", \"bins\": 1", "bins: expected");
}

/* A run asks for no "ordered" of numbers; init and advise propose what uses the order (test_advise.c). */
FolderTest(numbers, order_is_known)
{
    write_text(folder, "x.numbers", "1\t300\n2\t500\n3\t100\n4\t50\n5\t50\n");
    write_text(folder, "x.counts", "1\t300\n2\t500\n3\t100\n");
    run_well("cd '%s' && ldpbench init x.numbers > said && grep -q '\"sw\"' x.json && grep -q '\"quantile\"' x.json",
             folder);
    run_well(
        "cd '%s' && ldpbench run x.json --repetitions 2 -o r --quiet && grep -q 'sw,1,pen,distribution' r/distribution.csv",
        folder);
}
