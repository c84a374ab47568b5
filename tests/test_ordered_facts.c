/* test_ordered_facts.c - the agreement rows of the facts sheet (sec. 7): distances and ranges of the square wave in as
 * many buckets as values, of trees and of Haar coefficients on a smooth law, payments and departures. */
#include "program.h"
#include "quick.h"
#include "real_data.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

/* Wasserstein distance and mean absolute error of all ranges of a tenth, in thousandths; 0: not in the sheet. */
struct fact {
    const char *oracle, *method;
    double wasserstein, range;
};

/* The mean of a column of a table, and its standard error, for the oracle that begins so and a method. */
static void mean_of(const char *folder, const char *table, const char *column, const struct fact *fact, double *mean,
                    double *error)
{
    struct outcome outcome = run_shell(
        "cd '%s' && awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == \"%s\") at = i } index($5, \"%s\") == 1 "
        "&& $7 == \"%s\" { print 1e3 * $at, 1e3 * $(at + 1) }' r/%s",
        folder, column, fact->oracle, fact->method, table);
    cr_assert_eq(sscanf(outcome.out, "%lf %lf", mean, error), 2, "%s, %s: %s", fact->oracle, fact->method, outcome.out);
    outcome_free(&outcome);
}

/* 24 repetitions. The sheet states no errors for these rows; 4 % are those of its sec. 9. */
static void check_rows(const char *folder, const char *dataset, size_t d, double epsilon, const struct fact *facts,
                       size_t count)
{
    char text[1024];
    snprintf(
        text, sizeof text,
        "{\"name\": \"c\", \"repetitions\": 24, \"epsilon\": %g, \"ordered\": true, \"oracles\": [{\"name\": \"sw\",\n"
        " \"buckets\": %zu}, {\"name\": \"hh\", \"B\": 4}, \"haar\", \"oue\"], \"methods\": [\"base\", \"ems\",\n"
        " \"hh_admm\"], \"queries\": [\"distribution\", {\"type\": \"range\", \"percent\": 10}],\n"
        " \"datasets\": [%s]}\n",
        epsilon, d, dataset);
    write_text(folder, "c.json", text);
    run_well("cd '%s' && ldpbench run c.json -o r --quiet", folder);
    for (size_t i = 0; i < count; i++) {
        const double expected[2] = {facts[i].wasserstein, facts[i].range};
        double mean[2], error[2];
        mean_of(folder, "distribution.csv", "wasserstein", &facts[i], &mean[0], &error[0]);
        mean_of(folder, "range.csv", "mae", &facts[i], &mean[1], &error[1]);
        for (size_t k = 0; k < 2; k++)
            if (expected[k] > 0)
                cr_expect_lt(fabs(mean[k] - expected[k]) / hypot(error[k], 0.04 * expected[k]), 4,
                             "%s, %s, epsilon = %g, %s: %.3g +- %.2g, not %g", facts[i].oracle, facts[i].method,
                             epsilon, k == 0 ? "W1" : "ranges", mean[k], error[k], expected[k]);
    }
}

FolderTest(ordered_facts, smooth, SLOW)
{
    static const char beta[] = "{\"type\": \"beta\", \"a\": 5, \"b\": 2, \"d\": 256, \"n\": 100000}";
    static const struct fact half[] = {{"sw", "ems", 9.5, 0},   {"sw", "base", 10.8, 0},   {"hh", "hh_admm", 21.8, 0},
                                       {"hh", "base", 25.9, 0}, {"haar", "base", 24.4, 0}, {"oue", "base", 102, 0}},
                             one[] = {{"sw", "ems", 5.2, 0},   {"sw", "base", 7.2, 0},    {"hh", "hh_admm", 10.9, 0},
                                      {"hh", "base", 12.9, 0}, {"haar", "base", 13.0, 0}, {"oue", "base", 53, 0}};
    check_rows(folder, beta, 256, 0.5, half, 6);
    run_well("rm -r '%s/r'", folder);
    check_rows(folder, beta, 256, 1, one, 6);
}

FolderTest(ordered_facts, payments, SLOW)
{
    static const struct fact facts[] = {{"sw", "base", 1.8, 0},
                                        {"sw", "ems", 4.1, 0},
                                        {"haar", "base", 4.8, 0},
                                        {"hh", "base", 5.1, 0},
                                        {"hh", "hh_admm", 5.3, 0}};
    char path[REAL_DATA_ROOM], text[REAL_DATA_ROOM + 128];
    real_data("uc_pay.counts", path);
    run_well("cp '%s' '%s/pay.counts'", path, folder);
    snprintf(
        text, sizeof text,
        "{\"type\": \"numbers\", \"file\": \"pay.counts\", \"bins\": 1024, \"low\": 0, \"high\": 1024, \"n\": 1000000}");
    check_rows(folder, text, 1024, 1, facts, 5);
}

/* Its flights are departures, minute times 256 div 1440: with delays EM has 1.2, EMS 2.5. */
FolderTest(ordered_facts, departures, SLOW)
{
    static const struct fact facts[] = {{"sw", "base", 1.60, 2.4},
                                        {"hh", "hh_admm", 1.77, 2.1},
                                        {"hh", "base", 1.89, 2.3},
                                        {"haar", "base", 2.49, 0},
                                        {"sw", "ems", 2.62, 4.3}};
    char path[REAL_DATA_ROOM];
    real_data("flights_time.counts", path);
    run_well(
        "awk '!/^#/ { n[int($1 * 256 / 1440)] += $2 } END { for (v = 0; v < 256; v++) print v \"\\t\" n[v] + 0 }' '%s' >'%s/departures.counts'",
        path, folder);
    check_rows(folder, "{\"type\": \"counts\", \"file\": \"departures.counts\", \"n\": 1000000}", 256, 2, facts, 5);
}
