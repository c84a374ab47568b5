/* commands.c - see commands.h: what commands share. */
#include "commands/commands.h"

#include "commands/help.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMAND(id) &command_##id,
const struct command *const commands[] = {
#include "commands/commands.def"
    NULL};
#undef COMMAND

int say_failure(const struct failure *failure)
{
    if (failure->status != EXIT_DONE)
        print_message("ldpbench: %s\n", failure->text);
    return (int)failure->status;
}

void failure_name(struct failure *failure, const char *file, const char *command)
{
    const size_t length = strlen(file);

    if (strncmp(failure->text, file, length) != 0 || failure->text[length] != ':')
        return;
    const char *const rest = failure->text + length + strspn(failure->text + length, ":0123456789 ");
    char *const text = xformat("%s: %s", command, rest);
    fail(failure, failure->status, "%s", text);
    free(text);
}

const char *path_base(const char *path)
{
    const char *const slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

int unknown_name(const char *option, const char *what, const char *text, const char *const *names,
                 struct failure *failure)
{
    const char *const nearest = name_nearest(text, names);

    return fail(failure, EXIT_BAD_INPUT, "%s: expected %s, got \"%s\"%s%s%s", option, what, SHOWN(text),
                nearest ? ", did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

/* ---- Options ---- */

enum { OPTIONS_MAX = 40 };

enum { BY_NAME = 256 }; /* plus the row: the code of a long option */

/* The table as getopt_long takes it. */
static void getopt_tables(const struct command_option *options, struct option longs[OPTIONS_MAX],
                          char letters[2 * OPTIONS_MAX + 2])
{
    size_t n = 0;

    *letters++ = ':'; /* a missing value is then distinguished from an unknown option */
    for (; options && options[n].name; n++) {
        assert(n + 1 < OPTIONS_MAX);
        longs[n] = (struct option){options[n].name, options[n].value ? required_argument : no_argument, NULL,
                                   BY_NAME + (int)n};
        if (options[n].letter) {
            *letters++ = options[n].letter;
            if (options[n].value)
                *letters++ = ':';
        }
    }
    longs[n] = (struct option){0};
    *letters = '\0';
}

/* The row of an option that was found, by its code. */
static size_t row_of(const struct command_option *options, int code)
{
    size_t i = 0;

    while (code < BY_NAME && options[i].letter != code)
        i++;
    return code < BY_NAME ? i : (size_t)code - BY_NAME;
}

/* What was an option and is now given with the data; NULL: nothing. */
static const char *form_of_data(const struct command *command, const char *word)
{
    static const char *const forms[][2] = {
        {"--length", "length=20"},      {"--alphabet", "alphabet=a-z"}, {"--known", "known=12"},
        {"--hash", "hash=64"},          {"--bits", "bits=16"},          {"--columns", "columns=a, b"},
        {"--bins", "bins=10"},          {"--other", "other=10"},        {"--missing", "missing=-9"},
        {"--full-range", "full_range"}, {"--no-header", "no_header"}};

    for (size_t i = 0; strstr(command->operands, "DATA") && i < sizeof forms / sizeof *forms; i++)
        if (strcmp(word, forms[i][0]) == 0)
            return forms[i][1];
    return NULL;
}

static void unknown_option(const struct command *command, const char *word, struct failure *failure)
{
    const char *names[OPTIONS_MAX + 1];
    size_t count = 0;
    for (const struct command_option *option = command->options; option && option->name; option++)
        names[count++] = option->name;
    names[count++] = "help";
    names[count] = NULL;

    char *const name = xstrndup(word, strcspn(word, "="));
    const char *const nearest = strncmp(name, "--", 2) == 0 ? name_nearest(name + 2, names) : NULL;
    const char *const form = form_of_data(command, name);
    free(name);
    if (form)
        fail(failure, EXIT_BAD_INPUT, "%s: %s is now given with the data: 'FILE(%s)'", command->name, SHOWN(word),
             form);
    else if (nearest)
        fail(failure, EXIT_BAD_INPUT, "%s: unknown option \"%s\", did you mean \"--%s\"?", command->name, SHOWN(word),
             nearest);
    else
        fail(failure, EXIT_BAD_INPUT, "%s: unknown option \"%s\"; see ldpbench %s --help", command->name, SHOWN(word),
             command->name);
}

static bool given[OPTIONS_MAX]; /* rows of the command line that is read */

bool option_given(const struct command *command, const char *name)
{
    for (size_t i = 0; command->options[i].name; i++)
        if (strcmp(command->options[i].name, name) == 0)
            return given[i];
    return false;
}

/* Fails if a required option was not given. */
static int check_required(const struct command *command, struct failure *failure)
{
    for (size_t i = 0; command->options && command->options[i].name; i++) {
        const struct command_option *const option = &command->options[i];

        if (option->required && !given[i])
            return fail(failure, EXIT_BAD_INPUT, "%s: missing option --%s %s (%c%.*s)", command->name, option->name,
                        option->value, tolower((unsigned char)*option->help), (int)strcspn(option->help, ".") - 1,
                        option->help + 1);
    }
    return 0;
}

/* Whether the word is a long option that is not written out: getopt_long takes any beginning of its name, so that a
 * new option would change what others mean. */
static bool is_shortened(const char *word, const char *name)
{
    return strncmp(word, "--", 2) == 0 && (strncmp(word + 2, name, strlen(name)) != 0 ||
                                           (word[2 + strlen(name)] != '\0' && word[2 + strlen(name)] != '='));
}

/* The row of the next option, with its value in optarg; OPTIONS_END, OPTIONS_WRONG with the failure set. */
enum { OPTIONS_END = -1, OPTIONS_WRONG = -2 };
static int next_option(const struct command *command, int argc, char **argv, struct failure *failure)
{
    struct option longs[OPTIONS_MAX];
    char letters[2 * OPTIONS_MAX + 2];
    const int at = optind > 0 ? optind : 1;

    getopt_tables(command->options, longs, letters);
    opterr = 0;
    if (optind <= 1)
        memset(given, 0, sizeof given);

    const int found = getopt_long(argc, argv, letters, longs, NULL);

    if (found == -1)
        return check_required(command, failure) == 0 ? OPTIONS_END : OPTIONS_WRONG;

    const char *const word = argv[optind > at ? optind - 1 : at];

    if (found == '?' && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
        print_short_help(command, stdout);
        fail(failure, EXIT_DONE, "help was asked for");
    } else if (found == '?') {
        unknown_option(command, word, failure);
    } else if (found == ':') {
        fail(failure, EXIT_BAD_INPUT, "%s: option %s: missing value", command->name, SHOWN(word));
    } else if (optarg == word && strncmp(word, "--", 2) ==
                                     0) { /* the value was probably forgotten; --option=--value gives such a value */
        fail(failure, EXIT_BAD_INPUT, "%s: option %s: expected a value, got \"%s\"", command->name,
             SHOWN(argv[optind - 2]), SHOWN(word));
    } else {
        const size_t row = row_of(command->options, found);
        const char *const option = optarg == word ? argv[optind - 2] : word;

        if (is_shortened(option, command->options[row].name)) {
            unknown_option(command, option, failure);
            return OPTIONS_WRONG;
        }
        if (!given[row] || !command->options[row].value || command->options[row].kind.again) {
            given[row] = true;
            return (int)row;
        }
        fail(failure, EXIT_BAD_INPUT, "%s: option --%s: expected it once, got it twice", command->name,
             command->options[row].name);
    }
    return OPTIONS_WRONG;
}

int read_options(const struct command *command, int argc, char **argv, void *request, struct failure *failure)
{
    for (int row; (row = next_option(command, argc, argv, failure)) != OPTIONS_END;) {
        if (row == OPTIONS_WRONG)
            return -1;
        const struct command_option *const option = &command->options[row];
        if (option->kind.read(option, optarg, (char *)request + option->member, failure) != 0)
            return -1;
    }
    return 0;
}

/* ---- Values ---- */

int read_whole(const char *option, const char *text, uint64_t min, uint64_t max, uint64_t *out, struct failure *failure)
{
    bool whole;

    errno = 0;
    if (text[strspn(text, "0123456789")] == '\0') {
        *out = strtoull(text, NULL, 10);
        whole = *text && errno == 0;
    } else { /* 1e5 */
        const double number = text_number(text);
        whole = number >= 0 && number <= WHOLE_MAX && floor(number) == number &&
                strtold(text, NULL) == (long double)number; /* not 2^53 + 0.5 */
        *out = whole ? (uint64_t)number : 0;
    }
    if (!whole || *out < min || *out > max)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected an integer from %" PRIu64 " to %" PRIu64 ", got \"%s\"",
                    option, min, max, SHOWN(text));
    return 0;
}

int read_real(const char *option, const char *text, double *out, struct failure *failure)
{
    const char *const end = parse_number(text, out);

    return end && !*end ? 0 : fail(failure, EXIT_BAD_INPUT, "%s: expected a number, got \"%s\"", option, SHOWN(text));
}

int read_word(const char *option, const char *text, const char *const *words, size_t *out, struct failure *failure)
{
    char expected[200] = "";

    for (size_t i = 0; words[i]; i++) {
        const size_t length = strlen(expected);

        if (strcmp(words[i], text) == 0) {
            *out = i;
            return 0;
        }
        snprintf(expected + length, sizeof expected - length, "%s%s",
                 i == 0         ? ""
                 : words[i + 1] ? ", "
                                : " or ",
                 words[i]);
    }
    return fail(failure, EXIT_BAD_INPUT, "%s: expected %s, got \"%s\"", option, expected, SHOWN(text));
}

const char *const sheet_words[] = {
    [TEXT] = "text", [MARKDOWN] = "md", [JSON] = "json", [LATEX] = "latex", [CSV] = "csv", NULL};

/* ---- Kinds of options ---- */

/* "--name", for messages. */
enum { OPTION_TEXT = 40 };
static const char *dashed(const struct command_option *option, char text[OPTION_TEXT])
{
    snprintf(text, OPTION_TEXT, "--%s", option->name);
    return text;
}
#define DASHED(option) dashed((option), (char[OPTION_TEXT]){0})

int option_flag(const struct command_option *option, const char *text, void *member, struct failure *failure)
{
    *(bool *)member = true;
    return 0;
}

int option_whole(const struct command_option *option, const char *text, void *member, struct failure *failure)
{
    const struct option_kind *const kind = &option->kind;
    const uint64_t most = kind->most < 0x1p64 ? (uint64_t)kind->most : UINT64_MAX;
    uint64_t number;

    if (read_whole(DASHED(option), text, (uint64_t)kind->least, most, &number, failure) != 0)
        return -1;
    if (kind->size == sizeof(uint32_t))
        *(uint32_t *)member = (uint32_t)number;
    else
        *(uint64_t *)member = number;
    return 0;
}

int option_between(const struct command_option *option, const char *text, void *member, struct failure *failure)
{
    const double least = option->kind.least, most = option->kind.most;
    char range[RANGE_TEXT];
    double number;

    if (read_real(DASHED(option), text, &number, failure) != 0)
        return -1;
    *(double *)member = number;
    if (number > 0 && number >= least && number <= most)
        return 0;
    return fail(failure, EXIT_BAD_INPUT, "--%s: expected %s, got \"%s\"", option->name,
                format_range(false, fmax(least, DBL_MIN), most, range), SHOWN(text));
}

int option_text(const struct command_option *option, const char *text, void *member, struct failure *failure)
{
    *(const char **)member = text;
    return 0;
}

int option_output(const struct command_option *option, const char *text, void *member, struct failure *failure)
{
    *(const char **)member = text;
    return *text ? 0
                 : fail(failure, EXIT_BAD_INPUT, "--%s: expected a file or folder, got an empty name", option->name);
}

int option_word(const struct command_option *option, const char *text, void *member, struct failure *failure)
{
    size_t word = 0;

    if (read_word(DASHED(option), text, option->kind.words, &word, failure) != 0)
        return -1;
    *(unsigned *)member = (unsigned)word;
    return 0;
}

int option_add(const struct command_option *option, const char *text, void *member, struct failure *failure)
{
    texts_copy(member, &text, 1);
    return 0;
}
