/* What surrounds the program: installation, documents that quote it, completions. Each check is a small script that
 * says what is wrong. */
#include "program.h"
#include "quick.h"

#include <criterion/criterion.h>

#include <stdlib.h>

static void script(const char *command)
{
    cr_assert(getenv("LDPBENCH"), "LDPBENCH must name the program");
    cr_assert_eq(system(command), 0, "%s failed", command);
}

Test(build, installs_and_builds_the_example, SLOW)
{
    script("sh tests/install.sh");
}

Test(build, tarballs_are_the_same_and_build_without_git, SLOW)
{
    script("sh tests/dist.sh");
}

Test(build, library_keeps_what_the_last_release_shows, SLOW)
{
    script("sh tests/abi.sh");
}

/* Every command of README.md and of docs/, and what they are said to print. */
Test(build, commands_of_pages_do_what_is_said, SLOW, .timeout = 600)
{
    script("/usr/bin/python3 tests/pages.py");
}

/* Five users and twelve questions: the first screen of a command answers each. */
Test(build, stories_and_questions_are_answered_first, SLOW, .timeout = 600)
{
    script("/usr/bin/python3 tests/stories.py");
}

Test(build, readme_lists_what_the_program_has, SLOW)
{
    script("sh scripts/generated.sh --check");
}

/* The packages of docs/developing.md are those that bootstrap.sh installs for the tests. */
Test(build, extending_names_the_packages_that_bootstrap_installs)
{
    run_well(
        "needed=$(sed -n '/= packages \\]; then/,$d; s/.*need \\([a-z][^ ]*\\) .*/\\1/p' scripts/bootstrap.sh | sort -u) && "
        "named=$(sed -n '/apt-get install/,/^$/p' docs/developing.md | sed 's/#.*//; s/sudo apt-get install//; s/\\\\//' | "
        "tr -s ' ' '\\n' | sed '/^$/d' | sort -u) && test -n \"$needed\" && test \"$needed\" = \"$named\"");
}

Test(build, manual_and_completions_know_the_commands, SLOW)
{
    script("sh tests/commands.sh");
}

Test(build, scripts_print_their_usage_and_refuse_unknown_options, SLOW)
{
    script("sh tests/scripts.sh");
}

Test(build, readme_config_is_accepted)
{
    script("config=$(mktemp) && trap 'rm -f $config' EXIT && "
           "awk '/^```json$/ { inside = 1; next } /^```$/ { inside = 0 } inside' docs/guide.md >$config && "
           "test -s $config && $LDPBENCH run $config --dry-run >/dev/null");
}

/* Every method, and what needs more than the defaults of others. */
Test(build, benchmark_measures, SLOW)
{
    if (system("test -x \"$(dirname \"$LDPBENCH\")/ldpbench-bench\"") != 0)
        skip_test("without ldpbench-bench (make bench builds it)");
    run_well("bench=$(dirname \"$LDPBENCH\")/ldpbench-bench && measured=$(\"$bench\" --quick method decoder memory) && "
             "for method in $(\"$LDPBENCH\" list methods --format names); do case $method in external) ;; *) "
             "echo \"$measured\" | grep -q \"^method *$method \" || exit 1 ;; esac; done");
}

/* Functions of libm whose results IEEE 754 decides; all others differ between processors in the last bit. */
Test(build, library_takes_only_exact_functions_of_libm)
{
    run_well(
        "library=\"$(dirname \"$LDPBENCH\")/libldpbench.a\" && "
        "defined=$(nm --defined-only \"$library\" | awk 'NF == 3 { print $3 }') && "
        "unknown=$(nm -u \"$library\" | awk '$1 == \"U\" { print $2 }' | sort -u | grep -vxF \"$defined\" | "
        "grep -vxE '_GLOBAL_OFFSET_TABLE_|__(assert_fail|stack_chk_fail|cpu_(features2|model|indicator_init))|"
        "__(asan|ubsan|gcov|sanitizer|llvm)_.*|__(fix|float|udiv|umod|popcount)[a-z]*[0-9]?|"
        "(aligned_|c|m|re)alloc|free|clock_gettime|qsort|(vsn|sn)printf|mem(cmp|cpy|move|set)|str(chr|cmp|cspn|len)|"
        "explicit_bzero|getrandom|__errno_location|"
        "ceil|fabs|floor|fma|fmax|fmin|fmod|frexp|ilogb|ldexp|lrint|nearbyint|nextafter|rint|round|sqrt|trunc' || :) && "
        "echo $unknown && test -z \"$unknown\"");
}

