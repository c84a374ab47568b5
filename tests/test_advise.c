/* test_advise.c - ldpbench advise, as users use it: each kind of data, limits, methods of one's own, bad input; what
 * must be so without noise; the same bytes whatever the threads, and after an interruption. */
#include "ldp.h"
#include "program.h"
#include "quick.h"
#include "setup.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Answers are read as JSON. */
#define READ(lines)                                                                                                             \
    " && python3 -c '\n"                                                                                                        \
    "import json\n"                                                                                                             \
    "said = json.load(open(\"out\"))\n"                                                                                         \
    "points = [{**point, \"unit\": one[\"unit\"]} for one in said.get(\"decisions\", []) for point in one[\"points\"]]\n"       \
    "def take(query): return next(point for point in points if point[\"title\"] == query)\n"                                    \
    "def of(query): return take(query)[\"candidates\"]\n"                                                                       \
    "everything = [row for point in points for row in point[\"candidates\"]]\n"                                                 \
    "def error(query): return next(row[\"error\"] for row in of(query) if row[\"candidate\"] == take(query)[\"take\"])\n" lines \
    "'"

enum { D = 256 };

/* Supports of one collection by oue from Zipf's law, s = 1.5, n = 100000, as FOLDER/s.tsv. */
static void write_supports(const char *folder, double epsilon)
{
    uint64_t counts[D], total = 0;
    struct ldp_oracle_spec spec = default_oracle("oue");

    for (size_t v = 0; v < D; v++)
        total += counts[v] = (uint64_t)(38000 / ((double)(v + 1) * sqrt((double)(v + 1))));
    counts[0] += 100000 - total;
    struct ldp_population *const population = make_population(counts, D);
    struct ldp_protocol protocol = make_protocol(&spec, D, epsilon);
    struct ldp_simulation simulation = make_simulation(&protocol, population, LDP_COUNTS);
    void *const scratch = malloc(simulation.scratch_bytes + 1);
    struct ldp_rng rng = make_stream(17, "advise", 0);
    char *const text = malloc(D * 64), *at = text;
    double support[D];
    ldp_simulate(&simulation, &rng, scratch, support);
    for (size_t v = 0; v < D; v++)
        at += sprintf(at, "v%zu\t%.0f\n", v, support[v]);
    write_text(folder, "s.tsv", text);
    free(text);
    free(scratch);
    ldp_simulation_clear(&simulation);
    ldp_population_free(population);
}

static void write_counts(const char *folder)
{
    write_text(folder, "c.counts", "a\t500\nb\t300\nc\t0\nd\t200\n");
}

/* 400 users of four columns, one of which names them; `copy` is `sex` again, and a tenth of `town` is missing. */
static void write_survey(const char *folder)
{
    run_in(folder, "awk 'BEGIN { print \"id,sex,town,copy\"; for (i = 0; i < 400; i++) "
                   "printf \"u%%d,%%s,%%s,%%s\\n\", i, i %% 3 ? \"m\" : \"f\", i %% 10 ? \"t\" i %% 4 : \"\", "
                   "i %% 3 ? \"x\" : \"y\" }' >survey.csv");
}

static void write_strings(const char *folder)
{
    char text[4096];
    size_t used = 0;

    for (unsigned i = 0; i < 60; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%c%c%c%c\t%u\n", "abcd"[i % 4], "abcd"[i / 4 % 4],
                                 "abcd"[i / 16], "ab"[i % 2], 1 + 40000 / (1 + i));
    write_text(folder, "mine.strings", text);
}

