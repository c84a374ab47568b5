/* Agreement with papers: what decides, on numbers by hand; the papers' files; that wrong results flip verdicts. */
#include "agreement/estimate.h"
#include "agreement/reduce.h"
#include "agreement/statements.h"
#include "program.h"
#include "quick.h"

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
    cr_expect_eq(judge_below(&a, &b, false, &z), UNDECIDED);
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
    const struct point point[] = {{.collection = 1, .by_folder = true}, {.collection = 2, .by_folder = true}};
    const struct point once[] = {{.collection = 1}, {.collection = 2}, {.collection = 2}};

    cr_expect(points_alike(&point[0], &point[1]) && !points_alike(&point[0], &once[0]));
    cr_expect(!points_alike(&once[0], &once[1]) && points_alike(&once[1], &once[2]));
}

/* What decides is as rare in a few repetitions as four standard errors in many. */
Test(agreement, few_repetitions_need_more_standard_errors)
{
    const struct estimate few = estimate_mean(&(struct sample){.n = 5, .mean = 1, .sd = sqrt(5)}),
                          many = estimate_mean(&(struct sample){.n = 100000, .mean = 1, .sd = sqrt(1e5)});

    cr_expect_float_eq(few.error, 1, 1e-12);
    cr_expect_float_eq(gsl_cdf_tdist_Q(few.reach, 4), gsl_cdf_ugaussian_Q(4), 1e-12);
    cr_expect_float_eq(many.reach, 4, 1e-3);
    cr_expect_eq(judge_between(few, 0.9, 100), UNDECIDED);
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
    cr_expect_eq(judge_below(&few, &few, true, &z), UNDECIDED); /* other repetitions may differ */
    cr_expect_eq(judge_below(&few_more, &few, true, &z), UNDECIDED);
    cr_expect_float_eq(growth_below(&few, &few, true), 90, 1e-9);
    cr_expect_eq(judge_between(estimate_of(0.5, 0.001), 0.4, 0.6), AGREES);
    cr_expect_eq(judge_between(estimate_of(0.5, 0.03), 0.4, 0.6), UNDECIDED);
    cr_expect_eq(judge_between(estimate_of(0.7, 0.03), 0.4, 0.6), UNDECIDED);
    cr_expect_eq(judge_between(estimate_of(0.7, 0.02), 0.4, 0.6), DIFFERS);
    cr_expect_eq(judge_between(estimate_of(0.5, INFINITY), 0.4, 0.6), UNDECIDED); /* one repetition */
}

/* Errors fall with the root of repetitions, and four of them must fit into the room that there is. */
Test(agreement, repetitions_that_would_decide)
{
    const struct sample a = five(low), b = five(shifted);

    /* A difference of 0.1 with an error of 1, of samples of five. */
    cr_expect_float_eq(growth_below(&a, &b, false), 1600 * 1.44, 1e-9);
    cr_expect_float_eq(growth_between(estimate_of(0.8, 0.05), 0.5, INFINITY), 1, 1e-12);
    cr_expect_float_eq(growth_between(estimate_of(0.3, 0.1), 0.5, INFINITY), 4, 1e-9);
    cr_expect_float_eq(growth_between(estimate_of(1.2, 0.1), 0.5, 1), 4, 1e-9);
    /* At a bound up to 1 % of it agrees. */
    cr_expect_float_eq(growth_between(estimate_of(1, 0.01), 0.5, 1), 16, 1e-9);
}

Test(agreement, one_point_against_differs_one_open_is_undecided)
{
    struct tally tally = {0};

    cr_expect_eq(tally_verdict(&tally), EQUAL);
    tally_add(&tally, EQUAL);
    tally_add(&tally, AGREES);
    cr_expect_eq(tally_verdict(&tally), AGREES);
    tally_add(&tally, EQUAL); /* most are equal */
    cr_expect_eq(tally_verdict(&tally), EQUAL);
    tally_add(&tally, UNDECIDED);
    cr_expect_eq(tally_verdict(&tally), UNDECIDED);
    tally_add(&tally, DIFFERS);
    cr_expect_eq(tally_verdict(&tally), DIFFERS);
}

