/* Agreement with papers: what decides, on numbers by hand; the papers' files; that wrong results flip verdicts. */
#include "agreement/agreement.h"
#include "program.h"
#include "quick.h"
#include "stores.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double low[] = {1, 2, 3, 4, 5}, shifted[] = {1.1, 2.1, 3.1, 4.1, 5.1};

static struct sample five(const double *value)
{
    return (struct sample){.n = 5, .mean = (value[0] + value[4]) / 2, .sd = sqrt(2.5), .value = value, .length = 5};
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
    cr_expect_eq(judge_below(&a, &b, false, &z), INCONCLUSIVE);
    /* Over sqrt(2.5 / 5 + 2.5 / 5) = 1, and as four standard errors of a normal law are more of Student's. */
    cr_expect_float_eq(z, 0.1 * 4 / gsl_cdf_tdist_Qinv(gsl_cdf_ugaussian_Q(4), 4), 1e-12);
}

/* Of two samples of one length the repetitions count that both have: 1 more in each of the first five. */
Test(agreement, pairs_are_of_the_repetitions_that_both_have)
{
    const double more[] = {2, 3, 4, 5, 6, 1000, 1000}, less[] = {1, 2, 3, 4, 5};
    const struct sample a = sample_of(more, 7), b = sample_of(less, 5);
    const struct estimate difference = estimate_difference(&a, &b, true);

    cr_expect_float_eq(difference.value, 1, 1e-12);
    cr_expect_float_eq(difference.error, 0, 1e-12);
}

/* Points that were run again have in common what each run has. */
Test(agreement, points_of_the_same_runs_are_alike)
{
    const struct evidence_point point[] = {{.collection = 1, .by_run = true}, {.collection = 2, .by_run = true}};
    const struct evidence_point once[] = {{.collection = 1}, {.collection = 2}, {.collection = 2}};

    cr_expect(same_collections(&point[0], &point[1]) && !same_collections(&point[0], &once[0]));
    cr_expect(!same_collections(&once[0], &once[1]) && same_collections(&once[1], &once[2]));
}

/* What decides is as rare in a few repetitions as four standard errors in many. */
Test(agreement, few_repetitions_need_more_standard_errors)
{
    const struct estimate few = estimate_mean(&(struct sample){.n = 5, .mean = 1, .sd = sqrt(5)}),
                          many = estimate_mean(&(struct sample){.n = 100000, .mean = 1, .sd = sqrt(1e5)});

    cr_expect_float_eq(few.error, 1, 1e-12);
    cr_expect_float_eq(gsl_cdf_tdist_Q(few.reach, 4), gsl_cdf_ugaussian_Q(4), 1e-12);
    cr_expect_float_eq(many.reach, 4, 1e-3);
    cr_expect_eq(judge_between(few, 0.9, 100), INCONCLUSIVE);
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
    double same[2000], half_more[2000];
    double z;

    for (int i = 0; i < 2000; i++) {
        same[i] = one[i % 5];
        half_more[i] = other[i % 5];
    }
    const struct sample a = sample_of(same, 2000), b = sample_of(half_more, 2000), few = sample_of(one, 5),
                        few_more = sample_of(other, 5);
    cr_expect_eq(judge_below(&a, &b, true, &z), AGREES); /* slightly lower is lower */
    cr_expect_eq(judge_below(&b, &a, true, &z), EQUAL);
    cr_expect_eq(judge_below(&a, &a, true, &z), EQUAL);
    cr_expect_eq(judge_below(&few, &few, true, &z), INCONCLUSIVE); /* other repetitions may differ */
    cr_expect_eq(judge_below(&few_more, &few, true, &z), INCONCLUSIVE);
    cr_expect_eq(judge_between(estimate_of(0.5, 0.001), 0.4, 0.6), AGREES);
    cr_expect_eq(judge_between(estimate_of(0.5, 0.03), 0.4, 0.6), INCONCLUSIVE);
    cr_expect_eq(judge_between(estimate_of(0.7, 0.03), 0.4, 0.6), INCONCLUSIVE);
    cr_expect_eq(judge_between(estimate_of(0.7, 0.02), 0.4, 0.6), DIFFERS);
    cr_expect_eq(judge_between(estimate_of(0.5, INFINITY), 0.4, 0.6), INCONCLUSIVE); /* one repetition */
}

