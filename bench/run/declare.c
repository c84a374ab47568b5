/* declare.c - tables and the series of their rows, into run.json; see declare.h. */
#include "run/declare.h"

#include "run/store_file.h"
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

/* Adds [a, b, c]; false if out of memory. */
static bool add_triple(cJSON *list, const double numbers[], int count)
{
    return cJSON_AddItemToArray(list, cJSON_CreateDoubleArray(numbers, count));
}

/* Numbers in stretches of equal steps. */
struct stretches {
    cJSON *list;
    double first, step, count;
};

static bool end_stretch(struct stretches *stretches)
{
    const double numbers[] = {stretches->first, stretches->step, stretches->count};

    return stretches->count == 0 || add_triple(stretches->list, numbers, 3);
}

static bool add_to_stretch(struct stretches *stretches, double number)
{
    if (stretches->count == 1)
        stretches->step = number - stretches->first;
    if (stretches->count > 0 && number == stretches->first + stretches->step * stretches->count) {
        stretches->count++;
        return true;
    }
    if (!end_stretch(stretches))
        return false;
    stretches->first = number;
    stretches->step = 0;
    stretches->count = 1;
    return true;
}

/* A layout of the experiment, the first cell that has it, and the places of its series in the store, where equal series
 * are one. */
struct used_layout {
    const struct layout *layout;
    size_t cell;
    size_t *place; /* [nseries] */
};

struct used_layouts {
    struct used_layout *used;
    size_t count, room;
};

/* Malloc'd. */
static size_t *find_places(const struct layout *layout)
{
    int64_t *const id = xcalloc(layout->nseries, sizeof *id);
    size_t *const place = xcalloc(layout->nseries, sizeof *place);

    for (size_t i = 0; i < layout->nseries; i++)
        id[i] = series_id(&layout->series[i]);
    series_places(id, layout->nseries, place);
    free(id);
    return place;
}

/* The index of a layout among those used; their number where it is not one of the last few. Neighbouring cells have few
 * layouts between them. */
static size_t find_used(const struct used_layouts *layouts, const struct layout *layout)
{
    for (size_t i = layouts->count; i > 0 && layouts->count - i < LAYOUTS_NEAR; i--)
        if (layouts->used[i - 1].layout == layout)
            return i - 1;
    return layouts->count;
}

/* Lists the experiment's layouts in the order of cells: [how many cells, which layout]. */
static bool add_layouts(const struct experiment *experiment, cJSON *run, struct used_layouts *layouts)
{
    const struct setup *const setup = experiment->setup;
    cJSON *const list = cJSON_AddArrayToObject(run, "layouts");
    double cells[] = {0, 0};

    for (size_t cell = 0; list && cell < setup->ncells; cell++) {
        const struct layout *const layout = experiment->task->layout(setup, cell);
        const size_t index = find_used(layouts, layout);

        if (cell > 0 && index != (size_t)cells[1]) {
            if (!add_triple(list, cells, 2))
                return false;
            cells[0] = 0;
        }
        if (index == layouts->count)
            *ARRAY_ADD(layouts->used, layouts->count, layouts->room) =
                (struct used_layout){layout, cell, find_places(layout)};
        cells[1] = (double)index;
        cells[0]++;
    }
    return list && add_triple(list, cells, 2);
}

static bool add_series(cJSON *measure, const struct setup *setup, const struct task_table *table, size_t m,
                       const struct used_layouts *layouts)
{
    cJSON *const list = cJSON_AddArrayToObject(measure, "series");

    for (size_t i = 0; list && i < layouts->count; i++) {
        const struct used_layout *const used = &layouts->used[i];
        struct stretches stretches = {.list = cJSON_CreateArray()};

        if (!cJSON_AddItemToArray(list, stretches.list))
            return false;
        for (size_t r = 0; r < table->rows(table, setup, used->cell); r++) {
            struct table_row row = {0};

            table->row(table, setup, used->cell, r, &row);
            if (!add_to_stretch(&stretches, row.series[m] == SERIES_NONE ? -1 : (double)used->place[row.series[m]]))
                return false;
        }
        if (!end_stretch(&stretches))
            return false;
    }
    return list;
}

static bool add_measure(cJSON *list, const struct setup *setup, const struct task_table *of, size_t m,
                        const struct used_layouts *layouts)
{
    const struct ldp_measure *const measure = &of->table.measures[m];
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
        const struct table_column *const column = table_column(&of->table, declared_columns[i].role, m);

        if (column && !cJSON_AddStringToObject(columns, declared_columns[i].name, column->name))
            return false;
    }
    return columns && (!layouts || !of->row || add_series(object, setup, of, m, layouts));
}

static bool add_names(cJSON *object, const char *name, const struct table *table, bool keys)
{
    cJSON *const list = cJSON_AddArrayToObject(object, name);

    for (size_t i = 0; list && i < table->ncolumns; i++)
        if ((keys ? column_is_key(&table->columns[i]) : table->columns[i].role == COLUMN_FACT) &&
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

static bool add_table(cJSON *list, const struct setup *setup, const struct task_table *of,
                      const struct used_layouts *layouts)
{
    const struct table *const table = &of->table;
    const struct table_column *const repetitions = table_column(table, COLUMN_REPETITIONS, 0);
    const struct table_column *const experiment = table_column(table, COLUMN_EXPERIMENT, 0);
    cJSON *const object = cJSON_CreateObject();

    if (!cJSON_AddItemToArray(list, object) || !cJSON_AddStringToObject(object, "file", table->file) ||
        !cJSON_AddStringToObject(object, "title", table->title) ||
        !cJSON_AddStringToObject(object, "subject", table->subject) ||
        (table->form != FORM_PLAIN && !cJSON_AddStringToObject(object, "form", declared_forms[table->form])) ||
        (table->totals && !cJSON_AddStringToObject(object, "totals", table->totals)) ||
        !add_names(object, "keys", table, true) ||
        (experiment && !cJSON_AddStringToObject(object, "experiment", experiment->name)) ||
        !add_names(object, "facts", table, false) || !add_parts(object, table) ||
        (repetitions && !cJSON_AddStringToObject(object, "repetitions", repetitions->name)))
        return false;
    cJSON *const measures = cJSON_AddArrayToObject(object, "measures");
    for (size_t m = 0; measures && table->measures[m].name; m++)
        if (!add_measure(measures, setup, of, m, layouts))
            return false;
    return measures;
}

char *table_json(const struct table *table)
{
    cJSON *const list = cJSON_CreateArray();
    char *const text =
        add_table(list, NULL, &(struct task_table){.table = *table}, NULL) ? cJSON_PrintUnformatted(list->child) : NULL;

    if (!text)
        out_of_memory();
    cJSON_Delete(list);
    return text;
}

bool tables_to_json(const struct experiment *experiment, cJSON *run)
{
    const struct setup *const setup = experiment->setup;
    struct used_layouts layouts = {0};
    cJSON *const list = cJSON_AddArrayToObject(run, "tables");
    bool added = list && add_layouts(experiment, run, &layouts);

    for (size_t i = 0; added && i < setup->tables.count; i++)
        added = add_table(list, setup, &setup->tables.table[i], &layouts);
    for (size_t i = 0; i < layouts.count; i++)
        free(layouts.used[i].place);
    free(layouts.used);
    return added;
}
