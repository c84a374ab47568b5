/* evidence.c - see agreement.h. */
#include "agreement/agreement.h"

#include "run/provenance.h"
#include "run/store_file.h"
#include "support/input.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/registry.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- runs ---- */

void evidence_clear(struct evidence *evidence)
{
    for (size_t i = 0; i < evidence->runs; i++) {
        struct evidence_run *const run = evidence->run[i];

        for (size_t j = 0; j < run->nfound; j++)
            results_close(run->results[j]);
        interned_clear(&run->datasets);
        free(run->results);
        free(run->name);
        free(run);
    }
    while (evidence->nkept > 0)
        free(evidence->kept[--evidence->nkept]);
    free(evidence->kept);
    free(evidence->run);
    free(evidence->configs);
}

/* The datasets of the first results of a run, in their order. */
static int list_datasets(struct evidence_run *run, struct failure *failure)
{
    for (size_t t = 0; t < results_count(run->results[0]); t++) {
        const struct result_table *const table = results_table(run->results[0], t, failure);

        if (!table)
            return -1;
        const size_t key = result_key_of(table, PART_DATASET);
        for (size_t i = 0; key != SIZE_MAX && i < table->value[key].count; i++)
            intern(&run->datasets, table->value[key].text[i]);
    }
    return 0;
}

/* Demands that a folder's results are of the config of their name, where there is one. */
static int check_config(const struct evidence *evidence, const char *name, const char *path, const char *ran,
                        struct failure *failure)
{
    char *const config = xformat("%s/%s.json", evidence->configs, name), *text = NULL;
    size_t size;
    int result = 0;

    if (ran && access(config, R_OK) == 0)
        result = input_read_regular(config, INPUT_MAX_MIB, &text, &size, failure);
    if (result == 0 && text && strcmp(text, ran) != 0)
        result = fail(failure, EXIT_BAD_INPUT, "%s: results of another config than %s: run that one into this folder",
                      path, config);
    free(text);
    free(config);
    return result;
}

/* Opens the results of a run where a folder has them: RUN in a folder of several, or the folder itself if it is named
 * so. */
static int open_run(struct evidence *evidence, struct evidence_run *run, const char *folder, struct failure *failure)
{
    if (access(folder, R_OK | X_OK) != 0)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a folder of results", folder);
    char *const copy = xstrdup(folder);
    const bool is_run = folder_has(folder, "run.json") && strcmp(basename(copy), run->name) == 0;
    char *const path = is_run ? xstrdup(folder) : xformat("%s/%s", folder, run->name);
    struct results **const results = &run->results[run->nfound];
    int result = 0;

    if (folder_has(path, "run.json")) {
        run->nfound++;
        result = results_open(path, results, failure);
        if (result == 0)
            result = check_config(evidence, run->name, path, results_origin(*results)->config, failure);
    }
    free(copy);
    free(path);
    return result;
}

struct evidence_run *evidence_run(struct evidence *evidence, const char *name, struct failure *failure)
{
    for (size_t i = 0; i < evidence->runs; i++)
        if (strcmp(evidence->run[i]->name, name) == 0)
            return evidence->run[i];
    struct evidence_run *const run = xcalloc(1, sizeof *run);
    *ARRAY_ADD(evidence->run, evidence->runs, evidence->run_room) = run;
    *run = (struct evidence_run){.name = xstrdup(name), .results = xcalloc(evidence->nfolders, sizeof *run->results)};
    for (size_t i = 0; i < evidence->nfolders; i++)
        if (open_run(evidence, run, evidence->folders[i], failure) != 0)
            return NULL;
    return run->nfound == 0 || list_datasets(run, failure) == 0 ? run : NULL;
}

/* ---- numbers of a row ---- */

/* A row's text in a column of keys or facts; NULL where there is none. */
static const char *field_of(const struct result_table *table, size_t row, const char *name)
{
    const size_t key = result_key_index(table, name);

    for (size_t i = 0; key == SIZE_MAX && i < table->nfacts; i++)
        if (strcmp(table->fact_name[i], name) == 0) /* NOLINT */
            return result_fact(table, row, i);
    return key == SIZE_MAX ? NULL : result_key(table, row, key);
}

/* The number in a column or, if there is none of that name, in a parameter of the oracle's label; infinite: none. */
static double x_number(const struct result_table *table, size_t row, const char *name)
{
    const size_t oracle = result_key_of(table, PART_ORACLE);
    const char *const field = name ? field_of(table, row, name) : "";
    const double x = field                ? text_number(field)
                     : oracle == SIZE_MAX ? (double)NAN
                                          : label_number(result_key(table, row, oracle), name);

    return isnan(x) ? INFINITY : x;
}

/* The index of a measure in a table; SIZE_MAX where it has none of that name. */
static size_t measure_of(const struct result_table *table, const char *name)
{
    size_t m = 0;

    while (m < table->nmeasures && strcmp(table->table->measures[m].name, name) != 0)
        m++;
    return m < table->nmeasures ? m : SIZE_MAX;
}

