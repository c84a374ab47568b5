/* program.c - see program.h. */
#include "program.h"
#include "stores.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *program(void)
{
    const char *const path = getenv("LDPBENCH");

    return path ? path : "build/release/ldpbench";
}

static char *slurp(FILE *in)
{
    char *text = NULL;
    size_t room = 0;
    const ssize_t length = getdelim(&text, &room, '\0', in);

    if (length < 0) {
        free(text);
        text = strdup("");
    }
    return text;
}

static char *__attribute__((format(printf, 1, 0))) format_text(const char *format, va_list arguments)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const stream = open_memstream(&text, &size);

    vfprintf(stream, format, arguments);
    fclose(stream);
    return text;
}

/* folder: NULL, or where it runs. */
static struct outcome run_command(const char *folder, const char *command)
{
    FILE *const out = tmpfile(), *const err = tmpfile();

    cr_assert(out && err);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        char *script = NULL;
        size_t size = 0;
        FILE *const stream = open_memstream(&script, &size);

        dup2(fileno(out), STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        fprintf(stream, "ldpbench() { '%s' \"$@\"; }; ", program());
        if (folder)
            fprintf(stream, "cd '%s' && ", folder);
        fputs(command, stream);
        fclose(stream);
        execl("/bin/sh", "sh", "-c", script, (char *)NULL);
        _exit(127);
    }
    int status;
    waitpid(child, &status, 0);
    struct outcome outcome = {0};
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    rewind(out);
    rewind(err);
    outcome.out = slurp(out);
    outcome.err = slurp(err);
    fclose(out);
    fclose(err);
    return outcome;
}

/* Runs what is formatted. good: demands exit status 0. */
static struct outcome __attribute__((format(printf, 3, 0)))
run_list(const char *folder, bool good, const char *format, va_list arguments)
{
    char *const command = format_text(format, arguments);
    const struct outcome outcome = run_command(folder, command);

    if (good)
        cr_assert_eq(outcome.status, 0, "%s: exit status %d: %s", command, outcome.status, outcome.err);
    free(command);
    return outcome;
}

struct outcome run_shell(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const struct outcome outcome = run_list(NULL, false, format, arguments);
    va_end(arguments);
    return outcome;
}

struct outcome shell_in(const char *folder, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    const struct outcome outcome = run_list(folder, false, format, arguments);
    va_end(arguments);
    return outcome;
}

void outcome_free(struct outcome *outcome)
{
    free(outcome->out);
    free(outcome->err);
}

void run_well(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    struct outcome outcome = run_list(NULL, true, format, arguments);
    va_end(arguments);
    outcome_free(&outcome);
}

void run_in(const char *folder, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    struct outcome outcome = run_list(folder, true, format, arguments);
    va_end(arguments);
    outcome_free(&outcome);
}

void expect_said(int status, const char *fragment, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char *const command = format_text(format, arguments);
    va_end(arguments);
    struct outcome outcome = run_command(NULL, command);
    cr_expect_eq(outcome.status, status, "%s: exit status %d: %s%s", command, outcome.status, outcome.out, outcome.err);
    cr_expect(strstr(outcome.out, fragment) || strstr(outcome.err, fragment), "%s: expected \"%s\" in %s%s", command,
              fragment, outcome.out, outcome.err);
    free(command);
    outcome_free(&outcome);
}

void demand_output(const char *folder, const char *command, const char *expected)
{
    struct outcome outcome = shell_in(folder, "%s", command);

    cr_assert_eq(outcome.status, 0, "%s: %s", command, outcome.err);
    cr_expect_str_eq(outcome.out, expected, "%s: %s", command, outcome.out);
    outcome_free(&outcome);
}

bool has_program(const char *name)
{
    struct outcome outcome = run_shell("command -v %s", name);
    const bool found = outcome.status == 0;

    outcome_free(&outcome);
    return found;
}

pid_t start_program(const char *const *words)
{
    const pid_t child = fork();

    cr_assert_geq(child, 0);
    if (child == 0) {
        const int nothing = open("/dev/null", O_WRONLY);

        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        char *argv[32];
        int n = 0;
        argv[n++] = strdup(program());
        while (*words && n < 31)
            argv[n++] = strdup(*words++);
        argv[n] = NULL;
        execv(argv[0], argv);
        _exit(127);
    }
    return child;
}

/* Folders of this test's process. */
enum { FOLDERS = 64 };
static char made[FOLDERS][PATH_ROOM];
static size_t nmade;

static void remove_made(void)
{
    for (size_t i = 0; i < nmade; i++) {
        char command[PATH_ROOM + 16];

        snprintf(command, sizeof command, "rm -rf '%.*s'", PATH_ROOM, made[i]);
        if (system(command) != 0)
            fprintf(stderr, "%s: left behind\n", made[i]);
    }
}

const char *temporary_folder(void)
{
    const char *const base = getenv("TMPDIR");

    cr_assert_lt(nmade, FOLDERS);
    snprintf(made[nmade], PATH_ROOM, "%s/ldpbench-test-XXXXXX", base ? base : "/tmp");
    cr_assert_not_null(mkdtemp(made[nmade]));
    if (nmade == 0)
        atexit(remove_made);
    return made[nmade++];
}

char *read_text(const char *folder, const char *name)
{
    char path[2 * PATH_ROOM];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const in = fopen(path, "rb");
    if (!in)
        return NULL;
    char *const text = slurp(in);
    fclose(in);
    return text;
}

