/* test_cli.c - the command line: what works, and one clear line with the right exit status for what does not. */
#include "hashing/hash.h"
#include "program.h"
#include "quick.h"
#include "simd/simd.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(cli, usage_errors)
{
    static const struct {
        const char *command, *fragment;
    } cases[] = {
        {"ldpbench rum x.json", "did you mean \"run\"?"},
        {"ldpbench run", "missing operand: the file of a config"},
        {"ldpbench run --repetition", "--repetition"},
        {"ldpbench run x.json -j 0", "--threads: expected an integer from 1"},
        {"ldpbench run x.json -j two", "got \"two\""},
        {"ldpbench run x.json --seed -1", "--seed"},
        {"ldpbench run x.json --seed 9007199254740993", "--seed"},
        {"ldpbench run x.json --repetitions 1.5", "--repetitions"},
        {"ldpbench run x.json --colour", "unknown option \"--colour\""},
        {"ldpbench run x.json -q", "unknown option"},
        {"ldpbench run x.json --repititions 3", "unknown option \"--repititions\", did you mean \"--repetitions\"?"},
        {"ldpbench run x.json --Repetitions=3", "did you mean \"--repetitions\"?"},
        {"ldpbench estimate --oracle OLH --epsilon 1 --n 10 x", "got \"OLH\", did you mean \"olh\"?"},
        {"ldpbench estimate --oracle rappor --epsilon 1 --n 10 x", "did you mean \"bloom\"?"},
        {"printf '1\t5000\n2\t5000\n' | ldpbench estimate --oracle blh --epsilon 1 --n 10000 --method mle -",
         "got mle with blh"},
        {"ldpbench run x.json -o --help", "option -o: expected a value, got \"--help\""},
        {"ldpbench run x.json --output --fresh", "option --output: expected a value, got \"--fresh\""},
        {"ldpbench run x.json -o", "option -o: missing value"},
        {"ldpbench oracles --epsilon 1 --oracle zzz", "--oracle: expected an oracle (ldpbench list oracles)"},
        {"ldpbench oracles --epsilon 1 --oracle olh --oracle olh", "--oracle: expected each once"},
        {"ldpbench help rum", "expected a command, got \"rum\", did you mean \"run\"?"},
        {"ldpbench hlp", "did you mean \"help\"?"},
        {"ldpbench list --format schema oracles", "expected no list"},
        {"ldpbench list 'zipf(d=4,n=10)'", "missing key \"s\""},
        {"ldpbench list 'zipf(s=1,d=4,n=10'", "expected a closing parenthesis at the end"},
        {"ldpbench list 'zipf(s=1,d=4,n=10)x'", "expected a closing parenthesis at the end"},
        {"ldpbench list 'zpif(s=1,d=4,n=10)'", "did you mean \"zipf\"?"},
        {"ldpbench run a.json b.json -o x", "expected one config"},
        {"ldpbench run no-such-file.json", "no-such-file.json"},
        {"ldpbench list oracle", "did you mean \"oracles\"?"},
        {"ldpbench list oracles methods", "expected one of"},
        {"ldpbench list --format yaml", "text, md, names, schema or json"},
        {"ldpbench list --format json", "FOLDER [TABLE ROW]"},
        {"ldpbench list --format json no-such-folder", "no-such-folder"},
        {"ldpbench list --format json no-such-folder mse.csv", "got 2 words"},
        {"ldpbench plot", "missing operand: the folder of a result"},
        {"ldpbench plot /", "expected a result folder"},
        {"ldpbench plot nowhere", "nowhere: no such folder; run the config first"},
        {"ldpbench plot --format gif x", "svg, pdf, png or tsv"},
        {"ldpbench merge x", "merge is now `ldpbench run CONFIG --from DIR...`"},
        {"ldpbench list oracels", "did you mean \"oracles\"?"},
        {"ldpbench list 'zipf_strings(s=1,length=0,d=9,n=9)'", "list: length: expected an integer"},
        {"ldpbench list no-such.counts", "no-such.counts"},
        {"ldpbench list 'zipf(s=-1,d=4,n=10)'", "s: expected"},
        {"ldpbench list 'zipf(s=1)'", "missing key \"d\""},
        {"ldpbench list 'zipf(t=1,d=4,n=10)'", "unknown key \"t\""},
        {"ldpbench list 'zipf(s=1,d=1,n=10)'", "d: expected an integer from 2 to"},
        {"ldpbench estimate --oracle olh --epsilon 1 x",
         "estimate: missing option --domain FILE (the values; or --d D), or --n N of supports"},
        {"ldpbench estimate --eps 1 --oracle olh --n 10 x", "unknown option \"--eps\""},
        {"ldpbench run c.json --from", "--from: expected a config and folders of results, got 1 operand"},
        {"ldpbench run c.json --from a --shard 1/2", "--from: expected none of --shard, --until-decided and --dry-run"},
        {"ldpbench run none.json", "none.json: no such file"},
        {"ldpbench run none.json --threads 0", "--threads: expected an integer"},
        {"ldpbench report nowhere --no-plots", "nowhere: no such folder; run the config first"},
        {"ldpbench check ndss2020 /", "expected result folders of configs"},
        {"ldpbench check ndss2021 /",
         "check: expected a paper or results, got \"ndss2021\", did you mean \"ndss2020\"?"},
        {"ldpbench run docs/survey.csv",
         "survey.csv:1:1: expected a config in JSON (data are for ldpbench advise and init)"},
        {"ldpbench init docs/survey.csv -o /tmp/none.json --query median",
         "--query: expected a query such as full_domain, top_k, set_value, range or quantile (ldpbench list queries), "
         "got \"median\", did you mean \"quantile\"?"},
        {"ldpbench estimate --oracle cms --epsilon 1 --n 10 x", "missing option --d, which --oracle cms needs"},
        {"ldpbench estimate --oracle olh --epsilon 1 --n 10 --d 2 x",
         "--d: expected a sketch or an ordered oracle, got olh"},
        {"printf '1\t5\n2\t5\n' | ldpbench estimate --oracle 'cms(rows=1,columns=2)' --epsilon 1 --n 10 --d 9 -",
         "expected the 5 support counts of cms, got 2"},
        {"printf '1\t-1\n2\t5\n3\t10\n4\t1\n5\t1\n' | "
         "ldpbench estimate --oracle 'cms(rows=1,columns=2)' --epsilon 1 --n 10 --d 9 -",
         "standard input:1: expected a half of a seed, a whole number below 2^32, got -1"},
        {"ldpbench estimate --oracle oleh --epsilon 1 --n 10 x", "did you mean \"olh\"?"},
        {"ldpbench estimate --oracle olh --epsilon 0 --n 10 x", "--epsilon: expected a number > 0"},
        {"ldpbench estimate --oracle olh --epsilon nan --n 10 x", "--epsilon"},
        {"ldpbench estimate --oracle olh --epsilon 1 --n 10.5 x", "--n"},
        {"ldpbench estimate --oracle olh --epsilon 1 --n 10 --method norm --method norm x", "each once"},
        {"ldpbench estimate --oracle olh --epsilon 1 --n 10 --method all --method norm x", "each once"},
        {"LDPBENCH_SIMD=avx3 ldpbench list", "LDPBENCH_SIMD: expected one of generic"},
        {"LDPBENCH_SIMD=' ' ldpbench --version", "got \" \""},
        {"ldpbench estimate --oracle olh --epsilon 1 --n 10 --method nrom x", "did you mean \"norm\"?"},
        {"ldpbench estimate --oracle olh --epsilon 1 --n 10 --method post_pos x", "acts on answers"},
        {"ldpbench estimate --oracle 'olh(g=1)' --epsilon 1 --n 10 x", "g: expected"},
        {"ldpbench estimate --oracle 'olh(g=4' --epsilon 1 --n 10 x", "expected a name, NAME(PARAMETER=VALUE)"},
        {"ldpbench estimate --oracle 'count_min(rows=2 row_oracle=olh(g=1))' --epsilon 1 --d 9 --n 10 x",
         "row_oracle.g: expected an integer"},
        {"ldpbench estimate --oracle 'olh(h=1)' --epsilon 1 --n 10 x", "unknown key \"h\""},
        {"ldpbench estimate --oracle olh --epsilon 1 --n 10 no-such.tsv", "no-such.tsv"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        demand_failure(2, cases[i].fragment, "%s", cases[i].command);
}

/* Numbers are decimal and finite, the whole word, wherever an option takes one. */
/* Options of whole numbers take 1e5, and those of names several with commas between. */
Test(cli, numbers_and_names)
{
    expect_said(0, "d = 1000, n = 100,000,", "ldpbench oracles --epsilon 1e0 --d 1e3 --n 1e5 --oracle olh,grr");
    demand_failure(2, "--d: expected an integer from 2 to 2147483648, got \"1.5\"",
                   "ldpbench oracles --epsilon 1 --d 1.5");
    demand_failure(2, "--d: expected an integer from 2 to 2147483648, got \"1e400\"",
                   "ldpbench oracles --epsilon 1 --d 1e400");
    demand_failure(2, "--oracle: expected an oracle (ldpbench list oracles), got \"\"",
                   "ldpbench oracles --epsilon 1 --oracle olh,");
    demand_failure(2, "--oracle: expected each once, got olh twice", "ldpbench oracles --epsilon 1 --oracle olh,olh");
    expect_said(0, "olh(g=4)",
                "ldpbench oracles --epsilon 1 --d 64 --oracle grr --oracle '{\"name\": \"olh\", \"g\": 4}'");
    expect_said(0, "flh(k=20 decode=published)",
                "ldpbench oracles --epsilon 1 --d 8 --oracle 'grr,flh( k=20, decode=published)'");
    demand_failure(2, "--oracle: expected one oracle, got 2", "ldpbench audit --epsilon 1 --oracle grr,oue");
}

/* All are read by the same function: one option with every text, the others with a quarter of them. */
FolderTest(cli, numbers, SLOW)
{
    static const char *const options[] = {
        "run c.json -j \"$N\"",
        "run c.json --seed \"$N\"",
        "run c.json --repetitions \"$N\"",
        "estimate --oracle olh --epsilon \"$N\" --n 10 s.tsv",
        "estimate --oracle olh --epsilon 1 --n \"$N\" s.tsv",
        "estimate --oracle \"olh(g=$N)\" --epsilon 1 --n 10 s.tsv",
        "estimate --oracle olh --epsilon 1 --n 10 --method \"base_cut(alpha=$N)\" s.tsv",
        "check a.csv b.csv --level \"$N\"",
        "check a.csv b.csv --floor \"$N\"",
        "report --level \"$N\" folder",
        "advise --supports olh --n 10 s.tsv --epsilon \"$N\"",
        "advise --supports olh --epsilon 1 s.tsv --n \"$N\"",
        "advise s.tsv --error \"$N\"",
        "advise --epsilon 1 s.tsv --bits \"$N\"",
        "advise --supports olh --epsilon 1 --n 10 s.tsv --trials \"$N\"",
        "advise --supports olh --epsilon 1 --n 10 s.tsv --seed \"$N\"",
        "advise --supports olh --epsilon 1 --n 10 s.tsv -j \"$N\"",
        "list \"zipf(s=$N,d=4,n=10)\"",
        "list \"zipf(s=1,d=$N,n=10)\"",
        "list \"zipf(s=1,d=4,n=$N)\"",
    };
    static const char *const numbers[] = {
        "0x10", "0X1p3", "inf", "-inf", "infinity", "nan",   "NaN", "1x",  "1 ", " 1",    "",
        "1e",   "--1",   "-1",  "1,,2", "1e999",    "1.5.2", "\t1", "1_0", "١",  "1e400", "99999999999999999999999x"};

    write_text(folder, "s.tsv", "a\t4\nb\t6\nc\t3\nd\t1\n");
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++)
            if (i == 0 || (i + j) % 4 == 0)
                demand_failure(2, "expected ", "cd %s && N='%s' && ldpbench %s", folder, numbers[j], options[i]);
}

/* A vector level that the processor does not have is reported. */
Test(cli, simd_levels)
{
    for (enum ldp_simd level = 0; level < LDP_SIMD_LEVELS; level++) {
        const char *const name = ldp_simd_name(level);
        struct outcome outcome = run_shell("LDPBENCH_SIMD=%s ldpbench list tasks", name);

        cr_expect_eq(outcome.status, ldp_simd_available(level) ? 0 : 2, "%s: %s", name, outcome.err);
        cr_expect_eq(strstr(outcome.err, "which this processor lacks") != NULL, !ldp_simd_available(level));
        outcome_free(&outcome);
    }
    run_well("LDPBENCH_SIMD= ldpbench list tasks");
}

Test(cli, help_and_version)
{
    expect_said(0, "ldpbench run", "ldpbench --help");
    expect_said(2, "", "ldpbench");
    /* Wherever it stands, whatever else the command lacks. */
    run_well("for c in $(ldpbench list commands --format names); do"
             " ldpbench help $c | grep -q \"^ldpbench $c \" && ldpbench $c --help | grep -q \"^ldpbench $c\" &&"
             " [ \"$(ldpbench $c x --help)\" = \"$(ldpbench $c --help)\" ] &&"
             " [ \"$(ldpbench $c x -h y)\" = \"$(ldpbench $c --help)\" ] || exit 1; done");
    /* Of the manual too, the examples are first, and of commands that there are. */
    run_well(
        "for page in man/ldpbench.1 man/ldpbench-config.5; do "
        "[ \"$(grep '^.SH' $page | sed -n 2p)\" = '.SH EXAMPLES' ] || exit 1; "
        "sed -n '/^.SH EXAMPLES/,/^.fi/s/^ldpbench \\([a-z]*\\).*/\\1/p' $page | while read c; do "
        "ldpbench $c --help >/dev/null || exit 1; done || exit 1; done && "
        "for c in $(ldpbench list commands --format names); do [ $(ldpbench $c --help | wc -l) -le 24 ] || exit 1; "
        "done");
    /* Of 80 columns, two examples first, which begin as the command does. */
    run_well(
        "for c in $(ldpbench list commands --format names); do ldpbench help $c | "
        "awk 'length > 80' | grep . && exit 1; [ $(ldpbench $c --help | head -2 | grep -c \"^  ldpbench $c \") = 2 ] "
        "|| exit 1; done");
    run_well("ldpbench --help | head -1 | grep -q '^  ldpbench advise' && for c in $(ldpbench list commands --format "
             "names | grep -v help); do ldpbench --help | grep -q \"^  $c  *[a-z]\" || exit 1; done");
    run_well("ldpbench --version | grep -q '^ldpbench [0-9]'");
}

/* Every option has its line, every line its explanation. */
Test(cli, help_explains_every_option, SLOW)
{
    run_well("for c in $(ldpbench list commands --format names); do help=$(ldpbench $c --help); "
             "for o in $(ldpbench list options $c | grep '^--' | grep -v "
             "'^--help$'); do echo \"$help\" | grep -A1 -E \"^  (-., )?$o( |$)\" | grep -Eq '[A-Za-z]{3,}.* ' || "
             "exit 1; "
             "done; done");
    run_well("ldpbench help | grep -q 'ldpbench run'");
}

/* A part of the attack of tests/bad_inputs.py; make bad-inputs is all of it. */
Test(cli, bad_inputs_are_refused, SLOW)
{
    struct outcome outcome =
        run_shell("command -v python3 >/dev/null || exit 77; "
                  "python3 tests/bad_inputs.py $([ -n \"$LDPBENCH_VERIFY\" ] && echo 11 || echo 61)");

    if (outcome.status == 77)
        skip_test("python3 is not installed");
    cr_expect_eq(outcome.status, 0, "%s%s", outcome.out, outcome.err);
    outcome_free(&outcome);
}

/* Files as pandas, R, spreadsheets, SQL and surveys export them are read right, or refused with the place. */
Test(cli, exports_are_read_right, SLOW)
{
    struct outcome outcome = run_shell("command -v python3 >/dev/null || exit 77; python3 tests/exports.py");

    if (outcome.status == 77)
        skip_test("python3 is not installed");
    cr_expect_eq(outcome.status, 0, "%s%s", outcome.out, outcome.err);
    outcome_free(&outcome);
}

/* Of every command: 80 columns, colours on a terminal alone, a screen of help. */
Test(cli, fits_a_terminal, SLOW)
{
    struct outcome outcome = run_shell("command -v python3 >/dev/null || exit 77; python3 tests/terminal.py");

    if (outcome.status == 77)
        skip_test("python3 is not installed");
    cr_expect_eq(outcome.status, 0, "%s%s", outcome.out, outcome.err);
    outcome_free(&outcome);
}

/* A share of all configs that tests/schema.py makes: the program accepts what the schema accepts. */
Test(cli, schema_refuses_what_the_program_refuses, SLOW)
{
    struct outcome outcome =
        run_shell("python=/usr/bin/python3; $python -c 'import jsonschema' 2>&- || python=python3; "
                  "$python tests/schema.py 500");

    if (outcome.status == 77)
        skip_test("python3-jsonschema is not installed");
    cr_expect_eq(outcome.status, 0, "%s%s", outcome.out, outcome.err);
    outcome_free(&outcome);
}

/* The reference has every key of the schema, in all its forms. */
Test(cli, reference_of_config_keys)
{
    run_well("for f in text md; do ldpbench list config --format $f > ${TMPDIR:-/tmp}/reference.$$; for k in "
             "repetitions "
             "epsilon trials surrogates outputs draw percent otherwise mean_size alpha points scale; do grep -q "
             "\"$k\" ${TMPDIR:-/tmp}/reference.$$ || exit 1; done; done; rm ${TMPDIR:-/tmp}/reference.$$");
    run_well("ldpbench list config | grep -A1 '^    repetitions ' | grep -q 'from 1 to 10000000 (default 30)'");
    /* The examples of integers are integers. */
    run_well("! ldpbench list config --format md | grep '| an integer from' | grep '\\. *[0-9][0-9]*` |$'");
    run_well("ldpbench list config --format md | grep '^| `cutoff`' | grep -q '| 4.3531 |'");
}

Test(cli, list_names_are_the_registries)
{
    run_well("ldpbench list methods --format names | grep -qx norm_sub");
    run_well("ldpbench list oracles --format names | grep -qx olh");
    run_well("for list in oracles methods queries datasets tasks; do"
             " [ -z \"$(ldpbench list $list --format names | sort | uniq -d)\" ] || exit 1; done");
    run_well("ldpbench list | grep -q 'NDSS 2020'");
}

/* OLH at epsilon = 1, g = 4: est = (c/n - 1/4) / (p - 1/4), p = e/(e+3). By hand for n = 1000, c = 400, 250, 250:
 * p - q = 0.22536688641867..., est = 0.665581, 0, 0; norm_sub adds (1 - 0.665581)/3 = 0.111473 to each. */
FolderTest(cli, estimate_by_hand)
{
    write_text(folder, "s.tsv", "# a comment\na\t400\nb\t250\n\nc\t250\n");
    /* Sums of noisy numbers may leave 0 .. n, counts may not. */
    run_in(
        folder,
        "printf 'a\\t-3.5\\nb\\t1003\\n' > real.tsv && ldpbench estimate --oracle she --epsilon 1 "
        "--n 1000 --method base --format csv real.tsv | grep -q 'b,1\\.003' && ! ldpbench estimate --oracle oue --epsilon 1 "
        "--n 1000 real.tsv");
    struct outcome outcome =
        shell_in(folder, "ldpbench estimate --oracle olh --epsilon 1 --n 1000 --method base --method "
                         "norm_sub --format csv s.tsv");
    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    cr_assert_eq(strncmp(outcome.out, "value,base,norm_sub,low,high\na,", 31), 0, "%s", outcome.out);
    char *rest;
    const double base = strtod(outcome.out + 31, &rest);
    const double norm_sub = strtod(rest + 1, NULL);
    cr_assert_float_eq(base, 0.6655815, 1e-6);
    cr_assert_float_eq(norm_sub, 0.7770543, 1e-6);
    cr_assert(strstr(outcome.out, "\nb,0,0.111"), "%s", outcome.out);
    outcome_free(&outcome);
    run_in(folder, "gzip -k s.tsv && ldpbench estimate --oracle olh --epsilon 1 --n 1000 s.tsv > plain && "
                   "ldpbench estimate --oracle olh --epsilon 1 --n 1000 s.tsv.gz > packed && cmp plain packed");
    run_in(folder, "ldpbench estimate --oracle 'olh(g=2)' --epsilon 1 --n 1000 s.tsv > two && ! cmp -s "
                   "plain two");
    run_in(folder, "ldpbench estimate --oracle 'hm(decode=joint)' --epsilon 1 --n 1000 --method "
                   "'norm_cut(rescale=true)' s.tsv > joint && ldpbench estimate --oracle 'hm(decode=per_bit)' "
                   "--epsilon 1 --n 1000 --method norm_cut s.tsv > per_bit && ! cmp -s joint per_bit");
    outcome = shell_in(folder, "ldpbench estimate --oracle 'hm(decode=joined)' --epsilon 1 --n 1000 s.tsv");
    cr_assert_eq(outcome.status, 2);
    cr_assert(strstr(outcome.err, "decode: expected one of per_bit, joint, likelihood"), "%s", outcome.err);
    outcome_free(&outcome);
}

/* Reports of five users, and the supports that they make: the same estimates. Sets of values as bits, words of the
 * protocol, names of values. */
FolderTest(cli, estimate_from_reports)
{
    static const struct {
        const char *oracle, *reports, *supports;
    } same[] = {
        {"grr", "a\n\"b b\"\na\n2\n[2]\n", "a\t2\nb b\t1\nc\t2\n"},
        {"oue", "[1, 0, 1]\n101\n0 1 0\n\"000\"\n[3]\n", "a\t3\nb b\t2\nc\t2\n"},
        {"sue", "1,0,1\n[1,1,1]\n7\n", "a\t3\nb b\t2\nc\t3\n"},
        {"sue", "{\"user\": \"report\", \"report\": [1,0,1]}\n{\"report\" : 7, \"t\": 3}\n", "a\t2\nb b\t1\nc\t2\n"},
        {"grr", "{\"report\": \"b\\u0020b\"}\n\"\\u0061\"\n{\"report\":2}\n", "a\t1\nb b\t1\nc\t1\n"},
    };

    write_text(folder, "domain", "a\t7\nb b\nc\n");
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        write_text(folder, "r.jsonl", same[i].reports);
        write_text(folder, "s.tsv", same[i].supports);
        run_in(folder,
               "ldpbench estimate --oracle %s --epsilon 1 --domain domain --method base --format csv r.jsonl >r && "
               "ldpbench estimate --oracle %s --epsilon 1 --n $(wc -l <r.jsonl) --method base --format csv s.tsv >s && "
               "cmp r s",
               same[i].oracle, same[i].oracle);
    }
    write_text(folder, "r.csv", "report\na\nc\n");
    write_text(folder, "seeds.csv", "seed,symbol\n\"12345678901234567890\",1\n");
    run_in(folder,
           "ldpbench estimate --oracle grr --epsilon 1 --domain domain --format json r.csv | grep -Eq '\"n\":.2,' && "
           "ldpbench estimate --oracle olh --epsilon 1 --domain domain --format json seeds.csv | grep -Eq '\"n\":.1,'");
    write_text(folder, "r.jsonl", "[12345678901234567890, 1]\n[5, 0]\n");
    run_in(folder, "ldpbench estimate --oracle 'olh(g=4)' --epsilon 1 --d 4 --format json r.jsonl | "
                   "grep -Eq '\"n\":.2,'");
    for (size_t i = 0; i < 5; i++) {
        static const char *const formats[][2] = {{"text", "  a  "},
                                                 {"md", "| a |"},
                                                 {"latex", "toprule"},
                                                 {"csv", "^value,mix,low,high$"},
                                                 {"json", "\"oracle\":"}};
        run_in(folder, "ldpbench estimate --oracle oue --epsilon 1 --n 100 --format %s s.tsv 2>&1 | grep -q -- '%s'",
               formats[i][0], formats[i][1]);
    }
}

