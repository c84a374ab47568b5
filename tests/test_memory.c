/* test_memory.c - memory, stacks and threads that lack: the same output, or one line and the status of the machine. */
#include "program.h"
#include "quick.h"
#include "support/memory.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One allocation of a command fails: a part of all of them, and each with LDPBENCH_VERIFY. */
FolderTest(memory, an_allocation_that_fails, SLOW, .timeout = 100000)
{
    if (getenv("LSAN_OPTIONS"))
        skip_test("instrumented programs have their own malloc");
    struct outcome outcome = run_shell(
        "command -v python3 >/dev/null || exit 77; "
        "${CC:-cc} -O1 -shared -fPIC -Wall -Wextra -Werror tests/programs/failing_malloc.c -o %s/failing.so && "
        "LDPBENCH='%s' python3 tests/failing_memory.py %s/failing.so %s",
        folder, program(), folder, getenv("LDPBENCH_VERIFY") ? "" : "8");

    if (outcome.status == 77)
        skip_test("python3 is not installed");
    cr_expect_eq(outcome.status, 0, "%s%s", outcome.out, outcome.err);
    outcome_free(&outcome);
}

Test(memory, streams_into_memory)
{
    char *text, *none;
    size_t size, nothing;
    FILE *const out = xmemstream(&text, &size), *const empty = xmemstream(&none, &nothing);

    for (int i = 0; i < 100000; i++)
        fprintf(out, "%d,", i);
    fclose(out);
    fclose(empty);
    cr_expect_eq(size, 10 * 2 + 90 * 3 + 900 * 4 + 9000 * 5 + 90000 * 6);
    cr_expect_eq(strlen(text), size);
    cr_expect_str_eq(text + size - 12, "99998,99999,");
    cr_expect_str_eq(none, "");
    free(text);
    free(none);
}

static const char config[] = "{\"name\": \"c\", \"seed\": 5, \"repetitions\": 20, \"epsilon\": [1, 2],\n"
                             " \"datasets\": [{\"type\": \"zipf\", \"d\": 32, \"n\": 4000, \"s\": 1}],\n"
                             " \"oracles\": [\"olh\"], \"methods\": [\"base\"], \"queries\": [\"full_domain\"]}\n";

/* Threads with such stacks would end in a segmentation fault. */
FolderTest(memory, small_stacks)
{
    static const char *const variables[] = {"OMP_STACKSIZE=32k", "OMP_STACKSIZE=100", "GOMP_STACKSIZE=16384b"};

    write_text(folder, "c.json", config);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        demand_failure(3, "expected stacks of at least 256 KiB, got ",
                       "cd %s && %s ldpbench run c.json -o r --quiet -j2", folder, variables[i]);
    run_in(folder, "OMP_STACKSIZE=256k ldpbench run c.json -o r --quiet -j2");
}

/* One line and status 3, or done; libgomp has no word. */
FolderTest(memory, little_memory_for_the_threads_that_are_usual)
{
    if (getenv("LSAN_OPTIONS"))
        skip_test("instrumented programs need more to begin with");
    write_text(folder, "c.json", config);
    run_in(folder, "ldpbench run c.json -o r --quiet -j1");
    for (int kilobytes = 21000; kilobytes < 40000; kilobytes += 4000) {
        struct outcome outcome = shell_in(folder,
                                          "ulimit -v %d && ldpbench run c.json -o new --quiet --fresh && "
                                          "ldpbench report r --no-plots -o r.html",
                                          kilobytes);

        if (!strstr(outcome.err, "shared libraries")) {
            cr_expect(outcome.status == 0 || outcome.status == 3, "%d kB: %d: %s", kilobytes, outcome.status,
                      outcome.err);
            cr_expect_null(strstr(outcome.err, "libgomp: "), "%d kB: %s", kilobytes, outcome.err);
        }
        outcome_free(&outcome);
    }
}
