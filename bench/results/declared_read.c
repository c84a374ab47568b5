/* declared_read.c - tables and the places of their rows, from run.json; see declared.h. */
#include "results/declared.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The text of a member, or NULL. */
static const char *text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static double number_of(const cJSON *object, const char *name, double otherwise)
{
    const cJSON *const item = cJSON_GetObjectItemCaseSensitive(object, name);

    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

static bool read_direction(const char *text, enum ldp_better *better)
{
    for (int i = 0; text && i < DIRECTIONS; i++)
        if (strcmp(text, declared_directions[i]) == 0) {
            *better = (enum ldp_better)i;
            return true;
        }
    return false;
}

/* Adds columns of one role; false where the list is none of texts. */
static bool read_names(const cJSON *list, enum column_role role, struct table *table, struct table_column *columns)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, list)
    {
        if (!cJSON_IsString(item))
            return false;
        columns[table->ncolumns++] = (struct table_column){item->valuestring, role, 0};
    }
    return cJSON_IsArray(list);
}

static bool read_measure(const cJSON *object, size_t m, struct table *table, struct table_column *columns,
                         struct ldp_measure *measure)
{
    const cJSON *const of = cJSON_GetObjectItemCaseSensitive(object, "columns");

    *measure = (struct ldp_measure){.name = text_of(object, "name"),
                                    .title = text_of(object, "title"),
                                    .axis = text_of(object, "axis"),
                                    .low = number_of(object, "low", -INFINITY),
                                    .high = number_of(object, "high", INFINITY),
                                    .target = number_of(object, "target", 0),
                                    .timed = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "timed"))};
    for (size_t i = 0; i < OF_MEASURE; i++) {
        const char *const name = text_of(of, declared_columns[i].name);

        if (name)
            columns[table->ncolumns++] = (struct table_column){name, declared_columns[i].role, m};
    }
    return measure->name && measure->title && measure->axis && text_of(of, "mean") &&
           read_direction(text_of(object, "better"), &measure->better);
}

/* ---- folders that were written before parts were declared ---- */

/* What columns of these names were; those of the task marginals were none of the last ones. */
static const struct {
    const char *name;
    enum column_part part;
} once_named[] = {
    {"dataset", PART_DATASET},
    {"oracle", PART_ORACLE},
    {"method", PART_METHOD},
    {"protocol", PART_ALGORITHM},
    {"synopsis", PART_ALGORITHM},
    {"surrogate", PART_ALGORITHM},
    {"simulation", PART_SIMULATION},
    {"query", PART_QUERY},
    {"target", PART_TARGET},
    {"parameter", PART_POINT},
    {"d", PART_DOMAIN},
    {"n", PART_USERS},
    {"epsilon", PART_BUDGET},
    {"rank", PART_RANK},
    {"value", PART_VALUE},
    {"count", PART_COUNT},
    {"threshold", PART_THRESHOLD},
    {"from", PART_FROM},
    {"to", PART_TO},
    {"density", PART_DENSITY},
    {"fitted_mean", PART_FITTED_MEAN},
    {"fitted_mean_stderr", PART_FITTED_MEAN_ERROR},
    {"fitted_sd", PART_FITTED_SD},
    {"fitted_sd_stderr", PART_FITTED_SD_ERROR},
    {"predicted_sd", PART_PREDICTED_SD},
    {"mean", PART_ESTIMATE},
};

static enum column_part part_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof once_named / sizeof *once_named; i++)
        if (strcmp(once_named[i].name, name) == 0)
            return once_named[i].part;
    return PART_NONE;
}

/* Sets what such a folder does not say of a table. */
static void declare_by_name(const cJSON *object, struct table *table)
{
    if (strcmp(table->file, "mse.csv") == 0)
        table->form = FORM_QUERIES;
    else if (strcmp(table->file, "selection.csv") == 0)
        table->form = FORM_PREDICTION;
    else if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "tradeoff")))
        table->form = FORM_TRADEOFF;
    else if (strcmp(table->file, "bias_sums.csv") == 0)
        table->totals = "values.csv";
}