Test(agreement, one_point_against_differs_one_open_is_inconclusive)
{
    struct tally tally = {0};

    cr_expect_eq(tally_result(&tally), EQUAL);
    tally.n[EQUAL]++;
    tally.n[AGREES]++;
    cr_expect_eq(tally_result(&tally), AGREES);
    tally.n[EQUAL]++; /* most are equal */
    cr_expect_eq(tally_result(&tally), EQUAL);
    tally.n[INCONCLUSIVE]++;
    cr_expect_eq(tally_result(&tally), INCONCLUSIVE);
    tally.n[DIFFERS]++;
    cr_expect_eq(tally_result(&tally), DIFFERS);
}

/* ---- files ---- */

static const char *const papers[] = {"ndss2020",       "calibrate2019", "vldb2021",       "icml2022",
                                     "calm2018",       "usenix2017",    "poisoning2021",  "ldprecover2024",
                                     "mitigating2025", "sw2020",        "hh2019",         "rsfd2021",
                                     "loloha2023",     "mss2026",       "revisiting2026", "postprocessing2025"};

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
        const cJSON *note;
        cJSON_ArrayForEach(note, cJSON_GetObjectItem(statements.root, "notes"))
        {
            const char *const claims = statement_text(note, "claim", "");
            bool found = false;

            for (size_t j = 0; j < statements.nclaims; j++)
                found = found || pattern_matches(claims, statements.claim[j].id);
            cr_expect(found, "a note about %s, of which there is no claim", claims);
        }
        statements_clear(&statements);
    }
    cr_expect_geq(rows, 131);
}

/* Results of two methods that are exchanged in the store change verdicts. */
FolderTest(agreement, exchanged_results_flip_verdicts, SLOW)
{
    char path[2 * PATH_ROOM];

    run_in(folder, "mkdir true && LDPBENCH_DATA= ldpbench run \"$OLDPWD/configs/ndss2020-fig4.json\" --repetitions 100 "
                   "--quiet -o true/ndss2020-fig4 && cp -R true swapped");
    snprintf(path, sizeof path, "%s/swapped/ndss2020-fig4/store.sqlite", folder);
    sqlite3 *const store = open_store(path);
    exchange_names(store, "base", "norm_sub");
    sqlite3_close(store);
    run_well("for folder in true swapped; do ldpbench check papers/ndss2020 %s/$folder --format csv | sed '/^$/q' | "
             "cut -d , -f 1-4 | grep -v 'not run' >%s/$folder.rows || exit; done",
             folder, folder);
    run_in(folder,
           "paste -d , true.rows swapped.rows | awk -F , '$4 != $8 { changed++ } END { exit !(changed >= 8) }'");
}

/* A store that was edited, and results of another config under the same name, are no evidence. */
FolderTest(agreement, edited_tables_and_other_configs_are_refused, SLOW)
{
    run_well("mkdir -p %s/papers/mine %s/configs && cp papers/icml2022/statements.json %s/papers/mine && "
             "cp configs/icml2022-costs.json %s/configs && "
             "ldpbench run configs/icml2022-costs.json --repetitions 2 --quiet -o %s/r/icml2022-costs",
             folder, folder, folder, folder, folder);
    run_well("ldpbench check %s/papers/mine %s/r --format csv", folder, folder);
    run_well("sed -i 's/\"seed\": [0-9]*/\"seed\": 3/' %s/configs/icml2022-costs.json", folder);
    struct outcome other = run_shell("ldpbench check %s/papers/mine %s/r --format csv", folder, folder);
    cr_expect(other.status == 2 && strstr(other.err, "results of another config than "), "%s", other.err);
    /* The file is not read. */
    run_in(folder,
           "ldpbench check \"$OLDPWD/papers/icml2022\" r --format csv >before && "
           "sed -i '2s/,[0-9]*$/,7/' r/icml2022-costs/oracles.csv && "
           "ldpbench check \"$OLDPWD/papers/icml2022\" r --format csv >after && cmp before after && "
           "ldpbench check \"$OLDPWD/papers/icml2022\" r/icml2022-costs/ --format csv >after && cmp before after");
    run_well("python3 -c \"import sqlite3; s = sqlite3.connect('%s/r/icml2022-costs/store.sqlite'); s.execute('UPDATE "
             "oracles_rows SET state_bytes = 7 WHERE row = 0'); s.commit()\"",
             folder);
    struct outcome damaged = run_shell("ldpbench check papers/icml2022 %s/r --format csv", folder);
    cr_expect(damaged.status == 2 && strstr(damaged.err, "store.sqlite: damaged; run the experiment again"), "%s",
              damaged.err);
    outcome_free(&other);
    outcome_free(&damaged);
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
    snprintf(table, sizeof table, "%s/my results/ndss2020-fig1-3", folder);
    store_tables(table);
    run_well("ldpbench check papers/ndss2020 '%s/my results' --all --format md -o '%s/page.md' || [ $? = 1 ]", folder,
             folder);
    char *const page = read_text(folder, "page.md");
    cr_assert(page);
    cr_expect(strstr(page, expected), "%s: %s", expected, strstr(page, "Base-Pos's biases"));
    cr_expect(strstr(page, "| ndss2020-fig1-3 | 7 | 5,000 |"), "%.2000s", page);
    free(page);
}

