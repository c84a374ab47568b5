/* The task `marginals` from the outside: tables, bad input, files of records, threads. */
#include "program.h"
#include "quick.h"
#include "real_data.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define CHAIN "{\"type\": \"chain\", \"d\": 6, \"n\": 4000, \"cardinalities\": \"2 3\"}"

static void write_config(const char *folder, const char *dataset, const char *synopses, const char *marginals,
                         const char *more)
{
    char text[2048];

    snprintf(
        text, sizeof text,
        "{\"name\": \"m\", \"task\": \"marginals\", \"seed\": 3, \"repetitions\": 6, \"oracles\": [\"adaptive\"],\n"
        " \"epsilon\": [1], \"datasets\": [%s], \"synopses\": %s, \"marginals\": %s%s}",
        dataset, synopses, marginals, more);
    write_text(folder, "m.json", text);
}

FolderTest(marginals, tables_and_threads, SLOW)
{
    write_config(folder, CHAIN, "\"all\"", "{\"k\": [2, 3], \"count\": 5}",
                 ", \"outputs\": [\"parts\", \"marginals\"]");
    run_in(folder, "ldpbench run m.json -o one -j1 --quiet && ldpbench run m.json -o two -j2 --quiet");
    demand_same(folder, folder, "m.json");
    run_in(folder, "cmp one/marginals.csv two/marginals.csv && cmp one/marginal_cells.csv two/marginal_cells.csv");
    char *const text = read_text(folder, "one/marginals.csv");

    cr_assert_not_null(text);
    cr_expect(strncmp(text,
                      "experiment,dataset,d,n,oracle,epsilon,synopsis,k,repetitions,sse,sse_sd,sse_stderr,tv,tv_sd,"
                      "tv_stderr,max_error,max_error_sd,max_error_stderr,sse_noise,",
                      120) == 0,
              "%.200s", text);
    free(text);
    run_in(folder, "ldpbench check one two && ldpbench report one -o one.html && ldpbench plot one");
}

/* The key exclude, as in every task on a grid. */
FolderTest(marginals, exclude)
{
    write_config(folder, CHAIN ", {\"type\": \"chain\", \"d\": 4, \"n\": [300, 600]}", "[\"product\"]", "{\"k\": 2}",
                 ", \"exclude\": [{\"d\": 4, \"n\": {\"from\": 500}}]");
    run_in(folder, "ldpbench run m.json -o a --quiet && test $(tail -n +2 a/marginals.csv | wc -l) = 2");
    run_in(folder, "! grep -q ',4,600,' a/marginals.csv");
}

/* What a synopsis answers does not depend on which others there are. */
FolderTest(marginals, synopses_are_independent)
{
    write_config(folder, CHAIN, "[\"product\", \"calm\"]", "[[0, 1], [\"a2\", \"a5\", 3]]", "");
    run_in(folder, "ldpbench run m.json -o one --quiet && grep calm one/marginals.csv > one.txt");
    write_config(folder, CHAIN, "[\"calm\"]", "[[\"a2\", 3, \"a5\"], [0, 1]]", "");
    run_in(folder, "ldpbench run m.json -o two --quiet && grep calm two/marginals.csv > two.txt && cmp one.txt "
                   "two.txt");
}

static void demand_refusal(const char *folder, const char *fragment)
{

    demand_failure(2, fragment, "cd %s && ldpbench run m.json -o out --quiet", folder);
}

