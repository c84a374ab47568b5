/* Agreement with papers: what decides, on numbers by hand; the papers' files; that wrong results flip verdicts. */
#include "agreement/forms.h"
#include "agreement/statements.h"
#include "program.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double low[] = {1, 2, 3, 4, 5}, shifted[] = {1.1, 2.1, 3.1, 4.1, 5.1};

static struct sample five(const double *value)
{
    return (struct sample){.n = 5, .mean = (value[0] + value[4]) / 2, .sd = sqrt(2.5), .value = value};
}

/* A claim's x may be a parameter of the oracles' labels. */
Test(agreement, numbers_in_labels)
{
    cr_expect_eq(label_number("CM-Min(columns=32)", "columns"), 32);
    cr_expect_eq(label_number("count_min(rows=8 columns=64;decode=min)", "columns"), 64);
    cr_expect(isnan(label_number("CM-Min(columns=32)", "umns")));
    cr_expect(isnan(label_number("CM-Min columns=32", "columns")));
    cr_expect(isnan(label_number("CM-Min(columns)", "columns")));
}

/* The difference is 0.1 in every repetition: paired it is significant, unpaired it is not. */
Test(agreement, pairing_decides)
{
    const struct sample a = five(low), b = five(shifted);
    double z;

    cr_expect_eq(judge_below(&a, &b, true, &z), AGREES);
    cr_expect_eq(judge_below(&b, &a, true, &z), DIFFERS);
    cr_expect_eq(judge_below(&a, &b, false, &z), UNDECIDED);
    cr_expect_float_eq(z, 0.1, 1e-12); /* over sqrt(2.5 / 5 + 2.5 / 5) = 1 */
}

/* ratio 3 / 3.1; influences (low_r - 3 / 3.1 (low_r + 0.1)) / 3.1 have the standard deviation sqrt(2.5) (1 - 3 / 3.1)
 * / 3.1. */
Test(agreement, error_of_a_ratio)
{
    const struct sample a = five(low), b = five(shifted);
    const struct estimate paired = estimate_ratio(&a, &b, true), apart = estimate_ratio(&a, &b, false);

    cr_expect_float_eq(paired.value, 3 / 3.1, 1e-12);
    cr_expect_float_eq(paired.error, sqrt(2.5 / 5) * (1 - 3 / 3.1) / 3.1, 1e-12);
    cr_expect_float_eq(apart.error, sqrt(0.5) * hypot(1, 3 / 3.1) / 3.1, 1e-12);
}

Test(agreement, a_small_effect_is_equal_and_no_more)
{
    const double one[] = {100, 100.01, 99.99, 100, 100}, other[] = {100.5, 100.51, 100.49, 100.5, 100.5};
    const struct sample a = {.n = 5, .mean = 100, .sd = 0.0070711, .value = one};
    const struct sample b = {.n = 5, .mean = 100.5, .sd = 0.0070711, .value = other};
    double z;

    cr_expect_eq(judge_below(&b, &a, true, &z), EQUAL);
    cr_expect_eq(judge_between((struct estimate){0.5, 0.001}, 0.4, 0.6), AGREES);
    cr_expect_eq(judge_between((struct estimate){0.5, 0.03}, 0.4, 0.6), UNDECIDED);
    cr_expect_eq(judge_between((struct estimate){0.7, 0.03}, 0.4, 0.6), UNDECIDED);
    cr_expect_eq(judge_between((struct estimate){0.7, 0.02}, 0.4, 0.6), DIFFERS);
    cr_expect_eq(judge_between((struct estimate){0.5, INFINITY}, 0.4, 0.6), UNDECIDED); /* one repetition */
}

Test(agreement, one_point_against_differs_one_open_is_undecided)
{
    struct tally tally = {0};

    cr_expect_eq(tally_verdict(&tally), EQUAL);
    tally_add(&tally, EQUAL);
    tally_add(&tally, AGREES);
    cr_expect_eq(tally_verdict(&tally), AGREES);
    tally_add(&tally, UNDECIDED);
    cr_expect_eq(tally_verdict(&tally), UNDECIDED);
    tally_add(&tally, DIFFERS);
    cr_expect_eq(tally_verdict(&tally), DIFFERS);
}

/* ---- files ---- */

static const char *const papers[] = {"ndss2020", "calibrate2019", "vldb2021", "icml2022", "calm2018"};

/* Every claim has a place and says what the paper says; ids are unique; every run has its config; notes are of claims.
 */
