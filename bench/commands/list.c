/* list.c - ldpbench list: what is implemented, from the registries. */
#include "attacks/attack.h"
#include "commands/commands.h"
#include "config/algorithm.h"
#include "config/datasets.h"
#include "config/external.h"
#include "config/shapes.h"
#include "dataset.h"
#include "marginals/synopsis.h"
#include "privacy/chain.h"
#include "searches/search.h"
#include "support/memory.h"
#include "support/names.h"
#include "support/text.h"
#include "tasks/schema.h"
#include "tasks/task.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Its own formats, beyond those of other commands. */
enum list_format { LIST_TEXT, LIST_MARKDOWN, LIST_NAMES, LIST_SCHEMA, LIST_JSON };
static const char *const list_formats[] = {"text", "md", "names", "schema", "json", NULL};

static void print_params(const struct ldp_param *params)
{
    for (; params && params->name; params++) {
        const struct config_key key = algorithm_param(params, false);
        char *const words = params->kind == LDP_CHOICE ? config_words(&key) : xstrdup(""),
                    *const fallback = config_default(&key); /* the help says how others are derived */

        print_line(stdout, PAGE_WIDTH, "    %-16s  %s%s%s%s%s%s%s\n", params->name, params->help, *fallback ? " (" : "",
                   words, *words ? "; " : "", *fallback ? "default " : "", fallback, *fallback ? ")" : "");
        free(words);
        free(fallback);
    }
}

/* The names alone, as a cell of a table: the reference of config keys explains them. */
static void print_param_names(const struct ldp_param *params, const struct ldp_param *point)
{
    const char *separator = "";

    if (point && point->name) {
        printf("`%s`", point->name);
        separator = ", ";
    }
    for (; params && params->name; params++, separator = ", ")
        printf("%s`%s`", separator, params->name);
}

/* An entry of a list, with what epsilon protects or another remark; point is the swept parameter of a query, or NULL.
 */
static void print_entry(const char *name, const char *title, const char *source, const struct ldp_param *params,
                        const struct ldp_param *point, const char *remark, enum list_format format)
{
    char *const whole = *remark ? xformat("%s (%s)", title, remark) : xstrdup(title);

    if (format == LIST_NAMES) {
        printf("%s\n", name);
    } else if (format == LIST_MARKDOWN) {
        printf("| `%s` | %s | ", name, whole);
        print_param_names(params, point);
        printf(" | %s |\n", source);
    } else if (format == LIST_TEXT) {
        print_line(stdout, PAGE_WIDTH, "  %-18s  %s\n", name, whole);
        if (*source)
            print_line(stdout, PAGE_WIDTH, "  %-18s  [%s]\n", "", source);
        if (point && point->name)
            print_line(stdout, PAGE_WIDTH, "    %-16s  %s\n", point->name, point->help);
        print_params(params);
    }
    free(whole);
}

static const char *of_records(const struct ldp_synopsis *synopsis)
{
    enum { ATTRIBUTES = 2 };
    struct ldp_synopsis_spec spec = {.synopsis = synopsis};

    ldp_params_default(synopsis->params, spec.param);
    if (!synopsis->epsilon_for || synopsis->epsilon_for(&spec, ATTRIBUTES, LDP_EQUAL_TUPLE, 1) == 1)
        return "epsilon: whole records";
    return synopsis->epsilon_for(&spec, ATTRIBUTES, LDP_EQUAL_ATTRIBUTE, 1) == 1
               ? "epsilon: one attribute"
               : "epsilon: nominal, neither records nor one attribute";
}

static const char *of_sequences(const struct ldp_chain *chain)
{
    enum { VALUES = 10, USERS = 1000, ROUNDS = 5 };
    static const double epsilon = 2, first = 1;
    struct ldp_chain_spec spec = {.chain = chain};
    struct ldp_protection of;
    struct ldp_rounds rounds;
    struct ldp_reason ignored;

    ldp_params_default(chain->params, spec.param);
    if (ldp_rounds_init(&rounds, &spec, VALUES, USERS, ROUNDS, epsilon, first, &ignored) != LDP_OK)
        return "";
    ldp_rounds_protection(&rounds, &of);
    return of.sequence_high <= epsilon ? "epsilon: all reports, any values"
           : of.unchanged <= epsilon   ? "epsilon: all reports of a value that stays"
                                       : "first: one report alone";
}