FolderTest(marginals, bad_configs)
{
    static const struct {
        const char *synopses, *marginals, *fragment;
    } bad[] = {
        {"[{\"name\": \"calm\", \"m\": 0, \"l\": 2}]", "{\"k\": 2}", "m: expected an integer from 1"},
        {"[{\"name\": \"calm\", \"m\": 2, \"l\": 7}]", "{\"k\": 2}", "l = 7: expected at most the 6 attributes"},
        {"[{\"name\": \"calm\", \"m\": 16, \"l\": 2}]", "{\"k\": 2}", "m = 16: expected at most the 15 sets"},
        {"[{\"name\": \"am\", \"l\": 2}]", "{\"k\": 3}", "l = 2: expected at least the 3 attributes"},
        {"[\"product\"]", "[[0, 1, 0]]", "expected each attribute once, got 0"},
        {"[\"product\"]", "[[0, \"a0\"]]", "expected each attribute once"},
        {"[\"product\"]", "[[0, 1], [1, 0]]", "expected each set of attributes once"},
        {"[\"product\"]", "[[0, 6]]", "expected an integer from 0 to 5, got 6"},
        {"[\"product\"]", "[[\"age\"]]", "expected an attribute of the dataset (a0, ...), got \"age\""},
        {"[\"product\"]", "{\"k\": 7}", "expected k up to the 6 attributes"},
        {"[{\"name\": \"calm\", \"sets\": [[0, 0]]}]", "{\"k\": 2}", "expected each attribute once"},
        {"[{\"name\": \"calm\", \"method\": \"base_pos\"}]", "{\"k\": 2}", "expected base, or a method whose"},
        {"[{\"name\": \"calm\", \"method\": {\"name\": \"external\", \"label\": \"mine\", \"command\": [\"true\"]}}]",
         "{\"k\": 2}", "expected base, or a method whose"},
        {"[{\"name\": \"calm\", \"sets\": [[0, 1]], \"m\": 3}]", "{\"k\": 2}",
         "synopses[0]: expected sets or m, got both"},
        {"[{\"name\": \"rem\", \"l\": 3, \"sets\": [[0, 1]]}]", "{\"k\": 2}",
         "synopses[0]: expected sets or l, got both"},
        {"[\"calmer\"]", "{\"k\": 2}", "calm"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_config(folder, CHAIN, bad[i].synopses, bad[i].marginals, "");
        demand_refusal(folder, bad[i].fragment);
    }
    write_config(folder, "{\"type\": \"chain\", \"d\": 6, \"n\": 100000, \"cardinalities\": \"9\"}", "[\"em\"]",
                 "{\"k\": 3}", "");
    demand_refusal(folder,
                   "100000 users and a marginal of 729 cells: expected a product of at most 67108864 with reports "
                   "of adaptive, which name no value");
    write_config(folder, "{\"type\": \"chain\", \"d\": 6, \"n\": 1000, \"cardinalities\": \"11\"}", "[\"rem\"]",
                 "{\"k\": 6}", "");
    demand_refusal(folder, "nonnegative: marginals of 1771561 cells together: expected at most 1048576");
    write_config(folder, "{\"type\": \"chain\", \"d\": 12, \"n\": 100}", "[\"am\"]", "{\"k\": 6}", "");
    demand_refusal(folder, "924 groups of 100 users: expected a user in each");
    write_config(folder, "{\"type\": \"zipf\", \"s\": 1, \"d\": 12, \"n\": 100}", "[\"am\"]", "{\"k\": 6}", "");
    demand_refusal(folder, "expected a dataset of the kind that the task takes (records, chain, network)");
}

FolderTest(marginals, bad_records)
{
    static const struct {
        const char *csv, *attributes, *fragment;
    } bad[] = {
        {"a,b\n0,3\n1,0\n", "a\t2\t-\nb\t3\t-\n", "r.csv:2: expected values of b below its cardinality of 3"},
        {"a,b\n0,0\n1\n", NULL, "r.csv:3: expected 2 columns, as the header has"},
        {"a,b\n0,0\n1,1,1\n", NULL, "r.csv:3: expected 2 columns, as the header has"},
        {"a,b,count\n0,0,9007199254740993\n", NULL, "expected a whole count from 0 to 2^53"},
        {"a,b,count\n0,0,9007199254740992\n1,1,1\n", NULL, "expected counts that sum to at most 2^53"},
        {"a,a\n0,0\n", NULL, "expected each column once"},
        {"a,b\n0,1\n1,1\n", "a\t2\t-\n", "expected the attribute b, which the records have, got none"},
        {"a,b\n0,low\n1,high\n", "a\t2\t-\nb\t1\t-\n", "expected a cardinality from 2"},
        {"a,b\n", NULL, "expected at least one user, got none"},
        {"a,b\n0,\"x\n1,y\n", NULL, "r.csv:2: expected a closing quote, got the end of the file"},
        {"a,b\n0,\"x\"y\n", NULL, "r.csv:2: expected a comma or the end of the line after a closing quote"},
        {"a,b\n0,x\"y\"\n", NULL, "r.csv:2: expected quotes around the whole field"},
        {"a,b\n0,\"x\ny\"\n1\n", NULL, "r.csv:4: expected 2 columns, as the header has"},
        {"\"a\nb\",c\n0,1\n", NULL, "r.csv:1: expected names of columns without line breaks"},
        {"a,b\n0,2147483647\n1,\n", "a\t2\t-\nb\t2147483648\t-\n", "expected a cardinality from 2 to 2^31 - 1"},
    };
    char path[PATH_ROOM + 20];

    snprintf(path, sizeof path, "%s/r.attributes", folder);
    write_config(folder, "{\"type\": \"records\", \"file\": \"r.csv\"}", "[\"product\"]", "[[0, 1]]", "");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text(folder, "r.csv", bad[i].csv);
        remove(path);
        if (bad[i].attributes)
            write_text(folder, "r.attributes", bad[i].attributes);
        demand_refusal(folder, bad[i].fragment);
    }
}

