/* results.c - see results.h. */
#include "results/results.h"

#include "results/declared.h"
#include "results/results_private.h"
#include "run/provenance.h"
#include "run/stored.h"
#include "support/csv.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The store of a folder, or the path itself; NULL where there is none. Malloc'd. */
static char *store_path(const char *path)
{
    char *const store = folder_has(path, ".") ? xformat("%s/store.sqlite", path) : xstrdup(path);

    if (text_ends_with(store, ".sqlite") && access(store, F_OK) == 0)
        return store;
    free(store);
    return NULL;
}

/* ---- opening ---- */

/* Whether a file's header has just the columns of a table. */
static bool has_columns(const struct csv *csv, const struct table *table)
{
    for (size_t i = 0; i < table->ncolumns; i++)
        if (csv_column(csv, table->columns[i].name) == SIZE_MAX)
            return false;
    return csv->ncolumns == table->ncolumns;
}

static void add_part(struct results *results, const struct table *table, const char *path)
{
    const char *const kept = texts_keep(&results->texts, xstrdup(path));
    struct table_source *const part = ARRAY_ADD(results->part, results->count, results->room);

    *part = (struct table_source){.index = results->count - 1, .out = {.table = table, .path = kept}};
}

/* A single table: its columns decide which of the declared tables it is. */
static int open_table(struct results *results, struct failure *failure)
{
    struct csv csv;

    for (size_t i = 0; tasks[i]; i++)
        tasks[i]->tables(NULL, &results->known);
    if (csv_load(results->path, false, &csv, failure) != 0)
        return -1;
    for (size_t i = 0; i < results->known.count && results->count == 0; i++)
        if (has_columns(&csv, &results->known.table[i].table))
            add_part(results, &results->known.table[i].table, results->path);
    csv_clear(&csv);
    return results->count > 0
               ? 0
               : fail(failure, EXIT_BAD_INPUT,
                      "%s:1: expected the columns of a table that `ldpbench run` writes, got others", results->path);
}

/* The tables of a folder without a store. */
static int open_exports(struct results *results, struct failure *failure)
{
    const bool compressed = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(results->run, "compress"));
    int result = 0;

    for (size_t i = 0; tasks[i]; i++)
        tasks[i]->tables(NULL, &results->known);
    for (size_t i = 0; result == 0 && i < results->known.count; i++) {
        const struct table *const table = &results->known.table[i].table;
        char *const path = csv_path(results->path, table->file, compressed);
        struct csv csv;

        if (!path)
            out_of_memory();
        if (access(path, F_OK) == 0 && (result = csv_load(path, true, &csv, failure)) == 0) {
            if (has_columns(&csv, table))
                add_part(results, table, path);
            csv_clear(&csv);
        }
        free(path);
    }
    return result;
}

static int open_store(struct results *results, const char *path, struct failure *failure)
{
    if (stored_open(path, &results->stored, failure) != 0 ||
        declared_read(stored_rows(results->stored), path, &results->declared, failure) != 0)
        return -1;
    results->origin.has_values = true;
    for (size_t i = 0; i < results->declared.count; i++)
        add_part(results, &results->declared.table[i].table, path);
    return 0;
}

/* ---- origin ---- */

static void read_origin(struct results *results)
{
    struct results_origin *const origin = &results->origin;

    if (!results->provenance)
        return;
    origin->provenance = results->provenance;
    origin->run = results->run;
    origin->config = provenance_text(results->provenance, "config");
    origin->any_time = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(results->run, "until_decided"));
    uint64_t version;
    origin->known = provenance_whole(results->provenance, "seed", &origin->seed) &&
                    provenance_whole(results->provenance, "algorithm_version", &version);
    if (origin->known)
        origin->version = (long)version;
}

/* A stored cell's text begins with `version=V|seed=S|`; what follows is the cell. */
static int read_stored_origin(struct results *results, struct failure *failure)
{
    struct results_origin *const origin = &results->origin;

    for (size_t cell = 0; cell < stored_cells(results->stored); cell++) {
        const char *const key = stored_cell_key(results->stored, cell);
        unsigned long long seed;
        long version;
        int length = 0;

        if (sscanf(key, "version=%ld|seed=%llu|%n", &version, &seed, &length) != 2 || length == 0 ||
            (origin->known && (origin->seed != seed || origin->version != version)))
            return fail(failure, EXIT_BAD_INPUT, "%s: expected cells of one seed and version, got %.80s", results->path,
                        key);
        origin->seed = seed;
        origin->version = version;
        origin->known = true;
    }
    return 0;
}

