/* test_report.c - `ldpbench report`: a well-formed page with all of a folder in it, odd labels escaped. */
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char config[] =
    "{\"name\": \"odd\", \"description\": \"<script>alert(1)</script> & \\\"more\\\"\", \"seed\": 3,"
    " \"repetitions\": 12, \"datasets\": [{\"type\": \"zipf\", \"d\": 32, \"n\": 5000, \"s\": 1.2,"
    " \"label\": \"<b>&\"}], \"oracles\": [\"olh\"], \"epsilon\": [1, 2],"
    " \"methods\": [\"base\", \"norm_sub\", {\"name\": \"norm\", \"label\": \"n|m\"}],"
    " \"queries\": [\"full_domain\", {\"type\": \"top_k\", \"k\": 4}]}";

static const char *make_report(const char *options)
{
    const char *const folder = temporary_folder();

    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench report r --no-plots %s", options);
    return folder;
}

/* The page as XML: elements open and close in order, attributes stand in quotes, nothing is raw that must be escaped.
 * Scripts and styles are passed over; the names that may occur are these. */
static void demand_well_formed(const char *page)
{
    static const char *const known[] = {"html",  "head",  "meta",  "title",     "style",  "body", "main",    "script",
                                        "h1",    "h2",    "h3",    "h4",        "h5",     "h6",   "a",       "p",
                                        "ul",    "ol",    "li",    "em",        "strong", "code", "pre",     "div",
                                        "table", "thead", "tbody", "tr",        "th",     "td",   "details", "summary",
                                        "img",   "br",    "hr",    "blockquote"};
    char stack[64][16];
    int depth = 0;

    for (const char *c = page + strlen("<!DOCTYPE html>"); *c; c++) {
        int end = 0;

        if (*c == '&')
            cr_assert(sscanf(c, "&%*[a-z];%n", &end) == 0 && end > 0, "raw: %.40s", c);
        if (*c != '<')
            continue;
        const bool closing = *++c == '/';

        char name[16] = "";
        int length = 0;
        for (c += closing; length < 15 && isalnum((unsigned char)*c); c++)
            name[length++] = *c;
        bool is_known = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            is_known |= strcmp(known[i], name) == 0;
        cr_assert(is_known, "unknown element <%s> at %.40s", name, c);
        while (*c == ' ' && c[1] != '>') {
            c += strcspn(c, "=<>");
            cr_assert(c[0] == '=' && c[1] == '"', "attribute without quotes: %.40s", c);
            c += 2 + strcspn(c + 2, "\"<");
            cr_assert_eq(*c++, '"', "attribute without end: %.40s", c);
        }
        if (*c == '/') {
            cr_assert_eq(*++c, '>', "%.40s", c);
            continue;
        }
        cr_assert_eq(*c, '>', "<%s%.40s", name, c);
        if (closing) {
            cr_assert(depth > 0 && strcmp(stack[depth - 1], name) == 0, "</%s> closes <%s>", name,
                      depth > 0 ? stack[depth - 1] : "nothing");
            depth--;
        } else {
            cr_assert_lt(depth, 64);
            memcpy(stack[depth++], name, sizeof name);
            if (strcmp(name, "script") == 0 || strcmp(name, "style") == 0)
                c = strstr(c, strcmp(name, "script") == 0 ? "</script" : "</style") - 1;
        }
    }
    cr_assert_eq(depth, 0, "<%s> is not closed", stack[depth > 0 ? depth - 1 : 0]);
}

Test(report, html_is_whole_and_escaped)
{
    const char *const folder = make_report("-o page.html");
    char *const page = read_text(folder, "page.html");
    cr_assert_not_null(page);
    demand_well_formed(page);
    cr_assert_null(strstr(page, "<script>alert"), "a description must not become a script");
    cr_assert_null(strstr(page, "<b>&"));
    cr_assert(strstr(page, "&lt;b&gt;&amp;"));
    cr_assert(strstr(page, "mse.csv"));
    cr_assert(strstr(page, "config_hash"));
    cr_assert(strstr(page, "<td>build</td>") && strstr(page, ", 100 % of the numbers</td>"));
    cr_assert_not_null(strstr(page, "content=\"default-src 'none'; img-src data: blob:;"), "nothing is fetched");
    *strstr(page, "<script>") = '\0';
    cr_assert_null(strstr(page, "http://"));
    cr_assert_null(strstr(page, "https://"));
    free(page);
}

