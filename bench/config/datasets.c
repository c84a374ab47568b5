/* datasets.c - see datasets.h. */
#include "config/datasets.h"

#include "config/algorithm.h"
#include "config/shapes.h"
#include "config/sweep.h"
#include "marginals/synopsis.h"
#include "support/limits.h"
#include "support/memory.h"
#include "support/registry.h"
#include "support/text.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SWEEP_D = LDP_PARAMS_MAX, SWEEP_N, SWEEPS };
enum { DRAW_EXPECTED, DRAW_SAMPLED };

struct dataset_entry {
    struct json_at at;
    const struct dataset_type *type;
    struct sweep sweeps[SWEEPS]; /* parameters, d, n; one value where none is given */
    size_t draw;
    const char *label;
    const char *text;         /* type->text */
    const char *missing;      /* of a file of cells */
    struct json_at otherwise; /* no file if it was not given */
    const char *file;         /* as written in the config, */
    char *path;               /* and the path that was found */
    bool is_standin;          /* from an "otherwise" */
    bool ordered;             /* by its key */
    bool keep_identifiers;
};

static void entry_clear(struct dataset_entry *entry)
{
    for (size_t i = 0; i < SWEEPS; i++)
        sweep_clear(&entry->sweeps[i]);
    free(entry->path);
    memset(entry, 0, sizeof *entry);
}

/* ---- Keys ---- */

static const char *const draws[] = {[DRAW_EXPECTED] = "expected", [DRAW_SAMPLED] = "sampled", NULL};

static const struct config_key law_keys[] = {
    KEY("type", "the distribution", NULL, .required = true, .type = &config_named),
    CONFIG_LABEL(struct dataset_entry, label),
    KEY("d", "values", "1024", .required = true, CONFIG_WHOLE_SWEEP(struct dataset_entry, sweeps[SWEEP_D]), .min = 2,
        .max = VALUES_MAX, .fallback = NAN),
    KEY("n", "users", "[200000, 400000]", .required = true, CONFIG_WHOLE_SWEEP(struct dataset_entry, sweeps[SWEEP_N]),
        .min = 1, .max = WHOLE_MAX, .fallback = NAN),
    KEY("draw", "expected counts, rounded, or one multinomial draw", "\"sampled\"",
        CONFIG_CHOICE(struct dataset_entry, draw), .choices = draws, .fallback = DRAW_EXPECTED),
    {.name = NULL},
};

static const struct config_type config_otherwise = {
    .form = FORM_DEFINED, .definition = "law", CONFIG_STORED(STORED_PLACE, struct json_at), .words = "a distribution"};

static const struct config_key file_keys[] = {
    KEY("type", "the format of the file", NULL, .required = true, .type = &config_named),
    CONFIG_LABEL(struct dataset_entry, label),
    KEY("file", "searched for next to the config, then in the dataset folders", "\"mine.counts\"", .required = true,
        CONFIG_FILE(struct dataset_entry, file)),
    KEY("n", "users; counts are scaled to it; default: as many as the file has", "1000000",
        CONFIG_WHOLE_SWEEP(struct dataset_entry, sweeps[SWEEP_N]), .min = 1, .max = WHOLE_MAX, .fallback = NAN),
    KEY("otherwise", "the distribution that is used instead if the file is not found",
        "{\"type\": \"zipf\", \"s\": 1.5, \"d\": 1024, \"n\": 1000000}", .type = &config_otherwise,
        CONFIG_MEMBER(struct dataset_entry, otherwise, struct json_at)),
    {.name = NULL},
};

static const struct config_key missing_key =
    KEY("missing", "cells that are missing in addition to empty ones, NA and the like, with commas between",
        "\"-9, refused\"", CONFIG_TEXT(struct dataset_entry, missing), .min = 1 /* not empty */);

static const struct config_key ordered_key = KEY("ordered", "the order of the values means something", "true",
                                                 CONFIG_FLAG(struct dataset_entry, ordered), .fallback = 0);

/* The keys of a law or of a file, with the parameters of its type. */
static void keys_of_type(const struct dataset_type *type, struct config_key keys[ALGORITHM_KEYS])
{
    const struct config_key *const common = type->from_file ? file_keys : law_keys;
    size_t count = config_count(common);

    assert(count < ALGORITHM_KEYS);
    memcpy(keys, common, count * sizeof *keys);
    if (type->kind == DATASET_COUNTS)
        keys[count++] = ordered_key;
    for (size_t i = 0; type->kind == DATASET_RECORDS && i < count; i++)
        if (strcmp(keys[i].name, "d") == 0) {
            keys[i].max = LDP_ATTRIBUTES_MAX;
            keys[i].help = "attributes";
        }
    for (size_t i = 0; type->params && type->params[i].name; i++) {
        assert(i < LDP_PARAMS_MAX && count < ALGORITHM_KEYS);
        keys[count] = algorithm_param(&type->params[i], true);
        keys[count].required = keys[count].required && !type->from_file;
        keys[count++].offset = offsetof(struct dataset_entry, sweeps) + i * sizeof(struct sweep);
    }
    assert(count + 2 < ALGORITHM_KEYS);
    if (type->text)
        keys[count++] =
            (struct config_key)KEY(type->text->name, type->text->help, type->text->example,
                                   CONFIG_TEXT(struct dataset_entry, text), .min = 1, .pattern = type->text->pattern);
    if (type->cells)
        keys[count++] = missing_key;
    keys[count] = (struct config_key){.name = NULL};
}