const char *stored_cell_name(const struct stored *stored, size_t cell)
{
    const char *const key = stored_cell_key(stored, cell), *bar = strchr(key, '|');

    bar = bar ? strchr(bar + 1, '|') : NULL;
    return bar ? bar + 1 : key;
}

/* ---- What a path leads to ---- */

/* A store is opened as the folder that it is in, if that has a run.json. */
static char *folder_of(const char *path)
{
    char *const copy = xstrdup(path), *const again = xstrdup(path), *const folder = dirname(again),
                *const found = strcmp(basename(copy), "store.sqlite") == 0 && folder_has(folder, "run.json")
                                   ? xstrdup(folder)
                                   : NULL;

    free(copy);
    free(again);
    return found;
}

static int open_kind(struct results *results, struct failure *failure)
{
    struct failure ignored = NO_REASON;

    if (results->kind == RESULTS_TABLE)
        return open_table(results, failure);
    char *const store = store_path(results->path);
    if (folder_has(results->path, ".") && provenance_load(results->path, &results->provenance, &ignored) == 0)
        results->run = provenance_json(results->provenance);
    read_origin(results);
    int result;
    if (store)
        result = open_store(results, store, failure) == 0 ? read_stored_origin(results, failure) : -1;
    else if (folder_has(results->path, "."))
        result = open_exports(results, failure);
    else
        result = fail(failure, EXIT_BAD_INPUT, "%s: expected a result store, got none that can be read", results->path);
    free(store);
    return result;
}

int results_open(const char *path, struct results **out, struct failure *failure)
{
    struct results *const results = xcalloc(1, sizeof *results);
    char *const folder = text_ends_with(path, ".sqlite") ? folder_of(path) : NULL;

    *out = NULL;
    results->path = folder ? folder : xstrdup(path);
    results->kind = folder_has(results->path, ".") || text_ends_with(path, ".sqlite") ? RESULTS_FOLDER : RESULTS_TABLE;
    if (open_kind(results, failure) != 0) {
        results_close(results);
        return -1;
    }
    if (results->count == 0) {
        results_close(results);
        return fail(failure, EXIT_BAD_INPUT, "%s: expected tables that `ldpbench run` writes, got none", path);
    }
    *out = results;
    return 0;
}

void results_close(struct results *results)
{
    if (!results)
        return;
    for (size_t i = 0; i < results->count; i++)
        part_clear(&results->part[i]);
    free(results->part);
    stored_close(results->stored);
    declared_clear(&results->declared);
    tables_clear(&results->known);
    texts_clear(&results->texts);
    provenance_free(results->provenance);
    free(results->path);
    free(results);
}

enum results_kind results_kind(const struct results *results)
{
    return results->kind;
}

const struct results_origin *results_origin(const struct results *results)
{
    return &results->origin;
}

size_t results_count(const struct results *results)
{
    return results->count;
}

const struct table *results_declared(const struct results *results, size_t index)
{
    return results->part[index].out.table;
}

const struct result_table *results_table(struct results *results, size_t index, struct failure *failure)
{
    struct table_source *const part = &results->part[index];

    if (!part->loaded) {
        if ((results->stored ? part_load_rows : part_load_csv)(results, part, failure) != 0) {
            part_clear(part);
            return NULL;
        }
        part->loaded = true;
        part->out.any_time = results->origin.any_time;
    }
    return &part->out;
}

/* ---- all columns, as text ---- */

struct columns {
    const struct results *results;
    const struct table *table;
    int (*visit)(void *context, const char *const *field, size_t count, struct failure *failure);
    void *context;
    const char **field; /* [ncolumns] */
    char (*number)[NUMBER_TEXT];
};

static int visit_row(void *context, const struct row_value *value, size_t count, struct failure *failure)
{
    const struct columns *const columns = context;
    const struct rows *const rows = stored_rows(columns->results->stored);

    if (!row_fields(rows, columns->table, value, count, false, columns->field, columns->number))
        return rows_damaged(columns->results->path, failure);
    return columns->visit(columns->context, columns->field, columns->table->ncolumns, failure);
}

static int visit_csv(const struct csv *csv,
                     int (*visit)(void *context, const char *const *field, size_t count, struct failure *failure),
                     void *context, struct failure *failure)
{
    int result = 0;

    for (size_t row = 0; result == 0 && row < csv->nrows + 1; row++)
        result = visit(context, (const char *const *)csv->field + row * csv->ncolumns, csv->ncolumns, failure);
    return result;
}

