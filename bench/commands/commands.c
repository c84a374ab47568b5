/* commands.c - see commands.h: what commands share. */
#include "commands/commands.h"

#include "commands/help.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int say_failure(const struct failure *failure)
{
    if (failure->status != EXIT_DONE)
        fprintf(stderr, "ldpbench: %s\n", failure->text);
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

int unknown_name(const char *option, const char *what, const char *text, const char *const *names,
                 struct failure *failure)
{
    const char *const nearest = name_nearest(text, names);

    return fail(failure, EXIT_BAD_INPUT, "%s: expected %s, got \"%s\"%s%s%s", option, what, SHOWN(text),
                nearest ? ", did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

/* ---- Options ---- */

enum { OPTIONS_MAX = 40 };

/* The table as getopt_long takes it. */
static void getopt_tables(const struct command_option *options, struct option longs[OPTIONS_MAX],
                          char letters[2 * OPTIONS_MAX + 2])
{
    *letters++ = ':'; /* a missing value is then distinguished from an unknown option */
    size_t n = 0;
    for (; options && options->name; options++) {
        assert(n + 1 < OPTIONS_MAX);
        longs[n++] =
            (struct option){options->name, options->value ? required_argument : no_argument, NULL, options->code};
        if (options->code < 256) {
            *letters++ = (char)options->code;
            if (options->value)
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

    while (options[i].code != code)
        i++;
    return i;
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

/* Fails if a required option was not given. */
static int check_required(const struct command *command, const bool given[OPTIONS_MAX], struct failure *failure)
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

int next_option(const struct command *command, int argc, char **argv, struct failure *failure)
{
    static bool given[OPTIONS_MAX]; /* of the current command line */
    struct option longs[OPTIONS_MAX];
    char letters[2 * OPTIONS_MAX + 2];
    const int at = optind > 0 ? optind : 1;

    getopt_tables(command->options, longs, letters);
    opterr = 0;
    if (optind <= 1)
        memset(given, 0, sizeof given);

    const int found = getopt_long(argc, argv, letters, longs, NULL);

    if (found == -1)
        return check_required(command, given, failure) == 0 ? OPTIONS_END : OPTIONS_WRONG;

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
        if (!given[row] || !command->options[row].value || command->options[row].again) {
            given[row] = true;
            return found;
        }
        fail(failure, EXIT_BAD_INPUT, "%s: option --%s: expected it once, got it twice", command->name,
             command->options[row].name);
    }
    return OPTIONS_WRONG;
}

/* ---- Values ---- */

int read_whole(const char *option, const char *text, unsigned long long min, unsigned long long max,
               unsigned long long *out, struct failure *failure)
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
        *out = whole ? (unsigned long long)number : 0;
    }
    if (!whole || *out < min || *out > max)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected an integer from %llu to %llu, got \"%s\"", option, min, max,
                    SHOWN(text));
    return 0;
}

int read_real(const char *option, const char *text, double *out, struct failure *failure)
{
    const char *const end = parse_number(text, out);

    return end && !*end ? 0 : fail(failure, EXIT_BAD_INPUT, "%s: expected a number, got \"%s\"", option, SHOWN(text));
}

int read_level(const char *option, const char *text, double *out, struct failure *failure)
{
    if (read_real(option, text, out, failure) != 0)
        return -1;
    if (*out > 0 && *out < 1)
        return 0;
    return fail(failure, EXIT_BAD_INPUT, "%s: expected a number between 0 and 1, got \"%s\"", option, SHOWN(text));
}

int read_seed(const char *text, unsigned long long *seed, struct failure *failure)
{
    return read_whole("--seed", text, 0, (unsigned long long)WHOLE_MAX, seed, failure);
}

int read_epsilon(const char *text, double *epsilon, struct failure *failure)
{
    if (read_real("--epsilon", text, epsilon, failure) != 0)
        return -1;
    if (*epsilon > 0)
        return 0;
    return fail(failure, EXIT_BAD_INPUT, "--epsilon: expected a number > 0, got \"%s\"", SHOWN(text));
}

int read_users(const char *text, uint64_t *n, struct failure *failure)
{
    unsigned long long number;

    if (read_whole("--n", text, 1, (unsigned long long)WHOLE_MAX, &number, failure) != 0)
        return -1;
    *n = number;
    return 0;
}

int read_threads(const char *text, int *out, struct failure *failure)
{
    unsigned long long number;

    if (read_whole("--threads", text, 1, THREADS_MAX, &number, failure) != 0)
        return -1;
    *out = (int)number;
    return 0;
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

int read_output(const char *option, const char *text, const char **out, struct failure *failure)
{
    if (!*text)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a file or folder, got an empty name", option);
    *out = text;
    return 0;
}

const char *const sheet_words[] = {
    [TEXT] = "text", [MARKDOWN] = "md", [JSON] = "json", [LATEX] = "latex", [CSV] = "csv", NULL};

int read_sheet_format(const char *text, enum format *out, struct failure *failure)
{
    size_t word = TEXT;

    if (read_word("--format", text, sheet_words, &word, failure) != 0)
        return -1;
    *out = (enum format)word;
    return 0;
}