FolderTest(cli, estimate_bad_reports)
{
    static const struct {
        const char *oracle, *text, *fragment;
    } cases[] = {
        {"grr", "a\nd\n", "r:2: expected a value of the domain or a whole number below 2^64, got \"d\""},
        {"grr", "a\n\nb\n", "r:2: expected 1 word of a report of grr, got 0"},
        {"grr", "a\n3\n", "r:2: "},
        {"grr", "a\n# b\n", "r:2: expected a value of the domain"},
        {"grr", "a\n-1\n", "r:2: expected a value of the domain"},
        {"grr", "1 2\n", "r:1: expected 1 word of a report of grr, got 2"},
        {"oue", "[1,0,2]\n", "r:1: expected 1 word of a report of oue, got 3"},
        {"oue", "[8]\n", "r:1: "},
        {"oue", "{\"bits\": 1}\n", "r:1: expected an object with one member \"report\", got"},
        {"oue", "{\"report\": 1, \"x\": {\"report\": 2}}\n", "r:1: expected an object with one member"},
        {"oue", "{\"report\":", "r:1: expected an object with one member"},
        {"oue", "101\nfirst,second,third\n", "r:2: expected a value"},
        {"grr", "A\nb\n", "r:1: expected a value of the domain"},
        {"olh", "[1]\n", "r:1: expected 2 words of a report of olh, got 1"},
        {"olh", "[18446744073709551616, 0]\n", "r:1: expected a value of the domain"},
        {"she", "[0.1, x, 3]\n", "r:1: expected a number, got \"x\""},
        {"oue", "", "empty"},
        {"grr", "report\n", "r: expected reports below the names of columns"},
    };

    write_text(folder, "domain", "a\nb\nc\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(folder, "r", cases[i].text);
        demand_failure(2, cases[i].fragment, "cd %s && ldpbench estimate --oracle %s --epsilon 1 --domain domain r",
                       folder, cases[i].oracle);
    }
    write_text(folder, "domain", "a\nb\na\n");
    demand_failure(2, "domain:3: expected each value once (see line 1), got \"a\"",
                   "cd %s && ldpbench estimate --oracle grr --epsilon 1 --domain domain r", folder);
}

