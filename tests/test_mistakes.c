/* test_mistakes.c - tests of the tests: mistakes of published code, injected in our own source one at a time, each of
 * which a named test must catch (tests/mistakes/mistakes.txt). Building them all takes minutes: here one, all of them
 * under LDPBENCH_VERIFY=1 or by `make mistakes`. */
#include "program.h"
#include "quick.h"
#include "statistics.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The table of studies/mistakes.md is the list. */
Test(mistakes, page_has_the_list)
{
    char *const page = read_text("studies", "mistakes.md");
    struct outcome outcome = run_shell("sh tests/mistakes.sh --table");

    cr_assert_not_null(page);
    cr_assert_eq(outcome.status, 0, "%s", outcome.err);
    cr_expect(strstr(page, outcome.out), "update the table of studies/mistakes.md: sh tests/mistakes.sh --table");
    outcome_free(&outcome);
    free(page);
}

/* The source still has the lines that each mistake changes, and the tests that are named exist. */
FolderTest(mistakes, each_can_be_planted)
{
    run_well("grep -n '^= ' tests/mistakes/mistakes.txt | cut -d: -f1 | while read line; do "
             "sh tests/mistakes.sh --plant $line %s/$line || exit 1; done",
             folder);
    run_well("sed -n 's/^! //p' tests/mistakes/mistakes.txt | while IFS=/ read suite test; do "
             "grep -Eq \"^(Folder)?Test[(]$suite, $test[,)]\" tests/*.c || { echo $suite/$test >&2; exit 1; }; done");
}

Test(mistakes, are_caught, SLOW, .timeout = 1800)
{
    run_well("sh tests/mistakes.sh %s", statistics_verify() ? "" : "24");
}

/* `make quick` leaves out what is marked SLOW, and nothing else. */
Test(mistakes, quick_leaves_out_what_is_slow)
{
    struct outcome outcome = run_shell("env -u BXFI_MAP LDPBENCH_QUICK=1 \"$(dirname \"$LDPBENCH\")/run-tests\" "
                                       "--filter '@(norm|mistakes)/@(are_caught|adds_the_missing_mass)' 2>&1");
    cr_expect(strstr(outcome.out, "Tested: 1 "), "%s", outcome.out);
    outcome_free(&outcome);
}
