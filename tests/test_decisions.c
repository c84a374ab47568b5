/* test_decisions.c - the blocks that results begin with, held against the tables that they are about. */
#include "program.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA "\"datasets\": [{\"type\": \"zipf\", \"s\": 1.2, \"d\": 32, \"n\": 4000}], \"oracles\": [\"olh\"], "

static char *answer_of(const char *folder, const char *config)
{
    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench report r --format text >answer");
    return read_text(folder, "answer");
}

/* The mean error of a method for a query at an epsilon, from mse.csv; NAN: there is none. */
static double error_of(const char *folder, const char *method, const char *query, double epsilon)
{
    char *const table = read_text(folder, "r/mse.csv"), *rest;
    double found = NAN;

    for (char *line = strtok_r(table, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char own[64], asked[64];
        double at, mse;

        if (sscanf(line, "%*[^,],%*[^,],%*[^,],%*[^,],%*[^,],%lf,%63[^,],%63[^,],,%*[^,],%lf", &at, own, asked, &mse) ==
                4 &&
            strcmp(own, method) == 0 && strcmp(asked, query) == 0 && at == epsilon)
            found = mse;
    }
    free(table);
    return found;
}

/* A number after a text. */
static double number_after(const char *text, const char *before)
{
    const char *const at = strstr(text, before);

    cr_assert_not_null(at, "expected \"%s\" in %s", before, text);
    return strtod(at + strlen(before), NULL);
}

/* Intervals of the largest of equal values, chosen by its estimate, miss it; those made for that do not. */
FolderTest(decisions, intervals_that_hold_the_truth_too_seldom)
{
    static const char config[] =
        "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 100, \"datasets\": [{\"type\": \"uniform\", \"d\": 32, \"n\": 2000}], "
        "\"oracles\": [\"oue\"], \"epsilon\": [1], \"methods\": [\"base\", \"norm_sub\"], "
        "\"queries\": [{\"type\": \"selected_intervals\", \"k\": 1, \"interval\": \"%s\"}]}";
    static const char *const kind[] = {"score", "selected"};

    for (size_t i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text, config, kind[i]);
        char *const answer = answer_of(folder, text);
        cr_expect_not_null(
            strstr(answer, i == 0 ? "2 of 2 interval types cover the true value significantly less often than in 95 %"
                                  : "None of 2 interval types covers the true value significantly less often"),
            "%s", answer);
        free(answer);
    }
}

/* "take", its error in points of users as mse.csv has it, and what it costs to do otherwise. */
FolderTest(decisions, what_to_take_and_its_error)
{
    char *const text = answer_of(folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 60, " DATA
                                         "\"epsilon\": [0.5, 2], \"methods\": [\"base\", \"base_pos\", \"norm_sub\"], "
                                         "\"queries\": [\"full_domain\"]}");
    cr_assert_not_null(strstr(text, "all frequencies"), "%s", text);
    cr_assert_not_null(strstr(text, "3 candidates, 60 repetitions\n"), "%s", text);
    cr_assert_not_null(strstr(text, "\n  take             norm_sub at every ε: no other is better\n"), "%s", text);
    const double error = 100 * sqrt(error_of(folder, "norm_sub", "full_domain", 0.5));
    cr_expect_float_eq(number_after(text, "  error            "), error, 0.05 * error, "%s", text);
    cr_expect_not_null(strstr(text, " points (ε = 0.5, 2)\n"), "%s", text);
    double ratio[2];
    for (size_t i = 0; i < 2; i++)
        ratio[i] = 100 * (sqrt(error_of(folder, "base", "full_domain", i == 0 ? 0.5 : 2) /
                               error_of(folder, "norm_sub", "full_domain", i == 0 ? 0.5 : 2)) -
                          1);
    cr_expect_float_eq(number_after(text, "no method (base) +"), fmin(ratio[0], ratio[1]), 0.6, "%s", text);
    cr_expect_null(strstr(text, "not decided"), "%s", text);
    free(text);
}