/* The error of what is taken is that of mse.csv, in percentage points. */
Test(report, what_is_taken)
{
    const char *const folder = make_report("-o page.md --format md");
    char *const table = read_text(folder, "r/mse.csv"), *rest, best[64] = "";
    double least = 1;
    for (char *line = strtok_r(table, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char dataset[64], oracle[64], method[64], query[64];
        double d, n, epsilon, repetitions, mse;

        if (sscanf(line, "%*[^,],%63[^,],%lf,%lf,%63[^,],%lf,%63[^,],%63[^,],,%lf,%lf", dataset, &d, &n, oracle,
                   &epsilon, method, query, &repetitions, &mse) == 9 &&
            strcmp(query, "full_domain") == 0 && epsilon == 1 && mse < least) {
            least = mse;
            snprintf(best, sizeof best, "%s", method);
        }
    }
    cr_assert_str_eq(best, "norm_sub");
    char *const page = read_text(folder, "page.md");
    const char *const block = strstr(page, "| all frequencies | 3 candidates, ");
    cr_assert_not_null(block, "%s", page);
    cr_expect_not_null(strstr(block, "| take | norm\\_sub at every ε"), "%s", block);
    const char *const error = strstr(block, "| error | ");
    cr_assert_not_null(error);
    cr_expect_float_eq(strtod(error + strlen("| error | "), NULL), 100 * sqrt(least), 5 * sqrt(least), "%.200s", error);
    free(page);
    free(table);
}

/* Values that are the same so far are open; where repetitions were added until it was decided, nothing is. */
FolderTest(report, nothing_is_open_where_it_is_decided)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"d\", \"seed\": 5, \"datasets\": [{\"type\": \"zipf\", \"s\": 1.2, \"d\": 16, \"n\": 2000}], "
        "\"oracles\": [\"grr\"], \"epsilon\": [0.5, 1, 2, 4], "
        "\"methods\": [\"base\", \"base_pos\", \"norm\", \"norm_cut\", \"norm_sub\"], \"queries\": [\"full_domain\"]}");
    run_in(folder, "ldpbench run c.json -o r --repetitions 60 --quiet && ldpbench report r --format text >few && "
                   "ldpbench run c.json -o r --until-decided --quiet && ldpbench report r --format text >enough");
    char *const few = read_text(folder, "few"), *const enough = read_text(folder, "enough");
    cr_expect_not_null(strstr(few, "the same so far  ε = 4: base, base_pos, norm, norm_cut"), "%s", few);
    cr_expect_not_null(strstr(enough, "  take "), "%s", enough);
    cr_expect(!strstr(enough, "not decided") && !strstr(enough, "the same so far"), "%s", enough);
    free(few);
    free(enough);
}

/* Regret over the four settings of the table, then over the two of each query: the methods in order, the best first.
 * The same stands in a file, unless nothing may be written. */
Test(report, regret_and_ranks)
{
    const char *const folder = make_report("-o page.md --format md");
    char *const page = read_text(folder, "page.md");
    static const char head[] = "\n\n| method | regret | 95th perc. | wins | losses | rank | low | high |\n|---|---:|";
    const char *const all = strstr(page, "\n### mean squared error, 4 settings\n\n| method");
    cr_assert_not_null(all, "%s", page);
    cr_expect_not_null(strstr(all, head));
    cr_expect_not_null(strstr(all, "|\n| Norm-Sub | 1."), "%s", all);
    cr_expect_not_null(strstr(all, "|\n| n\\|m | "), "%s", all);
    const char *const one = strstr(all, "\n##### MSE of all frequencies, 2 settings\n");
    cr_assert_not_null(one, "%s", all);
    cr_expect_not_null(strstr(one, "|\n| Norm-Sub | 1.000 | "), "%s", one);
    cr_expect_not_null(strstr(one, "\n##### MSE of the most frequent values, 2 settings\n"), "%s", one);
    free(page);
}

