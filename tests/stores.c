/* stores.c - see stores.h. */
#include "stores.h"

#include "program.h"
#include "run/declare.h"
#include "run/provenance.h"
#include "run/store_rows.h"
#include "support/memory.h"
#include "tasks/task.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

sqlite3 *open_store(const char *folder)
{
    char path[2 * PATH_ROOM];
    sqlite3 *store;

    snprintf(path, sizeof path, "%s%s", folder, text_ends_with(folder, ".sqlite") ? "" : "/out/store.sqlite");
    cr_assert_eq(sqlite3_open_v2(path, &store, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK, "%s", path);
    return store;
}

char *ask_store(sqlite3 *store, const char *sql)
{
    sqlite3_stmt *statement;
    char *text = NULL;
    size_t size;
    FILE *const out = open_memstream(&text, &size);

    cr_assert_eq(sqlite3_prepare_v2(store, sql, -1, &statement, NULL), SQLITE_OK, "%s", sqlite3_errmsg(store));
    while (sqlite3_step(statement) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(statement); i++)
            fprintf(out, "%s%s", i > 0 ? " " : "", (const char *)sqlite3_column_text(statement, i));
        putc(';', out);
    }
    sqlite3_finalize(statement);
    fclose(out);
    return text;
}

/* The checksum of a statement's rows. */
static int64_t rows_checksum(sqlite3 *store, const char *sql)
{
    struct row_value value[ROW_COLUMNS];
    sqlite3_stmt *statement;
    int64_t rows = 0;

    cr_assert_eq(sqlite3_prepare_v2(store, sql, -1, &statement, NULL), SQLITE_OK, "%s", sqlite3_errmsg(store));
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const int count = sqlite3_column_count(statement);

        for (int i = 0; i < count; i++)
            value[i] = row_value(statement, i);
        rows = row_checksum(rows, value, (size_t)count);
    }
    sqlite3_finalize(statement);
    return rows;
}

static void set_table(sqlite3 *store, const char *table, const char *declaration, int64_t rows)
{
    sqlite3_stmt *statement;

    cr_assert_eq(sqlite3_prepare_v2(store, "UPDATE tables SET declaration = ?1, checksum = ?2 WHERE name = ?3", -1,
                                    &statement, NULL),
                 SQLITE_OK);
    sqlite3_bind_text(statement, 1, declaration, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, row_table_checksum(declaration, rows));
    sqlite3_bind_text(statement, 3, table, -1, SQLITE_STATIC);
    cr_assert_eq(sqlite3_step(statement), SQLITE_DONE);
    cr_assert_eq(sqlite3_changes(store), 1, "no table %s", table);
    sqlite3_finalize(statement);
}

void redeclare(sqlite3 *store, const char *table, const char *declaration)
{
    char *const sql = sqlite3_mprintf("SELECT * FROM \"%w_rows\" ORDER BY rowid", table);

    set_table(store, table, declaration, rows_checksum(store, sql));
    sqlite3_free(sql);
}

