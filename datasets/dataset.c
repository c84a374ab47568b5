/* dataset.c - see dataset.h: the table of dataset types, laws and files to populations, finding files. */
#include "dataset.h"

#include "contents.h"
#include "labels.h"
#include "lines.h"
#include "queries/sample.h"
#include "records.h"
#include "strings.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DATASET(id) extern const struct dataset_type dataset_type_##id;
#include "registry.def"
#undef DATASET

#define DATASET(id) &dataset_type_##id,
const struct dataset_type *const dataset_types[] = {
#include "registry.def"
    NULL};
#undef DATASET

const struct dataset_type *dataset_type_find(const char *name)
{
    for (size_t i = 0; dataset_types[i]; i++)
        if (strcmp(dataset_types[i]->name, name) == 0)
            return dataset_types[i];
    return NULL;
}

const struct dataset_type *dataset_type_of_file(const char *path)
{
    const size_t length = text_ends_with(path, ".gz") ? strlen(path) - 3 : strlen(path);
    const struct dataset_type *first = NULL;

    for (size_t i = 0; dataset_types[i]; i++) {
        const char *const *ending = dataset_types[i]->endings;

        for (; ending && *ending; ending++)
            if (length > strlen(*ending) && strncmp(path + length - strlen(*ending), *ending, strlen(*ending)) == 0)
                return dataset_types[i];
        if (!first && dataset_types[i]->from_file)
            first = dataset_types[i];
    }
    return first;
}

/* ---- Names and keys ---- */

/* `zipf(s=1.5)`. Malloc'd. */
static char *law_text(const struct dataset_request *request)
{
    const struct dataset_type *const type = request->type;
    struct buffer text = {0};
    const char *separator = "(";

    buffer_add(&text, type->name);
    for (size_t i = 0; type->params && type->params[i].name; i++, separator = " ") {
        char number[NUMBER_TEXT];

        buffer_format(&text, "%s%s=%s", separator, type->params[i].name, format_number(request->param[i], number));
    }
    if (request->text) {
        buffer_format(&text, "%s%s=%s", separator, type->text->name, request->text);
        separator = " ";
    }
    if (*separator == ' ')
        buffer_add(&text, ")");
    return buffer_take(&text);
}

/* The file name of a path, without .gz and extension. */
static char *file_text(const char *path)
{
    const char *const slash = strrchr(path, '/');
    const char *const base = slash ? slash + 1 : path;
    size_t length = strlen(base);

    if (length > 3 && strcmp(base + length - 3, ".gz") == 0)
        length -= 3;
    const char *dot;
    for (dot = base + length - 1; dot > base && *dot != '.'; dot--)
        ;

    char *const text = xstrndup(base, dot > base ? (size_t)(dot - base) : length);

    text_clean(text);
    return text;
}

/* The identity of the data: for a file it depends on the content, not on the path or format of the file. */
static char *identity(const struct dataset_request *request, const struct dataset_strings *strings, size_t d,
                      uint64_t n, const uint64_t *counts)
{
    char *source, *const form = strings ? strings_identity(strings) : xstrdup("");

    if (request->type->from_file) {
        const struct ldp_fingerprint print = ldp_fingerprint(counts, d * sizeof *counts);

        source = contents_text(CONTENTS_FILE, &print, 1);
    } else {
        source = law_text(request);
    }
    char draw[64] = "expected";
    if (request->sampled)
        snprintf(draw, sizeof draw, "sampled|seed=%" PRIu64, request->seed);
    char *const text = xformat("%s%s%s|d=%zu|n=%" PRIu64 "|%s", source, *form ? "|" : "", form, d, n, draw);

    free(source);
    free(form);
    return text;
}

/* ---- Building ---- */

/* One multinomial draw from a separate random stream, or expected counts. */
static void draw_counts(const struct dataset_request *request, const char *key, const double *weight, size_t d,
                        uint64_t n, uint64_t *counts)
{
    if (!request->sampled) {
        dataset_round(weight, d, n, counts);
        return;
    }
    char stream[384];
    snprintf(stream, sizeof stream, "dataset|%s", key);
    struct ldp_rng rng;
    ldp_rng_stream(&rng, request->seed, stream, 0);
    ldp_multinomial(&rng, n, weight, d, counts);
}

enum { LINE_MAX_BYTES = 65536 };

static int parse_file(const struct dataset_request *request, struct dataset_table *table, struct failure *failure)
{
    const struct dataset_type *const type = request->type;
    struct lines lines;
    int result = lines_open(&lines, request->path, type->line_max ? type->line_max : LINE_MAX_BYTES, failure);

    if (result == 0)
        result = type->parse(&lines, request, table, failure);
    if (result == 0)
        lines_note(&lines, &table->notes);
    lines_close(&lines);
    return result;
}

