/* commands.h - what a command is, and what commands share: options, their values, and messages about them.
 *
 * A command is bench/commands/NAME.c with a `const struct command command_NAME`, and its line in commands.def. Its
 * table of options is how the command line is read, what --help and the manual explain, and what completions offer. */
#ifndef LDPBENCH_COMMANDS_H
#define LDPBENCH_COMMANDS_H

#include "support/document.h"
#include "support/failure.h"
#include "support/limits.h"
#include "support/names.h"
#include "support/text.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Kinds of completion. */
enum takes { TAKES_ANYTHING, TAKES_FILES, TAKES_FOLDERS };

struct command_option;

/* How a value is read into a member of the command's request, which completions and the manual say too. */
struct option_kind {
    int (*read)(const struct command_option *option, const char *text, void *member, struct failure *failure);
    double least, most;                     /* of numbers */
    size_t size;                            /* of the member of a whole number */
    bool again;                             /* may be given again, to add */
    const char *const *words;               /* its values, NULL-terminated */
    void (*names)(const char *[NAMES_MAX]); /* or these */
    enum takes takes;                       /* or these */
};

/* A row of a command's table: name, value, a kind with its member, help. The table's file defines REQUEST, the struct
 * that read_options fills. */
struct command_option {
    const char *name;  /* --name; NULL ends a table */
    const char *value; /* what it takes, in capitals; NULL: nothing */
    struct option_kind kind;
    size_t member;    /* its offset */
    const char *help; /* sentences for --help and the manual, with the default */
    char letter;      /* of a short form; 0: there is none */
};

