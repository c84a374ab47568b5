/* reference.c - see reference.h. */
#include "config/reference.h"

#include "config/cells.h"
#include "config/datasets.h"
#include "config/experiment.h"
#include "config/methods.h"
#include "config/oracles.h"
#include "config/queries.h"
#include "config/registry.h"
#include "config/searches.h"
#include "config/sweep.h"
#include "config/synopses.h"
#include "support/numbers.h"
#include "support/text.h"
#include "tasks/task.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing: text, Markdown, roff ---- */

struct page {
    FILE *out;
    enum reference_format format;
};

/* A text as the format needs it. `code` is between backquotes. */
static void write_text(const struct page *page, const char *text)
{
    bool code = false;

    for (; *text; text++) {
        if (*text == '`' && page->format != REFERENCE_MARKDOWN) {
            code = !code;
            if (page->format == REFERENCE_MANUAL)
                fputs(code ? "\\fB" : "\\fR", page->out);
        } else if (page->format == REFERENCE_MANUAL && (*text == '-' || *text == '\\')) {
            fputs(*text == '-' ? "\\-" : "\\e", page->out);
        } else if (page->format == REFERENCE_MARKDOWN && *text == '|') {
            fputs("\\|", page->out);
        } else {
            putc(*text, page->out);
        }
    }
}

static void heading(const struct page *page, int level, const char *text)
{
    switch (page->format) {
    case REFERENCE_TEXT: fprintf(page->out, level == 1 ? "\n%s\n" : "\n  %s\n", text); break;
    case REFERENCE_MARKDOWN: fprintf(page->out, level == 1 ? "\n## %s\n\n" : "\n### %s\n\n", text); break;
    case REFERENCE_MANUAL:
        fputs(level == 1 ? ".SH " : ".SS ", page->out);
        write_text(page, text);
        putc('\n', page->out);
        break;
    }
}

static void paragraph(const struct page *page, const char *text)
{
    if (page->format == REFERENCE_MANUAL)
        fputs(".PP\n", page->out);
    else if (page->format == REFERENCE_TEXT)
        fputs("    ", page->out);
    const char initial[] = {(char)toupper((unsigned char)*text), '\0'};

    write_text(page, initial);
    write_text(page, text + (*text != '\0'));
    fputs(page->format == REFERENCE_MARKDOWN ? "\n\n" : "\n", page->out);
}

/* Whether the value is a name, not one of some numbers. */
static bool names_choices(const struct config_key *key)
{
    return key->choices && !(key->param && key->param->kind == LDP_INTEGER);
}

/* The default in words; empty where there is none, or the help says it. Malloc'd. */
static char *fallback_text(const struct config_key *key)
{
    if (key->required || isnan(key->fallback) || key->type == &config_label || key->type == &config_text ||
        key->type == &config_file || !key->type->absent || key->type->absent == config_place_absent)
        return strdup("");
    if (key->type == &config_flag || (key->param && key->param->kind == LDP_FLAG))
        return strdup(key->fallback != 0 ? "true" : "false");
    if (key->type == &config_choices) {
        char *text = strdup("");
        for (size_t i = 0; text && key->choices[i]; i++)
            if ((uint64_t)key->fallback >> i & 1) {
                char *const longer = text_format("%s%s\"%s\"", text, *text ? ", " : "", key->choices[i]);

                free(text);
                text = longer;
            }
        return text;
    }
    if (names_choices(key))
        return text_format("\"%s\"", key->choices[(size_t)key->fallback]);
    char number[NUMBER_TEXT];
    return strdup(format_number(key->fallback, number));
}

/* A simple number in the range of a key, for an example. */
static double example_number(const struct config_key *key)
{
    const bool whole = key->type == &config_whole || key->type == &config_whole_sweep ||
                       (key->param && key->param->kind == LDP_INTEGER);
    const double usual = whole ? 4 : 1;

    if (!isnan(key->fallback) && key->fallback != 0)
        return key->fallback;
    if (usual >= key->min && usual <= key->max)
        return usual;
    return whole ? key->min : (fmax(key->min, 0) + fmin(key->max, 1)) / 2;
}

