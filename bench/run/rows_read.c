/* rows_read.c - the rows of the last complete run, out of its store; see rows.h. */
#include "run/rows_private.h"

#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int rows_damaged(const char *path, struct failure *failure)
{
    return fail(failure, EXIT_BAD_INPUT, "%s: damaged; run the experiment again", path);
}

static int fail_damaged(const struct rows *rows, struct failure *failure)
{
    return rows_damaged(rows->file->path, failure);
}

typedef int row_visitor(void *context, const struct row_value *value, size_t count, struct failure *failure);

/* Visits all rows; then their number and checksum must be those of `tables`. */
static int each_row(const struct rows *rows, const struct row_table *table, row_visitor *visit, void *context,
                    struct failure *failure)
{
    sqlite3_stmt *statement = NULL;
    struct row_value value[ROW_COLUMNS];
    int64_t count = 0, checksum = 0;
    int result = row_prepare(rows->file,
                             table >= rows->table + ROWS_OF_TABLES ? "SELECT * FROM \"%w_rows\" ORDER BY rowid"
                                                                   : "SELECT * FROM \"%w\" ORDER BY rowid",
                             table->name, &statement, failure);
    const size_t columns = result == 0 ? (size_t)sqlite3_column_count(statement) : 0;
    int code = SQLITE_DONE;

    if (columns > ROW_COLUMNS)
        result = fail_damaged(rows, failure);
    while (result == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (size_t i = 0; i < columns; i++)
            value[i] = row_value(statement, (int)i);
        checksum = row_checksum(checksum, value, columns);
        result = value[0].whole == count++ ? visit(context, value, columns, failure) : fail_damaged(rows, failure);
    }
    if (result == 0 && code != SQLITE_DONE)
        result = store_file_failure(rows->file, failure);
    sqlite3_finalize(statement);
    if (result == 0 && (count != table->rows || row_table_checksum(table->declaration, checksum) != table->checksum))
        result = fail_damaged(rows, failure);
    return result;
}

int rows_each(const struct rows *rows, size_t table, row_visitor *visit, void *context, struct failure *failure)
{
    return each_row(rows, &rows->table[ROWS_OF_TABLES + table], visit, context, failure);
}

/* ---- texts ---- */

/* NULL where a name is not there. */
static const char *value_text(const struct rows *rows, const struct row_value *value, bool label,
                              char number[NUMBER_TEXT])
{
    switch (value->type) {
    case ROW_NONE: return "";
    case ROW_TEXT: return value->text;
    case ROW_REAL: return isfinite(value->real) ? format_number(value->real, number) : "";
    case ROW_WHOLE: break;
    }
    if (!label)
        return format_number((double)value->whole, number);
    return (uint64_t)value->whole < rows->nnames ? rows->name[value->whole].label : NULL;
}

bool row_fields(const struct rows *rows, const struct table *table, const struct row_value *value, size_t count,
                bool keys_alone, const char **field, char (*number)[NUMBER_TEXT])
{
    const struct row_value *own = value + 2, *const end = value + count;

    if (count < 2 || (uint64_t)value[1].whole >= rows->ncells)
        return false;
    const struct row_value *grid = rows->grid + (size_t)value[1].whole * rows->ngrid, *const grid_end =
                                                                                          grid + rows->ngrid;
    for (size_t i = 0; i < table->ncolumns; i++) {
        const struct table_column *const column = &table->columns[i];

        if (column->role == COLUMN_EXPERIMENT)
            field[i] = rows->experiment;
        else if (column->role == COLUMN_REPETITIONS)
            field[i] = format_number(rows->cell[value[1].whole].repetitions, number[i]);
        else if (column->role == COLUMN_CELL ? grid == grid_end : own == end)
            return false;
        else if (keys_alone && column->role >= COLUMN_MEAN)
            own++;
        else
            field[i] = value_text(rows, column->role == COLUMN_CELL ? grid++ : own++,
                                  part_is_label(column_part(column)), number[i]);
        if (!field[i] && !(keys_alone && column->role >= COLUMN_MEAN))
            return false;
    }
    return true;
}

/* ---- names, cells, grid ---- */

static char *text_of(const struct row_value *value)
{
    return xstrdup(value->type == ROW_TEXT && value->text ? value->text : "");
}