/* A table has its reports in the column of that name. */
FolderTest(cli, estimate_a_column_of_reports)
{
    write_text(folder, "domain", "a, b\nc\n");
    write_text(folder, "r.csv", "user,report,when\n1,\"a, b\",x\n2,\"a, b\",\"y\"\n3,c,z\n");
    write_text(folder, "r", "\"a, b\"\n0\nc\n");
    write_text(folder, "o.csv", "report,user\n\"[5, 1]\",\"k, 2\"\n7 2,3\n");
    write_text(folder, "o", "[5, 1]\n7 2\n");
    run_in(folder, "for of in 'r grr --domain domain' 'o olh --d 4'; do set -- $of && "
                   "ldpbench estimate $1.csv --oracle $2 $3 $4 --epsilon 1 --format csv >a && "
                   "ldpbench estimate $1 --oracle $2 $3 $4 --epsilon 1 --format csv >b && cmp a b || exit 1; done");
    write_text(folder, "r.csv", "user,report\n1,c\n2\n");
    demand_failure(2, "r.csv:3: expected a cell of the column report, got \"2\"",
                   "cd %s && ldpbench estimate r.csv --oracle grr --domain domain --epsilon 1", folder);
}

/* A value that too few reports support for this oracle and epsilon; and an oracle that becomes another. */
FolderTest(cli, estimate_doubts_reports)
{
    write_text(folder, "values.txt", "never\nweekly\ndaily\n");
    run_in(folder, "for i in $(seq 300); do echo never; done >r && for i in $(seq 200); do echo weekly; done >>r && "
                   "ldpbench estimate r --oracle grr --epsilon 1 --domain values.txt 2>said >out && "
                   "grep -q 'r: value 2: a support of 0 is very improbable' said && "
                   "head -5 r | ldpbench estimate - --oracle grr --epsilon 1 --domain values.txt 2>said >out && "
                   "[ ! -s said ] && echo '[7506601237593097913,1]' | "
                   "ldpbench estimate - --oracle blh --d 8 --epsilon 1 --method base | grep -q '1 report of olh'");
}

