/* claim_columns.c - see claim_columns.h. */
#include "agreement/claim_columns.h"

#include <stdlib.h>
#include <string.h>

/* In the order in which they name what is compared. */
static const enum column_part selecting[] = {PART_METHOD, PART_ORACLE, PART_ALGORITHM};
static const enum column_part placing[] = {PART_BUDGET, PART_POINT, PART_USERS, PART_DOMAIN};
enum { SELECTING = sizeof selecting / sizeof *selecting, PLACING = sizeof placing / sizeof *placing };

/* Adds the columns of a part; the list has room for them. */
static void add_part(struct claim_columns *columns, enum column_part part)
{
    for (size_t t = 0; t < columns->tables.count; t++) {
        const struct table *const table = &columns->tables.table[t].table;

        for (size_t i = 0; i < table->ncolumns; i++)
            if (column_part(&table->columns[i]) == part &&
                claim_column(columns, table->columns[i].name) == CLAIM_NO_COLUMN)
                columns->name[columns->count++] = table->columns[i].name;
    }
}

int claim_columns_list(struct claim_columns *columns, struct failure *failure)
{
    size_t room = 1;

    *columns = (struct claim_columns){0};
    for (size_t i = 0; tasks[i]; i++)
        if (tasks[i]->tables(NULL, &columns->tables) != 0)
            return fail_memory(failure);
    for (size_t t = 0; t < columns->tables.count; t++)
        room += columns->tables.table[t].table.ncolumns;
    columns->name = malloc(room * sizeof *columns->name);
    if (!columns->name)
        return fail_memory(failure);
    for (size_t i = 0; i < SELECTING; i++)
        add_part(columns, selecting[i]);
    columns->nselecting = columns->count;
    for (size_t i = 0; i < PLACING; i++)
        add_part(columns, placing[i]);
    return 0;
}

void claim_columns_clear(struct claim_columns *columns)
{
    free(columns->name);
    tables_clear(&columns->tables);
    *columns = (struct claim_columns){0};
}

enum claim_column claim_column(const struct claim_columns *columns, const char *name)
{
    for (size_t i = 0; i < columns->count; i++)
        if (strcmp(columns->name[i], name) == 0) /* NOLINT */
            return i < columns->nselecting ? CLAIM_SELECTS : CLAIM_PLACES;
    return CLAIM_NO_COLUMN;
}