/* ---- files ---- */

static const char *const papers[] = {"ndss2020",   "calibrate2019", "vldb2021",       "icml2022",       "calm2018",
                                     "usenix2017", "poisoning2021", "ldprecover2024", "mitigating2025", "sw2020",
                                     "hh2019",     "rsfd2021",      "loloha2023"};

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

/* ---- exchanged results ---- */

/* The verdict of a row of `agree --format rows`. */
static void take_verdict(const char *rows, const char *id, char verdict[12])
{
    char start[80];

    snprintf(start, sizeof start, "\n%s\t", id);
    const char *field = strstr(rows, start);
    cr_assert(field, "no row %s in %s", id, rows);
    field++;
    for (int tabs = 0; tabs < 3; tabs++)
        field = strchr(field, '\t') + 1;
    cr_assert_eq(sscanf(field, "%11[a-z]", verdict), 1);
}

/* An exchange inside the program is that of two methods' names in the tables. */
FolderTest(agreement, an_exchange_is_that_of_the_tables, SLOW, .timeout = 300)
{
    run_in(/* its tables are edited below */
           folder, "mkdir true && LDPBENCH_DATA= ldpbench run \"$OLDPWD/configs/ndss2020-fig4.json\" --repetitions 100 "
                   "--quiet -o true/ndss2020-fig4 && rm true/ndss2020-fig4/store.sqlite && "
                   "sed -i '/\"kind\":/s/table/picture/' true/ndss2020-fig4/run.json");
    struct outcome rows = run_shell("ldpbench agree papers/ndss2020 %s/true --format rows", folder);
    struct outcome exchanged = run_shell("ldpbench agree papers/ndss2020 %s/true --format exchanged", folder);
    cr_assert(rows.status == 0 && exchanged.status == 0, "%s%s", rows.err, exchanged.err);
    size_t tried = 0;
    for (char *line = strchr(exchanged.out, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        char id[80], data[80], a[40], b[40], before[12], after[12];

        if (sscanf(line, "%79[^\t]\t%79[^\t]\t\t%*[^\t]\t%39[a-z_] and %39[a-z_]\n", id, data, a, b) != 4 ||
            strncmp(data, "zipf", 4) != 0)
            continue;
        tried++;
        run_in(folder,
               "rm -rf swapped && cp -R true swapped && for t in swapped/*/*.csv; do awk -F, -v OFS=, "
               "'{ if ($7 == \"%s\") $7 = \"%s\"; else if ($7 == \"%s\") $7 = \"%s\"; print }' $t >$t.new && "
               "mv $t.new $t; done",
               a, b, b, a);
        struct outcome swapped = run_shell("ldpbench agree papers/ndss2020 %s/swapped --format rows", folder);
        take_verdict(rows.out, id, before);
        take_verdict(swapped.out, id, after);
        cr_expect_str_neq(before, after, "%s with %s and %s exchanged", id, a, b);
        outcome_free(&swapped);
    }
    cr_expect_geq(tried, 8);
    outcome_free(&rows);
    outcome_free(&exchanged);
}

/* Every decided row that agrees, of those in `exchanged`, changes its verdict with an exchange, or begins with one of
 * the ids; returns how many change. */
static size_t expect_changes(const char *exchanged, const char *paper, const char *const *for_every)
{
    size_t changed = 0;
    for (const char *line = strchr(exchanged, '\n') + 1; *line; line = strchr(line, '\n') + 1) {
        const size_t length = strcspn(line, "\n");
        const char *const differs = strstr(line, "\tdiffers\t");
        bool exempt = differs && differs < line + length;

        for (const char *const *id = for_every; *id; id++)
            exempt = exempt || strncmp(line, *id, strlen(*id)) == 0;
        const bool stays = length > 12 && strncmp(line + length - 12, "\tno exchange", 12) == 0;
        changed += length > 20 && strncmp(line + length - 20, "\tnothing to exchange", 20) != 0 && !stays;
        cr_expect(exempt || !stays, "%s: %.*s", paper, (int)length, line);
    }
    return changed;
}

/* Whatever methods, oracles, protocols or synopses a row compares: with the results of two of them exchanged it says
 * something else, in every paper. Rows that are undecided at these few repetitions are left out, and those that hold,
 * or fail, for every method. */
FolderTest(agreement, swapped_results_flip_verdicts, SLOW, .timeout = 900)
{
    static const struct {
        const char *paper, *runs, *repetitions;
        size_t least;              /* rows that change */
        const char *for_every[16]; /* ids, or how they begin */
    } cases[] = {
        {"ndss2020", "fig1-3 fig4 fig5 fig6 fig7 fig8 fig10", "50", 100, {"7-grows", "other", "6-sets-worse"}},
        {"ndss2020", "fig9", "12", 100, {"7-grows", "other", "6-sets-worse", "9-accurate"}},
        {"vldb2021",
         "fig1a fig1b fig2 fig2-users fig3a fig3b fig4a fig4b fig4b-1000 fig4c fig4d fig5a fig5b fig5c-bits",
         "20",
         15,
         {"5a-comparable", "4d-same", "other-9s-hr"}},
        {"calibrate2019", "fig3 fig4 fig5 fig6 fig7 fig8 fig9", "12", 15, {"8-threshold"}},
        {"icml2022", "errors costs", "20", 4, {"rappor"}},
        {"calm2018", "attributes", "5", 10, {NULL}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_well("for run in %s; do LDPBENCH_DATA= ldpbench run configs/%s-$run.json --repetitions %s --quiet -o "
                 "%s/%s-$run || exit; done",
                 cases[i].runs, cases[i].paper, cases[i].repetitions, folder, cases[i].paper);
        struct outcome outcome = run_shell("ldpbench agree papers/%s %s --format exchanged", cases[i].paper, folder);
        cr_assert_eq(outcome.status, 0, "%s", outcome.err);
        const size_t changed = expect_changes(outcome.out, cases[i].paper, cases[i].for_every);
        cr_expect_geq(changed, cases[i].least, "%s: %zu rows", cases[i].paper, changed);
        outcome_free(&outcome);
    }
}

/* Numbers of a config that are above a limit become the limit. */
struct limits {
    const char *key;
    double most;
};

static void shrink(cJSON *node, const struct limits *limits)
{
    cJSON *item;
    cJSON_ArrayForEach(item, node)
    {
        for (const struct limits *limit = limits; limit->key; limit++)
            if (cJSON_IsNumber(item) && item->string && strcmp(item->string, limit->key) == 0)
                cJSON_SetNumberValue(item, fmin(item->valuedouble, limit->most));
        shrink(item, limits);
    }
}

/* Runs a config on a small domain, with small sketches and, of its datasets, the first ones only. */
static void run_small(const char *folder, const char *run, const char *repetitions, int datasets,
                      const struct limits *limits)
{
    char name[100];
    snprintf(name, sizeof name, "%s.json", run);
    char *const text = read_text("configs", name);
    cr_assert(text, "%s", name);
    cJSON *const config = cJSON_Parse(text);
    cr_assert(config);
    shrink(config, limits);
    cJSON *const list = cJSON_GetObjectItem(config, "datasets");
    while (cJSON_GetArraySize(list) > datasets)
        cJSON_DeleteItemFromArray(list, datasets);
    char *const small = cJSON_Print(config);
    write_text(folder, name, small);
    run_in(folder, "LDPBENCH_DATA= ldpbench run %s --repetitions %s --quiet -o %s", name, repetitions, run);
    free(small);
    free(text);
    cJSON_Delete(config);
}

/* The same for times, sketches, searches and synopses, whose configs take minutes: on small ones of the same names. */
FolderTest(agreement, swapped_results_of_small_runs_flip_verdicts, SLOW, .timeout = 900)
{
    static const struct limits sketches[] = {{"d", 400}, {"n", 100000}, {"rows", 12}, {"columns", 128}, {NULL, 0}},
                               records[] = {{"d", 11}, {"n", 8192}, {"count", 6}, {NULL, 0}},
                               counts[] = {{"d", 1500}, {"n", 400000}, {NULL, 0}};
    static const struct {
        const char *run;
        int datasets;
        const struct limits *limits;
    } runs[] = {
        {"vldb2021-fig6", 1, sketches},     {"vldb2021-fig7ab", 1, sketches}, {"vldb2021-fig7c", 1, sketches},
        {"vldb2021-fig8", 1, sketches},     {"vldb2021-fig9", 1, sketches},   {"vldb2021-fig10", 1, sketches},
        {"vldb2021-table2", 1, sketches},   {"vldb2021-fig3c", 1, counts},    {"vldb2021-fig5c", 1, counts},
        {"vldb2021-fig11", 1, counts},      {"icml2022-times", 1, counts},    {"calm2018-fourier", 4, records},
        {"calm2018-fourier-6", 4, records},
    };
    static const struct {
        const char *paper;
        size_t least;
        const char *for_every[2];
    } papers_of[] = {{"vldb2021", 60, {"3c-client"}}, /* times that are alike are so in any order */
                     {"icml2022", 0, {"order"}},      /* another order of times needs more users */
                     {"calm2018", 8, {NULL}}};

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        run_small(folder, runs[i].run, "12", runs[i].datasets, runs[i].limits);
    for (size_t i = 0; i < sizeof papers_of / sizeof *papers_of; i++) {
        const char *const paper = papers_of[i].paper;
        /* From a folder of their own: beside papers/ the configs of these names are larger. */
        run_well("mkdir -p %s/papers/%s && cp papers/%s/statements.json %s/papers/%s", folder, paper, paper, folder,
                 paper);
        struct outcome outcome = run_shell("ldpbench agree %s/papers/%s %s --format exchanged", folder, paper, folder);
        cr_assert_eq(outcome.status, 0, "%s", outcome.err);
        const size_t changed = expect_changes(outcome.out, paper, papers_of[i].for_every);
        cr_expect_geq(changed, papers_of[i].least, "%s: %zu rows", paper, changed);
        outcome_free(&outcome);
    }
}

/* A table that was edited, and results of another config under the same name, are no evidence. */
FolderTest(agreement, edited_tables_and_other_configs_are_refused, SLOW)
{
    run_well("mkdir -p %s/papers/mine %s/configs && cp papers/icml2022/statements.json %s/papers/mine && "
             "cp configs/icml2022-costs.json %s/configs && "
             "ldpbench run configs/icml2022-costs.json --repetitions 2 --quiet -o %s/r/icml2022-costs",
             folder, folder, folder, folder, folder);
    run_well("ldpbench agree %s/papers/mine %s/r --format rows", folder, folder);
    run_well("sed -i 's/\"seed\": [0-9]*/\"seed\": 3/' %s/configs/icml2022-costs.json", folder);
    struct outcome other = run_shell("ldpbench agree %s/papers/mine %s/r --format rows", folder, folder);
    cr_expect(other.status == 2 && strstr(other.err, "results of another config than "), "%s", other.err);
    /* With a store the file is not read; without it, it must be as the run wrote it. */
    run_in(folder,
           "ldpbench agree \"$OLDPWD/papers/icml2022\" r --format rows >before && "
           "sed -i '2s/,[0-9]*$/,7/' r/icml2022-costs/oracles.csv && "
           "ldpbench agree \"$OLDPWD/papers/icml2022\" r --format rows >after && cmp before after && "
           "ldpbench agree \"$OLDPWD/papers/icml2022\" r/icml2022-costs/ --format rows >after && cmp before after && "
           "cp -r r alone && rm alone/*/store.sqlite");
    struct outcome edited = run_shell("ldpbench agree papers/icml2022 %s/alone --format rows", folder);
    cr_expect(edited.status == 2 && strstr(edited.err, "oracles.csv: not the table that the run wrote"), "%s",
              edited.err);
    run_well("python3 -c \"import sqlite3; s = sqlite3.connect('%s/r/icml2022-costs/store.sqlite'); s.execute('UPDATE "
             "oracles_rows SET state_bytes = 7 WHERE row = 0'); s.commit()\"",
             folder);
    struct outcome damaged = run_shell("ldpbench agree papers/icml2022 %s/r --format rows", folder);
    cr_expect(damaged.status == 2 && strstr(damaged.err, "store.sqlite: damaged; run the experiment again"), "%s",
              damaged.err);
    outcome_free(&other);
    outcome_free(&edited);
    outcome_free(&damaged);
}

/* What --new writes runs and is judged as it is; nothing is written over. */
FolderTest(agreement, a_new_paper_begins_with_files_that_work)
{
    run_in(folder,
           "ldpbench agree --new sw2020 && ldpbench run configs/sw2020-fig1.json -o results/sw2020-fig1 --quiet && "
           "ldpbench agree papers/sw2020 results | grep -q 'Of 1 statement of the paper 1 agrees'");
    struct outcome again = shell_in(folder, "ldpbench agree --new sw2020");
    struct outcome path = shell_in(folder, "ldpbench agree --new ../sw");
    cr_expect(again.status == 2 && strstr(again.err, "papers/sw2020/statements.json: expected a new file"), "%s",
              again.err);
    cr_expect(path.status == 2 && strstr(path.err, "--new: expected a name of letters"), "%s", path.err);
    outcome_free(&again);
    outcome_free(&path);
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
    run_well("ldpbench agree papers/ndss2020 '%s/my results' --format all -o '%s/page.md'", folder, folder);
    char *const page = read_text(folder, "page.md");
    cr_assert(page);
    cr_expect(strstr(page, expected), "%s: %s", expected, strstr(page, "Base-Pos's biases"));
    cr_expect(strstr(page, "| [ndss2020-fig1-3](../configs/ndss2020-fig1-3.json) | 7 | 5000 |"), "%.2000s", page);
    free(page);
}

/* The paper prints 711,932; both have an error of 500. */
FolderTest(agreement, runs_with_other_seeds_share_a_line)
{
    expect_number(folder, "1", "Base-Pos");
    run_in(folder, "mkdir again && cp -r 'my results/ndss2020-fig1-3' again/");
    write_text(folder, "again/ndss2020-fig1-3/run.json", "{\n\t\"seed\":\t8,\n\t\"repetitions\":\t5000\n}\n");
    run_well("ldpbench agree papers/ndss2020 '%s/my results' '%s/again' -o '%s/two.md'", folder, folder, folder);
    char *const page = read_text(folder, "two.md");
    cr_expect(page && strstr(page, "| 7 to 8, 2 runs | 5000 |"), "%s", page ? strstr(page, "## What was run") : "");
    free(page);
}

FolderTest(agreement, a_number_goes_by_the_error_of_both)
{
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
        char table[1024];

        const char *const folder = temporary_folder();
        snprintf(table, sizeof table, "%s%s", head, last[i]);
        run_well("mkdir -p %s/r/vldb2021-fig5c-bits", folder);
        write_text(folder, "r/vldb2021-fig5c-bits/oracles.csv", table);
        write_text(folder, "r/vldb2021-fig5c-bits/run.json", "{\n\t\"seed\":\t7,\n\t\"repetitions\":\t30\n}\n");
        run_well("ldpbench agree papers/vldb2021 %s/r --format all -o %s/page.md", folder, folder);
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
         "**Of 1 statement of the paper 1 agrees with what is measured here and 0 differ.**",
         "| better | p |  | 1 of 1 for | agrees |\n"},
        {"true", "", "1 statement of the paper 0 agree with what is measured here and 1 differs.**",
         "| better | p |  | 1 of 2 comparisons agree; the hardest: 0 of 1 for, 1 against | **differs** [1](#note-1) |\n"},
        {"false", "\"own_data\": [\"own\"], ", "0 agree with what is measured here and 1 differs.**",
         "| better | p |  | 1 of 2 comparisons agree; the hardest: 0 of 1 for, 1 against | **differs** [1](#note-1) |\n"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char statements[2048];

        const char *const folder = temporary_folder();
        run_well("mkdir -p %s/results/r", folder);
        write_text(folder, "results/r/mse.csv", table);
        write_text(folder, "results/r/run.json", "{\"seed\": 7, \"repetitions\": 100}");
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
        run_in(folder, "ldpbench agree statements.json results -o page.md");
        char *const page = read_text(folder, "page.md");
        cr_assert(page);
        cr_expect(strstr(page, cases[i].tally), "%zu: %.400s", i, page);
        cr_expect(strstr(page, cases[i].row), "%zu: %.2000s", i, page);
        cr_expect(strstr(page, "| s | it is nice | not a number |"));
        cr_expect(strstr(page, "Why. With one change, *power is above* (own): 1 of 1 for, agrees."));
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
        const char *bounds, *verdict;
    } cases[] = {{"\"low\": 0.5, \"high\": 1", "\tequal\t"},
                 {"\"low\": 1", "\tagrees\t"}, /* slightly above is above */
                 {"\"low\": 0.5, \"high\": 1.001", "\tagrees\t"},
                 {"\"high\": 0.9", "\tdiffers\t"}};
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
        struct outcome outcome = shell_in(folder, "ldpbench agree statements.json results --format rows");
        cr_expect(strstr(outcome.out, cases[i].verdict), "%s: %s%s", cases[i].bounds, outcome.out, outcome.err);
        outcome_free(&outcome);
    }
}