/* ---- Types ---- */

/* The i-th type; of those that read a file, or of laws. */
static size_t param_index(bool from_file, size_t i)
{
    size_t index = 0;

    while (dataset_types[index] && (dataset_types[index]->from_file != from_file || i-- > 0))
        index++;
    return index;
}

static struct algorithm_entry entry_at(size_t index)
{
    const struct dataset_type *const type = dataset_types[index];

    return type ? (struct algorithm_entry){.name = type->name, .title = type->title}
                : (struct algorithm_entry){.name = NULL};
}

static void keys_at(size_t index, struct config_key keys[ALGORITHM_KEYS])
{
    keys_of_type(dataset_types[index], keys);
}

static struct algorithm_entry law_at(size_t i)
{
    return entry_at(param_index(false, i));
}

static void law_keys_at(size_t i, struct config_key keys[ALGORITHM_KEYS])
{
    keys_at(param_index(false, i), keys);
}

static struct algorithm_entry file_at(size_t i)
{
    return entry_at(param_index(true, i));
}

static void file_keys_at(size_t i, struct config_key keys[ALGORITHM_KEYS])
{
    keys_at(param_index(true, i), keys);
}

#define KIND(entry_function, keys_function)                                                                            \
    {                                                                                                                  \
        .what = "a type of dataset (ldpbench list datasets)", .key = "type", .entry = entry_function,                  \
        .keys = keys_function                                                                                          \
    }
static const struct algorithm_kind dataset_kind = KIND(entry_at, keys_at);
const struct algorithm_kind law_kind = KIND(law_at, law_keys_at), file_kind = KIND(file_at, file_keys_at);

void dataset_type_names(const char *names[NAMES_MAX])
{
    algorithm_names(&dataset_kind, names);
}

/* ---- Laws ---- */

/* The keys of a law or of a file. Sweeps that no key sets have one value. */
static int keys_read(struct dataset_entry *entry, struct failure *failure)
{
    struct config_key keys[ALGORITHM_KEYS];

    keys_of_type(entry->type, keys);
    if (config_check(&entry->at, keys, NULL, failure) != 0 || config_read(&entry->at, keys, entry, failure) != 0)
        return -1;
    for (size_t i = 0; i < SWEEPS; i++)
        if (entry->sweeps[i].count == 0)
            sweep_constant(0, &entry->sweeps[i]);
    return 0;
}

/* ---- Files ---- */

int file_find(const struct json_at *object, const char *name, bool has_otherwise, char **path, struct failure *failure)
{
    struct failure missing = NO_REASON;

    *path = dataset_find_file(name, json_name(object), &missing);
    if (*path || (has_otherwise && missing.status == EXIT_BAD_INPUT))
        return 0;
    struct json_at at;
    if (missing.status == EXIT_BAD_INPUT && json_member(object, "file", &at))
        return json_fail(&at, failure, "%s", missing.text);
    *failure = missing;
    return -1;
}

static int entry_read(const struct json_at *at, unsigned kinds, bool is_standin, struct dataset_entry *entry,
                      struct failure *failure);

static int file_read(struct dataset_entry *entry, unsigned kinds, struct failure *failure)
{
    int result = -1;

    if (keys_read(entry, failure) != 0)
        return -1;

    const bool has_otherwise = entry->otherwise.file;

    if (entry->path) /* that of a command's argument */
        return 0;
    struct dataset_entry otherwise = {0};
    /* The fallback is checked even if it is not used here. */
    if ((has_otherwise && entry_read(&entry->otherwise, kinds, true, &otherwise, failure) != 0) ||
        file_find(&entry->at, entry->file, has_otherwise, &entry->path, failure) != 0)
        goto out;
    if (!entry->path) {
        entry_clear(entry);
        *entry = otherwise;
        memset(&otherwise, 0, sizeof otherwise);
    }
    result = 0;
out:
    entry_clear(&otherwise);
    return result;
}

