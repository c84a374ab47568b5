/* list_results.c - see list.h. */
#include "commands/list.h"

#include "commands/commands.h"
#include "results/results.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Prints a JSON value and frees it. */
static void put(cJSON *value)
{
    char *const text = cJSON_PrintUnformatted(value);

    fputs(text, stdout);
    cJSON_free(text);
    cJSON_Delete(value);
}

/* Numbers as the program writes them; any other text, such as 007, is a name. */
static cJSON *cell_of(const struct table_column *column, const char *text)
{
    const bool named = column->role == COLUMN_EXPERIMENT || part_is_label(column_part(column));
    char number[NUMBER_TEXT];
    const double value = named ? (double)NAN : text_number(text);

    if (!*text && !named)
        return cJSON_CreateNull();
    return !isnan(value) && strcmp(format_number(value, number), text) == 0 ? cJSON_CreateRaw(text)
                                                                            : cJSON_CreateString(text);
}

struct printing {
    const struct table *table;
    size_t rows; /* printed, with that of the columns' names */
};

static int put_row(void *context, const char *const *field, size_t count, struct failure *failure)
{
    struct printing *const printing = context;

    (void)failure;
    if (printing->rows++ == 0)
        return 0;
    cJSON *const row = cJSON_CreateArray();
    for (size_t i = 0; i < count; i++)
        cJSON_AddItemToArray(row, cell_of(&printing->table->columns[i], field[i]));
    fputs(printing->rows > 2 ? ",\n" : "\n", stdout);
    put(row);
    return 0;
}

static int put_table(struct results *results, size_t index, struct failure *failure)
{
    const struct table *const table = results_declared(results, index);
    struct printing printing = {table, 0};
    cJSON *const columns = cJSON_CreateArray(), *const measured = cJSON_CreateArray();

    for (size_t i = 0; i < table->ncolumns; i++) {
        cJSON_AddItemToArray(columns, cJSON_CreateString(table->columns[i].name));
        if (table->columns[i].role >= COLUMN_MEAN && table->columns[i].role != COLUMN_DEFINED)
            cJSON_AddItemToArray(measured, cJSON_CreateString(table->columns[i].name));
    }
    put(cJSON_CreateString(table->file));
    fputs(": {\"columns\": ", stdout);
    put(columns);
    fputs(", \"measured\": ", stdout);
    put(measured);
    fputs(", \"rows\": [", stdout);
    const int result = results_each(results, index, put_row, &printing, failure);
    fputs("]}", stdout);
    return result;
}

static int put_values(struct results *results, const char *path, const char *name, const char *row,
                      struct failure *failure)
{
    const struct result_table *table = NULL;
    uint64_t number;

    for (size_t i = 0; i < results_count(results); i++)
        if (strcmp(results_declared(results, i)->file, name) == 0 && !(table = results_table(results, i, failure)))
            return -1;
    if (!table)
        return fail(failure, EXIT_BAD_INPUT, "%s: expected a table of the folder, got \"%s\"", SHOWN_PATH(path),
                    SHOWN(name));
    if (table->nrows == 0 || read_whole("list: row", row, 0, table->nrows - 1, &number, failure) != 0)
        return table->nrows > 0 ? -1 : fail(failure, EXIT_BAD_INPUT, "%s: %s has no rows", SHOWN_PATH(path), name);
    cJSON *const root = cJSON_CreateObject();
    for (size_t m = 0; m < table->nmeasures; m++) {
        const struct result_number *const of = result_number(table, number, m);
        cJSON *const list = of->value ? cJSON_CreateArray() : cJSON_CreateNull();

        for (size_t i = 0; of->value && i < of->repetitions; i++) {
            char text[NUMBER_TEXT];
            cJSON_AddItemToArray(list, isfinite(of->value[i]) ? cJSON_CreateRaw(format_number(of->value[i], text))
                                                              : cJSON_CreateNull());
        }
        cJSON_AddItemToObject(root, table->table->measures[m].name, list);
    }
    put(root);
    putchar('\n');
    return 0;
}

int list_results(int count, char **words, struct failure *failure)
{
    struct results *results;
    int result = 0;

    if (count != 1 && count != 3)
        return fail(failure, EXIT_BAD_INPUT,
                    "list: expected a result folder, or a folder, a table and a row, with --format json, got %d words",
                    count);
    if (results_open(words[0], &results, failure) != 0)
        return -1;
    if (count == 3)
        result = put_values(results, words[0], words[1], words[2], failure);
    else
        for (size_t i = 0; result == 0 && i < results_count(results); i++) {
            fputs(i == 0 ? "{" : ",\n", stdout);
            result = put_table(results, i, failure);
        }
    if (result == 0 && count == 1)
        puts("}");
    results_close(results);
    return result;
}
