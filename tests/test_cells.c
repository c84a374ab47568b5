/* Which cells of a grid there are: exclude. Bad ones are in tests/bad/configs. */
#include "program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static const char frame[] = "{\"name\": \"t\", \"seed\": 7, \"repetitions\": 3,\n \"datasets\": %s,\n"
                            " \"oracles\": [\"olh\", \"grr\"], \"epsilon\": %s,%s\n"
                            " \"methods\": [\"base\"], \"queries\": [\"full_domain\"]}\n";

static const char zipf[] = "[{\"type\": \"zipf\", \"s\": 1.5, \"d\": [16, 32], \"n\": [1000, 2000]}]";

static void write_frame(const char *folder, const char *name, const char *datasets, const char *epsilon,
                        const char *rules)
{
    char text[1024];

    snprintf(text, sizeof text, frame, datasets, epsilon, rules);
    write_text(folder, name, text);
}

/* The columns d, n, oracle and epsilon of mse.csv, a line each. */
static void demand_cells(const char *folder, const char *config, const char *expected)
{
    struct outcome outcome = shell_in(folder,
                                      "ldpbench run %s -o out --fresh --quiet && tail -n +2 out/mse.csv | "
                                      "cut -d, -f3-6",
                                      config);

    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    cr_expect_str_eq(outcome.out, expected);
    outcome_free(&outcome);
}

/* Columns that are auto are those that the note says: with these written down all numbers are the same. */
FolderTest(cells, columns_that_are_auto)
{
    static const char config[] =
        "{\"name\": \"%s\", \"repetitions\": 2, \"datasets\": [{\"type\": \"zipf\", \"s\": 1.1, \"d\": [50, 500], "
        "\"n\": 100000}], \"oracles\": [{\"name\": \"count_min\", \"rows\": 8, \"decode\": \"amp\", \"columns\": %s, "
        "\"label\": \"s\"}], \"epsilon\": [1, 3], \"methods\": [\"base\"], \"queries\": [\"full_domain\"]}\n";
    char text[1024], columns[16];

    snprintf(text, sizeof text, config, "a", "\"auto\"");
    write_text(folder, "a.json", text);
    struct outcome outcome = shell_in(folder, "ldpbench run a.json --dry-run | sed -n 's/.*oracle s: 8 x \\([0-9]*\\) "
                                              "cells; 8 x \\1 bring .*/\\1/p' | tr -d '\\n'");
    cr_assert(strlen(outcome.out) > 1 && strlen(outcome.out) < sizeof columns, "%s", outcome.out);
    memcpy(columns, outcome.out, strlen(outcome.out) + 1);
    outcome_free(&outcome);
    snprintf(text, sizeof text, config, "b", columns);
    write_text(folder, "b.json", text);
    run_in(folder, "ldpbench run a.json --quiet && ldpbench run b.json --quiet && cut -d, -f2- results/a/mse.csv >a && "
                   "cut -d, -f2- results/b/mse.csv | cmp - a && grep -q 'oracle s: 8 x' results/a/run.json");
}

FolderTest(cells, exclude_leaves_out_what_meets_all_conditions_of_one)
{
    write_frame(folder, "c.json", zipf, "[1, 2, 3]",
                " \"exclude\": [{\"oracle\": [\"grr\"], \"d\": {\"from\": 20}}, {\"epsilon\": [1, 3]},"
                " {\"dataset\": \"zipf(s=1.5)\", \"n\": {\"from\": 1500, \"to\": 2000}, \"d\": 16}],");
    demand_cells(folder, "c.json", "16,1000,olh,2\n16,1000,grr,2\n32,1000,olh,2\n32,2000,olh,2\n");
}

/* Numbers of cells that stay are those of the whole grid: what is left out changes no stream. */
FolderTest(cells, what_is_left_out_changes_no_number)
{
    write_frame(folder, "all.json", zipf, "[1, 2, 3]", "");
    write_frame(folder, "some.json", zipf, "[1, 2, 3]", " \"exclude\": [{\"oracle\": \"olh\"}, {\"epsilon\": 2}],");
    run_in(folder, "ldpbench run all.json -o all --quiet && ldpbench run some.json -o some --quiet && "
                   "grep -e experiment -e grr all/mse.csv | grep -v grr,2, | cmp - some/mse.csv");
}

/* An oracle that does not suit one dataset can be kept for the others. */
FolderTest(cells, exclude_lets_an_oracle_stay_where_it_suits)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"t\", \"repetitions\": 2, \"datasets\": [{\"type\": \"uniform\", \"d\": [8, 64], \"n\": 500}],\n"
        " \"oracles\": [\"olh\", {\"name\": \"ss\", \"k\": 20}], \"epsilon\": 1, \"methods\": [\"base\"],\n"
        " \"queries\": [\"full_domain\"], \"exclude\": [{\"oracle\": \"ss(k=20)\", \"d\": 8}]}\n");
    demand_cells(folder, "c.json", "8,500,olh,1\n64,500,olh,1\n64,500,ss(k=20),1\n");
}

FolderTest(cells, dry_run_counts_what_is_left)
{
    write_frame(folder, "c.json", zipf, "[1, 2]", " \"exclude\": [{\"d\": 16}],");
    struct outcome outcome = shell_in(folder, "ldpbench run c.json --dry-run");
    cr_expect_not_null(strstr(outcome.out, "cells          8, 3 repetitions each, 24 in all"), "%s%s", outcome.out,
                       outcome.err);
    outcome_free(&outcome);
}

/* The first oracle has only the larger epsilons; the smaller ones still come first. */
FolderTest(cells, dry_run_orders_numbers)
{
    write_frame(folder, "c.json", zipf, "[1, 2, 10]", " \"exclude\": [{\"d\": 16, \"epsilon\": {\"to\": 2}}],");
    struct outcome outcome = shell_in(folder, "ldpbench run c.json --dry-run");
    cr_expect_not_null(strstr(outcome.out, "epsilon      1, 2, 10 (3)"), "%s%s", outcome.out, outcome.err);
    outcome_free(&outcome);
}
