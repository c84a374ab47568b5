/* evidence.c - see evidence.h. */
#include "agreement/evidence_private.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

/* Where a number is in a table: a measure, or a column of keys or facts. */
struct place {
    enum { NOWHERE, MEASURE, FACT, KEY } kind;
    size_t index;
};

static struct place find_place(const struct result_table *table, const char *name)
{
    for (size_t m = 0; m < table->nmeasures; m++)
        if (strcmp(table->table->measures[m].name, name) == 0)
            return (struct place){MEASURE, m};
    for (size_t i = 0; i < table->nfacts; i++)
        if (strcmp(table->fact_name[i], name) == 0) /* NOLINT */
            return (struct place){FACT, i};
    if (result_key_index(table, name) != SIZE_MAX)
        return (struct place){KEY, result_key_index(table, name)};
    return (struct place){NOWHERE, 0};
}

static double key_number(const struct result_table *table, size_t row, size_t key)
{
    const char *const field = key == SIZE_MAX ? "" : result_key(table, row, key);
    char *end;
    const double value = strtod(field, &end);

    return end == field ? NAN : value;
}

/* The number in a column or, if there is none of that name, in a parameter of the oracle's label. */
static double x_number(const struct found *found, const struct result_table *table, size_t row, const char *name)
{
    struct label room;
    const size_t oracle = result_key_of(table, PART_ORACLE), key = result_key_index(table, name);

    return oracle == SIZE_MAX || key != SIZE_MAX
               ? key_number(table, row, key)
               : label_number(exchanged_label(found, table->key_name[oracle], result_key(table, row, oracle), &room),
                              name);
}

static double fact_number(const struct result_table *table, size_t row, const char *name, double fallback)
{
    const struct place place = find_place(table, name);

    return place.kind == FACT ? strtod(result_fact(table, row, place.index), NULL) : fallback;
}

/* Whether a table has the variation of a measure over repetitions. A measure without it is exact, such as the bits of a
 * report. */
static bool has_error(const struct result_table *table, size_t measure)
{
    static const enum column_role roles[] = {COLUMN_SD, COLUMN_VARIANCE, COLUMN_STDERR};

    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (table_column(table->table, roles[i], measure))
            return true;
    return table->number[measure].value != NULL;
}

/* A number of a row as a sample: of a fact or a key, its value alone (with its column NAME_stderr, where there is
 * one). */
static struct sample sample_at(const struct result_table *table, size_t row, struct place place, const char *name)
{
    if (place.kind == MEASURE && has_error(table, place.index))
        return result_sample(table, row, place.index);
    struct sample sample = {.n = 2};
    if (place.kind == MEASURE) {
        sample.mean = result_sample(table, row, place.index).mean;
        return sample;
    }
    sample.mean =
        strtod(place.kind == FACT ? result_fact(table, row, place.index) : result_key(table, row, place.index), NULL);
    char column[100];
    snprintf(column, sizeof column, "%s_stderr", name);
    sample.sd = sqrt((double)sample.n) * fact_number(table, row, column, 0);
    return sample;
}

static struct point point_at(const struct found *found, const struct result_table *table, size_t row,
                             struct place place, const char *name, const char *x)
{
    const size_t users = result_key_of(table, PART_USERS);

    return (struct point){
        .x = x ? x_number(found, table, row, x) : NAN,
        .cell = table->cell && table->cell[row] ? table->cell[row] : "",
        .collection = row_collection(found, table, row),
        .run = found->run,
        .folder = found->folder,
        .n = key_number(table, row, users),
        .d = key_number(table, row, result_key_of(table, PART_DOMAIN)),
        .users = users == SIZE_MAX ? "" : table->key_name[users],
        .sample = sample_at(table, row, place, name),
    };
}

static int by_x(const void *a, const void *b)
{
    const double x = ((const struct point *)a)->x, y = ((const struct point *)b)->x;

    return (x > y) - (x < y);
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

/* Adds a point; false where its x is taken by another number. */
static int add_point(struct curve *curve, struct point point, bool *taken)
{
    for (size_t i = 0; i < curve->count; i++) {
        if (curve->point[i].x == point.x || (isnan(curve->point[i].x) && isnan(point.x))) {
            *taken = curve->point[i].sample.mean != point.sample.mean;
            return 0;
        }
    }
    struct point *const more = realloc(curve->point, (curve->count + 1) * sizeof *more);
    if (!more)
        return -1;
    curve->point = more;
    curve->point[curve->count++] = point;
    return 0;
}

static const char *direction(const cJSON *selection, const char *key, const char *fallback)
{
    const char *const text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(selection, key));

    return text ? text : fallback;
}

static int curve_from_table(struct evidence *evidence, const struct found *found, const struct result_table *table,
                            const struct claim *claim, const char *dataset, const char *measure, const cJSON *selection,
                            struct curve *out, struct failure *failure)
{
    const double from = claim_number(claim, "from", -INFINITY), until = claim_number(claim, "until", INFINITY);
    const struct place place = find_place(table, measure);
    const char *const x = claim_text(claim, "x", NULL), *const control = claim_text(claim, "control", NULL);

    if (place.kind == NOWHERE)
        return 0;
    struct filter filter;
    if (filter_begin(&filter, found, table, dataset, selection, failure) != 0)
        return -1;
    bool taken = false;
    int result = 0;
    for (size_t row = 0; result == 0 && row < table->nrows; row++) {
        if (!filter_matches(&filter, row))
            continue;
        struct point point = point_at(found, table, row, place, measure, x);
        if (point.x < from || point.x > until)
            continue;
        if (control)
            result = evidence_control(evidence, found, table, row, control, &point, failure);
        if (result == 0 && add_point(out, point, &taken) != 0)
            result = fail_memory(failure);
        if (result == 0 && taken)
            result = fail_rows(claim, dataset, measure, selection, "several numbers at one x", failure);
    }
    filter_end(&filter);
    return result;
}

