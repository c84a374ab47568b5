/* main.c - the program: ldpbench COMMAND ... */
#include "commands/commands.h"
#include "run/interruption.h"
#include "simd/simd.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/text.h"
#include "support/threads.h"
#include "version.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_ROOM = 8192 };

/* Puts the path of the manual beside the sources that the program was built in, or where it was installed. */
static bool find_manual(char path[PATH_ROOM])
{
    char self[PATH_ROOM / 2];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (length > 0) {
        self[length] = '\0';
        snprintf(path, PATH_ROOM, "%s/../../man/ldpbench.1", dirname(self));
        if (access(path, R_OK) == 0)
            return true;
    }
    snprintf(path, PATH_ROOM - sizeof ".gz", "%s/../man/man1/ldpbench.1", LDPBENCH_SHARE_FOLDER);
    if (access(path, R_OK) == 0)
        return true;
    strcat(path, ".gz"); /* as systems' packages have it */
    return access(path, R_OK) == 0;
}

/* False where there is no manual, nothing to show it, or nobody to read it: man does not tell whether it was written.
 */
static bool show_manual(void)
{
    char path[PATH_ROOM];

    if (!isatty(STDOUT_FILENO) || !find_manual(path))
        return false;

    const pid_t child = fork();

    if (child < 0)
        return false;
    if (child == 0) {
        execlp("man", "man", path, (char *)NULL);
        _exit(127);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* `help` shows the manual, `help COMMAND` and `--help COMMAND` what the command does. */
static int show_help(const char *word, const char *name, struct failure *failure)
{
    if (!name) {
        if (strcmp(word, "help") != 0 || !show_manual())
            print_program_help(stdout);
        return 0;
    }

    const struct command *const command = command_find(name);

    if (command) {
        print_command_help(command, stdout);
        return 0;
    }
    const char *names[NAMES_MAX];
    command_names(names);
    return unknown_name("help", "a command", name, names, failure);
}

/* What does the work of commands that had names of their own, for one release. */
static const char *const renamed[][2] = {
    {"agree", "check PAPER DIR..."},  {"describe", "list DATA"},    {"merge", "run CONFIG --from DIR..."},
    {"postprocess", "estimate FILE"}, {"recommend", "advise DATA"}, {"shuffle", "oracles --epsilon E"},
    {"synopsis", "estimate FOLDER"},
};

static int unknown_command(const char *word)
{
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (strcmp(word, renamed[i][0]) == 0) {
            print_message("ldpbench: %s is now `ldpbench %s`\n", word, renamed[i][1]);
            return EXIT_BAD_INPUT;
        }
    const char *names[NAMES_MAX];
    command_names(names);
    size_t n = 0;
    while (names[n])
        n++;
    names[n++] = "help";
    names[n] = NULL;

    const char *const nearest = name_nearest(word, names);

    print_message("ldpbench: unknown command \"%s\"%s%s%s\n", SHOWN(word), nearest ? ", did you mean \"" : "",
                  nearest ? nearest : "; see ldpbench --help", nearest ? "\"?" : "");
    return EXIT_BAD_INPUT;
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        print_program_help(stderr);
        return EXIT_BAD_INPUT;
    }
    struct failure failure = NO_REASON;
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return show_help(argv[1], argv[2], &failure) == 0 ? EXIT_DONE : say_failure(&failure);
    if (strcmp(argv[1], "--version") == 0) {
        printf("ldpbench %s (%s)\n", LDPBENCH_VERSION, LDPBENCH_COMMIT);
        return EXIT_DONE;
    }

    const struct command *const command = command_find(argv[1]);

    if (!command)
        return unknown_command(argv[1]);
    const int status = command->run(argc - 1, argv + 1, &failure);
    return status < 0 ? say_failure(&failure) : status;
}

/* ---- The environment ---- */

static bool ended; /* main has chosen the status */

/* libgomp ends the program itself, with status 1, where it cannot start a thread or lacks memory. */
static void end_by_library(int status, void *unused)
{
    if (!ended)
        _exit(EXIT_MACHINE);
}

/* libgomp reads its variables before main, when it is loaded, and says on standard error what it does not understand.
 * That is taken up here, before any library begins, so that main can say it in its own way. */
static struct {
    int error, text; /* standard error as it came; what was written instead. -1: none */
} taken = {-1, -1};

static void take_errors(int argc, char **argv, char **environment)
{
    int ends[2];

    on_exit(end_by_library, NULL);
    if (fcntl(STDERR_FILENO, F_GETFD) < 0 || pipe(ends) != 0)
        return;
    taken.error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10);
    taken.text = fcntl(ends[0], F_DUPFD_CLOEXEC, 10);
    fcntl(ends[1], F_SETFL, O_NONBLOCK); /* a full pipe must not stop the program */
    if (taken.error >= 0 && taken.text >= 0)
        dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
}

__attribute__((section(".preinit_array"), used)) static void (*const before_libraries)(int, char **,
                                                                                       char **) = take_errors;