void write_text(const char *folder, const char *name, const char *text)
{
    char path[2 * PATH_ROOM];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *const out = fopen(path, "wb");
    cr_assert_not_null(out, "%s", path);
    fputs(text, out);
    cr_assert_eq(fclose(out), 0);
}

const char *folder_of_errors(const char *table)
{
    const char *const path = temporary_folder();

    run_well("mkdir -p %s/results/r", path);
    write_text(path, "results/r/mse.csv", table);
    write_text(path, "results/r/run.json", "{\"seed\": 7, \"repetitions\": 100}\n");
    char run[2 * PATH_ROOM];
    snprintf(run, sizeof run, "%s/results/r", path);
    store_tables(run);
    return path;
}

const char mse_header[] = "experiment,dataset,d,n,oracle,epsilon,method,query,parameter,repetitions,mse,sd,stderr\n";

bool says(const char *text, const char *fragment)
{
    char *const folded[2] = {strdup(text), strdup(fragment)};

    for (size_t i = 0; i < 2; i++) {
        char *to = folded[i];
        for (const char *from = folded[i]; *from; from++)
            if (!strchr(" \n", *from))
                *to++ = *from;
            else if (to == folded[i] || to[-1] != ' ')
                *to++ = ' ';
        *to = '\0';
    }
    const bool found = strstr(folded[0], folded[1]) != NULL;
    free(folded[0]);
    free(folded[1]);
    return found;
}

void demand_within(const char *folder, const char *name, const char *fragment)
{
    char *const text = read_text(folder, name);

    cr_assert(text, "%s: not there", name);
    cr_assert(strstr(text, fragment), "%s: expected \"%s\" in: %s", name, fragment, text);
    free(text);
}

void demand_absent(const char *folder, const char *name, const char *fragment)
{
    char *const text = read_text(folder, name);

    cr_assert(text, "%s: not there", name);
    cr_assert_not(strstr(text, fragment), "%s: did not expect \"%s\" in: %s", name, fragment, text);
    free(text);
}

void write_table(const char *folder, const char *name, const char *header, const char *rows)
{
    const size_t size = strlen(header) + strlen(rows) + 1;
    char *const table = malloc(size), path[2 * PATH_ROOM];

    snprintf(table, size, "%s%s", header, rows);
    write_text(folder, name, table);
    snprintf(path, sizeof path, "%s/run.json", folder);
    if (access(path, F_OK) != 0)
        write_text(folder, "run.json", "{}\n");
    store_tables(folder);
    free(table);
}

void demand_pictures_well_formed(const char *folder)
{
    if (has_program("xmllint"))
        run_well("xmllint --noout '%s'/*.svg", folder);
}

void demand_same(const char *folder_a, const char *folder_b, const char *name)
{
    char *const a = read_text(folder_a, name), *const b = read_text(folder_b, name);

    cr_assert(a && b && *a, "%s is missing or empty in %s or %s", name, folder_a, folder_b);
    cr_assert(strcmp(a, b) == 0, "%s differs between %s and %s", name, folder_a, folder_b);
    free(a);
    free(b);
}

static size_t list_tables(const char *folder, const char *name, glob_t *tables)
{
    char pattern[2 * PATH_ROOM];

    snprintf(pattern, sizeof pattern, "%s/%s/*.csv", folder, name);
    return glob(pattern, 0, NULL, tables) == 0 ? tables->gl_pathc : 0;
}

void demand_same_tables(const char *folder, const char *a, const char *b)
{
    char path_a[2 * PATH_ROOM];
    glob_t tables_a;
    const size_t n = list_tables(folder, a, &tables_a);

    snprintf(path_a, sizeof path_a, "%s/%s", folder, a);
    char path_b[2 * PATH_ROOM];
    snprintf(path_b, sizeof path_b, "%s/%s", folder, b);
    cr_assert_gt(n, 0, "%s has no tables", path_a);
    glob_t tables_b;
    cr_assert_eq(list_tables(folder, b, &tables_b), n, "%s and %s have not the same tables", path_a, path_b);
    for (size_t i = 0; i < n; i++)
        demand_same(path_a, path_b, strrchr(tables_a.gl_pathv[i], '/') + 1);
    globfree(&tables_a);
    globfree(&tables_b);
}

void demand_failure(int status, const char *fragment, const char *format, ...)
{
    va_list arguments;
    char *command = NULL;
    size_t size = 0;
    FILE *const text = open_memstream(&command, &size);

    va_start(arguments, format);
    vfprintf(text, format, arguments);
    va_end(arguments);
    fclose(text);
    struct outcome outcome = run_shell("%s", command);
    const size_t length = strlen(outcome.err);

    cr_assert_eq(outcome.status, status, "%s: exit status %d: %s", command, outcome.status, outcome.err);
    cr_assert(length > 0 && strchr(outcome.err, '\n') == outcome.err + length - 1, "%s: expected one line, got: %s",
              command, outcome.err);
    cr_assert(strstr(outcome.err, fragment), "%s: expected \"%s\" in: %s", command, fragment, outcome.err);
    cr_assert_str_empty(outcome.out, "%s: wrote %s", command, outcome.out);
    outcome_free(&outcome);
    free(command);
}

void say_skipped(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    char why[400];
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    fprintf(stderr, "[SKIP] %s::%s: %s\n", criterion_current_test->category, criterion_current_test->name, why);
}