/* Words are values numbered in the order of their bytes, and tables call cells by them; a word is only text. */
FolderTest(marginals, records_of_words)
{
    run_in(folder, "mkdir words numbers");
    write_text(folder, "words/r.csv", "age,size,sex\n65+,3,m\n20-29,0,f\n65+,1,f\n20-29,2,m\n$(touch x),1,f\n");
    write_text(folder, "numbers/r.csv", "age,size,sex\n2,3,1\n1,0,0\n2,1,0\n1,2,1\n0,1,0\n");
    write_config(folder, "{\"type\": \"records\", \"file\": \"r.csv\", \"n\": 2000}", "[\"calm\", \"am\"]",
                 "[[\"age\", \"sex\"]]", ", \"outputs\": [\"marginals\"]");
    run_in(
        folder,
        "for f in words numbers; do (cd $f && cp ../m.json . && ldpbench run m.json -o out --quiet) || exit 1; done && "
        "cmp words/out/marginals.csv numbers/out/marginals.csv && "
        "sed -e 's/,0+/,$(touch x)+/' -e 's/,1+/,20-29+/' -e 's/,2+/,65%%2B+/' -e 's/+0,/+f,/' -e 's/+1,/+m,/' "
        "numbers/out/marginal_cells.csv | cmp - words/out/marginal_cells.csv && ! find . -name x | grep -q x");
    run_in(folder, "ldpbench list words/r.csv | grep -q 'values of age  0 $(touch x), 1 20-29, 2 65+$' && ! ldpbench "
                   "list numbers/r.csv | grep -q 'values of'");
}