/* The paper prints 711,932; both have an error of 500. */
FolderTest(agreement, runs_with_other_seeds_share_a_line)
{
    expect_number(folder, "1", "Base-Pos");
    run_in(folder, "mkdir again && cp -r 'my results/ndss2020-fig1-3' again/");
    write_text(folder, "again/ndss2020-fig1-3/run.json", "{\n\t\"seed\":\t8,\n\t\"repetitions\":\t5000\n}\n");
    run_well("ldpbench check papers/ndss2020 '%s/my results' '%s/again' --format md -o '%s/two.md' || [ $? = 1 ]",
             folder, folder, folder);
    char *const page = read_text(folder, "two.md");
    cr_expect(page && strstr(page, "| 7 to 8, 2 runs | 5,000 |"), "%s", page ? strstr(page, "## What was run") : "");
    free(page);
}

FolderTest(agreement, a_number_goes_by_the_error_of_both)
{
    expect_number(folder, "713347", "| 711,932 |  | 713,347 ± 500 | 2.0 | agrees");
    expect_number(folder, "708396", "| 711,932 |  | 708,396 ± 500 | -5.0 | differs");
    expect_number(folder, "711932.3", "| 711,932 |  | 711,932 ± 500 | 0.0 | agrees");
}

/* Bits of a report are the same in every repetition, and their table has no errors: what it says is decided. */
Test(agreement, a_number_without_an_error_is_exact)
{
    static const char head[] =
        "experiment,dataset,d,n,oracle,epsilon,bits_bound,guess,variance_over_optimum,attack_success,"
        "advantage,report_bits,server_operations,state_bytes\n"
        "t,zipf(s=1.1),4,1000,oue,3,2,.5,5,.6,.2,4,4000,32\n"
        "t,zipf(s=1.1),8,1000,oue,3,2,.5,5,.6,.2,8,8000,64\n";
    static const char *const last[] = {"t,zipf(s=1.1),16,1000,oue,3,2,.5,5,.6,.2,16,16000,128\n",
                                       "t,zipf(s=1.1),16,1000,oue,3,2,.5,5,.6,.2,4,16000,128\n"};
    static const char *const expected[] = {"| 2 of 2 for | inf | agrees", "| differs |"};

    for (int i = 0; i < 2; i++) {
        char table[1024];

        const char *const folder = temporary_folder();
        snprintf(table, sizeof table, "%s%s", head, last[i]);
        run_well("mkdir -p %s/r/vldb2021-fig5c-bits", folder);
        write_text(folder, "r/vldb2021-fig5c-bits/oracles.csv", table);
        write_text(folder, "r/vldb2021-fig5c-bits/run.json", "{\n\t\"seed\":\t7,\n\t\"repetitions\":\t30\n}\n");
        snprintf(table, sizeof table, "%s/r/vldb2021-fig5c-bits", folder);
        store_tables(table);
        run_well("ldpbench check papers/vldb2021 %s/r --all --format md -o %s/page.md || [ $? = 1 ]", folder, folder);
        char *const page = read_text(folder, "page.md");
        const char *const rows = page ? strstr(page, "## Every comparison") : NULL,
                          *const row = rows ? strstr(rows, "OUE's communication grows with d") : NULL;

        cr_assert(row);
        cr_expect(strstr(row, expected[i]) && strstr(row, expected[i]) < strchr(row, '\n'), "%.200s", row);
        free(page);
    }
}