FolderTest(advise, bad_input)
{
    static const char *const cases[][2] = {
        {"c.counts", "advise: missing option --epsilon E, or --error E to find it"},
        {"--epsilon 1", "expected one file of data or a distribution, got 0"},
        {"--epsilon 1 c.counts c.counts", "expected one file of data or a distribution, got 2"},
        {"--epsilon 0 c.counts", "--epsilon: expected a number > 0"},
        {"--epsilon 1 --error 1 c.counts", "--error: expected"},
        {"--epsilon 1 none.counts", "none.counts"},
        {"--epsilon 1 bad.counts", "bad.counts:2"},
        {"--epsilon 1 'zipf(s=1,d=10)'", "missing key \"n\""},
        {"--epsilon 1 --oracle oleh c.counts", "did you mean \"olh\"?"},
        {"--epsilon 1 --oracle grr,grr c.counts", "--oracle: expected each once, got grr twice"},
        {"--epsilon 1 --oracle '{\"name\": \"ss\", \"k\": 9}' c.counts", "does not suit d = 4"},
        {"--epsilon 1 --oracle '{' c.counts", "or an object as in a config"},
        {"--epsilon 1 --oracle sw c.counts", "--oracle: sw uses the order of the values: expected a file of numbers"},
        {"--epsilon 1 --method nrom c.counts", "did you mean \"norm\"?"},
        {"--epsilon 1 --method norm --method norm c.counts", "expected each once, got norm twice"},
        {"--epsilon 1 --method ./none c.counts", "expected FILE.py or a program that can be run, got ./none"},
        {"--epsilon 1 --query ful_domain c.counts", "did you mean \"full_domain\"?"},
        {"--epsilon 1 --query top_k=1.5 c.counts", "--query: k"},
        {"--epsilon 1 --query top_k=9 c.counts", "--query: k: expected at most d = 4"},
        {"--epsilon 1 --query range=10 c.counts", "range"},
        {"--epsilon 1 --query fixed_sets=none.sets c.counts", "none.sets"},
        {"--epsilon 1 --trials 1 c.counts", "--trials: expected an integer from 2"},
        {"--epsilon 1 --bits 0.5 c.counts", "no oracle meets --bits"},
        {"--epsilon 1 --bits 9 --oracle olh c.counts", "olh is beyond --bits; its reports have"},
        {"--epsilon 1 --attack-at-most 0.01 c.counts", "no oracle meets --attack-at-most"},
        {"--error 0.1 --attack-at-most 0.9 c.counts", "--attack-at-most: expected values with counts, and --epsilon"},
        {"--epsilon 1 --seconds 1 c.counts", "--seconds: expected strings"},
        {"--epsilon 1 --protocol pem c.counts", "--protocol: expected strings"},
        {"--epsilon 1 --k 2 'survey.csv(columns=sex)'", "--k: expected records of several columns"},
        {"--error 1e-9 --trials 2 --method base c.counts", "--error: expected at least"},
        {"--epsilon 1 --supports grr s.tsv", "--supports: expected --epsilon and --n"},
        {"--supports grr --n 10 --error 0.1 s.tsv", "and no --error"},
        {"--epsilon 1 --supports gr --n 10 s.tsv", "did you mean \"grr\"?"},
        {"--epsilon 1 --supports oue --n 5 s.tsv", "s.tsv:1: expected a support from 0 to n"},
        {"--epsilon 1 --supports cms --n 10 s.tsv", "expected one that has a support for each value"},
        {"--epsilon 1 --supports grr --n 9 headed.tsv", "headed.tsv:2: expected a number"},
        {"--epsilon 1 --supports oue --n 12 --query top_k=9 s.tsv", "--query: k: expected at most d = 2"},
        {"--epsilon 1 --protocol pam mine.strings", "did you mean \"pem\"?"},
        {"--epsilon 1 --protocol pem,pem mine.strings", "expected each once, got pem twice"},
        {"--epsilon 1 --top 0 mine.strings", "--top: expected an integer from 1"},
        {"--epsilon 1 --synopsis calmer survey.csv", "expected a synopsis"},
        {"--epsilon 1 --k 9 survey.csv", "expected k up to the 3 attributes"},
        {"--epsilon 1 --k 4 survey.csv", "marginals: expected k up to the 3 attributes"},
        {"--epsilon 1 --marginal sex+age survey.csv", "expected an attribute of the dataset (sex, ...), got \"age\""},
        {"--epsilon 1 --marginal sex+sex survey.csv", "each attribute once"},
        {"--epsilon 1 --k 2 --query full_domain survey.csv", "or --k, --marginal"},
        {"--epsilon 1 'survey.csv(columns=age)'", "expected a column age"},
    };

    write_counts(folder);
    write_survey(folder);
    write_strings(folder);
    write_text(folder, "bad.counts", "a\t1\nb\tx\n");
    write_text(folder, "s.tsv", "a\t6\nb\t3\n");
    write_text(folder, "headed.tsv", "value\tsupport\nvalue\tsupport\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        demand_failure(2, cases[i][1], "cd %s && ldpbench advise %s", folder, cases[i][0]);
    /* No message names the folder that nobody asked for, and none stays. */
    run_in(folder, "mkdir t && { TMPDIR=$PWD/t ldpbench advise --epsilon 1 --query top_k=9 c.counts 2>said; "
                   "! grep -q 't/ldpbench' said && rmdir t; }");
}

/* Without noise base has no error, and an estimate of the uniform law has a known one. */
FolderTest(advise, exact_counts_have_no_error)
{
    write_text(folder, "c.counts", "a\t5\nb\t3\nc\t0\nd\t2\n");
    run_in(folder, "ldpbench advise c.counts --epsilon 1 --oracle exact --method uniform,base --query full_domain "
                   "--query top_k=2 --trials 4 --format json >out" READ(
                       "assert take(\"all frequencies\")[\"take\"] == \"base\", said\n"
                       "error = {row[\"method\"]: row[\"error\"] for row in of(\"all frequencies\")}\n"
                       "assert error[\"base\"] == 0\n"
                       "assert abs(error[\"uniform\"] - 100 * .0325 ** .5) < 1e-9, error\n"));
}

/* By grr the error of base is known: the root of the mean of (s1 + f tf) / n over the values. With the error requested
 * that has, epsilon and the users come back. */
FolderTest(advise, error_and_what_it_takes_are_those_of_the_variance)
{
    const double e = exp(1), s1 = (4 - 2 + e) / ((e - 1) * (e - 1)), tf = 2 / (e - 1);
    const double error = sqrt((s1 + tf / 4) / 1000);

    write_counts(folder);
    char script[4096];
    snprintf(
        script, sizeof script,
        "ask='ldpbench advise c.counts --oracle grr --method base --query full_domain --format json' && "
        "$ask --epsilon 1 >out" READ(
            "row = take(\"all frequencies\")\n"
            "assert row[\"take\"] == \"base\"\n"
            "assert abs(error(\"all frequencies\") - %.17g) < row[\"high\"] - row[\"low\"], row\n") " && $ask --error %.17g >out" READ("assert abs(said[\"epsilon\"] - 1) < .03, said\n"
                                                                                                                                       "assert error(\"all frequencies\") <= 100 * said[\"error\"]\n") " && $ask --error %.17g --epsilon 1 >out" READ("assert abs(said[\"n\"] - 1000) < 50, said\n"
                                                                                                                                                                                                                                                      "assert said[\"epsilon\"] == 1\n"),
        100 * error, error, error);
    run_in(folder, "%s", script);
}

/* Methods and oracles are those that suit; mix is among them, and a law is data too. */
FolderTest(advise, candidates)
{
    write_counts(folder);
    run_in(
        folder,
        "ldpbench advise c.counts --epsilon 1 --trials 5 --format json >out" READ(
            "rows = of(\"all frequencies\")\n"
            "assert {row[\"oracle\"] for row in rows} == {\"grr\", \"ss\", \"olh\"}\n"
            "assert {\"base\", \"norm_sub\", \"mix\"} <= {row[\"method\"] for row in rows}\n"
            "assert not {\"uniform\", \"em\", \"shift\"} & {row[\"method\"] for row in rows}\n"
            "bits = {row[\"oracle\"]: row[\"bits\"] for row in said[\"oracles\"]}\n"
            "assert bits[\"grr\"] == 2 and bits[\"olh\"] > 60, bits\n") " && "
                                                                        "ldpbench advise 'zipf(s=1,d=50,n=1e4)' --epsilon 1 --trials 5 --bits 9 --format json >out" READ(
                                                                            "assert \"olh\" not in {row[\"oracle\"] for row in everything}\n"
                                                                            "assert all(row[\"bits\"] <= 9 for row in said[\"oracles\"])\n"
                                                                            "assert said[\"n\"] == 10000 and said[\"values\"] == 50\n") " && "
                                                                                                                                        "ldpbench advise c.counts --epsilon 1 --trials 5 --oracle '{\"name\": \"olh\", \"g\": 2}' --method "
                                                                                                                                        "'{\"name\": \"base_cut\", \"alpha\": 3}' --method base --query full_domain --format json >out" READ(
                                                                                                                                            "assert {row[\"oracle\"] for row in everything} == {\"olh(g=2)\"}, said\n"
                                                                                                                                            "assert {row[\"method\"] for row in everything} == {\"base\", \"base_cut(alpha=3)\"}, said\n"));
}

/* Numbers are asked about with what uses their order. */
FolderTest(advise, numbers)
{
    write_text(folder, "x.numbers", "1\t300\n2\t500\n3\t100\n4\t50\n5\t50\n");
    run_in(folder, "ldpbench advise x.numbers --epsilon 1 --query distribution --query quantile=50 --query range=40 "
                   "--trials 5 --format json >out" READ(
                       "assert {\"sw\", \"hh\", \"oue\"} <= {row[\"oracle\"] for row in everything}\n"
                       "assert {row[\"unit\"] for row in points} == {\"%% of the scale\", \"points\"}, said\n"
                       "assert len(points) == 3\n"));
    /* of a file whose name tells another type, and of a column, which is pointed to where it has many numbers */
    run_in(
        folder,
        "{ echo x,y; for i in $(seq 400); do echo $((i %% 150)).5,$((i %% 2)); done; } >n.csv && "
        "cut -d, -f1 n.csv >x.csv && "
        "ldpbench advise 'x.csv(type=numbers,bins=16)' --epsilon 1 --query range=40 --trials 2 >said && "
        "ldpbench list n.csv | tr -s ' \n' ' ' | grep -q 'type=answers,column=x,bins=16,ordered' && "
        "ldpbench advise 'n.csv(type=answers,column=x,bins=16,ordered)' --epsilon 1 --query range=40 --trials 2 >said");
}

/* Columns of too many values for tables of several get answers of their own, and the sentence that says what to do. */
FolderTest(advise, columns_of_many_values)
{
    run_in(folder,
           "{ echo a,b,c,d; for i in $(seq 3000); do echo a$((i %% 1500)),b$((i %% 40)),c$((i %% 30)),d$((i %% 2)); "
           "done; } >wide.csv && ldpbench advise wide.csv --epsilon 1 --trials 2 | tr -s ' \n' ' ' >said && "
           "grep -q 'No answer for groups of columns: .* a has 1500 values: choose columns' said && "
           "{ ldpbench init wide.csv 2>said; [ $? -eq 2 ]; } && grep -q 'a has 1500 values: choose columns' said");
}

/* Every column but the one that names users; missing answers are counted; the users are divided among the questions. */
FolderTest(advise, columns)
{
    write_survey(folder);
    run_in(
        folder,
        "ldpbench advise survey.csv --epsilon 1 --trials 4 --format json >out" READ(
            "assert any(line.startswith(\"id is left out\") for line in said[\"answer\"])\n"
            "assert any(\"40 of 400 users have no value of\" in line for line in said[\"answer\"])\n"
            "rows = {row[\"column\"]: row for row in said[\"columns\"]}\n"
            "assert list(rows) == [\"sex\", \"town\", \"copy\"], rows\n"
            "assert rows[\"town\"][\"values\"] == 5 and rows[\"sex\"][\"values\"] == 2\n"
            "assert all(row[\"users\"] == 133 and row[\"error\"] > 0 and row[\"method\"] for row in rows.values())\n"
            "assert [row[\"query\"] for row in said[\"again\"]] == [\"marginals\"], said\n") " && "
                                                                                             "ldpbench advise survey.csv --epsilon 1 --trials 4 | grep -q 'each user answers one question' && "
                                                                                             "ldpbench advise 'survey.csv(columns=town)' --epsilon 1 --trials 4 --format json >out" READ(
                                                                                                 "assert said[\"values\"] == 5 and said[\"n\"] == 400 and \"columns\" not in said\n"));
    /* A query for every column, and the epsilon with which the worst of them is right. */
    run_in(folder, "ldpbench advise survey.csv --error 0.2 --query full_domain --method base --oracle grr --trials 200 "
                   "--format json >out" READ("assert max(row[\"error\"] for row in said[\"columns\"]) <= 20\n"
                                             "assert max(row[\"error\"] for row in said[\"columns\"]) > 19\n"
                                             "assert \"again\" not in said\n"));
}

/* The experiments that are kept of a table of records are folders of their own, which report reads. */
FolderTest(advise, kept_experiments_of_records)
{
    write_survey(folder);
    run_in(folder, "ldpbench advise 'survey.csv(columns=sex, town)' --epsilon 1 --trials 2 -o kept >said && "
                   "grep -q 'The experiment is in kept/' said && ldpbench report kept/* -o r.html --no-plots");
}

/* Groups of columns: random ones, or by name. A copy of a column is seen by tables of pairs, not by single columns. */
FolderTest(advise, groups)
{
    write_survey(folder);
    run_in(
        folder,
        "ask='ldpbench advise survey.csv --n 100000 --epsilon 2 --trials 5 --synopsis product,calm --format json' && "
        "$ask --marginal copy+sex -j1 >out" READ(
            "assert points[0][\"take\"].startswith(\"calm\"), said\n"
            "assert said[\"again\"][0][\"sse_reconstruction\"] < 1e-3\n"
            "assert \"columns\" not in said and len(points) == 1\n") " && "
                                                                     "$ask --marginal sex+copy -j2 | cmp out - && "
                                                                     "$ask --k 1 --k 2 >out" READ(
                                                                         "assert len(points) == 2\n"));
}

/* What takes minutes for one pair of columns of a survey is tried only where it is named. */
FolderTest(advise, nothing_slow_unasked)
{
    write_survey(folder);
    run_in(
        folder,
        "ldpbench advise survey.csv --n 5000 --epsilon 2 --trials 2 --marginal copy+sex --format json >out" READ(
            "names = [row[\"candidate\"] for row in points[0][\"candidates\"]]\n"
            "assert \"calm\" in names and not any(name.startswith((\"em\", \"maxent\")) for name in names), names\n"));
}

/* What is found, what it costs, and a limit that nothing meets. */
FolderTest(advise, strings)
{
    write_strings(folder);
    run_in(folder, "ask='ldpbench advise mine.strings --epsilon 4 --trials 4 --top 5 --protocol pem,treehist' && "
                   "$ask --format json >out" READ("row = said[\"again\"][0]\n"
                                                  "assert row[\"f1\"] > .8 and row[\"precision\"] > .8, row\n"
                                                  "assert row[\"report_bits\"] > 0 and row[\"seconds\"] > 0\n"
                                                  "assert row[\"found\"] == 5 and row[\"false_found\"] < .2\n"
                                                  "assert row[\"take\"].startswith((\"pem\", \"treehist\"))\n"));
    demand_failure(2, "--seconds: none of the best searches takes at most 1e-09 seconds",
                   "cd %s && ldpbench advise mine.strings --epsilon 4 --trials 3 --top 5 --protocol pem --seconds 1e-9",
                   folder);
}

/* Nine worlds: mix for single values, the method for lists for each list alone, and for given sets what draws say.
 */
FolderTest(advise, supports)
{
    write_supports(folder, 1);
    write_text(folder, "some.sets", "v0\ta\nv1\ta\nv2\tb\n");
    run_in(
        folder,
        "ask='ldpbench advise s.tsv --supports oue --n 1e5 --epsilon 1 --trials 12' && "
        "$ask --query full_domain --query top_k=3,5 --query fixed_sets=some.sets --format json -o kept >out" READ(
            "assert take(\"all frequencies\")[\"take\"] == \"mix\", said\n"
            "assert not [row for row in of(\"all frequencies\") if row[\"method\"].startswith(\"mix_top\")]\n"
            "for k in 3, 5:\n"
            "    lists = [row[\"method\"] for row in of(\"the most frequent values, k = %%d\" %% k) if row[\"method\"].startswith(\"mix_top\")]\n"
            "    assert lists == [\"mix_top(k=%%d)\" %% k], lists\n"
            "assert len(points) == 4 and {row[\"oracle\"] for row in everything} == {\"oue\"}\n"
            "assert all(row[\"low\"] < error(row[\"title\"]) < row[\"high\"] for row in points)\n"
            "worse = {row[\"method\"] for row in of(\"all frequencies\") if not row[\"may_be_best\"]}\n"
            "assert \"base\" in worse and \"norm\" in worse, worse\n") " && "
                                                                       "[ $(cut -d, -f2 kept/mse.csv | sort -u | wc -l) = 10 ] && ldpbench report kept --format text >said && "
                                                                       "$ask | grep -q 'candidates, 9 worlds' && { printf 'value\\tsupport\\n'; cat s.tsv; } >h.tsv && "
                                                                       "mkdir h && mv h.tsv h/s.tsv && $ask >plain && cd h && $ask | cmp ../plain -");
}

/* The kept folder goes on, and another call with the same words reuses it. */
FolderTest(advise, same_bytes_on_any_threads_and_after_an_interruption)
{
    write_supports(folder, 1);
    write_counts(folder);
    run_in(
        folder,
        "ask='ldpbench advise s.tsv --supports oue --n 1e5 --epsilon 1 --trials 6 --format json' && $ask -j1 >one && "
        "$ask -j3 >three && cmp one three && $ask --seed 2 >other && ! cmp -s one other && "
        "ask='advise c.counts --epsilon 1 --query full_domain --format json -o kept' && ldpbench $ask -j1 >one && "
        "mv kept whole && { timeout -s INT 0.1 \"$LDPBENCH\" $ask -j1 >said; [ $? != 0 ]; } && "
        "ldpbench $ask -j2 >two && cmp one two && cmp kept/mse.csv whole/mse.csv && "
        "ldpbench run kept/config.json -o kept 2>&1 | grep -q '^c: 0 repetitions'");
}

/* One's own method is named: with base_pos's formula it has base_pos's error. */
FolderTest(advise, own_methods)
{
    write_counts(folder);
    run_well("${CC:-cc} -O1 tests/programs/method.c -o %s/own", folder);
    run_in(
        folder,
        "ldpbench advise c.counts --epsilon 1 --oracle grr --trials 6 --query full_domain --method ./own "
        "--format json >out" READ(
            "rows = {row[\"method\"]: row for row in everything}\n"
            "assert rows[\"own\"][\"own\"] and not rows[\"base_pos\"][\"own\"] and len(rows) > 10\n"
            "assert rows[\"own\"][\"error\"] == rows[\"base_pos\"][\"error\"], rows\n") " && "
                                                                                        "ldpbench advise c.counts --epsilon 1 --oracle grr --trials 6 --query full_domain --method ./own "
                                                                                        "--method base | grep -q 'yours  *own'");
}

/* Tables for papers and spreadsheets. */
FolderTest(advise, formats)
{
    write_counts(folder);
    run_in(folder, "ask='ldpbench advise c.counts --epsilon 1 --trials 4 --query full_domain' && "
                   "$ask --format md | grep -q '^| all frequencies |' && $ask --format latex | grep -q toprule && "
                   "$ask --format csv | grep -q '^query,candidate,error' && "
                   "[ $($ask | awk '{ if (length > m) m = length } END { print m }') -le 80 ]");
}
