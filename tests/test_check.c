/* test_check.c - `ldpbench check`: the reading of tables, what passes, and injected mistakes.
 *
 * A mistake is injected in a copy of a source file, and the program is linked again with it. */
#include "program.h"
#include "quick.h"
#include "stores.h"

#include "statistics.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables ---- */

#define HEADER "experiment,dataset,d,n,oracle,epsilon,method,query,parameter,repetitions,mse,sd,stderr\n"
#define KEY "e,z,4,10,olh,1,base,full_domain,"

Test(check, bad_arguments)
{
    expect_said(2, "", "ldpbench check a");
    expect_said(2, "", "ldpbench check /nowhere-a /nowhere-b");
    expect_said(2, "--level", "ldpbench check a b --level 2");
    expect_said(2, "--floor", "ldpbench check a b --floor -1");
}

/* ---- end to end ---- */

static const char config[] = "{\"name\": \"c\", \"seed\": 11, \"repetitions\": 30,"
                             " \"datasets\": [{\"type\": \"zipf\", \"d\": 256, \"n\": 100000, \"s\": 1.5}],"
                             " \"oracles\": [\"olh\"], \"epsilon\": [1, 2, 3],"
                             " \"methods\": [\"base\", {\"name\": \"norm_cut\", \"rescale\": true}, \"norm_sub\", "
                             "\"power_ns\"],"
                             " \"queries\": [{\"type\": \"full_domain\"}, {\"type\": \"set_value\", \"percent\": 90}]}";

/* Links FOLDER/injected: the program with one source file, of the library or of the program, changed by a sed command.
 * Objects and flags are those of the program under test. */
static void plant(const char *folder, const char *source, const char *edit)
{
    run_well(
        "build=$(dirname \"${LDPBENCH:-build/release/ldpbench}\") && to=%s && source=%s && "
        "object=$(basename $source .c).o && sed '%s' $source >$to/planted.c && ! cmp -s $source $to/planted.c && "
        "flags=$(sed 's/ -l[^ ]*//g; s/ -Werror / /' $build/flags) && "
        "$flags -I$(dirname $source) -Icore -Idatasets -Ibench -c $to/planted.c -o $to/$object && "
        "cp $build/libldpbench.a $to/ && "
        "case $source in core/*) (cd $to && ar r libldpbench.a $object 2>/dev/null) ;; esac && "
        "others=$(ls bench/*.c bench/*/*.c datasets/*.c datasets/*/*.c | grep -vx $source | sed \"s|^|$build/|; s|c$|o|\") && "
        "case $source in core/*) object= ;; *) object=$to/$object ;; esac && "
        "$flags $others $object $to/libldpbench.a -o $to/planted "
        "$(pkg-config --libs libcjson gsl libmd sqlite3 zlib) -lm",
        folder, source, edit);
}

static void run_both(const char *folder, const char *injected_options)
{
    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o good --quiet && ./planted run c.json -o bad --quiet %s", injected_options);
}

static void demand_verdict(const char *folder, int status, const char *fragment, const char *arguments)
{
    struct outcome outcome = shell_in(folder, "ldpbench check %s", arguments);

    cr_assert_eq(outcome.status, status, "check %s: exit status %d: %s%s", arguments, outcome.status, outcome.out,
                 outcome.err);
    cr_assert(says(outcome.out, fragment), "expected \"%s\" in: %s", fragment, outcome.out);
    outcome_free(&outcome);
}

/* What CI systems read: well-formed XML whose counts are those of its cases, also where names have marks of XML. The
 * YAML on the page about comparing runs names this format. */
