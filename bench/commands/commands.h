/* commands.h - the program's commands. Each takes its own argument vector (argv[0] is the command) and returns the exit
 * status of the program. */
#ifndef LDPBENCH_COMMANDS_H
#define LDPBENCH_COMMANDS_H

#include "support/failure.h"

#include <stddef.h>

struct command {
    const char *name;
    const char *usage; /* after "ldpbench NAME " */
    const char *help;
    int (*run)(int argc, char **argv);
};

extern const struct command commands[]; /* ends with a NULL name */

/* Prints the failure as one line on standard error, nothing where its status is EXIT_DONE, and returns its status. */
int say_failure(const struct failure *failure);

/* Prints the usage of one command. 0, or -1 with the failure told: there is none of that name. */
int print_command_help(const char *name, struct failure *failure);

/* getopt_long with the program's way of saying what is wrong: the option, OPTIONS_END after the last one, or
 * OPTIONS_WRONG with the failure told. A word that begins with -- is no value of the option before it. --help and -h
 * print the help of the command argv[0] and are OPTIONS_WRONG with a failure of status EXIT_DONE. Operands may stand
 * anywhere; afterwards they are argv[optind..argc-1]. */
enum { OPTIONS_END = -1, OPTIONS_WRONG = -2 };
struct option;
int next_option(int argc, char **argv, const char *letters, const struct option *options, struct failure *failure);

/* Option texts: whole numbers in a range, exactly. 0, or -1 with the failure told. */
int read_whole(const char *option, const char *text, unsigned long long min, unsigned long long max,
               unsigned long long *out, struct failure *failure);

/* A finite decimal number; one between 0 and 1, both excluded. */
int read_real(const char *option, const char *text, double *out, struct failure *failure);
int read_level(const char *option, const char *text, double *out, struct failure *failure);

/* A number of threads. */
int read_threads(const char *text, int *out, struct failure *failure);

/* One word of a NULL-terminated list: its index. */
int read_word(const char *option, const char *text, const char *const *words, size_t *out, struct failure *failure);

/* Prints a JSON tree and frees it. 0, or -1 with the failure told. */
struct cJSON;
int print_tree(struct cJSON *root, struct failure *failure);

/* Draws the pictures of result folders as SVG. 0, or -1 with the failure told. */
int draw_folders(char *const *folder, size_t count, struct failure *failure);

int command_run(int argc, char **argv);
int command_list(int argc, char **argv);
int command_describe(int argc, char **argv);
int command_postprocess(int argc, char **argv);
int command_plot(int argc, char **argv);
int command_check(int argc, char **argv);
int command_recommend(int argc, char **argv);
int command_report(int argc, char **argv);

#endif
