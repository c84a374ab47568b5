/* The examples of docs/developing.md: each is one file and one line, builds as it is written there, and is known
 * everywhere. */
#include "program.h"
#include "quick.h"
#include "stores.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program with an example in it: FOLDER/ldpbench. */
static const char *extend(const char *section)
{
    const char *const folder = temporary_folder();

    run_well("sh tests/extending.sh '%s' %s", section, folder);
    return folder;
}

/* The shell command with $new, the extended program, in the folder. */
static void run_new(const char *folder, const char *command)
{
    run_well("export LDPBENCH_SHARE=$PWD && new=%s/ldpbench && cd %s && %s", folder, folder, command);
}

static void write_config(const char *folder, const char *oracle, const char *method, const char *query)
{
    char text[1024];

    snprintf(text, sizeof text,
             "{\"name\": \"c\", \"seed\": 5, \"repetitions\": 12, \"epsilon\": [1, 2, 4],\n"
             " \"datasets\": [{\"type\": \"zipf\", \"d\": 32, \"n\": 4000, \"s\": 1}],\n"
             " \"oracles\": [%s], \"methods\": [%s], \"queries\": [%s]}\n",
             oracle, method, query);
    write_text(folder, "c.json", text);
}

Test(extending, a_method, SLOW)
{
    const char *const folder = extend("A method");
    write_config(folder, "\"olh\"", "{\"name\": \"clip\", \"cap\": 0.01}, \"clip\", \"base_pos\"", "\"full_domain\"");
    run_new(folder, "$new list methods --format names | grep -qx clip && $new run c.json -o out --quiet");
    demand_within(folder, "out/mse.csv", ",clip(cap=0.01),full_domain,");
    demand_within(folder, "out/mse.csv", ",clip,full_domain,");
    write_config(folder, "\"olh\"", "{\"name\": \"clip\", \"cap\": 2}", "\"full_domain\"");
    run_new(folder,
            "$new run c.json -o other 2>&1 | grep -q 'methods\\[0\\].cap: expected a number from 0 to 1, got 2'");
}

Test(extending, an_attack, SLOW)
{
    const char *const folder = extend("An attack");

    write_text(folder, "c.json",
               "{\"name\": \"c\", \"seed\": 5, \"repetitions\": 12, \"epsilon\": 1, \"oracles\": [\"grr\"],\n"
               " \"datasets\": [{\"type\": \"uniform\", \"d\": 32, \"n\": 4000}],\n"
               " \"methods\": [\"base\"], \"queries\": [\"full_domain\"],\n"
               " \"attacks\": [{\"type\": \"first\", \"fraction\": 0.2, \"targets\": {\"values\": [3, 4]}}]}\n");
    run_new(folder, "$new list attacks --format names | grep -qx first && $new run c.json -o out --quiet && "
                    "grep -q ',base,first,0.2,2,12,' out/attacks.csv");
}

Test(extending, a_chain, SLOW)
{
    const char *const folder = extend("A chain");

    write_text(folder, "c.json",
               "{\"name\": \"c\", \"task\": \"longitudinal\", \"repetitions\": 12, \"epsilon\": 4, \"rounds\": 5,\n"
               " \"datasets\": [{\"type\": \"uniform\", \"d\": 32, \"n\": 4000}], \"methods\": [\"base\"],\n"
               " \"chains\": [\"thrifty\", {\"name\": \"thrifty\", \"part\": 0.5, \"oracle\": \"grr\"}],\n"
               " \"queries\": [\"full_domain\"], \"outputs\": [\"average\"]}\n");
    run_new(folder, "$new list chains --format names | grep -qx thrifty && $new run c.json -o out --quiet && "
                    "grep -q ',thrifty,4,0.5,base,full_domain,,12,' out/longitudinal.csv && "
                    "grep -q ',thrifty(part=0.5 oracle=grr),4,' out/longitudinal.csv && $new plot out");
}

Test(extending, an_oracle, SLOW)
{
    const char *const folder = extend("An oracle");
    write_config(folder, "\"by_size\", {\"name\": \"by_size\", \"limit\": 64}, \"grr\", \"olh\"", "\"base\"",
                 "\"full_domain\"");
    run_new(folder, "$new list oracles --format names | grep -qx by_size && $new run c.json -o out --quiet && "
                    "grep -q ',by_size,' out/mse.csv && grep -q ',by_size(limit=64),' out/mse.csv");
}