/* Quoted fields (RFC 4180), CRLF, empty cells and columns of one value, as surveys have them. */
FolderTest(marginals, records_of_a_survey)
{
    write_text(folder, "r.csv",
               "\"town\",\"age\",said,wave,none\r\n\"Bonn, am Rhein\",3,\"a \"\"yes\"\"\",7,\r\n"
               "\"\",\"1\",\"two\nlines\",7,\r\nAachen,,no,7,\r\n");
    run_in(
        folder,
        "ldpbench list r.csv > d.txt && grep -q 'town 3, age 3, said 3, wave 2, none 2$' d.txt && "
        "grep -q 'values of town  0 Aachen, 1 Bonn, am Rhein, 2 (empty cells)$' d.txt && "
        "grep -q 'values of age  0 1, 1 3, 2 (empty cells)$' d.txt && grep -q 'values of none  0 (empty cells)$' d.txt");
    write_config(folder, "{\"type\": \"records\", \"file\": \"r.csv\", \"n\": 2000}", "[\"calm\"]",
                 "[[\"town\", \"said\"], [\"none\"]]", ", \"outputs\": [\"marginals\"]");
    run_in(folder, "ldpbench run m.json -o out --quiet && grep -q ',\"Bonn, am Rhein+a \"\"yes\"\"\",' "
                   "out/marginal_cells.csv && grep -q ',+two%%0Alines,' out/marginal_cells.csv && "
                   "awk -F, '/,none,,/ { sum += $(NF - 1) } /,none,1,/ { sum += 2 * $(NF - 1) } END { exit sum == 0 }' "
                   "out/marginal_cells.csv && ldpbench plot out >/dev/null");
    write_text(folder, "one.csv", "a,b,c\n0,low,0\n1,low,0\n");
    run_in(folder, "ldpbench list one.csv | grep -q 'a 2, b 2, c 2$'");
}

/* A column that names users is named, and another choice of columns is taken. */
FolderTest(marginals, records_with_an_identifier)
{
    run_in(folder, "(echo id,a,b && seq 1 500 | awk '{ print \"u\" $1 \",\" $1 %% 2 \",\" $1 %% 3 }') > r.csv && "
                   "(echo id,a,b && seq 1 500 | awk '{ print 1000 + $1 \",\" $1 %% 2 \",\" $1 %% 3 }') > s.csv");
    write_config(folder, "{\"type\": \"records\", \"file\": \"r.csv\"}", "[\"product\"]", "[[0, 1]]", "");
    demand_refusal(folder, "got 500 values of id for 500 users (an identifier?); choose others: columns=a, b");
    write_config(folder, "{\"type\": \"records\", \"file\": \"s.csv\"}", "[\"product\"]", "[[0, 1]]", "");
    demand_refusal(folder, "got 500 values of id for 500 users (an identifier?); choose others: columns=a, b");
    write_config(folder, "{\"type\": \"records\", \"file\": \"s.csv\", \"columns\": \"a b\"}", "[\"product\"]",
                 "[[0, 1]]", "");
    run_in(folder, "ldpbench run m.json -o out --quiet");
}

/* A column `count` and lines for each user say the same; columns can be chosen; n draws with replacement. */
FolderTest(marginals, records_files)
{
    write_text(folder, "a.csv", "x,y,z,count\n0,1,0,2\n1,0,3,3\n");
    write_text(folder, "b.csv", "x,y,z\n1,0,3\n0,1,0\n1,0,3\n0,1,0\n1,0,3\n");
    run_in(folder, "ldpbench list a.csv | tail -n +2 > a.txt && gzip b.csv && ldpbench list b.csv.gz | tail "
                   "-n +2 > b.txt && cmp a.txt b.txt && grep -q 'x 2, y 2, z 2' a.txt");
    write_config(folder, "{\"type\": \"records\", \"file\": \"a.csv\", \"columns\": \"x z\", \"n\": 1000}",
                 "[\"uniform\"]", "[[\"x\", \"z\"]]", "");
    run_in(folder, "ldpbench run m.json -o out --quiet && grep -q 'm,a resampled,2,1000,adaptive,1,uniform,2,6,' "
                   "out/marginals.csv");
}

Test(marginals, real_records)
{
    static const struct {
        const char *name, *fact;
    } known[] = {{"nltcs", "21574"}, {"acs", "47461"}, {"br2000", "38000"}, {"retail32", "88162"}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char name[64], path[REAL_DATA_ROOM];

        snprintf(name, sizeof name, "%s.csv.gz", known[i].name);
        run_well("ldpbench list %s | grep -q 'n  *%s'", real_data(name, path), known[i].fact);
    }
}