/* ---- what would decide an undecided claim ---- */

/* What another cell is too slow for is not to be had by repeating a fast one. */
FolderTest(agreement, a_cell_that_has_enough_waits_for_the_others)
{
    static const char statements[] =
        "{\"paper\": \"P\", \"citation\": \"C\", \"about\": [], \"names\": {}, \"sets\": {}, \"notes\": [], \"claims\": [\n"
        " {\"id\": \"order\", \"place\": \"Fig. 1\", \"claim\": \"a text\", \"paper\": \"below\", \"run\": \"r\",\n"
        "  \"reduce\": \"points\", \"relation\": \"below\", \"of\": {\"oracle\": \"oue\"}, \"to\": {\"oracle\": \"sue\"}}]}\n";
    static const char config[] = "{\"name\": \"r\", \"seed\": 7, \"repetitions\": 4, \"outputs\": [\"mse\"],\n"
                                 " \"datasets\": [{\"type\": \"zipf\", \"d\": 256, \"n\": 20000, \"s\": 1.3}],\n"
                                 " \"oracles\": [\"oue\", \"sue\"], \"epsilon\": 1, \"methods\": [\"base\"],\n"
                                 " \"queries\": [\"full_domain\"]}\n";

    write_text(folder, "c.json", config);
    write_text(folder, "statements.json", statements);
    run_in(folder,
           "ldpbench run c.json -o results/r --dry-run --verbose | "
           "sed -n 's/^ *\\(frequency|.*oue.*\\)/1000\\t\\1/p; s/^ *\\(frequency|.*sue.*\\)/8\\t\\1/p' >cells && "
           "ldpbench run c.json -o results/r --cells cells --quiet && "
           "ldpbench agree statements.json results --format open | cut -f 2,4 >open && "
           "test $(wc -l <open) = 2 && grep -q '^1000\t1000$' open && awk '$2 == 8 { exit !($1 > 8) }' open");
}