/* What a search finds is ranked as its errors are, the largest first. */
FolderTest(report, ranks_where_more_is_better)
{
    write_text(
        folder, "s.json",
        "{\"name\": \"s\", \"task\": \"search\", \"repetitions\": 5, \"datasets\": [{\"type\": \"zipf_strings\", \"s\": "
        "1.5, \"length\": 4, \"alphabet\": \"a-d\", \"d\": 60, \"n\": 20000}], \"oracles\": [\"olh\"], \"epsilon\": "
        "[2, 4], \"protocols\": [{\"name\": \"treehist\", \"return\": 5}, {\"name\": \"pem\", \"return\": 5}], "
        "\"targets\": {\"top\": 5}}");
    run_in(folder, "ldpbench run s.json -o r --quiet && ldpbench report r -o page.md --format md");
    char *const page = read_text(folder, "page.md");
    const char *const table =
        strstr(page, " F1, the harmonic mean of precision and recall, 2 settings\n\n| protocol | wins |");
    cr_assert_not_null(table, "%s", page);
    const char *const first = strstr(table, "\n| PEM (return = 5) | ");
    cr_assert_not_null(first, "%s", page);
    cr_expect_not_null(strstr(first, "\n| TreeHist (return = 5) |"));
    free(page);
}

/* Narrow intervals that miss the truth are not ranked by their width: those of `uniform` hold half of the ten most
 * frequent values and all others on average. */
FolderTest(report, ranks_a_width_where_its_coverage_holds)
{
    write_text(folder, "i.json",
               "{\"name\": \"i\", \"seed\": 3, \"repetitions\": 20, \"datasets\": [{\"type\": \"zipf\", \"s\": 1.5, "
               "\"d\": 64, \"n\": 10000}], \"oracles\": [\"olh\"], \"epsilon\": [1, 2], \"methods\": [\"base\", "
               "\"norm_sub\", \"uniform\"], \"queries\": [{\"type\": \"intervals\", \"rank\": [10, 64]}]}");
    run_in(folder, "ldpbench run i.json -o r --quiet && ldpbench report r -o page.md --format md");
    char *const page = read_text(folder, "page.md");
    char *const widths = strstr(page, " mean width of the intervals, 4 settings\n");
    cr_assert_not_null(widths, "%s", page);
    char *const ranked = strstr(widths, "|---"), *const rest = strstr(ranked, "\n\n");
    *rest = '\0';
    cr_expect(strstr(ranked, "| Norm-Sub | ") && !strstr(ranked, "| Uniform | "), "%s", ranked);
    *rest = '\n';
    char *const block = strstr(page, "| take | ");
    cr_assert_not_null(block, "%s", page);
    *strstr(block, "\n\n") = '\0';
    cr_expect_null(strstr(block, "uniform"), "%s", block);
    free(page);
}

/* The ranking is the same however many threads find them. */
FolderTest(report, the_same_page_of_any_number_of_threads)
{
    write_text(
        folder, "config.json",
        "{\"name\": \"t\", \"task\": \"frequency\", \"seed\": 1, \"repetitions\": 4, \"datasets\": [{\"type\": \"zipf\", "
        "\"s\": 1.2, \"d\": 16, \"n\": [500, 5000]}], \"oracles\": [\"grr\", \"olh\"], \"epsilon\": [1, 2], \"methods\": [\"base\", "
        "\"base_cut\", \"norm_sub\"], \"queries\": [\"full_domain\", {\"type\": \"top_k\", \"k\": [2, 4]}, "
        "{\"type\": \"set_value\", \"percent\": 50}]}\n");
    run_in(folder, "ldpbench run config.json -o r --quiet && ldpbench plot r --format tsv");
    run_in(folder,
           "OMP_NUM_THREADS=1 ldpbench report r -o one.html && OMP_NUM_THREADS=5 ldpbench report r -o five.html && "
           "cmp one.html five.html");
}

