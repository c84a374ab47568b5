/* task.c - see task.h. */
#include "tasks/task.h"

#include "support/csv.h"
#include "support/memory.h"
#include "support/numbers.h"
#include "support/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TASK(id) &task_##id,
const struct task *const tasks[] = {
#include "tasks/tasks.def"
    NULL};

void row_series(struct table_row *row, size_t first, size_t nmeasures)
{
    for (size_t l = 0; l < nmeasures; l++)
        row->series[l] = first + l;
}

void tables_add(struct task_tables *tables, const struct task_table *table)
{
    *ARRAY_ADD(tables->table, tables->count, tables->room) = *table;
}

void tables_add_measured(struct task_tables *tables, struct task_table table, uint64_t choice)
{
    const size_t nfirst = table.table.ncolumns, nmeasures = measures_chosen(choice);
    struct table_column *const columns = xmalloc(nfirst + 3 * nmeasures, sizeof *columns), *at = columns + nfirst;
    struct ldp_measure *const chosen = xcalloc(nmeasures + 1, sizeof *chosen);

    memcpy(columns, table.table.columns, nfirst * sizeof *columns);
    for (size_t m = 0; m < nmeasures; m++) {
        chosen[m] = table.table.measures[measure_chosen(choice, m)];
        *at++ = (struct table_column){chosen[m].name, COLUMN_MEAN, m};
        *at++ = (struct table_column){texts_keep(&tables->texts, xformat("%s_sd", chosen[m].name)), COLUMN_SD, m};
        *at++ =
            (struct table_column){texts_keep(&tables->texts, xformat("%s_stderr", chosen[m].name)), COLUMN_STDERR, m};
    }
    table.table.columns = table.owned = columns;
    table.table.ncolumns = nfirst + 3 * nmeasures;
    table.table.measures = table.chosen = chosen;
    tables_add(tables, &table);
}

void tables_clear(struct task_tables *tables)
{
    for (size_t i = 0; i < tables->count; i++) {
        free(tables->table[i].owned);
        free(tables->table[i].chosen);
    }
    free(tables->table);
    texts_clear(&tables->texts);
    memset(tables, 0, sizeof *tables);
}

/* Calls for each column of a cell: all tables of a task have the same. */
static void each_field(const struct setup *setup, size_t cell,
                       void (*call)(void *context, const struct table_column *column, const struct field *field),
                       void *context)
{
    const struct table *const table = setup->tables.count > 0 ? &setup->tables.table[0].table : NULL;
    struct field field[ROW_FIELDS] = {{0}}, *at = field;

    setup->task->fields(setup, cell, field);
    for (size_t i = 0; table && i < table->ncolumns; i++)
        if (table->columns[i].role == COLUMN_CELL)
            call(context, &table->columns[i], at++);
}

static void add_to_line(void *out, const struct table_column *column, const struct field *field)
{
    (void)column;
    putc(',', out);
    if (field->text)
        csv_text(out, field->text);
    else
        csv_number(out, field->number);
}

static void add_words(void *out, const struct table_column *column, const struct field *field)
{
    struct buffer *const words = out;
    char number[NUMBER_TEXT];

    if (field->text || isfinite(field->number))
        buffer_format(words, "%s%s %s", words->length > 0 ? ", " : "", column->name,
                      field->text ? field->text : format_number(field->number, number));
}

char *cell_line(const struct experiment *experiment, size_t cell)
{
    char *text;
    size_t size;
    FILE *const out = xmemstream(&text, &size);

    csv_text(out, experiment->name);
    each_field(experiment->setup, cell, add_to_line, out);
    fclose(out);
    return text;
}

char *cell_words(const struct experiment *experiment, size_t cell)
{
    struct buffer words = {0};

    each_field(experiment->setup, cell, add_words, &words);
    return buffer_take(&words);
}

struct wanted_label {
    enum column_part part;
    const char *label;
};

static void take_label(void *context, const struct table_column *column, const struct field *field)
{
    struct wanted_label *const wanted = context;

    if (column_part(column) == wanted->part)
        wanted->label = field->text;
}

const char *cell_label(const struct setup *setup, size_t cell, enum column_part part)
{
    struct wanted_label wanted = {part, NULL};

    each_field(setup, cell, take_label, &wanted);
    return wanted.label;
}

void ledger_add(struct ledger *ledger, const char *subject, const char *protects, double low, double high)
{
    if (ledger->count < LEDGER_LINES)
        ledger->line[ledger->count++] = (struct ledger_line){subject, protects, low, high};
}