/* Lines of a file of supports that are no data are counted and said. */
FolderTest(cli, estimate_says_what_is_left_out)
{
    write_text(folder, "s.tsv", "# n=100\na\t60\n#b\t50\n\n# c\t7\nd\t20\n");
    run_in(folder, "ldpbench estimate --oracle oue --epsilon 3 --n 100 s.tsv >out 2>said && grep -q '^  #b ' out && "
                   "grep -qx 'ldpbench: s.tsv: 1 blank line and 1 comment left out (the first is line 4)' said");
    run_in(folder, "ldpbench advise --supports oue --epsilon 3 --n 100 --trials 3 s.tsv 2>&1 >/dev/null | "
                   "grep -c 'left out' | grep -qx 1");
}

FolderTest(cli, estimate_bad_files)
{
    static const struct {
        const char *text, *fragment;
    } cases[] = {
        {"", "empty"},
        {"a\t1\n", "at least 2 values"},
        {"a\t1\nb\n", "s.tsv:2: expected value TAB support"},
        {"a\t1\nb\t\n", "s.tsv:2: expected a number after the TAB"},
        {"a\t1\nb\t-1\n", "s.tsv:2: expected a support from 0 to n"},
        {"a\t1\nb\t101\n", "s.tsv:2: expected a support from 0 to n"},
        {"a\t1\nb\tx\n", "s.tsv:2: expected a number"},
        {"a\t1\nb\tnan\n", "s.tsv:2: expected a number"},
        {"a\t1\nb\t1 2\n", "s.tsv:2: expected a number"},
        {"a\t1\na\t2\n", "s.tsv:2: expected each value once"},
        {"a\t1\n\tb\n", "s.tsv:2: expected value TAB support"},
        {"a\t1\nb\x01\t2\n", "s.tsv:2"},
    };

    char command[2 * PATH_ROOM];
    snprintf(command, sizeof command, "cd %s && ldpbench estimate --oracle grr --epsilon 1 --n 100 s.tsv", folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(folder, "s.tsv", cases[i].text);
        demand_failure(2, cases[i].fragment, "%s", command);
    }
}

