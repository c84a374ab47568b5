/* Methods that suit only some oracles, in a config with other oracles: they are left out of the cells of the others. */
#include "program.h"
#include "quick.h"
#include "stores.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* grr before, between and after others; adaptive is grr in some of its cells. */
static const char ragged[] = "{\"name\": \"t\", \"seed\": 7, \"repetitions\": %d, \"epsilon\": [0.5, 2],%s\n"
                             " \"datasets\": [{\"type\": \"zipf\", \"s\": 1.1, \"d\": [8, 16], \"n\": 1000}],\n"
                             " \"oracles\": %s, \"methods\": %s,\n"
                             " \"queries\": [\"full_domain\", {\"type\": \"top_k\", \"k\": [2, 4]}%s]}\n",
                  heavy[] = ", {\"type\": \"heavy_hitters\", \"threshold\": [0.05]}";

static void write_ragged(const char *folder, const char *name, int repetitions, const char *more, const char *oracles,
                         const char *methods)
{
    char text[2048];

    /* The task selection takes queries that have an error. */
    snprintf(text, sizeof text, ragged, repetitions, more, oracles, methods, strstr(more, "selection") ? "" : heavy);
    write_text(folder, name, text);
}

static const char four[] = "[\"olh\", \"grr\", \"oue\", \"adaptive\"]", all[] = "\"all\"",
                  outputs[] = " \"outputs\": [\"mse\", \"values\", \"noise\"],";

FolderTest(applicable, left_out_where_they_do_not_suit_and_said_once)
{
    write_ragged(folder, "c.json", 5, outputs, four, all);
    struct outcome outcome = shell_in(folder, "ldpbench run c.json -o r");
    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    const char *const note = "t: mle is left out for olh, oue and some cells of adaptive: it needs an oracle "
                             "whose reports each name one value, such as grr\n";
    const char *const said = strstr(outcome.err, note);
    cr_assert_not_null(said, "%s", outcome.err);
    cr_expect_null(strstr(said + strlen(note), "left out"), "%s", outcome.err);
    outcome_free(&outcome);
    /* full_domain in two datasets and two epsilon of grr, and where adaptive is grr. */
    demand_output(folder,
                  "grep ',full_domain,' r/mse.csv | cut -d, -f5,6,7 | grep -e ',mle$' | sort | uniq -c | tr -s ' '",
                  " 2 adaptive,2,mle\n 2 grr,0.5,mle\n 2 grr,2,mle\n");
    demand_output(folder, "grep -c ',composite_mle,full_domain' r/mse.csv", "16\n");
    for (const char *const *table = (const char *const[]){"n_equivalent", "bias_sums", NULL}; *table; table++) {
        char command[200];

        snprintf(command, sizeof command, "grep -c ',mle,' r/%s.csv && cut -d, -f2-7 r/%s.csv | sort | uniq -d", *table,
                 *table);
        demand_output(folder, command, "6\n");
    }
    demand_output(folder, "grep -c ',mle,' r/heavy_hitters.csv && grep -c ',mle,' r/values.csv", "6\n72\n");

    outcome = shell_in(folder, "ldpbench run c.json --dry-run");
    cr_expect(
        strstr(outcome.out, "  note           mle is left out for olh, oue and some cells of adaptive: it needs "),
        "%s", outcome.out);
    outcome_free(&outcome);
}

FolderTest(applicable, same_bytes_kept_resumed_and_with_other_threads, SLOW)
{
    write_ragged(folder, "grr.json", 4, outputs, "[\"grr\"]", all);
    write_ragged(folder, "less.json", 3, outputs, "[\"grr\", \"oue\"]", "[\"base\", \"mle\", \"norm_sub\"]");
    write_ragged(folder, "c.json", 7, outputs, four, all);
    run_in(folder, "ldpbench run c.json -o a --quiet -j1 && ldpbench run c.json -o b --quiet -j3");
    demand_same_tables(folder, "a", "b");
    /* Grown from one oracle and from fewer methods; what is there is used again. */
    run_in(folder, "ldpbench run grr.json -o c --quiet && ldpbench run less.json -o c --quiet && "
                   "ldpbench run c.json -o c --quiet -j2");
    demand_same_tables(folder, "a", "c");
    struct outcome outcome = shell_in(folder, "ldpbench run c.json -o c");
    cr_expect(strstr(outcome.err, "t: 0 repetitions in"), "%s", outcome.err);
    outcome_free(&outcome);
    /* Parts of the work in other folders, put together. */
    run_in(folder, "ldpbench run c.json -o p --shard 1/2 --quiet && ldpbench run c.json -o q --shard 2/2 --quiet && "
                   "ldpbench run c.json --from p q -o m --quiet");
    demand_same_tables(folder, "a", "m");
    /* What an oracle's cells hold does not depend on who else is there. */
    write_ragged(folder, "alone.json", 7, outputs, "[\"grr\"]", "[\"mle\"]");
    run_in(folder, "ldpbench run alone.json -o alone --quiet && grep -e experiment -e grr,[0-9.]*,mle, a/mse.csv | "
                   "cmp - alone/mse.csv");
}