FolderTest(check, junit_for_ci, SLOW)
{
    if (system("python3 -c ''") != 0)
        skip_test("no python3");
    write_text(folder, "c.json", config);
    write_text(folder, "cases.py",
               "import sys, xml.etree.ElementTree as tree\n"
               "suite = tree.parse(sys.argv[1]).getroot()\n"
               "cases = suite.findall('testcase')\n"
               "failed = [case for case in cases if case.find('failure') is not None]\n"
               "assert suite.tag == 'testsuite' and int(suite.get('tests')) == len(cases)\n"
               "assert int(suite.get('failures')) == len(failed) and suite.get('skipped') == sys.argv[3]\n"
               "assert all(case.get('name') and case.get('classname') for case in cases)\n"
               "print(len(cases), len(failed), suite.get('name'))\n"
               "assert (len(failed) > 0) == (sys.argv[2] == 'failed')\n");
    run_in(folder,
           "ldpbench run c.json -o 'a<&\"b' --quiet && ldpbench run c.json -o other --seed 12 --quiet && "
           "ldpbench check 'a<&\"b' 'a<&\"b' --format junit >same.xml && python3 cases.py same.xml passed 0 && "
           "! ldpbench check --exact 'a<&\"b' other --format junit >new.xml && python3 cases.py new.xml failed 0");
    write_text(
        folder, "s.json",
        "{\"paper\": \"P & Q\", \"citation\": \"C\", \"claims\": [{\"id\": \"a\", \"place\": \"p\", \"claim\": \"x < y\", "
        "\"paper\": \"p\", \"run\": \"other\", \"reduce\": \"points\", \"relation\": \"below\", \"where\": {\"query\": "
        "\"full_domain\"}, \"x\": \"epsilon\", \"of\": {\"method\": \"base\"}, \"to\": {\"method\": \"norm_sub\"}}, {\"id\": "
        "\"b\", \"place\": \"p\", \"claim\": \"z\", \"paper\": \"p\", \"run\": \"none\", \"reduce\": \"points\", "
        "\"relation\": \"below\", \"of\": {\"method\": \"base\"}, \"to\": {\"method\": \"norm\"}}]}");
    run_in(folder, "! ldpbench check s.json . --format junit >paper.xml && python3 cases.py paper.xml failed 1 && "
                   "sed 's/]}$/], \"notes\": [{\"claim\": \"a\", \"when\": \"differs\", \"text\": \"so\"}]}/' "
                   "s.json >known.json && ldpbench check known.json . --format junit >known.xml && "
                   "python3 cases.py known.xml passed 2");
    run_well("grep -q 'ldpbench check .*--format junit' docs/compare.md");
}

/* The text's misprint of OLH, p = (e-1)/(e+g-1): estimates too large. */
FolderTest(check, wrong_p_is_caught, SLOW)
{
    plant(folder, "core/oracles/olh.c", "s|protocol->q = 1 / g;|protocol->q = 1 / g, protocol->p *= 1 - r;|");
    run_both(folder, "");
    demand_verdict(folder, 1, "Worse", "good bad");
    run_both(folder, "--seed 12 --fresh");
    demand_verdict(folder, 1, "Worse", "good bad");
}

FolderTest(check, missing_rescale_is_caught, SLOW)
{
    plant(folder, "core/methods/norm_cut.c", "s|param\\[0\\] != 0|param[0] > 1|");
    run_both(folder, "");
    /* The sum is below 1, which affects large sets. */
    demand_verdict(folder, 1, "rows differ, all of method norm_cut(rescale=true)", "good bad");
    demand_verdict(folder, 1, "norm_cut(rescale=true)", "good bad");
}

FolderTest(check, other_seeds_pass_and_the_same_is_identical)
{
    write_text(folder, "c.json", config);
    run_in(folder,
           "ldpbench run c.json -o a --quiet && ldpbench run c.json -o b --quiet && ldpbench run c.json -o s "
           "--seed 99 --quiet && sed 's/\"c\"/\"other\"/' c.json >other.json && ldpbench run other.json -o o --quiet");
    demand_verdict(folder, 0, "all numbers of 36 rows are the same\nbuild ", "a b");
    demand_verdict(folder, 0, "all numbers of 36 rows are the same", "a b --exact");
    demand_verdict(folder, 1, "36 of 36 rows differ\n", "a s --exact");
    demand_verdict(folder, 0, "passed", "a s");
    demand_verdict(folder, 0, "the seeds differ: 11, 99", "a s");
    demand_verdict(folder, 0, "all numbers of 36 rows are the same", "a o");
    run_in(folder, "cp a/store.sqlite alone.sqlite");
    demand_verdict(folder, 0, "passed", "alone.sqlite s");
    demand_verdict(folder, 0, "passed", "a/store.sqlite s");
    demand_verdict(folder, 0, "all numbers of 36 rows are the same", "alone.sqlite a");
    demand_verdict(folder, 0, "passed", "a s --format md");
    demand_verdict(folder, 0, "\"passed\":\ttrue", "a s --format json");
}

