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
    size_t count;
};

struct numbered_series {
    const struct series *series;
    size_t number;
};

static int compare_series(const void *a, const void *b)
{
    const struct numbered_series *const x = a, *const y = b;
    int order = strcmp(x->series->method, y->series->method);

    order = order ? order : strcmp(x->series->query, y->series->query);
    order = order ? order : strcmp(x->series->point, y->series->point);
    order = order ? order : strcmp(x->series->measure, y->series->measure);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static bool alike(const struct numbered_series *a, const struct numbered_series *b)
{
    return strcmp(a->series->method, b->series->method) == 0 && strcmp(a->series->query, b->series->query) == 0 &&
           strcmp(a->series->point, b->series->point) == 0 && strcmp(a->series->measure, b->series->measure) == 0;
}

/* NULL if out of memory. */
static size_t *find_places(const struct layout *layout)
{
    struct numbered_series *const sorted = malloc((layout->nseries + 1) * sizeof *sorted);
    size_t *place = malloc((layout->nseries + 1) * sizeof *place);

    for (size_t i = 0; sorted && i < layout->nseries; i++)
        sorted[i] = (struct numbered_series){&layout->series[i], i};
    if (sorted && layout->nseries > 0)
        qsort(sorted, layout->nseries, sizeof *sorted, compare_series);
    /* First the index of the first equal series, then the number of distinct ones before it. */
    for (size_t i = 0; sorted && place && i < layout->nseries; i++) {
        const bool again = i > 0 && alike(&sorted[i - 1], &sorted[i]);

        place[sorted[i].number] = again ? place[sorted[i - 1].number] : sorted[i].number;
    }
    size_t distinct = 0;
    for (size_t i = 0; sorted && place && i < layout->nseries; i++)
        place[i] = place[i] == i ? distinct++ : place[place[i]];
    if (!sorted) {
        free(place);
        place = NULL;
    }
    free(sorted);
    return place;
}

static bool add_used(struct used_layouts *layouts, const struct layout *layout, size_t cell)
{
    struct used_layout *const more = realloc(layouts->used, (layouts->count + 1) * sizeof *more);

    if (!more)
        return false;
    layouts->used = more;
    more[layouts->count] = (struct used_layout){layout, cell, find_places(layout)};
    return more[layouts->count++].place;
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
        if (index == layouts->count && !add_used(layouts, layout, cell))
            return false;
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
        !cJSON_AddStringToObject(object, "better", directions[measure->better]) ||
        (measure->better == LDP_TARGET && !add_number(object, "target", measure->target)) ||
        !add_number(object, "low", measure->low) || !add_number(object, "high", measure->high) ||
        (measure->timed && !cJSON_AddTrueToObject(object, "timed")))
        return false;
    cJSON *const columns = cJSON_AddObjectToObject(object, "columns");
    for (size_t i = 0; columns && i < OF_MEASURE; i++) {
        const struct table_column *const column = table_column(&of->table, of_measure[i].role, m);

        if (column && !cJSON_AddStringToObject(columns, of_measure[i].name, column->name))
            return false;
    }
    return columns && (!of->row || add_series(object, setup, of, m, layouts));
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
        (table->tradeoff && !cJSON_AddTrueToObject(object, "tradeoff")) || !add_names(object, "keys", table, true) ||
        (experiment && !cJSON_AddStringToObject(object, "experiment", experiment->name)) ||
        !add_names(object, "facts", table, false) ||
        (repetitions && !cJSON_AddStringToObject(object, "repetitions", repetitions->name)))
        return false;
    cJSON *const measures = cJSON_AddArrayToObject(object, "measures");
    for (size_t m = 0; measures && table->measures[m].name; m++)
        if (!add_measure(measures, setup, of, m, layouts))
            return false;
    return measures;
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

/* ---- from JSON ---- */

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
        if (strcmp(text, directions[i]) == 0) {
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
        const char *const name = text_of(of, of_measure[i].name);

        if (name)
            columns[table->ncolumns++] = (struct table_column){name, of_measure[i].role, m};
    }
    return measure->name && measure->title && measure->axis && text_of(of, "mean") &&
           read_direction(text_of(object, "better"), &measure->better);
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
    const char *const repetitions = text_of(object, "repetitions");
    const char *experiment = text_of(object, "experiment");
    const size_t nmeasures = (size_t)cJSON_GetArraySize(measures);
    const size_t ncolumns = (size_t)cJSON_GetArraySize(keys) + (size_t)cJSON_GetArraySize(facts);

    if (!experiment)
        experiment = "experiment"; /* of folders that were written before it was declared */
    *out = (struct declared_table){.json = object};
    out->columns = malloc((ncolumns + 1 + OF_MEASURE * nmeasures) * sizeof *out->columns);
    out->measures = calloc(nmeasures + 1, sizeof *out->measures);
    if (!out->columns || !out->measures)
        return fail_memory(failure);
    out->table = (struct table){.file = text_of(object, "file"),
                                .title = text_of(object, "title"),
                                .subject = text_of(object, "subject"),
                                .tradeoff = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(object, "tradeoff")),
                                .columns = out->columns,
                                .measures = out->measures};
    bool good = out->table.file && !strchr(out->table.file, '/') && out->table.title && out->table.subject &&
                cJSON_IsArray(measures) && read_names(keys, COLUMN_KEY, &out->table, out->columns) &&
                read_names(facts, COLUMN_FACT, &out->table, out->columns);
    if (out->table.ncolumns > 0 && strcmp(out->columns[0].name, experiment) == 0)
        out->columns[0].role = COLUMN_EXPERIMENT;
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
        if (!cJSON_IsNumber(item) || item->valuedouble != floor(item->valuedouble) ||
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
