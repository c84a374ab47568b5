/* store_rows.c - the tables of rows in a store's file: their columns, views and checksums, the rows of the last
 * complete run as they are read, and as they are written; see store_rows.h. This file is over 500 lines: reader and
 * writer share the format. */
#include "run/store_rows.h"

#include "run/declare.h"
#include "run/store_file.h"
#include "run/store_private.h"
#include "support/memory.h"
#include "tasks/table_writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *row_table_name(const struct table *table)
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

/* Prepares a statement about a name, with "%w" in its place. */
static int row_prepare(struct store_file *file, const char *sql, const char *name, sqlite3_stmt **statement,
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

/* The bits of its number, or a fingerprint of its text. */
static uint64_t row_bits(const struct row_value *value)
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

/* Every step is one-to-one in what came before and in
 * the value (the multiplier is odd), so a change of one column is always seen. */
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

/* ---- the rows of one table ---- */

/* Rows are compared with those that are there, and replaced from the first one on that differs. */
struct sequence {
    struct store_file *file;
    int id; /* in `tables` */
    char *name, *sql_name, *declaration;
    sqlite3_stmt *old, *put;
    int64_t rows, checksum;
    bool same;
};

static void sequence_clear(struct sequence *sequence)
{
    sqlite3_finalize(sequence->old);
    sqlite3_finalize(sequence->put);
    free(sequence->name);
    free(sequence->sql_name);
    free(sequence->declaration);
    *sequence = (struct sequence){0};
}

static int run_once(struct store_file *file, const char *sql, const char *name, int64_t first, struct failure *failure)
{
    sqlite3_stmt *statement = NULL;
    int result = row_prepare(file, sql, name, &statement, failure);

    if (result == 0) {
        sqlite3_bind_int64(statement, 1, first);
        result = store_file_finish(file, statement, failure);
    }
    sqlite3_finalize(statement);
    return result;
}

/* Removes the rows from the present one on. */
static int cut(struct sequence *sequence, struct failure *failure)
{
    sequence->same = false;
    sqlite3_reset(sequence->old);
    return run_once(sequence->file, "DELETE FROM \"%w\" WHERE rowid >= ?1", sequence->sql_name, sequence->rows,
                    failure);
}

/* Takes over name and declaration; columns: with the number of the row. */
static int sequence_begin(struct sequence *sequence, struct store_file *file, int id, char *name, char *declaration,
                          size_t columns, struct failure *failure)
{
    struct buffer insert = {0};

    *sequence = (struct sequence){.file = file,
                                  .id = id,
                                  .name = name,
                                  .sql_name = id >= ROWS_OF_TABLES ? xformat("%s_rows", name) : xstrdup(name),
                                  .declaration = declaration,
                                  .same = true};
    buffer_add(&insert, "INSERT INTO \"%w\" VALUES(?");
    for (size_t i = 1; i < columns; i++)
        buffer_add(&insert, ",?");
    buffer_add(&insert, ")");
    char *const sql = buffer_take(&insert);
    const int result =
        row_prepare(file, "SELECT * FROM \"%w\" ORDER BY rowid", sequence->sql_name, &sequence->old, failure) == 0 &&
                row_prepare(file, sql, sequence->sql_name, &sequence->put, failure) == 0
            ? 0
            : -1;
    free(sql);
    return result;
}

static bool same_value(const struct row_value *a, const struct row_value *b)
{
    if (a->type != b->type)
        return false;
    return a->type == ROW_TEXT ? a->text && strcmp(a->text, b->text) == 0 : row_bits(a) == row_bits(b);
}

/* Whether the next row that is there is this one. */
static int is_there(struct sequence *sequence, const struct row_value *value, size_t count, bool *there,
                    struct failure *failure)
{
    const int code = sqlite3_step(sequence->old);

    *there = code == SQLITE_ROW;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return store_file_failure(sequence->file, failure);
    for (size_t i = 0; *there && i < count; i++) {
        const struct row_value old = row_value(sequence->old, (int)i);

        *there = same_value(&old, &value[i]);
    }
    return 0;
}

static void bind(sqlite3_stmt *statement, const struct row_value *value, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const int at = (int)i + 1;

        switch (value[i].type) {
        case ROW_NONE: sqlite3_bind_null(statement, at); break;
        case ROW_WHOLE: sqlite3_bind_int64(statement, at, value[i].whole); break;
        case ROW_REAL: sqlite3_bind_double(statement, at, value[i].real); break;
        case ROW_TEXT: sqlite3_bind_text(statement, at, value[i].text, -1, SQLITE_STATIC); break;
        }
    }
}

