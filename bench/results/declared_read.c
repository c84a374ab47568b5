/* declared_read.c - declarations of tables, from a store; see declared.h. */
#include "results/declared.h"

#include "support/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cJSON *member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* The text of a member, or NULL. */
static const char *text_of(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(member(object, name));
}

static double number_of(const cJSON *object, const char *name, double otherwise)
{
    const cJSON *const item = member(object, name);

    return cJSON_IsNumber(item) ? item->valuedouble : otherwise;
}

/* The place of a member's text in a list; 0 if there is none and it may be left out. False: it is none of them. */
static bool read_choice(const cJSON *item, const char *const *words, size_t count, bool optional, size_t *out)
{
    const char *const text = cJSON_GetStringValue(item);

    for (*out = 0; text && *out < count; ++*out)
        if (words[*out] && strcmp(text, words[*out]) == 0)
            return true;
    *out = 0;
    return optional && !item;
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
    const cJSON *const of = member(object, "columns");
    size_t better, unit;
    const bool known = read_choice(member(object, "better"), declared_directions, DIRECTIONS, false, &better) &&
                       read_choice(member(object, "unit"), declared_units, UNITS, true, &unit);

    if (!known)
        return false;
    *measure = (struct ldp_measure){.name = text_of(object, "name"),
                                    .title = text_of(object, "title"),
                                    .axis = text_of(object, "axis"),
                                    .low = number_of(object, "low", -INFINITY),
                                    .high = number_of(object, "high", INFINITY),
                                    .target = number_of(object, "target", 0),
                                    .better = (enum ldp_better)better,
                                    .unit = (enum ldp_unit)unit,
                                    .timed = cJSON_IsTrue(member(object, "timed"))};
    for (size_t i = 0; i < OF_MEASURE; i++) {
        const char *const name = text_of(of, declared_columns[i].name);

        if (name)
            columns[table->ncolumns++] = (struct table_column){name, declared_columns[i].role, m};
    }
    return measure->name && measure->title && measure->axis && text_of(of, "mean");
}

/* Finds the parts of keys and facts; false where the list names no part. */
static bool read_parts(const cJSON *list, struct table *table, struct table_column *columns)
{
    for (size_t i = 0; i < table->ncolumns; i++) {
        assert(columns[i].name);
        const cJSON *const item = member(list, columns[i].name);

        if (item && !read_choice(item, declared_parts, COLUMN_PARTS, false, &columns[i].of))
            return false;
    }
    return cJSON_IsObject(list);
}

/* Puts the columns into the order of a list of their names; false where it has others. */
static bool order_columns(const cJSON *list, struct table *table, struct table_column *columns)
{
    size_t count = 0;
    const cJSON *item;

    cJSON_ArrayForEach(item, list)
    {
        size_t i = count;

        while (i < table->ncolumns && cJSON_IsString(item) && strcmp(columns[i].name, item->valuestring) != 0)
            i++;
        if (i >= table->ncolumns || !cJSON_IsString(item))
            return false;
        const struct table_column found = columns[i];
        memmove(columns + count + 1, columns + count, (i - count) * sizeof *columns);
        columns[count++] = found;
    }
    return count == table->ncolumns;
}

static bool read_table(const cJSON *object, struct declared_table *out)
{
    const cJSON *const keys = member(object, "keys"), *const facts = member(object, "facts"),
                       *const measures = member(object, "measures");
    const char *const repetitions = text_of(object, "repetitions"), *const experiment = text_of(object, "experiment");
    size_t form;
    const size_t nmeasures = (size_t)cJSON_GetArraySize(measures);
    const size_t ncolumns = (size_t)cJSON_GetArraySize(keys) + (size_t)cJSON_GetArraySize(facts);

    out->columns = xcalloc(ncolumns + 1 + OF_MEASURE * nmeasures, sizeof *out->columns);
    out->measures = xcalloc(nmeasures + 1, sizeof *out->measures);
    out->table = (struct table){.file = text_of(object, "file"),
                                .title = text_of(object, "title"),
                                .subject = text_of(object, "subject"),
                                .totals = text_of(object, "totals"),
                                .columns = out->columns,
                                .measures = out->measures};
    bool good = out->table.file && !strchr(out->table.file, '/') && out->table.title && out->table.subject &&
                cJSON_IsArray(measures) && nmeasures <= ROW_MEASURES &&
                read_choice(member(object, "form"), declared_forms, TABLE_FORMS, true, &form) &&
                read_names(keys, COLUMN_KEY, &out->table, out->columns) &&
                read_names(facts, COLUMN_FACT, &out->table, out->columns) &&
                read_parts(member(object, "parts"), &out->table, out->columns);
    out->table.form = good ? (enum table_form)form : 0;
    const size_t cell_columns = (size_t)number_of(object, "of_cell", 0);
    for (size_t i = 0; good && i < out->table.ncolumns && out->columns[i].role == COLUMN_KEY; i++)
        if (experiment && strcmp(out->columns[i].name, experiment) == 0)
            out->columns[i].role = COLUMN_EXPERIMENT;
        else if (i < cell_columns)
            out->columns[i].role = COLUMN_CELL;
    if (good && repetitions)
        out->columns[out->table.ncolumns++] = (struct table_column){repetitions, COLUMN_REPETITIONS, 0};
    size_t m = 0;
    for (const cJSON *measure = measures ? measures->child : NULL; good && measure; measure = measure->next, m++)
        good = read_measure(measure, m, &out->table, out->columns, &out->measures[m]);
    return good && order_columns(member(object, "columns"), &out->table, out->columns);
}

int declared_read(const struct rows *rows, const char *name, struct declared *out, struct failure *failure)
{
    *out = (struct declared){.table = xcalloc(rows->ntables, sizeof *out->table)};
    for (size_t i = ROWS_OF_TABLES; i < rows->ntables; i++) {
        struct declared_table *const table = &out->table[out->count++];

        table->json = cJSON_Parse(rows->table[i].declaration);
        if (!read_table(table->json, table))
            return fail(failure, EXIT_BAD_INPUT, "%s: expected tables as `ldpbench run` declares them", name);
    }
    return 0;
}

void declared_clear(struct declared *declared)
{
    for (size_t i = 0; i < declared->count; i++) {
        free(declared->table[i].columns);
        free(declared->table[i].measures);
        cJSON_Delete(declared->table[i].json);
    }
    free(declared->table);
    *declared = (struct declared){0};
}
