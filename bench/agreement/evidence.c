/* evidence.c - see evidence.h. */
#include "agreement/evidence.h"

#include "run/provenance.h"
#include "support/input.h"
#include "support/memory.h"
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

int evidence_open(struct evidence *out, char *configs, char *const *folders, size_t count, struct failure *failure)
{
    *out = (struct evidence){.configs = configs, .folders = folders, .nfolders = count};
    for (size_t i = 0; i < count; i++)
        if (access(folders[i], R_OK | X_OK) != 0)
            return fail(failure, EXIT_BAD_INPUT, "%s: expected a folder of results", folders[i]);
    return 0;
}

void evidence_clear(struct evidence *evidence)
{
    for (size_t i = 0; i < evidence->runs; i++) {
        struct run *const run = &evidence->run[i];

        for (size_t j = 0; j < run->nfound; j++) {
            found_clear(&run->found[j]);
            results_close(run->found[j].results);
        }
        free(run->found);
        free(run->name);
        free(run->dataset);
    }
    evidence_forget(evidence);
    free(evidence->kept);
    free(evidence->run);
    free(evidence->configs);
}

/* Adds the datasets of the results that were found last, except those that the run has. */
static int list_datasets(struct run *run, struct failure *failure)
{
    struct results *const results = run->found[run->nfound - 1].results;

    for (size_t t = 0; t < results_count(results); t++) {
        const struct result_table *const table = results_table(results, t, failure);

        if (!table)
            return -1;
        const size_t key = result_key_of(table, PART_DATASET);
        for (size_t row = 0; key != SIZE_MAX && row < table->nrows; row++) {
            const char *const name = result_key(table, row, key);
            size_t known = row > 0 && strcmp(name, result_key(table, row - 1, key)) == 0 ? SIZE_MAX : 0;

            while (known < run->datasets && strcmp(run->dataset[known].name, name) != 0)
                known++;
            if (known == run->datasets)
                *ARRAY_ADD(run->dataset, run->datasets, run->room) = (struct run_dataset){name, run->nfound - 1};
        }
    }
    return 0;
}

/* Demands that the tables of a folder without a store are as the run wrote them. */
static int check_tables(const char *path, const struct provenance *made, struct failure *failure)
{
    for (size_t i = 0; i < provenance_files(made); i++) {
        const struct made_file file = provenance_file(made, i);

        if (file.kind == MADE_TABLE && !provenance_made(made, file.name))
            return fail(failure, EXIT_BAD_INPUT,
                        "%s/%s: not the table that the run wrote: run the experiment again, which writes it anew", path,
                        SHOWN(file.name));
    }
    return 0;
}

