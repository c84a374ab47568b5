/* test_answer.c - the sentences that results begin with, held against the tables that they are about. */
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

FolderTest(answer, the_best_and_its_lead)
{
    char *const text = answer_of(folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 60, " DATA
                                         "\"epsilon\": [0.5, 2], \"methods\": [\"base\", \"base_pos\", \"norm_sub\"], "
                                         "\"queries\": [\"full_domain\"]}");
    const char *const begin = "Norm-Sub has the least mean squared error for all frequencies at all 2 points, ahead of "
                              "the next by a factor of ";
    double ratio[2];
    for (size_t i = 0; i < 2; i++)
        ratio[i] = error_of(folder, "base_pos", "full_domain", i == 0 ? 0.5 : 2) /
                   error_of(folder, "norm_sub", "full_domain", i == 0 ? 0.5 : 2);
    const double least = fmin(ratio[0], ratio[1]), most = fmax(ratio[0], ratio[1]);
    cr_assert_eq(strncmp(text, begin, strlen(begin)), 0, "%s", text);
    cr_expect_float_eq(number_after(text, begin), least, 0.006 * least, "%s", text);
    cr_expect_float_eq(number_after(text, ") to "), most, 0.006 * most, "%s", text);
    cr_expect_not_null(strstr(text, "(Base-Pos, ε = 0.5)"), "%s", text);
    cr_expect_not_null(strstr(text, "(Base-Pos, ε = 2)"), "%s", text);
    cr_expect_null(strstr(text, "Too close"), "%s", text);
    free(text);
}

/* Little data: 1/d is best, until there are as many users as its lead is large. */
FolderTest(answer, where_data_do_not_help)
{
    char *const text = answer_of(
        folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 40, \"datasets\": [{\"type\": \"zipf\", \"s\": 0.2, "
                "\"d\": 32, \"n\": 1000}], \"oracles\": [\"olh\"], \"epsilon\": [0.1], \"methods\": [\"base\", "
                "\"norm_sub\", \"uniform\"], \"queries\": [\"full_domain\"]}");
    const double users =
        1000 * error_of(folder, "norm_sub", "full_domain", 0.1) / error_of(folder, "uniform", "full_domain", 0.1);
    char *const digits = strstr(text, "Nothing beats a method that ignores the data at 1 point; about ");
    cr_assert_not_null(digits, "%s", text);
    double said = 0;
    for (const char *c = strstr(digits, "about ") + 6; *c != ' '; c++)
        said = *c == ',' ? said : 10 * said + (*c - '0');
    cr_expect_float_eq(said, users, 0.051 * users, "%s", text);
    free(text);
}

/* Intervals of the largest of equal values, chosen by its estimate, miss it; those made for that do not. */
FolderTest(answer, intervals_that_hold_the_truth_too_seldom)
{
    const char *const config =
        "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 100, \"datasets\": [{\"type\": \"uniform\", \"d\": 32, \"n\": 2000}], "
        "\"oracles\": [\"oue\"], \"epsilon\": [1], \"methods\": [\"base\", \"norm_sub\"], "
        "\"queries\": [{\"type\": \"selected_intervals\", \"k\": 1, \"interval\": \"%s\"}]}";
    static const char *const kind[] = {"score", "selected"};

    for (size_t i = 0; i < 2; i++) {
        char text[1000];
        snprintf(text, sizeof text, config, kind[i]);
        char *const answer = answer_of(folder, text);
        cr_expect_not_null(
            strstr(answer, i == 0 ? "2 of 2 kinds of intervals hold the truth surely less often than in 95 %"
                                  : "None of 2 kinds of intervals holds the truth surely less often"),
            "%s", answer);
        free(answer);
    }
}

/* What is open says so, with the cost; what was decided does not. run ends with the same sentences. */
FolderTest(answer, too_close_to_call)
{
    char *const text = answer_of(folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 5, " DATA
                                         "\"epsilon\": [1], \"methods\": [\"base_pos\", \"norm_sub\", \"norm_cut\"], "
                                         "\"queries\": [\"full_domain\"]}");
    cr_expect_not_null(strstr(text, ", but not surely.\nIt is too close to call; about "), "%s", text);
    run_in(folder, "ldpbench run c.json -o r 2>said && tail -n +2 said | cmp - answer");
    free(text);
}