FolderTest(cli, output_that_cannot_be_written)
{
    static const char *const commands[] = {
        "estimate --oracle grr --epsilon 1 --n 3 s.tsv",
        "list oracles",
        "list 'zipf(s=1,d=4,n=10)'",
        "--help",
        "help",
        "help run",
        "--version",
    };

    write_text(folder, "s.tsv", "a\t1\nb\t2\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct outcome outcome = shell_in(folder, "ldpbench %s > /dev/full", commands[i]);
        cr_assert_eq(outcome.status, 3, "%s: %d: %s", commands[i], outcome.status, outcome.err);
        cr_assert(strstr(outcome.err, "standard output"), "%s", outcome.err);
        outcome_free(&outcome);
    }
}

/* No file that is opened later is taken for a stream that the caller had closed. */
FolderTest(cli, streams_closed_from_the_start)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"t\", \"seed\": 1, \"repetitions\": 3,"
        " \"datasets\": [{\"type\": \"uniform\", \"d\": 10, \"n\": 100}], \"oracles\": [\"grr\"], \"epsilon\": 1,"
        " \"methods\": [\"base\"], \"queries\": [{\"type\": \"full_domain\"}]}");
    run_in(folder, "ldpbench run c.json -o a && ldpbench run c.json -o b <&- >&- 2>&- && cmp a/mse.csv b/mse.csv");
    expect_said(3, "", "cd %s && ldpbench plot a >&-", folder);
    demand_failure(3, "/dev/stdout: cannot be written", "cd %s && ldpbench report a -o /dev/stdout --no-plots >&-",
                   folder);
    demand_failure(3, "standard output cannot be written", "cd %s && ldpbench help >&-", folder);
    demand_failure(3, "standard output: cannot be written", "cd %s && ldpbench report a -o - --no-plots >&-", folder);
}