Test(agreement, files_of_papers)
{
    size_t rows = 0;

    for (size_t p = 0; p < sizeof papers / sizeof *papers; p++) {
        char path[PATH_ROOM];

        snprintf(path, sizeof path, "papers/%s/statements.json", papers[p]);
        struct statements statements;
        struct failure failure;
        cr_assert_eq(statements_load(path, &statements, &failure), 0, "%s", failure.text);
        rows += statements.nclaims;
        for (size_t i = 0; i < statements.nclaims; i++) {
            const struct claim *const claim = &statements.claim[i];

            snprintf(path, sizeof path, "configs/%s.json", claim->run);
            cr_expect_eq(access(path, R_OK), 0, "%s: %s", claim->id, path);
            cr_expect(claim->paper[0], "%s: what does the paper say?", claim->id);
            for (size_t j = 0; j < i; j++)
                cr_expect(strcmp(statements.claim[j].id, claim->id) != 0 ||
                              strcmp(statements.claim[j].variant, claim->variant) != 0,
                          "%s twice", claim->id);
        }
        for (size_t i = 0; i < statements.nnotes; i++) {
            bool found = false;

            for (size_t j = 0; j < statements.nclaims; j++)
                found = found || pattern_matches(statements.note[i].claim, statements.claim[j].id);
            cr_expect(found, "a note about %s, of which there is no claim", statements.note[i].claim);
        }
        statements_clear(&statements);
    }
    cr_expect_geq(rows, 131);
}

static void expect_refused(const char *text, const char *message)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    write_text(folder, "s.json", text);
    char path[PATH_ROOM + 20];
    snprintf(path, sizeof path, "%s/s.json", folder);
    struct statements statements;
    struct failure failure;
    cr_expect_eq(statements_load(path, &statements, &failure), -1, "%s", text);
    cr_expect(strstr(failure.text, message), "%s", failure.text);
}

Test(agreement, bad_files_are_refused)
{
    expect_refused("{\"paper\": \"p\"}", "expected the keys paper, citation and claims");
    expect_refused("{\"paper\": \"p\", \"citation\": \"c\", \"claims\": [1]}",
                   "claims: expected an object, got a number");
    expect_refused("{\"paper\": \"p\", \"citation\": \"c\", \"claims\": [{\"id\": \"a\"}]}", "missing key \"place\"");
    expect_refused("{\"paper\": \"p\", \"citation\": \"c\", \"claims\": [{\"id\": \"a\", \"place\": \"p\", \"claim\": "
                   "\"c\", \"run\": \"r\", \"form\": \"rato\"}]}",
                   "got \"rato\"");
    expect_refused("{\"paper\": \"p\", \"citation\": \"c\", \"claims\": [{\"id\": \"a\", \"place\": \"p\", \"claim\": "
                   "\"{x}\", \"run\": \"r\", \"form\": \"ratio\"}]}",
                   "{x}: the claim has no such text");
    expect_refused("{\"paper\": \"p\", \"citation\": \"c\", \"claims\": [{\"id\": \"a\", \"place\": \"p\", \"claim\": "
                   "\"c\", \"run\": \"r\", \"form\": \"ratio\", \"lo\": 1}]}",
                   "unknown key \"lo\"");
}

/* ---- swapped results ---- */

static const char *const methods[] = {"base",    "base_pos", "post_pos", "norm",  "norm_mul", "norm_sub",
                                      "mle_apx", "base_cut", "norm_cut", "power", "power_ns"};
enum { METHODS = sizeof methods / sizeof *methods, ROWS_MAX = 400 };

/* The verdicts of the paper's rows, in order. */
static size_t verdicts_of(const char *results, char verdict[ROWS_MAX][12], char row[ROWS_MAX][80])
{
    struct outcome outcome = run_shell("ldpbench agree papers/ndss2020 %s --format rows", results);

    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    size_t n = 0;
    for (char *line = strchr(outcome.out, '\n') + 1; *line && n < ROWS_MAX; line = strchr(line, '\n') + 1, n++) {
        const char *field = line;

        for (int tabs = 0; tabs < 3; tabs++)
            field = strchr(field, '\t') + 1;
        cr_assert_eq(sscanf(line, "%79[^\t]", row[n]), 1);
        cr_assert_eq(sscanf(field, "%11[a-z]", verdict[n]), 1, "%s", line);
    }
    outcome_free(&outcome);
    return n;
}

