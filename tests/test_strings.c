/* test_strings.c - datasets of strings: reader, alphabets, keys, kinds. */
#include "config/dataset_notes.h"
#include "dataset.h"
#include "real_data.h"
#include "strings.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_file(const char *path, const char *text)
{
    FILE *const out = fopen(path, "w");

    cr_assert_not_null(out);
    fputs(text, out);
    fclose(out);
}

static struct dataset *load(const char *path, double length, const char *alphabet, double bits, struct failure *failure)
{
    const struct dataset_request request = {
        .type = dataset_type_find("strings"), .param = {length, bits}, .text = alphabet, .path = path};
    struct dataset *dataset = NULL;

    return dataset_new(&request, &dataset, failure) == 0 ? dataset : NULL;
}

/* The dataset of a text. */
static struct dataset *strings_of(const char *text, double length, const char *alphabet, double bits)
{
    char path[] = "/tmp/strings.XXXXXX";

    cr_assert_geq(mkstemp(path), 0);
    write_file(path, text);

    struct failure failure = {.text = ""};
    struct dataset *const dataset = load(path, length, alphabet, bits, &failure);

    cr_assert_not_null(dataset, "%s", failure.text);
    remove(path);
    return dataset;
}

static void expect_values(const struct dataset *dataset, size_t d, const char *const *labels, const uint64_t *counts)
{
    cr_assert_eq(dataset->population->d, d);
    for (size_t v = 0; v < d; v++) {
        cr_expect_str_eq(dataset->labels[v], labels[v]);
        cr_expect_eq(dataset->population->counts[v], counts[v], "%s", labels[v]);
        cr_expect(v == 0 || dataset->strings->key[v] > dataset->strings->key[v - 1]);
    }
}

Test(strings, are_cut_padded_joined_and_sorted)
{
    struct dataset *dataset = strings_of("# a comment\nmapquest\t3\nmap\t2\nmapping\t4\n", 4, "a-z.", 0);
    const struct ldp_strings *const strings = &dataset->strings->strings;

    expect_values(dataset, 3, (const char *const[]){"map", "mapp", "mapq"}, (const uint64_t[]){2, 4, 3});
    cr_expect_eq(strings->length, 4);
    cr_expect(strings->padded);
    cr_expect_eq(strings->searched, 28); /* with the pad */
    cr_expect_eq(strings->symbols, 28);
    cr_expect_eq(dataset->strings->cut_strings, 2);
    cr_expect_eq(dataset->strings->cut_users, 7);
    cr_expect_eq(dataset->strings->longest, 8);
    dataset_free(dataset);
    dataset = strings_of("mapquest\t3\nmapping\t4\nmapp\t5\n", 4, "a-z.", 0);
    expect_values(dataset, 2, (const char *const[]){"mapp", "mapq"}, (const uint64_t[]){9, 3});
    cr_expect_not(dataset->strings->strings.padded);
    dataset_free(dataset);
}

Test(strings, outside_the_alphabet_are_users_that_are_counted)
{
    struct dataset *const dataset = strings_of("-   \t7\nab1\t2\nab2\t3\nabc\t1\n", 3, "a-c", 0);
    const struct ldp_strings *const strings = &dataset->strings->strings;

    cr_expect_eq(dataset->population->n, 13);
    cr_expect_eq(dataset->population->d, 4);
    cr_expect_eq(strings->searched, 4);
    cr_expect_eq(strings->symbols, 7); /* and '-', '1', '2' */
    cr_expect_eq(dataset->strings->outside_users, 12);
    cr_expect_eq(dataset->strings->outside_strings, 3);
    dataset_free(dataset);
}

/* Users who have one long string are one string that was cut. */
Test(strings, that_are_cut_are_counted_once_each)
{
    struct dataset *const dataset = strings_of("mapping\nmapping\nmapquest\nmap\nmapping\n", 3, "a-z", 0);

    cr_expect_eq(dataset->strings->cut_users, 4);
    cr_expect_eq(dataset->strings->cut_strings, 2);
    cr_expect_eq(dataset->strings->blank_strings, 0);
    dataset_free(dataset);
}

Test(strings, that_differ_in_blanks_at_their_end_are_joined_and_said)
{
    struct dataset *const dataset = strings_of("hello%20\t3\nhello\t5\nab%20\t2\n", 0, NULL, 0);
    char *const note = dataset_note(dataset);

    expect_values(dataset, 2, (const char *const[]){"ab", "hello"}, (const uint64_t[]){2, 8});
    cr_assert_not_null(note);
    cr_expect(strstr(note, "8 users (different strings: 1) differ from others only in blanks at their end"), "%s",
              note);
    free(note);
    dataset_free(dataset);
}

