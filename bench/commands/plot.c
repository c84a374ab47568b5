/* plot.c - ldpbench plot: hands result folders to the plotting scripts, which need gnuplot. */
#include "commands/commands.h"
#include "support/text.h"
#include "version.h"

#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *existing(char *path)
{
    if (path && access(path, R_OK) == 0)
        return path;
    free(path);
    return NULL;
}

/* plots/plot.sh: where LDPBENCH_SHARE says, beside the sources that the program was built in, or where it was
 * installed. Malloc'd; NULL if it is in none of them. */
static char *find_script(void)
{
    const char *share = getenv("LDPBENCH_SHARE");
    char self[4096], *script = NULL;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

    if (share)
        return existing(text_format("%s/plots/plot.sh", share));
    if (length > 0) {
        self[length] = '\0';
        script = existing(text_format("%s/../../plots/plot.sh", dirname(self)));
    }
    return script ? script : existing(text_format("%s/plots/plot.sh", LDPBENCH_SHARE_FOLDER));
}

static int run_script(const char *script, const char *folder, const char *format, struct failure *failure)
{
    pid_t child = fork();
    int status;

    if (child < 0)
        return fail(failure, EXIT_MACHINE, "plot: %s", strerror(errno));
    if (child == 0) {
        execlp("sh", "sh", script, folder, format, (char *)NULL);
        _exit(127);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fail(failure, EXIT_MACHINE, "plot: %s", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 127)
        return fail(failure, EXIT_MACHINE, "plot: %s did not run to its end", script);
    if (WEXITSTATUS(status) != 0)
        return fail(failure, WEXITSTATUS(status) == EXIT_BAD_INPUT ? EXIT_BAD_INPUT : EXIT_MACHINE,
                    "%s: could not be plotted (see above)", folder);
    return 0;
}

static int check_folder(const char *folder, struct failure *failure)
{
    char *run_file = text_format("%s/run.json", folder);
    bool there = run_file && access(run_file, R_OK) == 0;

    free(run_file);
    return there ? 0 : fail(failure, EXIT_BAD_INPUT, "%s: expected a result folder (with run.json), got none", folder);
}

int draw_folders(char *const *folder, size_t count, const char *format, struct failure *failure)
{
    char *script;
    int result = 0;

    for (size_t i = 0; i < count; i++)
        if (check_folder(folder[i], failure) != 0)
            return -1;
    script = find_script();
    if (!script)
        return fail(failure, EXIT_MACHINE,
                    "plot: plots/plot.sh is not where it was installed; LDPBENCH_SHARE can name its folder");
    for (size_t i = 0; result == 0 && i < count; i++)
        result = run_script(script, folder[i], format, failure);
    free(script);
    return result;
}

int command_plot(int argc, char **argv)
{
    static const struct option options[] = {{"format", required_argument, NULL, 'f'}, {NULL, 0, NULL, 0}};
    static const char *const formats[] = {"svg", "pdf", "png", NULL};
    size_t format = 0;
    struct failure failure;
    int option;

    while ((option = next_option(argc, argv, "", options, &failure)) != OPTIONS_END) {
        if (option == OPTIONS_WRONG)
            return say_failure(&failure);
        if (read_word("--format", optarg, formats, &format, &failure) != 0)
            return say_failure(&failure);
    }
    if (optind == argc) {
        fail(&failure, EXIT_BAD_INPUT, "plot: expected a result folder, got none");
        return say_failure(&failure);
    }
    return draw_folders(argv + optind, (size_t)(argc - optind), formats[format], &failure) == 0 ? EXIT_DONE
                                                                                                : say_failure(&failure);
}
