/* declared.c - see declared.h. */
#include "results/declared.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const directions[] = {
    [LDP_LESS] = "less", [LDP_MORE] = "more", [LDP_TARGET] = "target", [LDP_NEUTRAL] = "neutral"};
enum { DIRECTIONS = sizeof directions / sizeof *directions };

/* The roles of a measure's columns, as its "columns" names them. */
static const struct {
    enum column_role role;
    const char *name;
} of_measure[] = {
    {COLUMN_MEAN, "mean"},     {COLUMN_SD, "sd"},           {COLUMN_VARIANCE, "variance"},
    {COLUMN_STDERR, "stderr"}, {COLUMN_DEFINED, "defined"},
};
enum { OF_MEASURE = sizeof of_measure / sizeof *of_measure };

const struct table_column *table_column(const struct table *table, enum column_role role, size_t measure)
{
    for (size_t i = 0; i < table->ncolumns; i++)
        if (table->columns[i].role == role && table->columns[i].measure == measure)
            return &table->columns[i];
    return NULL;
}

/* ---- to JSON ---- */

static bool add_number(cJSON *object, const char *name, double value)
{
    return isfinite(value) ? cJSON_AddNumberToObject(object, name, value) : cJSON_AddNullToObject(object, name);
}

static bool add_measure(cJSON *list, const struct table *table, size_t m)
{
    const struct ldp_measure *measure = &table->measures[m];
    cJSON *object = cJSON_CreateObject(), *columns;

    if (!cJSON_AddItemToArray(list, object) || !cJSON_AddStringToObject(object, "name", measure->name) ||
        !cJSON_AddStringToObject(object, "title", measure->title) ||
        !cJSON_AddStringToObject(object, "axis", measure->axis) ||
        !cJSON_AddStringToObject(object, "better", directions[measure->better]) ||
        (measure->better == LDP_TARGET && !add_number(object, "target", measure->target)) ||
        !add_number(object, "low", measure->low) || !add_number(object, "high", measure->high))
        return false;
    columns = cJSON_AddObjectToObject(object, "columns");
    for (size_t i = 0; columns && i < OF_MEASURE; i++) {
        const struct table_column *column = table_column(table, of_measure[i].role, m);

        if (column && !cJSON_AddStringToObject(columns, of_measure[i].name, column->name))
            return false;
    }
    return columns;
}

static bool add_names(cJSON *object, const char *name, const struct table *table, enum column_role role,
                      enum column_role or_role)
{
    cJSON *list = cJSON_AddArrayToObject(object, name);

    for (size_t i = 0; list && i < table->ncolumns; i++)
        if ((table->columns[i].role == role || table->columns[i].role == or_role) &&
            !cJSON_AddItemToArray(list, cJSON_CreateString(table->columns[i].name)))
            return false;
    return list;
}

static bool add_table(cJSON *list, const struct table *table)
{
    const struct table_column *repetitions = table_column(table, COLUMN_REPETITIONS, 0);
    cJSON *object = cJSON_CreateObject(), *measures;

    if (!cJSON_AddItemToArray(list, object) || !cJSON_AddStringToObject(object, "file", table->file) ||
        !cJSON_AddStringToObject(object, "title", table->title) ||
        !cJSON_AddStringToObject(object, "subject", table->subject) ||
        !add_names(object, "keys", table, COLUMN_CELL, COLUMN_KEY) ||
        !add_names(object, "facts", table, COLUMN_FACT, COLUMN_FACT) ||
        (repetitions && !cJSON_AddStringToObject(object, "repetitions", repetitions->name)))
        return false;
    measures = cJSON_AddArrayToObject(object, "measures");
    for (size_t m = 0; measures && table->measures[m].name; m++)
        if (!add_measure(measures, table, m))
            return false;
    return measures;
}

cJSON *tables_to_json(const struct task_tables *tables)
{
    cJSON *list = cJSON_CreateArray();

    for (size_t i = 0; list && i < tables->count; i++)
        if (!add_table(list, &tables->table[i].table)) {
            cJSON_Delete(list);
            list = NULL;
        }
    return list;
}
