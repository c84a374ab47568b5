/* table_writer.c - see table_writer.h. */
#include "tasks/table_writer.h"

#include "support/csv.h"

#include <assert.h>
#include <math.h>
#include <string.h>

const struct table_column *table_column(const struct table *table, enum column_role role, size_t measure)
{
    for (size_t i = 0; i < table->ncolumns; i++)
        if (table->columns[i].role == role && table->columns[i].of == measure)
            return &table->columns[i];
    return NULL;
}

uint32_t table_repetitions(const struct table_writer *writer, size_t cell)
{
    return writer->source->repetitions(writer->store, cell);
}

int table_series(const struct table_writer *writer, size_t cell, size_t series, double *value)
{
    return writer->source->series(writer->store, cell, series, value, writer->failure);
}

int table_sums(const struct table_writer *writer, size_t cell, size_t sums, uint32_t first, double *vector)
{
    return writer->source->sums(writer->store, cell, sums, first, vector, writer->failure);
}

int table_summary(struct table_writer *writer, size_t cell, size_t series, struct summary *summary)
{
    if (table_series(writer, cell, series, writer->value) != 0)
        return -1;
    *summary = summarise(writer->value, table_repetitions(writer, cell));
    return 0;
}

void table_write_summaries(struct table_writer *writer, const struct table_row *row, const struct summary *summaries)
{
    const struct table *const table = &writer->table->table;
    FILE *const out = writer->out;

    fwrite_unlocked(writer->cell_text, 1, strlen(writer->cell_text), out);
    const struct field *field = row->field;
    for (size_t i = 0; i < table->ncolumns; i++) {
        const struct table_column *const column = &table->columns[i];
        const struct summary *const summary = &summaries[column->of];

        if (column_is_of_cell(column))
            continue;
        putc_unlocked(',', out);
        switch (column->role) {
        case COLUMN_EXPERIMENT:
        case COLUMN_CELL: break;
        case COLUMN_KEY:
        case COLUMN_FACT: field_write(out, field++); break;
        case COLUMN_REPETITIONS: csv_number(out, (double)table_repetitions(writer, writer->cell)); break;
        case COLUMN_MEAN: csv_number(out, summary->mean); break;
        case COLUMN_SD: csv_number(out, summary->sd); break;
        case COLUMN_VARIANCE: csv_number(out, summary->variance); break;
        case COLUMN_STDERR: csv_number(out, summary->stderr_); break;
        case COLUMN_DEFINED: csv_number(out, (double)summary->n); break;
        }
    }
    putc('\n', out);
}

int table_write_row(struct table_writer *writer, size_t cell, const struct table_row *row)
{
    const size_t nmeasures = ldp_measures_count(writer->table->table.measures);
    struct summary summaries[ROW_MEASURES];

    assert(nmeasures <= ROW_MEASURES);
    for (size_t m = 0; m < nmeasures; m++) {
        summaries[m] = (struct summary){.mean = NAN, .sd = NAN, .variance = NAN, .stderr_ = NAN};
        if (row->series[m] != SERIES_NONE && table_summary(writer, cell, row->series[m], &summaries[m]) != 0)
            return -1;
    }
    table_write_summaries(writer, row, summaries);
    return 0;
}
