/* reference.c - see reference.h. */
#include "tasks/reference.h"

#include "config/cells.h"
#include "config/datasets.h"
#include "config/methods.h"
#include "config/oracles.h"
#include "config/queries.h"
#include "config/searches.h"
#include "config/shapes.h"
#include "config/sweep.h"
#include "config/synopses.h"
#include "support/memory.h"
#include "tasks/experiment.h"
#include "tasks/task.h"

#include <ctype.h>
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

static void write_row(const struct page *page, const struct config_key *key)
{
    char *const words = config_words(key), *const fallback = config_default(key), *const example = config_example(key);
    const char *const default_word = key->required ? "must be given" : fallback;

    switch (page->format) {
    case REFERENCE_TEXT:
        fprintf(page->out, "    %-14s %s\n                   ", key->name, key->help ? key->help : "");
        write_text(page, words);
        fprintf(page->out, "%s%s%s%s\n", *default_word ? " (" : "", !*default_word || key->required ? "" : "default ",
                default_word, *default_word ? ")" : "");
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

/* The keys that all algorithms of a kind have, which are the first `common` ones. */
static void write_common(const struct page *page, const struct algorithm_kind *kind, size_t common)
{
    struct config_key keys[ALGORITHM_KEYS];

    kind->keys(0, keys);
    keys[common] = (struct config_key){.name = NULL};
    write_table(page, keys);
}

/* The algorithms that have further keys. */
static void write_own(const struct page *page, const struct algorithm_kind *kind, size_t common)
{
    for (size_t i = 0; kind->entry(i).name; i++) {
        struct config_key keys[ALGORITHM_KEYS];

        kind->keys(i, keys);
        if (config_count(keys) <= common)
            continue;
        heading(page, 2, kind->entry(i).name);
        write_table(page, keys + common);
    }
}

static void write_kind(const struct page *page, const char *title, const char *about, const struct algorithm_kind *kind)
{
    enum { COMMON = 2 }; /* name and label */

    heading(page, 1, title);
    paragraph(page, about);
    write_common(page, kind, COMMON);
    write_own(page, kind, COMMON);
}

static void write_types(const struct page *page, const char *title, const struct algorithm_kind *kind)
{
    enum { COMMON = 5 };
    struct buffer list = {0};

    heading(page, 2, title);
    for (size_t i = 0; kind->entry(i).name; i++)
        buffer_format(&list, "%s`%s` (%s)", i > 0 ? ", " : "`type` is one of ", kind->entry(i).name,
                      kind->entry(i).title);
    buffer_add(&list, ".");
    paragraph(page, list.text);
    buffer_clear(&list);
    write_common(page, kind, COMMON);
    write_own(page, kind, COMMON);
}

static void write_datasets(const struct page *page)
{
    heading(page, 1, "A dataset");
    paragraph(page, "An element of `datasets` is a law, which generates counts, or a file.");
    write_types(page, "any law", &law_kind);
    write_types(page, "any file", &file_kind);
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
    struct buffer names = {0}, about = {0};

    for (const struct config_key *key = task->keys; key->name; key++)
        if (task == tasks[0] || !is_in(first, key))
            own[count++] = *key;
        else
            buffer_format(&names, "%s`%s`", shared++ > 0 ? ", " : "", key->name);
    own[count] = (struct config_key){.name = NULL};
    buffer_format(&about, "%s.", task->title);
    if (shared == config_count(first))
        buffer_format(&about, " It has the keys of the task `%s`, and these.", tasks[0]->name);
    else if (shared > 0)
        buffer_format(&about, " It has these keys of the task `%s`: %s. Its own keys are:", tasks[0]->name, names.text);
    char *const title = xformat("The task %s", task->name);

    heading(page, 1, title);
    paragraph(page, about.text);
    write_table(page, own);
    free(title);
    buffer_clear(&about);
    buffer_clear(&names);
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
    write_kind(&page, "An oracle",
               "An element of `oracles` is a name (`ldpbench list oracles`), or an object with its parameters.",
               &oracle_kind);
    write_kind(&page, "A method",
               "An element of `methods` is a name (`ldpbench list methods`), or an object with its parameters.",
               &method_kind);
    write_kind(&page, "A protocol",
               "An element of `protocols` is a name (`ldpbench list searches`), or an object with its parameters, "
               "each a value, a list or a sweep.",
               &search_kind);
    heading(&page, 2, "targets");
    write_table(&page, target_keys);
    write_kind(&page, "A query",
               "An element of `queries` is an object, or a name (`ldpbench list queries`) where nothing else must be "
               "given.",
               &query_kind);
    heading(&page, 2, "otherwise (for a query with sets)");
    write_table(&page, random_sets_keys);
    write_kind(&page, "A synopsis",
               "An element of `synopses` is a name (`ldpbench list synopses`), or an object with its parameters.",
               &synopsis_kind);
    heading(&page, 2, "Random marginals");
    write_table(&page, wanted_keys);
    if (format == REFERENCE_MANUAL)
        fputs(".SH SEE ALSO\n.BR ldpbench (1)\n", out);
}
