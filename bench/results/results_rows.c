/* results_rows.c - the rows of one table: keys, numbers and every repetition of them from the store. */
#include "results/results_private.h"

#include "run/stored.h"
#include "support/memory.h"
#include "support/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void part_clear(struct table_source *part)
{
    csv_clear(&part->csv);
    free(part->names);
    for (size_t k = 0; k < part->out.nkeys; k++)
        interned_clear(&part->key_texts[k]);
    free(part->key_texts);
    free(part->key_codes);
    free(part->facts);
    free(part->cells);
    free(part->collections);
    texts_clear(&part->texts);
    free(part->numbers);
    for (size_t i = 0; i < part->nvalues; i++)
        free(part->values[i]);
    free(part->values);
    *part = (struct table_source){.index = part->index, .out = {.table = part->out.table, .path = part->out.path}};
}

void part_make_room(struct table_source *part, size_t nrows)
{
    struct result_table *const out = &part->out;

    out->nrows = nrows;
    out->nkeys = out->nfacts = 0;
    out->nmeasures = ldp_measures_count(out->table->measures);
    part->names = xcalloc(out->table->ncolumns + 1, sizeof *part->names);
    out->experiment = SIZE_MAX;
    for (size_t i = 0; i < out->table->ncolumns; i++)
        if (column_is_key(&out->table->columns[i])) {
            if (out->table->columns[i].role == COLUMN_EXPERIMENT)
                out->experiment = out->nkeys;
            part->names[out->nkeys++] = out->table->columns[i].name;
        }
    for (size_t i = 0; i < out->table->ncolumns; i++)
        if (out->table->columns[i].role == COLUMN_FACT)
            part->names[out->nkeys + out->nfacts++] = out->table->columns[i].name;
    part->key_texts = xcalloc(out->nkeys + 1, sizeof *part->key_texts);
    part->key_codes = xcalloc(nrows * out->nkeys + 1, sizeof *part->key_codes);
    part->facts = xcalloc(nrows * out->nfacts + 1, sizeof *part->facts);
    part->cells = xcalloc(nrows + 1, sizeof *part->cells);
    part->numbers = xcalloc(nrows * out->nmeasures + 1, sizeof *part->numbers);
    out->key_name = part->names;
    out->fact_name = part->names + out->nkeys;
    out->value = part->key_texts;
    out->code = part->key_codes;
    out->fact = part->facts;
    out->number = part->numbers;
    for (size_t i = 0; i < nrows * out->nmeasures; i++)
        part->numbers[i] = (struct result_number){.mean = NAN, .sd = NAN, .stderr_ = NAN};
}

void part_set_key(struct table_source *part, size_t row, size_t key, const char *text)
{
    struct interned *const value = &part->key_texts[key];
    uint32_t *const code = part->key_codes + key * part->out.nrows + row;

    *code = row > 0 && strcmp(value->text[code[-1]], text) == 0 ? code[-1] : intern(value, text);
}

/* Whether a mean is in the range of its measure, up to rounding of a sum. */
static bool in_range(const struct ldp_measure *measure, double mean)
{
    return isnan(mean) ||
           (mean >= measure->low - 1e-9 * fabs(measure->low) &&
            mean <= measure->high + (isfinite(measure->high) ? 1e-9 * fabs(measure->high) : 0) && isfinite(mean));
}

void number_take(struct result_number *number, enum column_role role, double value)
{
    switch (role) {
    case COLUMN_MEAN: number->mean = value; break;
    case COLUMN_SD: number->sd = value; break;
    case COLUMN_VARIANCE: number->sd = sqrt(value); break;
    case COLUMN_STDERR: number->stderr_ = value; break;
    default: number->n = value >= 0 && value <= 1e9 ? (size_t)value : 0;
    }
}

int number_complete(const struct result_table *out, size_t row, size_t m, struct result_number *number,
                    struct failure *failure)
{
    const struct table *const table = out->table;
    const struct ldp_measure *const measure = &table->measures[m];
    const bool sd = table_column(table, COLUMN_SD, m) || table_column(table, COLUMN_VARIANCE, m),
               error = table_column(table, COLUMN_STDERR, m), defined = table_column(table, COLUMN_DEFINED, m);
    char range[RANGE_TEXT], text[NUMBER_TEXT];

    if (!in_range(measure, number->mean))
        return fail(failure, EXIT_BAD_INPUT, "%s:%zu: %s: expected %s, got %s", out->path, row + 2, measure->name,
                    format_range(false, measure->low, measure->high, range), format_number(number->mean, text));
    if (!defined)
        number->n = isnan(number->mean) ? 0 : number->repetitions;
    number->exact = !sd && !error && !defined && !table_column(table, COLUMN_REPETITIONS, 0) && !measure->timed;
    if (!sd)
        number->sd = number->stderr_ * sqrt((double)number->n);
    if (!error)
        number->stderr_ = number->sd / sqrt((double)number->n);
    return 0;
}

int part_check_once(const struct result_table *out, struct failure *failure)
{
    struct index_map known = {0};
    int result = 0;

    for (size_t row = 0; result == 0 && row < out->nrows; row++) {
        int32_t *const first = index_map_at(&known, result_identity(out, row, NULL));

        if (*first != NONE)
            result = fail(failure, EXIT_BAD_INPUT, "%s:%zu: expected each row once, got the keys of line %d again",
                          out->path, row + 2, *first + 2);
        *first = (int32_t)row;
    }
    index_map_clear(&known);
    return result;
}

/* ---- from the store ---- */