FolderTest(applicable, asked_for_less_the_folder_answers_and_says_what_is_more)
{
    write_ragged(folder, "c.json", 3, "", four, "[\"base\", \"mle\"]");
    write_ragged(folder, "less.json", 3, "", four, "[\"base\"]");
    write_ragged(folder, "oue.json", 3, "", "[\"oue\"]", "[\"base\"]");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench run c.json -o s --quiet");
    struct outcome outcome = shell_in(folder, "ldpbench run less.json -o r");
    cr_expect(strstr(outcome.err, "methods was [\"base\",\"mle\"] and is [\"base\"]"), "%s", outcome.err);
    cr_expect(strstr(outcome.err, "t: 0 repetitions in"), "%s", outcome.err);
    outcome_free(&outcome);
    outcome = shell_in(folder, "ldpbench run oue.json -o s");
    cr_expect(strstr(outcome.err, "t: 0 repetitions in"), "%s", outcome.err);
    outcome_free(&outcome);
}

/* A cell that no method suits is not run, unless more than methods is asked for. */
FolderTest(applicable, cells_without_a_method)
{
    write_ragged(folder, "c.json", 3, "", "[\"oue\", \"grr\"]", "[\"mle\"]");
    run_in(folder, "ldpbench run c.json -o r --quiet");
    demand_output(folder, "tail -n +2 r/mse.csv | cut -d, -f5 | uniq", "grr\n");
    write_ragged(folder, "c.json", 3, " \"outputs\": [\"mse\", \"noise\", \"times\", \"oracles\"],",
                 "[\"oue\", \"grr\"]", "[\"mle\"]");
    run_in(folder, "ldpbench run c.json -o s --quiet && ldpbench check --allow-new r s >/dev/null");
    demand_output(folder,
                  "tail -n +2 s/mse.csv | cut -d, -f5 | uniq && tail -n +2 s/noise.csv | cut -d, -f5 | uniq && "
                  "cut -d, -f5 s/times.csv | sort | uniq -c | tr -s ' '",
                  "grr\noue\ngrr\noue\ngrr\n 4 grr\n 1 oracle\n 4 oue\n");
}

FolderTest(applicable, refused_where_it_suits_no_oracle)
{

    write_ragged(folder, "bad.json", 3, "", "[\"oue\", \"olh\"]", "[\"base\", \"mle\"]");
    demand_failure(2, "methods: expected methods that suit one of the oracles, got mle, which needs an oracle whose",
                   "cd %s && ldpbench run bad.json", folder);
}

FolderTest(applicable, read_back_by_check_plot_and_report, SLOW)
{
    write_ragged(folder, "c.json", 6, "", four, all);
    run_in(folder, "ldpbench run c.json -o a --quiet && ldpbench run c.json -o b --quiet -j1 && "
                   "ldpbench run c.json -o other --quiet --seed 8");
    run_in(folder, "ldpbench check --exact a b && ldpbench check a other && ldpbench plot a >plots 2>&1 && "
                   "ldpbench report a -o page.md --format md --no-plots");
    demand_within(folder, "page.md", "t, mse.csv: comparable in some of the settings only, and left out here: mle.");
    demand_within(folder, "page.md", "| note | mle is left out for olh, oue and some cells of adaptive");
    demand_within(folder, "page.md", " mean squared error, 48 settings\n");
    /* A number that is wrong in a cell of few methods is found in its store. */
    run_in(folder,
           "sed -i 's/\\(,oue,2,base,full_domain,,6,\\)/\\11/;s/\\(,grr,2,mle,full_domain,,6,\\)/\\11/' b/mse.csv");
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/b", folder);
    store_tables(path);
    run_in(folder, "! ldpbench check a b >found && grep -q 'grr.*mle' found && grep -q 'oue.*base' found");
}

FolderTest(applicable, choices_of_the_task_selection)
{
    write_ragged(folder, "c.json", 4,
                 " \"task\": \"selection\", \"surrogates\": [\"norm_sub\", \"truth\"], \"trials\": 3,",
                 "[\"olh\", \"grr\"]", "[\"mle\", \"norm_sub\", \"base\"]");
    run_in(folder, "ldpbench run c.json -o a --quiet -j1 && ldpbench run c.json -o b --quiet -j2");
    demand_same_tables(folder, "a", "b");
    /* Two datasets, two epsilon, two surrogates, three points. */
    demand_output(folder,
                  "grep -c olh a/regret.csv; grep -c grr a/regret.csv; grep -c olh a/selection.csv; "
                  "grep -c grr a/selection.csv; grep -c 'olh.*,mle,' a/selection.csv || true",
                  "24\n24\n48\n72\n0\n");
    demand_output(folder, "awk -F, 'NR > 1 && !($11 >= 1) { print }' a/regret.csv", "");
    demand_output(folder,
                  "awk -F, 'NR > 1 { sum[$2 $3 $5 $6 $7 $9 $10] += $NF } END { for (k in sum) if (sum[k] != 4) "
                  "print k, sum[k] }' a/selection.csv",
                  "");
}

