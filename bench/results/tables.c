/* tables.c - see tables.h. */
#include "results/tables.h"

#include "support/files.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const struct table_source stored = {store_repetitions, store_series, store_sums};

static int write_cell(struct table_writer *writer, size_t cell)
{
    const struct task_table *const table = writer->table;
    const struct setup *const setup = writer->experiment->setup;
    const size_t rows = table->write ? 0 : table->rows(table, setup, cell);

    writer->cell = cell;
    writer->cell_text = cell_line(writer->experiment, cell);
    int result = 0;
    if (table->write)
        result = table->write(writer, cell);
    for (size_t i = 0; result == 0 && i < rows; i++) {
        struct table_row row = {0};

        table->row(table, setup, cell, i, &row);
        result = table_write_row(writer, cell, &row);
    }
    return result;
}

static int fail_compressed(const struct table_writer *writer)
{
    const int cause = errno ? errno : EIO;

    return fail(writer->failure, failure_status(cause), "%s.gz: cannot be written: %s", writer->table->table.file,
                strerror(cause));
}

/* Writes the text of a compressed table, cell by cell, at zlib's default level. */
struct compressor {
    gzFile file;
    char *text;
    size_t size;
};

static int compress_text(struct table_writer *writer, struct compressor *compressor)
{
    if (!compressor)
        return 0;
    if (fflush(writer->out) != 0)
        return fail_memory(writer->failure);
    for (size_t from = 0; from < compressor->size;) {
        const size_t left = compressor->size - from;
        const int written =
            gzwrite(compressor->file, compressor->text + from, left > INT_MAX ? INT_MAX : (unsigned)left);

        if (written <= 0)
            return fail_compressed(writer);
        from += (size_t)written;
    }
    rewind(writer->out);
    return 0;
}

static int write_rows(struct table_writer *writer, struct compressor *compressor)
{
    const struct table *const table = &writer->table->table;

    for (size_t i = 0; i < table->ncolumns; i++)
        fprintf(writer->out, "%s%s", i > 0 ? "," : "", table->columns[i].name);
    putc('\n', writer->out);
    int result = 0;
    for (size_t cell = 0; result == 0 && cell < writer->experiment->setup->ncells; cell++) {
        result = write_cell(writer, cell);
        free(writer->cell_text);
        writer->cell_text = NULL;
        if (result == 0)
            result = compress_text(writer, compressor);
    }
    return result;
}

/* The rows as a gzip stream into a file that is open. */
static int write_compressed(struct table_writer *writer, FILE *file)
{
    struct compressor compressor = {0};
    const int copy = dup(fileno(file));

    compressor.file = copy >= 0 ? gzdopen(copy, "wb") : NULL;
    writer->out = compressor.file ? open_memstream(&compressor.text, &compressor.size) : NULL;
    if (!writer->out) {
        if (compressor.file)
            gzclose(compressor.file);
        else if (copy >= 0)
            close(copy);
        return fail_memory(writer->failure);
    }
    int result = write_rows(writer, &compressor);
    fclose(writer->out);
    free(compressor.text);
    errno = 0;
    if (gzclose(compressor.file) != Z_OK && result == 0)
        result = fail_compressed(writer);
    return result;
}

static int write_table(struct table_writer *writer, const char *folder)
{
    const bool compress = writer->experiment->compress;
    char *const name = text_format("%s%s", writer->table->table.file, compress ? ".gz" : "");
    struct whole_file file;
    int result = name ? whole_file_open(&file, folder, name, writer->failure) : fail_memory(writer->failure);

    free(name);
    if (result != 0)
        return -1;
    writer->out = file.stream;
    store_hold(writer->store);
    result = compress ? write_compressed(writer, file.stream) : write_rows(writer, NULL);
    if (store_release(writer->store, writer->failure) != 0)
        result = -1;
    if (result != 0) {
        whole_file_abandon(&file);
        return -1;
    }
    return whole_file_close(&file, writer->failure);
}

int tables_write(const struct experiment *experiment, struct store *store, const char *folder, struct failure *failure)
{
    const struct task_tables *const tables = &experiment->setup->tables;
    struct table_writer writer = {.experiment = experiment, .source = &stored, .store = store, .failure = failure};

    writer.value = malloc(experiment->repetitions * sizeof *writer.value);
    if (!writer.value)
        return fail_memory(failure);
    int result = 0;
    for (size_t i = 0; result == 0 && i < tables->count; i++) {
        writer.table = &tables->table[i];
        result = write_table(&writer, folder);
    }
    free(writer.value);
    return result;
}
