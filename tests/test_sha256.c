/* test_sha256.c - the fingerprint of files: published examples, and what sha256sum says of a folder's files. */
#include "program.h"
#include "support/sha256.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void demand_hash(const void *bytes, size_t size, size_t piece, const char *expected)
{
    const char *const from = bytes;
    char text[SHA256_TEXT];
    struct sha256 sha;

    sha256_begin(&sha);
    for (size_t i = 0; i < size; i += piece)
        sha256_add(&sha, from + i, piece < size - i ? piece : size - i);
    sha256_end(&sha, text);
    cr_expect_str_eq(text, expected, "%zu bytes in pieces of %zu", size, piece);
}

/* The examples of NIST for FIPS 180-4, in pieces of several sizes. */
Test(sha256, published_examples)
{
    enum { MILLION = 1000000 };
    static const struct {
        const char *text, *hash;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopq"
         "rstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    static const size_t piece[] = {1, 3, 55, 56, 63, 64, 65, 1000};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t j = 0; j < sizeof piece / sizeof *piece; j++)
            demand_hash(cases[i].text, strlen(cases[i].text), piece[j], cases[i].hash);
    char *const many = malloc(MILLION);
    memset(many, 'a', MILLION);
    demand_hash(many, MILLION, 4096, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(many);
}

/* Every length about the end of a block: as sha256sum hashes the file. */
FolderTest(sha256, every_length_of_the_last_block)
{
    char path[PATH_ROOM + 16];

    run_in(folder, "i=0; while [ $i -le 130 ]; do printf \"%%${i}s\" '' > $i; i=$((i + 1)); done; sha256sum "
                   "$(seq 0 130) > sums");
    char *const sums = read_text(folder, "sums"), *line = strtok(sums, "\n");
    for (int i = 0; i <= 130; i++, line = strtok(NULL, "\n")) {
        char text[SHA256_TEXT];

        snprintf(path, sizeof path, "%s/%d", folder, i);
        cr_expect_eq(sha256_file(path, text), 0);
        cr_expect(line && strncmp(line, text, SHA256_TEXT - 1) == 0, "%d: %s, %s", i, text, line);
    }
    free(sums);
    char text[SHA256_TEXT];
    snprintf(path, sizeof path, "%s/none", folder);
    cr_expect_eq(sha256_file(path, text), -1);
    cr_expect_str_empty(text);
}

/* run.json and pictures name a file's bytes as sha256sum does, and so both the same. */
FolderTest(sha256, one_fingerprint_of_a_file)
{
    if (!has_program("gnuplot"))
        skip_test("gnuplot is not installed");

    write_text(
        folder, "c.json",
        "{\"name\": \"c\", \"repetitions\": 2, \"datasets\": [{\"type\": \"uniform\", \"d\": 8, \"n\": 1000}],"
        " \"oracles\": [\"grr\"], \"epsilon\": [1, 2], \"methods\": [\"base\"], \"queries\": [\"full_domain\"]}");
    run_in(folder, "ldpbench run c.json -o r --quiet && ldpbench plot r && cd r && "
                   "print=$(sha256sum mse.csv | cut -d ' ' -f 1) && "
                   "grep -q \"from mse.csv, $print[.]</desc>\" full_domain.svg && grep -q \"$print\" run.json && "
                   "grep -q $(sha256sum full_domain.svg | cut -d ' ' -f 1) run.json");
}