/* One string in several spellings is one, which is said; one of several blanks is counted as such alone. */
Test(strings, that_are_spelt_in_two_ways_are_joined_and_said)
{
    struct dataset *const dataset =
        strings_of("hell%6F\t3\nhello\t5\nab%20\t2\nm%C3%BC\t1\nm\303\274\t4\n", 0, NULL, 0);
    char *const note = dataset_note(dataset);

    expect_values(dataset, 3, (const char *const[]){"ab", "hello", "m\303\274"}, (const uint64_t[]){2, 8, 5});
    cr_assert_not_null(note);
    cr_expect(strstr(note, "13 users (different strings: 2) are written in several ways (%XX for a byte)"), "%s", note);
    free(note);
    dataset_free(dataset);
    struct dataset *const plain = strings_of("hello\nhello\nhell%6F\nab\n", 0, NULL, 0);
    cr_expect_null(dataset_note(plain), "lines of users repeat strings");
    dataset_free(plain);
}

/* Symbols are characters: lengths, cuts, alphabets and labels count them. A byte that begins no character is one. */
Test(strings, of_utf8_consist_of_characters)
{
    static const char text[] = "stra\303\237e\t3\n\303\244\303\266\t2\nabc\t4\n\xf0\x9f\x98\x80x\t1\n";
    struct dataset *dataset = strings_of(text, 0, NULL, 0);

    expect_values(dataset, 4, (const char *const[]){"abc", "stra\303\237e", "\303\244\303\266", "\xf0\x9f\x98\x80x"},
                  (const uint64_t[]){4, 3, 2, 1});
    cr_expect_eq(dataset->strings->strings.length, 6);
    cr_expect_eq(dataset->strings->strings.symbols, 13); /* pad, abcerstx, sharp s, two umlauts, one beyond 2^16 */
    cr_expect_eq(strings_length(dataset->strings, dataset->strings->key[3]), 2);
    dataset_free(dataset);
    dataset = strings_of(text, 5, "a-z\303\237-\303\266", 0);
    expect_values(dataset, 4, (const char *const[]){"abc", "stra\303\237", "\303\244\303\266", "\xf0\x9f\x98\x80x"},
                  (const uint64_t[]){4, 3, 2, 1});
    cr_expect_eq(dataset->strings->strings.searched, 51); /* pad, 26 letters, 24 from sharp s to o umlaut */
    cr_expect_eq(dataset->strings->outside_users, 1);
    cr_expect_eq(dataset->strings->cut_users, 3);
    cr_expect_eq(dataset->strings->longest, 6);
    dataset_free(dataset);
    dataset = strings_of("a%FF\t1\n%C3%C3%A4\t2\n%C2%85\t5\n", 0, NULL, 0);
    expect_values(dataset, 3, (const char *const[]){"a%FF", "%C2%85", "%C3\303\244"}, (const uint64_t[]){1, 5, 2});
    cr_expect_eq(dataset->strings->strings.length, 2);
    dataset_free(dataset);
}

Test(strings, one_a_line)
{
    struct dataset *const dataset = strings_of("b\na\nb\n", 0, NULL, 0);

    expect_values(dataset, 2, (const char *const[]){"a", "b"}, (const uint64_t[]){1, 2});
    dataset_free(dataset);
}

Test(strings, of_bits_have_the_bytes_of_text)
{
    struct dataset *dataset = strings_of("b\t1\na\t2\naz%01\t3\n", 0, NULL, 16);

    expect_values(dataset, 3, (const char *const[]){"a", "az", "b"}, (const uint64_t[]){2, 3, 1});
    cr_expect(dataset->strings->key[0] == (('a' << 8) | ' '));
    cr_expect_eq(dataset->strings->strings.symbols, 2);
    cr_expect_eq(dataset->strings->strings.length, 16);
    cr_expect_eq(dataset->strings->cut_strings, 1);
    dataset_free(dataset);
    dataset = strings_of("b\t1\na\t2\naz%01\t3\n", 0, NULL, 24);
    cr_expect_str_eq(dataset->labels[1], "az%01");
    dataset_free(dataset);
    dataset = strings_of(" \t2\n", 0, NULL, 16); /* no bytes at all */
    cr_expect_eq(dataset->population->counts[0] + dataset->population->counts[1], 2);
    dataset_free(dataset);
}