FolderTest(cli, list_data)
{
    write_text(folder, "x.counts", "a\t5\nb\t1\nc\t0\n");
    run_in(folder, "ldpbench list x.counts > out && grep -Eq '^  d +3$' out && grep -Eq '^  n +6$' out");
    write_text(folder, "x.dat", "1 2 3\n2 3\n2\n");
    run_in(folder, "ldpbench list x.dat > out && grep -Eq '^  d +3$' out && grep -q '2 3, 3 2, 1 1' out");
    run_well("ldpbench list 'zipf(s=1.5,d=1024,n=1e6)' | grep -q 'fitted Zipf exponent  1.50'");
}

FolderTest(cli, list_strings)
{
    write_text(folder, "x.strings", "ab-\t7\nabcdef\t2\nbc\t3\nd%01c\t1\nb d\t1\n");
    run_in(folder, "ldpbench list x.strings > out && grep -q '^  length  *6 symbols, shorter' out && "
                   "grep -q '^  alphabet  *9 symbols: -%%01%%20a-f$' out && "
                   "grep -q '^  lengths  *2 to 6 symbols, 3.214 on average of users; at most 6' out && "
                   "! grep -q note out");
    run_in(folder,
           "ldpbench list 'x.strings(length=3,alphabet=a-d)' > out && "
           "grep -q '^  length  *3 symbols' out && grep -q '^  alphabet  *4 symbols: a-d$' out && "
           "grep -q '^  lengths  *2 to 3 symbols, .*; at most 6$' out && "
           "tr -s ' \n' ' ' <out | grep -q '9 users (different strings: 3) have symbols outside the alphabet' && "
           "tr -s ' \n' ' ' <out | grep -q '2 users (different strings: 1) have more than 3 symbols, which were cut'");
    run_in(folder,
           "ldpbench list 'x.strings(bits=16)' > out && grep -q '^  length  *16 bits' out && "
           "! grep -q alphabet out && "
           "tr -s ' \n' ' ' <out | grep -q '11 users (different strings: 4) have more than 16 bits, which were cut'");
    run_well("ldpbench list 'zipf_strings(s=1,d=300,n=3000)' | grep -q '^  alphabet  *26 symbols: a-z$'");
    struct outcome outcome = shell_in(folder, "ldpbench list 'x.strings(bits=16,length=2)'");
    cr_expect_eq(outcome.status, 2);
    cr_expect_str_eq(outcome.err, "ldpbench: list: expected either bits, or length and alphabet, got both\n");
    outcome_free(&outcome);
    outcome = shell_in(folder, "echo 'a\t1' >y.counts && ldpbench list 'y.counts(bits=16)'");
    cr_expect_eq(outcome.status, 2);
    cr_expect_str_eq(
        outcome.err,
        "ldpbench: list: unknown key \"bits\", expected one of type, label, file, n, otherwise, ordered\n");
    outcome_free(&outcome);
}