/* Where headers of one processor hide that another is missing. */
Test(build, library_links_for_another_processor, SLOW)
{
    if (system("command -v aarch64-linux-gnu-gcc >/dev/null") != 0)
        skip_test("without aarch64-linux-gnu-gcc");
    script("sh tests/cross.sh");
}

Test(build, fuzzers_compile, SLOW)
{
    run_well(
        "cc -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -I/usr/include/cjson -I. -Icore -Ibench -Idatasets -Itests "
        "-Wall -Werror -fsyntax-only tests/fuzz/*.c");
}

/* Functions of at most 70 lines; files of at most 500, or the reason in their head. */
Test(build, functions_and_files_are_short, SLOW)
{
    run_well("sh tests/lint.sh");
}

FolderTest(build, rooms_use_no_room_above)
{
    run_in(folder, "mkdir -p core/hashing datasets docs bench/tasks bench/results bench/audit bench/commands");
    write_text(folder, "core/a.c", "#include \"support/text.h\"\n");
    write_text(
        folder, "core/hashing/f.c",
        "#include \"laws/interval.h\"\n#include \"hashing/hash.h\"\n#include \"simd/simd.h\"\n#include \"support/text.h\"\n");
    write_text(folder, "bench/results/b.c",
               "#include \"commands/commands.h\"\n#include \"figures/page.h\"\n#include \"results/style.h\"\n");
    write_text(folder, "bench/tasks/c.h", "#include \"run/store.h\"\n#include \"config/axes.h\"\n");
    write_text(folder, "bench/audit/d.c", "#include \"agreement/agreement.h\"\n#include \"run/store.h\"\n");
    write_text(folder, "datasets/e.c", "#include \"config/json.h\"\n#include \"support/text.h\"\n");
    write_text(folder, "bench/commands/g.c", "    ldp_simulate(&simulation, &rng, scratch, support);\n");
    write_text(folder, "docs/reference.md", "## Config keys\n| `seed` | a number |\n| `unheard_of` | a number |\n");
    write_text(folder, "README.md", "`\"seed\": 1`\n");
    static const char *const wrong[] = {"key unheard_of:", "commands/g.c:1:", "core/a.c:1:",
                                        "hashing/f.c:1:",  "hashing/f.c:4:",  "core/hashing/: expected a README",
                                        "results/b.c:1:",  "results/b.c:2:",  "tasks/c.h:1:",
                                        "audit/d.c:1:",    "datasets/e.c:1:"};
    static const char *const right[] = {"f.c:2:", "f.c:3:", "b.c:3:", "c.h:2:", "d.c:2:", "e.c:2:", "key seed:"};
    struct outcome outcome = run_shell("sh=$PWD/tests/lint.sh && cd %s && sh $sh", folder);
    cr_expect_eq(outcome.status, 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_not_null(strstr(outcome.err, wrong[i]), "%s: %s", wrong[i], outcome.err);
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        cr_expect_null(strstr(outcome.err, right[i]), "%s: %s", right[i], outcome.err);
    outcome_free(&outcome);
}

/* An object is made again where a header changes that it includes through others. */
Test(build, objects_know_their_headers)
{
    run_well("grep -q 'core/ldp.h' \"$(dirname \"$LDPBENCH\")/core/oracles/grr.d\"");
}