FolderTest(applicable, estimate_says_whom_it_leaves_out)
{
    static const char asked[] = "cd %s && ldpbench estimate --oracle %s --epsilon 1 --n 1000 %s s.tsv";

    write_text(folder, "s.tsv", "a\t400\nb\t300\nc\t300\n");
    struct outcome outcome = run_shell(asked, folder, "olh", "--method all");
    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    cr_expect_str_eq(outcome.err,
                     "mle is left out for olh: it needs an oracle whose reports each name one value, such as grr\n");
    cr_expect_null(strstr(outcome.out, " mle "));
    outcome_free(&outcome);
    outcome = run_shell(asked, folder, "grr", "--method all");
    cr_expect_str_eq(outcome.err, ""); /* grr has all of them */
    outcome_free(&outcome);
    outcome = run_shell(asked, folder, "grr", "--method base --method mle");
    cr_expect_str_eq(outcome.err, "");
    outcome_free(&outcome);
    /* What fails afterwards says that alone. */
    outcome = run_shell(asked, folder, "count_min", "--level 0.9");
    cr_expect_eq(outcome.status, 2);
    cr_expect_null(strstr(outcome.err, "left out"), "%s", outcome.err);
    outcome_free(&outcome);
}

FolderTest(applicable, noise_that_is_no_longer_asked_for)
{
    write_ragged(folder, "c.json", 3, " \"outputs\": [\"mse\", \"noise\"],", "[\"oue\"]", "[\"base\"]");
    write_ragged(folder, "less.json", 3, "", "[\"oue\"]", "[\"base\"]");
    run_in(folder, "ldpbench run c.json -o r --quiet");
    struct outcome outcome = shell_in(folder, "ldpbench run less.json -o r");
    cr_expect(strstr(outcome.err, "t: outputs was [\"mse\",\"noise\"] and is not given; the store keeps these results"),
              "%s", outcome.err);
    outcome_free(&outcome);
}

/* Types of interval too: refused before the run, with the query's line, if they suit no oracle; else it is said which
 * oracles have none. One rule for single values and for sets. */
FolderTest(applicable, intervals_that_suit_no_oracle_are_refused)
{
    static const char format[] =
        "{\"name\": \"t\", \"seed\": 1, \"repetitions\": 1, \"epsilon\": 1, \"methods\": [\"base\"],\n"
        "\"datasets\": [{\"type\": \"zipf\", \"d\": 24, \"n\": 2000, \"s\": 1.5}], \"oracles\": [%s],\n"
        "\"queries\": [\n{\"type\": %s}]}\n";
    static const char *const refused[][2] = {
        {"\"flh\"", "\"intervals\", \"rank\": 10, \"interval\": \"exact\""},
        {"\"flh\"", "\"intervals\", \"rank\": 10, \"interval\": \"mid_p\""},
        {"\"count_min\"", "\"intervals\", \"rank\": 10, \"interval\": \"bonferroni\""},
        {"\"oue\"", "\"intervals\", \"rank\": 10, \"interval\": \"permutation\""},
        {"\"oue\"", "\"intervals\", \"rank\": 10, \"interval\": \"npmle_split\""},
        {"\"count_min\"", "\"selected_intervals\", \"k\": 3"},
        {"\"bloom\"", "\"selected_intervals\", \"k\": 3"},
        {"\"count_min\"", "\"set_intervals\", \"percent\": 50"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char config[600];
        snprintf(config, sizeof config, format, refused[i][0], refused[i][1]);
        write_text(folder, "c.json", config);
        struct outcome outcome = shell_in(folder, "ldpbench run c.json -o r");
        cr_expect_eq(outcome.status, 2, "%s: %s", refused[i][0], outcome.err);
        cr_expect(strstr(outcome.err, "c.json:4: queries[0]: expected intervals that suit"), "%s", outcome.err);
        outcome_free(&outcome);
    }
    static const char *const noted[] = {"\"intervals\", \"rank\": 10, \"interval\": \"bonferroni\"",
                                        "\"selected_intervals\", \"k\": 3", "\"set_intervals\", \"percent\": 50"};
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++) {
        char config[600];
        snprintf(config, sizeof config, format, "\"oue\", \"count_min\"", noted[i]);
        write_text(folder, "c.json", config);
        struct outcome outcome = shell_in(folder, "ldpbench run c.json -o r");
        cr_expect_eq(outcome.status, 0, "%s: %s", noted[i], outcome.err);
        cr_expect(strstr(outcome.err, "oracle count_min: no intervals for "), "%s: %s", noted[i], outcome.err);
        cr_expect_null(strstr(outcome.err, "oracle oue: no intervals"), "%s", outcome.err);
        outcome_free(&outcome);
    }
}