/* Fails with the types that a task takes. */
static int wrong_kind(const struct json_at *at, unsigned kinds, struct failure *failure)
{
    char types[400];
    size_t used = 0;

    for (size_t i = 0; dataset_types[i] && used < sizeof types; i++)
        if (kinds >> dataset_types[i]->kind & 1)
            used +=
                (size_t)snprintf(types + used, sizeof types - used, "%s%s", used ? ", " : "", dataset_types[i]->name);
    struct json_at type;
    return json_require(at, "type", &type, failure) == 0
               ? json_expected(&type, failure, "a dataset of the kind that the task takes (%s)", used ? types : "none")
               : -1;
}

static int entry_read(const struct json_at *at, unsigned kinds, bool is_standin, struct dataset_entry *entry,
                      struct failure *failure)
{
    if (json_is_string(at))
        return json_expected(at, failure, "an object that describes a dataset");
    size_t index;
    if (algorithm_find(at, &dataset_kind, &index, failure) != 0)
        return -1;
    entry->at = *at;
    entry->type = dataset_types[index];
    entry->is_standin = is_standin;
    struct json_at type;
    if (is_standin && entry->type->from_file && json_member(at, "type", &type))
        return json_expected(&type, failure, "a distribution, which needs no file");
    if (!(kinds >> entry->type->kind & 1))
        return wrong_kind(at, kinds, failure);
    return entry->type->from_file ? file_read(entry, kinds, failure) : keys_read(entry, failure);
}

/* ---- The section ---- */

static double entry_points(const struct dataset_entry *entry)
{
    double points = 1;

    for (size_t i = 0; i < SWEEPS; i++)
        points *= (double)entry->sweeps[i].count;
    return points;
}

static int datasets_read(const struct config_key *key, const struct json_at *at, void *list, struct failure *failure)
{
    struct dataset_list *const out = list;
    *out = (struct dataset_list){0};
    struct json_at element;
    size_t count;
    if (json_list(at, "a list of datasets", &element, &count, failure) != 0)
        return -1;
    out->entries = xcalloc(count, sizeof *out->entries);
    out->ordered = true;
    for (size_t i = 0; i < count; i++, json_next(&element)) {
        out->nentries++;
        if (entry_read(&element, key->type->datasets, false, &out->entries[i], failure) != 0)
            return -1;
        assert(out->entries[i].type);
        out->ordered &= out->entries[i].ordered || out->entries[i].type->ordered;
        out->points += entry_points(&out->entries[i]);
    }
    return 0;
}

enum {
    LONG = 1 << 27, /* values that take seconds to make: this is said before */
    LONG_STRINGS = 1 << 22,
    VALUE_BYTES = 16,   /* a count and a weight */
    STRING_BYTES = 150, /* a string, its key, label and rank in addition to these */
    ATTRIBUTE_BYTES = 4
};

/* Refuses data that do not fit into the machine's memory, and of a dry run those that take long; says of others that
 * they do. Files are as large as they are. */
static int check_size(const struct json_at *at, const struct dataset_request *request, bool dry_run,
                      struct failure *failure)
{
    const struct dataset_type *const type = request->type;
    const double values = (double)request->d * (type->generate ? (double)request->n : 1);
    const double bytes = values * (type->generate ? ATTRIBUTE_BYTES : type->spell ? STRING_BYTES : VALUE_BYTES);
    const double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

    if (type->from_file || values < (type->spell ? LONG_STRINGS : LONG) ||
        (type->generate && values > RECORD_VALUES_MAX)) /* which it refuses */
        return 0;
    if (bytes > machine) {
        json_fail(at, failure, "making %.15g values of %s takes %.3g GB of memory, and the machine has %.3g", values,
                  type->name, bytes / 1e9, machine / 1e9);
        failure->status = EXIT_MACHINE;
        return -1;
    }
    if (dry_run)
        return json_fail(at, failure,
                         "--dry-run does not make %.15g values of %s, which takes long and %.3g GB of memory", values,
                         type->name, bytes / 1e9);
    print_message("ldpbench: %.15g values of %s take a while, and %.3g GB or more\n", values, type->name, bytes / 1e9);
    return 0;
}

static void word_memory(const void *at, struct failure *failure)
{
    json_fail(at, failure, "out of memory");
}

