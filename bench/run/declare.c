/* declare.c - declarations of tables, into the store; see declare.h. */
#include "run/declare.h"

#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const declared_directions[DIRECTIONS] = {
    [LDP_LESS] = "less", [LDP_MORE] = "more", [LDP_TARGET] = "target", [LDP_NEUTRAL] = "neutral"};

const struct measure_column declared_columns[OF_MEASURE] = {
    {COLUMN_MEAN, "mean"},     {COLUMN_SD, "sd"},           {COLUMN_VARIANCE, "variance"},
    {COLUMN_STDERR, "stderr"}, {COLUMN_DEFINED, "defined"},
};

const char *const declared_forms[TABLE_FORMS] = {
    [FORM_PLAIN] = "plain", [FORM_QUERIES] = "queries", [FORM_TRADEOFF] = "tradeoff", [FORM_PREDICTION] = "prediction"};

const char *const declared_parts[COLUMN_PARTS] = {
    [PART_DATASET] = "dataset",
    [PART_ORACLE] = "oracle",
    [PART_METHOD] = "method",
    [PART_ALGORITHM] = "algorithm",
    [PART_SIMULATION] = "simulation",
    [PART_QUERY] = "query",
    [PART_TARGET] = "target",
    [PART_POINT] = "point",
    [PART_DOMAIN] = "domain size",
    [PART_USERS] = "users",
    [PART_BUDGET] = "privacy budget",
    [PART_RANK] = "rank",
    [PART_VALUE] = "value",
    [PART_COUNT] = "true count",
    [PART_ESTIMATE] = "mean estimate",
    [PART_THRESHOLD] = "threshold",
    [PART_FROM] = "from",
    [PART_TO] = "to",
    [PART_DENSITY] = "density",
    [PART_FITTED_MEAN] = "fitted mean",
    [PART_FITTED_MEAN_ERROR] = "error of the fitted mean",
    [PART_FITTED_SD] = "fitted sd",
    [PART_FITTED_SD_ERROR] = "error of the fitted sd",
    [PART_PREDICTED_SD] = "predicted sd",
};

static bool add_number(cJSON *object, const char *name, double value)
{
    return isfinite(value) ? cJSON_AddNumberToObject(object, name, value) : cJSON_AddNullToObject(object, name);
}

static bool add_measure(cJSON *list, const struct table *table, size_t m)
{
    const struct ldp_measure *const measure = &table->measures[m];
    cJSON *const object = cJSON_CreateObject();

    if (!cJSON_AddItemToArray(list, object) || !cJSON_AddStringToObject(object, "name", measure->name) ||
        !cJSON_AddStringToObject(object, "title", measure->title) ||
        !cJSON_AddStringToObject(object, "axis", measure->axis) ||
        !cJSON_AddStringToObject(object, "better", declared_directions[measure->better]) ||
        (measure->better == LDP_TARGET && !add_number(object, "target", measure->target)) ||
        !add_number(object, "low", measure->low) || !add_number(object, "high", measure->high) ||
        (measure->timed && !cJSON_AddTrueToObject(object, "timed")))
        return false;
    cJSON *const columns = cJSON_AddObjectToObject(object, "columns");
    for (size_t i = 0; columns && i < OF_MEASURE; i++) {
        const struct table_column *const column = table_column(table, declared_columns[i].role, m);

        if (column && !cJSON_AddStringToObject(columns, declared_columns[i].name, column->name))
            return false;
    }
    return columns;
}

/* Adds the names of columns: of keys or facts, or of all. */
static bool add_names(cJSON *object, const char *name, const struct table *table, bool keys, bool facts)
{
    cJSON *const list = cJSON_AddArrayToObject(object, name);

    for (size_t i = 0; list && i < table->ncolumns; i++)
        if (((keys && column_is_key(&table->columns[i])) || (facts && table->columns[i].role == COLUMN_FACT) ||
             (keys && facts)) &&
            !cJSON_AddItemToArray(list, cJSON_CreateString(table->columns[i].name)))
            return false;
    return list;
}

/* Adds {"d": "domain size", ...}. */
static bool add_parts(cJSON *object, const struct table *table)
{
    cJSON *const list = cJSON_AddObjectToObject(object, "parts");

    for (size_t i = 0; list && i < table->ncolumns; i++) {
        const enum column_part part = column_part(&table->columns[i]);

        if (part != PART_NONE && !cJSON_AddStringToObject(list, table->columns[i].name, declared_parts[part]))
            return false;
    }
    return list;
}

static bool add_table(cJSON *object, const struct table *table)
{
    const struct table_column *const repetitions = table_column(table, COLUMN_REPETITIONS, 0);
    const struct table_column *const experiment = table_column(table, COLUMN_EXPERIMENT, 0);
    size_t of_cell = 0;

    for (size_t i = 0; i < table->ncolumns; i++)
        of_cell += column_is_of_cell(&table->columns[i]);
    if (!cJSON_AddStringToObject(object, "file", table->file) ||
        !cJSON_AddStringToObject(object, "title", table->title) ||
        !cJSON_AddStringToObject(object, "subject", table->subject) ||
        (table->form != FORM_PLAIN && !cJSON_AddStringToObject(object, "form", declared_forms[table->form])) ||
        (table->totals && !cJSON_AddStringToObject(object, "totals", table->totals)) ||
        !add_names(object, "columns", table, true, true) || !add_names(object, "keys", table, true, false) ||
        !cJSON_AddNumberToObject(object, "of_cell", (double)of_cell) ||
        (experiment && !cJSON_AddStringToObject(object, "experiment", experiment->name)) ||
        !add_names(object, "facts", table, false, true) || !add_parts(object, table) ||
        (repetitions && !cJSON_AddStringToObject(object, "repetitions", repetitions->name)))
        return false;
    cJSON *const measures = cJSON_AddArrayToObject(object, "measures");
    for (size_t m = 0; measures && table->measures[m].name; m++)
        if (!add_measure(measures, table, m))
            return false;
    return measures;
}

char *table_json(const struct table *table)
{
    cJSON *const object = cJSON_CreateObject();
    char *const text = object && add_table(object, table) ? cJSON_PrintUnformatted(object) : NULL;

    if (!text)
        out_of_memory();
    cJSON_Delete(object);
    return text;
}
