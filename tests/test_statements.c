/* test_statements.c - files of a paper's statements, also those of strangers. */
#include "agreement/agreement.h"
#include "program.h"

#include <cjson/cJSON.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int load(const char *text, struct statements *statements, struct failure *failure)
{
    char path[PATH_ROOM + 20];

    const char *const folder = temporary_folder();
    write_text(folder, "s.json", text);
    snprintf(path, sizeof path, "%s/s.json", folder);
    return statements_load(path, statements, failure);
}

static void expect_refused(const char *text, const char *message)
{
    struct statements statements;
    struct failure failure;

    cr_expect_eq(load(text, &statements, &failure), -1, "%s", text);
    cr_expect(strstr(failure.text, message), "%s", failure.text);
}

#define FILE_OF(members) "{\"paper\": \"p\", \"citation\": \"c\", " members "}"
#define CLAIM(members) "{\"id\": \"a\", \"place\": \"p\", \"run\": \"r\", " members "}"

Test(statements, bad_files_are_refused)
{
    expect_refused("{\"paper\": \"p\"}", "expected the keys paper, citation and claims");
    expect_refused(FILE_OF("\"claims\": [1]"), "s.json:1: claims[0]: expected an object, got 1");
    expect_refused(FILE_OF("\"claims\": [{\"id\": \"a\"}]"), "missing key \"place\"");
    expect_refused(
        FILE_OF("\"claims\": [" CLAIM("\"claim\": \"c\", \"reduce\": \"rato\", \"relation\": \"between\"") "]"),
        "papers/README.md that go together, got \"rato\" and \"between\"");
    expect_refused(
        FILE_OF("\"claims\": [" CLAIM("\"claim\": \"c\", \"reduce\": \"next\", \"relation\": \"within\"") "]"),
        "papers/README.md that go together, got \"next\" and \"within\"");
    expect_refused(
        FILE_OF("\"claims\": [" CLAIM("\"claim\": \"{x}\", \"reduce\": \"mean ratio\", \"relation\": \"between\"") "]"),
        "{x}: the claim has no such text");
    expect_refused(FILE_OF("\"claims\": [" CLAIM(
                       "\"claim\": \"c\", \"reduce\": \"mean ratio\", \"relation\": \"between\", \"lo\": 1") "]"),
                   "unknown key \"lo\"");
    /* A variant is named by its first text. */
    expect_refused(
        FILE_OF("\"variants\": [{\"epsilon\": 1}], "
                "\"claims\": [" CLAIM(
                    "\"claim\": \"c\", \"reduce\": \"mean ratio\", \"relation\": \"between\", \"variants\": true") "]"),
        "s.json:1: variants[0].epsilon: expected a text or true or false, got 1");
}

static void expect_claim_refused(const char *members, const char *message)
{
    char text[1000];

    snprintf(text, sizeof text, FILE_OF("\"claims\": [" CLAIM("\"claim\": \"c\", %s") "]"), members);
    expect_refused(text, message);
}

/* What the forms take for granted, also where an entry of "each" has it. */
Test(statements, ranges_that_are_none)
{
    expect_claim_refused("\"reduce\": \"mean ratio\", \"relation\": \"between\", \"low\": 2, \"high\": 1",
                         "expected low at most high");
    expect_claim_refused("\"reduce\": \"points\", \"relation\": \"below\", \"per\": \"n\"", "per a number, x or mean");
    expect_claim_refused(
        "\"reduce\": \"mean ratio\", \"relation\": \"between\", \"low\": 2, \"each\": [{\"high\": 3}, {\"high\": 1}]",
        "expected low at most high");
    expect_claim_refused("\"reduce\": \"points\", \"relation\": \"within\", \"within\": -1", "within at least 0");
    expect_claim_refused("\"reduce\": \"points\", \"relation\": \"below\", \"within\": 1", "unknown key \"within\"");
    expect_claim_refused("\"reduce\": \"points\", \"relation\": \"below\", \"sql\": \"SELECT 1, 1\"",
                         "unknown key \"sql\"");
}