/* Whether a table has the variation of a measure over repetitions. A measure without it is exact, such as the bits of a
 * report. */
static bool has_error(const struct result_table *table, size_t measure)
{
    return table_column(table->table, COLUMN_SD, measure) || table_column(table->table, COLUMN_VARIANCE, measure) ||
           table_column(table->table, COLUMN_STDERR, measure) || table->number[measure].value;
}

/* A number of a row as a sample: of a fact or a key, its value alone (with its column NAME_stderr, where there is
 * one). */
static struct sample sample_at(const struct result_table *table, size_t row, const char *name)
{
    const size_t measure = measure_of(table, name);

    if (measure != SIZE_MAX && has_error(table, measure))
        return result_sample(table, row, measure);
    if (measure != SIZE_MAX)
        return (struct sample){.n = 2, .mean = result_number(table, row, measure)->mean};
    char *const column = xformat("%s_stderr", name);
    const char *const error = field_of(table, row, column);
    free(column);
    return (struct sample){
        .n = 2, .mean = text_number(field_of(table, row, name)), .sd = error ? sqrt(2) * text_number(error) : 0};
}

/* Where several folders have the run, its mean in each is one number of the sample: other processes, or other draws. */
static int sample_runs(struct evidence *evidence, const struct evidence_run *run, size_t t, size_t row,
                       const char *measure, struct evidence_point *point, struct failure *failure)
{
    const struct result_table *const first = results_table(run->results[0], t, failure);
    double *const value = xcalloc(run->nfound, sizeof *value);

    *ARRAY_ADD(evidence->kept, evidence->nkept, evidence->kept_room) = value;
    for (size_t i = 0; i < run->nfound; i++) {
        struct results *const results = run->results[i];
        const struct result_table *const other = t < results_count(results) ? results_table(results, t, failure) : NULL;
        bool same = first && other && other->nkeys == first->nkeys && row < other->nrows;

        for (size_t key = 0; same && key < first->nkeys; key++)
            same = strcmp(result_key(first, row, key), result_key(other, row, key)) == 0;
        if (!same)
            return fail(failure, EXIT_BAD_INPUT, "%s: expected the rows of the first folder",
                        other ? other->path : run->name);
        value[i] = sample_at(other, row, measure).mean;
    }
    point->sample = sample_of(value, run->nfound);
    point->by_run = true;
    return 0;
}

/* ---- selections ---- */

/* Whether a field matches an item of a selection: a number of that value, or a text that matches the pattern. */
static bool field_matches(const char *field, const cJSON *item)
{
    char *end;
    const double value = strtod(field, &end);

    return cJSON_IsString(item) ? pattern_matches(item->valuestring, field)
                                : end != field && fabs(value - item->valuedouble) <= 1e-9 * fabs(item->valuedouble);
}

/* Whether a selection (column to value) names a row of a dataset; none where the table lacks a column of it. */
static bool is_selected(const struct result_table *table, size_t row, const char *dataset, const cJSON *selection)
{
    const size_t data = result_key_of(table, PART_DATASET);
    bool in = data != SIZE_MAX && strcmp(result_key(table, row, data), dataset) == 0;
    const cJSON *item;

    cJSON_ArrayForEach(item, selection)
    {
        const size_t key = result_key_index(table, item->string);

        in = in && (is_selection_option(item->string) ||
                    (key != SIZE_MAX && field_matches(result_key(table, row, key), item)));
    }
    return in;
}

/* ---- curves ---- */

/* By x; of equal ones in the order of rows. */
static int by_x(const void *a, const void *b)
{
    const struct evidence_point *const p = a, *const q = b;

    return p->x < q->x ? -1 : p->x > q->x ? 1 : (p->row > q->row) - (p->row < q->row);
}

static int fail_rows(const struct claim *claim, const char *dataset, const char *measure, const cJSON *selection,
                     const char *what, struct failure *failure)
{
    char *const text = cJSON_PrintUnformatted(selection);
    const int result = fail(failure, EXIT_BAD_INPUT, "claim %s: %s: %s of %s for %s", claim->id, dataset, what, measure,
                            text ? text : "a selection");

    cJSON_free(text);
    return result;
}

/* Sorts points by x. Of several at one x that are the same number, one stays; false where they are not. */
static bool sort_points(struct curve *curve)
{
    size_t kept = 0;

    if (curve->count > 0)
        qsort(curve->point, curve->count, sizeof *curve->point, by_x);
    for (size_t i = 0; i < curve->count; i++) {
        const struct evidence_point *const point = &curve->point[i], *const last = &curve->point[kept - (kept > 0)];

        if (kept > 0 && last->x == point->x && last->sample.mean != point->sample.mean)
            return false;
        if (kept == 0 || last->x != point->x)
            curve->point[kept++] = *point;
    }
    curve->count = kept;
    return true;
}

