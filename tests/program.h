/* program.h - running the program from tests, and the temporary folders for it. */
#ifndef LDPBENCH_TESTS_PROGRAM_H
#define LDPBENCH_TESTS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { PATH_ROOM = 512 };

struct outcome {
    int status; /* exit status, or 128 + the signal that ended it */
    char *out, *err;
};

/* Runs the shell command, in which `ldpbench` is the program under test (environment variable LDPBENCH). */
struct outcome run_shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
void outcome_free(struct outcome *outcome);

/* Runs the shell command and demands exit status 0. */
void run_well(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same two in a folder. */
struct outcome shell_in(const char *folder, const char *format, ...) __attribute__((format(printf, 2, 3)));
void run_in(const char *folder, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Runs the shell command and expects an exit status and a fragment of what it says, on standard output or error. */
void expect_said(int status, const char *fragment, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Runs the shell command and demands an exit status, one line on standard error with the fragment, nothing on standard
 * output. */
void demand_failure(int status, const char *fragment, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Demands what is on standard output of a shell command in a folder, and that it ends well. */
void demand_output(const char *folder, const char *command, const char *expected);

/* Whether the machine has a program. */
bool has_program(const char *name);

/* The path of the program under test. */
const char *program(void);

/* The program with these words, started in the background (its output thrown away). */
pid_t start_program(const char *const *words);

/* A new folder below the system's temporary one; it is removed when the test's process ends well. */
const char *temporary_folder(void);

/* A test in such a folder: `folder` in its body. */
#define FolderTest(...)                                                                                                \
    static void IN_FOLDER(__VA_ARGS__, 0)(const char *folder);                                                         \
    Test(__VA_ARGS__)                                                                                                  \
    {                                                                                                                  \
        IN_FOLDER(__VA_ARGS__, 0)(temporary_folder());                                                                 \
    }                                                                                                                  \
    static void IN_FOLDER(__VA_ARGS__, 0)(const char *folder)
#define IN_FOLDER(suite, name, ...) suite##_##name##_in

/* A new temporary folder with results/r: that table as mse.csv, of 100 repetitions. */
const char *folder_of_errors(const char *table);

/* A whole file as text, or NULL if there is none; malloc'd. */
char *read_text(const char *folder, const char *name);
void write_text(const char *folder, const char *name, const char *text);

/* Whether a text says so, wherever its lines are broken. */
bool says(const char *text, const char *fragment);

/* Demands that a file is there and has the text, or has it not. */
void demand_within(const char *folder, const char *name, const char *fragment);
void demand_absent(const char *folder, const char *name, const char *fragment);

/* Demands that a file is the same, byte for byte, in two folders; that all tables (*.csv) of folder/a and folder/b are.
 */
void demand_same(const char *folder_a, const char *folder_b, const char *name);
void demand_same_tables(const char *folder, const char *a, const char *b);

/* A result folder with a table: the line of its columns, and the lines of its rows. */
void write_table(const char *folder, const char *name, const char *header, const char *rows);

/* The columns of mse.csv. */
extern const char mse_header[];

/* Demands that all pictures of a folder are well-formed, where xmllint is there. */
void demand_pictures_well_formed(const char *folder);

/* Skips the test that runs, and says which and why on standard error: Criterion keeps quiet about it. */
#define skip_test(...) (say_skipped(__VA_ARGS__), cr_skip(__VA_ARGS__))
void say_skipped(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