/* A function that prints a registry; all but its name are expressions of its entry `of`. */
#define LIST(id, registry, source, params, point, remark)                                                              \
    static void list_##id(enum list_format format)                                                                     \
    {                                                                                                                  \
        for (size_t i = 0; registry[i]; i++) {                                                                         \
            const __typeof__(*registry[0]) *const of = registry[i];                                                    \
            print_entry(of->name, of->title, source, params, point, remark, format);                                   \
        }                                                                                                              \
    }

LIST(oracles, ldp_oracles, of->source, of->params, NULL, of->flags &LDP_ORACLE_BIASED ? "biased" : "")
LIST(external_oracles, external_oracles, of->source, of->params, NULL, "")
LIST(methods, ldp_methods, of->source, of->params, NULL, "")
LIST(external_methods, external_methods, of->source, of->params, NULL, "")
LIST(queries, ldp_queries, of->source, of->params, &of->point, "")
LIST(datasets, dataset_types, of->source, of->params, NULL, "")
LIST(searches, ldp_searches, of->source, of->params, NULL, "")
LIST(synopses, ldp_synopses, of->source, of->params, NULL, of_records(of))
LIST(chains, ldp_chains, of->source, of->params, NULL, of_sequences(of))
LIST(attacks, ldp_attacks, of->source, of->params, NULL, "")
LIST(tasks, tasks, of->source, NULL, NULL, "")

static void list_commands(enum list_format format)
{
    for (size_t i = 0; commands[i]; i++)
        print_entry(commands[i]->name, commands[i]->summary, "", NULL, NULL, "", format);
}

static void list_config(enum list_format format)
{
    char *text = NULL;
    size_t size = 0;
    FILE *const out = format == LIST_TEXT ? xmemstream(&text, &size) : stdout;

    reference_write(out, format == LIST_MARKDOWN ? MARKDOWN : TEXT);
    if (format == LIST_TEXT) {
        fclose(out);
        print_line(stdout, PAGE_WIDTH, "%s", text);
        free(text);
    }
}

/* The lists; those without a heading are printed only by themselves. Configs can name what is outside the program,
 * options cannot. */
static const struct {
    const char *name, *heading;
    void (*list)(enum list_format), (*external)(enum list_format);
} lists[] = {
    {"oracles", "Frequency oracles (epsilon: one report of a user)", list_oracles, list_external_oracles},
    {"methods", "Post-processing methods", list_methods, list_external_methods},
    {"queries", "Queries", list_queries, NULL},
    {"attacks", "Attacks", list_attacks, NULL},
    {"synopses", "Synopses", list_synopses, NULL},
    {"chains", "Chains of reports over rounds", list_chains, NULL},
    {"datasets", "Datasets", list_datasets, NULL},
    {"searches", "Searches for frequent strings", list_searches, NULL},
    {"tasks", "Tasks", list_tasks, NULL},
    {"commands", NULL, list_commands, NULL},
    {"config", NULL, list_config, NULL},
};
enum { NLISTS = sizeof lists / sizeof *lists };

static void list_names(const char *names[NAMES_MAX])
{
    for (size_t i = 0; i < NLISTS; i++)
        names[i] = lists[i].name;
    names[NLISTS] = "options";
    names[NLISTS + 1] = NULL;
}

/* What operands may be. */
static void list_and_law_names(const char *names[NAMES_MAX])
{
    size_t n = 0;

    list_names(names);
    while (names[n])
        n++;
    dataset_type_names(names + n);
}

/* options COMMAND, or options COMMAND OPTION: for completions. The option `operands` means the operands. */
static int list_options(int count, char **words, struct failure *failure)
{
    const struct command *const command = count > 0 ? command_find(words[0]) : NULL;
    const char *names[NAMES_MAX];

    command_names(names);
    if (count == 0 || count > 2)
        return fail(failure, EXIT_BAD_INPUT, "list options: expected a command, and one of its options, got %d words",
                    count);
    if (!command)
        return unknown_name("list options", "a command", words[0], names, failure);
    if (count == 1)
        print_options(command, stdout);
    else
        print_values(command, strcmp(words[1], "operands") == 0 ? NULL : words[1], stdout);
    return 0;
}

/* The index of a list; NLISTS: there is none of that name. */
static size_t find_list(const char *word)
{
    size_t list = 0;

    while (list < NLISTS && (!word || strcmp(word, lists[list].name) != 0))
        list++;
    return list;
}

