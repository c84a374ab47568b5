/* Strict JSON: what passes, what does not, where messages point; near names, ranges and numbers as text. */
#include "config/json.h"
#include "quick.h"
#include "support/names.h"
#include "support/numbers.h"

#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct json_file *parse(const char *text)
{
    struct json_file *file;
    struct failure failure = {0};

    cr_assert_eq(json_parse("f.json", text, strlen(text), &file, &failure), 0, "%s: %s", text, failure.text);
    return file;
}

/* Tests if a text is refused, and with which message. */
static void refuse(const char *text, size_t size, const char *message)
{
    struct json_file *file;
    struct failure failure = {0};

    cr_assert_neq(json_parse("f.json", text, size, &file, &failure), 0, "accepted: %s", text);
    cr_expect_null(file);
    cr_expect_eq(failure.status, EXIT_BAD_INPUT);
    cr_expect_str_eq(failure.text, message);
}

static struct json_at member(const struct json_file *file, const char *key)
{
    struct json_at root = json_root(file), at;

    cr_assert(json_member(&root, key, &at), "no member %s", key);
    return at;
}

Test(json, accepts_all_of_the_grammar)
{
    static const char *const texts[] = {
        "0",
        "-0",
        "-0.0e-0",
        "1E+5",
        "123.456e7",
        "\"\"",
        "true",
        "false",
        "null",
        "[]",
        "{}",
        " [ ] ",
        "\t{\r\n}\n",
        "[[[[]]]]",
        "[1,2,[3,{\"a\":{}}]]",
        "{\"\":1}",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\ude00\"",
        "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \x7f\"",
        "\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\"",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        json_free(parse(texts[i]));
    json_free(NULL);
}

Test(json, refuses_what_cjson_would_let_pass)
{
    refuse("[1] x", 5, "f.json:1:5: expected the end of the file, got x");
    refuse("[1,]", 4, "f.json:1:4: expected a value, got ]");
    refuse("01", 2, "f.json:1:1: expected a number without leading zeros, got 01");
    refuse("1.", 2, "f.json:1:3: expected a digit, got the end of the file");
    refuse("-", 1, "f.json:1:2: expected a digit, got the end of the file");
    refuse("[\n  1e+]", 8, "f.json:2:6: expected a digit, got ]");
    refuse("x: 1", 4, "f.json:1:1: expected a config in JSON (data are for ldpbench advise and init), got x: 1");
    refuse("7\t1", 3, "f.json:1:3: expected a config in JSON (data are for ldpbench advise and init), got 1");
    refuse("[\"a\nb\"]", 7, "f.json:1:4: expected '\"' at the end of the string, got the end of the line");
    refuse("\"\x01\"", 3, "f.json:1:2: expected a string without control characters, got the byte 0x01");
    refuse("1\0", 2, "f.json:1: expected JSON text, got a NUL byte");
    refuse("\"\xed\xa0\x80\"", 5, "f.json:1: expected UTF-8 text, got the byte 0xed");
    refuse("\"\xf4\x90\x80\x80\"", 6, "f.json:1: expected UTF-8 text, got the byte 0xf4");
    refuse("\"\xc3\"", 3, "f.json:1: expected UTF-8 text, got the byte 0xc3");
    refuse("\n\n\"\\ud800\\u0041\"", 16,
           "f.json:3:2: expected an escape such as \\n, \\\\ or \\u00e9, got \\ud800\\u0041\"");
    refuse("\"a\\x\"", 5, "f.json:1:3: expected an escape such as \\n, \\\\ or \\u00e9, got \\x\"");
    refuse("\"\\u00g0\"", 8,
           "f.json:1:2: expected four hexadecimal digits of a character other than NUL, got \\u00g0\"");
    refuse("\"a\\u0000\"", 9,
           "f.json:1:3: expected four hexadecimal digits of a character other than NUL, got \\u0000\"");
    refuse("[1 2]", 5, "f.json:1:4: expected ',' or ']', got 2]");
    refuse("{\"a\" 1}", 7, "f.json:1:6: expected ':' after a key, got 1}");
    refuse("{\"a\": 1,}", 9, "f.json:1:9: expected a key in double quotes, got }");
    refuse("[1\f]", 4, "f.json:1:3: expected ',' or ']', got the byte 0x0c");
    refuse("\"\\udc00\"", 8, "f.json:1:2: expected an escape such as \\n, \\\\ or \\u00e9, got \\udc00\"");
}

Test(json, depth_has_a_limit)
{
    char text[2 * 65 + 1];

    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    struct json_file *file;
    struct failure failure;
    cr_expect_eq(json_parse("f.json", text + 1, 128, &file, &failure), 0);
    json_free(file);
    cr_expect_neq(json_parse("f.json", text, 130, &file, &failure), 0);
}

Test(json, messages_point_at_the_place)
{
    struct json_file *const file = parse("{\n  \"a\": [1, {\n    \"b\": [true,\n      \"x\"]}],\n  \"c\": 2}");
    struct json_at a = member(file, "a"), at;
    struct failure failure;
    size_t count;

    cr_assert_eq(json_list(&a, "a list", &at, &count, &failure), 0);
    cr_expect_eq(count, 2);
    cr_assert(json_next(&at));
    struct json_at b;
    cr_assert(json_member(&at, "b", &b));
    cr_assert_eq(json_list(&b, "a list", &at, &count, &failure), 0);
    cr_assert(json_next(&at));
    double value;
    cr_expect_neq(json_number(&at, 0, 1, &value, &failure), 0);
    cr_expect_str_eq(failure.text, "f.json:4: a[1].b[1]: expected a number from 0 to 1, got \"x\"");
    cr_expect_not(json_next(&at));

    json_expected(&b, &failure, "no list");
    cr_expect_str_eq(failure.text, "f.json:3: a[1].b: expected no list, got [true, \"x\"]");
    at = member(file, "c");
    json_fail(&at, &failure, "c is %d", 2);
    cr_expect_str_eq(failure.text, "f.json:5: c: c is 2");
    at = json_root(file);
    json_fail(&at, &failure, "all of it");
    cr_expect_str_eq(failure.text, "f.json:1: all of it");
    json_free(file);
}

Test(json, what_came_is_shortened_between_characters)
{
    /* 13 characters of 3 bytes end at byte 39 + the quote = 40. */
    struct json_file *const file = parse("[\"\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
                                         "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac"
                                         "\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\"]");
    struct json_at at = json_root(file);
    struct failure failure;

    json_expected(&at, &failure, "x");
    const char *const start = strstr(failure.text, "[\"");
    const char *const dots = strstr(failure.text, "...");
    cr_assert_not_null(start);
    cr_assert_not_null(dots);
    cr_expect_lt(strlen(failure.text), 80);
    char quoted[64];
    /* What is left of the string is still UTF-8. */
    snprintf(quoted, sizeof quoted, "%.*s\"", (int)(dots - start - 1), start + 1);
    struct json_file *again;
    cr_expect_eq(json_parse("g", quoted, strlen(quoted), &again, &failure), 0, "%s", quoted);
    json_free(again);
    json_free(file);
}

Test(json, long_paths_and_keys_stay_within_the_message)
{
    enum { LONG = 3000 };
    char key[LONG + 1];

    memset(key, 'k', LONG);
    key[LONG] = '\0';
    char text[2 * LONG + 64];
    snprintf(text, sizeof text, "{\"%s\": {\"%s\": 1}}", key, key);
    struct json_file *const file = parse(text);
    struct json_at at = member(file, key);
    struct failure failure;
    json_fail(&at, &failure, "here");
    cr_expect_lt(strlen(failure.text), 200);
    cr_expect_neq(json_keys(&at, (const char *const[]){NULL}, &failure), 0);
    cr_expect_lt(strlen(failure.text), 200);
    json_free(file);
}

Test(json, keys_are_known_and_single)
{
    static const char *const known[] = {"alpha", "beta", "gamma", NULL};
    struct json_file *const file = parse("{\"in\": {\"alpha\": 1, \"gamma\": 2},\n \"x\": {\"gama\": 1},\n"
                                         " \"y\": {\"zzzzzzz\": 1},\n \"z\": {\"beta\": 1,\n \"beta\": 1}, \"l\": []}");
    struct json_at at = member(file, "in");
    struct failure failure;

    cr_expect_eq(json_keys(&at, known, &failure), 0);
    at = member(file, "x");
    cr_expect_neq(json_keys(&at, known, &failure), 0);
    cr_expect_str_eq(failure.text, "f.json:2: x: unknown key \"gama\", did you mean \"gamma\"?");
    at = member(file, "y");
    cr_expect_neq(json_keys(&at, known, &failure), 0);
    cr_expect_str_eq(failure.text, "f.json:3: y: unknown key \"zzzzzzz\", expected one of alpha, beta, gamma");
    at = member(file, "z");
    cr_expect_neq(json_keys(&at, known, &failure), 0);
    cr_expect_str_eq(failure.text, "f.json:5: z: expected each key once, got \"beta\" twice");
    at = member(file, "l");
    cr_expect_neq(json_keys(&at, known, &failure), 0);
    cr_expect_str_eq(failure.text, "f.json:5: l: expected an object in braces, got []");
    cr_expect_not(json_member(&at, "alpha", &at));
    json_free(file);
}

Test(json, integers_are_exact)
{
    static const struct {
        const char *text;
        bool good;
        uint64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"1e3", true, 1000},
        {"1.5e1", true, 15},
        {"9007199254740991", true, UINT64_C(9007199254740991)},
        {"9007199254740992", true, UINT64_C(9007199254740992)},
        {"9007199254740993", false, 0},
        {"9007199254740994", false, 0},
        {"9007199254740992.0", true, UINT64_C(9007199254740992)},
        {"9007199254740993.0", false, 0},
        {"900719925474099300e-2", false, 0},
        {"0.9007199254740993e16", false, 0},
        {"9.007199254740991e15", true, UINT64_C(9007199254740991)},
        {"4503599627370496.2", false, 0},
        {"4.00000000000000000000000001", false, 0},
        {"3.99999999999999999999999999", false, 0},
        {"0.00400e3", true, 4},
        {"1e-400", false, 0},
        {"0.0e5", true, 0},
        {"1e17", false, 0},
        {"1e99999999999999999999", false, 0},
        {"0.5", false, 0},
        {"-1", false, 0},
        {"1e16", false, 0},
        {"1e999", false, 0},
        {"-1e999", false, 0},
        {"\"1\"", false, 0},
        {"true", false, 0},
        {"null", false, 0},
        {"[1]", false, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json_file *const file = parse(cases[i].text);
        struct json_at at = json_root(file);
        struct failure failure;
        uint64_t value = 7;

        cr_expect_eq(json_integer(&at, 0, UINT64_C(1) << 53, &value, &failure) == 0, cases[i].good, "%s",
                     cases[i].text);
        cr_expect_eq(value, cases[i].good ? cases[i].value : 7, "%s", cases[i].text);
        json_free(file);
    }
}

Test(json, other_values)
{
    struct json_file *const file = parse("{\"t\": true, \"s\": \"word\", \"n\": 2.5}");
    struct json_at t = member(file, "t"), s = member(file, "s"), n = member(file, "n");
    static const char *const names[] = {"sword", "words", "word", NULL}, *const others[] = {"sword", NULL};
    struct failure failure;
    bool flag = false;

    cr_expect_eq(json_flag(&t, &flag, &failure), 0);
    cr_expect(flag);
    cr_expect_neq(json_flag(&n, &flag, &failure), 0);
    const char *text;
    cr_expect_eq(json_string(&s, &text, &failure), 0);
    cr_expect_str_eq(text, "word");
    cr_expect_neq(json_string(&t, &text, &failure), 0);
    cr_expect_str_eq(failure.text, "f.json:1: t: expected a string, got true");
    double value;
    cr_expect_eq(json_number(&n, 2.5, 2.5, &value, &failure), 0);
    cr_expect_eq(value, 2.5);
    cr_expect_neq(json_number(&n, nextafter(2.5, 3), 3, &value, &failure), 0);
    cr_expect_str_eq(failure.text, "f.json:1: n: expected a number > 2.5 and <= 3, got 2.5");
    size_t index;
    cr_expect_eq(json_choice(&s, NULL, names, &index, &failure), 0);
    cr_expect_eq(index, 2);
    cr_expect_neq(json_choice(&s, NULL, others, &index, &failure), 0);
    cr_expect_str_eq(failure.text, "f.json:1: s: expected one of sword, got \"word\", did you mean \"sword\"?");
    cr_expect_neq(json_choice(&t, "a weapon", others, &index, &failure), 0);
    cr_expect_str_eq(failure.text, "f.json:1: t: expected a weapon, got true");
    json_free(file);
}

/* ---- Names and numbers ---- */

Test(json, near_names)
{
    static const char *const names[] = {"norm", "norm_mul", "norm_cut", "norm_sub", "epsilon", "k", "d", NULL};

    cr_expect_str_eq(name_nearest("epsilonn", names), "epsilon");
    cr_expect_str_eq(name_nearest("espilon", names), "epsilon");
    cr_expect_str_eq(name_nearest("Epsilon", names), "epsilon");
    cr_expect_str_eq(name_nearest("norm-sub", names), "norm_sub");
    cr_expect_str_eq(name_nearest("nrom", names), "norm");
    cr_expect_str_eq(name_nearest("NORM_SUB", names), "norm_sub");
    cr_expect_str_eq(name_nearest("G", (const char *const[]){"h", "g", NULL}), "g");
    cr_expect_str_eq(name_nearest("RAPPOR", (const char *const[]){"pi_rappor", "bloom", NULL}), "bloom");
    cr_expect_str_eq(name_nearest("rappor", (const char *const[]){"pi_rappor", NULL}), "pi_rappor");
    cr_expect_null(name_nearest("", names));
    cr_expect_null(name_nearest("x", names));
    cr_expect_null(name_nearest("laplace", names));
    cr_expect_null(name_nearest("epsilonepsilonepsilonepsilonepsilonepsilonepsilon", names));
}

Test(json, numbers_are_short_and_read_back)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {1, "1"},
        {-2, "-2"},
        {0.1, "0.1"},
        {1e6, "1000000"},
        {123456789012345.0, "123456789012345"},
        {9007199254740992.0, "9007199254740992"},
        {1e15, "1e+15"},
        {1e22, "1e+22"},
        {0.30000000000000004, "0.30000000000000004"},
        {1.0 / 3, "0.3333333333333333"},
        {5e-324, "5e-324"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {DBL_MIN, "2.2250738585072014e-308"},
        {1e-5, "1e-05"},
        {3.5e-7, "3.5e-07"},
        {INFINITY, "inf"},
    };
    char text[NUMBER_TEXT];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(format_number(cases[i].value, text), cases[i].text);
    cr_expect_str_eq(format_number(NAN, text), "nan");
    uint64_t bits = 1;
    for (int i = 0; i < 100000; i++) {
        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value))
            cr_assert_eq(strtod(format_number(value, text), NULL), value, "%a", value);
    }
}

