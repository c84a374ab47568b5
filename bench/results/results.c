/* results.c - see results.h. It has over 500 lines: a store is opened, its tables are read, and their rows are asked
 * for.
 */
#include "results/results.h"

#include "run/provenance.h"
#include "run/stored.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One table, and what `out` points to. */
struct table_source {
    struct result_table out;
    const char **names, **facts, **cells;
    struct interned *key_texts, fact_texts;
    uint32_t *key_codes;
    int64_t *collections;
    struct result_number *numbers;
    double **values;
    size_t nvalues, values_room;
};

struct results {
    char *path;
    struct results_origin origin;
    struct provenance *provenance; /* NULL: there is no run.json */
    struct task_tables known;      /* by this program's tasks */
    struct task_tables declared;   /* by the store: what of these it has */
    struct stored *stored;
    struct table_source *part; /* [count] */
    size_t count;
};

/* ---- opening ---- */

static size_t find_column(const struct table *table, const cJSON *name)
{
    size_t i = 0;

    while (i < table->ncolumns && !(cJSON_IsString(name) && strcmp(name->valuestring, table->columns[i].name) == 0))
        i++;
    return i;
}

/* Adds a table of this program with the columns that a store declares, and with their measures. Whether it has them. */
static bool add_declared(struct task_tables *declared, const struct table *known, const cJSON *columns)
{
    struct task_table table = {.table = *known};
    size_t of[ROW_MEASURES] = {0}, i = 0;
    bool has[ROW_MEASURES] = {false};
    const cJSON *column;

    table.table.ncolumns = (size_t)cJSON_GetArraySize(columns);
    table.table.columns = table.owned = xcalloc(table.table.ncolumns + 1, sizeof *table.owned);
    table.table.measures = table.chosen = xcalloc(ROW_MEASURES + 1, sizeof *table.chosen);
    cJSON_ArrayForEach(column, columns)
    {
        const size_t at = find_column(known, column);

        if (at == known->ncolumns)
            break;
        table.owned[i++] = known->columns[at];
        if (known->columns[at].role == COLUMN_MEAN)
            has[known->columns[at].of] = true;
    }
    for (size_t m = 0, count = 0; known->measures[m].name; m++)
        if (has[m]) {
            of[m] = count;
            table.chosen[count++] = known->measures[m];
        }
    for (size_t k = 0; k < i; k++)
        if (table.owned[k].role >= COLUMN_MEAN)
            table.owned[k].of = of[table.owned[k].of];
    tables_add(declared, &table);
    return i > 0 && i == table.table.ncolumns;
}

static int open_tables(struct results *results, const char *path, struct failure *failure)
{
    const struct rows *const rows = stored_rows(results->stored);

    for (size_t i = 0; tasks[i]; i++)
        tasks[i]->tables(NULL, &results->known);
    for (size_t i = ROWS_OF_TABLES; i < rows->ntables; i++) {
        cJSON *const json = cJSON_Parse(rows->table[i].declaration);
        const size_t length = strlen(rows->table[i].name);
        bool found = false;

        for (size_t k = 0; !found && k < results->known.count; k++) {
            const struct table *const table = &results->known.table[k].table;

            if (strncmp(table->file, rows->table[i].name, length) == 0 && strcmp(table->file + length, ".csv") == 0)
                found = add_declared(&results->declared, table, cJSON_GetObjectItemCaseSensitive(json, "columns"));
        }
        cJSON_Delete(json);
        if (!found)
            return fail(failure, EXIT_BAD_INPUT,
                        "%s: %s: expected a table of this version of ldpbench; run the experiment again", path,
                        SHOWN(rows->table[i].name));
    }
    results->count = results->declared.count;
    results->part = xcalloc(results->count, sizeof *results->part);
    for (size_t i = 0; i < results->count; i++)
        results->part[i].out = (struct result_table){
            .table = &results->declared.table[i].table, .path = rows->file->path, .any_time = results->origin.any_time};
    return 0;
}

/* ---- origin ---- */