/* Data and sets from files go by their label. */
FolderTest(report, names_of_files)
{
    write_text(folder, "d.counts", "a\t500\nb\t300\nc\t200\n");
    write_text(folder, "d.sets", "a\tx\nb\ty\nc\ty\n");
    write_text(folder, "f.json",
               "{\"name\": \"f\", \"repetitions\": 5, \"oracles\": [\"olh\"], \"epsilon\": [1],"
               " \"datasets\": [{\"type\": \"counts\", \"file\": \"d.counts\", \"label\": \"fruit\"}],"
               " \"methods\": [\"base\", \"norm\"], \"queries\": [{\"type\": \"fixed_sets\", \"file\": \"d.sets\"}]}");
    run_in(folder, "ldpbench run f.json -o f --quiet && ldpbench report f --no-plots");
    char *const page = read_text(folder, "report.html");
    demand_well_formed(page);
    cr_expect_not(strstr(page, "file="));
    cr_expect(strstr(page, ">categories' frequencies</th>"));
    free(page);
}

/* Whatever is measured: shares of which more is better, seconds of oracles, what a choice costs. */
FolderTest(report, measures_of_every_kind)
{
    static const char *const configs[] = {
        "{\"name\": \"m\", \"repetitions\": 20, \"oracles\": [\"grr\", \"oue\"], \"epsilon\": [1, 3],"
        " \"datasets\": [{\"type\": \"zipf\", \"d\": 16, \"n\": 5000, \"s\": 1}], \"methods\": [\"base\", "
        "\"norm_sub\"],"
        " \"queries\": [{\"type\": \"heavy_hitters\", \"threshold\": [200, 500]}], \"outputs\": [\"noise\", "
        "\"times\"]}",
        "{\"name\": \"m\", \"task\": \"selection\", \"repetitions\": 5, \"oracles\": [\"grr\"], \"epsilon\": [1],"
        " \"datasets\": [{\"type\": \"zipf\", \"d\": 16, \"n\": 5000, \"s\": 1}], \"methods\": [\"base\", "
        "\"norm_sub\"],"
        " \"queries\": [\"full_domain\"], \"surrogates\": [\"posterior\", \"norm_sub\"], \"trials\": 3}"};
    static const char *const parts[][5] = {
        {"| values above a threshold, threshold 200 | 4 candidates, 20 repetitions |",
         "% wrong (1 - F-score) (ε = 1, 3) |", NULL},
        {"2 candidates, 5 repetitions |", " error of choice / smallest |", NULL},
    };

    for (size_t i = 0; i < 2; i++) {
        write_text(folder, "m.json", configs[i]);
        run_in(folder, "rm -rf m && ldpbench run m.json -o m --quiet && ldpbench report m --no-plots --format md");
        char *const page = read_text(folder, "report.md");
        for (const char *const *part = parts[i]; *part; part++)
            cr_expect(strstr(page, *part), "expected %s in %s", *part, page);
        free(page);
    }
}

/* A label comes out of the page as it went in, whatever it is made of. */
FolderTest(report, labels_that_are_hostile)
{
    static const char label[] = "- *a **b* ~~c~~ `d| <b>&amp; [e](javascript:f) ![g](h) 1. \\\\ _i_ # #"; /* in JSON */
    static const char shown[] = "- *a **b* ~~c~~ `d| &lt;b&gt;&amp;amp; [e](javascript:f) ![g](h) 1. \\ _i_ # #";

    char text[1024];
    snprintf(text, sizeof text,
             "{\"name\": \"odd\", \"description\": \"1. %s\", \"repetitions\": 3, \"datasets\": [{\"type\": \"zipf\", "
             "\"d\": 8, \"n\": 500, \"s\": 1.2}], \"oracles\": [\"olh\"], \"epsilon\": [1],"
             " \"methods\": [{\"name\": \"base\", \"label\": \"%s\"}], \"queries\": [\"full_domain\"]}",
             label, label);
    write_text(folder, "c.json", text);
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench report r --no-plots");
    char *const page = read_text(folder, "report.html");
    demand_well_formed(page);
    snprintf(text, sizeof text, "<p>1. %s</p>", shown);
    cr_expect(strstr(page, text), "expected %s in %s", text, page);
    snprintf(text, sizeof text, "<td>%s</td>", shown);
    cr_expect(strstr(page, text), "expected %s in %s", text, page);
    free(page);
}

