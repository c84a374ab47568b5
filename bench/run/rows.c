/* rows.c - the tables of rows in a store's file: their columns, views and checksums, and the rows of
 * the last complete run as they are read; see rows.h. */
#include "run/rows_private.h"

#include "run/declare.h"
#include "support/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

char *row_table_name(const struct table *table)
{
    const size_t length = strlen(table->file);

    return xstrndup(table->file, text_ends_with(table->file, ".csv") ? length - strlen(".csv") : length);
}

/* ---- columns and views ---- */

/* A name in double quotes. */
static void add_quoted(struct buffer *sql, const char *before, const char *name, const char *after)
{
    buffer_format(sql, "%s\"", before);
    for (; *name; name++)
        buffer_add_n(sql, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
    buffer_format(sql, "%s\"", after);
}

static void add_grid(const struct table *table, struct texts *out)
{
    struct buffer sql = {0};

    buffer_add(&sql, "CREATE TABLE grid(cell INTEGER PRIMARY KEY");
    for (size_t i = 0; i < table->ncolumns; i++)
        if (table->columns[i].role == COLUMN_CELL)
            add_quoted(&sql, ", ", table->columns[i].name, "");
    buffer_add(&sql, ")");
    texts_keep(out, buffer_take(&sql));
}

static void add_rows(const struct table *table, const char *name, struct texts *out)
{
    struct buffer sql = {0};

    add_quoted(&sql, "CREATE TABLE ", name, "_rows");
    buffer_add(&sql, "(row INTEGER PRIMARY KEY, cell");
    for (size_t i = 0; i < table->ncolumns; i++)
        if (column_is_of_row(&table->columns[i]))
            add_quoted(&sql, ", ", table->columns[i].name, "");
    for (const struct ldp_measure *measure = table->measures; measure->name; measure++)
        add_quoted(&sql, ", ", measure->name, "_series");
    buffer_add(&sql, ")");
    texts_keep(out, buffer_take(&sql));
}

static void add_column(struct buffer *sql, const struct table_column *column, size_t index)
{
    if (part_is_label(column_part(column))) {
        buffer_format(sql, ", n%zu.name AS ", index);
        add_quoted(sql, "", column->name, "");
        buffer_format(sql, ", n%zu.parameters AS ", index);
        add_quoted(sql, "", column->name, "_parameters");
        buffer_format(sql, ", n%zu.label AS ", index);
        add_quoted(sql, "", column->name, "_label");
    } else if (column->role == COLUMN_EXPERIMENT) {
        buffer_add(sql, ", (SELECT value FROM about WHERE name = 'experiment') AS ");
        add_quoted(sql, "", column->name, "");
    } else if (column->role == COLUMN_REPETITIONS) {
        buffer_add(sql, ", run.repetitions AS ");
        add_quoted(sql, "", column->name, "");
    } else {
        add_quoted(sql, column_is_of_cell(column) ? ", grid." : ", r.", column->name, "");
    }
}

static void add_view(const struct table *table, const char *name, struct texts *out)
{
    struct buffer sql = {0};

    add_quoted(&sql, "CREATE VIEW ", name, "");
    buffer_add(&sql, " AS SELECT r.row");
    for (size_t i = 0; i < table->ncolumns; i++)
        add_column(&sql, &table->columns[i], i);
    add_quoted(&sql, " FROM ", name, "_rows");
    buffer_add(&sql, " AS r JOIN run ON run.cell = r.cell JOIN grid ON grid.cell = r.cell");
    for (size_t i = 0; i < table->ncolumns; i++)
        if (part_is_label(column_part(&table->columns[i]))) {
            buffer_format(&sql, " JOIN name AS n%zu ON n%zu.id = ", i, i);
            add_quoted(&sql, column_is_of_cell(&table->columns[i]) ? "grid." : "r.", table->columns[i].name, "");
        }
    texts_keep(out, buffer_take(&sql));
}

void row_schema(const struct task_tables *tables, struct texts *sql)
{
    if (tables->count > 0)
        add_grid(&tables->table[0].table, sql);
    for (size_t i = 0; i < tables->count; i++) {
        char *const name = row_table_name(&tables->table[i].table);

        add_rows(&tables->table[i].table, name, sql);
        add_view(&tables->table[i].table, name, sql);
        free(name);
    }
}

int row_prepare(struct store_file *file, const char *sql, const char *name, sqlite3_stmt **statement,
                struct failure *failure)
{
    char *const text = sqlite3_mprintf(sql, name);

    if (!text)
        out_of_memory();
    const int result = store_file_prepare(file, text, statement, failure);
    sqlite3_free(text);
    return result;
}

/* ---- values ---- */

struct row_value row_value(sqlite3_stmt *statement, int column)
{
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER: return (struct row_value){.type = ROW_WHOLE, .whole = sqlite3_column_int64(statement, column)};
    case SQLITE_FLOAT: return (struct row_value){.type = ROW_REAL, .real = sqlite3_column_double(statement, column)};
    case SQLITE_NULL: return (struct row_value){.type = ROW_NONE};
    default: return (struct row_value){.type = ROW_TEXT, .text = (const char *)sqlite3_column_text(statement, column)};
    }
}

uint64_t row_bits(const struct row_value *value)
{
    uint64_t bits = 0;

    if (value->type == ROW_WHOLE)
        bits = (uint64_t)value->whole;
    else if (value->type == ROW_REAL)
        memcpy(&bits, &value->real, sizeof bits);
    else if (value->type == ROW_TEXT && value->text)
        bits = ldp_fingerprint(value->text, strlen(value->text)).lo;
    return bits;
}

/* Every step is one-to-one in what came before and in the value (the multiplier is odd), so a change of one column is
 * always seen. */
int64_t row_checksum(int64_t before, const struct row_value *value, size_t count)
{
    uint64_t sum = (uint64_t)before;

    for (size_t i = 0; i < count; i++) {
        sum = (sum ^ row_bits(&value[i])) * UINT64_C(0x9e3779b97f4a7c15) + value[i].type;
        sum ^= sum >> 29;
    }
    return (int64_t)sum;
}

int64_t row_table_checksum(const char *declaration, int64_t rows)
{
    return row_checksum(rows, &(struct row_value){.type = ROW_TEXT, .text = declaration ? declaration : ""}, 1);
}

/* ---- reading ---- */

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

    if (result == 0 && (columns == 0 || columns > ROW_COLUMNS))
        result = fail_damaged(rows, failure);
    while (result == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        for (size_t i = 0; i < columns; i++)
            value[i] = row_value(statement, (int)i);
        checksum = row_checksum(checksum, value, columns);
        /* NOLINTNEXTLINE(clang-analyzer-core.*) */
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
    for (size_t i = 0; i < ROWS_OF_TABLES; i++) {
        if (strcmp(rows->table[i].name, first[i].name) != 0)
            return fail_damaged(rows, failure);
        if (each_row(rows, &rows->table[i], first[i].take, rows, failure) != 0)
            return -1;
    }
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
