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

/* The moments of the repetitions of two blocks together (Chan, Golub and LeVeque, Amer. Statist. 37(3), 1983). */
static void moments_merge(size_t count, const double *block, double *moments)
{
    const double total = moments[0] + block[0], weight = block[0] / total;

    for (size_t c = 1; c <= count; c++) {
        const double apart = block[c] - moments[c];

        moments[c] += apart * weight;
        moments[count + c] += block[count + c] + apart * apart * (moments[0] * weight);
    }
    moments[0] = total;
}

int table_moments(const struct table_writer *writer, size_t cell, size_t sums, size_t count, double *moments)
{
    double *const block = moments + 1 + 2 * count;
    int result = table_sums(writer, cell, sums, 0, moments);

    for (uint32_t first = STORE_BLOCK; result == 0 && first < table_repetitions(writer, cell); first += STORE_BLOCK) {
        result = table_sums(writer, cell, sums, first, block);
        if (result == 0)
            moments_merge(count, block, moments);
    }
    return result;
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
    if (!writer->failed && table_add_row(writer, row, measured, summaries) != 0)
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
