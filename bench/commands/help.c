/* help.c - see help.h. */
#include "commands/help.h"

#include <ctype.h>
#include <string.h>

enum { WIDTH = 100, INDENT = 24 };

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

static bool has_letter(const struct command_option *option)
{
    return option->code < 256;
}

/* ---- For a person ---- */

/* Wraps text at WIDTH; column: where the first line starts. An empty line is kept. */
static void print_wrapped(const char *text, size_t indent, size_t column, FILE *out)
{
    bool first = true;

    while (*text) {
        const size_t length = strcspn(text, " \n");

        if (length > 0) {
            if (!first && column + 1 + length > WIDTH) {
                fprintf(out, "\n%*s", (int)indent, "");
                column = indent;
                first = true;
            }
            fprintf(out, "%s%.*s", first ? "" : " ", (int)length, text);
            column += length + !first;
            first = false;
        }
        text += length;
        if (strncmp(text, "\n\n", 2) == 0) {
            fprintf(out, "\n\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        text += strspn(text, " \n");
    }
    putc('\n', out);
}

/* --format text|md|json, or -o, --output DIR. */
static size_t option_text(const struct command_option *option, bool whole, char *text, size_t size)
{
    size_t length = 0;

    if (has_letter(option))
        length += (size_t)snprintf(text, size, "-%c", option->code);
    if (whole || !has_letter(option))
        length += (size_t)snprintf(text + length, size - length, "%s--%s", length ? ", " : "", option->name);
    if (option->value && option->words)
        for (size_t i = 0; option->words[i]; i++)
            length += (size_t)snprintf(text + length, size - length, "%c%s", i == 0 ? ' ' : '|', option->words[i]);
    else if (option->value)
        length += (size_t)snprintf(text + length, size - length, " %s", option->value);
    return length;
}

/* A token of a line that is broken before WIDTH; column: where it is. */
static void print_token(const char *token, size_t *column, FILE *out)
{
    if (*column + 1 + strlen(token) > WIDTH) {
        fputs("\n   ", out);
        *column = 3;
    }
    fprintf(out, " %s", token);
    *column += 1 + strlen(token);
}

/* Prints the options that are required, or the others. */
static void print_option_tokens(const struct command *command, bool required, size_t *column, FILE *out)
{
    for (const struct command_option *option = command->options; option && option->name; option++) {
        if (option->required != required)
            continue;
        char text[200];
        option_text(option, false, text, sizeof text);
        char token[220];
        snprintf(token, sizeof token, required ? "%s%s" : "[%s]%s", text, option->again ? "..." : "");
        print_token(token, column, out);
    }
}

static void print_usage(const struct command *command, FILE *out)
{
    size_t column = strlen("ldpbench ") + strlen(command->name);

    fprintf(out, "ldpbench %s", command->name);
    print_option_tokens(command, true, &column, out);
    print_token(command->operands, &column, out);
    print_option_tokens(command, false, &column, out);
}

/* The kinds of a command; of one that has none, itself. */
static size_t kinds_of(const struct command *command, const struct command *kinds[NAMES_MAX])
{
    size_t n = 0;

    for (; command->kinds && command->kinds[n]; n++)
        kinds[n] = command->kinds[n];
    if (!command->kinds)
        kinds[n++] = command;
    return n;
}

static void print_kind_help(const struct command *command, FILE *out)
{
    print_usage(command, out);
    fputs("\n\n", out);
    print_wrapped(command->about ? command->about : command->summary, 0, 0, out);
    for (const struct command_option *option = command->options; option && option->name; option++) {
        char text[200];
        size_t length = option_text(option, true, text, sizeof text) + 2;

        fprintf(out, "%s  %s", option == command->options ? "\n" : "", text);
        if (length + 2 > INDENT) {
            putc('\n', out);
            length = 0;
        }
        fprintf(out, "%*s", (int)(INDENT - length), "");
        print_wrapped(option->help, INDENT, INDENT, out);
    }
}

void print_command_help(const struct command *command, FILE *out)
{
    const struct command *kinds[NAMES_MAX];
    const size_t n = kinds_of(command, kinds);

    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? "\n" : "", out);
        print_kind_help(kinds[i], out);
    }
}

void print_program_help(FILE *out)
{
    fputs("ldpbench: which frequency oracle and which post-processing answer queries best under local differential "
          "privacy\n\n",
          out);
    for (size_t i = 0; commands[i]; i++)
        fprintf(out, "  ldpbench %s %s\n      %s\n", commands[i]->name, commands[i]->operands, commands[i]->summary);
    fputs("\n  ldpbench COMMAND --help    what it does, and every option\n"
          "  ldpbench help              the manual\n"
          "  ldpbench list config       every key of a config\n"
          "  ldpbench --version\n"
          "\nExit status: 0 done, 1 a check failed, 2 usage or bad input, 3 a failure of the machine, "
          "4 undecided (audit: too few reports).\n",
          out);
}

/* ---- For the manual ---- */

/* Text of roff: hyphens that are typed, backslashes, and a point or quote that would begin a request. */
static void roff_text(const char *text, bool line_start, FILE *out)
{
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            putc(*text, out);
        line_start = *text == '\n';
    }
}