/* One attribute, a row without users, and as many users as there can be: three rows take a moment and little memory,
 * and --dry-run says so. */
FolderTest(marginals, one_attribute_and_most_users)
{
    static const char many[] = "a,b,count\n0,0,9007199254740991\n1,1,0\n1,0,1\n";

    write_text(folder, "one.csv", "a\n0\n1\n1\n0\n2\n");
    write_config(folder, "{\"type\": \"records\", \"file\": \"one.csv\"}", "\"all\"", "{\"k\": 1}", "");
    run_in(folder, "ldpbench run m.json -o one --quiet && [ $(wc -l <one/marginals.csv) = "
                   "$(($(ldpbench list synopses --format names | grep -vcE '^(spl|each|rsfd)$') + 1)) ]");
    write_text(folder, "many.csv", many);
    write_config(folder, "{\"type\": \"records\", \"file\": \"many.csv\"}", "[\"calm\", \"product\", \"ft\", \"am\"]",
                 "{\"k\": [1, 2]}", "");
    run_in(folder, "ldpbench run m.json -o many --quiet && ldpbench run m.json -o none --dry-run > dry.txt && "
                   "grep -E 'memory +about [0-9.]+ [kM]B' dry.txt && grep -E 'time +roughly [0-9.e-]+ s' dry.txt && "
                   "! grep -E 'time.*e\\+' dry.txt");
}

/* The error of a synopsis over that of another: beside a rare attribute even ones are independent too, noise alone is
 * known to be that, and most users of four attributes are told all that there is. These were 12, 60 and 2.5. */
FolderTest(marginals, no_synopsis_is_far_worse_than_a_simple_one)
{
    static const struct {
        const char *dataset, *synopses, *epsilon, *most;
    } row[] = {
        {"{\"type\": \"records\", \"file\": \"rare.csv\", \"n\": 200000}", "[\"plan\", \"product\"]", "1", "2"},
        {"{\"type\": \"chain\", \"d\": 16, \"n\": 1000, \"strength\": 0, \"skew\": 0}", "[\"calm\", \"uniform\"]",
         "0.2", "4"},
        {"{\"type\": \"chain\", \"d\": 4, \"n\": 65536, \"strength\": 0.3}", "[\"plan\", \"calm\"]", "6", "1.5"}};

    run_in(folder, "{ echo a,b,c,rare && seq 0 9999 | awk '{ print \"a\" $1 %% 4 \",b\" int($1 / 4) %% 4 \",c\" "
                   "int($1 / 16) %% 4 \",\" ($1 %% 333 == 7 ? \"y\" : \"n\") }'; } >rare.csv");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        write_config(folder, row[i].dataset, row[i].synopses, "{\"k\": 3, \"count\": 4}", "");
        run_in(folder,
               "sed 's/\"epsilon\": .1./\"epsilon\": [%s]/' m.json >n.json && ldpbench run n.json -o r --fresh --quiet "
               "--repetitions 20 && awk -F, 'NR == 1 { for (i = 1; i <= NF; "
               "i++) at[$i] = i } { sse[NR] = $at[\"sse\"] } END { exit !(NR == 3 && sse[2] < %s * sse[3]) }' "
               "r/marginals.csv",
               row[i].epsilon, row[i].most);
    }
}

/* The memory that --dry-run says m.json takes, over that of a repetition. */
static double memory_said(const char *folder)
{
    struct outcome outcome = shell_in(folder, "ldpbench run m.json --dry-run -j 1");
    const char *const at = strstr(outcome.out, "memory");
    cr_assert(at, "%s", outcome.out);
    const double said = 1e6 * strtod(at + strcspn(at, "0123456789"), NULL);
    struct rusage used;

    run_in(folder, "ldpbench run m.json -o r -j 1 --quiet --repetitions 1 --fresh");
    cr_assert_eq(getrusage(RUSAGE_CHILDREN, &used), 0);
    outcome_free(&outcome);
    return said / (1024.0 * (double)used.ru_maxrss);
}

