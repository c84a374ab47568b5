/* list_data.c - the size, users and shape of data; the tables of a result folder. */
#include "commands/commands.h"
#include "commands/init.h"
#include "config/dataset_notes.h"
#include "dataset.h"
#include "records.h"
#include "results/results.h"
#include "strings.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_strings(const struct dataset *dataset, FILE *out)
{
    const struct dataset_strings *const strings = dataset->strings;
    const struct ldp_population *const population = dataset->population;
    size_t least = SIZE_MAX, most = 0;
    double sum = 0;

    for (size_t v = 0; v < population->d; v++) {
        const size_t length = strings_length(strings, strings->key[v]);

        least = length < least ? length : least;
        most = length > most ? length : most;
        sum += population->f[v] * (double)length;
    }
    fprintf(out, "  length                %u %s%s\n", strings->strings.length, strings->bits ? "bits" : "symbols",
            strings->strings.padded ? ", shorter strings filled up" : "");
    fprintf(out,
            "  lengths               %zu to %zu %s, %.4g on average of users; at most %u before strings were cut\n",
            least, most, strings->bits ? "bytes" : "symbols", sum, strings->longest);
    if (strings->bits)
        return;
    struct buffer alphabet = {0};
    const size_t symbols = alphabet_write(strings, &alphabet);
    fprintf(out, "  alphabet              %zu symbols: %s\n", symbols, alphabet.text);
    buffer_clear(&alphabet);
}

static void print_description(const struct dataset *dataset, FILE *out)
{
    const struct ldp_population *const population = dataset->population;
    size_t ones = 0, zeros = 0;
    const size_t shown = population->d < 5 ? population->d : 5;
    double squares = 0;

    for (size_t v = 0; v < population->d; v++) {
        ones += population->counts[v] == 1;
        zeros += population->counts[v] == 0;
        squares += population->f[v] * population->f[v];
    }
    fprintf(out, "%s\n  d                     %zu\n  n                     %llu\n", dataset->name, population->d,
            (unsigned long long)population->n);
    fprintf(out, "  largest counts        ");
    for (size_t r = 0; r < shown; r++) {
        const size_t v = population->rank[r];
        char number[WHOLE_TEXT];

        number[format_whole(v, number)] = '\0';
        fprintf(out, "%s%s %llu", r ? ", " : "", dataset->labels ? dataset->labels[v] : number,
                (unsigned long long)population->counts[v]);
    }
    fprintf(out, "\n  values with count 0   %zu\n  values with count 1   %zu\n", zeros, ones);
    fprintf(out, "  sum of squared f      %.6g\n", squares);
    if (population->d <= 1000000)
        fprintf(out, "  fitted Zipf exponent  %.4f (maximum likelihood on ranks)\n", zipf_exponent(population));
    if (dataset->strings)
        print_strings(dataset, out);
}

enum { WORDS_SHOWN = 10 };

/* Whether the values of an attribute are called by their own numbers. */
static bool are_numbers(const struct dataset_records *records, size_t attribute)
{
    char number[WHOLE_TEXT];
    size_t v = 0;

    while (v < records->nwords[attribute]) {
        number[format_whole(v, number)] = '\0';
        if (strcmp(records->word[attribute][v], number) != 0)
            return false;
        v++;
    }
    return true;
}

static void print_records(const struct dataset *dataset, FILE *out)
{
    const struct ldp_records *const records = dataset->records->records;

    fprintf(out, "%s\n  attributes            %zu\n  n                     %llu\n  distinct records      %zu\n",
            dataset->name, records->d, (unsigned long long)records->n, records->rows);
    fprintf(out, "  cardinalities         ");
    for (size_t i = 0; i < records->d; i++)
        fprintf(out, "%s%s %u", i ? ", " : "", dataset->records->names[i], (unsigned)records->cardinality[i]);
    putc('\n', out);
    for (size_t i = 0; dataset->records->word && i < records->d; i++) {
        const size_t count = dataset->records->nwords[i], shown = count < WORDS_SHOWN ? count : WORDS_SHOWN;
        const uint32_t empty = dataset->records->empty[i];

        if (empty == RECORDS_NO_EMPTY && are_numbers(dataset->records, i))
            continue;
        fprintf(out, "  values of %s  ", dataset->records->names[i]);
        for (size_t v = 0; v < shown; v++)
            fprintf(out, "%s%zu %s", v ? ", " : "", v, SHOWN(dataset->records->word[i][v]));
        if (shown < count)
            fprintf(out, ", ... %zu %s", count - 1, SHOWN(dataset->records->word[i][count - 1]));
        if (empty != RECORDS_NO_EMPTY)
            fprintf(out, "%s%u (empty cells)", count ? ", " : "", (unsigned)empty);
        putc('\n', out);
    }
}

int list_data(const char *spec, struct failure *failure)
{
    struct dataset *dataset = NULL;
    cJSON *const object = dataset_object("list", spec, failure);
    const int result = object ? dataset_object_read("list", object, false, &dataset, failure) : -1;

    if (result == 0) {
        char *text = NULL;
        size_t size = 0;
        FILE *const out = xmemstream(&text, &size);
        char *const note = dataset_note(dataset);
        (dataset->records ? print_records : print_description)(dataset, out);
        if (note)
            fprintf(out, "  note                  %s\n", note);
        fclose(out);
        print_line(stdout, PAGE_WIDTH, "%s", text);
        free(note);
        free(text);
    }
    dataset_free(dataset);
    cJSON_Delete(object);
    return result;
}

/* ---- the tables of a folder ---- */

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
        return fail(failure, EXIT_BAD_INPUT, "list: expected --format json FOLDER [TABLE ROW], got %d words", count);
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