/* value[0] is set to the number of the row. */
static int sequence_add(struct sequence *sequence, struct row_value *value, size_t count, struct failure *failure)
{
    value[0] = (struct row_value){.type = ROW_WHOLE, .whole = sequence->rows};
    bool there = false;
    int result = sequence->same ? is_there(sequence, value, count, &there, failure) : 0;

    if (result == 0 && sequence->same && !there)
        result = cut(sequence, failure);
    if (result == 0 && !there) {
        bind(sequence->put, value, count);
        result = store_file_finish(sequence->file, sequence->put, failure);
    }
    sequence->checksum = row_checksum(sequence->checksum, value, count);
    sequence->rows++;
    return result;
}

/* Writes what `tables` says of a sequence, where it says something else. */
static int describe(struct sequence *sequence, bool *changed, struct failure *failure)
{
    const int result =
        store_file_run(sequence->file, failure,
                       "INSERT INTO tables VALUES(?1, ?2, ?3, ?4, ?5) ON CONFLICT(id) DO UPDATE SET name = "
                       "?2, declaration = ?3, rows = ?4, checksum = ?5 WHERE name IS NOT ?2 OR declaration IS "
                       "NOT ?3 OR rows IS NOT ?4 OR checksum IS NOT ?5",
                       "ittii", (int64_t)sequence->id, sequence->name, sequence->declaration, sequence->rows,
                       row_table_checksum(sequence->declaration, sequence->checksum));

    *changed |= result == 0 && sqlite3_changes(sequence->file->db) > 0;
    return result;
}

/* result -1: the rows could not be added. */
static int sequence_end(struct sequence *sequence, int result, bool *changed, struct failure *failure)
{
    if (result == 0 && sequence->same && sqlite3_step(sequence->old) == SQLITE_ROW)
        result = cut(sequence, failure);
    *changed = !sequence->same;
    if (result == 0)
        result = describe(sequence, changed, failure);
    sequence_clear(sequence);
    return result;
}

/* ---- names ---- */

struct written_name {
    enum column_part part;
    char *name, *parameters;
    const char *label;
};

struct row_writer {
    struct store *store;
    struct written_name *name;
    size_t nnames, names_room;
    struct index_map by_label, by_text; /* of names */
    struct last_name {
        const char *text;
        const double *value;
        int64_t name;
    } last[COLUMN_PARTS]; /* the name found last for a part */
    const struct table *table;
    struct sequence sequence;
    int next; /* id of the next table */
};

static uint64_t fingerprint(const char *text)
{
    return ldp_fingerprint(text, strlen(text)).lo;
}

/* The index of a name with those texts, added where there is none. */
static int32_t find_text(struct row_writer *writer, enum column_part part, const struct field *field)
{
    const struct identity *const identity = &field->identity;
    char *const parameters = identity->name ? identity_json(identity) : xstrdup("{}");
    const char *const name = identity->name ? identity->name : field->text;
    char *const text = xformat("%d\n%s\n%s\n%s", part, name, parameters, field->text);
    int32_t *const index = index_map_at(&writer->by_text, fingerprint(text));

    free(text);
    if (*index == NONE) {
        *index = (int32_t)writer->nnames;
        *ARRAY_ADD(writer->name, writer->nnames, writer->names_room) =
            (struct written_name){part, xstrdup(name), parameters, field->text};
    } else {
        free(parameters);
    }
    return *index;
}

static int64_t find_name(struct row_writer *writer, enum column_part part, const struct field *field)
{
    struct last_name *const last = &writer->last[part];
    const double *const value = field->identity.value;

    if (last->text != field->text || last->value != value) {
        const uint64_t at = (uint64_t)part << 56 ^ (uint64_t)(uintptr_t)value;
        int32_t *const index = index_map_at(&writer->by_label, fingerprint(field->text) + at);

        if (*index == NONE)
            *index = find_text(writer, part, field);
        *last = (struct last_name){field->text, value, *index};
    }
    return last->name;
}

static int write_names(struct row_writer *writer, struct failure *failure)
{
    struct sequence sequence;
    bool changed;
    int result = sequence_begin(&sequence, &writer->store->file, ROWS_OF_NAMES, xstrdup("name"), NULL, 5, failure);

    for (size_t i = 0; result == 0 && i < writer->nnames; i++) {
        const struct written_name *const name = &writer->name[i];
        struct row_value value[5] = {{.type = ROW_NONE},
                                     {.type = ROW_TEXT, .text = declared_parts[name->part]},
                                     {.type = ROW_TEXT, .text = name->name},
                                     {.type = ROW_TEXT, .text = name->parameters},
                                     {.type = ROW_TEXT, .text = name->label}};

        result = sequence_add(&sequence, value, 5, failure);
    }
    return sequence_end(&sequence, result, &changed, failure);
}