/* Rows of other settings, and those of a statement of which another comparison differs, change no verdict. */
FolderTest(agreement, only_what_decides_a_statement_asks_for_cells)
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
    static const struct {
        const char *aside;
        int lines;
    } cases[] = {{"", 0}, {", \"aside\": true", 1}};
    char text[2048];

    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o results/r --quiet");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, statements, cases[i].aside);
        write_text(folder, "statements.json", text);
        run_in(folder,
               "ldpbench agree statements.json results --format rows | grep -c 'undecided\\|differs' | grep -q 2");
        run_in(folder, "test $(ldpbench agree statements.json results --format open | wc -l) = %d", cases[i].lines);
    }
}

/* Only the cells of the points that are open are asked for, and with more repetitions of these the claim is decided. */
FolderTest(agreement, open_points_ask_for_their_cells)
{
    static const char statements[] =
        "{\"paper\": \"P\", \"citation\": \"C\", \"about\": [], \"names\": {}, \"sets\": {}, \"notes\": [], \"claims\": [\n"
        " {\"id\": \"order\", \"place\": \"Fig. 1\", \"claim\": \"a text\", \"paper\": \"below\", \"run\": \"r\",\n"
        "  \"reduce\": \"points\", \"relation\": \"below\", \"x\": \"epsilon\", \"of\": {\"method\": \"norm_sub\"}, \"to\": {\"run\": \"r\", \"method\": \"norm\"}}]}\n";
    static const char config[] =
        "{\"name\": \"r\", \"seed\": 7, \"repetitions\": 8, \"outputs\": [\"mse\"],\n"
        " \"datasets\": [{\"type\": \"zipf\", \"d\": 64, \"n\": 20000, \"s\": 1.3}],\n"
        " \"oracles\": [\"olh\"], \"epsilon\": [0.1, 4], \"methods\": [\"norm\", \"norm_sub\"],\n"
        " \"queries\": [\"full_domain\"]}\n";
    static const char open[] = "ldpbench agree statements.json results --format open";

    write_text(folder, "c.json", config);
    write_text(folder, "statements.json", statements);
    run_in(folder, "ldpbench run c.json -o results/r --quiet");
    struct outcome outcome = shell_in(folder, "%s", open);
    static const char first[] =
        "results/r\t14\tfrequency|zipf(s=1.3)|d=64|n=20000|expected|olh(g=auto)|epsilon=4|counts\t8\t";
    cr_expect(strncmp(outcome.out, first, sizeof first - 1) == 0 && strtod(outcome.out + sizeof first - 1, NULL) == 10,
              "%s%s", outcome.out, outcome.err);
    outcome_free(&outcome);
    outcome = shell_in(folder, "%s --limit 1", open);
    cr_expect(outcome.out[0] == '\0', "%s%s", outcome.out, outcome.err);
    outcome_free(&outcome);
    run_in(folder, "ldpbench agree statements.json results | grep -q '; about [0-9,]* repetitions would decide it'");
    run_in(folder,
           "while %s >open && test -s open; do cut -f 2,3 open >cells && "
           "ldpbench run c.json -o results/r --cells cells --quiet || exit; done",
           open);
    /* What is printed are fresh repetitions: half as many again. */
    run_in(folder, "ldpbench agree statements.json results --format fresh >open && cut -f 2,3 open >cells && "
                   "test $(wc -l <cells) = 1 && test $(cut -f 1 cells) = $(($(cut -f 4 open) * 3 / 2)) && "
                   "ldpbench run c.json -o results/r --cells cells --quiet");
    run_in(folder, "ldpbench agree statements.json results --format rows | grep -q 'agrees' && "
                   "ldpbench agree statements.json results | grep -q '^| \\[r\\].*| 7 | 8 to '");
    expect_said(2, "--limit", "cd %s && %s --limit 0", folder, open);
}
