/* A table that is described once prints in five formats; labels of data are no marks in any of them. */
#include "stores.h"
#include "support/failure.h"
#include "support/memory.h"
#include "support/sheet.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct sheet_column columns[] = {
    {"name", "name", .digits = 0},   {"variance", "mean variance", .digits = 3, .best = SHEET_LEAST},
    {"users", "users", .digits = 0}, {"low", NULL, .digits = 3},
    {NULL, "remark", .digits = 0},   {"frontier", "frontier", .digits = 0}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void add_row(struct sheet *sheet, const char *name, double variance, double users, const char *remark, bool flag)
{
    sheet_text(sheet, name);
    sheet_number(sheet, variance);
    sheet_number(sheet, users);
    sheet_number(sheet, variance / 2);
    sheet_text(sheet, remark);
    sheet_flag(sheet, flag);
}

static void expect_sheet(enum format format, const char *expected)
{
    char *text;
    size_t length;
    struct sheet sheet = sheet_begin(xmemstream(&text, &length), format);

    sheet_answer(&sheet, "%s wins", "a_b");
    sheet_facts(&sheet, "d=%zu", (size_t)4);
    sheet_table(&sheet, "rows", NULL, columns, COLUMNS);
    add_row(&sheet, "a_b", 0.0123456, 1234567, NULL, true);
    add_row(&sheet, "c", 0.0123461, 10, "late", false);
    sheet_text(&sheet, "d");
    sheet_number(&sheet, (double)NAN);
    sheet_row_end(&sheet);
    add_row(&sheet, "e", 5.67e-9, 3, "", false);
    sheet_end(&sheet);
    fclose(sheet.doc.out);
    cr_expect_str_eq(text, expected, "%s", text);
    free(text);
}

Test(sheet, one_table_in_all_formats)
{
    expect_sheet(TEXT, "a_b wins\n"
                       "  name      mean      users  remark  frontier\n"
                       "        variance\n"
                       "  a_b    0.0123   1,234,567          yes\n"
                       "  c      0.0123          10  late    no\n"
                       "  d           -\n"
                       "  e     5.67e-9*          3          no\n"
                       "\n"
                       "*: the best of the column; =: not distinguished from it\n");
    expect_sheet(MARKDOWN, "# a\\_b wins\n\n"
                           "| name | mean variance | users | remark | frontier |\n"
                           "|---|---:|---:|---|---|\n"
                           "| a\\_b | 0.0123 | 1,234,567 |  | yes |\n"
                           "| c | 0.0123 | 10 | late | no |\n"
                           "| d | - |  |  |  |\n"
                           "| e | **5.67e-9** | 3 |  | no |\n"
                           "\nBold: the best of the column; italics: not distinguished from it.\n");
    expect_sheet(LATEX, "% a_b wins\n% \\usepackage{booktabs}\n\\begin{footnotesize}\\tabcolsep2.3pt\n"
                        "\\begin{tabular}{lrrll}\n\\toprule\n"
                        "name & \\shortstack{mean\\\\variance} & users & remark & frontier \\\\\n\\midrule\n"
                        "a\\_b & 0.0123 & 1,234,567 &  & yes \\\\\nc & 0.0123 & 10 & late & no \\\\\n"
                        "d & -- &  &  &  \\\\\ne & \\textbf{$5.67\\cdot 10^{-9}$} & 3 &  & no \\\\\n"
                        "\\bottomrule\n\\end{tabular}\n\\end{footnotesize}\n\n"
                        "% bold: the best of the column; underlined: not distinguished from it\n");
    expect_sheet(CSV, "name,variance,users,low,frontier\na_b,0.0123456,1234567,0.0061728,true\n"
                      "c,0.0123461,10,0.00617305,false\nd,,,,\ne,5.67e-09,3,2.835e-09,false\n");
}

