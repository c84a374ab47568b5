/* help.h - commands and their options explained: for a person, for the manual, for completions. */
#ifndef LDPBENCH_HELP_H
#define LDPBENCH_HELP_H

#include "commands/commands.h"

#include <stdio.h>

/* NULL if there is none of that name. */
const struct command *command_find(const char *name);

/* Their names, NULL-terminated. */
void command_names(const char *names[NAMES_MAX]);

/* Usage, what it does, and every option with all of its explanation; examples, and every option in a sentence. */
void print_command_help(const struct command *command, FILE *out);
void print_short_help(const struct command *command, FILE *out);

/* All commands, a line each. */
void print_program_help(FILE *out);

/* The sections SYNOPSIS and COMMANDS of the manual, as roff. */
void print_manual(FILE *out);

/* Prints the words that may follow on a command line, one a line: the options of a command; the values of one of its
 * options, or of its operands where option is NULL. A line `<files>` or `<folders>` means any of those. An option of
 * values is named without dashes (output, o); an unknown one has none. */
void print_options(const struct command *command, FILE *out);
void print_values(const struct command *command, const char *option, FILE *out);

#endif