/* `"epsilon": 1`. Malloc'd. */
static char *example_text(const struct config_key *key)
{
    if (key->example)
        return text_format("`\"%s\": %s`", key->name, key->example);
    if (!key->param)
        return strdup("");
    if (key->param->kind == LDP_FLAG)
        return text_format("`\"%s\": true`", key->name);
    if (names_choices(key))
        return text_format("`\"%s\": \"%s\"`", key->name, key->choices[1]);
    char number[NUMBER_TEXT];
    return text_format("`\"%s\": %s`", key->name, format_number(example_number(key), number));
}

static void write_row(const struct page *page, const struct config_key *key)
{
    char *const words = key->type->words(key), *const fallback = fallback_text(key), *const example = example_text(key);
    const char *const default_word = key->required ? "must be given" : fallback;

    if (words && fallback && example) {
        switch (page->format) {
        case REFERENCE_TEXT:
            fprintf(page->out, "    %-14s %s\n                   ", key->name, key->help ? key->help : "");
            write_text(page, words);
            fprintf(page->out, "%s%s%s%s\n", *default_word ? " (" : "",
                    !*default_word || key->required ? "" : "default ", default_word, *default_word ? ")" : "");
            break;
        case REFERENCE_MARKDOWN:
            fprintf(page->out, "| `%s` | ", key->name);
            write_text(page, words);
            fputs(" | ", page->out);
            write_text(page, default_word);
            fputs(" | ", page->out);
            write_text(page, key->help ? key->help : "");
            fputs(" | ", page->out);
            write_text(page, example);
            fputs(" |\n", page->out);
            break;
        case REFERENCE_MANUAL:
            fputs(".TP\n\\fB", page->out);
            write_text(page, key->name);
            fputs("\\fR\n", page->out);
            write_text(page, key->help ? key->help : "");
            fputs(".\nIt is ", page->out);
            write_text(page, words);
            fprintf(page->out, "%s%s", *default_word ? "; " : "", !*default_word || key->required ? "" : "default ");
            write_text(page, default_word);
            fputs(".\n", page->out);
            if (*example) {
                fputs("Example: ", page->out);
                write_text(page, example);
                fputs(".\n", page->out);
            }
            break;
        }
    }
    free(words);
    free(fallback);
    free(example);
}

static void write_table(const struct page *page, const struct config_key *keys)
{
    if (page->format == REFERENCE_MARKDOWN)
        fputs("| key | value | default | meaning | example |\n|---|---|---|---|---|\n", page->out);
    for (; keys->name; keys++)
        write_row(page, keys);
}

/* ---- What there is ---- */

/* Algorithms with their own keys; the first `common` keys of each are listed before. */
static void write_algorithms(const struct page *page, void (*names)(const char *[NAMES_MAX]),
                             void (*keys_of)(size_t, struct config_key[ALGORITHM_KEYS]), size_t common)
{
    const char *list[NAMES_MAX];

    names(list);
    for (size_t i = 0; list[i]; i++) {
        struct config_key keys[ALGORITHM_KEYS];

        keys_of(i, keys);
        if (config_count(keys) <= common)
            continue;
        heading(page, 2, list[i]);
        write_table(page, keys + common);
    }
}

/* The first keys of an algorithm, which all of its kind have. */
static void write_common(const struct page *page, void (*keys_of)(size_t, struct config_key[ALGORITHM_KEYS]),
                         size_t index, size_t common)
{
    struct config_key keys[ALGORITHM_KEYS];

    keys_of(index, keys);
    keys[common] = (struct config_key){.name = NULL};
    write_table(page, keys);
}

static size_t first_type(bool from_file)
{
    size_t i = 0;

    while (dataset_types[i]->from_file != from_file)
        i++;
    return i;
}