/* Of two values of one key the program would read one, and compare the other with nothing. */
Test(statements, keys_given_twice_are_refused)
{
    expect_claim_refused("\"reduce\": \"mean ratio\", \"relation\": \"between\", \"low\": 2, \"low\": 1",
                         "s.json:1: claims[0].low: expected each key once, got \"low\" twice");
    expect_claim_refused(
        "\"reduce\": \"mean ratio\", \"relation\": \"between\", \"low\": 2, \"each\": [{\"of\": {\"method\": \"base\", \"method\": \"norm\"}}]",
        "claims[0].each[0].of.method: expected each key once");
    expect_refused(FILE_OF("\"names\": {\"method\": {\"a\": \"A\",\n \"b\": \"B\", \"a\": \"C\"}}, \"claims\": []"),
                   "s.json:2: names.method.a: expected each key once");
    expect_refused(FILE_OF("\"claims\": [], \"claims\": []"), "claims: expected each key once");
}

/* Each entry of "each" becomes a claim without the other entries. */
Test(statements, entries_are_not_copied_into_each_other, .timeout = 60)
{
    enum { ENTRIES = 20000 };
    static const char entry[] = "{\"epsilon\": 1},";
    char *const text = malloc(ENTRIES * sizeof entry + 400);
    struct statements statements;
    struct failure failure;

    cr_assert(text);
    size_t length = (size_t)sprintf(text, "%s", "{\"paper\": \"p\", \"citation\": \"c\", \"claims\": [");
    length += (size_t)sprintf(
        text + length, "%s", CLAIM("\"claim\": \"c\", \"reduce\": \"number\", \"relation\": \"printed\", \"each\": ["));
    length--; /* the closing brace */
    for (size_t i = 0; i < ENTRIES; i++)
        length += (size_t)sprintf(text + length, "%s", entry);
    sprintf(text + length - 1, "]}]}");
    cr_assert_eq(load(text, &statements, &failure), 0, "%s", failure.text);
    cr_expect_eq(statements.nclaims, ENTRIES);
    statements_clear(&statements);
    free(text);
}

/* A text that replaces a word is not searched for words: one that names itself would be replaced for ever. */
Test(statements, words_are_replaced_once, .timeout = 60)
{
    struct statements statements;
    struct failure failure;

    cr_assert_eq(
        load(FILE_OF("\"claims\": [" CLAIM(
                 "\"claim\": \"{ours} {paper}{ours}.\", \"reduce\": \"mean ratio\", \"relation\": \"between\", "
                 "\"paper\": \"{paper}{\", \"ours\": \"\"") "]"),
             &statements, &failure),
        0, "%s", failure.text);
    cr_expect_str_eq(statements.claim[0].text, " {paper}{.");
    statements_clear(&statements);
}

/* Two lists would be all combinations of their values: a hundred each in four columns are 10^8. */
Test(statements, a_selection_has_one_list)
{
    struct statements statements;
    struct failure failure;

    cr_assert_eq(load(FILE_OF("\"claims\": [" CLAIM(
                          "\"claim\": \"c\", \"reduce\": \"points\", \"relation\": \"below\", \"until\": 4, "
                          "\"where\": {\"query\": \"top_k\"}, \"of\": {\"method\": [\"x\", \"y\"], \"epsilon\": 1}, "
                          "\"to\": {\"method\": [\"x\"], \"oracle\": [\"y\"]}") "]"),
                      &statements, &failure),
                 0, "%s", failure.text);
    cJSON *const two = claim_selections(&statements, &statements.claim[0], "of", &failure);
    cr_assert_eq(cJSON_GetArraySize(two), 2);
    char *const text = cJSON_PrintUnformatted(two->child->next);
    cr_expect_str_eq(text, "{\"query\":\"top_k\",\"run\":\"r\",\"until\":4,\"method\":\"y\",\"epsilon\":1}");
    cr_expect_null(claim_selections(&statements, &statements.claim[0], "to", &failure));
    cr_expect_str_eq(failure.text, "a: to: expected a list in one column at most");
    cJSON_free(text);
    cJSON_Delete(two);
    statements_clear(&statements);
}