/* The fewest of 1 to 17 digits that read back, tried one after the other. */
static void demand_shortest(double value)
{
    char shortest[NUMBER_TEXT];

    for (int digits = 1; digits <= 17; digits++) {
        snprintf(shortest, sizeof shortest, "%.*g", digits, value);
        if (strtod(shortest, NULL) == value)
            break;
    }
    char text[NUMBER_TEXT];
    cr_assert_str_eq(format_number(value, text), shortest, "%a", value);
}

/* Numbers of tables: all digits from 1e-18 to 1e17, few digits, and the neighbours of powers of ten and two. */
Test(json, numbers_as_the_shortest_text, SLOW)
{
    uint64_t bits = 1;

    for (int i = 0; i < 100000; i++) {
        const int exponent = i % 36 - 18, digits = 1 + i % 17;

        bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        double value = ((double)(bits >> 11) * 0x1p-53 * 9 + 1.0000001) * pow(10, exponent);
        if (value == floor(value))
            continue;
        demand_shortest(value);
        demand_shortest(-value);
        char few[NUMBER_TEXT];
        snprintf(few, sizeof few, "%.*e", digits, value);
        value = strtod(few, NULL);
        if (value != floor(value))
            demand_shortest(value);
    }
    for (int exponent = -330; exponent <= 300; exponent++) {
        const double ten = pow(10, exponent), two = ldexp(1, exponent);

        for (int i = 0; i < 6; i++) {
            const double value = i % 3 == 0   ? nextafter(i < 3 ? ten : two, 0)
                                 : i % 3 == 1 ? i < 3 ? ten : two
                                              : nextafter(i < 3 ? ten : two, INFINITY);

            if (value > 0 && (value != floor(value) || value > 1e15))
                demand_shortest(value);
        }
    }
}

Test(json, ranges_as_text)
{
    char text[RANGE_TEXT];

    cr_expect_str_eq(format_range(false, 0, 1, text), "a number from 0 to 1");
    cr_expect_str_eq(format_range(true, 2, INFINITY, text), "an integer >= 2");
    cr_expect_str_eq(format_range(false, nextafter(0, 1), INFINITY, text), "a number > 0");
    cr_expect_str_eq(format_range(false, DBL_MIN, DBL_MAX, text), "a number > 0");
    cr_expect_str_eq(format_range(false, DBL_MIN, nextafter(100, 0), text), "a number > 0 and < 100");
    cr_expect_str_eq(format_range(false, 0, nextafter(1, 0), text), "a number >= 0 and < 1");
    cr_expect_str_eq(format_range(false, nextafter(-1, 0), INFINITY, text), "a number > -1");
    cr_expect_str_eq(format_range(false, -INFINITY, 3, text), "a number <= 3");
    cr_expect_str_eq(format_range(false, -INFINITY, INFINITY, text), "a number");
    cr_expect_str_eq(format_range(true, -DBL_MAX, DBL_MAX, text), "an integer");
}