/* The types of files, or of laws. */
static void write_types(const struct page *page, bool from_file)
{
    char *list = strdup("");

    for (size_t i = 0; list && dataset_types[i]; i++)
        if (dataset_types[i]->from_file == from_file) {
            char *const longer =
                text_format("%s%s`%s` (%s)", list, *list ? ", " : "", dataset_types[i]->name, dataset_types[i]->title);

            free(list);
            list = longer;
        }
    if (list) {
        char *const text = text_format("`type` is one of %s.", list);

        paragraph(page, text ? text : "");
        free(text);
    }
    free(list);
}

/* The places of the types of files, or of laws, in the registry; their number. */
static size_t types_of(bool from_file, size_t place[NAMES_MAX])
{
    size_t count = 0;

    for (size_t i = 0; dataset_types[i]; i++)
        if (dataset_types[i]->from_file == from_file)
            place[count++] = i;
    return count;
}

static void type_names(bool from_file, const char *names[NAMES_MAX])
{
    size_t place[NAMES_MAX];
    const size_t count = types_of(from_file, place);

    for (size_t i = 0; i < count; i++)
        names[i] = dataset_types[place[i]]->name;
    names[count] = NULL;
}

static void law_names(const char *names[NAMES_MAX])
{
    type_names(false, names);
}

static void file_names(const char *names[NAMES_MAX])
{
    type_names(true, names);
}

/* The keys of a law by its place among the laws. */
static void law_keys_of(size_t index, struct config_key keys[ALGORITHM_KEYS])
{
    size_t place[NAMES_MAX];

    types_of(false, place);
    dataset_keys(place[index], keys);
}

static void file_keys_of(size_t index, struct config_key keys[ALGORITHM_KEYS])
{
    size_t place[NAMES_MAX];

    types_of(true, place);
    dataset_keys(place[index], keys);
}

static void write_datasets(const struct page *page)
{
    heading(page, 1, "A dataset");
    paragraph(page, "An element of `datasets` is a law, which generates counts, or a file.");
    heading(page, 2, "any law");
    write_types(page, false);
    write_common(page, dataset_keys, first_type(false), 5);
    write_algorithms(page, law_names, law_keys_of, 5);
    heading(page, 2, "any file");
    write_types(page, true);
    write_common(page, dataset_keys, first_type(true), 5);
    write_algorithms(page, file_names, file_keys_of, 5);
}

static bool is_in(const struct config_key *keys, const struct config_key *key)
{
    for (; keys->name; keys++)
        if (strcmp(keys->name, key->name) == 0 && keys->type == key->type && strcmp(keys->help, key->help) == 0)
            return true;
    return false;
}

/* The keys of a task: the names of those that it shares with the first task, and a table of the others. */
static void write_task(const struct page *page, const struct task *task)
{
    const struct config_key *const first = tasks[0]->keys;
    struct config_key own[NAMES_MAX];
    size_t count = 0, shared = 0;
    char *names = NULL, *about = NULL;
    size_t size;
    FILE *const list = open_memstream(&names, &size);

    for (const struct config_key *key = task->keys; key->name; key++)
        if (task == tasks[0] || !is_in(first, key))
            own[count++] = *key;
        else if (list)
            fprintf(list, "%s`%s`", shared++ > 0 ? ", " : "", key->name);
    own[count] = (struct config_key){.name = NULL};
    if (list && fclose(list) == 0)
        about = shared == 0 ? text_format("%s.", task->title)
                : shared == config_count(first)
                    ? text_format("%s. It has the keys of the task `%s`, and these.", task->title, tasks[0]->name)
                    : text_format("%s. It has these keys of the task `%s`: %s. Its own keys are:", task->title,
                                  tasks[0]->name, names);

    char *const title = text_format("The task %s", task->name);

    heading(page, 1, title ? title : "");
    paragraph(page, about ? about : "");
    write_table(page, own);
    free(title);
    free(about);
    free(names);
}