FolderTest(report, with_figures)
{
    if (!has_program("gnuplot"))
        skip_test("no gnuplot");

    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench report r");
    char *const page = read_text(folder, "report.html");
    cr_assert(strstr(page, "src=\"data:image/svg+xml,%3Csvg") || strstr(page, "src=\"data:image/svg+xml,%3C?xml") ||
              strstr(page, "src=\"data:image/svg+xml,%3C%3Fxml"));
    demand_well_formed(page);
    free(page);
}

/* Pictures with --x are on the page as long as the tables are those that they were drawn from: neither after another
 * run nor after somebody has edited a table; those that plot draws by itself are there then. */
FolderTest(report, pictures_of_other_tables_are_drawn_again, SLOW)
{
    if (system("command -v gnuplot > /dev/null") != 0)
        skip_test("no gnuplot");

    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench plot r --x n >/dev/null && "
                   "cp r/full_domain.svg by_n.svg && ldpbench report r && cmp r/full_domain.svg by_n.svg && "
                   "ldpbench run c.json -o r --quiet && cmp r/full_domain.svg by_n.svg");
    /* A file that was edited is no other table. */
    run_in(folder, "sed -i.bak '2s/.$/1/; 2s/$/1/' r/mse.csv && rm r/mse.csv.bak && ldpbench report r && "
                   "cmp r/full_domain.svg by_n.svg");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench plot r --x n >/dev/null && "
                   "sed -i.bak 's/\"seed\": 3/\"seed\": 77/' c.json && ldpbench run c.json -o r --quiet --fresh && "
                   "! [ -e r/full_domain.svg ]");
}

/* Only what plot drew is embedded, known by its bytes: neither a foreign picture nor one that somebody has changed. */
FolderTest(report, foreign_pictures_are_left_out, SLOW)
{
    static const char *const foreign = "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>intrude()</script></svg>";

    if (!has_program("gnuplot"))
        skip_test("no gnuplot");

    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o r --quiet");
    write_text(folder, "r/evil.svg", foreign);
    run_in(folder, "ldpbench report r");
    char *const page = read_text(folder, "report.html");
    demand_well_formed(page);
    cr_expect(strstr(page, "<p>Left out: evil.svg, which plot did not draw from these tables.</p>"));
    cr_expect(strstr(page, "alt=\"all frequencies\""), "what plot drew is there");
    cr_expect_not(strstr(page, "%3Cscript") || strstr(page, "intrude"));
    free(page);
    /* In the place of what plot drew: it is drawn again, or left out where nothing is drawn. */
    write_text(folder, "r/full_domain.svg", foreign);
    run_in(folder, "ldpbench report r -o taken.html --no-plots && ldpbench report r -o drawn.html");
    for (size_t i = 0; i < 2; i++) {
        char *const again = read_text(folder, i == 0 ? "taken.html" : "drawn.html");

        demand_well_formed(again);
        cr_expect_not(strstr(again, "intrude") || strstr(again, "%3Cscript"), "%zu", i);
        free(again);
    }
}

static void demand_bad(const char *folder, const char *arguments, const char *fragment)
{
    struct outcome outcome = shell_in(folder, "ldpbench report %s", arguments);

    cr_assert_eq(outcome.status, 2, "%s: %d %s", arguments, outcome.status, outcome.err);
    cr_assert(strstr(outcome.err, fragment), "expected \"%s\" in: %s", fragment, outcome.err);
    outcome_free(&outcome);
}

FolderTest(report, of_one_repetition_states_no_error)
{
    write_text(
        folder, "one.json",
        "{\"name\": \"one\", \"repetitions\": 1, \"datasets\": [{\"type\": \"uniform\", \"d\": 8, \"n\": 1000}],"
        " \"oracles\": [\"grr\"], \"epsilon\": 1, \"methods\": [\"base\", \"norm\"], \"queries\": [\"full_domain\"]}");
    run_in(folder, "ldpbench run one.json -o r --quiet && ldpbench report r --no-plots --format md -o - > page.md && "
                   "grep -q '^| all frequencies' page.md && ! grep -qw nan page.md && [ ! -e ./- ] && "
                   "echo first > both && ldpbench report r --no-plots --format md -o - >> both && "
                   "[ \"$(head -n 1 both)\" = first ] && grep -q '^| all frequencies' both");
}

