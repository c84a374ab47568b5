/* stores.c - see stores.h. */
#include "stores.h"

#include "program.h"
#include "run/store_rows.h"

#include <criterion/criterion.h>
#include <stdio.h>

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

void redeclare(sqlite3 *store, const char *table, const char *declaration)
{
    char *const sql = sqlite3_mprintf("SELECT * FROM \"%w_rows\" ORDER BY rowid", table);
    struct row_value value[ROW_COLUMNS];
    sqlite3_stmt *statement;
    int64_t rows = 0;

    cr_assert_eq(sqlite3_prepare_v2(store, sql, -1, &statement, NULL), SQLITE_OK, "%s", sqlite3_errmsg(store));
    sqlite3_free(sql);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const int count = sqlite3_column_count(statement);

        for (int i = 0; i < count; i++)
            value[i] = row_value(statement, i);
        rows = row_checksum(rows, value, (size_t)count);
    }
    sqlite3_finalize(statement);
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
