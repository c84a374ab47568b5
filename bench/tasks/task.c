/* task.c - see task.h. */
#include "tasks/task.h"

#include "support/csv.h"
#include "support/text.h"

#include <stdlib.h>
#include <string.h>

#define TASK(id) &task_##id,
const struct task *const tasks[] = {
#include "tasks/tasks.def"
    NULL};

const struct task *task_find(const char *name)
{
    for (size_t i = 0; tasks[i]; i++)
        if (strcmp(tasks[i]->name, name) == 0)
            return tasks[i];
    return NULL;
}

int tables_add(struct task_tables *tables, const struct task_table *table)
{
    if (tables->count == tables->room) {
        const size_t room = 2 * tables->room + 8;
        struct task_table *const more = realloc(tables->table, room * sizeof *more);

        if (!more) {
            free(table->owned);
            return -1;
        }
        tables->table = more;
        tables->room = room;
    }
    tables->table[tables->count++] = *table;
    return 0;
}

int tables_add_measured(struct task_tables *tables, struct task_table table, const struct table_column *first,
                        size_t nfirst)
{
    const size_t nmeasures = ldp_measures_count(table.table.measures);
    struct table_column *const columns = malloc((nfirst + 3 * nmeasures) * sizeof *columns), *at = columns;

    if (!columns)
        return -1;
    for (size_t i = 0; i < nfirst; i++)
        *at++ = first[i];
    for (size_t m = 0; m < nmeasures; m++) {
        const char *const name = table.table.measures[m].name;
        const char *const sd = texts_keep(&tables->texts, text_format("%s_sd", name));
        const char *const error = texts_keep(&tables->texts, text_format("%s_stderr", name));

        if (!sd || !error) {
            free(columns);
            return -1;
        }
        *at++ = (struct table_column){name, COLUMN_MEAN, m};
        *at++ = (struct table_column){sd, COLUMN_SD, m};
        *at++ = (struct table_column){error, COLUMN_STDERR, m};
    }
    table.table.columns = table.owned = columns;
    table.table.ncolumns = nfirst + 3 * nmeasures;
    return tables_add(tables, &table);
}

void tables_clear(struct task_tables *tables)
{
    for (size_t i = 0; i < tables->count; i++)
        free(tables->table[i].owned);
    free(tables->table);
    texts_clear(&tables->texts);
    memset(tables, 0, sizeof *tables);
}

char *cell_line(const struct experiment *experiment, size_t cell)
{
    char *line = NULL;
    size_t size = 0;
    FILE *const out = open_memstream(&line, &size);

    if (!out)
        return NULL;
    experiment->task->write_cell(out, experiment, cell);
    if (fclose(out) == 0)
        return line;
    free(line);
    return NULL;
}

char *cell_words(const struct experiment *experiment, size_t cell)
{
    const struct task_tables *const tables = &experiment->setup->tables;
    char *const line = cell_line(experiment, cell), *rest = line, *words = NULL, *field;
    size_t size = 0;
    FILE *const out = open_memstream(&words, &size);

    for (size_t i = 0; line && out && tables->count > 0 && i < tables->table[0].table.ncolumns; i++) {
        const struct table_column *const column = &tables->table[0].table.columns[i];

        if (column_is_of_cell(column) && (field = csv_next(&rest)) != NULL && column->role == COLUMN_CELL && *field)
            fprintf(out, "%s%s %s", ftell(out) > 0 ? ", " : "", column->name, field);
    }
    if (out && fclose(out) == 0 && line) {
        free(line);
        return words;
    }
    free(line);
    free(words);
    return NULL;
}

bool precision_judges(const struct ldp_measure *measure)
{
    return (measure->better == LDP_LESS || measure->better == LDP_MORE) && !measure->timed;
}

bool task_table_has_rows(const struct task_table *table)
{
    return table->rows && table->row;
}

bool precision_applies(const struct setup *setup)
{
    for (size_t i = 0; i < setup->tables.count; i++) {
        const struct task_table *const table = &setup->tables.table[i];

        for (size_t m = 0; task_table_has_rows(table) && table->table.measures[m].name; m++)
            if (precision_judges(&table->table.measures[m]))
                return true;
    }
    return false;
}
