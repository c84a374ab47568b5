/* table_writer.c - see table_writer.h. */
#include "tasks/table_writer.h"

#include <assert.h>
#include <math.h>

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

static int add_row(struct table_writer *writer, const struct table_row *row, bool measured,
                   const struct summary *summaries)
{
    if (!writer->failed &&
        writer->source->add(writer->rows, writer->cell, row, measured, summaries, writer->failure) != 0)
        writer->failed = true;
    return writer->failed ? -1 : 0;
}

void table_write_summaries(struct table_writer *writer, const struct table_row *row, const struct summary *summaries)
{
    add_row(writer, row, false, summaries);
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
    return add_row(writer, row, true, summaries);
}