/* ---- a table ---- */

static bool read_form(const char *text, enum table_form *form)
{
    for (int i = 0; text && i < TABLE_FORMS; i++)
        if (strcmp(text, declared_forms[i]) == 0) {
            *form = (enum table_form)i;
            return true;
        }
    return false;
}

static bool read_part(const char *text, size_t *part)
{
    for (size_t i = PART_NONE + 1; text && i < COLUMN_PARTS; i++)
        if (strcmp(text, declared_parts[i]) == 0) {
            *part = i;
            return true;
        }
    return false;
}

/* Finds the parts of keys and facts; false where the list names no part. */
static bool read_parts(const cJSON *list, struct table *table, struct table_column *columns)
{
    for (size_t i = 0; i < table->ncolumns; i++) {
        assert(columns[i].name);
        const cJSON *const item = cJSON_GetObjectItemCaseSensitive(list, columns[i].name);

        if (!list)
            columns[i].of = part_by_name(columns[i].name);
        else if (item && !read_part(cJSON_GetStringValue(item), &columns[i].of))
            return false;
    }
    return !list || cJSON_IsObject(list);
}

static int fail_declared(const char *name, struct failure *failure)
{
    return fail(failure, EXIT_BAD_INPUT, "%s: expected a list of tables as `ldpbench run` writes it", name);
}

static int read_table(const cJSON *object, const char *name, struct declared_table *out, struct failure *failure)
{
    const cJSON *const keys = cJSON_GetObjectItemCaseSensitive(object, "keys");
    const cJSON *const facts = cJSON_GetObjectItemCaseSensitive(object, "facts");
    const cJSON *const measures = cJSON_GetObjectItemCaseSensitive(object, "measures");
    const cJSON *const listed = cJSON_GetObjectItemCaseSensitive(object, "parts");
    const char *const repetitions = text_of(object, "repetitions"), *const form = text_of(object, "form");
    const char *experiment = text_of(object, "experiment");
    const size_t nmeasures = (size_t)cJSON_GetArraySize(measures);
    const size_t ncolumns = (size_t)cJSON_GetArraySize(keys) + (size_t)cJSON_GetArraySize(facts);

    if (!experiment)
        experiment = "experiment"; /* of folders that were written before it was declared */
    *out = (struct declared_table){.json = object};
    out->columns = calloc(ncolumns + 1 + OF_MEASURE * nmeasures, sizeof *out->columns);
    out->measures = calloc(nmeasures + 1, sizeof *out->measures);
    if (!out->columns || !out->measures)
        return fail_memory(failure);
    out->table = (struct table){.file = text_of(object, "file"),
                                .title = text_of(object, "title"),
                                .subject = text_of(object, "subject"),
                                .totals = text_of(object, "totals"),
                                .columns = out->columns,
                                .measures = out->measures};
    bool good = out->table.file && !strchr(out->table.file, '/') && out->table.title && out->table.subject &&
                cJSON_IsArray(measures) && (!form || read_form(form, &out->table.form)) &&
                read_names(keys, COLUMN_KEY, &out->table, out->columns) &&
                read_names(facts, COLUMN_FACT, &out->table, out->columns) &&
                read_parts(listed, &out->table, out->columns);
    const char *const first = out->columns[0].name;
    if (first && strcmp(first, experiment) == 0)
        out->columns[0].role = COLUMN_EXPERIMENT;
    if (good && !listed)
        declare_by_name(object, &out->table);
    if (good && repetitions)
        out->columns[out->table.ncolumns++] = (struct table_column){repetitions, COLUMN_REPETITIONS, 0};
    size_t m = 0;
    for (const cJSON *measure = measures ? measures->child : NULL; good && measure; measure = measure->next, m++)
        good = read_measure(measure, m, &out->table, out->columns, &out->measures[m]);
    return good ? 0 : fail_declared(name, failure);
}

