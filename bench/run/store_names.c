/* store_names.c - the names and fingerprints of a store's file: cells, series, layouts, builds, and what is said about
 * the whole; see store_file.h. */
#include "run/store_file.h"

#include "ldpbench.h"
#include "support/memory.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

int64_t text_id(const char *text)
{
    return (int64_t)(ldp_fingerprint(text, strlen(text)).lo >> 1);
}

int64_t series_id(const struct series *series)
{
    char *const text = xformat("%s\n%s\n%s\n%s", series->method, series->query, series->point, series->measure);
    const int64_t id = text_id(text);

    free(text);
    return id;
}

void store_pack(void *to, const void *from, size_t n)
{
    unsigned char *const out = to;
    const unsigned char *const in = from;

    for (size_t i = 0; i < n; i++) {
        uint64_t word;

        memcpy(&word, in + 8 * i, sizeof word);
        word = htole64(word);
        memcpy(out + 8 * i, &word, sizeof word);
    }
}

uint64_t store_checksum(uint64_t *key, size_t nkey, const void *packed, size_t size)
{
    const struct ldp_fingerprint numbers = ldp_fingerprint(packed, size);

    key[nkey] = numbers.lo;
    key[nkey + 1] = numbers.hi;
    store_pack(key, key, nkey + 2);
    return ldp_fingerprint(key, (nkey + 2) * sizeof *key).lo;
}

static int64_t packed_layout_id(bool sums, const void *series, size_t size)
{
    uint64_t key[3] = {sums};

    return (int64_t)(store_checksum(key, 1, series, size) >> 1);
}

/* The packed series of a layout, malloc'd. */
static uint64_t *packed_series(const struct store_layout *layout)
{
    uint64_t *const packed = xmalloc(layout->nseries + 1, sizeof *packed);

    store_pack(packed, layout->series, layout->nseries);
    return packed;
}

int64_t layout_id(const struct store_layout *layout)
{
    uint64_t *const packed = packed_series(layout);
    const int64_t id = packed_layout_id(layout->sums, packed, layout->nseries * sizeof *packed);

    free(packed);
    return id;
}

/* ---- writing ---- */

/* The same, once. */
static int finish_once(struct store_file *file, sqlite3_stmt *statement, int result, struct failure *failure)
{
    if (result == 0)
        result = store_file_finish(file, statement, failure);
    sqlite3_finalize(statement);
    return result;
}

int store_file_get(struct store_file *file, const char *name, char **value, struct failure *failure)
{
    *value = NULL;
    sqlite3_stmt *statement = NULL;
    if (store_file_prepare(file, "SELECT value FROM about WHERE name = ?1", &statement, failure) != 0)
        return -1;
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        const char *const text = (const char *)sqlite3_column_text(statement, 0);

        *value = xstrdup(text ? text : "");
    }
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        store_file_failure(file, failure);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : -1;
}

int store_file_set(struct store_file *file, const char *name, const char *value, struct failure *failure)
{
    sqlite3_stmt *statement = NULL;
    const int result = store_file_prepare(
        file, "INSERT INTO about VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET value = ?2 WHERE value IS NOT ?2",
        &statement, failure);

    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, value, -1, SQLITE_STATIC);
    return finish_once(file, statement, result, failure);
}

int store_file_add_cell(struct store_file *file, int64_t id, const char *key, struct failure *failure)
{
    if (!file->put_cell &&
        store_file_prepare(file, "INSERT OR IGNORE INTO cell VALUES(?1, ?2)", &file->put_cell, failure) != 0)
        return -1;
    sqlite3_bind_int64(file->put_cell, 1, id);
    sqlite3_bind_text(file->put_cell, 2, key, -1, SQLITE_STATIC);
    return store_file_finish(file, file->put_cell, failure);
}

int store_file_add_build(struct store_file *file, int64_t id, const char *build, struct failure *failure)
{
    sqlite3_stmt *statement = NULL;
    const int result = store_file_prepare(file, "INSERT OR IGNORE INTO build VALUES(?1, ?2)", &statement, failure);

    sqlite3_bind_int64(statement, 1, id);
    sqlite3_bind_text(statement, 2, build, -1, SQLITE_STATIC);
    return finish_once(file, statement, result, failure);
}

int store_file_add_series(struct store_file *file, int64_t id, const struct series *series, struct failure *failure)
{
    sqlite3_stmt *statement = NULL;
    const int result =
        store_file_prepare(file, "INSERT OR IGNORE INTO series VALUES(?1, ?2, ?3, ?4, ?5)", &statement, failure);

    sqlite3_bind_int64(statement, 1, id);
    sqlite3_bind_text(statement, 2, series->method, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, series->query, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 4, series->point, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 5, series->measure, -1, SQLITE_STATIC);
    return finish_once(file, statement, result, failure);
}