static void read_origin(struct results *results)
{
    struct results_origin *const origin = &results->origin;

    if (!results->provenance)
        return;
    origin->provenance = results->provenance;
    origin->run = provenance_json(results->provenance);
    origin->config = provenance_text(results->provenance, "config");
    origin->any_time = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(origin->run, "until_decided"));
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
            (cell > 0 && (origin->seed != seed || origin->version != version)))
            return fail(failure, EXIT_BAD_INPUT, "%s: expected cells of one seed and version, got %.80s", results->path,
                        key);
        origin->seed = seed;
        origin->version = version;
    }
    return 0;
}

/* A cell's canonical text without the part that all cells share. */
static const char *stored_cell_name(const struct stored *stored, size_t cell)
{
    const char *const key = stored_cell_key(stored, cell), *bar = strchr(key, '|');

    bar = bar ? strchr(bar + 1, '|') : NULL;
    return bar ? bar + 1 : key;
}

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

int results_open(const char *path, struct results **out, struct failure *failure)
{
    struct results *const results = xcalloc(1, sizeof *results);
    struct failure ignored = NO_REASON;
    char *const folder = text_ends_with(path, ".sqlite") ? folder_of(path) : NULL;
    char *store = xstrdup(path);

    results->path = folder ? folder : xstrdup(path);
    if (folder_has(results->path, ".")) {
        free(store);
        store = xformat("%s/store.sqlite", results->path);
        provenance_load(results->path, &results->provenance, &ignored);
    }
    read_origin(results);
    int result = -1;
    if (!text_ends_with(store, ".sqlite") || access(store, F_OK) != 0)
        fail(failure, EXIT_BAD_INPUT, "%s: expected a folder of results with its store, or a store, got none", path);
    else if (stored_open(store, &results->stored, failure) == 0 && open_tables(results, store, failure) == 0)
        result = read_stored_origin(results, failure);
    free(store);
    if (result != 0)
        results_close(results);
    *out = result == 0 ? results : NULL;
    return result;
}

static void part_clear(struct table_source *part)
{
    free(part->names);
    for (size_t k = 0; k < part->out.nkeys; k++)
        interned_clear(&part->key_texts[k]);
    free(part->key_texts);
    free(part->key_codes);
    free(part->facts);
    interned_clear(&part->fact_texts);
    free(part->cells);
    free(part->collections);
    free(part->numbers);
    for (size_t i = 0; i < part->nvalues; i++)
        free(part->values[i]);
    free(part->values);
}

