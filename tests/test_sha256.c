/* test_sha256.c - the fingerprint of files is what sha256sum says. */
#include "program.h"
#include "support/files.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
