/* test_check.c - `ldpbench check`: the statistics, the reading of tables, and planted regressions.
 *
 * A regression is planted in a copy of a source file; the program is linked anew with it. */
#include "program.h"

#include "results/csv.h"
#include "statistics.h"
#include "stats/family.h"
#include "stats/relabel.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- statistics ---- */

/* Student's sleep data (Biometrika 6, 1908): ten patients, two drugs. Welch t = -1.8608, df = 17.776, p = 0.07939;
 * paired t = -4.0621, df = 9, p = 0.002833. */
Test(check, student_sleep)
{
    static const double a[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    static const double b[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    struct sample x = sample_of(a, 10), y = sample_of(b, 10);
    struct comparison c;

    cr_assert_float_eq(x.sd, 1.789010, 1e-6);
    cr_assert_float_eq(y.sd, 2.002249, 1e-6);
    compare_samples(&x, &y, false, &c);
    cr_assert_float_eq(c.change, 1.58 / 0.75, 1e-9);
    cr_assert_float_eq(c.change / c.standard_error, 1.8608, 1e-4);
    cr_assert_float_eq(c.df, 17.776, 1e-3);
    cr_assert_float_eq(c.p, 0.07939, 1e-5);
    compare_samples(&x, &y, true, &c);
    cr_assert_float_eq(c.change / c.standard_error, 4.0621, 1e-4);
    cr_assert_float_eq(c.df, 9, 0);
    cr_assert_float_eq(c.p, 0.002833, 1e-6);
}

/* Values that do not vary have no t statistic: a change has the p of the exact test by ranks, 2 / C(6, 3) = 1/10 for
 * three and three values. */
Test(check, degenerate_samples)
{
    static const double a[] = {1, 1, 1}, b[] = {2, 2, 2}, third[] = {1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3};
    struct sample zero = {.n = 3, .mean = 0, .sd = 0}, one = sample_of(a, 3), two = sample_of(b, 3);
    struct sample alone = sample_of(b, 1), thirds = sample_of(third, 5);
    struct comparison c;

    compare_samples(&zero, &zero, false, &c);
    cr_assert(c.p == 1 && c.change == 0);
    compare_samples(&one, &two, true, &c);
    cr_assert(c.p == 0 && c.change == 1, "%g", c.p);
    compare_samples(&zero, &one, false, &c);
    cr_assert(fabs(c.p - 0.1) < 1e-12 && c.change == INFINITY, "%g", c.p);
    compare_samples(&one, &alone, false, &c);
    cr_assert(c.p == 1, "one repetition tells nothing: p = %g", c.p);
    compare_samples(&thirds, &one, false, &c);
    cr_assert_eq(c.standard_error, 0, "rounding is no deviation: %g", c.standard_error);
}

/* Pairs of which one side is undefined do not count, and the others stay pairs. */
Test(check, undefined_values_keep_the_pairs)
{
    static const double a[] = {NAN, 1, 2, 3, 4, 5}, b[] = {7, 2, 3, NAN, 5, 6.5};
    struct sample x = sample_of(a, 6), y = sample_of(b, 6);
    struct comparison c;

    cr_assert(x.n == 5 && x.mean == 3 && y.n == 5);
    compare_samples(&x, &y, true, &c);
    cr_assert_eq(c.df, 3);
    cr_assert_float_eq(c.change, (1 + 1 + 1 + 1.5) / 4 / 3, 1e-12);
}

/* Two and two values by hand: of six relabellings the one at hand and its mirror part {1, 2} from {5, 6}. The second
 * row parts less; in four of six some row, the first, parts as much or more. */
Test(check, relabellings_by_hand)
{
    static const double a[] = {1, 2}, b[] = {5, 6}, c[] = {1, 5}, d[] = {6, 7}, same[] = {3, 3};
    struct relabel_row row[] = {{.a = a, .b = b}, {.a = c, .b = d}, {.a = same, .b = same}};

    /* Shares of variance: 16/17 in the first row's own relabelling, 1/17 and 0 in the others; in the second row
     * 12.25/20.75 here, where 1 is beside 5; 6.25/20.75 beside 6; 2.25/20.75... beside 7. */
    cr_assert_eq(relabel_test(row, 1, 2, 2), 0);
    cr_assert_float_eq(row[0].p, 2. / 6, 1e-12);
    cr_assert_eq(relabel_test(row, 3, 2, 2), 0);
    cr_assert_float_eq(row[0].p, 2. / 6, 1e-12);
    cr_assert_float_eq(row[1].p, 2. / 6, 1e-12);
    cr_assert_eq(row[2].p, 1);
}

/* A law of two clusters: five repetitions that saw one and five that saw the other are no change; thirty are. */
Test(check, clusters_are_no_change)
{
    double a[30], b[30], noise[40];
    struct family_row row[100] = {{.baseline = {0}}};

    for (size_t i = 0; i < 30; i++) {
        a[i] = 0.9 + 1e-4 * (double)(i * 7 % 10);
        b[i] = 1.0 - 1e-4 * (double)(i * 3 % 10);
    }
    for (size_t i = 0; i < 40; i++)
        noise[i] = 1 + 0.1 * (double)(i * 17 % 40);
    for (size_t n = 2; n <= 30; n += 7) { /* 2, 9, 16, ... */
        row[0] = (struct family_row){.baseline = sample_of(a, n), .result = sample_of(b, n)};
        cr_assert_eq(family_test(row, 1, false, 0.01), 0);
        cr_expect_eq(row[0].test, n < FAMILY_LEAST ? FAMILY_NONE : FAMILY_WELCH);
        cr_expect(n < FAMILY_LEAST ? row[0].comparison.adjusted == 1 : row[0].comparison.adjusted < 1e-6);
    }
    /* Pairs that all differ by the same: their signs decide. */
    for (size_t i = 0; i < 30; i++)
        b[i] = a[i] + 0.5;
    row[0] = (struct family_row){.baseline = sample_of(a, 8), .result = sample_of(b, 8)};
    cr_assert_eq(family_test(row, 1, true, 0.01), 0);
    cr_expect_eq(row[0].test, FAMILY_PAIRED);
    cr_expect_leq(row[0].comparison.p, 1. / 128);
    /* Among a hundred rows of noise, in which some relabelling parts some row as clearly. */
    for (size_t i = 0; i < 100; i++) {
        const bool clusters = i == 0;

        row[i] = (struct family_row){.baseline = sample_of(clusters ? a : noise + i % 30, 5),
                                     .result = sample_of(clusters ? b : noise + (i * 7 + 5) % 35, 5)};
    }
    cr_assert_eq(family_test(row, 1, false, 0.01), 0);
    cr_expect_eq(row[0].test, FAMILY_RELABELLED);
    cr_expect_float_eq(row[0].comparison.adjusted, 2. / 252, 1e-12);
    cr_assert_eq(family_test(row, 1, false, 0.007), 0);
    cr_expect_eq(row[0].test, FAMILY_NONE, "252 relabellings cannot reach 0.007");
    cr_assert_eq(family_test(row, 100, false, 0.01), 0);
    cr_expect_geq(row[0].comparison.adjusted, 2. / 252);
    /* Only mean and deviation: four degrees of freedom; and nothing where there is no deviation. */
    row[0].baseline.value = row[0].result.value = NULL;
    cr_assert_eq(family_test(row, 1, false, 0.01), 0);
    cr_expect_eq(row[0].test, FAMILY_WELCH);
    cr_expect_eq(row[0].comparison.df, 4);
    row[0].baseline.sd = row[0].result.sd = 0;
    cr_assert_eq(family_test(row, 1, false, 0.01), 0);
    cr_expect_eq(row[0].test, FAMILY_NONE);
}

/* Holm, by hand: p = 0.01, 0.04, 0.03, 0.005 -> 0.03, 0.06, 0.06, 0.02. */
Test(check, holm_by_hand)
{
    static const double p[] = {0.01, 0.04, 0.03, 0.005}, expected[] = {0.03, 0.06, 0.06, 0.02};
    struct comparison c[4] = {{0}};

    for (size_t i = 0; i < 4; i++)
        c[i] = (struct comparison){.p = p[i], .df = 10, .standard_error = 0.01};
    cr_assert_eq(compare_all(c, 4, 0.05), 0);
    for (size_t i = 0; i < 4; i++)
        cr_assert_float_eq(c[i].adjusted, expected[i], 1e-12);
    /* t(0.05/8 upper, 10) = 3.0382, t(0.8, 10) = 0.8791 */
    cr_assert_float_eq(c[0].detectable, 0.01 * (3.0382 + 0.8791), 1e-5);
}

/* ---- tables ---- */

Test(check, csv_fields)
{
    char folder[PATH_ROOM], path[2 * PATH_ROOM];
    struct csv csv;
    struct failure failure;

    temporary_folder(folder);
    snprintf(path, sizeof path, "%s/t.csv", folder);
    write_text(folder, "t.csv", "a,b\r\n\"x,\"\"y\"\"\nz\",\n1,2");
    cr_assert_eq(csv_load(path, &csv, &failure), 0, "%s", failure.text);
    cr_assert_eq(csv.nrows, 2);
    cr_assert_eq(csv_column(&csv, "b"), 1);
    cr_assert_eq(csv_column(&csv, "c"), SIZE_MAX);
    cr_assert_str_eq(csv_field(&csv, 0, 0), "x,\"y\"\nz");
    cr_assert_str_eq(csv_field(&csv, 0, 1), "");
    cr_assert_str_eq(csv_field(&csv, 1, 1), "2");
    csv_clear(&csv);
}

static void demand_bad(const char *text, const char *fragment)
{
    char folder[PATH_ROOM];
    struct outcome outcome;

    temporary_folder(folder);
    write_text(folder, "t.csv", text);
    outcome = run_shell("cd %s && ldpbench check t.csv t.csv --level 0.05", folder);
    cr_expect_eq(outcome.status, 2, "%s: %d %s", text, outcome.status, outcome.err);
    cr_expect(strstr(outcome.err, fragment), "expected \"%s\" in %s", fragment, outcome.err);
    outcome_free(&outcome);
}

#define HEADER "experiment,dataset,d,n,oracle,epsilon,method,query,parameter,repetitions,mse,sd,stderr\n"
#define KEY "e,z,4,10,olh,1,base,full_domain,"

Test(check, bad_tables)
{
    demand_bad("", "empty");
    demand_bad("a,b\n1\n", "t.csv:2: expected 2 fields as in the header, got 1");
    demand_bad("a,b\n\"1,2\n", "t.csv:2: expected a closing quote");
    demand_bad("a,b\n\"1\"x,2\n", "t.csv:2: expected a comma");
    demand_bad("a,b\n1,2\n", "column \"dataset\"");
    demand_bad(HEADER, "got none");
    demand_bad(HEADER KEY ",3,x,1,1\n", "t.csv:2: mse: expected a number, got \"x\"");
    demand_bad(HEADER KEY ",0x3,1,1,1\n", "got \"0x3\"");
    demand_bad(HEADER KEY ",3,nan,1,1\n", "t.csv:2: mse: expected a number, got \"nan\"");
    demand_bad(HEADER KEY ",-3,1,1,1\n", "whole repetitions");
    demand_bad(HEADER KEY ",3,-1,1,1\n", "error >= 0");
    demand_bad(HEADER KEY ",3,1,1,1\n" KEY ",3,1,1,1\n", "each row once");
}

Test(check, bad_arguments)
{
    struct outcome outcome = run_shell("ldpbench check a");

    cr_assert_eq(outcome.status, 2);
    outcome_free(&outcome);
    outcome = run_shell("ldpbench check /nowhere-a /nowhere-b");
    cr_assert_eq(outcome.status, 2, "%s", outcome.err);
    outcome_free(&outcome);
    outcome = run_shell("ldpbench check a b --level 2");
    cr_assert(outcome.status == 2 && strstr(outcome.err, "--level"));
    outcome_free(&outcome);
    outcome = run_shell("ldpbench check a b --floor -1");
    cr_assert(outcome.status == 2 && strstr(outcome.err, "--floor"));
    outcome_free(&outcome);
}

/* ---- end to end ---- */

static const char config[] = "{\"name\": \"c\", \"seed\": 11, \"repetitions\": 30,"
                             " \"datasets\": [{\"type\": \"zipf\", \"d\": 256, \"n\": 100000, \"s\": 1.5}],"
                             " \"oracles\": [\"olh\"], \"epsilon\": [1, 2, 3],"
                             " \"methods\": [\"base\", {\"name\": \"norm_cut\", \"rescale\": true}, \"norm_sub\", "
                             "\"power_ns\"],"
                             " \"queries\": [{\"type\": \"full_domain\"}, {\"type\": \"set_value\", \"percent\": 90}]}";

/* Links FOLDER/planted: the program with one source file changed by a sed command. Objects and flags are those of
 * the program under test. */
static void plant(const char *folder, const char *source, const char *edit)
{
    run_well("build=$(dirname \"${LDPBENCH:-build/release/ldpbench}\") && object=$(basename %s .c).o && "
             "sed '%s' %s > %s/planted.c && ! cmp -s %s %s/planted.c && flags=$(sed 's/ -l[^ ]*//g' $build/flags) && "
             "$flags -I$(dirname %s) -Icore -Idatasets -Ibench -c %s/planted.c -o %s/$object && "
             "cp $build/libldpbench.a %s/ && (cd %s && ar r libldpbench.a $object 2>/dev/null) && "
             "$flags $(ls bench/*.c bench/*/*.c datasets/*.c | sed \"s|^|$build/|; s|c$|o|\") %s/libldpbench.a "
             "-o %s/planted "
             "$(pkg-config --libs libcjson gsl sqlite3 zlib md4c) -lm",
             source, edit, source, folder, source, folder, source, folder, folder, folder, folder, folder, folder);
}

static void run_both(const char *folder, const char *planted_options)
{
    write_text(folder, "c.json", config);
    run_well("cd %s && ldpbench run c.json -o good --quiet && ./planted run c.json -o bad --quiet %s", folder,
             planted_options);
}

static void demand_verdict(const char *folder, int status, const char *fragment, const char *arguments)
{
    struct outcome outcome = run_shell("cd %s && ldpbench check %s", folder, arguments);

    cr_assert_eq(outcome.status, status, "check %s: exit status %d: %s%s", arguments, outcome.status, outcome.out,
                 outcome.err);
    cr_assert(strstr(outcome.out, fragment), "expected \"%s\" in: %s", fragment, outcome.out);
    outcome_free(&outcome);
}

/* The text's misprint of OLH, p = (e-1)/(e+g-1): estimates too large. */
Test(check, wrong_p_is_caught)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    plant(folder, "core/oracles/olh.c", "s|protocol->q = 1 / g;|protocol->q = 1 / g, protocol->p *= 1 - r;|");
    run_both(folder, "");
    demand_verdict(folder, 1, "Worse", "good bad");
    demand_verdict(folder, 1, "Worse", "good/mse.csv bad/mse.csv");
    run_both(folder, "--seed 12 --fresh");
    demand_verdict(folder, 1, "Worse", "good bad");
}

Test(check, missing_rescale_is_caught)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    plant(folder, "core/methods/norm_cut.c", "s|param\\[0\\] != 0|param[0] > 1|");
    run_both(folder, "");
    /* The sum falls short of 1, which large sets feel. */
    demand_verdict(folder, 1, "norm_cut(rescale=true)|set_value", "good bad");
}