/* A sentence of several comparisons has one verdict, the one that says most against it. What is in another setting than
 * the paper's (an entry that is aside, data that are not its own) has a row and does not count. */
Test(agreement, a_sentence_has_one_verdict)
{
    static const char table[] =
        "experiment,dataset,d,n,oracle,epsilon,method,query,parameter,repetitions,mse,sd,stderr\n"
        "r,own,4,1000,oue,1,base,full_domain,,100,2,0.001,0.0001\n"
        "r,own,4,1000,oue,1,norm,full_domain,,100,1,0.001,0.0001\n"
        "r,own,4,1000,oue,1,power,full_domain,,100,3,0.001,0.0001\n"
        "r,other,4,1000,oue,1,base,full_domain,,100,1,0.001,0.0001\n"
        "r,other,4,1000,oue,1,norm,full_domain,,100,2,0.001,0.0001\n"
        "r,other,4,1000,oue,1,power,full_domain,,100,3,0.001,0.0001\n";
    static const struct {
        const char *aside, *own, *tally, *row;
    } cases[] = {
        {"true", "\"own_data\": [\"missing\", \"own\"], ",
         "Of 1 statement of the paper 1 agrees with what is measured here and 0 differ.",
         "| better | agrees | 1 of 1 for | p |  |  |\n"},
        {"true", "", "1 statement of the paper 0 agree with what is measured here and 1 differs.",
         "| better | differs | 1 of 2 comparisons agree; the hardest: 0 of 1 for, 1 against | p |  | 1 |\n"},
        {"false", "\"own_data\": [\"own\"], ", "0 agree with what is measured here and 1 differs.",
         "| better | differs | 1 of 2 comparisons agree; the hardest: 0 of 1 for, 1 against | p |  | 1 |\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char statements[2048], run[2 * PATH_ROOM];

        const char *const folder = temporary_folder();
        run_well("mkdir -p %s/results/r", folder);
        snprintf(run, sizeof run, "%s/results/r", folder);
        write_text(run, "run.json", "{\"seed\": 7, \"repetitions\": 100}");
        write_table(run, "mse.csv", "", table);
        snprintf(
            statements, sizeof statements,
            "{\"paper\": \"P\", \"citation\": \"C\", \"important\": [\"b\"], \"claims\": [{\"id\": \"b\", \"place\": "
            "\"f\", \"claim\": \"better: {method}\", \"paper\": \"p\", %s\"run\": \"r\", \"reduce\": \"points\", "
            "\"relation\": \"below\", \"to\": {\"method\": \"base\"}, \"each\": [{\"method\": \"norm\"}, "
            "{\"method\": \"power\", \"aside\": %s}]}, {\"id\": \"e\", \"place\": \"n\", \"claim\": \"power is above\", "
            "\"evidence\": true, \"data\": \"own\", \"run\": \"r\", \"reduce\": \"points\", \"relation\": \"above\", "
            "\"of\": {\"method\": \"power\"}, \"to\": {\"method\": \"base\"}}], \"notes\": [{\"claim\": \"b*\", \"when\": "
            "\"differs\", \"text\": \"Why.\", \"counterfactual\": \"e\"}], \"unchecked\": [{\"place\": \"s\", "
            "\"statement\": \"it is nice\", \"why\": \"not a number\"}]}",
            cases[i].own, cases[i].aside);
        write_text(folder, "statements.json", statements);
        run_in(folder, "ldpbench check statements.json results --format md -o page.md");
        char *const page = read_text(folder, "page.md");
        cr_assert(page);
        cr_expect(strstr(page, cases[i].tally), "%zu: %.400s", i, page);
        cr_expect(strstr(page, cases[i].row), "%zu: %.2000s", i, page);
        cr_expect(strstr(page, "| s | it is nice | not a number |"));
        cr_expect(strstr(page, "Why. With one change, \"power is above\" (own): 1 of 1 for, agrees."));
        free(page);
    }
}

/* A bound of 1 is that of better or worse: within 1 % of it neither holds; any other bound may be reached. */
Test(agreement, a_ratio_of_nearly_one_is_neither_better_nor_worse)
{
    static const char table[] =
        "experiment,dataset,d,n,oracle,epsilon,method,query,parameter,repetitions,mse,sd,stderr\n"
        "r,mine,4,1000,oue,1,base,full_domain,,100,1.004,0.001,0.0001\n"
        "r,mine,4,1000,oue,1,norm,full_domain,,100,1,0.001,0.0001\n";
    static const struct {
        const char *bounds, *result;
    } cases[] = {{"\"low\": 0.5, \"high\": 1", ",equal,"},
                 {"\"low\": 1", ",agrees,"}, /* slightly above is above */
                 {"\"low\": 0.5, \"high\": 1.001", ",agrees,"},
                 {"\"high\": 0.9", ",differs,"}};
    const char *const folder = folder_of_errors(table);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char statements[600];

        snprintf(
            statements, sizeof statements,
            "{\"paper\": \"P\", \"citation\": \"C\", \"about\": [], \"names\": {}, \"sets\": {}, \"notes\": [], "
            "\"claims\": [{\"id\": \"a\", \"place\": \"p\", \"claim\": \"c\", \"paper\": \"p\", \"run\": \"r\", "
            "\"reduce\": \"mean ratio\", \"relation\": \"between\", \"of\": {\"method\": \"base\"}, \"to\": {\"method\": \"norm\"}, %s}]}",
            cases[i].bounds);
        write_text(folder, "statements.json", statements);
        struct outcome outcome = shell_in(folder, "ldpbench check statements.json results --format csv");
        cr_expect(strstr(outcome.out, cases[i].result), "%s: %s%s", cases[i].bounds, outcome.out, outcome.err);
        outcome_free(&outcome);
    }
}

