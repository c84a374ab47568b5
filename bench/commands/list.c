/* list.c - ldpbench list: what is implemented, read off the registries. */
#include "commands/commands.h"
#include "config/schema.h"
#include "dataset.h"
#include "support/names.h"
#include "support/numbers.h"
#include "tasks/task.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum format { TEXT, MARKDOWN, NAMES, SCHEMA };

static void print_params(const struct ldp_param *params, enum format format)
{
    char number[NUMBER_TEXT];

    for (; params && params->name; params++) {
        if (format == MARKDOWN)
            printf("<br>`%s`: %s", params->name, params->help);
        else
            printf("    %-18s %s", params->name, params->help);
        if (params->kind == LDP_FLAG)
            printf(" (default %s)", params->fallback != 0 ? "true" : "false");
        else if (params->kind == LDP_CHOICE)
            printf(" (default %s)", params->choices[(size_t)params->fallback]);
        else if (!isnan(params->fallback)) /* the help says how others are derived */
            printf(" (default %s)", format_number(params->fallback, number));
        if (format == TEXT)
            putchar('\n');
    }
}

/* One line of a list; point is the swept parameter of a query, or NULL. */
static void print_entry(const char *name, const char *title, const char *source, const struct ldp_param *params,
                        const struct ldp_param *point, enum format format)
{
    switch (format) {
    case NAMES: printf("%s\n", name); break;
    case MARKDOWN:
        printf("| `%s` | %s", name, title);
        if (point && point->name)
            printf("<br>`%s`: %s", point->name, point->help);
        print_params(params, format);
        printf(" | %s |\n", source);
        break;
    case SCHEMA: break;
    case TEXT:
        printf("  %-18s %s\n", name, title);
        if (source)
            printf("  %-18s [%s]\n", "", source);
        if (point && point->name)
            printf("    %-18s %s\n", point->name, point->help);
        print_params(params, format);
        break;
    }
}

static void list_oracles(enum format format)
{
    for (size_t i = 0; ldp_oracles[i]; i++) {
        const struct ldp_oracle *oracle = ldp_oracles[i];
        char title[200];

        snprintf(title, sizeof title, "%s%s", oracle->title, oracle->flags & LDP_ORACLE_BIASED ? " (biased)" : "");
        print_entry(oracle->name, title, oracle->source, oracle->params, NULL, format);
    }
}

static void list_methods(enum format format)
{
    for (size_t i = 0; ldp_methods[i]; i++)
        print_entry(ldp_methods[i]->name, ldp_methods[i]->title, ldp_methods[i]->source, ldp_methods[i]->params, NULL,
                    format);
}

static void list_queries(enum format format)
{
    for (size_t i = 0; ldp_queries[i]; i++)
        print_entry(ldp_queries[i]->name, ldp_queries[i]->title, ldp_queries[i]->source, ldp_queries[i]->params,
                    &ldp_queries[i]->point, format);
}

static void list_datasets(enum format format)
{
    for (size_t i = 0; dataset_types[i]; i++)
        print_entry(dataset_types[i]->name, dataset_types[i]->title, dataset_types[i]->source, dataset_types[i]->params,
                    NULL, format);
}

static void list_tasks(enum format format)
{
    for (size_t i = 0; tasks[i]; i++)
        print_entry(tasks[i]->name, tasks[i]->title, tasks[i]->source, NULL, NULL, format);
}

static const struct {
    const char *name, *heading;
    void (*list)(enum format);
} lists[] = {
    {"oracles", "Frequency oracles", list_oracles},
    {"methods", "Post-processing methods", list_methods},
    {"queries", "Queries", list_queries},
    {"datasets", "Datasets", list_datasets},
    {"tasks", "Tasks", list_tasks},
};
enum { NLISTS = sizeof lists / sizeof *lists };

static int print_schema(void)
{
    struct failure failure;
    char *text = schema_text();

    if (!text) {
        fail_memory(&failure);
        return say_failure(&failure);
    }
    fputs(text, stdout);
    free(text);
    return EXIT_DONE;
}

int command_list(int argc, char **argv)
{
    static const struct option options[] = {{"format", required_argument, NULL, 'f'}, {NULL, 0, NULL, 0}};
    static const char *const formats[] = {"text", "md", "names", "schema", NULL};
    const char *names[NLISTS + 1] = {0};
    enum format format = TEXT;
    struct failure failure;
    int option;
    bool found = false;

    while ((option = next_option(argc, argv, "", options, &failure)) != OPTIONS_END) {
        size_t word;

        if (option == OPTIONS_WRONG || read_word("--format", optarg, formats, &word, &failure) != 0)
            return say_failure(&failure);
        format = (enum format)word;
    }
    for (size_t i = 0; i < NLISTS; i++)
        names[i] = lists[i].name;
    if (argc - optind > 1) {
        fail(&failure, EXIT_BAD_INPUT, "list: expected one of oracles, methods, queries, datasets, tasks, got %d words",
             argc - optind);
        return say_failure(&failure);
    }
    if (format == SCHEMA && optind == argc)
        return print_schema();
    if (format == SCHEMA) {
        fail(&failure, EXIT_BAD_INPUT, "list: expected no list with --format schema, got \"%.40s\"", argv[optind]);
        return say_failure(&failure);
    }
    for (size_t i = 0; i < NLISTS; i++) {
        if (optind < argc && strcmp(argv[optind], lists[i].name) != 0)
            continue;
        if (format == TEXT)
            printf("%s%s\n", found ? "\n" : "", lists[i].heading);
        else if (format == MARKDOWN)
            printf("%s| %s | | source |\n|---|---|---|\n", found ? "\n" : "", lists[i].heading);
        lists[i].list(format);
        found = true;
    }
    if (!found) {
        const char *nearest = name_nearest(argv[optind], names);
        fail(&failure, EXIT_BAD_INPUT,
             "list: expected oracles, methods, queries, datasets or tasks, got \"%.40s\"%s%s%s", argv[optind],
             nearest ? ", did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
        return say_failure(&failure);
    }
    return EXIT_DONE;
}