FolderTest(check, rows_in_one_only)
{
    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o a --quiet && sed 's/, \"power_ns\"//' c.json > fewer.json && ldpbench run "
                   "fewer.json -o f --quiet");
    demand_verdict(folder, 1, "Missing from the result (9)", "a f");
    demand_verdict(folder, 1, "the configs differ", "a f --allow-missing");
    demand_verdict(folder, 0, "passed", "a f --allow-missing --allow-config");
    demand_verdict(folder, 1, "New in the result (9)", "f a --allow-config");
    demand_verdict(folder, 0, "passed", "f a --allow-config --allow-new");
    /* What changes no number is no difference of configs. */
    run_in(folder, "sed 's/^{/{\"pictures\": [{\"picture\": \"full_domain\", \"caption\": \"x\"}],/' "
                   "c.json > z.json && ldpbench run z.json -o z --quiet");
    demand_verdict(folder, 0, "passed", "a z");
}

/* Folders a and b with a seed each and these rows. */
static void write_pair(const char *folder, const char *a, const char *b)
{
    char side[2 * PATH_ROOM];

    for (int i = 0; i < 2; i++) {
        snprintf(side, sizeof side, "%s/%c", folder, "ab"[i]);
        run_well("rm -rf '%s' && mkdir '%s'", side, side);
        write_text(side, "run.json", i ? "{\"seed\": 2}" : "{\"seed\": 1}");
        write_table(side, "mse.csv", HEADER, i ? b : a);
    }
}

/* Where nothing could be tested, nothing has passed. */
FolderTest(check, rows_that_cannot_be_tested)
{
    write_pair(folder, KEY ",1,1e-4,,\n", KEY ",1,9e-4,,\n");
    demand_verdict(folder, 1, "FAILED: b against a: none of 1 row could be tested: fewer than 5 repetitions", "a b");
    struct outcome outcome = shell_in(folder, "ldpbench check a b");
    cr_assert(!strstr(outcome.out, "probability 0.8"), "%s", outcome.out);
    outcome_free(&outcome);
    demand_verdict(folder, 1, "\"untested_rows\":\t1", "a b --format json");
    demand_verdict(folder, 1, "\"median_detectable_change\":\tnull", "a b --format json");
    /* One of two: that is said first. */
    write_pair(folder, KEY ",1,1e-4,,\ne,y,4,10,olh,1,base,full_domain,,9,1e-4,1e-6,1e-7\n",
               KEY ",1,9e-4,,\ne,y,4,10,olh,1,base,full_domain,,9,1.001e-4,1e-6,1e-7\n");
    demand_verdict(folder, 0, "passed: b against a: no change in 1 row; only 1 of 2 rows could be tested\n", "a b");
    /* Without any deviation every change above the floor is found: said in the same words in text and JSON. */
    write_pair(folder, KEY ",9,1e-4,0,0\n", KEY ",8,1e-4,0,0\n");
    demand_verdict(folder, 0, "probability 0.8: 1 %", "a b");
    demand_verdict(folder, 0, "\"median_detectable_change\":\t0.01,", "a b --format json");
    /* Two runs of one repetition. */
    write_text(folder, "c.json", config);
    run_in(folder, "rm -r a b && ldpbench run c.json -o a --quiet --repetitions 1 && ldpbench run c.json -o b --quiet "
                   "--repetitions 1 --seed 12");
    demand_verdict(folder, 1, "none of 36 rows could be tested", "a b");
    demand_verdict(folder, 0, "all numbers of 36 rows are the same", "a a");
    /* Times alone. */
    run_in(folder, "sed 's/}$/, \"outputs\": [\"times\"]}/' c.json >t.json && "
                   "ldpbench run t.json -o t --quiet --repetitions 1");
    demand_verdict(folder, 1, "FAILED: t against t: measured times are all that is in both\n", "t t");
}

FolderTest(check, markdown_tables_hold)
{
    write_pair(folder, "e,a|b,4,10,olh,1,`c`,full_domain,,9,1e-4,1e-6,1e-7\n",
               "e,a|b,4,10,olh,1,`c`,full_domain,,9,9e-4,1e-6,1e-7\n");
    demand_verdict(folder, 1, "\n| mse.csv: a\\|b,4,10,olh,1,\\`c\\`,full\\_domain, | 0.0001 | 0.0009 |",
                   "a b --format md");
}

/* Five repetitions of a folder with several tables: all rows can be tested, and nothing changed. */
FolderTest(check, five_repetitions_are_tested)
{
    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o a --quiet --repetitions 5 && ldpbench run c.json -o b --quiet "
                   "--repetitions 5 --seed 12");
    demand_verdict(folder, 0, "no change in 36 rows\n", "a b");
}