/* Whatever two methods a row compares: with the results of two methods exchanged it says something else. Rows that
 * are undecided at these few repetitions, and those that hold for every method, are left out. */
Test(agreement, swapped_results_flip_verdicts, .timeout = 900)
{
    static const char *const for_every_method[] = {"7-grows", "other",          "1-",          "2-",
                                                   "3-",      "4-norm-sub-100", "6-sets-worse"};
    static char verdict[ROWS_MAX][12], row[ROWS_MAX][80], swapped[ROWS_MAX][12], again[ROWS_MAX][80];
    static bool flips[ROWS_MAX];
    char folder[PATH_ROOM];

    temporary_folder(folder);
    for (const char *const *figure = (const char *const[]){"4", "5", "6", "7", "8", "10", NULL}; *figure; figure++)
        run_well("LDPBENCH_DATA= ldpbench run configs/ndss2020-fig%s.json --repetitions 200 --quiet -o "
                 "%s/true/ndss2020-fig%s && rm %s/true/ndss2020-fig%s/store.sqlite",
                 *figure, folder, *figure, folder, *figure);
    char path[PATH_ROOM + 20];
    snprintf(path, sizeof path, "%s/true", folder);
    const size_t n = verdicts_of(path, verdict, row);
    cr_assert_gt(n, 100);
    for (size_t a = 0; a < METHODS; a++)
        for (size_t b = 0; b < a; b++) {
            run_well(
                "rm -rf %s/swapped && cp -R %s/true %s/swapped && for t in %s/swapped/*/*.csv; do awk -F, -v OFS=, "
                "'{ if ($7 == \"%s\") $7 = \"%s\"; else if ($7 == \"%s\") $7 = \"%s\"; print }' $t >$t.new && "
                "mv $t.new $t; done",
                folder, folder, folder, folder, methods[a], methods[b], methods[b], methods[a]);
            snprintf(path, sizeof path, "%s/swapped", folder);
            cr_assert_eq(verdicts_of(path, swapped, again), n);
            for (size_t i = 0; i < n; i++)
                flips[i] = flips[i] || strcmp(verdict[i], swapped[i]) != 0;
        }
    for (size_t i = 0; i < n; i++) {
        bool exempt = strcmp(verdict[i], "undecided") == 0 || strcmp(verdict[i], "not") == 0;

        for (size_t k = 0; k < sizeof for_every_method / sizeof *for_every_method; k++)
            exempt = exempt || strncmp(row[i], for_every_method[k], strlen(for_every_method[k])) == 0;
        cr_expect(flips[i] || exempt, "%s %s whatever methods' results are exchanged", row[i], verdict[i]);
    }
}

/* ---- numbers of results ---- */

static void expect_number(const char *folder, const char *base_pos_sum, const char *expected)
{
    char table[1024];

    snprintf(table, sizeof table,
             "experiment,dataset,d,n,oracle,epsilon,method,repetitions,bias_sum,stderr\n"
             "t,zipf(s=1.5),1024,1000000,olh,1,base_pos,5000,%s,500\n",
             base_pos_sum);
    run_well("mkdir -p '%s/my results/ndss2020-fig1-3'", folder);
    write_text(folder, "my results/ndss2020-fig1-3/bias_sums.csv", table);
    write_text(folder, "my results/ndss2020-fig1-3/run.json", "{\n\t\"seed\":\t7,\n\t\"repetitions\":\t5000\n}\n");
    run_well("ldpbench agree papers/ndss2020 '%s/my results' -o '%s/page.md'", folder, folder);
    char *const page = read_text(folder, "page.md");
    cr_assert(page);
    cr_expect(strstr(page, expected), "%s: %s", expected, strstr(page, "Base-Pos's biases"));
    cr_expect(strstr(page, "| [ndss2020-fig1-3](../configs/ndss2020-fig1-3.json) | 7 | 5000 |"), "%.2000s", page);
    free(page);
}

/* The paper prints 711,932; both have an error of 500. */
Test(agreement, a_number_goes_by_the_error_of_both)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    expect_number(folder, "713347", "| 711,932 |  | 713,347 ± 500 | +2.0 | agrees");
    expect_number(folder, "708396", "| 711,932 |  | 708,396 ± 500 | -5.0 | **differs**");
    expect_number(folder, "711932.3", "| 711,932 |  | 711,932 ± 500 | +0.0 | agrees");
}