/* Rows that are read. */
struct loading {
    struct results *results;
    struct table_source *part;
    const char **field, **kept; /* [ncolumns]: texts of the row, and those that were kept last */
    char (*number)[NUMBER_TEXT];
    size_t row;
};

static int fail_damaged(const struct loading *loading, struct failure *failure)
{
    return rows_damaged(loading->part->out.path, failure);
}

/* The text of a fact, which lives as long as the table. */
static const char *keep_text(struct loading *loading, size_t column)
{
    const char *const text = loading->field[column], **const kept = &loading->kept[column];

    if (!*kept || strcmp(*kept, text) != 0)
        *kept = texts_keep(&loading->part->texts, xstrdup(text));
    return *kept;
}

/* Room for values, which live as long as the table. */
static double *take_room(struct table_source *part, size_t count)
{
    enum { BLOCK = 1 << 13 };

    if (part->left < count) {
        part->left = count > BLOCK ? count : BLOCK;
        part->value = xrealloc(NULL, part->left, sizeof *part->value);
        *ARRAY_ADD(part->values, part->nvalues, part->values_room) = part->value;
    }
    double *const room = part->value;
    part->value += count;
    part->left -= count;
    return room;
}

/* The value of every repetition, and whether the numbers are those that the values give. */
static int take_values(struct loading *loading, struct result_number *number, size_t m, size_t cell, int64_t series,
                       struct failure *failure)
{
    const struct table *const table = loading->part->out.table;

    if (series < 0 || (size_t)series >= stored_series_count(loading->results->stored, cell))
        return fail_damaged(loading, failure);
    double *const value = take_room(loading->part, number->repetitions);
    if (stored_values(loading->results->stored, cell, (size_t)series, value, failure) != 0)
        return -1;
    number->value = value;
    const struct summary summary = summarise(number->value, number->repetitions);
    if (!table_column(table, COLUMN_DEFINED, m))
        number->n = summary.n; /* the table does not say in how many repetitions the number is defined */
    number->differs = number->n != summary.n || !same_number(number->mean, summary.mean) ||
                      (table_column(table, COLUMN_SD, m) && !same_number(number->sd, summary.sd)) ||
                      (table_column(table, COLUMN_STDERR, m) && !same_number(number->stderr_, summary.stderr_));
    number->sd = number->differs ? number->sd : summary.sd;
    return 0;
}

/* Completes the numbers of a row. series: of each measure. */
static int finish_numbers(struct loading *loading, size_t row, size_t cell, const struct row_value *series,
                          struct failure *failure)
{
    struct table_source *const part = loading->part;

    for (size_t m = 0; m < part->out.nmeasures; m++) {
        struct result_number *const number = &part->numbers[row * part->out.nmeasures + m];

        if (number_complete(&part->out, row, m, number, failure) != 0)
            return -1;
        if (series[m].type == ROW_WHOLE && take_values(loading, number, m, cell, series[m].whole, failure) != 0)
            return -1;
    }
    return 0;
}

static int take_row(void *context, const struct row_value *value, size_t count, struct failure *failure)
{
    struct loading *const loading = context;
    struct table_source *const part = loading->part;
    const struct table *const table = part->out.table;
    const struct rows *const rows = stored_rows(loading->results->stored);
    const size_t row = loading->row, nmeasures = part->out.nmeasures;
    const struct row_value *own = value + 2;
    size_t key = 0, fact = 0, columns = 2 + nmeasures;

    for (size_t i = 0; i < table->ncolumns; i++)
        columns += column_is_of_row(&table->columns[i]);
    if (row >= part->out.nrows || count != columns ||
        !row_fields(rows, table, value, count, true, loading->field, loading->number))
        return fail_damaged(loading, failure);
    const size_t cell = (size_t)value[1].whole;
    for (size_t m = 0; m < nmeasures; m++)
        part->numbers[row * nmeasures + m].repetitions = rows->cell[cell].repetitions;
    for (size_t i = 0; i < table->ncolumns; i++) {
        const struct table_column *const column = &table->columns[i];

        if (column->role >= COLUMN_MEAN)
            number_take(&part->numbers[row * nmeasures + column->of], column->role,
                        own->type == ROW_REAL    ? own->real
                        : own->type == ROW_WHOLE ? (double)own->whole
                                                 : NAN);
        if (column_is_key(column))
            part_set_key(part, row, key++, loading->field[i]);
        else if (column->role == COLUMN_FACT)
            part->facts[row * part->out.nfacts + fact++] = keep_text(loading, i);
        own += column_is_of_row(column);
    }
    part->cells[row] = stored_cell_name(loading->results->stored, cell);
    part->collections[row] = rows->cell[cell].collection;
    loading->row++;
    return finish_numbers(loading, row, cell, own, failure);
}

int part_load_rows(struct results *results, struct table_source *part, struct failure *failure)
{
    const struct rows *const rows = stored_rows(results->stored);
    struct loading loading = {.results = results, .part = part};

    part_make_room(part, (size_t)rows->table[ROWS_OF_TABLES + part->index].rows);
    part->collections = xcalloc(part->out.nrows, sizeof *part->collections);
    loading.field = xcalloc(part->out.table->ncolumns, sizeof *loading.field);
    loading.kept = xcalloc(part->out.table->ncolumns, sizeof *loading.kept);
    loading.number = xcalloc(part->out.table->ncolumns, sizeof *loading.number);
    const int result = rows_each(rows, part->index, take_row, &loading, failure);
    free(loading.field);
    free(loading.kept);
    free(loading.number);
    if (part->values) {
        part->out.cell = part->cells;
        part->out.collection = part->collections;
    }
    return result; /* no row is there twice: their checksum is that of what `run` wrote */
}
