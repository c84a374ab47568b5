/* recommend.c - ldpbench recommend: which algorithms suit one's own data best? One recommender for each task, chosen by
 * --task or by the kind of the file. */
#include "commands/recommend.h"

#include "commands/help.h"
#include "support/memory.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RECOMMENDER(id) &recommender_##id,
static const struct recommender *const recommenders[] = {
#include "commands/recommenders.def"
    NULL};
#undef RECOMMENDER

#define RECOMMENDER(id) &recommender_##id.command,
static const struct command *const kinds[] = {
#include "commands/recommenders.def"
    NULL};
#undef RECOMMENDER

void recommend_task_names(const char *names[NAMES_MAX])
{
    size_t count = 0;

    for (; recommenders[count]; count++)
        names[count] = recommenders[count]->task;
    names[count] = NULL;
}

/* Reads --task, the file's name and the options before the task, and so its options, is known. */
struct glance {
    const char *task, *file; /* NULL: none */
    size_t by_option;        /* the recommender that alone has the first such option, SIZE_MAX: none */
    const char *option;      /* that option */
    bool help;
};

enum { HELP = RECOMMEND_TASK + 1 };

/* The recommender that alone has an option; SIZE_MAX: several have it, or none. */
static size_t only_task_with(const char *name)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; kinds[i]; i++)
        for (const struct command_option *option = kinds[i]->options; option->name; option++)
            if (strcmp(option->name, name) == 0) {
                if (found != SIZE_MAX)
                    return SIZE_MAX;
                found = i;
            }
    return found;
}

/* The options of all tasks; an option may occur in several of them. */
static int look(int argc, char **argv, struct glance *glance, struct failure *failure)
{
    size_t rows = 2;
    char letters[2 * ('z' - 'A' + 1) + 3] = ":h", *letter = letters + strlen(letters);

    for (size_t i = 0; kinds[i]; i++)
        for (const struct command_option *option = kinds[i]->options; option->name; option++)
            rows++;

    struct option *const longs = xcalloc(rows, sizeof *longs);
    char **const words = xcalloc((size_t)argc + 1, sizeof *words); /* getopt_long moves them */

    size_t n = 0;
    for (size_t i = 0; longs && kinds[i]; i++)
        for (const struct command_option *option = kinds[i]->options; option->name; option++) {
            const int value = option->value ? required_argument : no_argument;

            longs[n++] =
                (struct option){option->name, value, NULL, option->code == RECOMMEND_TASK ? RECOMMEND_TASK : 0};
            if (option->code < 256 && !strchr(letters, option->code)) {
                *letter++ = (char)option->code;
                if (option->value)
                    *letter++ = ':';
            }
        }
    if (longs && words) {
        longs[n] = (struct option){"help", no_argument, NULL, HELP};
        memcpy(words, argv, (size_t)argc * sizeof *words);
        opterr = 0;
        for (int found, at = -1; (found = getopt_long(argc, words, letters, longs, &at)) != -1; at = -1) {
            if (found == RECOMMEND_TASK)
                glance->task = optarg;
            const size_t only = at >= 0 ? only_task_with(longs[at].name) : SIZE_MAX;
            if (only != SIZE_MAX && glance->by_option == SIZE_MAX) {
                glance->by_option = only;
                glance->option = longs[at].name;
            }
            glance->help |= found == HELP || found == 'h';
        }
        glance->file = optind < argc ? words[optind] : NULL;
        optind = 1;
    }
    free(longs);
    free(words);
    return longs && words ? 0 : fail_memory(failure);
}

static size_t task_number(const char *task)
{
    size_t i = 0;

    while (recommenders[i] && strcmp(recommenders[i]->task, task) != 0)
        i++;
    return i;
}

static bool has_option(size_t recommender, const char *name)
{
    for (const struct command_option *option = kinds[recommender]->options; option->name; option++)
        if (strcmp(option->name, name) == 0)
            return true;
    return false;
}

/* The task that is named, or that alone has one of the options, or that reads such a file. */
static int find(const struct glance *glance, const struct recommender **out, struct failure *failure)
{
    *out = recommenders[0];
    if (glance->task && strcmp(glance->task, "oracle") == 0)
        return fail(failure, EXIT_BAD_INPUT, "recommend: --task oracle is now `ldpbench oracles --epsilon E`");
    const size_t named = glance->task ? task_number(glance->task) : 0;
    if (!recommenders[named]) {
        const char *names[NAMES_MAX];
        struct buffer what = {0};
        recommend_task_names(names);
        for (size_t i = 0; names[i]; i++)
            buffer_format(&what, "%s%s", i == 0 ? "" : names[i + 1] ? ", " : " or ", names[i]);
        const int result = unknown_name("--task", what.text, glance->task, names, failure);
        buffer_clear(&what);
        return result;
    }
    if (glance->task && glance->option && !has_option(named, glance->option))
        return fail(failure, EXIT_BAD_INPUT, "recommend: --%s is an option of --task %s, got --task %s", glance->option,
                    recommenders[glance->by_option]->task, glance->task);
    if (glance->task || glance->by_option != SIZE_MAX) {
        *out = recommenders[glance->task ? named : glance->by_option];
        return 0;
    }
    for (size_t i = 0; recommenders[i]; i++)
        if (glance->file && recommenders[i]->reads && recommenders[i]->reads(glance->file)) {
            *out = recommenders[i];
            return 0;
        }
    return 0;
}

static int run(int argc, char **argv)
{
    struct glance glance = {.by_option = SIZE_MAX};
    struct failure failure = NO_REASON;

    if (look(argc, argv, &glance, &failure) != 0)
        return say_failure(&failure);
    if (glance.help && !glance.task) {
        print_command_help(&command_recommend, stdout);
        return EXIT_DONE;
    }
    const struct recommender *recommender;
    if (find(&glance, &recommender, &failure) != 0)
        return say_failure(&failure);
    return recommender->command.run(argc, argv);
}

const struct command command_recommend = {
    .name = "recommend",
    .operands = "FILE",
    .summary = "find the algorithms with the least error on data like these",
    .kinds = kinds,
    .run = run,
};