/* Gives standard error back; what was written meanwhile goes into text. */
static void give_errors_back(char *text, size_t size)
{
    size_t length = 0;

    if (taken.error >= 0 && taken.text >= 0) {
        dup2(taken.error, STDERR_FILENO); /* which closes the writing end */
        for (ssize_t got; length + 1 < size && (got = read(taken.text, text + length, size - 1 - length)) > 0;)
            length += (size_t)got;
    }
    if (taken.error >= 0)
        close(taken.error);
    if (taken.text >= 0)
        close(taken.text);
    text[length] = '\0';
}

/* False, and said, where libgomp did not understand a variable. */
static bool threads_are_known(void)
{
    static const char complaint[] = "value for environment variable ";
    char text[4096];

    give_errors_back(text, sizeof text);
    char *name = strstr(text, complaint);
    if (!name) {
        print_message("%s", text);
        return true;
    }
    name += strlen(complaint);
    name[strcspn(name, ":\n")] = '\0';

    const char *const value = getenv(name);

    print_message("ldpbench: %s: expected a value that OpenMP knows%s, got \"%s\"\n", name,
                  strcmp(name, "OMP_NUM_THREADS") == 0 ? ", a number of threads" : "", value ? SHOWN(value) : "");
    return false;
}

/* Where mpirun started several processes: which of them this is, and how many there are. */
static long from_launcher(const char *const *variables, long otherwise)
{
    for (; *variables; variables++) {
        const char *const value = getenv(*variables);

        if (value)
            return strtol(value, NULL, 10);
    }
    return otherwise;
}

static long launched_rank(void)
{
    return from_launcher((const char *const[]){"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", NULL}, 0);
}

#ifndef LDPBENCH_MPI
static long launched_size(void)
{
    return from_launcher((const char *const[]){"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", NULL}, 1);
}
#endif

/* The vector instructions that the environment asks for. A slip in the variable must not be taken for a measurement of
 * what it asks for. */
static bool choose_simd(void)
{
    const char *const asked = getenv("LDPBENCH_SIMD");

    if (!asked || !*asked)
        return true;
    char known[100] = "";
    bool exists = false;
    for (enum ldp_simd level = 0; level < LDP_SIMD_LEVELS; level++) {
        const char *const name = ldp_simd_name(level);
        const bool same = strcmp(asked, name) == 0, available = ldp_simd_available(level);

        if (same && available) {
            ldp_simd_use(level);
            return true;
        }
        exists |= same;
        if (available)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", *known ? ", " : "", name);
    }
    print_message("ldpbench: LDPBENCH_SIMD: expected one of %s, got \"%s\"%s\n", known, SHOWN(asked),
                  exists ? ", which this processor lacks" : "");
    return false;
}

/* If standard input, output or error was closed by the caller, the next file opened would take its number. Input is
 * empty then, and output cannot be written, by /dev/stdout neither. */
static void occupy_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
        if (fcntl(stream, F_GETFD) < 0 && open(stream == STDIN_FILENO ? "/dev/null" : "/dev/full", O_RDONLY) < 0)
            (void)open("/", O_RDONLY);
}

/* A stack that is too small ends in a segmentation fault, wherever that is. */
static bool stack_suffices(void)
{
    enum { LEAST_KIB = 256 };
    struct rlimit stack;
    const size_t of_threads = threads_stack();

    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < LEAST_KIB << 10)
        print_message("ldpbench: expected a stack of at least %d KiB, got %llu (ulimit -s sets it)\n", LEAST_KIB,
                      (unsigned long long)stack.rlim_cur >> 10);
    else if (of_threads > 0 && of_threads < LEAST_KIB << 10)
        print_message("ldpbench: expected stacks of at least %d KiB, got %zu (OMP_STACKSIZE sets those of threads)\n",
                      LEAST_KIB, of_threads >> 10);
    else
        return true;
    return false;
}

static int run_as_rank(int argc, char **argv)
{
    const bool runs = argc > 1 && strcmp(argv[1], "run") == 0;

    /* Only `run` shares its work; of all else there is one. */
    if (!runs && launched_rank() > 0)
        return EXIT_DONE;
#ifndef LDPBENCH_MPI
    if (runs && launched_size() > 1) {
        if (launched_rank() == 0)
            print_message(
                "ldpbench: run: expected one process, got %ld: this program is built without MPI (make mpi)\n",
                launched_size());
        return EXIT_BAD_INPUT;
    }
#endif
    return run_command(argc, argv);
}

int main(int argc, char **argv)
{
    const bool threads = threads_are_known();

    memory_of_libraries();
    occupy_streams();
    if (!stack_suffices())
        return EXIT_MACHINE;
    signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit then fails with a message */
    int status = threads && choose_simd() ? run_as_rank(argc, argv) : EXIT_BAD_INPUT;

    if (status != EXIT_DONE && interruption_signal() != 0) {
        fflush(NULL);
        interruption_raise();
    }

    /* All commands but those that failed already and said so. */
    if ((fflush(stdout) != 0 || ferror(stdout)) && (status == EXIT_DONE || status == EXIT_CHECK_FAILED)) {
        print_message("ldpbench: standard output cannot be written\n");
        status = EXIT_MACHINE;
    }
    ended = true;
    return status;
}