Test(check, other_seeds_pass_and_the_same_is_identical)
{
    char folder[PATH_ROOM];
    struct outcome outcome;

    temporary_folder(folder);
    write_text(folder, "c.json", config);
    run_well(
        "cd %s && ldpbench run c.json -o a --quiet && ldpbench run c.json -o b --quiet && ldpbench run c.json -o s "
        "--seed 99 --quiet && sed 's/\"c\"/\"other\"/' c.json >other.json && ldpbench run other.json -o o --quiet",
        folder);
    demand_verdict(folder, 0, "byte for byte", "a b");
    demand_verdict(folder, 0, "passed", "a s");
    demand_verdict(folder, 0, "the seeds differ: 11, 99", "a s");
    demand_verdict(folder, 0, "seed, version and the numbers of all rows in both are the same", "a o");
    outcome = run_shell("cd %s && ldpbench check a/store.sqlite s/mse.csv", folder);
    cr_expect(outcome.status == 2 && strstr(outcome.err, "a/store.sqlite: expected a table"), "%s", outcome.err);
    outcome_free(&outcome);
    demand_verdict(folder, 0, "passed", "a/store.sqlite s");
    demand_verdict(folder, 0, "passed", "a/mse.csv s --format md");
    demand_verdict(folder, 0, "\"passed\":\ttrue", "a s --format json");
}

