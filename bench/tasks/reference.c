/* reference.c - every key of a config explained; see schema.h. */
#include "tasks/schema.h"

#include "config/attack_keys.h"
#include "config/cell_keys.h"
#include "config/chains.h"
#include "config/datasets.h"
#include "config/methods.h"
#include "config/oracle_keys.h"
#include "config/queries.h"
#include "config/searches.h"
#include "config/shapes.h"
#include "config/sweep.h"
#include "config/synopses.h"
#include "support/document.h"
#include "support/memory.h"
#include "tasks/experiment.h"
#include "tasks/task.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A paragraph begins with a capital. */
static void paragraph(struct document *doc, const char *text)
{
    doc_paragraph(doc, "%c%s", toupper((unsigned char)*text), text + 1);
}

static void write_text_row(struct document *doc, const struct config_key *key, const char *words, const char *fallback)
{
    fprintf(doc->out, "    %-14s %s\n                   ", key->name, key->help ? key->help : "");
    doc_put(doc, "%s%s%s%s%s\n", words, *fallback ? " (" : "", !*fallback || key->required ? "" : "default ", fallback,
            *fallback ? ")" : "");
}

static void write_row(struct document *doc, const struct config_key *key)
{
    char *const words = config_words(key), *const fallback = config_default(key), *const example = config_example(key);
    const char *const default_word = key->required ? "must be given" : fallback;

    if (doc->format == TEXT) {
        write_text_row(doc, key, words, default_word);
    } else {
        char *const name = xformat("`%s`", key->name);
        const char *const cells[] = {name, words, default_word, key->help ? key->help : "", example};
        doc_row(doc, cells, NULL, NULL, sizeof cells / sizeof *cells, false);
        free(name);
    }
    free(words);
    free(fallback);
    free(example);
}

static void write_table(struct document *doc, const struct config_key *keys)
{
    static const char *const head[] = {"key", "value", "default", "meaning", "example"};

    if (doc->format == MARKDOWN)
        doc_row(doc, head, NULL, NULL, sizeof head / sizeof *head, true);
    for (; keys->name; keys++)
        write_row(doc, keys);
}

/* ---- What there is ---- */

/* The keys that all algorithms of a kind have, which are the first `common` ones. */
static void write_common(struct document *doc, const struct algorithm_kind *kind, size_t common)
{
    struct config_key keys[ALGORITHM_KEYS];

    algorithm_keys(kind, 0, keys);
    keys[common] = (struct config_key){.name = NULL};
    write_table(doc, keys);
}

/* The algorithms that have further keys. */
static void write_own(struct document *doc, const struct algorithm_kind *kind, size_t common)
{
    for (size_t i = 0; kind->entry(i).name; i++) {
        struct config_key keys[ALGORITHM_KEYS];

        algorithm_keys(kind, i, keys);
        if (config_count(keys) <= common)
            continue;
        doc_heading(doc, 3, "%s", kind->entry(i).name);
        write_table(doc, keys + common);
    }
}

static void write_kind(struct document *doc, const char *title, const char *about, const struct algorithm_kind *kind)
{
    enum { COMMON = 2 }; /* name and label */

    doc_heading(doc, 2, "%s", title);
    paragraph(doc, about);
    write_common(doc, kind, COMMON);
    write_own(doc, kind, COMMON);
}

static void write_types(struct document *doc, const char *title, const struct algorithm_kind *kind)
{
    enum { COMMON = 5 };
    struct buffer list = {0};

    doc_heading(doc, 3, "%s", title);
    for (size_t i = 0; kind->entry(i).name; i++)
        buffer_format(&list, "%s`%s` (%s)", i > 0 ? ", " : "`type` is one of ", kind->entry(i).name,
                      kind->entry(i).title);
    buffer_add(&list, ".");
    paragraph(doc, list.text);
    buffer_clear(&list);
    write_common(doc, kind, COMMON);
    write_own(doc, kind, COMMON);
}

