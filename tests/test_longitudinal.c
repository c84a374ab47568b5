/* The task longitudinal: its tables, what decides their numbers, records as rounds, budgets, bad input. */
#include "program.h"
#include "quick.h"
#include "real_data.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char uniform[] = "{\"type\": \"uniform\", \"d\": 12, \"n\": 300}";

/* A config of a dataset, chains, and more keys. */
static void write_config(const char *folder, const char *name, const char *dataset, const char *chains,
                         const char *more)
{
    char text[8000];

    snprintf(text, sizeof text,
             "{\"name\": \"c\", \"task\": \"longitudinal\", \"seed\": 5, \"repetitions\": 40, \"epsilon\": 2,\n"
             " \"datasets\": [%s], \"chains\": %s, \"methods\": [\"base\", \"norm_sub\"], %s\n"
             " \"queries\": [\"full_domain\", {\"type\": \"top_k\", \"k\": [2, 3]}]}\n",
             dataset, chains, more);
    write_text(folder, name, text);
}

/* Numbers of a column in the rows of a table that have a number there. */
static size_t column(const char *folder, const char *table, const char *name, double *out, size_t most)
{
    char *const text = read_text(folder, table);
    cr_assert_not_null(text, "%s", table);
    size_t at = 0, count = 0;
    char *rest = text, *line = strsep(&rest, "\n"), *field;
    for (char *head = line; (field = strsep(&head, ",")) != NULL && strcmp(field, name) != 0; at++)
        continue;
    cr_assert_not_null(field, "%s has no %s", table, name);
    while ((line = strsep(&rest, "\n")) != NULL && *line && count < most) {
        for (size_t i = 0; i <= at; i++)
            field = strsep(&line, ",");
        out[count++] = *field ? atof(field) : (double)NAN;
    }
    free(text);
    return count;
}

/* What is simulated is near what is exact, of base on all values, and nothing else has an exact value. */
FolderTest(longitudinal, errors_are_near_exact_ones, SLOW)
{
    write_config(
        folder, "c.json", uniform, "\"all\"",
        "\"rounds\": [3, 5], \"evolution\": [\"static\", {\"name\": \"redraw\", \"change\": 0.5}, \"permuted\"],"
        "\"outputs\": [\"average\", \"budget\"],");
    run_well("cd %s && ldpbench run c.json -o a --quiet -j 1 && ldpbench run c.json -o b --quiet -j 3 && "
             "ldpbench plot a && ldpbench report a --no-plots --format md -o report.md",
             folder);
    demand_same_tables(folder, "a", "b");
    for (const char *const *measure = (const char *const[]){"mse", "mse_average", "mse_trend", NULL}; *measure;
         measure++) {
        enum { MOST = 1000 };
        static double value[MOST], exact[MOST], error[MOST];
        char name[40];
        size_t known = 0;
        snprintf(name, sizeof name, "%s_exact", *measure);
        const size_t rows = column(folder, "a/longitudinal.csv", *measure, value, MOST);
        column(folder, "a/longitudinal.csv", name, exact, MOST);
        snprintf(name, sizeof name, "%s_stderr", *measure);
        column(folder, "a/longitudinal.csv", name, error, MOST);
        for (size_t i = 0; i < rows; i++) {
            known += isnan(exact[i]) ? 0 : 1;
            if (!isnan(exact[i]))
                cr_expect(fabs(value[i] - exact[i]) <= 6 * error[i] + 1e-12, "%s, row %zu: %g for %g", *measure, i,
                          value[i], exact[i]);
        }
        cr_expect_eq(6 * known, rows, "%zu of %zu", known, rows); /* of two methods and three points */
    }
}

/* Errors alone are drawn round by round, and have other streams; a chain more changes no number of another. */
FolderTest(longitudinal, numbers_depend_on_cells_alone)
{
    write_config(folder, "one.json", uniform, "[\"l_sue\"]", "\"rounds\": 4, \"evolution\": [{\"name\": \"redraw\"}],");
    write_config(folder, "two.json", uniform, "[\"loloha\", \"l_sue\", {\"name\": \"fresh\", \"oracle\": \"grr\"}]",
                 "\"rounds\": [2, 4], \"evolution\": [\"static\", {\"name\": \"redraw\"}],");
    run_well("cd %s && ldpbench run one.json -o one --quiet && ldpbench run two.json -o two --quiet && "
             "tail -n +2 one/longitudinal.csv > rows && grep -F -x -c -f rows two/longitudinal.csv | grep -x 6",
             folder);
}

