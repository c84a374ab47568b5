/* commands.c - see commands.h: the table of commands and what they share. */
#include "commands/commands.h"

#include "commands/algorithms.h"
#include "support/names.h"
#include "support/numbers.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command commands[] = {
    {"run",
     "CONFIG... [-o DIR] [-j THREADS] [--seed N] [--repetitions N] [--simulation counts|reports] [--fresh] [--keep] "
     "[--dry-run] [--quiet]",
     "simulate what the configs ask for and write tables", command_run},
    {"list", "[oracles|methods|queries|datasets|tasks] [--format text|md|names|schema]", "list what is implemented",
     command_list},
    {"describe", "DATASET...",
     "show n, d and shape of a counts or FIMI file, or of a law such as 'zipf(s=1.5,d=1024,n=1e6)'", command_describe},
    {"postprocess", "--oracle NAME --epsilon E --n N [--param NAME=VALUE ...] [--method NAME ...] SUPPORT.tsv",
     "support counts (lines value TAB support) to frequencies, one column for each method", command_postprocess},
    {"plot", "DIR... [--format svg|pdf|png|tsv]... [--x KEY] [--curves KEY] [--all-pages] [--no-captions]",
     "draw the figures of result folders", command_plot},
    {"check",
     "BASELINE RESULT [--level P] [--floor CHANGE] [--allow-missing] [--allow-new] [--allow-config] "
     "[--format text|md|json]",
     "tell whether accuracy changed between tables, folders or stores; exit status 1 on a regression", command_check},
    {"report", "DIR... [-o FILE] [--format html|md] [--agreement FILE] [--level P] [--no-plots]",
     "make one page of figures, best methods, tables, agreement with the papers, and how it was made", command_report},
    {"recommend",
     "--oracle NAME --epsilon E --n N --query NAME[=POINTS|=FILE] ... [--method NAME ...] [--oracles NAME|all ...] "
     "[--param NAME=VALUE ...] [--surrogate NAME] [--counts] [--trials N] [--replicates N] [--seed N] "
     "[-j THREADS] [--format text|md|json] FILE.tsv",
     "tell which method, and which oracle, has the least error on data like these", command_recommend},
    {NULL, NULL, NULL, NULL},
};

int say_failure(const struct failure *failure)
{
    if (failure->status != EXIT_DONE)
        fprintf(stderr, "ldpbench: %s\n", failure->text);
    return (int)failure->status;
}

int print_command_help(const char *name, struct failure *failure)
{
    const char *names[NAMES_MAX];
    size_t n = 0;

    for (const struct command *command = commands; command->name; command++) {
        if (strcmp(name, command->name) == 0) {
            printf("ldpbench %s %s\n    %s\n\nman ldpbench explains the options.\n", name, command->usage,
                   command->help);
            return 0;
        }
        names[n++] = command->name;
    }
    names[n] = NULL;
    return unknown_name("help", "a command", name, names, failure);
}

int next_option(int argc, char **argv, const char *letters, const struct option *options, struct failure *failure)
{
    char quiet[64];
    int at = optind > 0 ? optind : 1, found;
    const char *word;

    opterr = 0;
    snprintf(quiet, sizeof quiet, ":%s", letters); /* a colon first: a missing value is told from an unknown option */
    found = getopt_long(argc, argv, quiet, options, NULL);
    if (found == -1)
        return OPTIONS_END;
    word = argv[optind > at ? optind - 1 : at];
    if (found == '?' && (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)) {
        if (print_command_help(argv[0], failure) == 0)
            fail(failure, EXIT_DONE, "help was asked for");
    } else if (found == '?') {
        fail(failure, EXIT_BAD_INPUT, "%s: unknown option \"%.60s\"; see ldpbench %s --help", argv[0], word, argv[0]);
    } else if (found == ':') {
        fail(failure, EXIT_BAD_INPUT, "%s: option %.60s: expected a value, got none", argv[0], word);
    } else if (optarg == word && strncmp(word, "--", 2) == 0) { /* forgotten; --option=--value says that it was not */
        fail(failure, EXIT_BAD_INPUT, "%s: option %.60s: expected a value, got \"%.60s\"", argv[0], argv[optind - 2],
             word);
    } else {
        return found;
    }
    return OPTIONS_WRONG;
}

int read_whole(const char *option, const char *text, unsigned long long min, unsigned long long max,
               unsigned long long *out, struct failure *failure)
{
    char *end = NULL;

    errno = 0;
    *out = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    if (!end || *end || errno == ERANGE || *out < min || *out > max)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected an integer from %llu to %llu, got \"%.40s\"", option, min,
                    max, text);
    return 0;
}

int read_real(const char *option, const char *text, double *out, struct failure *failure)
{
    const char *end = parse_number(text, out);

    return end && !*end ? 0 : fail(failure, EXIT_BAD_INPUT, "%s: expected a number, got \"%.40s\"", option, text);
}

int read_level(const char *option, const char *text, double *out, struct failure *failure)
{
    if (read_real(option, text, out, failure) != 0)
        return -1;
    if (*out > 0 && *out < 1)
        return 0;
    return fail(failure, EXIT_BAD_INPUT, "%s: expected a number between 0 and 1, got \"%.40s\"", option, text);
}

int read_threads(const char *text, int *out, struct failure *failure)
{
    unsigned long long number;

    if (read_whole("-j", text, 1, 4096, &number, failure) != 0)
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
    return fail(failure, EXIT_BAD_INPUT, "%s: expected %s, got \"%.40s\"", option, expected, text);
}

int print_tree(struct cJSON *root, struct failure *failure)
{
    char *text = cJSON_Print(root);

    cJSON_Delete(root);
    if (!text)
        return fail_memory(failure);
    puts(text);
    cJSON_free(text);
    return 0;
}