/* Half the noise breaks privacy and makes every error of she smaller: a change for the better is a change. */
FolderTest(check, noise_that_is_halved_is_caught, SLOW)
{
    plant(folder, "core/oracles/she.c", "s|scale \\* (up - down)|scale / 2 * (up - down)|");
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"seed\": 11, \"repetitions\": 10,"
               " \"datasets\": [{\"type\": \"zipf\", \"d\": 64, \"n\": 100000, \"s\": 1.5}],"
               " \"oracles\": [\"olh\", \"she\"], \"epsilon\": [1, 2], \"methods\": [\"base\", \"norm_sub\"],"
               " \"queries\": [\"full_domain\", {\"type\": \"top_k\", \"k\": 4}]}");
    run_in(folder, "ldpbench run c.json -o good --quiet && ./planted run c.json -o bad --quiet && "
                   "./planted run c.json -o other --seed 12 --quiet");
    demand_verdict(folder, 1, "rows differ, all of oracle she: ", "good bad");
    demand_verdict(folder, 1, "\nBetter (", "good bad");
    demand_verdict(folder, 1, "rows changed, all of oracle she: 0 worse, ", "good other");
    demand_verdict(folder, 0, "passed", "good other --allow-better");
    demand_verdict(folder, 0, "passed", "good bad --allow-better");
}

/* One repetition dropped from the mean in the writing of tables: the stores are equal, the tables are not theirs. */
FolderTest(check, a_wrong_mean_in_the_tables_is_caught, SLOW)
{
    plant(folder, "bench/tasks/table_writer.c",
          "s|summarise(writer->value, .*)|summarise(writer->value, writer->experiment->repetitions - 1)|");
    run_both(folder, "--seed 12");
    demand_verdict(folder, 1, "numbers in the tables of the result differ from its store", "good bad");
    demand_verdict(folder, 1, "Different from the baseline's store (24)", "bad good");
    /* And where the writer and the reader share the mistake. */
    plant(folder, "bench/stats/summary.c", "s|sum / (double)summary.n|sum / (double)(summary.n + 1)|");
    run_in(folder, "./planted run c.json -o worse --quiet --seed 12");
    run_in(folder, "{ ./planted check good worse | grep -q 'Different from the result.s store'; }");
}

/* The last bit of one number of a store: with the same seed and version that is a finding. */
FolderTest(check, other_numbers_are_a_finding, SLOW)
{
    plant(
        folder, "core/methods/norm_sub.c",
        "s|= ldp_simplex_apply|= slightly|; "
        "s|^const struct ldp_method |static void slightly(const double *p, const struct ldp_collection *c, void *s, double "
        "*t)\\n{ ldp_simplex_apply(p, c, s, t); t[0] *= 1 + 1e-15; }\\n&|");
    run_both(folder, "");
    demand_verdict(folder, 1, "9 of 36 rows differ, all of method norm_sub\n", "good bad");
    demand_verdict(folder, 1, "Other numbers (9)", "good bad");
    demand_verdict(folder, 1, "rows differ, all of method norm_sub\n", "good bad --exact");
}

/* Precision, recall and F-score: more is better, and they are tested like errors. */
FolderTest(check, measures_other_than_errors, SLOW)
{
    plant(folder, "core/queries/heavy_hitters.c", "s|: floor) > t;|: floor) > 1.5 * t;|");
    write_text(folder, "c.json",
               "{\"name\": \"c\", \"seed\": 11, \"repetitions\": 20,"
               " \"datasets\": [{\"type\": \"zipf\", \"d\": 256, \"n\": 100000, \"s\": 1.1}],"
               " \"oracles\": [\"olh\"], \"epsilon\": [1], \"methods\": [\"base\"], \"outputs\": [\"mse\", \"times\"],"
               " \"queries\": [{\"type\": \"heavy_hitters\", \"threshold\": [1000, 4000]}]}");
    run_in(folder, "ldpbench run c.json -o good --quiet && ldpbench run c.json -o again --quiet --seed 12 && "
                   "./planted run c.json -o bad --quiet --seed 12 --fresh");
    demand_verdict(folder, 0, "no change in 8 rows", "good again");
    demand_verdict(folder, 0, "measured times are not compared", "good again");
    demand_verdict(folder, 1, "\"row\":\t\"heavy_hitters.csv: zipf(s=1.1),256,100000,olh,1,base,heavy_hitters,1000 ",
                   "good bad --format json");
    demand_verdict(folder, 1, "\nWorse (", "good bad");
}

