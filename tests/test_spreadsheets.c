/* test_spreadsheets.c - tables as people have them: separators, decimal commas, columns of long names, bins, rare
 * values; one column as counts; long strings by their hashes; and what init makes of them. */
#include "dataset.h"
#include "program.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SURVEY                                                                                                         \
    "\xef\xbb\xbfid;Age;\"Home town, today\";Income\r\n"                                                               \
    "1;23;\"Berlin; Mitte\";\"2500,50\"\r\n2;35;Bonn;3100\r\n3;;Bonn;1999,5\r\n4;61;;4000\r\n5;44;\"Berlin; "          \
    "Mitte\";\r\n6;62;Ulm;4000\r\n"

static struct outcome describe(const char *text, const char *arguments)
{
    const char *const folder = temporary_folder();

    write_text(folder, "t.csv", text);
    return shell_in(folder, *arguments ? "ldpbench list 't.csv(%s)'" : "ldpbench list t.csv", arguments);
}

struct example {
    const char *text, *arguments, *expected;
};

Test(spreadsheets, columns)
{
    static const struct example examples[] = {
        {SURVEY, "", "cardinalities         id 6, Age 6, Home town, today 4, Income 5"},
        {SURVEY, "columns=Home town, today", "0 Berlin; Mitte, 1 Bonn, 2 Ulm, 3 (empty cells)"},
        {SURVEY, "columns=Age Income,bins=2", "values of Age  0 23 to 42, 1 43 to 62, 2 (empty cells)"},
        {SURVEY, "columns=Age, Income,bins=2",
         "values of Income  0 1999.5 to 2999.7, 1 2999.8 to 4000, 2 (empty cells)"},
        {SURVEY, "columns=Income,other=1", "values of Income  0 4000, 1 other, 2 (empty cells)"},
        {SURVEY, "columns=Age,bins=9", "cardinalities         Age 6"}, /* few values are numbers as they are */
        {SURVEY, "columns=Age,full_range", "cardinalities         Age 41"},
        {"a\tb\n1\tx\n0\ty\n", "", "cardinalities         a 2, b 2"},
        {"a,b;c\n1,x\n0,y\n", "", "cardinalities         a 2, b;c 2"},
        {"a,b\n\"1, x\" ,2\n\"1, x\", \"2\"  \ny,2\n", "", "values of a  0 1, x, 1 y"}, /* blanks around quotes */
        {"\"a;b;c\",d\n1,x\n0,y\n", "", "cardinalities         a;b;c 2, d 2"},
        {"w\nother\nother\nother\nb\nc\n", "other=1", "values of w  0 other, 1 all others"},
        {"w,count\nb,1\na,2\nc,2\n", "other=2", "values of w  0 a, 1 c, 2 other"},
        {"w\n-2.5\n1e1\n0\n", "bins=2", "values of w  0 -2.5 to 3.7, 1 3.8 to 10"},
    };

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *const example = &examples[i];
        struct outcome outcome = describe(example->text, example->arguments);

        cr_assert(outcome.status == 0 && strstr(outcome.out, example->expected), "expected \"%s\" in %s%s",
                  example->expected, outcome.out, outcome.err);
        outcome_free(&outcome);
    }
}

Test(spreadsheets, refused)
{
    static const struct example examples[] = {
        {SURVEY, "columns=Agge", "expected a column Agge, got none of that name"},
        {SURVEY, "columns=Age,bins=1", "list: bins: expected"},
        {"a;b\n\"1\"x;2\n", "", "t.csv:2: expected a semicolon or the end of the line after a closing quote"},
        {"a\tb\n\"1\"x\t2\n", "", "t.csv:2: expected a tab or the end of the line after a closing quote"},
        {"a;b\n1\n", "", "t.csv:2: expected 2 columns, as the header has"},
    };

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *const example = &examples[i];
        struct outcome outcome = describe(example->text, example->arguments);

        cr_assert(outcome.status == 2 && strstr(outcome.err, example->expected), "expected \"%s\" in %s",
                  example->expected, outcome.err);
        cr_assert_eq(strchr(outcome.err, '\n'), outcome.err + strlen(outcome.err) - 1, "%s", outcome.err);
        outcome_free(&outcome);
    }
}

/* 200 users with a number of their own, a town and an income that nearly nobody shares. */
static void write_people(const char *folder)
{
    char text[20000];
    size_t used = (size_t)sprintf(text, "id,town,income\n");

    for (int i = 0; i < 200; i++)
        used += (size_t)sprintf(text + used, "%d,town %d,%d.%d\n", 1000 + i, i * i % 7, 37 * i % 4001, i % 10);
    write_text(folder, "people.csv", text);
}

/* A column that names its users is refused with the names of the others; bins are for measurements, not for numbers of
 * users. */
FolderTest(spreadsheets, identifiers)
{
    write_people(folder);
    struct outcome all = shell_in(folder, "ldpbench init 'people.csv(columns=id, town)'"),
                   binned = shell_in(folder, "ldpbench init 'people.csv(bins=8)'");
    cr_assert(all.status == 2 && strstr(all.err, "200 values of id for 200 users") &&
                  strstr(all.err, "choose others: columns=town"),
              "%s", all.err);
    cr_assert(binned.status == 2 && strstr(binned.err, "values of id") &&
                  strstr(binned.err, "choose others: columns=town, income"),
              "%s", binned.err);
    outcome_free(&all);
    outcome_free(&binned);
    run_in(folder, "ldpbench list 'people.csv(columns=id,bins=8)' | grep -q 'cardinalities  *id 8$'");
    run_in(folder, "ldpbench init 'people.csv(columns=town, income,bins=8)' && ldpbench run people.json "
                   "--repetitions 2 --quiet && test -s results/people/marginals.csv");
}

