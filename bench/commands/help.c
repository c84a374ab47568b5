/* help.c - see help.h. */
#include "commands/help.h"

#include "support/document.h"
#include "support/memory.h"
#include "support/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- For a person ---- */

/* A text in a font of roff, B or I, if the format has fonts. */
static void add_word(struct buffer *out, bool roff, char font, const char *text)
{
    if (roff)
        buffer_format(out, "\\f%c", font);
    for (; *text; text++)
        if (roff && (*text == '\\' || *text == '-'))
            buffer_add(out, *text == '-' ? "\\-" : "\\e");
        else
            buffer_add_n(out, text, 1);
    buffer_add(out, roff ? "\\fR" : "");
}

/* -o, --output DIR; --format text|md|json. */
static void add_option(struct buffer *out, bool roff, const struct command_option *option)
{
    const char letter[] = {'-', option->letter, '\0'};
    char *const name = xformat("--%s", option->name);

    if (option->letter) {
        add_word(out, roff, 'B', letter);
        buffer_add(out, ", ");
    }
    add_word(out, roff, 'B', name);
    free(name);
    for (size_t i = 0; option->value && option->kind.words && option->kind.words[i]; i++) {
        buffer_add(out, i == 0 ? " " : "|");
        add_word(out, roff, 'B', option->kind.words[i]);
    }
    if (option->value && !option->kind.words) {
        buffer_add(out, " ");
        add_word(out, roff, 'I', option->value);
    }
}

/* The options that are required, and the operands. */
static void print_usage(const struct command *command, bool roff, FILE *out)
{
    char *const name = xformat("ldpbench %s", command->name);
    struct buffer line = {0};

    add_word(&line, roff, 'B', name);
    for (const struct command_option *option = command->options; option && option->name; option++)
        if (option->required) {
            buffer_add(&line, " ");
            add_option(&line, roff, option);
        }
    buffer_add(&line, " [OPTION]... ");
    add_word(&line, roff, 'I', command->operands);
    fprintf(out, "%s%s\n", roff ? ".HP\n" : "", line.text);
    buffer_clear(&line);
    free(name);
}

static const char *about(const struct command *command)
{
    return command->about ? command->about : command->summary;
}

static void print_examples(const struct command *command, bool roff, FILE *out)
{
    for (size_t i = 0; i < sizeof command->examples / sizeof *command->examples; i++)
        if (command->examples[i]) {
            char *const words = xformat("ldpbench %s", command->examples[i]);
            struct buffer line = {0};

            add_word(&line, roff, 'B', words);
            fprintf(out, "%s%s\n", roff ? ".IP\n" : "  ", line.text);
            buffer_clear(&line);
            free(words);
        }
}

/* Options with their explanations: all of them, or the first sentences. */
static void print_options_of(const struct command *command, bool whole, FILE *out)
{
    for (const struct command_option *option = command->options; option && option->name; option++) {
        struct buffer text = {0};
        const char *const end = strstr(option->help, ". ");
        char *const help =
            whole || !end ? xstrdup(option->help) : xstrndup(option->help, (size_t)(end + 1 - option->help));

        add_option(&text, false, option);
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
    print_usage(command, false, out);
    putc('\n', out);
    print_line(out, PAGE_WIDTH, "%s\n", about(command));
    putc('\n', out);
    print_examples(command, false, out);
    print_options_of(command, true, out);
}

void print_short_help(const struct command *command, FILE *out)
{
    print_examples(command, false, out);
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

/* ---- For the manual ---- */

/* Paragraphs; a sentence begins a line, as roff wants it. */
static void roff_paragraphs(struct document *doc, const char *text)
{
    struct buffer lines = {0};

    for (; *text; text++)
        if (strncmp(text, ". ", 2) == 0 && isupper((unsigned char)text[2])) {
            buffer_add(&lines, ".\n");
            text++;
        } else if (strncmp(text, "\n\n", 2) == 0) {
            doc_line(doc, "%s", lines.text);
            buffer_clear(&lines);
            fputs(".PP\n", doc->out);
            text++;
        } else {
            buffer_add_n(&lines, text, 1);
        }
    doc_line(doc, "%s", lines.text);
    buffer_clear(&lines);
}

static void roff_command(const struct command *command, struct document *doc)
{
    doc_heading(doc, 3, "%s", command->name);
    roff_paragraphs(doc, about(command));
    print_examples(command, true, doc->out);
    for (const struct command_option *option = command->options; option && option->name; option++) {
        struct buffer text = {0};

        add_option(&text, true, option);
        fprintf(doc->out, ".TP\n%s\n", text.text);
        buffer_clear(&text);
        roff_paragraphs(doc, option->help);
    }
}

void print_manual(FILE *out)
{
    struct document doc = {.out = out, .format = ROFF, .plain = true};

    fputs(".SH SYNOPSIS\n", out);
    for (size_t i = 0; commands[i]; i++)
        print_usage(commands[i], true, out);
    fputs(".HP\n\\fBldpbench\\fR [\\fICOMMAND\\fR] \\fB\\-\\-help\\fR\n.HP\n\\fBldpbench help\\fR [\\fICOMMAND\\fR]\n"
          ".HP\n\\fBldpbench \\-\\-version\\fR\n.SH DESCRIPTION\n",
          out);
    roff_paragraphs(&doc,
                    "A config names datasets, frequency oracles, privacy budgets, post-processing methods and queries. "
                    "ldpbench run simulates the collection of every combination many times and writes tables of mean "
                    "squared error with their uncertainty. The same config and seed give byte-identical tables on any "
                    "machine and with any number of threads. Where a config or a file of data is named, - is standard "
                    "input.");
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; commands[i]; i++)
        roff_command(commands[i], &doc);
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
