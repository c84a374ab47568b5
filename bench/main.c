/* main.c - the program: ldpbench COMMAND ... */
#include "commands/commands.h"
#include "hash.h"
#include "support/names.h"
#include "version.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_help(FILE *out)
{
    fputs("ldpbench: which frequency oracle and which post-processing answer queries best under local differential "
          "privacy\n\n",
          out);
    for (const struct command *command = commands; command->name; command++)
        fprintf(out, "  ldpbench %s %s\n      %s\n", command->name, command->usage, command->help);
    fputs("\n  ldpbench --version\n"
          "  ldpbench COMMAND --help, or ldpbench help COMMAND\n"
          "\nExit status: 0 done, 1 a check failed, 2 usage or bad input, 3 a failure of the machine.\n",
          out);
}

static bool asks_for_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0 || strcmp(argument, "help") == 0;
}

static int run_command(int argc, char **argv)
{
    const char *names[NAMES_MAX], *nearest;
    struct failure failure;
    size_t n = 0;

    if (argc < 2) {
        print_help(stderr);
        return EXIT_BAD_INPUT;
    }
    if (asks_for_help(argv[1])) {
        if (argc > 2)
            return print_command_help(argv[2], &failure) == 0 ? EXIT_DONE : say_failure(&failure);
        print_help(stdout);
        return EXIT_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("ldpbench %s (%s)\n", LDPBENCH_VERSION, LDPBENCH_COMMIT);
        return EXIT_DONE;
    }
    for (const struct command *command = commands; command->name; command++) {
        if (strcmp(argv[1], command->name) == 0)
            return command->run(argc - 1, argv + 1);
        names[n++] = command->name;
    }
    names[n++] = "help";
    names[n] = NULL;
    nearest = name_nearest(argv[1], names);
    fprintf(stderr, "ldpbench: unknown command \"%s\"%s%s%s\n", argv[1], nearest ? ", did you mean \"" : "",
            nearest ? nearest : "; see ldpbench --help", nearest ? "\"?" : "");
    return EXIT_BAD_INPUT;
}

/* A slip in the variable must not be taken for a measurement of what it asks for. */
static bool simd_is_known(void)
{
    const char *asked = getenv("LDPBENCH_SIMD");
    char known[100] = "";
    bool exists = false;

    if (!asked || !*asked)
        return true;
    for (enum ldp_hash_level level = 0; level < LDP_HASH_LEVELS; level++) {
        const char *name = ldp_hash_level_name(level);
        const bool same = strcmp(asked, name) == 0, available = ldp_hash_level_available(level);

        if (same && available)
            return true;
        exists |= same;
        if (available)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", *known ? ", " : "", name);
    }
    fprintf(stderr, "ldpbench: LDPBENCH_SIMD: expected one of %s, got \"%.40s\"%s\n", known, asked,
            exists ? ", which this processor lacks" : "");
    return false;
}

/* A stream that came closed would be the next file that is opened; what is written to it must fail instead. */
static void occupy_streams(void)
{
    int descriptor;

    while ((descriptor = open("/dev/null", O_RDONLY)) >= 0 && descriptor <= STDERR_FILENO)
        continue;
    if (descriptor >= 0)
        close(descriptor);
}

int main(int argc, char **argv)
{
    int status;

    occupy_streams();
    signal(SIGXFSZ, SIG_IGN); /* to write beyond a limit fails then, and is told */
    status = simd_is_known() ? run_command(argc, argv) : EXIT_BAD_INPUT;

    /* All commands but those that failed already and said so. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && (status == EXIT_DONE || status == EXIT_CHECK_FAILED)) {
        fprintf(stderr, "ldpbench: standard output cannot be written\n");
        status = EXIT_MACHINE;
    }
    return status;
}