/* ---- cells ---- */

static struct row_value number_value(double number)
{
    if (!isfinite(number))
        return (struct row_value){.type = ROW_NONE};
    if (number == floor(number) && fabs(number) < 0x1p53 && !(number == 0 && signbit(number)))
        return (struct row_value){.type = ROW_WHOLE, .whole = (int64_t)number};
    return (struct row_value){.type = ROW_REAL, .real = number};
}

static struct row_value field_value(struct row_writer *writer, const struct table_column *column,
                                    const struct field *field)
{
    const enum column_part part = column_part(column);

    if (!field->text)
        return number_value(field->number);
    if (part_is_label(part))
        return (struct row_value){.type = ROW_WHOLE, .whole = find_name(writer, part, field)};
    return (struct row_value){.type = ROW_TEXT, .text = field->text};
}

static int write_run(struct row_writer *writer, struct failure *failure)
{
    struct store *const store = writer->store;
    const struct experiment *const experiment = store->experiment;
    struct sequence sequence;
    bool changed;
    int result =
        sequence_begin(&sequence, &store->file, ROWS_OF_RUN, xstrdup("run"), xstrdup(store->build[0].text), 5, failure);

    for (size_t cell = 0; result == 0 && cell < store->ncells; cell++) {
        char *const collection = experiment->task->collection_key(experiment->setup, cell);
        struct row_value value[5] = {
            {.type = ROW_NONE},
            {.type = ROW_WHOLE, .whole = store->slot[store->slot_of[cell]].id},
            {.type = ROW_WHOLE, .whole = store->layout[store->kinds[cell]->layout].id},
            {.type = ROW_WHOLE, .whole = text_id(collection)},
            {.type = ROW_WHOLE, .whole = store_repetitions(store, cell)},
        };
        free(collection);
        result = sequence_add(&sequence, value, 5, failure);
    }
    return sequence_end(&sequence, result, &changed, failure);
}

static int write_grid(struct row_writer *writer, struct failure *failure)
{
    const struct setup *const setup = writer->store->experiment->setup;
    const struct table *const table = &setup->tables.table[0].table;
    struct sequence sequence;
    size_t columns = 1;
    bool changed;

    for (size_t i = 0; i < table->ncolumns; i++)
        columns += table->columns[i].role == COLUMN_CELL;
    int result = sequence_begin(&sequence, &writer->store->file, ROWS_OF_GRID, xstrdup("grid"), NULL, columns, failure);
    for (size_t cell = 0; result == 0 && cell < setup->ncells; cell++) {
        struct field field[ROW_FIELDS] = {{0}};
        struct row_value value[ROW_COLUMNS];
        size_t count = 1;

        setup->task->fields(setup, cell, field);
        for (size_t i = 0; i < table->ncolumns; i++)
            if (table->columns[i].role == COLUMN_CELL) {
                value[count] = field_value(writer, &table->columns[i], &field[count - 1]);
                count++;
            }
        result = sequence_add(&sequence, value, count, failure);
    }
    return sequence_end(&sequence, result, &changed, failure);
}

/* ---- tables ---- */

/* Makes the tables and views of the experiment, and removes what is no longer one of them. */
static int renew_schema(struct row_writer *writer, struct failure *failure)
{
    struct store_file *const file = &writer->store->file;
    struct texts sql = {0}, old = {0};
    sqlite3_stmt *statement = NULL;
    int result = store_file_prepare(
        file, "SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY rowid DESC",
        &statement, failure);

    row_schema(&writer->store->experiment->setup->tables, &sql);
    while (result == 0 && sqlite3_step(statement) == SQLITE_ROW) {
        const char *const is = (const char *)sqlite3_column_text(statement, 2);
        bool requested = !is || store_file_is_fixed(is);

        for (size_t i = 0; !requested && i < sql.count; i++)
            if (strcmp(sql.text[i], is) == 0) {
                *sql.text[i] = '\0'; /* it is there */
                requested = true;
            }
        if (!requested)
            texts_keep(&old, xformat("DROP %s \"%%w\"", (const char *)sqlite3_column_text(statement, 0)));
        if (!requested)
            texts_keep(&old, xstrdup((const char *)sqlite3_column_text(statement, 1)));
    }
    sqlite3_finalize(statement);
    for (size_t i = 0; result == 0 && i < old.count; i += 2)
        result = run_once(file, old.text[i], old.text[i + 1], 0, failure);
    for (size_t i = 0; result == 0 && i < sql.count; i++)
        result = *sql.text[i] ? store_file_sql(file, sql.text[i], failure) : 0;
    texts_clear(&sql);
    texts_clear(&old);
    return result;
}