/* Demands that a folder's results are of the config of their name, where there is one. */
static int check_config(const struct evidence *evidence, const char *name, const char *path,
                        const struct provenance *made, struct failure *failure)
{
    char *const config = xformat("%s/%s.json", evidence->configs, name), *text = NULL;
    const char *const ran = provenance_text(made, "config");
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

/* The folder of a run: RUN in a folder of several, or the folder itself if it is named so. */
static char *run_folder(const char *folder, const char *run)
{
    char *const own = xformat("%s/run.json", folder), *const copy = xstrdup(folder);
    const bool is_run = access(own, F_OK) == 0 && strcmp(basename(copy), run) == 0;

    free(own);
    free(copy);
    return is_run ? xstrdup(folder) : xformat("%s/%s", folder, run);
}

/* Opens the folder of a run where there is a run.json. */
static int open_found(struct evidence *evidence, struct run *run, const char *folder, struct failure *failure)
{
    char *const path = run_folder(folder, run->name), *const about = xformat("%s/run.json", path);
    struct found *const found = &run->found[run->nfound];
    int result = 0;

    if (access(about, R_OK) == 0) {
        *found = (struct found){.folder = folder, .run = run->name};
        result = results_open(path, &found->results, failure);
        run->nfound += result == 0;
        const struct provenance *const made = result == 0 ? results_origin(found->results)->provenance : NULL;
        if (made && ((!results_origin(found->results)->has_values && check_tables(path, made, failure) != 0) ||
                     check_config(evidence, run->name, path, made, failure) != 0))
            result = -1;
        result = result == 0 ? list_datasets(run, failure) : -1;
    }
    free(path);
    free(about);
    return result;
}

struct run *evidence_run(struct evidence *evidence, const char *name, struct failure *failure)
{
    for (size_t i = 0; i < evidence->runs; i++)
        if (strcmp(evidence->run[i].name, name) == 0)
            return &evidence->run[i];
    struct run *const run = ARRAY_ADD(evidence->run, evidence->runs, evidence->run_room);
    *run = (struct run){.name = xstrdup(name), .found = xcalloc(evidence->nfolders, sizeof *run->found)};
    for (size_t i = 0; i < evidence->nfolders; i++)
        if (open_found(evidence, run, evidence->folders[i], failure) != 0)
            return NULL;
    return run;
}

struct found *evidence_found(struct evidence *evidence, const char *name, const char *dataset, struct failure *failure)
{
    struct run *const run = evidence_run(evidence, name, failure);

    for (size_t i = 0; run && i < run->datasets; i++)
        if (strcmp(run->dataset[i].name, dataset) == 0)
            return &run->found[run->dataset[i].found];
    if (run)
        fail(failure, EXIT_BAD_INPUT, "%s: no results of the dataset %s", name, dataset);
    return NULL;
}

/* ---- numbers of a row ---- */

/* Where a number is in a table: a measure or its variance, or a column of keys or facts. */
struct place {
    enum { NOWHERE, MEASURE, VARIANCE, FACT, KEY } kind;
    size_t index;
};

static struct place find_place(const struct result_table *table, const char *name)
{
    for (size_t m = 0; m < table->nmeasures; m++) {
        const struct table_column *const variance = table_column(table->table, COLUMN_VARIANCE, m);

        if (strcmp(table->table->measures[m].name, name) == 0)
            return (struct place){MEASURE, m};
        if (variance && strcmp(variance->name, name) == 0)
            return (struct place){VARIANCE, m};
    }
    for (size_t i = 0; i < table->nfacts; i++)
        if (strcmp(table->fact_name[i], name) == 0) /* NOLINT */
            return (struct place){FACT, i};
    const size_t key = result_key_index(table, name);
    return (struct place){key == SIZE_MAX ? NOWHERE : KEY, key};
}

static double number_in(const char *field)
{
    char *end;
    const double value = strtod(field, &end);

    return end == field ? NAN : value;
}

static double key_number(const struct result_table *table, size_t row, size_t key)
{
    return key == SIZE_MAX ? NAN : number_in(result_key(table, row, key));
}

/* The number in a column or, if there is none of that name, in a parameter of the oracle's label. */
static double x_number(const struct result_table *table, size_t row, const char *name)
{
    const size_t oracle = result_key_of(table, PART_ORACLE), key = result_key_index(table, name);

    return oracle == SIZE_MAX || key != SIZE_MAX ? key_number(table, row, key)
                                                 : label_number(result_key(table, row, oracle), name);
}

/* Whether a table has the variation of a measure over repetitions. A measure without it is exact, such as the bits of a
 * report. */
static bool has_error(const struct result_table *table, size_t measure)
{
    return table_column(table->table, COLUMN_SD, measure) || table_column(table->table, COLUMN_VARIANCE, measure) ||
           table_column(table->table, COLUMN_STDERR, measure) || table->number[measure].value;
}

/* A number of a row as a sample: of a fact or a key, its value alone (with its column NAME_stderr, where there is
 * one). A variance is that of normal numbers. */
static struct sample sample_at(const struct result_table *table, size_t row, struct place place, const char *name)
{
    struct sample sample = {.n = 2};

    if (place.kind == MEASURE) {
        const struct sample measured = result_sample(table, row, place.index);

        if (has_error(table, place.index))
            return measured;
        sample.mean = measured.mean;
        return sample;
    }
    if (place.kind == VARIANCE) {
        const struct result_number *const number = result_number(table, row, place.index);

        sample.mean = number->sd * number->sd;
        sample.sd = sqrt(2) * sample.mean * sqrt(2 / ((double)number->repetitions - 1));
        return sample;
    }
    sample.mean =
        strtod(place.kind == FACT ? result_fact(table, row, place.index) : result_key(table, row, place.index), NULL);
    char column[100];
    snprintf(column, sizeof column, "%s_stderr", name);
    const struct place error = find_place(table, column);
    if (error.kind == FACT)
        sample.sd = sqrt(2) * strtod(result_fact(table, row, error.index), NULL);
    return sample;
}

static struct point point_at(struct found *found, const struct result_table *table, size_t row, struct place place,
                             const char *name, const char *x)
{
    const size_t users = result_key_of(table, PART_USERS);

    return (struct point){
        .x = x ? x_number(table, row, x) : NAN,
        .collection = table->collection ? table->collection[row] : 0,
        .found = found,
        .n = key_number(table, row, users),
        .d = key_number(table, row, result_key_of(table, PART_DOMAIN)),
        .users = users == SIZE_MAX ? "" : table->key_name[users],
        .sample = sample_at(table, row, place, name),
        .row = row,
    };
}

/* The row of another folder's table that has the same keys; SIZE_MAX: there is none. */
static size_t row_alike(const struct result_table *table, size_t row, const struct result_table *other)
{
    if (row < other->nrows && keys_alike(table, row, other, row, SIZE_MAX))
        return row;
    for (size_t i = 0; i < other->nrows; i++)
        if (keys_alike(table, row, other, i, SIZE_MAX))
            return i;
    return SIZE_MAX;
}

/* Where several folders have the run, its mean in each is one number of the sample: other processes, or other draws. */
static int sample_folders(struct evidence *evidence, const struct run *run, size_t table, const char *name,
                          struct point *point, struct failure *failure)
{
    const struct result_table *const first = results_table(point->found->results, table, failure);
    double *const value = xcalloc(run->nfound, sizeof *value);

    *ARRAY_ADD(evidence->kept, evidence->nkept, evidence->kept_room) = value;
    for (size_t i = 0; i < run->nfound; i++) {
        const struct result_table *const other = results_table(run->found[i].results, table, failure);
        const size_t row = first && other ? row_alike(first, point->row, other) : SIZE_MAX;

        if (row == SIZE_MAX)
            return fail(failure, EXIT_BAD_INPUT, "%s/%s: expected the rows of %s/%s", run->found[i].folder,
                        SHOWN(run->name), point->found->folder, SHOWN(run->name));
        value[i] = sample_at(other, row, find_place(other, name), name).mean;
    }
    point->sample = sample_of(value, run->nfound);
    point->by_folder = true;
    return 0;
}

/* ---- curves ---- */

/* By x, one without x last; of equal ones in the order of rows. */
static int by_x(const void *a, const void *b)
{
    const struct point *const p = a, *const q = b;

    if (isnan(p->x) != isnan(q->x))
        return isnan(p->x) ? 1 : -1;
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

static const char *direction(const cJSON *selection, const char *key, const char *fallback)
{
    const char *const text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(selection, key));

    return text ? text : fallback;
}

/* Sorts the points of a table by x. Of several at one x that are the same number, one stays; false where they are not.
 */
static bool sort_points(struct curve *curve)
{
    size_t kept = 0;

    if (curve->count > 0)
        qsort(curve->point, curve->count, sizeof *curve->point, by_x);
    for (size_t i = 0; i < curve->count; i++) {
        const struct point *const last = kept > 0 ? &curve->point[kept - 1] : NULL, *const point = &curve->point[i];

        if (!last || !(last->x == point->x || (isnan(last->x) && isnan(point->x))))
            curve->point[kept++] = *point;
        else if (last->sample.mean != point->sample.mean)
            return false;
    }
    curve->count = kept;
    return true;
}

static int curve_from_table(struct evidence *evidence, const struct run *run, struct found *found, size_t t,
                            const struct claim *claim, const char *dataset, const char *measure, const cJSON *selection,
                            struct curve *out, struct failure *failure)
{
    const struct result_table *const table = results_table(found->results, t, failure);
    const double from = claim_number(claim, "from", -INFINITY), until = claim_number(claim, "until", INFINITY);
    const struct place place = find_place(table, measure);
    const char *const x = claim_text(claim, "x", NULL), *const control = claim_text(claim, "control", NULL);
    struct filter filter = filter_begin(found, table, dataset, selection);
    int result = 0;

    for (size_t row = 0; result == 0 && place.kind != NOWHERE && row < table->nrows; row++) {
        if (!filter_matches(&filter, row))
            continue;
        struct point point = point_at(found, table, row, place, measure, x);
        if (point.x < from || point.x > until)
            continue;
        if (control)
            result = evidence_control(evidence, table, control, &point, failure);
        if (result == 0 && run->nfound > 1 && place.kind == MEASURE && has_error(table, place.index))
            result = sample_folders(evidence, run, t, measure, &point, failure);
        *ARRAY_ADD(out->point, out->count, out->room) = point;
    }
    filter_end(&filter);
    return result == 0 && !sort_points(out)
               ? fail_rows(claim, dataset, measure, selection, "several numbers at one x", failure)
               : result;
}

int evidence_curve(struct evidence *evidence, const struct claim *claim, const char *dataset, const cJSON *selection,
                   struct curve *out, struct failure *failure)
{
    const char *measure = direction(selection, "measure", claim_text(claim, "measure", NULL));
    const char *const name = direction(selection, "run", claim->run);
    struct found *const found = evidence_found(evidence, name, dataset, failure);

    *out = (struct curve){0};
    for (size_t t = 0; found && t < results_count(found->results) && out->count == 0; t++) {
        const struct result_table *const table = results_table(found->results, t, failure);

        if (table && !measure && table->nmeasures > 0)
            measure = table->table->measures[0].name;
        if (!table || (measure && curve_from_table(evidence, evidence_run(evidence, name, failure), found, t, claim,
                                                   dataset, measure, selection, out, failure) != 0))
            return -1;
    }
    if (!found || out->count > 0)
        return found ? 0 : -1;
    return fail_rows(claim, dataset, measure ? measure : "measures", selection, "no rows", failure);
}

void evidence_forget(struct evidence *evidence)
{
    while (evidence->nkept > 0)
        free(evidence->kept[--evidence->nkept]);
}