/* A column a round; users and values are those of the file. */
FolderTest(longitudinal, records_are_rounds)
{
    write_text(folder, "r.csv", "a,b,c\n0,1,2\n1,1,3\n2,2,2\n3,0,0\n1,1,1\n");
    write_config(folder, "c.json", "{\"type\": \"records\", \"file\": \"r.csv\"}", "[\"l_sue\", \"once\"]",
                 "\"rounds\": [2, 3], \"outputs\": [\"budget\"],");
    run_well("cd %s && ldpbench run c.json -o r --quiet", folder);
    /* Values held: 2 1 1 2 1, then 3 2 1 2 1. */
    demand_within(folder, "r/budget.csv", ",2,1,1.6115");
    double memos[4];
    cr_assert_eq(column(folder, "r/budget.csv", "epsilon_memos", memos, 4), 4);
    cr_expect_float_eq(memos[0], 2 * 7.0 / 5, 1e-12);
    cr_expect_float_eq(memos[2], 2 * 9.0 / 5, 1e-12);
    cr_expect(isnan(memos[1]));
    write_config(folder, "many.json", "{\"type\": \"records\", \"file\": \"r.csv\"}", "[\"l_sue\"]", "\"rounds\": 4,");
    demand_failure(2, "datasets: r: expected a column for each of 4 rounds, got 3", "cd %s && ldpbench run many.json",
                   folder);
    write_config(folder, "both.json", "{\"type\": \"records\", \"file\": \"r.csv\"}", "[\"l_sue\"]",
                 "\"rounds\": 2, \"evolution\": [\"permuted\"],");
    demand_failure(2, "evolution: expected none with records", "cd %s && ldpbench run both.json", folder);
    /* Values are those of all columns, in one order, numbers or words. */
    write_text(folder, "w.csv", "a,b,c\nk,l,m\nl,l,n\nm,m,m\nn,k,k\nl,l,l\n");
    write_config(folder, "words.json", "{\"type\": \"records\", \"file\": \"w.csv\"}", "[\"l_sue\", \"once\"]",
                 "\"rounds\": [2, 3], \"outputs\": [\"budget\"],");
    run_well("cd %s && ldpbench run words.json -o w --quiet && cut -d, -f3- r/budget.csv >r.txt && cut -d, -f3- "
             "w/budget.csv | cmp - r.txt",
             folder);
}

/* Mean memos of the hours of Adult, dealt anew to all users in each of 260 rounds: the users of a value hold it in a
 * round with probability f, independently of other rounds, and other users' draws reduce the variance of the mean. */
FolderTest(longitudinal, memos_of_permuted_hours, SLOW)
{
    char path[REAL_DATA_ROOM], text[4200];
    double memos;
    char *const whole = realpath(real_data("adult_hours.counts", path), NULL);
    cr_assert_not_null(whole);
    snprintf(text, sizeof text, "{\"type\": \"counts\", \"file\": \"%s\"}", whole);
    free(whole);
    write_config(folder, "c.json", text, "[\"l_grr\"]",
                 "\"rounds\": 260, \"evolution\": [\"permuted\"], \"outputs\": [\"budget\"],");
    run_well("cd %s && ldpbench run c.json -o r --quiet --repetitions 1", folder);
    cr_assert_eq(column(folder, "r/budget.csv", "epsilon_memos", &memos, 1), 1);
    /* The variance of the number of values that a user has is below that of 96 independent ones, 96 / 4. */
    cr_expect_lt(fabs(statistics_z(memos / 2, 35.45240890360726, 24, 48842)), statistics_z_bound(1));
}