/* Base-Pos and Post-Pos are the same on single values, so neither is ahead of the other. */
FolderTest(answer, the_same_values)
{
    char *const text = answer_of(folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 40, " DATA
                                         "\"epsilon\": [1], \"methods\": [\"post_pos\", \"base\", \"base_pos\"], "
                                         "\"queries\": [\"full_domain\"]}");
    cr_expect_eq(strncmp(text, "Post-Pos has the least", 22), 0, "%s", text);
    cr_expect_not_null(strstr(text, "(Base); another has the same values at 1.\n"), "%s", text);
    free(text);
}

/* The page begins with the sentences, in Markdown and HTML. */
FolderTest(answer, a_page_begins_with_it)
{
    char *const text = answer_of(folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 20, " DATA
                                         "\"epsilon\": [1], \"methods\": [\"base\", \"norm_sub\"], "
                                         "\"queries\": [\"full_domain\"]}");
    run_in(folder, "ldpbench report r --no-plots -o p.md && ldpbench report r --no-plots -o p.html");
    char *const page = read_text(folder, "p.md"), *const html = read_text(folder, "p.html");
    const char *const begin = "\n# a\n\nNorm-Sub has the least mean squared error for all frequencies, ahead of";
    cr_expect_eq(strncmp(page, begin, strlen(begin)), 0, "%.300s", page);
    cr_expect(strstr(html, "<p>Norm-Sub has the least") &&
              strstr(html, "<p>Norm-Sub has the least") < strstr(html, "<ul>"));
    free(page);
    free(html);
    free(text);
}

/* base, times 1.05, from outside the program. */
FolderTest(answer, yours_has_its_place)
{
    run_well("${CC:-cc} -O1 tests/programs/method.c -o %s/own", folder);
    write_text(folder, "c.json",
               "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 40, " DATA
               "\"epsilon\": [1], \"methods\": [\"base\", {\"name\": \"external\", \"label\": \"mine\", "
               "\"command\": [\"./own\", \"1.05\", \"all\"]}], \"queries\": [\"full_domain\"]}");
    run_in(folder, "ldpbench run c.json -o r --quiet --allow-external && ldpbench report r --format text >answer");
    char *const text = read_text(folder, "answer");
    const double ratio = error_of(folder, "mine", "full_domain", 1) / error_of(folder, "base", "full_domain", 1);
    cr_expect_float_eq(number_after(text, "Yours, mine, is behind the best by a factor of "), ratio, 0.0051, "%s",
                       text);
    cr_expect_not_null(strstr(text, "Nothing beats the unprocessed estimate at 1 point."), "%s", text);
    free(text);
}

/* For programs: the sentences, and the candidates of each point with the means of the table. */
FolderTest(answer, as_json)
{
    char mean[80];

    char *const text = answer_of(folder, "{\"name\": \"a\", \"seed\": 2, \"repetitions\": 60, " DATA
                                         "\"epsilon\": [0.5, 2], \"methods\": [\"base\", \"base_pos\", \"norm_sub\"], "
                                         "\"queries\": [\"full_domain\"]}");
    run_in(folder, "ldpbench report r --format json | tr -d '\\n\\t' >json");
    char *const json = read_text(folder, "json");
    *strchr(text, ',') = '\0';
    cr_assert(strstr(json, text), "expected \"%s\" in %s", text, json);
    cr_assert(strstr(json, "\"table\":\"mse.csv\"") && strstr(json, "\"experiment\":\"a\""));
    for (size_t i = 0; i < 2; i++) {
        const double epsilon = i == 0 ? 0.5 : 2, best = error_of(folder, "norm_sub", "full_domain", epsilon);
        char place[80];

        snprintf(place, sizeof place,
                 "\"epsilon\":%g,\"query\":\"full_domain\",\"parameter\":null,\"best\":\"norm_sub\"", epsilon);
        const char *const point = strstr(json, place);
        cr_assert(point, "expected %s in %s", place, json);
        snprintf(mean, sizeof mean, "\"method\":\"norm_sub\",\"mean\":");
        cr_assert_float_eq(number_after(point, mean), best, 1e-15);
        const char *const base = strstr(point, "\"method\":\"base\"");
        cr_assert_float_eq(number_after(base, "\"ratio\":"), error_of(folder, "base", "full_domain", epsilon) / best,
                           1e-9);
        cr_assert(number_after(base, "\"low\":") > 1 && strstr(base, "\"significantly_different\":true"));
    }
    struct outcome both = shell_in(folder, "ldpbench report r --format json -o x");
    cr_assert(both.status == 2 && strstr(both.err, "expected no -o with --format json"), "%s", both.err);
    outcome_free(&both);
    free(json);
    free(text);
}