Test(sheet, json_has_numbers_in_full)
{
    char *text;
    size_t length;
    struct sheet sheet = sheet_begin(xmemstream(&text, &length), JSON);

    sheet_say(&sheet, "one");
    sheet_facts(&sheet, "d=%zu delta=%g", (size_t)4, 0.125);
    sheet_table(&sheet, "rows", "Rows", columns, COLUMNS);
    add_row(&sheet, "a", 1.0 / 3, 7, "unseen", true);
    sheet_text(&sheet, "b");
    sheet_number(&sheet, INFINITY);
    sheet_table(&sheet, "none", NULL, columns, COLUMNS);
    sheet_end(&sheet);
    fclose(sheet.doc.out);
    cJSON *const root = cJSON_Parse(text);
    const cJSON *const rows = cJSON_GetObjectItem(root, "rows"), *const first = cJSON_GetArrayItem(rows, 0);
    cr_expect_str_eq(cJSON_GetArrayItem(cJSON_GetObjectItem(root, "answer"), 0)->valuestring, "one");
    cr_expect_eq(cJSON_GetObjectItem(root, "delta")->valuedouble, 0.125);
    cr_expect_eq(cJSON_GetArraySize(rows), 2);
    cr_expect_eq(cJSON_GetObjectItem(first, "variance")->valuedouble, 1.0 / 3);
    cr_expect(cJSON_IsTrue(cJSON_GetObjectItem(first, "frontier")));
    cr_expect_eq(cJSON_GetArraySize(first), 5);
    cr_expect(cJSON_IsNull(cJSON_GetObjectItem(cJSON_GetArrayItem(rows, 1), "variance")));
    cr_expect_eq(cJSON_GetArraySize(cJSON_GetObjectItem(root, "none")), 0);
    cJSON_Delete(root);
    free(text);
}

/* A table of one column of numbers, in text, without the indent of its rows. */
static void expect_number(double value, int digits, const char *expected)
{
    const struct sheet_column column = {"x", "x", .digits = digits};
    char *text;
    size_t length;
    struct sheet sheet = sheet_begin(xmemstream(&text, &length), TEXT);

    sheet_table(&sheet, "rows", NULL, &column, 1);
    sheet_number(&sheet, value);
    sheet_end(&sheet);
    fclose(sheet.doc.out);
    char *const shown = strchr(text, '\n') + 3;
    shown[strcspn(shown, "\n")] = '\0';
    cr_expect_str_eq(shown, expected, "%.17g by %d: %s", value, digits, shown);
    free(text);
}

Test(sheet, numbers)
{
    expect_number(0, 3, "0");
    expect_number(1234567.4, 0, "1,234,567");
    expect_number(-2.345, -1, "-2.3");
    expect_number(65536, 3, "65536");
    expect_number(9.996, 3, "10.0");
    expect_number(0.00012345, 3, "0.000123");
    expect_number(0.000012345, 3, "1.23e-5");
    expect_number(9.996e-5, 3, "0.000100");
    expect_number(9999999.6, 3, "1.00e7");
    expect_number(-1.5e300, 3, "-1.50e300");
    expect_number((double)NAN, 3, "-");
    expect_number(-INFINITY, 3, "-inf");
}

Test(sheet, ties_and_marks)
{
    static const struct sheet_column one[] = {{"x", "x", .digits = 2, .best = SHEET_MOST}};
    char *text;
    size_t length;

    for (int given = 0; given < 2; given++) {
        struct sheet sheet = sheet_begin(xmemstream(&text, &length), MARKDOWN);
        sheet_table(&sheet, "rows", NULL, one, 1);
        sheet_number(&sheet, 1.51);
        sheet_number(&sheet, 1.52);
        sheet_number(&sheet, 1.2);
        if (given)
            sheet_mark(&sheet, SHEET_BEST);
        sheet_end(&sheet);
        fclose(sheet.doc.out);
        cr_expect(strstr(text, given ? "| 1.5 |\n| 1.5 |\n| **1.2** |\n" : "| *1.5* |\n| **1.5** |\n| 1.2 |\n"), "%s",
                  text);
        free(text);
    }
}