static void write_datasets(struct document *doc)
{
    doc_heading(doc, 2, "A dataset");
    paragraph(doc, "An element of `datasets` is a distribution, which generates counts, or a file.");
    write_types(doc, "any distribution", &law_kind);
    write_types(doc, "any file", &file_kind);
}

static bool is_in(const struct config_key *keys, const struct config_key *key)
{
    for (; keys->name; keys++)
        if (strcmp(keys->name, key->name) == 0 && keys->type == key->type && strcmp(keys->help, key->help) == 0)
            return true;
    return false;
}

/* The keys of a task: the names of those that it shares with the first task, and a table of the others. */
static void write_task(struct document *doc, const struct task *task)
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

    doc_heading(doc, 2, "%s", title);
    paragraph(doc, about.text);
    write_table(doc, own);
    free(title);
    buffer_clear(&about);
    buffer_clear(&names);
}

static void write_tasks(struct document *doc)
{
    for (size_t i = 0; tasks[i]; i++)
        write_task(doc, tasks[i]);
}

static void write_head(struct document *doc)
{
    static const char *const before[] = {
        [TEXT] = "Keys of a config\n\n",
        [MARKDOWN] =
            "# Keys of a config\n\n<!-- made by: ldpbench list config --format md -->\n\n"
            "Which keys does a config have, and which values may they take? The program wrote these tables.\n\n",
    };

    fputs(before[doc->format], doc->out);
    doc_line(doc, "A config is one JSON object (RFC 8259, UTF-8). Keys that are not listed here, keys given twice and "
                  "values out\n"
                  "of range are errors; the message names file, line and place, what was expected and what was found.\n"
                  "`configs/schema.json` holds the same rules for editors.");
    doc->last = BLOCK_PARAGRAPH;
}

void reference_write(FILE *out, enum format format)
{
    struct document doc = {.out = out, .format = format, .indent = 4};

    write_head(&doc);
    doc_heading(&doc, 2, "Any config");
    write_table(&doc, experiment_keys);
    write_tasks(&doc);
    doc_heading(&doc, 2, "A sweep");
    paragraph(&doc,
              "Where a key takes a sweep, it takes a number, a list of numbers that differ, or an object with `from`, "
              "`to` and one of `step` and `points`.");
    write_table(&doc, sweep_keys);
    doc_heading(&doc, 2, "Cells that are left out");
    paragraph(&doc, "An element of `exclude` leaves out the cells that meet all of its conditions.");
    write_table(&doc, exclude_keys);
    write_datasets(&doc);
    write_kind(&doc, "An oracle",
               "An element of `oracles` is a name (`ldpbench list oracles`), or an object with its parameters.",
               &oracle_kind);
    write_kind(&doc, "A method",
               "An element of `methods` is a name (`ldpbench list methods`), or an object with its parameters.",
               &method_kind);
    write_kind(&doc, "A protocol",
               "An element of `protocols` is a name (`ldpbench list searches`), or an object with its parameters, "
               "each a value, a list or a sweep.",
               &search_kind);
    doc_heading(&doc, 3, "targets");
    write_table(&doc, target_keys);
    write_kind(&doc, "A query",
               "An element of `queries` is an object, or a name (`ldpbench list queries`) where nothing else must be "
               "given.",
               &query_kind);
    doc_heading(&doc, 3, "otherwise (for a query with sets)");
    write_table(&doc, random_sets_keys);
    write_kind(&doc, "An attack", "An element of `attacks` is an object (`ldpbench list attacks`).", &attack_kind);
    doc_heading(&doc, 3, "targets (of an attack)");
    write_table(&doc, attack_target_keys);
    write_kind(&doc, "A synopsis",
               "An element of `synopses` is a name (`ldpbench list synopses`), or an object with its parameters.",
               &synopsis_kind);
    doc_heading(&doc, 3, "Random marginals");
    write_table(&doc, requested_keys);
    write_kind(&doc, "A chain",
               "An element of `chains` is a name (`ldpbench list chains`), or an object with its parameters.",
               &chain_kind);
    write_kind(&doc, "An evolution", "An element of `evolution` is a name, or an object with its parameters.",
               &evolution_kind);
}
