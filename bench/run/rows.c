/* rows.c - the tables of rows in a store's file: their columns, views and checksums; see rows.h. */
#include "run/rows_private.h"

#include "run/declare.h"
#include "support/memory.h"

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