int results_each(struct results *results, size_t index,
                 int (*visit)(void *context, const char *const *field, size_t count, struct failure *failure),
                 void *context, struct failure *failure)
{
    const struct table *const table = results->part[index].out.table;
    struct columns columns = {results, table, visit, context, NULL, NULL};

    if (!results->stored)
        return results_table(results, index, failure) ? visit_csv(&results->part[index].csv, visit, context, failure)
                                                      : -1;
    columns.field = xcalloc(table->ncolumns, sizeof *columns.field);
    columns.number = xcalloc(table->ncolumns, sizeof *columns.number);
    for (size_t i = 0; i < table->ncolumns; i++)
        columns.field[i] = table->columns[i].name;
    int result = visit(context, columns.field, table->ncolumns, failure);
    if (result == 0)
        result = rows_each(stored_rows(results->stored), index, visit_row, &columns, failure);
    free(columns.field);
    free(columns.number);
    return result;
}

/* ---- rows ---- */

size_t result_key_index(const struct result_table *table, const char *name)
{
    for (size_t k = 0; k < table->nkeys; k++)
        if (strcmp(table->key_name[k], name) == 0)
            return k;
    return SIZE_MAX;
}

/* The place of a part among the columns that are keys, or among the facts. */
static size_t part_index(const struct table *table, enum column_part part, bool keys)
{
    size_t place = 0;

    for (size_t i = 0; part != PART_NONE && i < table->ncolumns; i++) {
        const struct table_column *const column = &table->columns[i];

        if (keys ? !column_is_key(column) : column->role != COLUMN_FACT)
            continue;
        if (column_part(column) == part)
            return place;
        place++;
    }
    return SIZE_MAX;
}

size_t result_key_of(const struct result_table *table, enum column_part part)
{
    return part_index(table->table, part, true);
}

size_t result_fact_of(const struct result_table *table, enum column_part part)
{
    return part_index(table->table, part, false);
}

enum column_part result_key_part(const struct result_table *table, size_t key)
{
    const struct table_column *column = table->table->columns;

    while (!column_is_key(column) || key-- > 0)
        column++;
    return column_part(column);
}

const char *result_key(const struct result_table *table, size_t row, size_t key)
{
    return table->value[key].text[result_codes(table, key)[row]];
}

const uint32_t *result_codes(const struct result_table *table, size_t key)
{
    return table->code + key * table->nrows;
}

uint64_t result_identity(const struct result_table *table, size_t row, const bool *except)
{
    enum { KEYS_MAX = 64 };
    uint32_t code[KEYS_MAX];
    size_t count = 0;

    assert(table->nkeys <= KEYS_MAX);
    for (size_t k = 0; k < table->nkeys; k++)
        if (!except || !except[k])
            code[count++] = result_codes(table, k)[row];
    return ldp_fingerprint(code, count * sizeof *code).lo;
}

const char *result_fact(const struct result_table *table, size_t row, size_t fact)
{
    return table->fact[row * table->nfacts + fact];
}

const struct result_number *result_number(const struct result_table *table, size_t row, size_t measure)
{
    return &table->number[row * table->nmeasures + measure];
}

struct sample result_sample(const struct result_table *table, size_t row, size_t measure)
{
    const struct result_number *const number = result_number(table, row, measure);

    return (struct sample){.n = number->n,
                           .mean = number->mean,
                           .sd = number->sd,
                           .value = number->value,
                           .exact = number->exact && !number->value,
                           .length = number->value ? number->repetitions : 0};
}

struct row_contest result_contest(const struct result_table *table, const size_t *row, size_t count, size_t measure,
                                  double level)
{
    const struct ldp_measure *const measures = table->table->measures;
    const size_t share = contest_condition(measures, measure);
    struct row_contest out = {.sample = xcalloc(2 * count, sizeof *out.sample)};

    for (size_t i = 0; i < count; i++) {
        out.sample[i] = result_sample(table, row[i], measure);
        if (share != SIZE_MAX)
            out.sample[count + i] = result_sample(table, row[i], share);
    }
    out.contest = contest_of(out.sample, count, &measures[measure], level, table->any_time);
    if (share != SIZE_MAX) {
        out.contest.share = out.sample + count;
        out.contest.least = measures[share].target;
    }
    return out;
}

void result_contest_clear(struct row_contest *contest)
{
    free(contest->sample);
}

struct verdict result_judge(const struct result_table *table, const size_t *row, size_t count, size_t measure,
                            double level)
{
    struct row_contest of = result_contest(table, row, count, measure, level);
    const struct verdict verdict = contest_judge(&of.contest);

    result_contest_clear(&of);
    return verdict;
}
