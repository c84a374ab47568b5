/* task.c - see task.h. */
#include "tasks/task.h"

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