/* Five repetitions decide nothing between methods that are nearly the same, and nothing between those that had the same
 * values so far: base_pos and post_pos are the same on single values. run ends with the same lines. */
/* The mean of what is taken, of as many values as there are. */
FolderTest(decisions, the_largest_error_next_to_the_typical_one)
{
    write_text(
        folder, "c.json",
        "{\"name\": \"r\", \"repetitions\": 1000, \"datasets\": [{\"type\": \"zipf\", \"s\": 1, \"d\": 4, \"n\": 1000}],"
        " \"oracles\": [\"grr\"], \"epsilon\": [1], \"methods\": [\"base\", \"norm_sub\"],"
        " \"queries\": [\"max_error\", \"full_domain\"]}");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench report r --format text >answer");
    run_in(folder,
           "[ $(grep -c candidates answer) = 1 ] && taken=$(sed -n 's/^  take  *\\([a-z_]*\\).*/\\1/p' answer) && "
           "said=$(sed -n 's/.* points; the largest of the 4 is \\([0-9.]*\\) on average$/\\1/p' answer) && "
           "awk -F , -v m=$taken -v said=$said '$7 == m { x = 100 * $11; found = said > .97 * x && said < 1.03 * x }"
           " END { exit !found }' r/max_error.csv");
}

/* The mean largest error of nine answers by ss and norm_sub: that of 400,000 collections (100,000 at epsilon 0.5) which
 * were drawn and projected without this program, with its standard error. */
FolderTest(decisions, the_largest_error_of_nine_answers)
{
    static const struct {
        const char *epsilon;
        double mean, error;
    } known[] = {{"0.5", 0.080170, 8.1e-5}, {"2", 0.017530, 9e-6}};

    write_text(folder, "survey.counts", "a\t1742\nb\t1261\nc\t768\nd\t489\ne\t341\nf\t204\ng\t98\nh\t61\ni\t36\n");
    run_in(folder,
           "ldpbench init survey.counts --oracle ss --method norm_sub --query max_error --epsilon 0.5,2 -o c.json "
           ">said && ldpbench run c.json -o r --quiet");
    char *const table = read_text(folder, "r/max_error.csv");
    for (size_t i = 0; i < 2; i++) {
        char start[40];
        double mean, error;
        snprintf(start, sizeof start, ",ss,%s,norm_sub,", known[i].epsilon);
        const char *const row = strstr(table, start);
        cr_assert(row && sscanf(row + strlen(start), "max_error,,%*[^,],%lf,%lf", &mean, &error) == 2, "%s", table);
        cr_expect_lt(fabs(mean - known[i].mean) / hypot(error, known[i].error), 3.5, "%s: %g", known[i].epsilon, mean);
    }
    free(table);
}

FolderTest(decisions, the_best_has_no_error)
{
    char *const text =
        answer_of(folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 30, \"datasets\": [{\"type\": \"uniform\", "
                          "\"d\": 4, \"n\": 400}], \"oracles\": [\"grr\"], \"epsilon\": [1], \"methods\": [\"base\", "
                          "\"uniform\"], \"queries\": [\"full_domain\"]}");
    cr_expect_not_null(strstr(text, "no method (base) +∞ %\n"), "%s", text);
    free(text);
}

FolderTest(decisions, what_is_open)
{
    char *const text = answer_of(folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 5, " DATA
                                         "\"epsilon\": [1], \"methods\": [\"base_pos\", \"post_pos\"], "
                                         "\"queries\": [\"full_domain\"]}");
    cr_expect_not_null(strstr(text, "take             base_pos, the lowest measured\n"), "%s", text);
    cr_expect_not_null(strstr(text, "the same so far  post_pos\n"), "%s", text);
    cr_expect_null(strstr(text, "as good"), "%s", text);
    run_in(folder, "ldpbench run c.json -o r 2>said && tail -n +2 said | cmp - answer");
    free(text);
}