static int take_name(void *context, const struct row_value *value, size_t count, struct failure *failure)
{
    struct rows *const rows = context;

    if (count != 5)
        return fail_damaged(rows, failure);
    *ARRAY_ADD(rows->name, rows->nnames, rows->names_room) =
        (struct row_name){text_of(&value[1]), text_of(&value[2]), text_of(&value[3]), text_of(&value[4])};
    return 0;
}

static int take_cell(void *context, const struct row_value *value, size_t count, struct failure *failure)
{
    struct rows *const rows = context;

    if (count != 5 || value[4].whole < 1 || value[4].whole > UINT32_MAX)
        return fail_damaged(rows, failure);
    *ARRAY_ADD(rows->cell, rows->ncells, rows->cells_room) = (struct run_cell){.key = value[1].whole,
                                                                               .layout = value[2].whole,
                                                                               .collection = value[3].whole,
                                                                               .repetitions = (uint32_t)value[4].whole};
    return 0;
}

static int take_grid(void *context, const struct row_value *value, size_t count, struct failure *failure)
{
    struct rows *const rows = context;

    (void)failure;
    rows->ngrid = count - 1;
    for (size_t i = 1; i < count; i++) {
        struct row_value *const own = ARRAY_ADD(rows->grid, rows->grid_count, rows->grid_room);

        *own = value[i];
        if (own->type == ROW_TEXT)
            own->text = text_of(&value[i]);
    }
    return 0;
}

static int read_tables(struct rows *rows, struct failure *failure)
{
    sqlite3_stmt *statement = NULL;
    size_t room = 0;
    int result = store_file_prepare(rows->file, "SELECT name, declaration, rows, checksum, id FROM tables ORDER BY id",
                                    &statement, failure);
    int code = SQLITE_DONE;

    while (result == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *const name = (const char *)sqlite3_column_text(statement, 0);
        const char *const declaration = (const char *)sqlite3_column_text(statement, 1);

        if (!name || sqlite3_column_int64(statement, 4) != (int64_t)rows->ntables ||
            !declaration != (rows->ntables < ROWS_OF_TABLES && rows->ntables != ROWS_OF_RUN)) {
            result = fail_damaged(rows, failure);
            break;
        }
        *ARRAY_ADD(rows->table, rows->ntables, room) =
            (struct row_table){.name = xstrdup(name),
                               .declaration = declaration ? xstrdup(declaration) : NULL,
                               .rows = sqlite3_column_int64(statement, 2),
                               .checksum = sqlite3_column_int64(statement, 3)};
    }
    if (result == 0 && code != SQLITE_DONE)
        result = store_file_failure(rows->file, failure);
    sqlite3_finalize(statement);
    return result;
}

int rows_open(struct store_file *file, struct rows *rows, struct failure *failure)
{
    static const struct {
        const char *name;
        row_visitor *take;
    } first[ROWS_OF_TABLES] = {{"name", take_name}, {"run", take_cell}, {"grid", take_grid}};

    *rows = (struct rows){.file = file};
    if (store_file_get(file, "experiment", &rows->experiment, failure) != 0 || read_tables(rows, failure) != 0)
        return -1;
    if (!rows->experiment || rows->ntables <= ROWS_OF_TABLES)
        return fail(failure, EXIT_BAD_INPUT, "%s: its run is not complete; run it again", file->path);
    for (size_t i = 0; i < ROWS_OF_TABLES; i++)
        if (strcmp(rows->table[i].name, first[i].name) != 0 ||
            each_row(rows, &rows->table[i], first[i].take, rows, failure) != 0)
            return -1;
    return rows->grid_count == rows->ncells * rows->ngrid ? 0 : fail_damaged(rows, failure);
}

void rows_clear(struct rows *rows)
{
    for (size_t i = 0; i < rows->ntables; i++) {
        free(rows->table[i].name);
        free(rows->table[i].declaration);
    }
    for (size_t i = 0; i < rows->nnames; i++) {
        free(rows->name[i].kind);
        free(rows->name[i].name);
        free(rows->name[i].parameters);
        free(rows->name[i].label);
    }
    for (size_t i = 0; i < rows->grid_count; i++)
        if (rows->grid[i].type == ROW_TEXT)
            free((char *)(uintptr_t)rows->grid[i].text);
    free(rows->experiment);
    free(rows->table);
    free(rows->name);
    free(rows->cell);
    free(rows->grid);
    *rows = (struct rows){0};
}