int store_file_add_layout(struct store_file *file, const struct store_layout *layout, struct failure *failure)
{
    uint64_t *const packed = packed_series(layout);
    sqlite3_stmt *statement = NULL;
    int result = store_file_prepare(file, "INSERT OR IGNORE INTO layout VALUES(?1, ?2, ?3)", &statement, failure);

    sqlite3_bind_int64(statement, 1, layout->id);
    sqlite3_bind_int64(statement, 2, layout->sums);
    sqlite3_bind_blob64(statement, 3, packed, layout->nseries * sizeof *packed, SQLITE_STATIC);
    result = finish_once(file, statement, result, failure);
    free(packed);
    return result;
}

/* ---- reading ---- */

/* Names whose text does not match their fingerprint. */
struct damaged {
    int64_t *id;
    size_t count, room;
};

static int note_damaged(struct damaged *damaged, int64_t id)
{
    *ARRAY_ADD(damaged->id, damaged->count, damaged->room) = id;
    return 0;
}

static const char *column_text(sqlite3_stmt *row, int column)
{
    const char *const text = (const char *)sqlite3_column_text(row, column);

    return text ? text : "";
}

struct name_table {
    bool wanted;
    const char *select, *remove;
    int (*visit)(sqlite3_stmt *, const struct name_table *, const struct name_visitor *, struct damaged *,
                 struct failure *);
    int (*key)(void *context, int64_t id, const char *key, struct failure *failure); /* of cells or builds */
};

static int visit_key(sqlite3_stmt *row, const struct name_table *table, const struct name_visitor *visitor,
                     struct damaged *damaged, struct failure *failure)
{
    const int64_t id = sqlite3_column_int64(row, 0);
    const char *const key = column_text(row, 1);

    return text_id(key) == id ? table->key(visitor->context, id, key, failure) : note_damaged(damaged, id);
}

static int visit_series(sqlite3_stmt *row, const struct name_table *table, const struct name_visitor *visitor,
                        struct damaged *damaged, struct failure *failure)
{
    (void)table;
    const int64_t id = sqlite3_column_int64(row, 0);
    const struct series series = {column_text(row, 1), column_text(row, 2), column_text(row, 3), column_text(row, 4)};

    if (series_id(&series) != id)
        return note_damaged(damaged, id);
    return visitor->series ? visitor->series(visitor->context, id, &series, failure) : 0;
}

static int visit_layout(sqlite3_stmt *row, const struct name_table *table, const struct name_visitor *visitor,
                        struct damaged *damaged, struct failure *failure)
{
    (void)table;
    const size_t size = (size_t)sqlite3_column_bytes(row, 2);
    struct store_layout layout = {
        .id = sqlite3_column_int64(row, 0), .sums = sqlite3_column_int64(row, 1) != 0, .nseries = size / 8};

    if (size % 8 != 0 || packed_layout_id(layout.sums, sqlite3_column_blob(row, 2), size) != layout.id)
        return note_damaged(damaged, layout.id);
    layout.series = xmalloc(size + 8, 1);
    store_pack(layout.series, sqlite3_column_blob(row, 2), layout.nseries);
    const int result = visitor->layout(visitor->context, &layout, failure);
    free(layout.series);
    return result;
}

static int read_names(struct store_file *file, const struct name_table *table, const struct name_visitor *visitor,
                      struct damaged *damaged, struct failure *failure)
{
    sqlite3_stmt *statement = NULL;
    int result = store_file_prepare(file, table->select, &statement, failure), code = SQLITE_DONE;

    while (result == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW)
        result = table->visit(statement, table, visitor, damaged, failure);
    if (result == 0 && code != SQLITE_DONE)
        result = store_file_failure(file, failure);
    sqlite3_finalize(statement);
    return result;
}

static int remove_names(struct store_file *file, const char *sql, const struct damaged *damaged,
                        struct failure *failure)
{
    sqlite3_stmt *statement = NULL;
    int result = store_file_prepare(file, sql, &statement, failure);

    for (size_t i = 0; result == 0 && i < damaged->count; i++) {
        sqlite3_bind_int64(statement, 1, damaged->id[i]);
        result = store_file_finish(file, statement, failure);
    }
    sqlite3_finalize(statement);
    return result;
}

int store_file_names(struct store_file *file, const struct name_visitor *visitor, bool remove, size_t *damaged,
                     struct failure *failure)
{
    const struct name_table tables[] = {
        {visitor->build, "SELECT id, key FROM build", "DELETE FROM build WHERE id = ?1", visit_key, visitor->build},
        {visitor->series || remove, "SELECT id, method, query, point, measure FROM series",
         "DELETE FROM series WHERE id = ?1", visit_series, NULL},
        {visitor->layout, "SELECT id, sums, series FROM layout", "DELETE FROM layout WHERE id = ?1", visit_layout,
         NULL},
        {visitor->cell, "SELECT id, key FROM cell", "DELETE FROM cell WHERE id = ?1", visit_key, visitor->cell},
    };

    *damaged = 0;
    int result = 0;
    for (size_t i = 0; result == 0 && i < sizeof tables / sizeof *tables; i++) {
        struct damaged here = {0};

        if (tables[i].wanted)
            result = read_names(file, &tables[i], visitor, &here, failure);
        if (result == 0 && remove && here.count > 0)
            result = remove_names(file, tables[i].remove, &here, failure);
        *damaged += here.count;
        free(here.id);
    }
    return result;
}
