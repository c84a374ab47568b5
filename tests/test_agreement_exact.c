/* test_agreement_exact.c - ratios held against bounds, reducers by hand, and errors that are known exactly. */
#include "agreement/agreement.h"
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1.2 +- 0.1 over 0.06 +- 0.03 is 20 +- 10, but 1.2 - 1.5 * 0.06 is ten standard errors above 0. */
Test(agreement, a_ratio_is_held_against_a_bound_by_a_difference)
{
    const struct sample a = {.n = 10000, .mean = 1.2, .sd = 10}, b = {.n = 10000, .mean = 0.06, .sd = 3};
    const struct sample exact = {.n = 2, .mean = 1}, above = {.n = 2, .mean = 1.009}, beyond = {.n = 2, .mean = 1.02},
                        once = {.n = 1, .mean = 1};
    double z;

    cr_expect_eq(judge_between(estimate_ratio(&a, &b, false), 1.5, INFINITY), INCONCLUSIVE);
    cr_expect_eq(judge_ratio(&a, &b, false, 1.5, INFINITY, &z), AGREES);
    const struct sample *const both[] = {&a, &b}; /* of 10,000 repetitions Student's law is nearly the normal one */
    cr_expect_float_eq(z, (1.2 - 0.09) / hypot(sample_error(both[0]), 1.5 * sample_error(both[1])), 0.02);
    cr_expect_eq(judge_ratio(&b, &a, false, 0.5, 1, NULL), DIFFERS);
    cr_expect_eq(judge_ratio(&a, &b, false, 30, 50, NULL), INCONCLUSIVE);
    /* Numbers without an error may pass a bound by 1 %. */
    cr_expect_eq(judge_ratio(&above, &exact, false, 0.5, 1, NULL), AGREES);
    cr_expect_eq(judge_ratio(&beyond, &exact, false, 0.5, 1, NULL), DIFFERS);
    cr_expect_eq(judge_ratio(&once, &exact, false, 0.5, 2, NULL), INCONCLUSIVE);
}

static const char about[] = "{\"paper\": \"P\", \"citation\": \"C\", \"about\": [], \"names\": {}, \"sets\": {}, "
                            "\"notes\": [], \"claims\": [";

/* One claim for each reducer and what it is held against, on numbers of which one knows the answer: base 4, 2, 1 over
 * epsilon 1, 2, 4; norm half of it, but a third at 4. */
Test(agreement, reducers_by_hand)
{
    static const char table[] =
        "experiment,dataset,d,n,oracle,epsilon,method,query,parameter,repetitions,mse,sd,stderr\n"
        "r,mine,4,1000,oue,1,base,full_domain,,100,4,0.001,0.0001\n"
        "r,mine,4,1000,oue,2,base,full_domain,,100,2,0.001,0.0001\n"
        "r,mine,4,1000,oue,4,base,full_domain,,100,1,0.001,0.0001\n"
        "r,mine,4,1000,oue,1,norm,full_domain,,100,2,0.001,0.0001\n"
        "r,mine,4,1000,oue,2,norm,full_domain,,100,1,0.001,0.0001\n"
        "r,mine,4,1000,oue,4,norm,full_domain,,100,0.333,0.001,0.0001\n";
    static const struct {
        const char *keys, *expected;
    } cases[] = {
        {"\"reduce\": \"next\", \"relation\": \"above\", \"of\": {\"method\": \"base\"}", ",agrees,"},
        {"\"reduce\": \"next\", \"relation\": \"below\", \"of\": {\"method\": [\"norm\", \"base\"]}", "3 of 3 for"},
        {"\"reduce\": \"ends\", \"relation\": \"between\", \"of\": {\"method\": \"base\"}, \"low\": 0.24, \"high\": 0.26",
         ",agrees,"},
        {"\"reduce\": \"ends\", \"relation\": \"below\", \"of\": {\"method\": \"norm\"}, \"to\": {\"method\": \"base\"}",
         "0.333 against 0.5"},
        {"\"reduce\": \"points\", \"relation\": \"within\", \"of\": {\"method\": \"base\"}, \"per\": \"mean\", \"within\": 1.1",
         ",agrees,"}, /* 4 / 2, where 2 is the geometric mean */
        {"\"reduce\": \"points\", \"relation\": \"within\", \"of\": {\"method\": \"base\"}, \"per\": \"mean\", \"within\": 0.9",
         ",differs,"},
        {"\"reduce\": \"points\", \"relation\": \"not_below\", \"of\": {\"method\": \"base\"}, \"per\": 1",
         "3 of 3 for"},
        {"\"reduce\": \"points\", \"relation\": \"not_below\", \"of\": {\"method\": \"base\"}, \"per\": 2",
         ",differs,"},
        {"\"reduce\": \"number\", \"relation\": \"printed\", \"of\": {\"method\": \"base\"}, \"to\": {\"method\": \"norm\"}, "
         "\"until\": 1, \"printed\": 100, \"unit\": 1",
         ",agrees,"},
    };
    const char *const folder = folder_of_errors(table);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char statements[900];

        snprintf(statements, sizeof statements,
                 "%s{\"id\": \"a\", \"place\": \"p\", \"claim\": \"c\", \"paper\": \"p\", \"run\": \"r\", "
                 "\"x\": \"epsilon\", %s}]}",
                 about, cases[i].keys);
        write_text(folder, "statements.json", statements);
        struct outcome outcome = shell_in(folder, "ldpbench check statements.json results --format csv");
        cr_expect(strstr(outcome.out, cases[i].expected), "%s: %s%s", cases[i].keys, outcome.out, outcome.err);
        outcome_free(&outcome);
    }
}

