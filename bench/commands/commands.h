/* commands.h - what a command is, and what commands share: options, their values, and messages about them.
 *
 * A command is bench/commands/NAME.c with a `const struct command command_NAME`, and its line in commands.def. Its
 * table of options is how the command line is read, what --help and the manual explain, and what completions offer. */
#ifndef LDPBENCH_COMMANDS_H
#define LDPBENCH_COMMANDS_H

#include "support/document.h"
#include "support/failure.h"
#include "support/names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kinds of completion. */
enum takes { TAKES_ANYTHING, TAKES_FILES, TAKES_FOLDERS };

struct command_option {
    const char *name;  /* --name; NULL ends a table */
    int code;          /* what next_option returns: the letter of a short form, or a number above 255 */
    const char *value; /* what it takes, in capitals; NULL: nothing */
    const char *help;  /* sentences for --help and the manual, with the default */
    bool required;
    bool again;                             /* may be given again, to add */
    const char *const *words;               /* its values, NULL-terminated */
    void (*names)(const char *[NAMES_MAX]); /* or these */
    enum takes takes;                       /* or these */
};

struct command {
    const char *name;
    const char *operands;    /* "CONFIG..." */
    const char *summary;     /* one line */
    const char *examples[2]; /* command lines without "ldpbench ", which --help begins with */
    const char *about; /* paragraphs with an empty line between, for help and the manual; NULL: the summary is all */
    const struct command_option *options;
    const char *const *words; /* what operands may be */
    void (*names)(const char *[NAMES_MAX]);
    enum takes takes;
    int (*run)(int argc, char **argv); /* argv[0] is the command; returns the exit status of the program */
};

extern const struct command *const commands[]; /* NULL-terminated */

#define COMMAND(id) extern const struct command command_##id;
#include "commands/commands.def"
#undef COMMAND

/* Prints the failure as one line on standard error, nothing where its status is EXIT_DONE, and returns its status. */
int say_failure(const struct failure *failure);

/* Of a message on a config that nobody wrote: the command in place of file and line. */
void failure_name(struct failure *failure, const char *file, const char *command);

/* Fails with `OPTION: expected WHAT, got "TEXT"` and the nearest name of the list. */
int unknown_name(const char *option, const char *what, const char *text, const char *const *names,
                 struct failure *failure);

/* ---- Options ---- */

/* Reads the next option of a command: its code with its value in optarg, OPTIONS_END after the last one, or
 * OPTIONS_WRONG with the failure set. A word that begins with -- is no value of the option before it. --help and -h
 * print the help of the command and are OPTIONS_WRONG with a failure of status EXIT_DONE. Operands may be anywhere;
 * afterwards they are argv[optind..argc-1]. */
enum { OPTIONS_END = -1, OPTIONS_WRONG = -2 };
int next_option(const struct command *command, int argc, char **argv, struct failure *failure);

/* Option texts. 0, or -1 with the failure set. Whole numbers in a range, also as 1e5: */
int read_whole(const char *option, const char *text, unsigned long long min, unsigned long long max,
               unsigned long long *out, struct failure *failure);

/* A finite decimal number; one between 0 and 1, both excluded. */
int read_real(const char *option, const char *text, double *out, struct failure *failure);
int read_level(const char *option, const char *text, double *out, struct failure *failure);

/* --seed; --epsilon, > 0; --n, users; -j. */
int read_seed(const char *text, unsigned long long *seed, struct failure *failure);
int read_epsilon(const char *text, double *epsilon, struct failure *failure);
int read_users(const char *text, uint64_t *n, struct failure *failure);
int read_threads(const char *text, int *out, struct failure *failure);

/* One word of a NULL-terminated list: its index. */
int read_word(const char *option, const char *text, const char *const *words, size_t *out, struct failure *failure);

/* A file or folder that is to be written: a name that is not empty. */
int read_output(const char *option, const char *text, const char **out, struct failure *failure);

/* --format, of what prints by sheets (support/sheet.h). */
extern const char *const sheet_words[];
int read_sheet_format(const char *text, enum format *out, struct failure *failure);

/* Rows of options that commands share. */
#define OPTION_SHEET(code_)                                                                                            \
    {                                                                                                                  \
        .name = "format", .code = (code_), .value = "FORMAT", .words = sheet_words,                                    \
        .help = "How to print. Default text."                                                                          \
    }
#define OPTION_SEED(code_)                                                                                             \
    {                                                                                                                  \
        .name = "seed", .code = (code_), .value = "N", .help = "Default 1."                                            \
    }
#define OPTION_THREADS                                                                                                 \
    {                                                                                                                  \
        .name = "threads", .code = 'j', .value = "THREADS",                                                            \
        .help = "Threads; default: all processors. Results do not depend on their number."                             \
    }

/* ---- What commands share ---- */

/* The folder that holds plots/ and papers/: the one that LDPBENCH_SHARE names, beside the sources that the program was
 * built in, or where it was installed. Malloc'd; NULL if it is not found. */
char *share_folder(void);

/* Draws the pictures of result folders as SVG. 0, or -1 with the failure set. */
int draw_folders(char *const *folder, size_t count, struct failure *failure);

#endif