/* One list, or where there is none all that have a heading. */
static void print_lists(size_t only, enum list_format format)
{
    bool found = false;

    for (size_t i = 0; i < NLISTS; i++) {
        if (only < NLISTS ? i != only : !lists[i].heading)
            continue;
        if (lists[i].heading && format == LIST_TEXT)
            printf("%s%s\n", found ? "\n" : "", lists[i].heading);
        else if (lists[i].heading && format == LIST_MARKDOWN)
            printf("%s| %s | | parameters | source |\n|---|---|---|---|\n", found ? "\n" : "", lists[i].heading);
        lists[i].list(format);
        if (lists[i].external && format != LIST_NAMES)
            lists[i].external(format);
        for (const char *const *track = command_score.options[0].kind.words; format == LIST_TEXT && *track; track++)
            if (strcmp(*track, lists[i].name) == 0)
                print_line(stdout, PAGE_WIDTH,
                           "How good is one of them? ldpbench score NAME --track %s; all: studies/leaderboard.md\n",
                           *track);
        found = true;
    }
}

/* Data, each a file or a law. */
static int print_data(int count, char **words, struct failure *failure)
{
    const char *names[NAMES_MAX];

    list_names(names);
    for (int i = 0; i < count; i++) {
        if (!strpbrk(words[i], "./(-") && access(words[i], F_OK) != 0 && !dataset_type_find(words[i]))
            return unknown_name(
                "list",
                "oracles, methods, queries, attacks, synopses, chains, datasets, searches, tasks, commands, config, "
                "options COMMAND, or data",
                words[i], names, failure);
        if (list_data(words[i], failure) != 0)
            return -1;
    }
    return 0;
}

static int print_list(int count, char **words, enum list_format format, struct failure *failure)
{
    const char *const word = count > 0 ? words[0] : NULL;
    const size_t list = find_list(word);

    if (format == LIST_JSON)
        return list_results(count, words, failure);
    if (word && strcmp(word, "options") == 0)
        return list_options(count - 1, words + 1, failure);
    if (word && list == NLISTS && format == LIST_TEXT)
        return print_data(count, words, failure);
    if (format == LIST_SCHEMA ? count > 0 : count > 1 || (word && list == NLISTS))
        return fail(failure, EXIT_BAD_INPUT, "list: expected %s, got %s",
                    format == LIST_SCHEMA ? "no list with --format schema" : "one of the lists",
                    count == 1 ? SHOWN(word) : COUNTED((size_t)count, "word"));
    char *const schema = format == LIST_SCHEMA ? schema_text() : NULL;
    if (schema)
        fputs(schema, stdout);
    else
        print_lists(list, format);
    free(schema);
    return 0;
}

struct list_request {
    enum list_format format;
};

#define REQUEST struct list_request
static const struct command_option known_options[] = {
    {"format", "FORMAT", WORD_OF(format, list_formats),
     "How to print. For reading (text, the default), as Markdown tables (md), names alone, the JSON Schema of configs "
     "that editors use (schema, kept as configs/schema.json), or of a result folder all tables for other programs "
     "(json)."},
    {.name = NULL},
};

static int run(int argc, char **argv, struct failure *failure)
{
    struct list_request request = {LIST_TEXT};

    if (read_options(&command_list, argc, argv, &request, failure) != 0)
        return -1;
    return print_list(argc - optind, argv + optind, request.format, failure);
}

const struct command command_list = {
    .name = "list",
    .operands = "[LIST | DATA...]",
    .summary = "what is implemented; every key of a config; size and shape of data",
    .examples = {"list methods", "list survey.csv"},
    .about =
        "Lists what is implemented, with parameters and sources: oracles, methods, queries, attacks, synopses, chains, "
        "datasets, searches, tasks, all of them without LIST. list commands names the commands, list config explains "
        "every key of a config. DATA is a file or a distribution such as 'zipf(s=1.5,d=1024,n=1e6)', and in "
        "parentheses may have what a config has for it, 'words.strings(length=6)': its size, users and shape; for "
        "strings (.strings, .strings.gz) also lengths, alphabet, and how many users an alphabet and a length leave "
        "out; for records (.csv, .csv.gz) their attributes and values.\n\n"
        "For completions, list options COMMAND names the options of a command, and list options COMMAND OPTION the "
        "words that an option takes. list DIR --format json prints the tables of a result folder, list DIR TABLE ROW "
        "--format json every repetition of a row (from 0); what fails a checksum of the store is refused.",
    .options = known_options,
    .names = list_and_law_names,
    .takes = TAKES_FILES,
    .run = run,
};
