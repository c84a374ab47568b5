/* tables.c - see results.h. */
#include "results/results.h"

#include "run/provenance.h"
#include "run/store_rows.h"
#include "support/document.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "tasks/table_writer.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

static int write_cell(struct table_writer *writer, size_t cell)
{
    const struct task_table *const table = writer->table;
    const struct setup *const setup = writer->experiment->setup;
    const struct table_cell in = {table, setup, cell};
    const size_t rows = table->write ? 0 : table->rows(&in);
    int result = 0;

    writer->cell = cell;
    if (table->write)
        result = table->write(writer, cell);
    for (size_t i = 0; result == 0 && i < rows; i++) {
        struct table_row row = {0};

        table->row(&in, i, &row);
        result = table_write_row(writer, cell, &row);
    }
    return writer->failed ? -1 : result;
}

/* Writes the rows of all tables into the store. kept: those whose rows were there. */
static int write_rows(struct table_writer *writer, bool *kept)
{
    const struct setup *const setup = writer->experiment->setup;
    struct failure *const failure = writer->failure;
    int result = row_writer_open(writer->store, &writer->rows, failure);

    for (size_t i = 0; result == 0 && i < setup->tables.count; i++) {
        bool changed = true;

        writer->table = &setup->tables.table[i];
        result = row_writer_begin(writer->rows, writer->table, failure);
        for (size_t cell = 0; result == 0 && cell < setup->ncells; cell++)
            result = write_cell(writer, cell);
        if (result == 0)
            result = row_writer_end(writer->rows, &changed, failure);
        kept[i] = !changed;
    }
    return row_writer_close(writer->rows, result, failure);
}

/* ---- CSV files ---- */

/* A CSV file. */
struct export
{
    FILE *out;
    bool spreadsheet; /* texts that it would take for formulas have a quote before them */
};

static int export_row(void *context, const char *const *field, size_t count, struct failure *failure)
{
    const struct export *const export = context;

    for (size_t i = 0; i < count; i++) {
        const bool formula =
            export->spreadsheet && *field[i] && strchr("=+-@\t", *field[i]) && isnan(text_number(field[i]));
        char *const quoted = formula ? xformat("'%s", field[i]) : NULL;

        if (i > 0)
            putc_unlocked(',', export->out);
        csv_text(export->out, quoted ? quoted : field[i]);
        free(quoted);
    }
    putc_unlocked('\n', export->out);
    return 0;
}

static int export_table(const struct experiment *experiment, const struct rows *rows, size_t index, const char *folder,
                        struct failure *failure)
{
    const struct table *const table = &experiment->setup->tables.table[index].table;
    struct whole_file file;

    if (whole_file_open(&file, folder, table->file, failure) != 0)
        return -1;
    struct export export = {file.stream, experiment->spreadsheet};
    if (rows_each_text(rows, table, index, export_row, &export, failure) == 0)
        return whole_file_close(&file, failure);
    whole_file_abandon(&file);
    return -1;
}

/* Writes the files of tables but those that are kept: whose rows are, and that are as they were made. */
static int export_tables(const struct experiment *experiment, struct store *store, const char *folder, bool *kept,
                         struct failure *failure)
{
    const struct task_tables *const tables = &experiment->setup->tables;
    struct provenance *before = NULL;
    struct failure ignored = NO_REASON;
    struct rows rows;
    int result = rows_open(store_file(store), &rows, failure);

    if (result == 0)
        provenance_load(folder, &before, &ignored);
    const bool quoted =
        before && cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(provenance_json(before), "spreadsheet"));
    for (size_t i = 0; result == 0 && i < tables->count; i++) {
        const struct table *const table = &tables->table[i].table;

        kept[i] = kept[i] && before && quoted == experiment->spreadsheet && provenance_made(before, table->file);
        if (!kept[i])
            result = export_table(experiment, &rows, i, folder, failure);
    }
    provenance_free(before);
    rows_clear(&rows);
    return result;
}

int tables_write(const struct experiment *experiment, struct store *store, const char *folder, bool *kept,
                 struct failure *failure)
{
    struct table_writer writer = {.experiment = experiment, .store = store, .failure = failure};

    writer.value = xmalloc(experiment->repetitions, sizeof *writer.value);
    int result = write_rows(&writer, kept);
    if (result == 0)
        result = export_tables(experiment, store, folder, kept, failure);
    free(writer.value);
    return result;
}