/* The data from a law or a file. */
struct raw {
    struct dataset_table table;
    uint32_t *rank; /* [d], of the values of a law of strings; NULL: value v has rank v */
    double *weight; /* [d] */
};

static void raw_clear(struct raw *raw)
{
    labels_free(raw->table.labels, raw->table.d);
    dataset_strings_free(raw->table.strings);
    dataset_records_free(raw->table.records);
    free(raw->table.counts);
    free(raw->table.truth);
    buffer_clear(&raw->table.notes);
    free(raw->rank);
    free(raw->weight);
}

/* A law's values. */
static int generate(const struct dataset_request *request, struct raw *raw, struct failure *failure)
{
    const struct dataset_type *const type = request->type;
    struct dataset_table *const table = &raw->table;
    const size_t d = table->d = request->d;

    table->counts = xcalloc(d, sizeof *table->counts);
    raw->weight = xmalloc(d, sizeof *raw->weight);
    type->weights(request->param, d, raw->weight);
    if (!type->spell)
        return 0;

    double *const by_rank = raw->weight;

    if (type->spell(request, &table->strings, &raw->rank, failure) != 0)
        return -1;
    raw->weight = xmalloc(d, sizeof *raw->weight);
    table->labels = strings_labels(table->strings);
    for (size_t v = 0; v < d; v++)
        raw->weight[v] = by_rank[raw->rank[v]];
    free(by_rank);
    return 0;
}

/* A file's values, and how many users it has. */
static int load(const struct dataset_request *request, struct raw *raw, uint64_t *total, struct failure *failure)
{
    const struct dataset_table *const table = &raw->table;

    if (parse_file(request, &raw->table, failure) != 0)
        return -1;
    assert(table->d >= 2 && table->counts);
    raw->weight = xmalloc(table->d, sizeof *raw->weight);
    for (size_t v = 0; v < table->d; v++) {
        *total += table->counts[v];
        raw->weight[v] = (double)table->counts[v];
    }
    return 0;
}

/* Of n users with items: the truth, and a key and a name that say the size of the sample. */
static void finish_sample(struct dataset_table *table, const double *counts, uint64_t n, struct dataset *dataset)
{
    const struct ldp_fingerprint print = ldp_fingerprint(table->truth, table->d * sizeof *table->truth);
    char number[NUMBER_TEXT], *const source = contents_text(CONTENTS_FILE, &print, 1);
    char *const key = dataset->key, *const name = dataset->name;
    double total = 0;

    for (size_t v = 0; v < table->d; v++)
        total += counts[v];
    for (size_t v = 0; v < table->d; v++)
        table->truth[v] = (uint64_t)((double)table->truth[v] * ((double)n / total) + 0.5);
    dataset->key = xformat("%s|sample=%s of %s", key, format_number(table->sample, number), source);
    dataset->name = xformat("%s(sample=%s)", name, number);
    free(source);
    free(key);
    free(name);
}

/* Name, key, counts of n users, the population; takes over labels and strings. */
static int finish(const struct dataset_request *request, struct raw *raw, uint64_t n, bool drawn,
                  struct dataset *dataset, struct failure *failure)
{
    struct dataset_table *const table = &raw->table;

    dataset->key = identity(request, table->strings, table->d, n, table->counts);
    dataset->name = request->label             ? xstrdup(request->label)
                    : request->type->from_file ? file_text(request->path)
                                               : law_text(request);
    if (table->truth)
        finish_sample(table, raw->weight, n, dataset);
    if (drawn)
        draw_counts(request, dataset->key, raw->weight, table->d, n, table->counts);
    switch (table->truth
                ? ldp_population_sampled(table->counts, table->truth, table->sample, table->d, &dataset->population)
                : ldp_population_new(table->counts, table->d, &dataset->population)) {
    case LDP_OK: break;
    case LDP_ENOMEM: out_of_memory();
    default:
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: expected 2 to 2^32 - 1 values and 1 to 2^53 users, got %zu and %" PRIu64, dataset->name,
                    table->d, n);
    }
    dataset->labels = table->labels;
    dataset->strings = table->strings;
    dataset->note = table->notes.text;
    table->notes = (struct buffer){0};
    table->labels = NULL;
    table->strings = NULL;
    return 0;
}