/* A query's number is held against the relation; what is no query of a number is refused, and so is one that writes. */
FolderTest(agreement, claims_that_are_queries)
{
    static const struct {
        const char *keys, *expected;
    } cases[] = {
        {"\"relation\": \"above\", \"value\": 3, \"sql\": \"SELECT 4, 0.1\"", ",agrees,"},
        {"\"relation\": \"above\", \"value\": 3, \"sql\": \"SELECT 4, 0.1, 3\"", ",inconclusive,"}, /* Student's law */
        {"\"relation\": \"between\", \"low\": 0.9, \"high\": 1.1, \"where\": {\"method\": \"base\"}, \"sql\": \"SELECT count(*), 0 "
         "FROM mse WHERE method = :method AND dataset_label = :dataset\"",
         ",agrees,"},
        {"\"relation\": \"above\", \"sql\": \"SELECT 4\"", "expected one SELECT of two or three columns"},
        {"\"relation\": \"above\", \"sql\": \"SELECT 4, 1; SELECT 5, 1\"",
         "expected one SELECT of two or three columns"},
        {"\"relation\": \"above\", \"sql\": \"DELETE FROM mse_rows RETURNING 1, 2\"", "expected one SELECT"},
        {"\"relation\": \"above\", \"sql\": \"SELECT absent, 1 FROM mse\"", "no such column: absent"},
        {"\"relation\": \"above\", \"sql\": \"SELECT NULL, 1\"", "the query selects no number"},
    };

    write_text(
        folder, "c.json",
        "{\"name\": \"r\", \"seed\": 1, \"repetitions\": 2, \"datasets\": [{\"type\": \"uniform\", \"d\": 4, \"n\": "
        "100}], \"oracles\": [\"grr\"], \"epsilon\": 1, \"methods\": [\"base\"], \"queries\": [{\"type\": \"full_domain\"}]}");
    run_in(folder, "ldpbench run c.json -o results/r --quiet");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char statements[900];

        snprintf(statements, sizeof statements,
                 "%s{\"id\": \"a\", \"place\": \"p\", \"claim\": \"c\", \"paper\": \"p\", \"run\": \"r\", \"reduce\": "
                 "\"sql\", %s}]}",
                 about, cases[i].keys);
        write_text(folder, "statements.json", statements);
        struct outcome outcome = shell_in(folder, "ldpbench check statements.json results --format csv");
        cr_expect(strstr(outcome.out, cases[i].expected), "%s: %s%s", cases[i].keys, outcome.out, outcome.err);
        outcome_free(&outcome);
    }
}

/* The error of the unclipped mean of a sketch is exact, as simulations confirm; that of another decoder has no row. */
FolderTest(agreement, known_errors_of_sketches, SLOW, .timeout = 300)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"r\", \"seed\": 5, \"repetitions\": 200, \"datasets\": [{\"type\": \"zipf\", \"s\": 1.1, \"d\": 500, "
        "\"n\": 100000}], \"oracles\": [{\"name\": \"count_min\", \"rows\": 8, \"columns\": 64, \"label\": \"CM\", "
        "\"row_oracle\": {\"name\": \"flh\", \"k\": 50, \"decode\": \"published\"}}, {\"name\": \"count_sketch\", "
        "\"rows\": 8, \"columns\": 64, \"label\": \"CS\", \"row_oracle\": \"grr\"}, {\"name\": \"count_sketch\", "
        "\"signs\": \"parity\", \"rows\": 8, \"columns\": 64, \"label\": \"CP\", \"row_oracle\": \"grr\"}, "
        "{\"name\": \"count_min\", \"decode\": \"min\", \"rows\": 8, \"columns\": 64, \"label\": \"Min\", \"row_oracle\": "
        "\"grr\"}], \"epsilon\": 3, \"methods\": [\"base\"], \"queries\": [\"full_domain\", {\"type\": \"top_k\", \"k\": "
        "[10, 50]}], \"outputs\": [\"mse\", \"expected\"]}\n");
    write_text(
        folder, "compare.py",
        "import csv\n"
        "key = lambda row: (row['oracle'], row['query'], row['parameter'])\n"
        "exact = {key(row): float(row['expected_mse']) for row in csv.DictReader(open('results/r/expected.csv'))}\n"
        "rows = [row for row in csv.DictReader(open('results/r/mse.csv')) if row['oracle'] != 'Min']\n"
        "assert len(exact) == len(rows) == 9, exact\n"
        "for row in rows:\n"
        "    assert abs(float(row['mse']) - exact[key(row)]) < 4.5 * float(row['stderr']), (row, exact[key(row)])\n");
    run_in(folder, "ldpbench run c.json -o results/r --quiet && python3 compare.py");
}

/* The picture of Table 2 has the paper's name of every protocol that claims name. */
Test(agreement, protocols_of_table_2_have_their_printed_names)
{
    char *const claims = read_text("papers/vldb2021", "statements.json");
    char *const config = read_text("configs", "vldb2021-table2.json");
    static const char key[] = "\"protocol\": ";
    size_t count = 0;

    cr_assert(claims && config);
    for (const char *at = strstr(claims, key); at; at = strstr(at + 1, key)) {
        const char *const quote = strchr(at + sizeof key - 1, '"'), *const end = quote ? strchr(quote + 1, '"') : NULL;
        char name[200];

        cr_assert(end);
        snprintf(name, sizeof name, "%.*s: ", (int)(end - quote + 1), quote);
        cr_expect(strstr(config, name), "%s has no name", name);
        count++;
    }
    cr_expect_gt(count, 5);
    free(claims);
    free(config);
}