/* After as many repetitions as it takes they are as good, and the first is taken. */
FolderTest(decisions, the_same_values_are_as_good_in_time)
{
    char *const text = answer_of(folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 100, " DATA
                                         "\"epsilon\": [1], \"methods\": [\"post_pos\", \"base_pos\"], "
                                         "\"queries\": [\"full_domain\"]}");
    cr_expect_not_null(strstr(text, "take             base_pos: "), "the registry's order, not the config's: %s", text);
    cr_expect_not_null(strstr(text, "as good          post_pos (within 5 %)"), "%s", text);
    free(text);
}

/* The first after 5 repetitions of which a share of the values is found and nothing else differs. */
FolderTest(decisions, shares_are_said_as_what_is_wrong)
{
    char *const text = answer_of(folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 5, " DATA
                                         "\"epsilon\": [1], \"methods\": [\"norm_sub\", \"norm_cut\"], "
                                         "\"queries\": [{\"type\": \"heavy_hitters\", \"threshold\": [400]}]}");
    cr_expect_not_null(strstr(text, "values above a threshold"), "%s", text);
    cr_expect_not_null(strstr(text, " % wrong (1 - F-score)\n"), "%s", text);
    cr_expect_null(strstr(text, "as good"), "equal scores of 5 repetitions show nothing: %s", text);
    free(text);
}

/* Pairs of oracle and method are compared, not the methods of each oracle. */
FolderTest(decisions, oracles_are_compared)
{
    char *const text =
        answer_of(folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 300, \"datasets\": [{\"type\": "
                          "\"zipf\", \"s\": 1.2, \"d\": 64, \"n\": 4000}], \"oracles\": [\"grr\", \"olh\", "
                          "\"exact\"], \"epsilon\": [1], \"methods\": [\"base\", \"norm_sub\"], "
                          "\"queries\": [\"full_domain\"]}");
    cr_expect_not_null(strstr(text, "4 candidates, 300 repetitions"), "what protects nobody is no candidate: %s", text);
    cr_expect_not_null(strstr(text, "take             norm_sub with olh: no other is better\n"), "%s", text);
    cr_expect_not_null(strstr(text, "norm_sub with grr +"), "%s", text);
    free(text);
}

/* With few users the registry's uniform is the best, with many norm_sub: none is as good everywhere. */
FolderTest(decisions, what_changes_is_said_for_each_point)
{
    char *const text = answer_of(
        folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 60, \"datasets\": [{\"type\": \"zipf\", \"s\": 0.5, "
                "\"d\": 32, \"n\": 1000}], \"oracles\": [\"olh\"], \"epsilon\": [0.1, 4], \"methods\": [\"base\", "
                "\"norm_sub\", \"uniform\"], \"queries\": [\"full_domain\"]}");
    cr_expect_not_null(strstr(text, "take             ε = 0.1: uniform, no other is better\n"), "%s", text);
    cr_expect_not_null(strstr(text, "\n                   ε = 4: "), "%s", text);
    cr_expect_not_null(strstr(text, "one for all      "), "%s", text);
    free(text);
}

/* Texts stand below each other, also beside a label with a character of two bytes. */
FolderTest(decisions, labels_of_one_width)
{
    char *const text = answer_of(
        folder, "{\"name\": \"a\", \"seed\": 1, \"repetitions\": 3, \"datasets\": [{\"type\": \"zipf\", \"s\": 1.2, "
                "\"d\": 9, \"n\": 5000}], \"oracles\": [\"grr\", \"ss\", \"olh\"], \"epsilon\": [0.5, 1, 2, 4], "
                "\"methods\": [\"base\", \"norm_sub\", \"power_ns\"], \"queries\": [\"full_domain\"]}");
    cr_expect_not_null(strstr(text, "\n  or by ε          ε = "), "%s", text);
    free(text);
}