/* A config of ordered values. */
static void write_ordered(const char *folder, const char *oracle, const char *method)
{
    char text[1024];

    snprintf(text, sizeof text,
             "{\"name\": \"c\", \"seed\": 5, \"repetitions\": 3, \"epsilon\": 1, \"ordered\": true,\n"
             " \"datasets\": [{\"type\": \"geometric\", \"d\": 32, \"n\": 4000, \"ratio\": 0.9}],\n"
             " \"oracles\": [%s], \"methods\": [%s], \"queries\": [\"distribution\"]}\n",
             oracle, method);
    write_text(folder, "c.json", text);
}

Test(extending, an_estimator_of_a_distribution, SLOW)
{
    const char *const folder = extend("An estimator of a distribution");
    write_ordered(folder, "\"sw\"", "\"em_fixed\", {\"name\": \"em_fixed\", \"tau\": 0.1}, \"ems\"");
    run_new(folder, "$new list methods --format names | grep -qx em_fixed && $new run c.json -o out --quiet && "
                    "grep -q ',em_fixed,' out/distribution.csv && grep -q ',em_fixed(tau=0.1),' out/distribution.csv");
}

Test(extending, an_ordered_oracle, SLOW)
{
    const char *const folder = extend("An ordered oracle");
    write_ordered(folder, "\"narrow_wave\", \"sw\"", "\"em\", \"ems\"");
    run_new(folder, "$new list oracles --format names | grep -qx narrow_wave && $new run c.json -o out --quiet && "
                    "grep -q ',narrow_wave,1,ems,' out/distribution.csv");
    write_config(folder, "\"narrow_wave\"", "\"em\"", "\"full_domain\"");
    run_new(folder, "$new run c.json -o out 2>&1 | grep -q 'narrow_wave uses the order of the values'");
}

/* A query with a measure of its own is stored, tabled, listed, plotted and reported. */
Test(extending, a_query_with_a_new_measure, SLOW)
{
    const char *const folder = extend("A query");
    write_config(folder, "\"olh\"", "\"base\", \"norm_sub\"", "\"largest_error\", \"full_domain\"");
    run_new(folder, "$new run c.json -o out --quiet");
    char *text = read_text(folder, "out/largest_error.csv");
    cr_assert_not_null(text);
    cr_expect(strstr(text, "method,query,parameter,repetitions,largest_error,largest_error_stderr,"), "%s", text);
    cr_expect(strstr(text, ",norm_sub,largest_error,,12,0.0"), "%s", text);
    free(text);
    sqlite3 *const store = open_store(folder);
    text = ask_store(store, "SELECT declaration FROM tables");
    cr_expect(strstr(text, "\"largest_error.csv\""));
    cr_expect(strstr(text, "\"largest error of any value\""));
    free(text);
    sqlite3_close(store);
    run_new(folder, "$new plot out && test -s out/largest_error.svg && grep -q 'largest error' out/largest_error.svg");
    run_new(folder, "$new report out --no-plots --format md");
    text = read_text(folder, "report.md");
    cr_expect(strstr(text, "| take | norm\\_sub"), "%s", text);
    cr_expect(strstr(text, "largest error (ε"), "%s", text);
    free(text);
}

/* A change of that measure alone is found: with another seed nothing is, with a method that is worse its rows are. */
Test(extending, a_new_measure_is_checked, SLOW)
{
    const char *const folder = extend("A query");
    write_config(folder, "\"olh\"", "{\"name\": \"norm_sub\", \"label\": \"m\"}", "\"largest_error\"");
    run_new(folder, "$new run c.json -o a --quiet && $new run c.json -o b --quiet");
    write_config(folder, "\"olh\"", "{\"name\": \"uniform\", \"label\": \"m\"}", "\"largest_error\"");
    run_new(folder, "$new run c.json -o c --quiet && $new check a b");
    expect_said(1, "largest_error", "cd %s && ./ldpbench check a c --allow-config", folder);
}

/* Another task has it too: methods are chosen by it. A query without an error is refused there. */
Test(extending, a_new_measure_in_another_task, SLOW)
{
    static const char config[] =
        "{\"name\": \"c\", \"task\": \"selection\", \"seed\": 5, \"repetitions\": 6, \"epsilon\": [1, 2],\n"
        " \"datasets\": [{\"type\": \"zipf\", \"d\": 32, \"n\": 4000, \"s\": 1}], \"oracles\": [\"olh\"],\n"
        " \"surrogates\": [\"norm_sub\"], \"trials\": 5, \"methods\": [\"base\", \"norm_sub\"], \"queries\": [%s]}\n";
    const char *const folder = extend("A query");
    char text[1024];

    snprintf(text, sizeof text, config, "\"largest_error\"");
    write_text(folder, "c.json", text);
    run_new(folder, "$new run c.json -o out --quiet && $new run c.json -o again --quiet && $new check out again && "
                    "grep -q ',2,norm_sub,base,largest_error,,6,0.0' out/selection.csv && "
                    "grep -q ',2,norm_sub,largest_error,,6,1,0' out/regret.csv && "
                    "$new plot out && test -s out/regret.svg && $new report out --no-plots --format md && "
                    "grep -q 'largest.*error' report.md");
    snprintf(text, sizeof text, config, "\"full_domain\", {\"type\": \"heavy_hitters\", \"threshold\": 0.1}");
    write_text(folder, "bad.json", text);
    run_new(folder, "! $new run bad.json -o bad 2> said && "
                    "grep -q 'queries\\[1\\]: expected a query of whose first measure less is better' said");
}