Test(report, bad_input)
{
    const char *const folder = make_report("-o page.html");
    demand_bad(folder, "", "missing operand: the folder of a result");
    demand_bad(folder, "nowhere --no-plots", "nowhere: no such folder");
    demand_bad(folder, ". --no-plots", "expected a result folder, found no run.json");
    demand_bad(folder, "r --format pdf", "html, md, text, json or latex");
    demand_bad(folder, "r --no-plots -o ''", "--output: expected a name");
    demand_bad(folder, "r --level 0", "--level");
    run_in(folder, "printf 'x' > r/run.json");
    demand_bad(folder, "r --no-plots -o page.html", "got something else");
    /* What was there is as it was. */
    run_in(folder, "grep -q '</html>' page.html");
}

/* A page may go to a pipe, or through a link, which stays; a full device is reported and stays what it is. */
FolderTest(report, output_that_is_no_plain_file, .timeout = 600)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"t\", \"repetitions\": 2, \"oracles\": [\"grr\"], \"epsilon\": 1, \"methods\": [\"base\"],\n"
        " \"datasets\": [{\"type\": \"uniform\", \"d\": 4, \"n\": 100}],\n"
        " \"queries\": [{\"type\": \"full_domain\"}]}");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench report r --no-plots -o page.html");
    run_in(folder, "ln -s /dev/full full && ln -s target.html link && : > target.html && mkfifo pipe");
    expect_said(3, "full: cannot be written: No space left", "cd %s && ldpbench report r --no-plots -o full", folder);
    run_in(folder, "[ -L full ] && [ -c full ]");
    run_in(folder, "ldpbench report r --no-plots -o link && [ -L link ] && grep -q '</html>' target.html");
    run_in(folder, "{ cat pipe > got & ldpbench report r --no-plots -o pipe && wait; } && [ -p pipe ] && "
                   "grep -q '</html>' got");
    run_in(folder, "[ $(ls -A | grep -c tmp) = 0 ]");
}

/* A store whose names are not those that its blocks were made with. */
Test(report, damaged_store_is_refused)
{
    const char *const folder = make_report("-o before.html");
    char path[2 * PATH_ROOM];
    snprintf(path, sizeof path, "%s/r/store.sqlite", folder);
    sqlite3 *db;
    cr_assert_eq(sqlite3_open(path, &db), SQLITE_OK);
    cr_assert_eq(sqlite3_exec(db, "UPDATE cell SET key = 'a b' || id || ' |counts'", NULL, NULL, NULL), SQLITE_OK, "%s",
                 sqlite3_errmsg(db));
    sqlite3_close(db);
    expect_said(2, "r/store.sqlite: damaged; run the experiment again",
                "cd %s && ldpbench report r --no-plots -o after.html", folder);
}

/* The first screen of a page: the answer, then the picture of the errors, once; tables of every point are folded. */
FolderTest(report, answer_and_picture_first)
{
    if (!has_program("gnuplot"))
        skip_test("no gnuplot");
    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"seed\": 1, \"repetitions\": 20, \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": "
        "8, \"n\": 1000}], \"oracles\": [\"olh\"], \"epsilon\": [0.5, 1], \"methods\": [\"base\", \"norm_sub\"], "
        "\"queries\": [\"full_domain\"]}");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench report r -o page.html");
    char *const page = read_text(folder, "page.html");
    const char *const answer = strstr(page, "norm_sub at every ε"), *const picture = strstr(page, "<img"),
                      *const ranking = strstr(page, "Regret and ranks");
    cr_assert(answer && picture && ranking && answer < picture && picture < ranking);
    cr_assert(strstr(page, "<summary>mse.csv (4 rows)"), "the tables are folded");
    free(page);
}