/* The page begins with the blocks, in Markdown and HTML. */
FolderTest(decisions, a_page_begins_with_them)
{
    char *const text = answer_of(folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 20, " DATA
                                         "\"epsilon\": [1], \"methods\": [\"base\", \"norm_sub\"], "
                                         "\"queries\": [\"full_domain\"]}");
    run_in(folder, "ldpbench report r --no-plots -o p.md && ldpbench report r --no-plots -o p.html");
    char *const page = read_text(folder, "p.md"), *const html = read_text(folder, "p.html");
    const char *const begin = "\n# a\n\n| all frequencies | 2 candidates, 20 repetitions |\n|";
    cr_expect_eq(strncmp(page, begin, strlen(begin)), 0, "%.300s", page);
    cr_expect_not_null(strstr(page, "| take | norm\\_sub: no other is better |"), "%.600s", page);
    const char *const taken = strstr(html, "norm_sub: no other is better");
    cr_expect(taken && strstr(html, "<h2>") && taken < strstr(html, "<h2>"));
    free(page);
    free(html);
    free(text);
}

/* base, times 1.05, from outside the program. */
FolderTest(decisions, yours_has_its_place)
{
    run_well("${CC:-cc} -O1 tests/programs/method.c -o %s/own", folder);
    write_text(folder, "c.json",
               "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 40, " DATA
               "\"epsilon\": [1], \"methods\": [\"base\", {\"name\": \"external\", \"label\": \"mine\", "
               "\"command\": [\"./own\", \"1.05\", \"all\"]}], \"queries\": [\"full_domain\"]}");
    run_in(folder, "ldpbench run c.json -o r --quiet --allow-external && ldpbench report r --format text >answer");
    char *const text = read_text(folder, "answer");
    const double ratio = error_of(folder, "mine", "full_domain", 1) / error_of(folder, "base", "full_domain", 1);
    cr_expect_float_eq(number_after(text, "yours            mine has +"), 100 * (sqrt(ratio) - 1), 0.051, "%s", text);
    cr_expect_not_null(strstr(text, " error, rank 2 of 2\n"), "%s", text);
    cr_expect_not_null(strstr(text, "take             base: no other is better\n"), "%s", text);
    free(text);
}

/* For programs: the candidates of each point with the means of the table. */
FolderTest(decisions, as_json)
{
    char mean[80];

    char *const text = answer_of(folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 60, " DATA
                                         "\"epsilon\": [0.5, 2], \"methods\": [\"base\", \"base_pos\", \"norm_sub\"], "
                                         "\"queries\": [\"full_domain\"]}");
    run_in(folder, "ldpbench report r --format json | tr -d '\\n\\t' >json");
    char *const json = read_text(folder, "json");
    cr_assert(strstr(json, "\"table\":\"mse.csv\"") && strstr(json, "\"experiment\":\"a\"") &&
                  strstr(json, "\"decision\":\"one\",\"take\":\"norm_sub\""),
              "%s", json);
    for (size_t i = 0; i < 2; i++) {
        const double epsilon = i == 0 ? 0.5 : 2, best = error_of(folder, "norm_sub", "full_domain", epsilon);
        char place[80];

        snprintf(place, sizeof place,
                 "\"epsilon\":%g,\"query\":\"full_domain\",\"parameter\":null,\"take\":\"norm_sub\"", epsilon);
        const char *const point = strstr(json, place);
        cr_assert(point, "expected %s in %s", place, json);
        snprintf(mean, sizeof mean, "\"mean\":");
        cr_assert_float_eq(number_after(point, mean), best, 1e-15);
        const char *const base = strstr(point, "\"method\":\"base\",");
        const double ratio = sqrt(error_of(folder, "base", "full_domain", epsilon) / best);
        cr_assert_float_eq(number_after(base, "\"ratio\":"), ratio, 1e-9);
        cr_assert(number_after(base, "\"at_least\":") > 1 && number_after(base, "\"at_least\":") < ratio &&
                  number_after(base, "\"at_most\":") > ratio && strstr(base, "\"as_good\":false"));
    }
    struct outcome both = shell_in(folder, "ldpbench report r --format json -o x");
    cr_assert(both.status == 2 && strstr(both.err, "expected no -o with --format json"), "%s", both.err);
    outcome_free(&both);
    free(json);
    free(text);
}