static void write_tasks(const struct page *page)
{
    for (size_t i = 0; tasks[i]; i++)
        write_task(page, tasks[i]);
}

static void write_head(const struct page *page)
{
    static const char about[] =
        "A config is one JSON object (RFC 8259, UTF-8). Keys that are not listed here, keys given twice and values "
        "out\n"
        "of range are errors; the message names file, line and place, what was expected and what was found.\n"
        "`configs/schema.json` holds the same rules for editors.";

    switch (page->format) {
    case REFERENCE_TEXT:
        fputs("Keys of a config\n\n", page->out);
        write_text(page, about);
        putc('\n', page->out);
        break;
    case REFERENCE_MARKDOWN:
        fputs("# Keys of a config\n\n<!-- made by: ldpbench list config --format md -->\n\n", page->out);
        write_text(page, about);
        putc('\n', page->out);
        break;
    case REFERENCE_MANUAL:
        fputs(".\\\" made by: ldpbench list config --format man\n.TH LDPBENCH\\-CONFIG 5 \"\" \"ldpbench\" \"File "
              "Formats\"\n.SH NAME\nldpbench\\-config \\- keys of a config of ldpbench\n.SH DESCRIPTION\n",
              page->out);
        write_text(page, about);
        putc('\n', page->out);
        break;
    }
}

void reference_write(FILE *out, enum reference_format format)
{
    const struct page page = {out, format};

    write_head(&page);
    heading(&page, 1, "Any config");
    write_table(&page, experiment_keys);
    write_tasks(&page);
    heading(&page, 1, "A sweep");
    paragraph(&page,
              "Where a key takes a sweep, it takes a number, a list of numbers that differ, or an object with `from`, "
              "`to` and one of `step`, `factor` and `points`.");
    write_table(&page, sweep_keys);
    heading(&page, 1, "Cells that are left out");
    paragraph(&page, "An element of `exclude` leaves out the cells that meet all of its conditions.");
    write_table(&page, exclude_keys);
    write_datasets(&page);
    heading(&page, 1, "An oracle");
    paragraph(&page, "An element of `oracles` is a name (`ldpbench list oracles`), or an object with its parameters.");
    write_common(&page, oracle_keys, 0, 2);
    write_algorithms(&page, configured_oracle_names, oracle_keys, 2);
    heading(&page, 1, "A method");
    paragraph(&page, "An element of `methods` is a name (`ldpbench list methods`), or an object with its parameters.");
    write_common(&page, method_keys, 0, 2);
    write_algorithms(&page, configured_method_names, method_keys, 2);
    heading(&page, 1, "A protocol");
    paragraph(&page,
              "An element of `protocols` is a name (`ldpbench list searches`), or an object with its parameters, "
              "each a value, a list or a sweep.");
    write_common(&page, search_keys, 0, 2);
    write_algorithms(&page, search_names, search_keys, 2);
    heading(&page, 2, "targets");
    write_table(&page, target_keys);
    heading(&page, 1, "A query");
    paragraph(&page,
              "An element of `queries` is an object, or a name (`ldpbench list queries`) where nothing else must be "
              "given.");
    write_common(&page, query_keys, 0, 2);
    write_algorithms(&page, query_names, query_keys, 2);
    heading(&page, 2, "otherwise (for a query with sets)");
    write_table(&page, random_sets_keys);
    heading(&page, 1, "A synopsis");
    paragraph(&page,
              "An element of `synopses` is a name (`ldpbench list synopses`), or an object with its parameters.");
    write_common(&page, synopsis_keys, 0, 2);
    write_algorithms(&page, synopsis_names, synopsis_keys, 2);
    heading(&page, 2, "Random marginals");
    write_table(&page, wanted_keys);
    if (format == REFERENCE_MANUAL)
        fputs(".SH SEE ALSO\n.BR ldpbench (1)\n", out);
}