void results_close(struct results *results)
{
    if (!results)
        return;
    for (size_t i = 0; i < results->count; i++)
        part_clear(&results->part[i]);
    free(results->part);
    stored_close(results->stored);
    tables_clear(&results->known);
    tables_clear(&results->declared);
    provenance_free(results->provenance);
    free(results->path);
    free(results);
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

/* ---- reading a table ---- */

static void part_make_room(struct table_source *part, size_t nrows)
{
    struct result_table *const out = &part->out;

    out->nrows = nrows;
    out->nkeys = out->nfacts = 0;
    out->nmeasures = ldp_measures_count(out->table->measures);
    part->names = xcalloc(out->table->ncolumns + 1, sizeof *part->names);
    out->experiment = SIZE_MAX;
    for (size_t i = 0; i < out->table->ncolumns; i++)
        if (column_is_key(&out->table->columns[i])) {
            if (out->table->columns[i].role == COLUMN_EXPERIMENT)
                out->experiment = out->nkeys;
            part->names[out->nkeys++] = out->table->columns[i].name;
        }
    for (size_t i = 0; i < out->table->ncolumns; i++)
        if (out->table->columns[i].role == COLUMN_FACT)
            part->names[out->nkeys + out->nfacts++] = out->table->columns[i].name;
    part->key_texts = xcalloc(out->nkeys + 1, sizeof *part->key_texts);
    part->key_codes = xcalloc(nrows * out->nkeys + 1, sizeof *part->key_codes);
    part->facts = xcalloc(nrows * out->nfacts + 1, sizeof *part->facts);
    part->cells = xcalloc(nrows + 1, sizeof *part->cells);
    part->collections = xcalloc(nrows + 1, sizeof *part->collections);
    part->numbers = xcalloc(nrows * out->nmeasures + 1, sizeof *part->numbers);
    out->key_name = part->names;
    out->fact_name = part->names + out->nkeys;
    out->value = part->key_texts;
    out->code = part->key_codes;
    out->fact = part->facts;
    out->number = part->numbers;
    for (size_t i = 0; i < nrows * out->nmeasures; i++)
        part->numbers[i] = (struct result_number){.mean = NAN, .sd = NAN, .stderr_ = NAN};
}

static void number_take(struct result_number *number, enum column_role role, double value)
{
    switch (role) {
    case COLUMN_MEAN: number->mean = value; break;
    case COLUMN_SD: number->sd = value; break;
    case COLUMN_VARIANCE: number->sd = sqrt(value); break;
    case COLUMN_STDERR: number->stderr_ = value; break;
    default: number->n = value >= 0 && value <= 1e9 ? (size_t)value : 0;
    }
}

/* Completes a number by what its columns leave out: n, the standard deviation or error. */
static void number_complete(const struct table *table, size_t m, struct result_number *number)
{
    const bool sd = table_column(table, COLUMN_SD, m) || table_column(table, COLUMN_VARIANCE, m),
               error = table_column(table, COLUMN_STDERR, m), defined = table_column(table, COLUMN_DEFINED, m);

    if (!defined)
        number->n = isnan(number->mean) ? 0 : number->repetitions;
    number->exact =
        !sd && !error && !defined && !table_column(table, COLUMN_REPETITIONS, 0) && !table->measures[m].timed;
    if (!sd)
        number->sd = number->stderr_ * sqrt((double)number->n);
    if (!error)
        number->stderr_ = number->sd / sqrt((double)number->n);
}

/* Rows that are read. */
struct loading {
    struct results *results;
    struct table_source *part;
    const char **field; /* [ncolumns]: texts of the row */
    char (*number)[NUMBER_TEXT];
    size_t row;
};

/* The value of every repetition, and whether the numbers are those that the values give. */
static int take_values(struct loading *loading, struct result_number *number, size_t m, size_t cell, int64_t series,
                       struct failure *failure)
{
    const struct table *const table = loading->part->out.table;

    if (series < 0 || (size_t)series >= stored_series_count(loading->results->stored, cell))
        return rows_damaged(loading->part->out.path, failure);
    double *const value = xmalloc(number->repetitions, sizeof *value);
    *ARRAY_ADD(loading->part->values, loading->part->nvalues, loading->part->values_room) = value;
    if (stored_values(loading->results->stored, cell, (size_t)series, value, failure) != 0)
        return -1;
    number->value = value;
    const struct summary summary = summarise(number->value, number->repetitions);
    if (!table_column(table, COLUMN_DEFINED, m))
        number->n = summary.n; /* the table does not say in how many repetitions the number is defined */
    number->differs = number->n != summary.n || !same_number(number->mean, summary.mean) ||
                      (table_column(table, COLUMN_SD, m) && !same_number(number->sd, summary.sd)) ||
                      (table_column(table, COLUMN_STDERR, m) && !same_number(number->stderr_, summary.stderr_));
    number->sd = number->differs ? number->sd : summary.sd;
    return 0;
}

/* Completes the numbers of a row. series: of each measure. */
static int finish_numbers(struct loading *loading, size_t row, size_t cell, const struct row_value *series,
                          struct failure *failure)
{
    struct table_source *const part = loading->part;

    for (size_t m = 0; m < part->out.nmeasures; m++) {
        struct result_number *const number = &part->numbers[row * part->out.nmeasures + m];

        number_complete(part->out.table, m, number);
        if (series[m].type == ROW_WHOLE && take_values(loading, number, m, cell, series[m].whole, failure) != 0)
            return -1;
    }
    return 0;
}

static int take_row(void *context, const struct row_value *value, size_t count, struct failure *failure)
{
    struct loading *const loading = context;
    struct table_source *const part = loading->part;
    const struct table *const table = part->out.table;
    const struct rows *const rows = stored_rows(loading->results->stored);
    const size_t row = loading->row, nmeasures = part->out.nmeasures;
    const struct row_value *own = value + 2;
    size_t key = 0, fact = 0, columns = 2 + nmeasures;

    for (size_t i = 0; i < table->ncolumns; i++)
        columns += column_is_of_row(&table->columns[i]);
    if (row >= part->out.nrows || count != columns ||
        !row_fields(rows, table, value, count, true, loading->field, loading->number))
        return rows_damaged(loading->part->out.path, failure);
    const size_t cell = (size_t)value[1].whole;
    for (size_t m = 0; m < nmeasures; m++)
        part->numbers[row * nmeasures + m].repetitions = rows->cell[cell].repetitions;
    for (size_t i = 0; i < table->ncolumns; i++) {
        const struct table_column *const column = &table->columns[i];

        if (column->role >= COLUMN_MEAN)
            number_take(&part->numbers[row * nmeasures + column->of], column->role,
                        own->type == ROW_REAL    ? own->real
                        : own->type == ROW_WHOLE ? (double)own->whole
                                                 : NAN);
        if (column_is_key(column))
            part->key_codes[key * part->out.nrows + row] = intern(&part->key_texts[key], loading->field[i]), key++;
        if (column->role == COLUMN_FACT) {
            const uint32_t text = intern(&part->fact_texts, loading->field[i]);

            part->facts[row * part->out.nfacts + fact++] = part->fact_texts.text[text];
        }
        own += column_is_of_row(column);
    }
    part->cells[row] = stored_cell_name(loading->results->stored, cell);
    part->collections[row] = rows->cell[cell].collection;
    loading->row++;
    return finish_numbers(loading, row, cell, own, failure);
}

const struct result_table *results_table(struct results *results, size_t index, struct failure *failure)
{
    struct table_source *const part = &results->part[index];
    const struct rows *const rows = stored_rows(results->stored);
    struct loading loading = {.results = results, .part = part};

    if (part->names)
        return &part->out;
    part_make_room(part, (size_t)rows->table[ROWS_OF_TABLES + index].rows);
    loading.field = xcalloc(part->out.table->ncolumns, sizeof *loading.field);
    loading.number = xcalloc(part->out.table->ncolumns, sizeof *loading.number);
    /* No row is there twice: their checksum is that of what `run` wrote. */
    const int result = rows_each(rows, index, take_row, &loading, failure);
    free(loading.field);
    free(loading.number);
    if (part->values) {
        part->out.cell = part->cells;
        part->out.collection = part->collections;
    }
    if (result == 0)
        return &part->out;
    part_clear(part);
    *part = (struct table_source){.out = {part->out.table, part->out.path, part->out.any_time}};
    return NULL;
}

/* ---- all columns, as text ---- */

struct columns {
    const struct rows *rows;
    const struct table *table;
    int (*visit)(void *context, const char *const *field, size_t count, struct failure *failure);
    void *context;
    const char **field; /* [ncolumns] */
    char (*number)[NUMBER_TEXT];
};

static int visit_row(void *context, const struct row_value *value, size_t count, struct failure *failure)
{
    const struct columns *const columns = context;

    if (!row_fields(columns->rows, columns->table, value, count, false, columns->field, columns->number))
        return rows_damaged(columns->rows->file->path, failure);
    return columns->visit(columns->context, columns->field, columns->table->ncolumns, failure);
}

int rows_each_text(const struct rows *rows, const struct table *table, size_t index,
                   int (*visit)(void *context, const char *const *field, size_t count, struct failure *failure),
                   void *context, struct failure *failure)
{
    struct columns columns = {rows, table, visit, context, NULL, NULL};

    columns.field = xcalloc(table->ncolumns, sizeof *columns.field);
    columns.number = xcalloc(table->ncolumns, sizeof *columns.number);
    for (size_t i = 0; i < table->ncolumns; i++)
        columns.field[i] = table->columns[i].name;
    int result = visit(context, columns.field, table->ncolumns, failure);
    if (result == 0)
        result = rows_each(rows, index, visit_row, &columns, failure);
    free(columns.field);
    free(columns.number);
    return result;
}

int results_each(struct results *results, size_t index,
                 int (*visit)(void *context, const char *const *field, size_t count, struct failure *failure),
                 void *context, struct failure *failure)
{
    return rows_each_text(stored_rows(results->stored), results->part[index].out.table, index, visit, context, failure);
}

/* ---- rows ---- */

size_t result_key_index(const struct result_table *table, const char *name)
{
    for (size_t k = 0; k < table->nkeys; k++)
        if (strcmp(table->key_name[k], name) == 0)
            return k;
    return SIZE_MAX;
}

/* The index of a part among the columns that are keys, or among the facts. */
static size_t part_index(const struct table *table, enum column_part part, bool keys)
{
    size_t index = 0;

    for (size_t i = 0; part != PART_NONE && i < table->ncolumns; i++) {
        const struct table_column *const column = &table->columns[i];

        if (keys ? !column_is_key(column) : column->role != COLUMN_FACT)
            continue;
        if (column_part(column) == part)
            return index;
        index++;
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

struct row_setting result_setting(const struct result_table *table, const size_t *row, size_t count, size_t measure,
                                  double level)
{
    const struct ldp_measure *const measures = table->table->measures;
    const size_t share = setting_condition(measures, measure);
    struct row_setting out = {.sample = xcalloc(2 * count, sizeof *out.sample)};

    for (size_t i = 0; i < count; i++) {
        out.sample[i] = result_sample(table, row[i], measure);
        if (share != SIZE_MAX)
            out.sample[count + i] = result_sample(table, row[i], share);
    }
    out.setting = setting_of(out.sample, count, &measures[measure], level, table->any_time);
    if (share != SIZE_MAX) {
        out.setting.share = out.sample + count;
        out.setting.least = measures[share].target;
    }
    return out;
}

void result_setting_clear(struct row_setting *setting)
{
    free(setting->sample);
}

struct setting_result result_judge(const struct result_table *table, const size_t *row, size_t count, size_t measure,
                                   double level)
{
    struct row_setting of = result_setting(table, row, count, measure, level);
    const struct setting_result result = setting_compare(&of.setting);

    result_setting_clear(&of);
    return result;
}

/* A number that is the same for rows with the same keys, without those of except[nkeys]. */
static uint64_t identity_of(const struct result_table *table, size_t row, const bool *except)
{
    enum { KEYS_MAX = 64 };
    uint32_t code[KEYS_MAX];
    size_t count = 0;

    assert(table->nkeys <= KEYS_MAX);
    for (size_t k = 0; k < table->nkeys; k++)
        if (!except[k])
            code[count++] = result_codes(table, k)[row];
    return ldp_fingerprint(code, count * sizeof *code).lo;
}

struct row_groups result_groups(const struct result_table *table, const size_t *row, size_t count,
                                const bool *differing)
{
    bool *const except = xcalloc(table->nkeys + 1, sizeof *except);
    size_t *const of = xcalloc(count, sizeof *of), found = 0;
    struct index_map known = {0};

    for (size_t k = 0; k < table->nkeys; k++)
        except[k] = differing[k] || k == table->experiment;
    for (size_t i = 0; i < count; i++) {
        int32_t *const group = index_map_at(&known, identity_of(table, row[i], except));

        *group = *group == NONE ? (int32_t)found++ : *group;
        of[i] = (size_t)*group;
    }
    index_map_clear(&known);
    free(except);
    struct row_groups groups = {xcalloc(count, sizeof(size_t)), xcalloc(found + 2, sizeof(size_t)), found};
    for (size_t i = 0; i < count; i++)
        groups.first[of[i] + 2]++;
    for (size_t g = 2; g < groups.count + 2; g++)
        groups.first[g] += groups.first[g - 1];
    for (size_t i = 0; i < count; i++)
        groups.row[groups.first[of[i] + 1]++] = row[i];
    free(of);
    return groups;
}

void result_groups_clear(struct row_groups *groups)
{
    free(groups->row);
    free(groups->first);
    *groups = (struct row_groups){0};
}