/* Records: key and name, the users of a file are drawn with replacement if another number of users is requested. */
static int new_records(const struct dataset_request *request, struct dataset *dataset, struct failure *failure)
{
    const bool from_file = request->type->from_file;
    struct dataset_table table = {0};

    if ((from_file ? parse_file(request, &table, failure)
                   : request->type->generate(request, &table.records, failure)) != 0)
        return -1;
    dataset->records = table.records;
    dataset->note = table.notes.text;
    char *const source = dataset_records_identity(table.records);
    const bool resampled = from_file && request->n && request->n != table.records->records->n;

    if (resampled)
        dataset_records_resample(table.records, request->n, request->seed);
    char *const name = request->label ? xstrdup(request->label)
                       : from_file    ? file_text(request->path)
                                      : law_text(request);
    char *const drawn = resampled ? xformat("resampled|seed=%" PRIu64, request->seed) : xstrdup("");
    dataset->key =
        xformat("%s|d=%zu|n=%" PRIu64 "|%s", source, table.records->records->d, table.records->records->n, drawn);
    dataset->name = resampled && !request->label ? xformat("%s resampled", name) : xstrdup(name);
    free(source);
    free(name);
    free(drawn);
    return 0;
}

int dataset_new(const struct dataset_request *request, struct dataset **out, struct failure *failure)
{
    struct dataset *const dataset = xcalloc(1, sizeof *dataset);
    struct raw raw = {0};
    uint64_t total = 0;
    int result = -1;

    assert(request->type->from_file || request->n >= 1);
    if (request->type->kind == DATASET_RECORDS)
        result = new_records(request, dataset, failure);
    else if ((request->type->from_file ? load(request, &raw, &total, failure) : generate(request, &raw, failure)) ==
             0) {
        const uint64_t n = request->n ? request->n : total;

        result = finish(request, &raw, n, n != total || request->sampled, dataset, failure);
    }
    raw_clear(&raw);
    if (result == 0) {
        dataset->type = request->type;
        memcpy(dataset->param, request->param, sizeof dataset->param);
        dataset->text = request->text ? xstrdup(request->text) : NULL;
        *out = dataset;
    } else {
        dataset_free(dataset);
    }
    return result;
}

void dataset_free(struct dataset *dataset)
{
    if (!dataset)
        return;
    if (dataset->population)
        labels_free(dataset->labels, dataset->population->d);
    ldp_population_free(dataset->population);
    dataset_strings_free(dataset->strings);
    dataset_records_free(dataset->records);
    free(dataset->name);
    free(dataset->key);
    free(dataset->text);
    free(dataset->note);
    free(dataset);
}

size_t dataset_d(const struct dataset *dataset)
{
    return dataset->records ? dataset->records->records->d : dataset->population->d;
}

uint64_t dataset_n(const struct dataset *dataset)
{
    return dataset->records ? dataset->records->records->n : dataset->population->n;
}

/* ---- Finding files ---- */

struct search {
    const char *name;
    char *path;       /* found: malloc'd */
    char looked[600]; /* the folders so far, for the message */
    size_t used;
};

/* True if the search is over. length 0: the name itself. */
static bool try_folder(struct search *search, const char *folder, size_t length)
{
    struct stat status;

    search->path = xformat("%.*s%s%s", (int)length, folder, length ? "/" : "", search->name);
    if (stat(search->path, &status) == 0)
        return true;
    free(search->path);
    search->path = NULL;
    if (search->used < sizeof search->looked)
        search->used += (size_t)snprintf(search->looked + search->used, sizeof search->looked - search->used, "%s%.*s",
                                         search->used ? ", " : "", length ? (int)length : 1, length ? folder : ".");
    return false;
}

static bool try_all_folders(struct search *search, const char *referrer)
{
    static const char *const folders[] = {"data", "datasets/data"};
    const char *const slash = referrer ? strrchr(referrer, '/') : NULL;
    const char *list = getenv("LDPBENCH_DATA");

    if (try_folder(search, "", 0))
        return true;
    if (search->name[0] == '/')
        return false;
    if (slash && try_folder(search, referrer, slash > referrer ? (size_t)(slash - referrer) : 1))
        return true;
    while (list && *list) {
        const size_t length = strcspn(list, ":");

        if (length > 0 && try_folder(search, list, length))
            return true;
        list += length + (list[length] == ':');
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (try_folder(search, folders[i], strlen(folders[i])))
            return true;
    return false;
}

/* The data sets that the script knows about. */
static const char *hint(const char *name)
{
    static const char *const known[] = {"kosarak", "retail", "emoji"};
    const char *const slash = strrchr(name, '/');
    const char *const base = slash ? slash + 1 : name;

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(base, known[i], strlen(known[i])) == 0)
            return " (scripts/fetch-datasets.sh helps to get it)";
    return "";
}

char *dataset_find_file(const char *name, const char *referrer, struct failure *failure)
{
    struct search search = {.name = name};

    if (try_all_folders(&search, referrer))
        return search.path;
    if (name[0] == '/')
        fail(failure, EXIT_BAD_INPUT, "%s: no such file%s", name, hint(name));
    else
        fail(failure, EXIT_BAD_INPUT, "%s: no such file in %s%s", name, search.looked, hint(name));
    return NULL;
}