/* The tables into which rows are joined when groups are drawn are part of the memory that a run is said to take, and so
 * are records while they are drawn. */
FolderTest(marginals, memory_of_a_run, SLOW)
{
    write_config(folder, "{\"type\": \"records\", \"file\": \"r.csv\"}", "[\"calm\"]", "{\"k\": 2, \"count\": 20}", "");
    run_in(folder, "{ seq -s, 16 && seq 0 65535 | awk '{ for (a = 0; a < 16; a++) printf \"%%d,\", $1 / 2 ^ a %% 2;"
                   " print 1000000 }'; } | sed '1s/$/,count/' >r.csv");
    double part = memory_said(folder);
    cr_expect(part > 0.6 && part < 1.5, "said %g of what is used", part);
    write_config(folder, "{\"type\": \"chain\", \"d\": 16, \"strength\": 0.3, \"n\": 1000000}", "[\"calm\"]",
                 "{\"k\": 8, \"count\": 100}", "");
    part = memory_said(folder);
    cr_expect(part > 0.6 && part < 1.5, "said %g of what is used while records are drawn", part);
}

/* A marginal of many attributes, whose tables tell thousands of its interactions: fitted part by part, this took 19
 * seconds. */
FolderTest(marginals, one_of_thirteen_attributes, SLOW, .timeout = 120)
{
    struct rusage used;

    write_config(folder, "{\"type\": \"chain\", \"d\": 13, \"strength\": 0.5, \"n\": 100000}", "[\"plan\"]",
                 "{\"k\": 13, \"count\": 1}", "");
    run_in(folder, "ldpbench run m.json -o out --repetitions 3");
    cr_assert_eq(getrusage(RUSAGE_CHILDREN, &used), 0);
    cr_expect_lt(used.ru_utime.tv_sec, 7);
}

/* Of attributes of more values, parts that have no joint law are fitted no longer than it changes the answer: this took
 * three times as long. */
FolderTest(marginals, one_of_ten_attributes_of_three_values, SLOW, .timeout = 120)
{
    struct rusage used;

    write_config(folder, "{\"type\": \"chain\", \"d\": 10, \"cardinality\": 3, \"strength\": 0.5, \"n\": 100000}",
                 "[\"plan\"]", "{\"k\": 10, \"count\": 1}", "");
    run_in(folder, "ldpbench run m.json -o out --repetitions 2");
    cr_assert_eq(getrusage(RUSAGE_CHILDREN, &used), 0);
    cr_expect_lt(used.ru_utime.tv_sec, 8);
}

/* Where users are shuffled, nothing is halved: that room is not part of it. */
FolderTest(marginals, memory_of_a_shuffle, SLOW)
{
    write_config(folder, "{\"type\": \"chain\", \"d\": 32, \"n\": 300000}", "[\"calm\"]", "{\"k\": 3, \"count\": 20}",
                 "");
    const double part = memory_said(folder);
    cr_expect(part > 1 / 1.3 && part < 1.3, "said %g of what is used", part);
}

/* More cells than 2^53: fc makes a product of users and cells, ft as many coefficients. */
FolderTest(marginals, more_cells_than_doubles_count)
{
    write_config(folder, "{\"type\": \"chain\", \"d\": 50, \"n\": 8}", "[\"fc\"]", "{\"k\": 2, \"count\": 3}", "");
    run_in(folder, "ldpbench run m.json -o fc --quiet");
    write_config(folder, "{\"type\": \"chain\", \"d\": 50, \"n\": 9}", "[\"fc\"]", "{\"k\": 2, \"count\": 3}", "");
    demand_refusal(folder, "9 users and 1.1259e+15 cells: expected a product of at most 2^53");
    write_config(folder, "{\"type\": \"chain\", \"d\": 64, \"n\": 1000}", "[\"ft\"]", "{\"k\": 16, \"count\": 1}", "");
    run_in(folder, "ldpbench run m.json -o ft --quiet");
    write_config(folder, "{\"type\": \"chain\", \"d\": 64, \"n\": 1000}", "[\"ft\"]", "{\"k\": 20, \"count\": 1}", "");
    demand_refusal(folder, "coefficients: expected at most 2^53");
}

