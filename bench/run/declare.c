/* declare.c - see declare.h. */
#include "run/declare.h"

#include "support/tree.h"
#include "tasks/grid.h"

#include <string.h>

const char *const declared_directions[DIRECTIONS] = {
    [LDP_LESS] = "less", [LDP_MORE] = "more", [LDP_TARGET] = "target", [LDP_NEUTRAL] = "neutral"};

const char *const declared_units[UNITS] = {
    [LDP_UNIT_POINTS] = "points",  [LDP_UNIT_WRONG] = "wrong",       [LDP_UNIT_USERS] = "users",
    [LDP_UNIT_SCALE] = "scale",    [LDP_UNIT_ABSOLUTE] = "absolute", [LDP_UNIT_PLAIN] = "plain",
    [LDP_UNIT_LARGEST] = "largest"};

const struct measure_column declared_columns[OF_MEASURE] = {
    {COLUMN_MEAN, "mean"},     {COLUMN_SD, "sd"},           {COLUMN_VARIANCE, "variance"},
    {COLUMN_STDERR, "stderr"}, {COLUMN_DEFINED, "defined"},
};

const char *const declared_forms[TABLE_FORMS] = {[FORM_PLAIN] = "plain",
                                                 [FORM_QUERIES] = "queries",
                                                 [FORM_TRADEOFF] = "tradeoff",
                                                 [FORM_PRICE] = "price",
                                                 [FORM_PREDICTION] = "prediction"};

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

static void add_measure(cJSON *list, const struct table *table, size_t m)
{
    const struct ldp_measure *const measure = &table->measures[m];
    cJSON *const object = json_append(list);

    json_add(object, "name=%s title=%s axis=%s better=%s", measure->name, measure->title, measure->axis,
             declared_directions[measure->better]);
    if (measure->better == LDP_TARGET)
        json_add(object, "target=%g", measure->target);
    json_add(object, "low=%g high=%g", measure->low, measure->high);
    if (measure->timed)
        json_add(object, "timed=%d", true);
    if (measure->unit != LDP_UNIT_NONE)
        json_add(object, "unit=%s", declared_units[measure->unit]);
    cJSON *const columns = cJSON_AddObjectToObject(object, "columns");
    for (size_t i = 0; i < OF_MEASURE; i++) {
        const struct table_column *const column = table_column(table, declared_columns[i].role, m);

        if (column)
            json_add(columns, "%s=%s", declared_columns[i].name, column->name);
    }
}

/* Adds the names of columns: of keys or facts, or of all. */
static void add_names(cJSON *object, const char *name, const struct table *table, bool keys, bool facts)
{
    cJSON *const list = cJSON_AddArrayToObject(object, name);

    for (size_t i = 0; i < table->ncolumns; i++)
        if ((keys && facts) || (keys && column_is_key(&table->columns[i])) ||
            (facts && table->columns[i].role == COLUMN_FACT))
            cJSON_AddItemToArray(list, cJSON_CreateString(table->columns[i].name));
}

/* Adds {"d": "domain size", ...}. */
static void add_parts(cJSON *object, const struct table *table)
{
    cJSON *const list = cJSON_AddObjectToObject(object, "parts");

    for (size_t i = 0; i < table->ncolumns; i++) {
        const enum column_part part = column_part(&table->columns[i]);

        if (part != PART_NONE)
            json_add(list, "%s=%s", table->columns[i].name, declared_parts[part]);
    }
}

char *table_json(const struct table *table)
{
    const struct table_column *const repetitions = table_column(table, COLUMN_REPETITIONS, 0);
    const struct table_column *const experiment = table_column(table, COLUMN_EXPERIMENT, 0);
    cJSON *const object = cJSON_CreateObject();
    size_t of_cell = 0;

    for (size_t i = 0; i < table->ncolumns; i++)
        of_cell += column_is_of_cell(&table->columns[i]);
    json_add(object, "file=%s title=%s subject=%s", table->file, table->title, table->subject);
    if (table->form != FORM_PLAIN)
        json_add(object, "form=%s", declared_forms[table->form]);
    if (table->totals)
        json_add(object, "totals=%s", table->totals);
    add_names(object, "columns", table, true, true);
    add_names(object, "keys", table, true, false);
    json_add(object, "of_cell=%zu", of_cell);
    if (experiment)
        json_add(object, "experiment=%s", experiment->name);
    add_names(object, "facts", table, false, true);
    add_parts(object, table);
    if (repetitions)
        json_add(object, "repetitions=%s", repetitions->name);
    cJSON *const measures = cJSON_AddArrayToObject(object, "measures");
    for (size_t m = 0; table->measures[m].name; m++)
        add_measure(measures, table, m);
    char *const text = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    return text;
}

/* ---- data ---- */

static bool is_of(const struct workload *workload, const struct grid_dataset *dataset)
{
    return workload->d == dataset->d && workload->n == dataset->n && strcmp(workload->dataset, dataset->label) == 0;
}

/* The workloads of a dataset; setups list them in the order of datasets. */
static void add_workloads(cJSON *object, const struct workloads *workloads, const struct grid_dataset *dataset,
                          size_t *next)
{
    cJSON *list = NULL;

    for (; *next < workloads->count && is_of(&workloads->workload[*next], dataset); ++*next) {
        const struct workload *const workload = &workloads->workload[*next];

        if (!list)
            list = cJSON_AddArrayToObject(object, "workloads");
        json_add(json_append(list), "column=%s value=%s identity=%s", workload->column, workload->value,
                 workload->contents);
    }
}

void data_to_json(const struct setup *setup, cJSON *run)
{
    if (!(setup->bases & SETUP_GRID))
        return;

    const struct grid *const grid = grid_of(setup);
    cJSON *const list = cJSON_AddArrayToObject(run, "data");
    size_t next = 0;

    for (size_t i = 0; i < grid->ndatasets; i++) {
        const struct grid_dataset *const dataset = &grid->datasets[i];
        cJSON *const object = json_append(list);

        json_add(object, "dataset=%s d=%zu n=%llu identity=%s", dataset->label, dataset->d,
                 (unsigned long long)dataset->n, dataset->key);
        add_workloads(object, &setup->workloads, dataset, &next);
    }
}