/* The points of a table's rows. */
static int take_points(struct evidence *evidence, const struct evidence_run *run, size_t t, const struct claim *claim,
                       const char *dataset, const char *measure, const cJSON *selection, struct curve *out,
                       struct failure *failure)
{
    const struct result_table *const table = results_table(run->results[0], t, failure);
    const double from = statement_number(selection, "from", -INFINITY),
                 until = statement_number(selection, "until", INFINITY);
    const size_t m = measure_of(table, measure);
    int result = 0;

    for (size_t row = 0; result == 0 && row < table->nrows; row++) {
        if (!is_selected(table, row, dataset, selection) || (m == SIZE_MAX && !field_of(table, row, measure)))
            continue;
        struct evidence_point point = {.x = x_number(table, row, statement_text(claim->node, "x", NULL)),
                                       .collection = table->collection ? table->collection[row] : 0,
                                       .sample = sample_at(table, row, measure),
                                       .row = row};
        if (point.x < INFINITY && (point.x < from || point.x > until))
            continue;
        if (run->nfound > 1 && m != SIZE_MAX && has_error(table, m))
            result = sample_runs(evidence, run, t, row, measure, &point, failure);
        *ARRAY_ADD(out->point, out->count, out->room) = point;
    }
    return result == 0 && !sort_points(out)
               ? fail_rows(claim, dataset, measure, selection, "several numbers at one x", failure)
               : result;
}

int evidence_curve(struct evidence *evidence, const struct claim *claim, const char *dataset, const cJSON *selection,
                   struct curve *out, struct failure *failure)
{
    const char *measure = statement_text(selection, "measure", NULL);
    const char *const name = statement_text(selection, "run", claim->run);
    const struct evidence_run *const run = evidence_run(evidence, name, failure);

    if (run && run->nfound == 0)
        return fail(failure, EXIT_BAD_INPUT, "%s: no results of the dataset %s", name, dataset);
    for (size_t t = 0; run && t < results_count(run->results[0]) && out->count == 0; t++) {
        const struct result_table *const table = results_table(run->results[0], t, failure);

        if (table && !measure && table->nmeasures > 0)
            measure = table->table->measures[0].name;
        if (!table || (measure && take_points(evidence, run, t, claim, dataset, measure, selection, out, failure) != 0))
            return -1;
    }
    if (!run || out->count > 0)
        return run ? 0 : -1;
    return fail_rows(claim, dataset, measure ? measure : "measures", selection, "no rows", failure);
}

/* ---- queries ---- */

/* Binds ":dataset", and ":COLUMN" to what `of` or `where` has of it. */
static void bind(sqlite3_stmt *query, const struct claim *claim, const char *dataset)
{
    for (int i = 1; i <= sqlite3_bind_parameter_count(query); i++) {
        const char *const name = sqlite3_bind_parameter_name(query, i);
        const cJSON *const item = name ? selected_value(claim->node, name + 1) : NULL;

        if (name && strcmp(name, ":dataset") == 0)
            sqlite3_bind_text(query, i, dataset, -1, SQLITE_STATIC);
        else if (cJSON_IsNumber(item))
            sqlite3_bind_double(query, i, item->valuedouble);
        else if (cJSON_IsString(item))
            sqlite3_bind_text(query, i, item->valuestring, -1, SQLITE_STATIC);
    }
}

int evidence_query(struct evidence *evidence, const struct claim *claim, const char *dataset, struct estimate *out,
                   struct failure *failure)
{
    const struct evidence_run *const run = evidence_run(evidence, claim->run, failure);
    struct store_file store;
    sqlite3_stmt *query = NULL;
    const char *rest = "";
    int result = store_file_open(results_table(run->results[0], 0, failure)->path, STORE_READ, &store, failure);

    if (result != 0)
        return -1;
    const int code = sqlite3_prepare_v2(store.db, statement_text(claim->node, "sql", ""), -1, &query, &rest);
    if (code == SQLITE_OK && query)
        bind(query, claim, dataset);
    const int columns = sqlite3_column_count(query);
    if (code != SQLITE_OK || !query || *rest || !sqlite3_stmt_readonly(query) || columns < 2 || columns > 3)
        result = fail(failure, EXIT_BAD_INPUT, "claim %s: sql: expected one SELECT of two or three columns: %s",
                      claim->id, code == SQLITE_OK ? "it is none" : sqlite3_errmsg(store.db));
    else if (sqlite3_step(query) != SQLITE_ROW || sqlite3_column_type(query, 0) == SQLITE_NULL)
        result = fail(failure, EXIT_BAD_INPUT, "claim %s: %s: the query selects no number", claim->id, dataset);
    else
        *out = columns == 3 ? estimate_from(sqlite3_column_double(query, 0), sqlite3_column_double(query, 1),
                                            (size_t)sqlite3_column_int64(query, 2))
                            : estimate_of(sqlite3_column_double(query, 0), sqlite3_column_double(query, 1));
    sqlite3_finalize(query);
    store_file_close(&store);
    return result;
}