/* A measure that should be near a target is judged on both sides of it: sums of biases. */
Test(check, measures_with_a_target)
{
    static const struct {
        const char *folder;
        double bias;
    } runs[] = {{"a", 20}, {"low", -50}, {"high", 40}, {"near", 0}};
    const char *const folder = temporary_folder();

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        char side[2 * PATH_ROOM], row[100], run[100];

        snprintf(side, sizeof side, "%s/%s", folder, runs[i].folder);
        snprintf(row, sizeof row, "e,x,8,100,grr,1,base,100,%g,2\n", runs[i].bias);
        snprintf(run, sizeof run, "{\"seed\": %zu, \"algorithm_version\": 3, \"config\": \"{}\"}", i + 1);
        run_well("mkdir '%s'", side);
        write_text(side, "run.json", run);
        write_table(side, "bias_sums.csv", "experiment,dataset,d,n,oracle,epsilon,method,repetitions,bias_sum,stderr\n",
                    row);
    }
    demand_verdict(folder, 1, "1 worse, 0 better", "a low");
    demand_verdict(folder, 1, "1 worse, 0 better", "a high");
    demand_verdict(folder, 1, "0 worse, 1 better", "a near");
    demand_verdict(folder, 1, "1 worse, 0 better", "near high --allow-better");
    demand_verdict(folder, 0, "0 worse, 1 better", "high near --allow-better");
}

/* The project's own gate: a run of each baseline's config has the numbers that are kept with it. */
Test(check, own_baseline, KEPT)
{
    expect_said(0, "", "sh tests/gate.sh");
}