/* ---- what is data is no mark ---- */

static const char *const hostile[] = {"a|b",
                                      "**a**",
                                      "`a`",
                                      "<script>x</script>",
                                      "\\end{tabular}",
                                      "[1pt]",
                                      "a,\"b\"",
                                      "50 % & 3 $",
                                      "#_^~{}",
                                      "\x1b[31mred",
                                      "two\nlines",
                                      "\xff\xfe",
                                      "=1+1",
                                      "&amp;",
                                      "- a",
                                      "1. first",
                                      "[a](http:x)",
                                      "x\\\\",
                                      "\\input{secret}",
                                      "",
                                      "\xe2\x89\xa4 1"};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

static char *hostile_sheet(enum format format)
{
    static const struct sheet_column two[] = {{"name", "na|me", .digits = 0}, {"x", "x", .digits = 1}};
    char *text;
    size_t length;
    struct sheet sheet = sheet_begin(xmemstream(&text, &length), format);

    for (size_t i = 0; i < HOSTILE; i++)
        sheet_say(&sheet, "%s", hostile[i]);
    sheet_table(&sheet, "rows", NULL, two, 2);
    for (size_t i = 0; i < HOSTILE; i++) {
        sheet_text(&sheet, hostile[i]);
        sheet_number(&sheet, 1);
    }
    sheet_end(&sheet);
    fclose(sheet.doc.out);
    return text;
}