/* Strings of blanks have no bytes, so no beginning either (clang's sanitizer asks for it too; found by fuzzing). */
Test(strings, beginnings_that_are_none)
{
    char path[] = "/tmp/strings.XXXXXX";
    struct dataset_request request = {.type = dataset_type_find("strings"), .param = {NAN, NAN, NAN, 1}, .path = path};
    struct dataset *dataset = NULL;
    struct failure failure = {.text = ""};

    cr_assert_geq(mkstemp(path), 0);
    write_file(path, " \t2\n");
    cr_expect_str_eq(request.type->params[3].name, "known");
    cr_expect_neq(dataset_new(&request, &dataset, &failure), 0);
    cr_expect(strstr(failure.text, "expected a beginning of 1 symbols"), "%s", failure.text);
    write_file(path, "a\xf4\x8f\xbf\xbf\t5\naa\t7\nb\t1\n"); /* what stands for other beginnings (found by fuzzing) */
    cr_expect_neq(dataset_new(&request, &dataset, &failure), 0);
    cr_expect(strstr(failure.text, "expected strings without U+10FFFF"), "%s", failure.text);
    write_file(path, "a\xf4\x8f\xbf\xbf\n");
    cr_expect_neq(dataset_new(&request, &dataset, &failure), 0);
    write_file(path, "aab\t2\nabb\t1\nb\t1\n");
    cr_assert_eq(dataset_new(&request, &dataset, &failure), 0, "%s", failure.text);
    cr_expect_eq(dataset->strings->otherwise_users, 1);
    dataset_free(dataset);
    remove(path);
}

Test(strings, another_alphabet_is_another_dataset)
{
    struct dataset *const a = strings_of("ab\t1\nac\t2\n", 2, "a-c", 0);
    struct dataset *const b = strings_of("ab\t1\nac\t2\n", 2, "a-d", 0);

    cr_expect_str_neq(a->key, b->key);
    dataset_free(a);
    dataset_free(b);
}

static void expect_refused(const char *text, double length, const char *alphabet, const char *message)
{
    char path[] = "/tmp/strings.XXXXXX";

    cr_assert_geq(mkstemp(path), 0);
    write_file(path, text);
    struct failure failure = {.text = ""};
    cr_expect_null(load(path, length, alphabet, 0, &failure), "%s", text);
    cr_expect_str_eq(failure.text + strlen(path), message, "%s", failure.text);
    cr_expect_eq(failure.status, EXIT_BAD_INPUT);
    remove(path);
}

/* If all users have the same string, a second one is added that nobody holds. */
Test(strings, of_one_kind)
{
    struct dataset *dataset = strings_of("ab\t1\nabc\t2\n", 2, "a-c", 0);

    cr_expect_eq(dataset->population->d, 2);
    cr_expect_eq(dataset->population->n, 3);
    cr_expect_eq(dataset->population->counts[dataset->population->rank[0]], 3);
    cr_expect_str_eq(dataset->labels[dataset->population->rank[0]], "ab");
    cr_expect_neq(dataset->strings->key[0], dataset->strings->key[1]);
    dataset_free(dataset);
    dataset = strings_of("a\t5\n", 3, "a-c", 0); /* filled up: the other one is the empty string */
    cr_expect_eq(dataset->population->d, 2);
    cr_expect_str_eq(dataset->labels[dataset->population->rank[0]], "a");
    cr_expect_eq(dataset->population->counts[dataset->population->rank[1]], 0);
    dataset_free(dataset);
}

Test(strings, bad_files)
{
    expect_refused("", 2, "a-c", ": expected lines of text, got an empty file");
    expect_refused("ab\t0\nac\t1\n", 2, "a-c", ":1: expected a whole count from 1 to 2^53, got \"0\"");
    expect_refused("  \t2\n", 5, NULL, ": expected strings of at least 2 different symbols or lengths, got one string");
    expect_refused("ab\t1\nac\n", 2, "a-c", ":2: expected string TAB count, got \"ac\"");
    expect_refused("ab\t1\nab\t2\n", 2, "a-c", ":2: expected each string once (see line 1), got \"ab\"");
    expect_refused("ab\nab\t2\n", 2, "a-c", ":2: expected a string without TAB, like the first line, got \"ab\\t2\"");
    expect_refused("12\t1\n34\t2\n", 2, "a-c", ": expected strings of the alphabet \"a-c\", got none");
    expect_refused(
        "ab\t1\nac\t2\n", 100, "a-c",
        ": expected at most 2^128 strings, got a length of 100 over 4 symbols that occur or are searched "
        "(a \"length\" of 63 fits; \"hash\" searches their hashes, \"known\" leaves out a beginning that most share)");
}