/* Another seed agrees with the baselines, up to what their repetitions can tell. */
FolderTest(check, own_baseline_by_another_seed, SLOW)
{
    static const char *const names[] = {"all", "clients", "oracles", "reports", "search", "strings", "marginals"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        run_well("ldpbench run configs/baselines/%s.json -o %s/%s --quiet --seed 4711 && "
                 "ldpbench check configs/baselines/%s %s/%s",
                 names[i], folder, names[i], names[i], folder, names[i]);
}

/* The gate finds an error that grew by 2 %, and calls nothing else changed. The injected growth is in the whole
 * domain's error of every method and oracle, so that all rows of that query and no others are its. */
FolderTest(check, own_baseline_finds_two_percent, SLOW)
{
    plant(folder, "core/queries/full_domain.c", "s|/ (double)d;|/ (double)d * 1.02;|");
    run_well("%s/planted run configs/baselines/all.json -o %s/now --quiet", folder, folder);
    run_well("cp -R configs/baselines/all %s/baseline", folder);
    demand_verdict(folder, 1, ": 120 worse, 0 better", "baseline now");
}

/* Runs that differ in their seed have the same drawn data and workload. Another data seed gives others, whose rows are
 * not compared, and check says so. */
FolderTest(check, data_have_a_seed_of_their_own, SLOW)
{
    static const char text[] =
        "{\"name\": \"m\", \"task\": \"marginals\", \"repetitions\": 6, \"epsilon\": 1, \"oracles\": [\"grr\"],\n"
        " \"datasets\": [{\"type\": \"chain\", \"d\": 8, \"n\": 500}],\n"
        " \"synopses\": [\"uniform\", \"ft\"], \"marginals\": {\"k\": 2, \"count\": 5}}\n";

    write_text(folder, "m.json", text);
    write_text(
        folder, "z.json",
        "{\"name\": \"z\", \"repetitions\": 6, \"epsilon\": 1, \"oracles\": [\"grr\"], \"methods\": [\"base\"],\n"
        " \"datasets\": [{\"type\": \"zipf\", \"d\": 8, \"n\": 500, \"s\": 1, \"draw\": \"sampled\"}],\n"
        " \"queries\": [\"full_domain\"]}\n");
    run_in(folder, "for c in m z; do ldpbench run $c.json -o $c --quiet && ldpbench run $c.json -o $c-2 --seed 2 "
                   "--quiet && sed 's/\"repetitions\"/\"data_seed\": 5, \"repetitions\"/' $c.json >d.json && "
                   "ldpbench run d.json -o $c-d --quiet || exit 1; done");
    run_in(folder,
           "for c in m z; do for f in $c $c-2 $c-d; do sed -n '/\"data\":/,/^\t}/p' $f/run.json | grep "
           "identity >$f.data || exit 1; done; cmp $c.data $c-2.data && ! cmp -s $c.data $c-d.data || exit 1; done");
    demand_verdict(folder, 0, "passed", "z z-2");
    demand_verdict(folder, 0, "passed", "m m-2");
    demand_verdict(folder, 1,
                   "FAILED: z-d against z: no row can be compared; 2 rows measured on other data are not "
                   "compared\n",
                   "z z-d");
    demand_verdict(folder, 1, "Measured on other data (2)", "z z-d --allow-config");
    demand_verdict(folder, 1, "measured on other data are not compared", "m m-d");
    /* A file of the same name with other contents. */
    write_text(
        folder, "f.json",
        "{\"name\": \"f\", \"repetitions\": 6, \"epsilon\": 1, \"oracles\": [\"grr\"], \"methods\": [\"base\"],\n"
        " \"datasets\": [{\"type\": \"counts\", \"file\": \"f.counts\"},\n"
        "                {\"type\": \"uniform\", \"d\": 4, \"n\": 100}], \"queries\": [\"full_domain\"]}\n");
    run_in(folder, "printf 'a\\t60\\nb\\t40\\n' >f.counts && ldpbench run f.json -o f --quiet && "
                   "printf 'a\\t40\\nb\\t60\\n' >f.counts && ldpbench run f.json -o f-2 --seed 2 --quiet");
    demand_verdict(folder, 1, "; 2 rows measured on other data are not compared", "f f-2");
    demand_verdict(folder, 0, "; 2 rows measured on other data are not compared", "f f-2 --allow-config");
}

/* Measures that are undefined in some repetitions (precision where nothing is reported), defined or not by chance:
 * honest runs pass, and a law that makes them undefined more often is found. */
FolderTest(check, undefined_values_are_a_share, SLOW)
{
    static const char text[] =
        "{\"name\": \"h\", \"repetitions\": %d, \"epsilon\": 0.5, \"oracles\": [\"olh\"], \"methods\": [\"base\", "
        "\"norm_sub\"],\n \"datasets\": [{\"type\": \"zipf\", \"d\": 32, \"n\": 2000, \"s\": 1}],\n"
        " \"queries\": [{\"type\": \"heavy_hitters\", \"threshold\": [%d, 500, 700]}]}\n";
    char config_text[sizeof text + 20];

    for (int repetitions = 5; repetitions <= 30; repetitions += 25) {
        snprintf(config_text, sizeof config_text, text, repetitions, 600);
        write_text(folder, "h.json", config_text);
        run_in(folder, "for s in 1 2 3 4 5 6 7 8; do ldpbench run h.json -o h$s --fresh --seed $s --quiet || exit "
                       "1; done");
        for (int i = 1; i < 8; i += 2) {
            char pair[32];

            snprintf(pair, sizeof pair, "h%d h%d", i, i + 1);
            demand_verdict(folder, 0, "passed", pair);
        }
    }
    plant(folder, "core/queries/heavy_hitters.c", "s|: floor) > t;|: floor) > 2 * t;|");
    run_in(folder, "./planted run h.json -o worse --seed 9 --quiet");
    demand_verdict(folder, 1, "undefined in ", "h1 worse");
}

/* The standard error of a regret counts that the methods' errors are means over repetitions too: over 40 seeds its
 * square is the variance of the regret (ratio of 1, standard deviation 0.23; 14 where only the spread of the ratios
 * counted). */
FolderTest(check, regret_states_its_error, SLOW)
{
    write_text(
        folder, "s.json",
        "{\"name\": \"s\", \"task\": \"selection\", \"repetitions\": 100, \"trials\": 3,\n"
        " \"surrogates\": [\"norm_sub\"], \"datasets\": [{\"type\": \"zipf\", \"d\": 16, \"n\": 1000, \"s\": 1}],\n"
        " \"oracles\": [\"olh\"], \"epsilon\": 0.5, \"methods\": [\"base\", \"norm_sub\", \"base_cut\"],\n"
        " \"queries\": [{\"type\": \"top_k\", \"k\": 2}]}\n");
    run_in(
        folder,
        "for s in $(seq 40); do ldpbench run s.json -o s --fresh --quiet --seed $s && "
        "tail -n 1 s/regret.csv || exit 1; done | awk -F, '{ n++; s += $11; q += $11^2; e += $12^2 } "
        "END { ratio = (q - s^2 / n) / (n - 1) / (e / n); print ratio; exit !(ratio > 0.3 && ratio < 2.2) }' >ratio");
}