void exchange_names(sqlite3 *store, const char *a, const char *b)
{
    char *const sql = sqlite3_mprintf(
        "UPDATE name SET label = CASE label WHEN %Q THEN %Q ELSE %Q END WHERE label IN (%Q, %Q)", a, b, a, a, b);

    cr_assert_eq(sqlite3_exec(store, sql, NULL, NULL, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_changes(store), 2);
    set_table(store, "name", NULL, rows_checksum(store, "SELECT * FROM name ORDER BY rowid"));
    sqlite3_free(sql);
}

/* ---- stores of rows that a test gives as CSV ---- */

enum { MADE_MAX = 8 };

struct made_store {
    struct store_file file;
    struct failure failure;
    const char *folder;
    int64_t cell, layout; /* the only ones */
    size_t cells, tables;
    int64_t run_sum, grid_sum, repetitions;
    char *name[MADE_MAX], *declaration[MADE_MAX]; /* of tables of rows */
    size_t rows[MADE_MAX], nnames;
    int64_t sum[MADE_MAX];
};

static void must(struct made_store *made, int result)
{
    cr_assert_eq(result, 0, "%s: %s", made->folder, made->failure.text);
}

static void add_row(struct made_store *made, const char *name, const struct row_value *value, size_t count,
                    int64_t *sum)
{
    struct buffer sql = {0};
    sqlite3_stmt *statement = NULL;

    buffer_format(&sql, "INSERT INTO \"%s\" VALUES(?1", name);
    for (size_t i = 2; i <= count; i++)
        buffer_format(&sql, ", ?%zu", i);
    buffer_add(&sql, ")");
    must(made, store_file_prepare(&made->file, sql.text, &statement, &made->failure));
    for (size_t i = 0; i < count; i++)
        if (value[i].type == ROW_WHOLE)
            sqlite3_bind_int64(statement, (int)i + 1, value[i].whole);
        else if (value[i].type == ROW_REAL)
            sqlite3_bind_double(statement, (int)i + 1, value[i].real);
        else if (value[i].type == ROW_TEXT)
            sqlite3_bind_text(statement, (int)i + 1, value[i].text, -1, SQLITE_STATIC);
    must(made, store_file_finish(&made->file, statement, &made->failure));
    sqlite3_finalize(statement);
    *sum = row_checksum(*sum, value, count);
    buffer_clear(&sql);
}

static void add_table(struct made_store *made, const char *name, const char *declaration, size_t rows, int64_t sum)
{
    must(made, store_file_run(&made->file, &made->failure, "INSERT INTO tables VALUES(?1, ?2, ?3, ?4, ?5)", "ittii",
                              (int64_t)made->tables++, name, declaration, (int64_t)rows,
                              row_table_checksum(declaration, sum)));
}

char *next_field(char **rest)
{
    char *const field = *rest;

    if (!field)
        return NULL;
    char *to = field, *from = field;
    bool quoted = false;
    for (; *from && (quoted || *from != ','); from++) {
        if (*from != '"')
            *to++ = *from;
        else if (quoted && from[1] == '"')
            *to++ = *from++;
        else
            quoted = !quoted;
    }
    *rest = *from ? from + 1 : NULL;
    *to = '\0';
    return field;
}

/* The fields of the next line, which may hold quoted ends of lines; their number. */
static size_t read_line(char **rest, const char *field[ROW_COLUMNS])
{
    char *end = *rest;
    size_t count = 0;

    for (bool quoted = false; *end && (quoted || *end != '\n'); end++)
        quoted ^= *end == '"';
    char *line = *rest;
    *rest = *end ? end + 1 : end;
    *end = '\0';
    while (line && count < ROW_COLUMNS)
        field[count++] = next_field(&line);
    return count;
}

/* A row of a table, which is a cell of its own. */
static void add_fields(struct made_store *made, const struct table *table, const char *rows, const char *const *field,
                       size_t row, int64_t *sum)
{
    struct row_value own[ROW_COLUMNS] = {{.type = ROW_WHOLE, .whole = (int64_t)row},
                                         {.type = ROW_WHOLE, .whole = (int64_t)made->cells}},
                     grid[ROW_COLUMNS] = {own[1]}, run[5] = {own[1]};
    size_t nown = 2, ngrid = 1;
    int64_t repetitions = made->repetitions;

    for (size_t i = 0; i < table->ncolumns; i++) {
        const struct table_column *const column = &table->columns[i];
        const struct row_value text = {.type = ROW_TEXT, .text = field[i]};

        if (column->role == COLUMN_EXPERIMENT)
            must(made, store_file_set(&made->file, "experiment", field[i], &made->failure));
        else if (column->role == COLUMN_REPETITIONS)
            repetitions = atoll(field[i]);
        else if (column->role == COLUMN_CELL)
            grid[ngrid++] = text;
        else
            own[nown++] = column->role < COLUMN_MEAN ? text
                          : *field[i] ? (struct row_value){.type = ROW_REAL, .real = strtod(field[i], NULL)}
                                      : (struct row_value){.type = ROW_NONE};
    }
    run[1] = (struct row_value){.type = ROW_WHOLE, .whole = made->cell};
    run[2] = (struct row_value){.type = ROW_WHOLE, .whole = made->layout};
    run[3] = run[0];
    run[4] = (struct row_value){.type = ROW_WHOLE, .whole = repetitions};
    add_row(made, rows, own, nown + ldp_measures_count(table->measures), sum);
    add_row(made, "grid", grid, ngrid, &made->grid_sum);
    add_row(made, "run", run, 5, &made->run_sum);
    made->cells++;
}

/* Adds the file of a table, if it is there and has its columns. */
static void add_file(struct made_store *made, const struct task_table *task_table)
{
    const struct table *const table = &task_table->table;
    char *const text = read_text(made->folder, table->file), *rest = text;
    const char *field[ROW_COLUMNS];
    bool same = text && read_line(&rest, field) == table->ncolumns;

    for (size_t i = 0; same && i < table->ncolumns; i++)
        same = strcmp(field[i], table->columns[i].name) == 0;
    char *const name = xstrndup(table->file, strcspn(table->file, ".")), *const rows = xformat("%s_rows", name);
    for (size_t i = 0; same && i < made->nnames; i++)
        same = strcmp(made->name[i], name) != 0; /* of several with these columns the first counts */
    if (same) {
        struct task_table own = *task_table;
        const struct task_tables all = {.table = &own, .count = 1};
        char *const declaration = table_json(table);
        int64_t sum = 0;
        size_t count = 0;

        made->name[made->nnames++] = xstrdup(name);
        struct texts sql = {0};
        row_schema(&all, &sql);
        for (size_t i = made->nnames > 1; i < sql.count; i++) /* the grid once */
            must(made, store_file_sql(&made->file, sql.text[i], &made->failure));
        texts_clear(&sql);
        while (*rest) {
            cr_assert_eq(read_line(&rest, field), table->ncolumns, "%s", table->file);
            add_fields(made, table, rows, field, count++, &sum);
        }
        made->rows[made->nnames - 1] = count;
        made->sum[made->nnames - 1] = sum;
        made->declaration[made->nnames - 1] = declaration;
    }
    free(text);
    free(name);
    free(rows);
}

void store_tables(const char *folder)
{
    struct made_store made = {.folder = folder, .failure = NO_REASON, .repetitions = 1};
    struct task_tables known = {0};
    struct provenance *run = NULL;
    uint64_t seed = 1, version = 1, repetitions = 1;

    if (provenance_load(folder, &run, &made.failure) == 0) {
        provenance_whole(run, "seed", &seed);
        provenance_whole(run, "algorithm_version", &version);
        if (provenance_whole(run, "repetitions", &repetitions))
            made.repetitions = (int64_t)repetitions;
    }
    provenance_free(run);
    char *const path = xformat("%s/store.sqlite", folder), *const key = xformat("version=%d|seed=%d|made", (int)version,
                                                                                (int)seed);
    const struct store_layout layout = {0};
    const char build[] = "tests";
    unlink(path);
    must(&made, store_file_open(path, STORE_WRITE, &made.file, &made.failure));
    made.cell = text_id(key);
    made.layout = layout_id(&layout);
    struct store_layout own = layout;
    own.id = made.layout;
    must(&made, store_file_add_cell(&made.file, made.cell, key, &made.failure));
    must(&made, store_file_add_layout(&made.file, &own, &made.failure));
    must(&made, store_file_add_build(&made.file, text_id(build), build, &made.failure));
    must(&made, store_file_set(&made.file, "experiment", "t", &made.failure));
    for (size_t i = 0; tasks[i]; i++)
        tasks[i]->tables(NULL, &known);
    for (size_t i = 0; i < known.count; i++)
        add_file(&made, &known.table[i]);
    add_table(&made, "name", NULL, 0, 0);
    add_table(&made, "run", build, made.cells, made.run_sum);
    add_table(&made, "grid", NULL, made.cells, made.grid_sum);
    for (size_t i = 0; i < made.nnames; i++) {
        add_table(&made, made.name[i], made.declaration[i], made.rows[i], made.sum[i]);
        free(made.name[i]);
        free(made.declaration[i]);
    }
    must(&made, store_file_commit(&made.file, &made.failure));
    store_file_close(&made.file);
    tables_clear(&known);
    free(path);
    free(key);
}