int row_writer_open(struct store *store, struct row_writer **out, struct failure *failure)
{
    struct row_writer *const writer = *out = xcalloc(1, sizeof *writer);

    writer->store = store;
    writer->next = ROWS_OF_TABLES;
    if (store_begin(store, true, failure) != 0) {
        free(writer);
        *out = NULL;
        return -1;
    }
    store->pending = true;
    return store_file_sql(&store->file, "SAVEPOINT rows", failure) == 0 && renew_schema(writer, failure) == 0 &&
                   write_run(writer, failure) == 0 && write_grid(writer, failure) == 0
               ? 0
               : -1;
}

int row_writer_begin(struct row_writer *writer, const struct task_table *table, struct failure *failure)
{
    size_t columns = 2 + ldp_measures_count(table->table.measures);

    writer->table = &table->table;
    for (size_t i = 0; i < table->table.ncolumns; i++)
        columns += column_is_of_row(&table->table.columns[i]);
    if (columns > ROW_COLUMNS)
        return fail(failure, EXIT_MACHINE, "%s: %zu columns, expected at most %d", table->table.file, columns,
                    ROW_COLUMNS);
    return sequence_begin(&writer->sequence, &writer->store->file, writer->next++, row_table_name(&table->table),
                          table_json(&table->table), columns, failure);
}

int row_writer_end(struct row_writer *writer, bool *changed, struct failure *failure)
{
    return sequence_end(&writer->sequence, 0, changed, failure);
}

static struct row_value summary_value(enum column_role role, const struct summary *summary)
{
    const double number = role == COLUMN_MEAN       ? summary->mean
                          : role == COLUMN_SD       ? summary->sd
                          : role == COLUMN_VARIANCE ? summary->variance
                                                    : summary->stderr_;

    if (role == COLUMN_DEFINED)
        return (struct row_value){.type = ROW_WHOLE, .whole = (int64_t)summary->n};
    return (struct row_value){.type = isfinite(number) ? ROW_REAL : ROW_NONE, .real = number};
}

int table_add_row(const struct table_writer *writing, const struct table_row *row, bool measured,
                  const struct summary *summaries)
{
    struct row_writer *const writer = writing->rows;
    const struct table *const table = writer->table;
    const struct field *field = row->field;
    struct row_value value[ROW_COLUMNS];
    size_t count = 2;

    value[1] = (struct row_value){.type = ROW_WHOLE, .whole = (int64_t)writing->cell};
    for (size_t i = 0; i < table->ncolumns; i++) {
        const struct table_column *const column = &table->columns[i];

        if (column_is_of_row(column))
            value[count++] = column->role == COLUMN_KEY || column->role == COLUMN_FACT
                                 ? field_value(writer, column, field++)
                                 : summary_value(column->role, &summaries[column->of]);
    }
    for (size_t m = 0; table->measures[m].name; m++)
        value[count++] =
            measured && row->series[m] != SERIES_NONE
                ? (struct row_value){.type = ROW_WHOLE,
                                     .whole = (int64_t)writer->store->kinds[writing->cell]->distinct[row->series[m]]}
                : (struct row_value){.type = ROW_NONE};
    return sequence_add(&writer->sequence, value, count, writing->failure);
}

int row_writer_close(struct row_writer *writer, int result, struct failure *failure)
{
    if (!writer)
        return -1;
    struct store_file *const file = &writer->store->file;

    sequence_clear(&writer->sequence);
    if (result == 0)
        result = write_names(writer, failure);
    if (result == 0)
        result = run_once(file, "DELETE FROM \"%w\" WHERE id >= ?1", "tables", writer->next, failure);
    if (result == 0)
        result = store_file_sql(file, "RELEASE rows", failure);
    else
        sqlite3_exec(file->db, "ROLLBACK TO rows; RELEASE rows", NULL, NULL, NULL);
    for (size_t i = 0; i < writer->nnames; i++) {
        free(writer->name[i].name);
        free(writer->name[i].parameters);
    }
    free(writer->name);
    index_map_clear(&writer->by_label);
    index_map_clear(&writer->by_text);
    free(writer);
    return result;
}

/* ---- what tasks read and write ---- */

uint32_t table_repetitions(const struct table_writer *writer, size_t cell)
{
    return store_repetitions(writer->store, cell);
}

int table_series(const struct table_writer *writer, size_t cell, size_t series, double *value)
{
    return store_series(writer->store, cell, series, value, writer->failure);
}

int table_sums(const struct table_writer *writer, size_t cell, size_t sums, uint32_t first, double *vector)
{
    return store_sums(writer->store, cell, sums, first, vector, writer->failure);
}