/* What is protected is said before a run, and the same is what chains are set to. */
FolderTest(longitudinal, protection_is_said_and_made_equal)
{
    write_config(folder, "c.json", uniform, "[\"l_sue\", \"dbitflip\", \"once\"]", "\"rounds\": 3,");
    expect_said(0, "l_sue: one report 1; all reports, same value 1.87; all reports, any values ",
                "cd %s && ldpbench run --dry-run c.json | tr -s ' \\n' ' '", folder);
    expect_said(0, "dbitflip: one report 2; all reports, same value 2; all reports, any values not protected",
                "cd %s && ldpbench run --dry-run c.json | tr -s ' \\n' ' '", folder);
    write_config(folder, "n.json", uniform, "[{\"name\": \"fresh\", \"oracle\": \"exact\"}]", "\"rounds\": 3,");
    expect_said(0, "one report not protected; all reports, same value not protected",
                "cd %s && ldpbench run --dry-run n.json | tr -s ' \\n' ' '", folder);
    write_config(folder, "n.json", uniform, "[{\"name\": \"fresh\", \"oracle\": \"exact\"}]",
                 "\"rounds\": 3, \"equal\": \"sequence\",");
    demand_failure(2, "exact is not private", "cd %s && ldpbench run n.json", folder);
    write_config(folder, "e.json", uniform, "[\"l_sue\", \"split\", \"once\", \"fresh\"]",
                 "\"rounds\": 3, \"equal\": \"unchanged\", \"outputs\": [\"budget\"],");
    run_well("cd %s && ldpbench run e.json -o e --quiet", folder);
    /* The first words of a report say where it compares what is not equal. */
    expect_said(0,
                "Protection differs, as epsilon, each where it occurs first: one report 0.6667 (split) to 2 (once); "
                "all reports, same value 2; all reports, any values 2 (split) to ",
                "ldpbench report %s/e --format text | tr -s ' \\n' ' '", folder);
    double kept[4];
    cr_assert_eq(column(folder, "e/budget.csv", "epsilon_unchanged", kept, 4), 4);
    for (size_t i = 0; i < 4; i++)
        cr_expect_float_eq(kept[i], 2, 1e-9, "%g", kept[i]);
    write_config(folder, "s.json", uniform, "[\"l_sue\"]", "\"rounds\": 30, \"equal\": \"sequence\",");
    demand_failure(2, "with memoized reports of any budget all sequences have epsilon", "cd %s && ldpbench run s.json",
                   folder);
    expect_said(0, "(epsilon: all reports of a value that stays)", "ldpbench list chains | tr -s ' \\n' ' '");
    expect_said(0, "Each user reports in one round (epsilon: all reports, any values)",
                "ldpbench list chains | tr -s ' \\n' ' '");
    write_config(folder, "l.json", uniform, "[\"loloha\"]", "\"rounds\": 5,");
    expect_said(0, "loloha: one report 1; all reports, same value 1.997;",
                "cd %s && ldpbench run --dry-run l.json | tr -s ' \n' ' '", folder);
}

FolderTest(longitudinal, bad_input_is_refused_in_one_line)
{
    static const struct {
        const char *chains, *more, *said;
    } bad[] = {
        {"[\"l_sue\"]", "\"rounds\": 3, \"first\": 1,", "first: expected a number"},
        {"[\"l_oue\"]", "\"rounds\": 3, \"first\": 0.9,",
         "no instantaneous response with p2 = 1/2 gives one report 1.8"},
        {"[{\"name\": \"loloha\", \"g\": 13}]", "\"rounds\": 3,", "g = 13: expected at most d = 12"},
        {"[{\"name\": \"dbitflip\", \"buckets\": 20}]", "\"rounds\": 3,", "buckets = 20: expected at most d = 12"},
        {"[\"once\"]", "\"rounds\": 301,", "a round without users: expected n of at least 301, got 300"},
        {"[\"l_sue\"]", "\"rounds\": 0,", "rounds: expected an integer from 1 to 65535, got 0"},
        {"[\"l_sue\", \"l_sue\"]", "\"rounds\": 3,", "chains[1]: expected labels that differ"},
        {"[{\"name\": \"split\", \"oracle\": \"sw\"}]", "\"rounds\": 3,", "expected an oracle that uses no order"},
        {"[\"l_tue\"]", "\"rounds\": 3,", "expected a chain (ldpbench list chains)"},
        {"[\"l_sue\"]", "\"rounds\": 3, \"evolution\": [{\"name\": \"redraw\", \"change\": 2}],", "change: expected"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_config(folder, "c.json", uniform, bad[i].chains, bad[i].more);
        demand_failure(2, bad[i].said, "cd %s && ldpbench run c.json -o r", folder);
    }
    write_text(folder, "q.json",
               "{\"name\": \"c\", \"task\": \"longitudinal\", \"epsilon\": 2, \"rounds\": 3, \"chains\": [\"l_sue\"],\n"
               " \"datasets\": [{\"type\": \"uniform\", \"d\": 12, \"n\": 300}], \"methods\": [\"base\"],\n"
               " \"queries\": [{\"type\": \"heavy_hitters\", \"threshold\": 0.1}]}\n");
    demand_failure(2, "queries: expected queries with a squared error", "cd %s && ldpbench run q.json", folder);
}