int evidence_curve(struct evidence *evidence, const struct claim *claim, const char *dataset, const cJSON *selection,
                   struct curve *out, struct failure *failure)
{
    const char *measure = direction(selection, "measure", claim_text(claim, "measure", NULL));
    const struct found *const found =
        evidence_found(evidence, direction(selection, "run", claim->run), dataset, failure);

    *out = (struct curve){0};
    if (!found)
        return -1;
    for (size_t t = 0; t < results_count(found->results) && out->count == 0; t++) {
        const struct result_table *const table = results_table(found->results, t, failure);

        if (table && !measure && table->nmeasures > 0)
            measure = table->table->measures[0].name;
        if (!table || curve_from_table(evidence, found, table, claim, dataset, measure, selection, out, failure) != 0)
            goto fail;
    }
    if (out->count == 0) {
        fail_rows(claim, dataset, measure ? measure : "measures", selection, "no rows", failure);
        goto fail;
    }
    qsort(out->point, out->count, sizeof *out->point, by_x);
    return 0;
fail:
    free(out->point);
    *out = (struct curve){0};
    return -1;
}

/* ---- values by rank ---- */

void evidence_forget(struct evidence *evidence)
{
    while (evidence->nowned > 0)
        free(evidence->owned[--evidence->nowned]);
}

double *evidence_keep(struct evidence *evidence, size_t count)
{
    double **const more = realloc(evidence->owned, (evidence->nowned + 1) * sizeof *more);

    if (!more)
        return NULL;
    evidence->owned = more;
    evidence->owned[evidence->nowned] = calloc(count, sizeof **more);
    return evidence->owned[evidence->nowned] ? evidence->owned[evidence->nowned++] : NULL;
}

/* A table of values has one measure, the bias, with its variance. */
static int ranked_from_table(struct evidence *evidence, const struct found *found, const struct result_table *table,
                             const char *dataset, const cJSON *selection, struct ranked *out, struct failure *failure)
{
    const size_t count_at = result_fact_of(table, PART_COUNT);
    const struct table_column *const variance_column = table_column(table->table, COLUMN_VARIANCE, 0);
    double *const room = evidence_keep(evidence, 3 * table->nrows);
    double *const count = room, *const errors = room + table->nrows, *const variance = errors + table->nrows;

    if (!room)
        return fail_memory(failure);
    *out = (struct ranked){.count = count,
                           .bias = errors,
                           .variance = variance,
                           .count_name = table->fact_name[count_at],
                           .bias_name = table->table->measures[0].name,
                           .variance_name = variance_column ? variance_column->name : ""};
    struct filter filter;
    if (filter_begin(&filter, found, table, dataset, selection, failure) != 0)
        return -1;
    for (size_t row = 0; row < table->nrows; row++) {
        if (!filter_matches(&filter, row))
            continue;
        const struct result_number *const number = result_number(table, row, 0);
        count[out->d] = strtod(result_fact(table, row, count_at), NULL);
        errors[out->d] = number->mean;
        variance[out->d++] = number->sd * number->sd;
        out->repetitions = number->repetitions;
    }
    filter_end(&filter);
    return 0;
}

int evidence_ranked(struct evidence *evidence, const struct claim *claim, const char *dataset, const cJSON *selection,
                    struct ranked *out, struct failure *failure)
{
    const struct found *const found = evidence_found(evidence, claim->run, dataset, failure);

    *out = (struct ranked){0};
    if (!found)
        return -1;
    for (size_t t = 0; t < results_count(found->results) && out->d == 0; t++) {
        const struct result_table *const table = results_table(found->results, t, failure);

        if (!table)
            return -1;
        if (table->nmeasures == 1 && result_key_of(table, PART_RANK) != SIZE_MAX &&
            result_fact_of(table, PART_COUNT) != SIZE_MAX &&
            ranked_from_table(evidence, found, table, dataset, selection, out, failure) != 0)
            return -1;
    }
    return out->d > 0 ? 0 : fail_rows(claim, dataset, "values", selection, "no rows", failure);
}

/* ---- exchanged results ---- */

void evidence_exchange(struct evidence *evidence, const struct exchange *exchange)
{
    evidence->exchange = *exchange;
}

/* ---- cells that need more repetitions ---- */

struct open_cells *evidence_open_cells(struct evidence *evidence)
{
    return &evidence->cells;
}

int evidence_open_point(struct evidence *evidence, const struct point *point, struct failure *failure)
{
    return open_cells_add(&evidence->cells, point->folder, point->run, point->cell, failure);
}

int evidence_open_all(struct evidence *evidence, const struct claim *claim, const char *dataset, const cJSON *selection,
                      struct failure *failure)
{
    const struct found *const found =
        evidence_found(evidence, direction(selection, "run", claim->run), dataset, failure);
    int result = found ? 0 : -1;

    for (size_t t = 0; result == 0 && t < results_count(found->results); t++) {
        const struct result_table *const table = results_table(found->results, t, failure);

        result = table ? 0 : -1;
        struct filter filter;
        if (result == 0)
            result = filter_begin(&filter, found, table, dataset, selection, failure);
        if (result != 0)
            break;
        for (size_t row = 0; result == 0 && row < table->nrows; row++)
            if (table->cell && table->cell[row] && filter_matches(&filter, row))
                result = open_cells_add(&evidence->cells, found->folder, found->run, table->cell[row], failure);
        filter_end(&filter);
    }
    return result;
}