#define SEX_AGE "age,sex,frequency\n10,m,0.3\n10,f,-0.05\n2,m,0.4\n2,f,0.35\n"
#define SEX_PAY "sex,pay,frequency\nm,lo,0.5\nm,hi,0.1\nf,lo,0.25\nf,hi,0.15\n"

/* One's own tables: made to agree, by hand. Of equal tables and weights the share of men is the mean of 0.7 and 0.6. */
FolderTest(marginals, synopsis_of_own_tables)
{
    char tables[PATH_ROOM + 8];

    snprintf(tables, sizeof tables, "%s/in", folder);
    run_well("mkdir %s", tables);
    write_text(tables, "a.csv", SEX_AGE);
    write_text(tables, "b.csv", SEX_PAY);
    run_in(folder,
           "ldpbench estimate in --negative --marginal sex > sex.csv && "
           "grep -q '^sex,frequency$' sex.csv && awk -F, '$1 == \"m\" && ($2 - 0.65) ^ 2 < 1e-20' sex.csv | grep -q m");
    /* Three times the users weigh three times as much: 0.7 * 3/4 + 0.6 / 4. */
    write_text(tables, "a.csv", "# users 3000\n" SEX_AGE);
    write_text(tables, "b.csv", "# users 1000\n" SEX_PAY);
    run_in(folder, "ldpbench estimate in --epsilon 1 --oracle oue --negative --marginal sex | awk -F, '$1 == \"m\" && "
                   "($2 - 0.675) ^ 2 < 1e-20' | grep -q m");
    /* The output is an input that is left as it is; cells are not negative; values that are numbers stand in order. */
    run_in(folder, "ldpbench estimate in --epsilon 1 -o one && ldpbench estimate one -o two && ls one | tr '\\n' ' ' | "
                   "grep -q '^age+sex.csv sex+pay.csv' && ! grep -q -- '-' one/age+sex.csv && "
                   "awk -F, 'NR == 2 && $1 != 2 { exit 1 }' one/age+sex.csv && for f in one/*; do paste -d, $f "
                   "two/${f#one/} | awk -F, 'NR > 1 && ($3 - $6) ^ 2 > 1e-18 { exit 1 }' || exit 1; done");
    /* What no table holds has maximum entropy: age and pay are independent given sex. */
    run_in(folder, "ldpbench estimate one --marginal age+pay | awk -F, 'NR > 1 { s += $3 } END { exit (s - 1) ^ 2 > "
                   "1e-18 }'");
}