/* Bits of a report are the same in every repetition, and their table has no errors: what it says is decided. */
Test(agreement, a_number_without_an_error_is_exact)
{
    static const char head[] = "experiment,dataset,d,n,oracle,epsilon,bits_bound,variance_over_optimum,report_bits,"
                               "server_operations,state_bytes\n"
                               "t,zipf(s=1.1),4,1000,oue,3,2,5,4,4000,32\n"
                               "t,zipf(s=1.1),8,1000,oue,3,2,5,8,8000,64\n";
    static const char *const last[] = {"t,zipf(s=1.1),16,1000,oue,3,2,5,16,16000,128\n",
                                       "t,zipf(s=1.1),16,1000,oue,3,2,5,4,16000,128\n"};
    static const char *const expected[] = {"| 2 of 2 for | > +1000 | agrees", "**differs**"};

    for (int i = 0; i < 2; i++) {
        char folder[PATH_ROOM], table[1024], *page;

        temporary_folder(folder);
        snprintf(table, sizeof table, "%s%s", head, last[i]);
        run_well("mkdir -p %s/r/vldb2021-fig5c-bits", folder);
        write_text(folder, "r/vldb2021-fig5c-bits/oracles.csv", table);
        write_text(folder, "r/vldb2021-fig5c-bits/run.json", "{\n\t\"seed\":\t7,\n\t\"repetitions\":\t30\n}\n");
        run_well("ldpbench agree papers/vldb2021 %s/r -o %s/page.md", folder, folder);
        page = read_text(folder, "page.md");
        const char *const row = page ? strstr(page, "OUE's communication grows with d") : NULL;

        cr_assert(row);
        cr_expect(strstr(row, expected[i]) && strstr(row, expected[i]) < strchr(row, '\n'), "%.200s", row);
        free(page);
    }
}

/* ---- what would decide an undecided claim ---- */

/* Only the cells of the points that are open are asked for, and with more repetitions of these the claim is decided. */
Test(agreement, open_points_ask_for_their_cells)
{
    static const char statements[] =
        "{\"paper\": \"P\", \"citation\": \"C\", \"about\": [], \"names\": {}, \"sets\": {}, \"notes\": [], \"claims\": [\n"
        " {\"id\": \"order\", \"place\": \"Fig. 1\", \"claim\": \"a text\", \"paper\": \"below\", \"run\": \"r\",\n"
        "  \"form\": \"ordering\", \"x\": \"epsilon\", \"of\": {\"method\": \"norm_sub\"}, \"below\": {\"run\": \"r\", \"method\": \"norm\"}}]}\n";
    static const char config[] =
        "{\"name\": \"r\", \"seed\": 7, \"repetitions\": 4, \"outputs\": [\"mse\"],\n"
        " \"datasets\": [{\"type\": \"zipf\", \"d\": 64, \"n\": 20000, \"s\": 1.3}],\n"
        " \"oracles\": [\"olh\"], \"epsilon\": [0.1, 4], \"methods\": [\"norm\", \"norm_sub\"],\n"
        " \"queries\": [\"full_domain\"]}\n";
    static const char open[] = "ldpbench agree statements.json results --format open";
    char folder[PATH_ROOM];

    temporary_folder(folder);
    write_text(folder, "c.json", config);
    write_text(folder, "statements.json", statements);
    run_well("cd %s && ldpbench run c.json -o results/r --quiet", folder);
    struct outcome outcome = run_shell("cd %s && %s", folder, open);
    cr_expect_str_eq(outcome.out,
                     "results/r\t16\tfrequency|zipf(s=1.3)|d=64|n=20000|expected|olh(g=auto)|epsilon=4|counts\n",
                     "%s%s", outcome.out, outcome.err);
    outcome_free(&outcome);
    outcome = run_shell("cd %s && %s --limit 3", folder, open);
    cr_expect(strncmp(outcome.out, "results/r\t12\t", 13) == 0, "%s%s", outcome.out, outcome.err);
    outcome_free(&outcome);
    run_well("cd %s && while %s >open && test -s open; do cut -f 2,3 open >cells && "
             "ldpbench run c.json -o results/r --cells cells --quiet || exit; done",
             folder, open);
    run_well("cd %s && ldpbench agree statements.json results --format rows | grep -q 'agrees' && "
             "ldpbench agree statements.json results | grep -q '^| \\[r\\].*| 7 | 4 to '",
             folder);
    outcome = run_shell("cd %s && %s --limit 0", folder, open);
    cr_expect(outcome.status == 2 && strstr(outcome.err, "--limit"), "%s", outcome.err);
    outcome_free(&outcome);
}