/* A row says of which run it is, and whether more repetitions would matter: those of other settings, and those of a
 * statement of which another comparison differs, change no verdict. */
FolderTest(agreement, a_row_says_what_its_statement_is)
{
    static const char statements[] =
        "{\"paper\": \"P\", \"citation\": \"C\", \"about\": [], \"names\": {}, \"sets\": {}, \"notes\": [], \"claims\": [\n"
        " {\"id\": \"order\", \"place\": \"Fig. 1\", \"claim\": \"a text: {other}\", \"paper\": \"below\", \"run\": \"r\",\n"
        "  \"reduce\": \"points\", \"relation\": \"below\", \"x\": \"epsilon\", \"each\": [\n"
        "   {\"of\": {\"method\": \"norm_sub\"}, \"to\": {\"method\": \"norm\"}, \"other\": \"open\"},\n"
        "   {\"of\": {\"method\": \"norm\"}, \"to\": {\"method\": \"norm_sub\"}, \"until\": 0.1, \"other\": \"against\"%s}]}]}\n";
    static const char config[] =
        "{\"name\": \"r\", \"seed\": 7, \"repetitions\": 8, \"outputs\": [\"mse\"],\n"
        " \"datasets\": [{\"type\": \"zipf\", \"d\": 64, \"n\": 20000, \"s\": 1.3}],\n"
        " \"oracles\": [\"olh\"], \"epsilon\": [0.1, 4], \"methods\": [\"norm\", \"norm_sub\"],\n"
        " \"queries\": [\"full_domain\"]}\n";
    static const char *const cases[][2] = {{"", "differs"}, {", \"aside\": true", "inconclusive"}};
    char text[2048];

    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o results/r --quiet");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, statements, cases[i][0]);
        write_text(folder, "statements.json", text);
        run_in(folder,
               "ldpbench check statements.json results --format csv | cut -d , -f 1,4,6,7 | sed -n 2p >row && "
               "[ \"$(tr , ' ' <row)\" = 'order-1 inconclusive r %s' ]",
               cases[i][1]);
    }
}