/* The name of a file may have parentheses; what a config has for it follows in others. Texts go on after a comma. */
FolderTest(cli, data_with_the_keys_of_a_config)
{
    write_text(folder, "t (1).csv", "a,2,c d\n1,-9,x\n2,0,y\n2,-9,y\n");
    run_in(folder, "ldpbench list 't (1).csv' | grep -q '^  attributes  *3$' && cp 't (1).csv' t.csv");
    run_in(folder, "ldpbench list 't.csv(columns=a, c d)' | grep -q '^  cardinalities  *a 2, c d 2$'");
    run_in(folder, "ldpbench list 't.csv(columns=2,missing=-9)' | grep -q '^  values of 2 *0 0, 1 (empty cells)$'");
    run_in(folder, "ldpbench list 't.csv(no_header)' | grep -q '^  n  *4$'");
    run_in(folder, "ldpbench list 't.csv(no_header=false)' | grep -q '^  n  *3$'");
    run_in(folder, "printf '3\\n5\\n' >t.data && ldpbench list 't.data(type=numbers)' | grep -q '^  n  *2$'");
    run_in(folder,
           "printf 'a\\t3\\nb\\t5\\n' >s.counts && ldpbench init 's.counts(ordered)' && grep -q '\"pen\"' s.json");
    static const char *const bad[][2] = {
        {"t.csv(columns=a,bins=1,bins=2)", "expected each parameter once, got bins twice"},
        {"t.csv(bins)", "expected NAME=VALUE, got \"bins\""},
        {"t.csv(colums=a)", "list: unknown key \"colums\", did you mean \"columns\"?"},
        {"t.csv(bins=x)", "list: bins: expected an integer from 2 to 1048576"},
        {"t.csv(bins=3", "expected a closing parenthesis at the end"},
        {"none.csv(bins=3)", "none.csv: no such file"},
        {"none.csv", "none.csv: no such file"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_said(2, bad[i][1], "cd %s && ldpbench list '%s'", folder, bad[i][0]);
}

FolderTest(cli, dry_run_writes_nothing)
{
    write_text(folder, "c.json",
               "{\"name\": \"t\", \"seed\": 1, \"repetitions\": 30,"
               " \"datasets\": [{\"type\": \"uniform\", \"d\": 10, \"n\": [100, 200]}],"
               " \"oracles\": [\"grr\", \"oue\"], \"epsilon\": {\"from\": 0.2, \"to\": 4, \"step\": 0.2},"
               " \"methods\": [\"base\"], \"queries\": [{\"type\": \"full_domain\"}]}");
    run_in(folder, "ldpbench run c.json --dry-run > out && [ ! -e results ] && grep -Eq 'cells +80, 30 rep' out && "
                   "grep -q memory out && grep -q time out");
}