int tables_from_json(const cJSON *run, const char *name, struct declared *out, struct failure *failure)
{
    const cJSON *const list = cJSON_GetObjectItemCaseSensitive(run, "tables");

    *out = (struct declared){0};
    if (!cJSON_IsArray(list))
        return fail_declared(name, failure);
    out->table = calloc((size_t)cJSON_GetArraySize(list) + 1, sizeof *out->table);
    if (!out->table)
        return fail_memory(failure);
    const cJSON *item;
    cJSON_ArrayForEach(item, list) if (read_table(item, name, &out->table[out->count++], failure) != 0) return -1;
    return 0;
}

void declared_clear(struct declared *declared)
{
    for (size_t i = 0; i < declared->count; i++) {
        free(declared->table[i].columns);
        free(declared->table[i].measures);
    }
    free(declared->table);
    *declared = (struct declared){0};
}

/* ---- places ---- */

enum { PLACES_MAX = 1 << 30 };

struct places {
    struct row_place *place;
    size_t count, room;
};

/* Reads [a, b] or [a, b, c] of whole numbers, the last ones below PLACES_MAX. */
static bool read_triple(const cJSON *list, double numbers[], int count)
{
    const cJSON *item = cJSON_IsArray(list) ? list->child : NULL;

    for (int i = 0; i < count; i++, item = item->next) {
        if (!item || !cJSON_IsNumber(item) || item->valuedouble != floor(item->valuedouble) ||
            fabs(item->valuedouble) >= PLACES_MAX)
            return false;
        numbers[i] = item->valuedouble;
    }
    return item == NULL;
}

static bool has_room(struct places *places, double more)
{
    if ((double)places->count + more >= PLACES_MAX)
        return false;
    if ((double)places->count + more > (double)places->room) {
        const size_t room = 2 * (places->count + (size_t)more);
        struct row_place *const place = realloc(places->place, room * sizeof *place);

        if (!place)
            return false;
        places->place = place;
        places->room = room;
    }
    return true;
}

/* The rows of one cell. */
static bool add_places(const cJSON *stretches, size_t cell, struct places *places)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, stretches)
    {
        double stretch[3];

        if (!read_triple(item, stretch, 3) || stretch[2] < 0 || !has_room(places, stretch[2]))
            return false;
        for (double i = 0; i < stretch[2]; i++) {
            const double series = stretch[0] + i * stretch[1];

            if (series < -1)
                return false;
            places->place[places->count++] = (struct row_place){cell, series < 0 ? SERIES_NONE : (size_t)series};
        }
    }
    return cJSON_IsArray(stretches);
}

int places_from_json(const cJSON *run, const char *name, const struct declared_table *table, size_t measure,
                     struct row_place **out, size_t *count, struct failure *failure)
{
    const cJSON *const layouts = cJSON_GetObjectItemCaseSensitive(run, "layouts");
    const cJSON *const measures = cJSON_GetObjectItemCaseSensitive(table->json, "measures");
    const cJSON *const series = cJSON_GetObjectItemCaseSensitive(cJSON_GetArrayItem(measures, (int)measure), "series");
    bool good = cJSON_IsArray(layouts) && cJSON_IsArray(series);

    *out = NULL;
    *count = 0;
    if (!series)
        return 0;
    struct places places = {0};
    size_t cell = 0;
    for (const cJSON *item = good ? layouts->child : NULL; good && item; item = item->next) {
        double cells[2] = {0, 0};

        good = read_triple(item, cells, 2) && cells[0] >= 0 && cells[1] >= 0;
        const cJSON *const stretches = cJSON_GetArrayItem(series, (int)cells[1]);
        for (double i = 0; good && i < cells[0]; i++)
            good = add_places(stretches, cell++, &places);
    }
    if (!good || !has_room(&places, 1)) {
        free(places.place);
        return fail_declared(name, failure);
    }
    *out = places.place;
    *count = places.count;
    return 0;
}