Test(check, rows_in_one_only)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    write_text(folder, "c.json", config);
    run_well(
        "cd %s && ldpbench run c.json -o a --quiet && sed 's/, \"power_ns\"//' c.json > fewer.json && ldpbench run "
        "fewer.json -o f --quiet",
        folder);
    demand_verdict(folder, 1, "Missing from the result (6)", "a f");
    demand_verdict(folder, 1, "the configs differ", "a f --allow-missing");
    demand_verdict(folder, 0, "passed", "a f --allow-missing --allow-config");
    demand_verdict(folder, 1, "New in the result (6)", "f a --allow-config");
    demand_verdict(folder, 0, "passed", "f a --allow-config --allow-new");
}

/* The study of docs/checking.md plants its own mistake; it takes a while. */
Test(check, the_study_plants_its_mistake)
{
    if (!statistics_verify())
        cr_skip("only under LDPBENCH_VERIFY=1");
    run_well("PAIRS=0 PLANTS=1 sh scripts/check-study.sh 2>/dev/null | grep -q 'found in | 1 of 1 |'");
}

/* A single repetition has no deviation: that it could tell anything must not be said. */
Test(check, power_is_told_of_rows_that_can_be_tested)
{
    char folder[PATH_ROOM];
    struct outcome outcome;

    temporary_folder(folder);
    write_text(folder, "a.csv", HEADER KEY ",1,1e-4,,\n");
    write_text(folder, "b.csv", HEADER KEY ",1,9e-4,,\n");
    demand_verdict(folder, 0, "1 rows could not be tested", "a.csv b.csv");
    outcome = run_shell("cd %s && ldpbench check a.csv b.csv", folder);
    cr_assert(!strstr(outcome.out, "probability 0.8"), "%s", outcome.out);
    outcome_free(&outcome);
    demand_verdict(folder, 0, "\"untested_rows\":\t1", "a.csv b.csv --format json");
    demand_verdict(folder, 0, "\"median_detectable_change\":\tnull", "a.csv b.csv --format json");
    /* Without any deviation every change above the floor is found. */
    write_text(folder, "a.csv", HEADER KEY ",9,1e-4,0,0\n");
    write_text(folder, "b.csv", HEADER KEY ",8,1e-4,0,0\n");
    demand_verdict(folder, 0, "probability 0.8: 1 % in the median row", "a.csv b.csv");
}

Test(check, markdown_tables_hold)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    write_text(folder, "a.csv", HEADER "e,a|b,4,10,olh,1,`c`,full_domain,,9,1e-4,1e-6,1e-7\n");
    write_text(folder, "b.csv", HEADER "e,a|b,4,10,olh,1,`c`,full_domain,,9,9e-4,1e-6,1e-7\n");
    demand_verdict(folder, 1, "\n| `` a\\|b,4,10,olh,1,`c`,full_domain, `` | 0.0001 |", "a.csv b.csv --format md");
}

/* The project's own baseline: a run with another seed must agree with it, up to what its repetitions can tell. */
Test(check, own_baseline)
{
    char folder[PATH_ROOM];
    struct outcome outcome;

    temporary_folder(folder);
    run_well("ldpbench run configs/baselines/all.json -o %s/now --quiet --seed 4711", folder);
    outcome = run_shell("ldpbench check configs/baselines/all.csv %s/now", folder);
    cr_assert_eq(outcome.status, 0, "%s%s", outcome.out, outcome.err);
    outcome_free(&outcome);
}