/* Paragraphs; a sentence begins a line, as roff wants it. */
static void roff_paragraphs(const char *text, FILE *out)
{
    bool line_start = true;

    while (*text) {
        if (strncmp(text, "\n\n", 2) == 0) {
            fputs("\n.PP\n", out);
            text += 2;
            line_start = true;
        } else if (strncmp(text, ". ", 2) == 0 && isupper((unsigned char)text[2])) {
            fputs(".\n", out);
            text += 2;
            line_start = true;
        } else {
            const char one[] = {*text++, '\0'};

            roff_text(one, line_start, out);
            line_start = *one == '\n';
        }
    }
    putc('\n', out);
}

static void roff_option(const struct command_option *option, bool whole, FILE *out)
{
    if (has_letter(option))
        fprintf(out, "\\fB\\-%c\\fR", option->code);
    if (whole || !has_letter(option)) {
        fputs(has_letter(option) ? ", \\fB\\-\\-" : "\\fB\\-\\-", out);
        roff_text(option->name, false, out);
        fputs("\\fR", out);
    }
    if (option->value && option->words)
        for (size_t i = 0; option->words[i]; i++) {
            fputs(i == 0 ? " \\fB" : "|\\fB", out);
            roff_text(option->words[i], false, out);
            fputs("\\fR", out);
        }
    else if (option->value) {
        fputs(" \\fI", out);
        roff_text(option->value, false, out);
        fputs("\\fR", out);
    }
}

static void roff_kind_usage(const struct command *command, FILE *out)
{
    fprintf(out, ".HP\n\\fBldpbench %s\\fR", command->name);
    for (const struct command_option *option = command->options; option && option->name; option++)
        if (option->required) {
            putc(' ', out);
            roff_option(option, false, out);
            fputs(option->again ? "..." : "", out);
        }
    fputs(" \\fI", out);
    roff_text(command->operands, false, out);
    fputs("\\fR", out);
    for (const struct command_option *option = command->options; option && option->name; option++)
        if (!option->required) {
            fputs(" [", out);
            roff_option(option, false, out);
            fprintf(out, "]%s", option->again ? "..." : "");
        }
    putc('\n', out);
}

static void roff_usage(const struct command *command, FILE *out)
{
    const struct command *kinds[NAMES_MAX];
    const size_t n = kinds_of(command, kinds);

    for (size_t i = 0; i < n; i++)
        roff_kind_usage(kinds[i], out);
}

static void roff_command(const struct command *command, FILE *out)
{
    const struct command *kinds[NAMES_MAX];
    const size_t n = kinds_of(command, kinds);

    fprintf(out, ".SS %s\n", command->name);
    for (size_t i = 0; i < n; i++) {
        roff_paragraphs(kinds[i]->about ? kinds[i]->about : kinds[i]->summary, out);
        for (const struct command_option *option = kinds[i]->options; option && option->name; option++) {
            fputs(".TP\n", out);
            roff_option(option, true, out);
            putc('\n', out);
            roff_paragraphs(option->help, out);
        }
        fputs(i + 1 < n ? ".PP\n" : "", out);
    }
}

void print_manual(FILE *out)
{
    fputs(".SH SYNOPSIS\n", out);
    for (size_t i = 0; commands[i]; i++)
        roff_usage(commands[i], out);
    fputs(".HP\n\\fBldpbench\\fR [\\fICOMMAND\\fR] \\fB\\-\\-help\\fR\n.HP\n\\fBldpbench help\\fR [\\fICOMMAND\\fR]\n"
          ".HP\n\\fBldpbench \\-\\-version\\fR\n.SH DESCRIPTION\n",
          out);
    roff_paragraphs("A config names datasets, frequency oracles, privacy budgets, post-processing methods and queries. "
                    "ldpbench run simulates the collection of every combination many times and writes tables of mean "
                    "squared error with their uncertainty. The same config and seed give byte-identical tables on any "
                    "machine and with any number of threads. Where a config or a file of data is named, - is standard "
                    "input.",
                    out);
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; commands[i]; i++)
        roff_command(commands[i], out);
}

/* ---- For completions ---- */

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

static const struct command_option *find_option(const struct command *command, const char *name)
{
    for (const struct command_option *option = command->options; option && option->name; option++)
        if (strcmp(name, option->name) == 0 || (has_letter(option) && name[0] == option->code && name[1] == '\0'))
            return option;
    return NULL;
}

void print_options(const struct command *command, FILE *out)
{
    const struct command *kinds[NAMES_MAX];
    const size_t n = kinds_of(command, kinds);

    for (size_t i = 0; i < n; i++)
        for (const struct command_option *option = kinds[i]->options; option && option->name; option++) {
            size_t before = 0;

            while (before < i && !find_option(kinds[before], option->name))
                before++;
            if (before < i)
                continue;
            fprintf(out, "--%s\n", option->name);
            if (has_letter(option))
                fprintf(out, "-%c\n", option->code);
        }
    fputs("--help\n", out);
}

void print_values(const struct command *command, const char *name, FILE *out)
{
    const struct command *kinds[NAMES_MAX];
    const size_t n = kinds_of(command, kinds);

    for (size_t i = 0; i < n; i++) {
        const struct command_option *const option = name ? find_option(kinds[i], name) : NULL, *before = NULL;

        for (size_t j = 0; option && !before && j < i; j++)
            before = find_option(kinds[j], name);
        if (!name && i == 0)
            print_words(kinds[i]->words, kinds[i]->names, kinds[i]->takes, out);
        if (!option || (before && before->words == option->words && before->names == option->names))
            continue;
        print_words(option->words, option->names, option->takes, out);
        if (option->value && !option->words && !option->names && option->takes == TAKES_ANYTHING)
            fputs("<value>\n", out);
    }
}