static size_t occurrences(const char *text, const char *part)
{
    size_t count = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

Test(sheet, hostile_labels)
{
    char *const latex = hostile_sheet(LATEX), *const markdown = hostile_sheet(MARKDOWN),
                *const html = hostile_sheet(HTML), *const text = hostile_sheet(TEXT);

    for (const char *c = text; *c; c++)
        cr_expect((unsigned char)*c >= ' ' || *c == '\n', "a control character");
    cr_expect_eq(occurrences(latex, "\n\\end{tabular}"), 1);
    cr_expect(strstr(latex, "\n\\textbackslash{}end\\{tabular\\} & 1 \\\\\n"));
    cr_expect(strstr(latex, "\n{[}1pt] & 1 \\\\\n"));
    cr_expect(strstr(latex, "\n50 \\% \\& 3 \\$ & 1 \\\\\n"));
    cr_expect(strstr(latex, "\n\\#\\_\\textasciicircum{}\\textasciitilde{}\\{\\} & 1 \\\\\n"));
    cr_expect(strstr(latex, "\n\\textbackslash{}input\\{secret\\} & 1 \\\\\n"));
    for (const char *line = latex; *line; line += strcspn(line, "\n") + 1)
        cr_expect(*line == '%' || strncmp(line, "\\input", 6) != 0);
    const char *const table = strstr(markdown, "\n| ");
    cr_assert(table);
    cr_expect_eq(occurrences(table, "\n| ") + occurrences(table, "\n|---"), HOSTILE + 2);
    cr_expect(strstr(table, "| a\\|b | 1 |\n"));
    cr_expect(strstr(table, "| na\\|me | x |\n"));
    cr_expect(strstr(table, "| \\*\\*a\\*\\* | 1 |\n"));
    cr_expect_not(strstr(html, "<script"));
    cr_expect_not(strstr(html, "<strong>"));
    cr_expect_not(strstr(html, "<code>"));
    cr_expect_not(strstr(html, "<a "));
    cr_expect(strstr(html, "&lt;script&gt;"));
    free(latex);
    free(markdown);
    free(html);
    free(text);
}

Test(sheet, hostile_labels_are_read_back)
{
    static const struct sheet_column name = {"name", "name", .digits = 0};
    char *const json = hostile_sheet(JSON);
    cJSON *const root = cJSON_Parse(json);
    const cJSON *const rows = cJSON_GetObjectItem(root, "rows");

    for (size_t i = 0; i < HOSTILE; i++) {
        char *text;
        size_t length;
        struct sheet sheet = sheet_begin(xmemstream(&text, &length), CSV);

        sheet_table(&sheet, "rows", NULL, &name, 1);
        sheet_text(&sheet, hostile[i]);
        sheet_end(&sheet);
        fclose(sheet.doc.out);
        cr_assert_eq(text[length - 1], '\n');
        text[length - 1] = '\0';
        char *rest = strchr(text, '\n') + 1;
        cr_expect_str_eq(next_field(&rest), hostile[i]);
        cr_expect_str_eq(cJSON_GetObjectItem(cJSON_GetArrayItem(rows, (int)i), "name")->valuestring, hostile[i]);
        free(text);
    }
    cJSON_Delete(root);
    free(json);
}

/* ---- 80 columns ---- */

static void demand_narrow(const char *text)
{
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
        cr_assert_leq(text_columns(line, strcspn(line, "\n")), 80, "%.*s", (int)strcspn(line, "\n"), line);
}

Test(sheet, fits_80_columns)
{
    static const char *const words[] = {
        "a remark that is longer than what is left of a line beside all these numbers, and is wrapped",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "",
        "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc"};

    for (size_t count = 1; count <= SHEET_COLUMNS_MAX; count++)
        for (size_t texts = 0; texts <= count; texts += 1 + count / 3) {
            struct sheet_column wide[SHEET_COLUMNS_MAX];
            char *text;
            size_t length;
            struct sheet sheet = sheet_begin(xmemstream(&text, &length), TEXT);

            for (size_t k = 0; k < count; k++)
                wide[k] = (struct sheet_column){"key", k % 2 ? "a heading of many words" : "x", .digits = 4};
            sheet_say(&sheet, "%s", words[0]);
            sheet_item(&sheet, "%s", words[1]);
            sheet_table(&sheet, "rows", words[0], wide, count);
            for (size_t i = 0; i < 3 * count; i++)
                if (i % count < texts)
                    sheet_text(&sheet, words[i % 4]);
                else
                    sheet_number(&sheet, 1e6 + (double)i);
            sheet_end(&sheet);
            fclose(sheet.doc.out);
            demand_narrow(text);
            for (size_t i = 0; i < 3 * count; i++) {
                char number[32];
                snprintf(number, sizeof number, " %.0f", 1e6 + (double)i);
                if (i % count >= texts)
                    cr_assert(strstr(text, number) || i % count == 0, "%zu columns: %s is lost:\n%s", count, number,
                              text);
            }
            free(text);
        }
}

Test(sheet, wide_tables_are_printed_in_parts)
{
    struct sheet_column wide[10];
    char *text;
    size_t length;
    struct sheet sheet = sheet_begin(xmemstream(&text, &length), TEXT);

    for (size_t k = 0; k < 10; k++)
        wide[k] = (struct sheet_column){"key", k == 0 ? "name" : k == 9 ? "remark" : "number", .digits = 0};
    sheet_table(&sheet, "rows", NULL, wide, 10);
    sheet_text(&sheet, "olh");
    for (size_t k = 1; k < 9; k++)
        sheet_number(&sheet, 1e9);
    sheet_text(&sheet, "not_private_at_this_epsilon");
    sheet_end(&sheet);
    fclose(sheet.doc.out);
    cr_expect_str_eq(text,
                     "  name         number         number         number         number\n"
                     "  olh   1,000,000,000  1,000,000,000  1,000,000,000  1,000,000,000\n"
                     "\n"
                     "  name         number         number         number         number\n"
                     "  olh   1,000,000,000  1,000,000,000  1,000,000,000  1,000,000,000\n"
                     "\n"
                     "  name  remark\n"
                     "  olh   not_private_at_this_epsilon\n",
                     "%s", text);
    free(text);
}