/* Its measure and its key column are its own: they are stored, tabled, plotted, reported and checked. */
Test(extending, a_task, SLOW)
{
    const char *const folder = extend("A task");
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"task\": \"negatives\", \"repetitions\": 9, \"epsilon\": [1, 2],\n"
               " \"datasets\": [{\"type\": \"zipf\", \"d\": 32, \"n\": 4000, \"s\": 1}],\n"
               " \"oracles\": [\"olh\", \"grr\"], \"methods\": [\"base\"], \"queries\": [\"full_domain\"]}\n");
    run_new(folder, "$new list tasks --format names | grep -qx negatives && $new run c.json -o out --quiet && "
                    "$new run c.json -o again --quiet && cmp out/negatives.csv again/negatives.csv && "
                    "$new check out again && $new plot out && $new report out --no-plots --format md");
    char *text = read_text(folder, "out/negatives.csv");
    cr_expect(strstr(text, "epsilon,half,repetitions,negatives,negatives_sd,negatives_stderr\n"), "%s", text);
    cr_expect(strstr(text, ",grr,2,first,9,0."), "%s", text);
    cr_expect(strstr(text, ",grr,2,second,9,0."), "%s", text);
    free(text);
    sqlite3 *const store = open_store(folder);
    text = ask_store(store, "SELECT declaration, (SELECT count(*) FROM negatives WHERE half = 'first') FROM tables");
    cr_expect(strstr(text, "\"half\""));
    free(text);
    sqlite3_close(store);
    text = read_text(folder, "out/negatives.svg");
    cr_expect(text && strstr(text, "share of values below 0") && strstr(text, "second"));
    free(text);
    text = read_text(folder, "report.md");
    cr_expect(strstr(text, "share of values below 0 (ε"), "%s", text);
    free(text);
}

Test(extending, a_law, SLOW)
{
    const char *const folder = extend("A distribution");
    run_new(folder, "$new list datasets --format names | grep -qx two_levels && "
                    "$new list 'two_levels(ratio=4,d=20,n=2400)' | grep -Eq 'largest counts +0 369, 1 369, 2 93'");
}

Test(extending, a_reader_of_files, SLOW)
{
    const char *const folder = extend("A reader of files");
    write_text(folder, "mine.digits", "3\n1\n3\n\n# a comment\n3\n");
    run_new(folder, "$new list mine.digits > said && grep -Eq '^ +d +4$' said && grep -Eq '^ +n +4$' said");
    write_text(folder, "bad.digits", "3\nx\n");
    run_new(folder,
            "! $new list bad.digits 2> said && grep -q 'bad.digits:2: expected a number from 0 to 9999, got .x' said");
}

Test(extending, a_search, SLOW)
{
    const char *const folder = extend("A search");
    write_text(folder, "mine.strings", "aba\t400\nbab\t300\nbbb\t2\n");
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"task\": \"search\", \"repetitions\": 5, \"epsilon\": 9, \"oracles\": [\"grr\"],\n"
        " \"datasets\": [{\"type\": \"strings\", \"file\": \"mine.strings\", \"length\": 3, \"alphabet\": \"ab\"}],\n"
        " \"protocols\": [{\"name\": \"at_once\", \"keep\": 2}], \"targets\": {\"top\": 2}}\n");
    run_new(folder, "$new list searches --format names | grep -qx at_once && $new run c.json -o out --quiet && "
                    "grep -q ',at_once(keep=2),top=2,5,1,0,0,1,0,0,' out/search.csv");
}

Test(extending, a_synopsis, SLOW)
{
    const char *const folder = extend("A synopsis");
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"task\": \"marginals\", \"repetitions\": 3, \"epsilon\": 1, \"oracles\": [\"oue\"],\n"
        " \"datasets\": [{\"type\": \"chain\", \"d\": 4, \"n\": 300}], \"synopses\": [\"truth\", \"uniform\"],\n"
        " \"marginals\": {\"k\": 2}}\n");
    run_new(folder, "$new list synopses --format names | grep -qx truth && $new run c.json -o out --quiet && "
                    "grep -q ',truth,2,3,0,0,0,0,0,0,0,0,0' out/marginals.csv");
}