/* One column is a question with an answer of each user: counts, in the order of the column's values. */
FolderTest(spreadsheets, one_column_is_counts)
{
    write_text(folder, "s.csv", SURVEY);
    run_in(folder, "ldpbench init 's.csv(columns=Home town, today)' --epsilon 1 && grep -q '\"type\": \"answers\"' "
                   "s.json && ldpbench run s.json --quiet --repetitions 3");
    char *const config = read_text(folder, "s.json"), *const table = read_text(folder, "results/s/mse.csv");
    cr_assert(strstr(config, "\"column\": \"Home town, today\"") && strstr(table, ",4,6,olh,1,"), "%s%s", config,
              table);
    free(config);
    free(table);
    write_text(folder, "e.json",
               "{\"name\": \"e\", \"seed\": 1, \"repetitions\": 2, \"datasets\": [{\"type\": \"answers\", \"file\": "
               "\"s.csv\", \"column\": \"Home town, today\"}], \"oracles\": [\"exact\"], \"epsilon\": 1, \"methods\": "
               "[\"base\"], \"queries\": [\"full_domain\"], \"outputs\": [\"values\"]}");
    run_in(folder, "ldpbench run e.json --quiet && cut -d, -f9,10 results/e/values.csv | sort >v");
    char *const values = read_text(folder, "v");
    cr_assert_str_eq(values, "(none),1\nBerlin; Mitte,2\nBonn,2\nUlm,1\nvalue,count\n", "%s", values);
    free(values);
    struct outcome two = shell_in(folder, "sed -i 's/, \"column\": \"[^\"]*\"//' e.json && ldpbench run e.json");
    cr_assert(two.status == 2 && strstr(two.err, "expected the name of a column"), "%s", two.err);
    write_text(folder, "large.csv", "income\n4\n99999999\n");
    demand_failure(2, "large.csv: income: expected a range of at most 1048576 numbers",
                   "cd %s && ldpbench init 'large.csv(full_range)'", folder);
    outcome_free(&two);
}

/* A beginning that most users share is no part of the keys, but of the labels; strings that begin otherwise are one
 * value. */
FolderTest(spreadsheets, known_beginnings)
{
    write_text(folder, "u.strings", "https://\xc3\xa9.org/x\t5\nhttp://b\t3\nhttps://\xc3\xa9.org/\t2\nhttps\t1\n");
    write_text(
        folder, "e.json",
        "{\"name\": \"e\", \"datasets\": [{\"type\": \"strings\", \"file\": \"u.strings\", \"known\": 14}], \"oracles\": "
        "[\"exact\"], \"epsilon\": 1, \"methods\": [\"base\"], \"queries\": [\"full_domain\"], \"outputs\": "
        "[\"values\"]}");
    run_in(folder, "ldpbench run e.json 2>said && cut -d, -f9,10 results/e/values.csv | sort >v");
    char *const values = read_text(folder, "v"), *const said = read_text(folder, "said");
    cr_expect_str_eq(values, "(another beginning),4\nhttps://\xc3\xa9.org/,2\nhttps://\xc3\xa9.org/x,5\nvalue,count\n",
                     "%s", values);
    cr_expect(
        strstr(said, "4 users (different strings: 2) do not begin with \"https://\xc3\xa9.org/\" and cannot be found"),
        "%s", said);
    free(values);
    free(said);
    run_in(folder, "ldpbench init 'u.strings(known=14)' --epsilon 8 && ldpbench run u.json --quiet --repetitions 2");
    run_in(folder, "grep -q '\"known\": 14' u.json");
    struct outcome few = shell_in(folder, "ldpbench init 'u.strings(known=15)' -o -");
    cr_expect(few.status == 2 &&
                  strstr(few.err, "expected a beginning of 15 symbols that more than half of the users share"),
              "%s", few.err);
    outcome_free(&few);
    struct outcome two = shell_in(folder, "ldpbench init 'u.strings(known=14,hash=64)' -o -");
    cr_expect(two.status == 2 && strstr(two.err, "expected known without hash and bits, got both"), "%s", two.err);
    outcome_free(&two);
}

/* Strings of any length by their hashes: as many as before, each once; those of one hash together, which is said. */
FolderTest(spreadsheets, hashes)
{
    char text[60000];
    size_t used = 0;

    for (int i = 0; i < 400; i++)
        used +=
            (size_t)sprintf(text + used, "https://www.example.org/section-%d/a-long-article?id=%d&utm_source=%d\t%d\n",
                            i % 7, i, i * i, 1 + 4000 / (i + 1));
    write_text(folder, "u.strings", text);
    struct outcome none = shell_in(folder, "ldpbench init u.strings");
    cr_assert(none.status == 2 && strstr(none.err, "\"hash\" searches their hashes"), "%s", none.err);
    outcome_free(&none);
    run_in(folder, "ldpbench list 'u.strings(hash=64)' | grep -q '^  d  *400$'");
    run_in(folder, "ldpbench init 'u.strings(hash=10)' -o few.json 2>&1 | grep -q 'share their hash'");
    run_in(folder, "ldpbench init 'u.strings(hash=32)' --epsilon 4 && ldpbench run u.json --quiet --repetitions 1 && "
                   "test -s results/u/search.csv");
    run_in(folder, "ldpbench init 'u.strings(hash=64)' --query full_domain -o d.json && ldpbench run d.json --quiet "
                   "--repetitions 1 -o dictionary && grep -q '^d,u,400,' dictionary/mse.csv");
    struct outcome both = shell_in(folder, "ldpbench list 'u.strings(hash=32,bits=8)'");
    cr_assert(both.status == 2 && strstr(both.err, "expected either hash or bits, got both"), "%s", both.err);
    outcome_free(&both);
}