Test(strings, bad_alphabets)
{
    static const struct {
        const char *alphabet, *message;
    } cases[] = {
        {"", "alphabet: expected at least one symbol, as in \"a-z.\", got none"},
        {"z-a", "alphabet \"z-a\": expected ranges that ascend, got z-a"},
        {"a-zb", "alphabet \"a-zb\": expected each symbol once, got \"b\" twice"},
        {"\303", "alphabet \"\\xc3\": expected printable characters in UTF-8"},
        {"a\302\200", "alphabet \"a\\xc2\\x80\": expected printable characters in UTF-8"},
        {"\303\266-\303\244", "alphabet \"\303\266-\303\244\": expected ranges that ascend, got \303\266-\303\244"},
        {"a-z\303\244\303\244", "alphabet \"a-z\303\244\303\244\": expected each symbol once, got \"\303\244\" twice"},
    };
    struct ldp_reason reason;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(strings_check(0, cases[i].alphabet, 0, &reason), LDP_EINVAL);
        cr_expect_str_eq(reason.text, cases[i].message);
    }
    cr_expect_eq(strings_check(6, NULL, 48, &reason), LDP_EINVAL);
    cr_expect_str_eq(reason.text, "expected either bits, or length and alphabet, got both");
    cr_expect_eq(strings_check(6, "-a-z.", 0, &reason), LDP_OK);
}

Test(strings, of_the_authors_of_pem)
{
    char path[512];
    struct failure failure;
    struct dataset *const dataset = load(real_data("aol6.strings.gz", path), 6, "a-z.", 0, &failure);

    cr_expect_eq(dataset->population->n, 657427);
    cr_expect_eq(dataset->population->d, 120978);
    cr_expect_str_eq(dataset->labels[dataset->population->rank[1]], "google");
    cr_expect(dataset->strings->strings.padded);
    cr_expect_eq(dataset->strings->cut_users, 0);
    dataset_free(dataset);
}

Test(strings, of_the_law_share_prefixes_and_are_the_same_for_any_exponent)
{
    struct dataset_request request = {
        .type = dataset_type_find("zipf_strings"), .param = {1.5, 6, 0}, .d = 1000, .n = 1000000};
    struct dataset *a = NULL, *b = NULL, *bits = NULL;
    struct failure failure = {.text = ""};
    size_t common = 0;

    cr_assert_eq(dataset_new(&request, &a, &failure), 0, "%s", failure.text);
    request.param[0] = 1;
    cr_assert_eq(dataset_new(&request, &b, &failure), 0);
    request.param[2] = 1;
    cr_assert_eq(dataset_new(&request, &bits, &failure), 0);
    cr_expect_eq(a->population->d, 1000);
    cr_expect_eq(a->population->n, 1000000);
    cr_expect_eq(a->strings->strings.searched, 26);
    cr_expect_eq(bits->strings->strings.length, 48);
    cr_expect_str_neq(a->key, b->key);
    for (size_t v = 0; v < 1000; v++) {
        cr_expect_str_eq(a->labels[v], b->labels[v]);
        cr_expect_str_eq(a->labels[v], bits->labels[v]);
        cr_expect_eq(strlen(a->labels[v]), 6);
        common += v > 0 && strncmp(a->labels[v], a->labels[v - 1], 2) == 0;
    }
    /* 1000 uniform strings would share two symbols with their neighbours 1000 - 676 (1 - exp(-1.48)) = 478 times. */
    cr_expect_gt(common, 650, "%zu", common);
    cr_expect_float_eq((double)a->population->counts[a->population->rank[0]],
                       8 * (double)a->population->counts[a->population->rank[3]], 8);
    dataset_free(a);
    dataset_free(b);
    dataset_free(bits);
    request = (struct dataset_request){.type = request.type, .param = {1, 2, 0}, .text = "ab", .d = 3, .n = 10};
    cr_expect_eq(dataset_new(&request, &a, &failure), -1);
    cr_expect_str_eq(failure.text,
                     "zipf_strings: expected at most half as many strings as there are of 2 letters out of "
                     "2, got d = 3");
}