struct command {
    const char *name;
    const char *operands;    /* "CONFIG..." */
    const char *summary;     /* one line */
    const char *examples[2]; /* command lines without "ldpbench ", which --help begins with */
    const char *about; /* paragraphs with an empty line between, for help and the manual; NULL: the summary is all */
    const struct command_option *options;
    void (*names)(const char *[NAMES_MAX]); /* what operands may be */
    enum takes takes;
    /* argv[0] is the command; returns the exit status of the program, or -1 with the failure set. */
    int (*run)(int argc, char **argv, struct failure *failure);
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

/* Reads all options of a command into its request. A word that begins with -- is no value of the option before it.
 * --help and -h print the help of the command and are a failure of status EXIT_DONE. Operands may be anywhere;
 * afterwards they are argv[optind..argc-1]. */
int read_options(const struct command *command, int argc, char **argv, void *request, struct failure *failure);

/* Whether the command line that was read has an option. */
bool option_given(const struct command *command, const char *name);

/* Readers of kinds, each for one type of member. */
typedef int option_reader(const struct command_option *option, const char *text, void *member, struct failure *failure);
option_reader option_flag, option_whole, option_between, option_text, option_output, option_word, option_add;

/* Where a member is, which must have that type. */
#define MEMBER(member_, type)                                                                                          \
    (offsetof(REQUEST, member_) + 0 * sizeof(&((const REQUEST *)NULL)->member_ == (type *)NULL))

/* Kinds: a flag without a value; a finite number > 0, from one > 0 to another, > 0 and < 1; a whole number, also as
 * 1e5; users; a seed; a text; the name of a file or folder; a word of a list, by its index; texts that are added. */
#define FLAG(member_) .kind = {.read = option_flag}, .member = MEMBER(member_, bool)
#define POSITIVE(member_) BETWEEN(member_, 0, INFINITY)
#define BETWEEN(member_, least_, most_)                                                                                \
    .kind = {.read = option_between, .least = (least_), .most = (most_)}, .member = MEMBER(member_, double)
#define LEVEL(member_) BETWEEN(member_, 0, 1 - DBL_EPSILON / 2)
#define WHOLE(member_, least_, most_)                                                                                  \
    .kind = {.read = option_whole,                                                                                     \
             .least = (double)(least_),                                                                                \
             .most = (double)(most_),                                                                                  \
             .size = _Generic(((const REQUEST *)NULL)->member_, int : 4, uint32_t : 4, uint64_t : 8)},                 \
    .member = offsetof(REQUEST, member_)
#define USERS(member_) WHOLE(member_, 1, LDP_USERS_MAX)
#define SEED(member_) WHOLE(member_, 0, LDP_USERS_MAX)
#define TEXT_OF(member_) .kind = {.read = option_text}, .member = MEMBER(member_, const char *)
#define FILE_OF(member_) .kind = {.read = option_output, .takes = TAKES_FILES}, .member = MEMBER(member_, const char *)
#define FOLDER_OF(member_)                                                                                             \
    .kind = {.read = option_output, .takes = TAKES_FOLDERS}, .member = MEMBER(member_, const char *)
#define WORD_OF(member_, words_) .kind = {.read = option_word, .words = (words_)}, .member = MEMBER(member_, unsigned)
#define NAME_OF(member_, names_)                                                                                       \
    .kind = {.read = option_text, .names = (names_)}, .member = MEMBER(member_, const char *)
#define SEVERAL(member_, names_)                                                                                       \
    .kind = {.read = option_add, .again = true, .names = (names_)}, .member = MEMBER(member_, struct texts)
/* A number that a function of the command reads. */
#define READ_BY(member_, read_) .kind = {.read = (read_)}, .member = MEMBER(member_, double)

/* Rows of options that commands share. */
#define OPTION_SHEET                                                                                                   \
    {                                                                                                                  \
        "format", "FORMAT", WORD_OF(format, sheet_words), "How to print. Default text."                                \
    }
#define OPTION_THREADS(member_)                                                                                        \
    {                                                                                                                  \
        "threads", "N", WHOLE(member_, 1, THREADS_MAX),                                                                \
            "Threads. Default: all processors. Results do not depend on their number.", 'j'                            \
    }
extern const char *const sheet_words[]; /* formats of what prints by sheets (support/sheet.h) */

/* Texts of values. 0, or -1 with the failure set. Whole numbers in a range, also as 1e5: */
int read_whole(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *out,
               struct failure *failure);

/* A finite decimal number. */
int read_real(const char *option, const char *text, double *out, struct failure *failure);

/* One word of a NULL-terminated list: its index. */
int read_word(const char *option, const char *text, const char *const *words, size_t *out, struct failure *failure);

/* ---- Commands explained ---- */

/* NULL if there is none of that name. */
const struct command *command_find(const char *name);

/* Their names, NULL-terminated. */
void command_names(const char *names[NAMES_MAX]);

/* Usage, what it does, and every option with all of its explanation; examples, and every option in a sentence; all
 * commands, a line each. */
void print_command_help(const struct command *command, FILE *out);
void print_short_help(const struct command *command, FILE *out);
void print_program_help(FILE *out);

/* Prints the words that may follow on a command line, one a line: the options of a command; the values of one of its
 * options, or of its operands where option is NULL. A line `<files>` or `<folders>` means any of those. An option of
 * values is named without dashes (output, o); an unknown one has none. */
void print_options(const struct command *command, FILE *out);
void print_values(const struct command *command, const char *option, FILE *out);

/* ---- What commands share ---- */

/* The name of a file without its folders. */
const char *path_base(const char *path);

/* The folder that holds plots/ and papers/: the one that LDPBENCH_SHARE names, beside the sources that the program was
 * built in, or where it was installed. Malloc'd; NULL if it is not found. */
char *share_folder(void);

/* Runs a config that a command made, into a folder that gets it as config.json, as `run CONFIG -o FOLDER
 * --allow-external` does, and prints progress alone. Messages on the config begin with the command's name. A new folder
 * is removed where nothing was measured. passing: it goes when the program ends. */
struct cJSON;
int run_made(const char *command, const struct cJSON *config, const char *folder, bool passing, int threads,
             struct failure *failure);

/* For list: describes data, a file or a law; prints a folder's tables or a row's repetitions as JSON: DIR [TABLE ROW].
 */
int list_data(const char *spec, struct failure *failure);
int list_results(int count, char **words, struct failure *failure);

/* Draws the pictures of result folders as SVG. 0, or -1 with the failure set. */
int draw_folders(char *const *folder, size_t count, struct failure *failure);

#endif
