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

Test(build, readme_lists_what_the_program_has)
{
    script("sh scripts/generated.sh --check");
}

/* The packages of docs/extending.md are those that bootstrap.sh installs for the tests. */
Test(build, extending_names_the_packages_that_bootstrap_installs)
{
    run_well(
        "needed=$(sed -n '/= packages \\]; then/,$d; s/.*need \\([a-z][^ ]*\\) .*/\\1/p' scripts/bootstrap.sh | sort -u) && "
        "named=$(sed -n '/apt-get install/,/^$/p' docs/extending.md | sed 's/#.*//; s/sudo apt-get install//; s/\\\\//' | "
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
           "awk '/^```json$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md >$config && "
           "test -s $config && $LDPBENCH run $config --dry-run >/dev/null");
}

/* Functions of at most 70 lines; files of at most 500, or the reason in their head. */
Test(build, functions_and_files_are_short, SLOW)
{
    run_well("sh tests/lint.sh");
}

Test(build, rooms_use_no_room_above)
{
    char folder[PATH_ROOM];

    temporary_folder(folder);
    run_well("mkdir -p %s/core %s/bench/results", folder, folder);
    write_text(folder, "core/a.c", "#include \"support/text.h\"\n");
    write_text(folder, "bench/results/b.c",
               "#include \"commands/commands.h\"\n#include \"figures/page.h\"\n#include \"results/style.h\"\n");
    struct outcome outcome = run_shell("sh=$PWD/tests/lint.sh && cd %s && sh $sh", folder);
    cr_expect_eq(outcome.status, 1);
    cr_expect(strstr(outcome.err, "core/a.c:1:") && strstr(outcome.err, "bench/results/b.c:1:") &&
                  strstr(outcome.err, "bench/results/b.c:2:"),
              "%s", outcome.err);
    cr_expect_null(strstr(outcome.err, "b.c:3:"), "%s", outcome.err);
    outcome_free(&outcome);
}
