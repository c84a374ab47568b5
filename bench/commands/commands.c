/* commands.c - see commands.h: what commands share. */
#include "commands/commands.h"

#include "config/json.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <assert.h>
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

enum { OPTIONS_MAX = 40 };

static const struct command *reading; /* the command whose line is read, */
static bool given[OPTIONS_MAX];       /* and the rows of its table that the line has */

bool option_given(const struct command *command, const char *name)
{
    for (size_t i = 0; command->options[i].name; i++)
        if (strcmp(command->options[i].name, name) == 0)
            return given[i];
    return false;
}

void failure_name(struct failure *failure, const char *file, const char *command)
{
    const size_t length = strlen(file);

    if (strncmp(failure->text, file, length) != 0 || failure->text[length] != ':')
        return;
    const char *rest = failure->text + length + strspn(failure->text + length, ":0123456789 ");
    const size_t word = strspn(rest, "abcdefghijklmnopqrstuvwxyz");
    const char *option = NULL; /* that fills the list of the config in which the message has its place, "oracles[1]" */
    for (size_t i = 0; strchr("[:", rest[word]) && !option && reading && reading->options[i].name; i++)
        if (given[i] && reading->options[i].kind.again && strncmp(rest, reading->options[i].name, 4) == 0)
            option = reading->options[i].name;
    if (option || rest[word] == '[') { /* the place is nobody's: what is in it counts */
        rest += word + strspn(rest + word, "[]0123456789");
        rest += strncmp(rest, ".type", 5) == 0 ? 5 : 0;
        rest += strspn(rest, ".: ");
    }
    char *const text = xformat("%s%s: %s", option ? "--" : "", option ? option : command, rest);
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

static int unknown_option(const struct command *command, const char *word, struct failure *failure)
{
    const char *names[OPTIONS_MAX + 1];
    size_t count = 0;
    for (const struct command_option *option = command->options; option && option->name; option++)
        names[count++] = option->name;
    assert(count < OPTIONS_MAX);
    names[count++] = "help";
    names[count] = NULL;

    char *const name = xstrndup(word, strcspn(word, "="));
    const char *const nearest = strncmp(name, "--", 2) == 0 ? name_nearest(name + 2, names) : NULL;
    free(name);
    return fail(failure, EXIT_BAD_INPUT, "%s: unknown option \"%s\"%s%s%s", command->name, SHOWN(word),
                nearest ? ", did you mean \"--" : "; see ldpbench ", nearest ? nearest : command->name,
                nearest ? "\"?" : " --help");
}

/* The option that a word is, --name, --name=value, -l or -lvalue, and where its value begins (NULL: it has none). Names
 * are written out, so that a new option changes no other's meaning. */
static const struct command_option *option_of(const struct command *command, const char *word, const char **attached)
{
    for (const struct command_option *option = command->options; option && option->name; option++) {
        const bool is_long = word[1] == '-';
        const size_t length = is_long ? 2 + strlen(option->name) : 2;

        if (is_long ? strncmp(word + 2, option->name, length - 2) != 0 || (word[length] && word[length] != '=')
                    : !option->letter || word[1] != option->letter)
            continue;
        *attached = word[length] ? word + length + is_long : NULL;
        return option;
    }
    return NULL;
}

/* Reads the option at a word, and its value. */
static int read_option(const struct command *command, char **argv, int *at, void *request, struct failure *failure)
{
    const char *const word = argv[*at], *attached = NULL;
    const struct command_option *const option = option_of(command, word, &attached);

    if (!option && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
        print_short_help(command, stdout);
        return fail(failure, EXIT_DONE, "help was asked for");
    }
    if (!option || (attached && !option->value))
        return unknown_option(command, word, failure);
    const char *const value = attached || !option->value ? attached : argv[++*at];
    if (option->value && !value)
        return fail(failure, EXIT_BAD_INPUT, "%s: option %s: missing value", command->name, SHOWN(word));
    if (value && !attached && strncmp(value, "--", 2) == 0) /* it was probably forgotten; --option=--value gives it */
        return fail(failure, EXIT_BAD_INPUT, "%s: option %s: expected a value, got \"%s\"", command->name, SHOWN(word),
                    SHOWN(value));
    bool *const known = &given[option - command->options];
    if (*known && option->value && !option->kind.again)
        return fail(failure, EXIT_BAD_INPUT, "%s: option --%s: expected it once, got it twice", command->name,
                    option->name);
    *known = true;
    return option->kind.read(option, value, (char *)request + option->member, failure);
}

int read_options(const struct command *command, int argc, char **argv, void *request, struct failure *failure)
{
    char **const operand = xcalloc((size_t)argc, sizeof *operand);
    size_t operands = 0;
    int result = 0;

    reading = command;
    memset(given, 0, sizeof given);
    for (int i = 1, end = argc; result == 0 && i < argc; i++)
        if (i < end && strcmp(argv[i], "--") == 0)
            end = i;
        else if (i < end && argv[i][0] == '-' && argv[i][1])
            result = read_option(command, argv, &i, request, failure);
        else
            operand[operands++] = argv[i];
    optind = argc - (int)operands;
    memcpy(argv + optind, operand, operands * sizeof *operand);
    free(operand);
    return result;
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
    return *text ? 0 : fail(failure, EXIT_BAD_INPUT, "--%s: expected a name, got an empty one", option->name);
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

/* ---- Commands explained ---- */

enum { INDENT = 24 };

const struct command *command_find(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

void command_names(const char *names[NAMES_MAX])
{
    size_t n = 0;

    for (; commands[n]; n++)
        names[n] = commands[n]->name;
    names[n] = NULL;
}

/* -o, --output DIR; --format text|md|json. */
static void add_option(struct buffer *out, const struct command_option *option)
{
    if (option->letter)
        buffer_format(out, "-%c, ", option->letter);
    buffer_format(out, "--%s", option->name);
    for (size_t i = 0; option->value && option->kind.words && option->kind.words[i]; i++)
        buffer_format(out, "%c%s", i == 0 ? ' ' : '|', option->kind.words[i]);
    if (option->value && !option->kind.words)
        buffer_format(out, " %s", option->value);
}

static void print_examples(const struct command *command, FILE *out)
{
    for (size_t i = 0; i < sizeof command->examples / sizeof *command->examples; i++)
        if (command->examples[i])
            fprintf(out, "  ldpbench %s\n", command->examples[i]);
}

/* Options with their explanations: all of them, or the first sentences. */
static void print_options_of(const struct command *command, bool whole, FILE *out)
{
    for (const struct command_option *option = command->options; option && option->name; option++) {
        struct buffer text = {0};
        const char *const end = strstr(option->help, ". ");
        char *const help =
            whole || !end ? xstrdup(option->help) : xstrndup(option->help, (size_t)(end + 1 - option->help));

        add_option(&text, option);
        fputs(whole && option == command->options ? "\n" : "", out);
        const bool below = text.length + 4 > INDENT && text.length + 4 + strlen(help) > PAGE_WIDTH;
        print_line(out, PAGE_WIDTH, "  %-*s%s%*s%s\n", INDENT - 4, text.text, below ? "\n" : "  ", below ? INDENT : 0,
                   "", help);
        buffer_clear(&text);
        free(help);
    }
}

void print_command_help(const struct command *command, FILE *out)
{
    fprintf(out, "ldpbench %s [OPTION]... %s\n\n", command->name, command->operands);
    print_line(out, PAGE_WIDTH, "%s\n\n", command->about ? command->about : command->summary);
    print_examples(command, out);
    print_options_of(command, true, out);
}

void print_short_help(const struct command *command, FILE *out)
{
    print_examples(command, out);
    print_line(out, PAGE_WIDTH, "ldpbench %s%s%s: %s (more: ldpbench help %s)\n", command->name,
               *command->operands ? " " : "", command->operands, command->summary, command->name);
    print_options_of(command, false, out);
}

void print_program_help(FILE *out)
{
    fputs("  ldpbench advise survey.csv --epsilon 1\n"
          "  ldpbench run survey.json\n\n"
          "ldpbench: frequencies under local differential privacy: which oracle, which\n"
          "post-processing, and how wrong the answers are\n\n",
          out);
    for (size_t i = 0; commands[i]; i++)
        fprintf(out, "  %-10s%s\n", commands[i]->name, commands[i]->summary);
    fputs("\n  ldpbench COMMAND --help  two examples, and every option\n"
          "  ldpbench help [COMMAND]  the manual\n"
          "  ldpbench --version\n"
          "Exit status: 0 done, 1 a check failed, 2 usage or bad input, 3 system error,\n4 inconclusive\n",
          out);
}

static void print_words(const char *const *words, void (*names)(const char *[NAMES_MAX]), enum takes takes, FILE *out)
{
    for (; words && *words; words++)
        fprintf(out, "%s\n", *words);
    if (names) {
        const char *list[NAMES_MAX];
        names(list);
        for (size_t i = 0; list[i]; i++)
            fprintf(out, "%s\n", list[i]);
    }
    if (takes != TAKES_ANYTHING)
        fprintf(out, "%s\n", takes == TAKES_FILES ? "<files>" : "<folders>");
}

void print_options(const struct command *command, FILE *out)
{
    for (const struct command_option *option = command->options; option && option->name; option++) {
        fprintf(out, "--%s\n", option->name);
        if (option->letter)
            fprintf(out, "-%c\n", option->letter);
    }
    fputs("--help\n", out);
}

void print_values(const struct command *command, const char *name, FILE *out)
{
    if (!name)
        print_words(NULL, command->names, command->takes, out);
    for (const struct command_option *option = command->options; name && option && option->name; option++) {
        if (strcmp(name, option->name) != 0 && !(option->letter && name[0] == option->letter && name[1] == '\0'))
            continue;
        print_words(option->kind.words, option->kind.names, option->kind.takes, out);
        if (option->value && !option->kind.words && !option->kind.names && option->kind.takes == TAKES_ANYTHING)
            fputs("<value>\n", out);
    }
}