/* Every point of an entry's sweeps, n fastest. */
static int entry_build(const struct dataset_entry *entry, uint64_t seed, bool dry_run, struct dataset_list *out,
                       size_t *built, struct failure *failure)
{
    size_t index[SWEEPS] = {0}, i;

    do {
        struct dataset_request request = {
            .type = entry->type,
            .d = (size_t)entry->sweeps[SWEEP_D].values[index[SWEEP_D]],
            .n = (uint64_t)entry->sweeps[SWEEP_N].values[index[SWEEP_N]],
            .sampled = entry->draw == DRAW_SAMPLED,
            .seed = seed,
            .path = entry->path,
            .text = entry->text,
            .missing = entry->missing,
            .keep_identifiers = entry->keep_identifiers,
            .label = entry->label,
        };

        for (i = 0; i < LDP_PARAMS_MAX; i++)
            request.param[i] = entry->sweeps[i].values[index[i]];
        struct ldp_reason reason;
        if (entry->type->check && entry->type->check(request.param, request.text, &reason) != LDP_OK)
            return json_fail(&entry->at, failure, "%s", reason.text);
        if (check_size(&entry->at, &request, dry_run, failure) != 0)
            return -1;
        struct failure cause = NO_REASON;
        memory_for(word_memory, &entry->at);
        const int result = dataset_new(&request, &out->dataset[*built], &cause);
        memory_for(NULL, NULL);
        if (result != 0) {
            *failure = cause;
            if (entry->type->from_file && cause.status == EXIT_BAD_INPUT)
                return -1;
            json_fail(&entry->at, failure, "%s", cause.text);
            failure->status = cause.status;
            return -1;
        }
        out->is_standin[(*built)++] = entry->is_standin;
        for (i = SWEEPS; i > 0 && ++index[i - 1] == entry->sweeps[i - 1].count; i--)
            index[i - 1] = 0;
    } while (i > 0);
    return 0;
}

int dataset_read(const struct json_at *at, const char *path, bool keep_identifiers, struct dataset **out,
                 struct failure *failure)
{
    const unsigned any = DATASETS_COUNTS | DATASETS_STRINGS | DATASETS_RECORDS;
    struct dataset_entry entry = {.path = path ? xstrdup(path) : NULL, .keep_identifiers = keep_identifiers};
    bool is_standin;
    size_t built = 0;
    struct dataset_list list = {.dataset = out, .is_standin = &is_standin};
    int result = entry_read(at, any, false, &entry, failure);

    if (result == 0)
        result = entry_build(&entry, 1, false, &list, &built, failure);
    entry_clear(&entry);
    return result;
}

/* The entry of a dataset. */
static const struct dataset_entry *entry_of(const struct dataset_list *datasets, size_t dataset)
{
    const struct dataset_entry *entry = datasets->entries;

    for (double after = entry_points(entry); (double)dataset >= after; after += entry_points(entry))
        entry++;
    return entry;
}

static int check_different(const struct dataset_list *datasets, struct failure *failure)
{
    struct list_element *const identity = xcalloc(datasets->count, sizeof *identity);

    for (size_t i = 0; i < datasets->count; i++)
        identity[i] = (struct list_element){.label = datasets->dataset[i]->name,
                                            .d = dataset_d(datasets->dataset[i]),
                                            .n = dataset_n(datasets->dataset[i]),
                                            .index = i,
                                            .at = entry_of(datasets, i)->at};
    return check_identities(identity, datasets->count, "datasets that differ in label, d or n", failure);
}

int datasets_build(struct dataset_list *datasets, uint64_t seed, bool dry_run, struct failure *failure)
{
    datasets->count = (size_t)datasets->points;
    datasets->dataset = xcalloc(datasets->count, sizeof(struct dataset *));
    datasets->is_standin = xcalloc(datasets->count, sizeof *datasets->is_standin);
    size_t built = 0;
    for (size_t i = 0; i < datasets->nentries; i++)
        if (entry_build(&datasets->entries[i], seed, dry_run, datasets, &built, failure) != 0)
            return -1;
    assert(built == datasets->count);
    return check_different(datasets, failure);
}

void datasets_clear(struct dataset_list *datasets)
{
    for (size_t i = 0; datasets->entries && i < datasets->nentries; i++)
        entry_clear(&datasets->entries[i]);
    for (size_t i = 0; datasets->dataset && i < datasets->count; i++)
        dataset_free(datasets->dataset[i]);
    free(datasets->entries);
    free(datasets->dataset);
    free(datasets->is_standin);
    *datasets = (struct dataset_list){0};
}

/* ---- The key ---- */

cJSON *datasets_schema(void)
{
    cJSON *const schema = algorithms_schema(&file_kind);

    cJSON_InsertItemInArray(cJSON_GetObjectItem(schema, "anyOf"), 0, schema_reference("law"));
    return schema;
}

#define SECTION(kinds)                                                                                                 \
    {                                                                                                                  \
        CONFIG_LIST_OF(CONFIG_DEFINED("dataset")), CONFIG_STORED(STORED_BY_READER, struct dataset_list),               \
            .read = datasets_read, .datasets = kinds, .words = "a list of datasets"                                    \
    }
const struct config_type config_datasets = SECTION(DATASETS_COUNTS | DATASETS_STRINGS);
const struct config_type config_strings = SECTION(DATASETS_STRINGS);
const struct config_type config_records = SECTION(DATASETS_RECORDS);
const struct config_type config_any_datasets = SECTION(DATASETS_COUNTS | DATASETS_STRINGS | DATASETS_RECORDS);