Test(marginals, synopsis_bad_input)
{
    static const struct {
        const char *a, *b, *options, *fragment;
    } bad[] = {
        {SEX_AGE, "", "", "b.csv: expected lines of text, got an empty file"},
        {SEX_AGE, "sex,pay\n", "", "b.csv:1: expected a last column frequency, got \"pay\""},
        {SEX_AGE, "sex,sex,frequency\n", "", "b.csv:1: expected each attribute once, got \"sex\""},
        {SEX_AGE, "frequency\n", "", "b.csv:1: expected a header of attributes and frequency"},
        {SEX_AGE, "sex,,frequency\n", "", "b.csv:1: expected a name of every column"},
        {SEX_AGE, "a+b,frequency\n", "", "b.csv:1: expected a name without + and /, got \"a+b\""},
        {SEX_AGE, "sex,frequency\n", "", "b.csv: expected a header and cells, got none"},
        {SEX_AGE, "sex,frequency\nm,x\n", "", "b.csv:2: expected a frequency, got \"x\""},
        {SEX_AGE, "sex,frequency\nm,nan\n", "", "b.csv:2: expected a frequency, got \"nan\""},
        {SEX_AGE, "sex,frequency\nm\n", "", "b.csv:2: expected 2 columns, as the header has"},
        {SEX_AGE, "sex,frequency\nm,1,1\n", "", "b.csv:2: expected 2 columns, as the header has"},
        {SEX_AGE, "sex,frequency\n,1\n", "", "b.csv:2: expected a value in every column"},
        {SEX_AGE, "sex,frequency\nm,1\n", "", "b.csv: expected a line for each of the 2 cells, got 1"},
        {SEX_AGE, "sex,frequency\nm,1\nm,0\n", "", "b.csv: expected each cell once, got cell 2 of the file again"},
        {SEX_AGE, "pay,frequency\nhi,1\n", "", "expected at least 2 values of pay, got 1"},
        {SEX_AGE, "# variance 0\n" SEX_PAY, "", "b.csv:1: expected a number > 0, got \"0\""},
        {SEX_AGE, "# variance 1\n" SEX_PAY, "", "b.csv: expected lines # variance and # users as"},
        {"# users 10\n" SEX_AGE, "# users 10\n" SEX_PAY, "", "a.csv: # users needs --epsilon"},
        {SEX_AGE, SEX_PAY, "", "missing option --output FOLDER, for 2 marginals"},
        {SEX_AGE, SEX_PAY, "--marginal age+x", "expected attributes of the tables (age, ...), got \"x\""},
        {SEX_AGE, SEX_PAY, "--marginal age+age", "expected each attribute once, got \"age+age\""},
        {SEX_AGE, SEX_PAY, "-o in", "expected another folder than that of the tables"},
        {SEX_AGE, SEX_PAY, "in", "expected one file, or one folder of tables, got 2"},
        {SEX_AGE, SEX_PAY, "--n 10", "expected no options but --oracle, --epsilon"},
    };
    char tables[PATH_ROOM + 8];

    const char *const folder = temporary_folder();
    snprintf(tables, sizeof tables, "%s/in", folder);
    run_well("mkdir %s %s/none", tables, folder);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text(tables, "a.csv", bad[i].a);
        write_text(tables, "b.csv", bad[i].b);
        demand_failure(2, bad[i].fragment, "cd %s && ldpbench estimate in %s", folder, bad[i].options);
    }
    demand_failure(2, "none: expected 1 to 100000 files *.csv, got 0", "cd %s && ldpbench estimate none", folder);
    demand_failure(2, "missing option --oracle NAME", "cd %s && ldpbench estimate nowhere", folder);
}

/* What a folder holds beyond the config is said in words: no fingerprints of marginals and records, no bars. */
FolderTest(marginals, another_config_in_words)
{
    static const char config[] =
        "{\"name\": \"m\", \"task\": \"marginals\", \"repetitions\": 2, \"oracles\": [\"oue\"], "
        "\"epsilon\": 1, \"datasets\": [{\"type\": \"chain\", \"d\": 16, \"strength\": %s, "
        "\"n\": 100}], \"synopses\": [%s\"product\"], \"marginals\": {\"k\": 2, \"count\": %d}}";
    char text[1000];

    snprintf(text, sizeof text, config, "0.5", "{\"name\": \"calm\", \"m\": 3, \"l\": 2}, ", 3);
    write_text(folder, "c.json", text);
    run_in(folder, "ldpbench run c.json -o r --quiet");
    snprintf(text, sizeof text, config, "0.5", "", 4);
    write_text(folder, "c.json", text);
    expect_said(0, "\"product\"] and is [\"product\"], marginals.count was 3 and is 4; the store keeps",
                "cd %s && ldpbench run c.json -o r", folder);
    snprintf(text, sizeof text, config, "0.6", "", 4);
    write_text(folder, "c.json", text);
    expect_said(2, "holds no cell of this config: datasets[0].strength was 0.5 and is 0.6;",
                "cd %s && ldpbench run c.json -o r", folder);
}
