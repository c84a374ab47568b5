/* store_file.c - see store_file.h.
 *
 * The rollback journal (not the write-ahead log) is used because it works on the shared file systems of clusters;
 * transactions are short and half a second apart, so two processes rarely wait for each other.
 *
 * Commits are synced as SQLite does it: the journal twice, its entry in the folder, the store. A new store has nothing
 * that a journal could save from a failure of power, so its first results are synced once they are in the file: the
 * file and its entry. If the power fails before that, at worst the store is refused as damaged. Nothing is written
 * where nothing changes.
 *
 * This file is over 500 lines: the format has one reader and writer. */
#include "run/store_file.h"

#include "ldp.h"
#include "support/files.h"
#include "support/memory.h"
#include "support/text.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef SQLITE_OPEN_NOFOLLOW /* SQLite before 3.31 */
#define SQLITE_OPEN_NOFOLLOW 0
#endif

enum { APPLICATION = 0x6c647062, FORMAT = 3 };

/* Compared with the schema of the file, character by character. */
static const char *const schema[] = {
    "CREATE TABLE about(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID",
    "CREATE TABLE cell(id INTEGER PRIMARY KEY, key TEXT)",
    "CREATE TABLE build(id INTEGER PRIMARY KEY, key TEXT)",
    "CREATE TABLE series(id INTEGER PRIMARY KEY, method TEXT, query TEXT, point TEXT, measure TEXT)",
    "CREATE TABLE layout(id INTEGER PRIMARY KEY, sums INTEGER, series BLOB)",
    ("CREATE TABLE block(id INTEGER PRIMARY KEY, cell INTEGER, layout INTEGER, build INTEGER, first INTEGER,"
     " repetitions INTEGER, checksum INTEGER, numbers BLOB)"),
    /* The tables of rows (rows.h); `grid` and tables of rows are made for each experiment. */
    "CREATE TABLE tables(id INTEGER PRIMARY KEY, name TEXT, declaration TEXT, rows INTEGER, checksum INTEGER)",
    "CREATE TABLE name(id INTEGER PRIMARY KEY, kind TEXT, name TEXT, parameters TEXT, label TEXT)",
    "CREATE TABLE run(cell INTEGER PRIMARY KEY, key INTEGER, layout INTEGER, collection INTEGER, repetitions INTEGER)",
};

enum { TABLES = sizeof schema / sizeof *schema };

int store_file_failure(struct store_file *file, struct failure *failure)
{
    const int code = sqlite3_errcode(file->db), system_error = sqlite3_system_errno(file->db);

    if (code == SQLITE_INTERRUPT)
        return fail(failure, EXIT_BAD_INPUT, "%s: a damaged store: its rows have no end", file->path);
    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR) /* its tables are others */
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: expected a result store, got something else or a damaged one (%s); use another folder (-o) or "
                    "--fresh to start again from nothing",
                    file->path, sqlite3_errmsg(file->db));
    if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY || code == SQLITE_PERM)
        return fail(failure, failure_status(system_error), "%s: cannot be opened: %s", file->path,
                    system_error ? strerror(system_error) : sqlite3_errmsg(file->db));
    return fail(failure, EXIT_MACHINE, "%s: %s", file->path, sqlite3_errmsg(file->db));
}

/* Pages that refer to each other can make a table of a few kilobytes that never ends: a query may take so many steps as
 * no sound file of its size needs, where each value of a row takes a byte and a few steps. */
enum { STEPS_AT_ONCE = 1 << 20, STEPS_FOR_BYTE = 32 };

static int count_steps(void *opaque)
{
    struct store_file *const file = opaque;
    struct stat status;

    file->steps += STEPS_AT_ONCE;
    return stat(file->path, &status) == 0 && file->steps / STEPS_FOR_BYTE > status.st_size + STEPS_AT_ONCE;
}

int store_file_sql(struct store_file *file, const char *sql, struct failure *failure)
{
    file->steps = 0;
    return sqlite3_exec(file->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : store_file_failure(file, failure);
}

int store_file_prepare(struct store_file *file, const char *sql, sqlite3_stmt **statement, struct failure *failure)
{
    file->steps = 0;
    return sqlite3_prepare_v2(file->db, sql, -1, statement, NULL) == SQLITE_OK ? 0 : store_file_failure(file, failure);
}

int store_file_finish(struct store_file *file, sqlite3_stmt *statement, struct failure *failure)
{
    file->steps = 0;
    const int code = sqlite3_step(statement);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? 0 : store_file_failure(file, failure);
}

/* It cannot be changed within a transaction. */
int store_file_sync(struct store_file *file, const char *begin, struct failure *failure)
{
    file->young = false;
    return store_file_sql(file, "ROLLBACK; PRAGMA synchronous = FULL", failure) == 0
               ? store_file_sql(file, begin, failure)
               : -1;
}

/* Through SQLite's own descriptor: to close another one would give up its locks. */
static int sync_file(struct store_file *file, struct failure *failure)
{
    sqlite3_file *own = NULL;
    const char *const end = strrchr(file->path, '/');
    char *const folder = end ? xstrndup(file->path, (size_t)(end - file->path) + 1) : xstrdup(".");
    const int entries = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    sqlite3_file_control(file->db, "main", SQLITE_FCNTL_FILE_POINTER, &own);
    const bool synced = own->pMethods->xSync(own, SQLITE_SYNC_NORMAL) == SQLITE_OK;
    const int cause = errno;
    if (entries >= 0) {
        (void)fsync(entries); /* some file systems have no such thing */
        close(entries);
    }
    free(folder);
    return synced ? 0
                  : fail(failure, failure_status(cause), "%s: cannot be written: %s", SHOWN_PATH(file->path),
                         strerror(cause));
}

int store_file_commit(struct store_file *file, struct failure *failure)
{
    if (store_file_sql(file, "COMMIT", failure) != 0)
        return -1;
    if (!file->young || sqlite3_total_changes(file->db) == file->written)
        return 0;
    file->young = false;
    return sync_file(file, failure) == 0 ? store_file_sql(file, "PRAGMA synchronous = FULL", failure) : -1;
}

static int read_integer(struct store_file *file, const char *sql, int64_t *value, struct failure *failure)
{
    sqlite3_stmt *statement = NULL;
    int result = store_file_prepare(file, sql, &statement, failure);

    if (result == 0 && sqlite3_step(statement) == SQLITE_ROW)
        *value = sqlite3_column_int64(statement, 0);
    else if (result == 0)
        result = store_file_failure(file, failure);
    sqlite3_finalize(statement);
    return result;
}

bool store_file_is_fixed(const char *sql)
{
    for (size_t i = 0; i < TABLES; i++)
        if (strcmp(schema[i], sql) == 0)
            return true;
    return false;
}

static int create(struct store_file *file, struct failure *failure)
{
    char *const pragmas = xformat("PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION, FORMAT);
    int result = store_file_sql(file, pragmas, failure);

    free(pragmas);
    for (size_t i = 0; result == 0 && i < TABLES; i++)
        result = store_file_sql(file, schema[i], failure);
    return result;
}

static int fail_format(const struct store_file *file, const char *what, struct failure *failure)
{
    return fail(failure, EXIT_BAD_INPUT, "%s: %s; use another folder (-o) or --fresh to discard it", file->path, what);
}

/* The text behind a name in double quotes and a text before it; NULL where they are not there. */
static const char *skip_quoted(const char *sql, const char *before)
{
    const size_t length = strlen(before);

    if (strncmp(sql, before, length) != 0 || sql[length] != '"')
        return NULL;
    for (sql += length + 1; *sql && (sql[0] != '"' || sql[1] == '"'); sql++)
        sql += *sql == '"';
    return *sql ? sql + 1 : NULL;
}

/* Whether SQL makes a table of rows as row_schema writes it, with columns that have a name alone, or a view that is not
 * in the place of such a table: only of these the rows are as many as they are stored. */
static bool is_of_rows(const char *sql)
{
    static const char grid[] = "CREATE TABLE grid(cell INTEGER PRIMARY KEY", rows[] = "(row INTEGER PRIMARY KEY, cell";
    const char *const view = skip_quoted(sql, "CREATE VIEW "), *at = skip_quoted(sql, "CREATE TABLE ");

    if (view)
        return strncasecmp(view - 6, "_rows\"", 6) != 0 && strncasecmp(view - 7, " \"grid\"", 7) != 0;
    if (strncmp(sql, grid, strlen(grid)) == 0)
        at = sql + strlen(grid);
    else if (at && strncmp(at, rows, strlen(rows)) == 0)
        at += strlen(rows);
    else
        return false;
    for (const char *next; (next = skip_quoted(at, ", ")) != NULL;)
        at = next;
    return strcmp(at, ")") == 0;
}

/* Whether the schema has all of its tables, and nothing else but tables of rows and views. */
static int check_schema(struct store_file *file, struct failure *failure)
{
    sqlite3_stmt *statement = NULL;

    if (store_file_prepare(file, "SELECT sql FROM sqlite_schema ORDER BY rowid", &statement, failure) != 0)
        return -1;
    size_t count = 0;
    bool same = true;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *const sql = (const char *)sqlite3_column_text(statement, 0);

        if (sql && count < TABLES && strcmp(sql, schema[count]) == 0)
            count++;
        else
            same &= sql && is_of_rows(sql);
    }
    if (code != SQLITE_DONE)
        store_file_failure(file, failure);
    else if (!same || count != TABLES)
        code = fail_format(file, "a damaged store, or not a result store", failure);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE ? 0 : -1;
}

static int check_format(struct store_file *file, enum store_mode mode, struct failure *failure)
{
    int64_t tables = 0, application = 0, format = 0;

    if (read_integer(file, "SELECT count(*) FROM sqlite_schema", &tables, failure) != 0 ||
        read_integer(file, "PRAGMA application_id", &application, failure) != 0 ||
        read_integer(file, "PRAGMA user_version", &format, failure) != 0)
        return -1;
    if (tables == 0 && application == 0 && format == 0)
        return mode == STORE_READ ? fail_format(file, "a store without results", failure) : create(file, failure);
    file->old = true;
    if (application != APPLICATION)
        return fail_format(file, "expected a result store, got something else", failure);
    if (format != FORMAT)
        return fail_format(file, "holds results in the format of another release", failure);
    return check_schema(file, failure);
}

/* Whether SQLite finds its own pages in order. */
static int check_pages(struct store_file *file, struct failure *failure)
{
    sqlite3_stmt *statement = NULL;

    if (store_file_prepare(file, "PRAGMA quick_check(1)", &statement, failure) != 0)
        return -1;
    const char *found = NULL;
    if (sqlite3_step(statement) == SQLITE_ROW)
        found = (const char *)sqlite3_column_text(statement, 0);
    int result = -1;
    if (!found)
        store_file_failure(file, failure);
    else if (strcmp(found, "ok") != 0)
        fail_format(file, "a damaged store", failure);
    else
        result = 0;
    sqlite3_finalize(statement);
    return result;
}

/* Where a file cannot be created SQLite tries to read it, and then knows only that it does not exist: the system is
 * asked once more for the reason. */
static int fail_creation(struct store_file *file, struct failure *failure)
{
    const int descriptor = open(file->path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);

    if (descriptor < 0)
        return fail(failure, failure_status(errno), "%s: cannot be opened: %s", file->path, strerror(errno));
    close(descriptor);
    return store_file_failure(file, failure);
}

/* A journal that ends with the name of a super-journal makes SQLite delete the file of that name. The store, which is
 * one file, never has such a journal: its end is the mark of SQLite's file format, section 3.1. */
static int check_journal(const char *path, struct failure *failure)
{
    static const unsigned char mark[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char end[sizeof mark];
    char *const journal = xformat("%s-journal", path);
    const int descriptor = access(journal, F_OK) == 0 ? open_regular(journal, failure) : -1;
    const bool named = descriptor >= 0 && lseek(descriptor, -(off_t)sizeof end, SEEK_END) >= 0 &&
                       read(descriptor, end, sizeof end) == (ssize_t)sizeof end && memcmp(end, mark, sizeof end) == 0;

    if (descriptor >= 0)
        close(descriptor);
    const int result = named ? fail(failure, EXIT_BAD_INPUT, "%s: expected a journal of one store, got one of several",
                                    SHOWN_PATH(journal))
                             : 0;
    free(journal);
    return result;
}

/* SQLite would follow a link and wait for a pipe. */
static int check_entries(const char *path, struct failure *failure)
{
    static const char *const endings[] = {"", "-journal", "-wal", "-shm"};
    int result = check_journal(path, failure);

    for (size_t i = 0; result == 0 && i < sizeof endings / sizeof *endings; i++) {
        char *const entry = xformat("%s%s", path, endings[i]);

        result = check_regular(entry, failure);
        free(entry);
    }
    return result;
}

/* An entry that became a link after it was checked is not followed. Folders above it may be links, so theirs are
 * resolved first. */
static char *resolve(const char *path)
{
    const char *const name = strrchr(path, '/');
    char *const folder = name ? xstrndup(path, (size_t)(name - path) + 1) : xstrdup(".");
    char *const resolved = real_path(folder);
    char *const whole = resolved ? xformat("%s/%s", resolved, name ? name + 1 : path) : xstrdup(path);

    free(resolved);
    free(folder);
    return whole;
}

static int open_database(const char *path, int flags, sqlite3 **db)
{
    char *const whole = resolve(path);
    /* No mutex: one caller at a time. */
    const int code = sqlite3_open_v2(whole, db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, NULL);

    free(whole);
    return code;
}

static int open_checked(const char *path, enum store_mode mode, struct store_file *file, struct failure *failure)
{
    const int flags = mode == STORE_READ ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    /* Each of a dozen tables begins a page. */
    static const char pragmas[] = "PRAGMA page_size = 4096; PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF;"
                                  "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000; BEGIN IMMEDIATE";

    memset(file, 0, sizeof *file);
    file->path = xstrdup(path);
    if (check_entries(path, failure) != 0)
        return -1;
    if (open_database(path, flags, &file->db) != SQLITE_OK)
        return mode == STORE_READ ? store_file_failure(file, failure) : fail_creation(file, failure);
    sqlite3_busy_timeout(file->db, 60000);
    sqlite3_progress_handler(file->db, STEPS_AT_ONCE, count_steps, file);
    if (store_file_sql(file, mode == STORE_READ ? "BEGIN" : pragmas, failure) != 0 ||
        check_format(file, mode, failure) != 0 ||
        (mode != STORE_READ && file->old && store_file_sync(file, "BEGIN IMMEDIATE", failure) != 0) ||
        (mode != STORE_READ && check_pages(file, failure) != 0))
        return -1;
    return store_file_prepare(file, "INSERT INTO block VALUES(NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7)", &file->put_block,
                              failure) ||
                   store_file_prepare(
                       file,
                       "SELECT cell, layout, build, first, repetitions, checksum, numbers FROM block WHERE id = ?1",
                       &file->get_block, failure) ||
                   store_file_prepare(file, "DELETE FROM block WHERE id = ?1", &file->remove_block, failure) ||
                   store_file_prepare(file, "PRAGMA data_version", &file->get_version, failure)
               ? -1
               : 0;
}

int store_file_open(const char *path, enum store_mode mode, struct store_file *file, struct failure *failure)
{
    if (open_checked(path, mode, file, failure) == 0)
        return 0;
    store_file_close(file);
    struct failure ignored = NO_REASON;
    if (mode != STORE_RENEW || failure->status != EXIT_BAD_INPUT || check_entries(path, &ignored) != 0)
        return -1;

    char *const journal = xformat("%s-journal", path);

    unlink(path);
    unlink(journal);
    free(journal);
    if (open_checked(path, mode, file, failure) == 0)
        return 0;
    store_file_close(file);
    return -1;
}

void store_file_close(struct store_file *file)
{
    sqlite3_finalize(file->put_cell);
    sqlite3_finalize(file->put_block);
    sqlite3_finalize(file->get_block);
    sqlite3_finalize(file->remove_block);
    sqlite3_finalize(file->get_version);
    sqlite3_close(file->db);
    free(file->path);
    free(file->numbers);
    memset(file, 0, sizeof *file);
}

/* As if it were the other file, which is at fault if one of both is damaged: this one was checked when it was opened.
 */
static int run_on_other(struct store_file *file, const char *other, const char *sql, struct failure *failure)
{
    char *const own = file->path, *const path = xstrdup(other);

    file->path = path; /* its size bounds the steps, too */
    file->steps = 0;
    const int code = sqlite3_exec(file->db, sql, NULL, NULL, NULL);
    if (code == SQLITE_FULL || code == SQLITE_IOERR)
        file->path = own;
    const int result = code == SQLITE_OK ? 0 : store_file_failure(file, failure);
    file->path = own;
    free(path);
    return result;
}

int store_file_copy(struct store_file *file, const char *other, struct failure *failure)
{
    static const char copy[] =
        "INSERT OR IGNORE INTO cell SELECT * FROM other.cell; INSERT OR IGNORE INTO build SELECT * FROM other.build;"
        "INSERT OR IGNORE INTO series SELECT * FROM other.series;"
        "INSERT OR IGNORE INTO layout SELECT * FROM other.layout;"
        "INSERT INTO block SELECT NULL, cell, layout, build, first, repetitions, checksum, numbers FROM other.block"
        " WHERE (cell, layout, build, first, repetitions) NOT IN"
        " (SELECT cell, layout, build, first, repetitions FROM main.block) ORDER BY id";
    /* Within the transaction: BEGIN IMMEDIATE would make the other a part of it, to be written. */
    char *const whole = resolve(other), *const attach = sqlite3_mprintf("ATTACH %Q AS other", whole);

    if (!attach)
        out_of_memory();
    const int result = run_on_other(file, other, attach, failure) == 0 ? run_on_other(file, other, copy, failure) : -1;
    sqlite3_free(attach);
    free(whole);
    return result;
}

void store_file_detach(struct store_file *file)
{
    sqlite3_exec(file->db, "DETACH other", NULL, NULL, NULL);
}

bool store_file_changed(struct store_file *file, int64_t *version)
{
    const int64_t before = *version;

    if (sqlite3_step(file->get_version) == SQLITE_ROW)
        *version = sqlite3_column_int64(file->get_version, 0);
    sqlite3_reset(file->get_version);
    return *version != before;
}

/* ---- names and fingerprints ---- */

enum { STORE_CHECKSUM = 2 };

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

/* 64-bit words to little-endian bytes, or back; to may be from. */
static void store_pack(void *to, const void *from, size_t n)
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

/* The checksum of nkey words, followed by room for STORE_CHECKSUM more, and of packed numbers; key is changed. */
static uint64_t store_checksum(uint64_t *key, size_t nkey, const void *packed, size_t size)
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

int store_file_run(struct store_file *file, struct failure *failure, const char *sql, const char *kinds, ...)
{
    sqlite3_stmt *statement = NULL;
    int result = store_file_prepare(file, sql, &statement, failure);
    va_list values;

    va_start(values, kinds);
    for (int i = 1; kinds[i - 1]; i++)
        if (kinds[i - 1] == 't') {
            sqlite3_bind_text(statement, i, va_arg(values, const char *), -1, SQLITE_STATIC);
        } else if (kinds[i - 1] == 'b') {
            const void *const bytes = va_arg(values, const void *);
            sqlite3_bind_blob64(statement, i, bytes, va_arg(values, size_t), SQLITE_STATIC);
        } else {
            sqlite3_bind_int64(statement, i, va_arg(values, int64_t));
        }
    va_end(values);
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
    return store_file_run(
        file, failure,
        "INSERT INTO about VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET value = ?2 WHERE value IS NOT ?2", "tt", name,
        value);
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
    return store_file_run(file, failure, "INSERT OR IGNORE INTO build VALUES(?1, ?2)", "it", id, build);
}

int store_file_add_series(struct store_file *file, int64_t id, const struct series *series, struct failure *failure)
{
    return store_file_run(file, failure, "INSERT OR IGNORE INTO series VALUES(?1, ?2, ?3, ?4, ?5)", "itttt", id,
                          series->method, series->query, series->point, series->measure);
}

int store_file_add_layout(struct store_file *file, const struct store_layout *layout, struct failure *failure)
{
    uint64_t *const packed = packed_series(layout);
    const int result =
        store_file_run(file, failure, "INSERT OR IGNORE INTO layout VALUES(?1, ?2, ?3)", "iib", layout->id,
                       (int64_t)layout->sums, (const void *)packed, layout->nseries * sizeof *packed);

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
    bool requested;
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
    const int64_t id = sqlite3_column_int64(row, 0);
    const struct series series = {column_text(row, 1), column_text(row, 2), column_text(row, 3), column_text(row, 4)};

    if (series_id(&series) != id)
        return note_damaged(damaged, id);
    return visitor->series ? visitor->series(visitor->context, id, &series, failure) : 0;
}

static int visit_layout(sqlite3_stmt *row, const struct name_table *table, const struct name_visitor *visitor,
                        struct damaged *damaged, struct failure *failure)
{
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

        if (tables[i].requested)
            result = read_names(file, &tables[i], visitor, &here, failure);
        for (size_t k = 0; result == 0 && remove && k < here.count; k++)
            result = store_file_run(file, failure, tables[i].remove, "i", here.id[k]);
        *damaged += here.count;
        free(here.id);
    }
    return result;
}

/* ---- blocks of numbers ---- */

static int64_t block_checksum(const struct block_key *key, const void *packed, size_t size)
{
    uint64_t words[5 + STORE_CHECKSUM] = {(uint64_t)key->cell, (uint64_t)key->layout, (uint64_t)key->build, key->first,
                                          key->count};

    return (int64_t)store_checksum(words, 5, packed, size);
}

/* Whether the checksum fits the key in the columns from `first` on and the numbers after it. */
static bool read_key(sqlite3_stmt *row, int column, struct block_key *key, size_t *n)
{
    const size_t size = (size_t)sqlite3_column_bytes(row, column + 6);
    const int64_t first = sqlite3_column_int64(row, column + 3), count = sqlite3_column_int64(row, column + 4);

    *key = (struct block_key){.cell = sqlite3_column_int64(row, column),
                              .layout = sqlite3_column_int64(row, column + 1),
                              .build = sqlite3_column_int64(row, column + 2),
                              .first = (uint32_t)first,
                              .count = (uint32_t)count};
    *n = size / sizeof(double);
    return size % sizeof(double) == 0 && first == key->first && count == key->count &&
           sqlite3_column_int64(row, column + 5) == block_checksum(key, sqlite3_column_blob(row, column + 6), size);
}

int store_file_blocks(struct store_file *file, int64_t after,
                      int (*visit)(void *context, const struct block_row *row, struct failure *failure), void *context,
                      struct failure *failure)
{
    sqlite3_stmt *statement = NULL;
    int result = store_file_prepare(file,
                                    "SELECT id, cell, layout, build, first, repetitions, checksum, numbers FROM block"
                                    " WHERE id > ?1 ORDER BY id",
                                    &statement, failure);

    sqlite3_bind_int64(statement, 1, after);
    int code = SQLITE_DONE;
    while (result == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        struct block_row row = {.id = sqlite3_column_int64(statement, 0)};

        row.sound = read_key(statement, 1, &row.key, &row.n);
        result = visit(context, &row, failure);
    }
    if (result == 0 && code != SQLITE_DONE)
        result = store_file_failure(file, failure);
    sqlite3_finalize(statement);
    return result;
}

static void make_room(struct store_file *file, size_t n)
{
    if (n > file->room)
        file->numbers = xrealloc(file->numbers, file->room = n, sizeof *file->numbers);
}

int store_file_put(struct store_file *file, const struct block_key *key, const double *numbers, size_t n, int64_t *id,
                   struct failure *failure)
{
    sqlite3_stmt *const statement = file->put_block;

    make_room(file, n + 1);
    store_pack(file->numbers, numbers, n);
    sqlite3_bind_int64(statement, 1, key->cell);
    sqlite3_bind_int64(statement, 2, key->layout);
    sqlite3_bind_int64(statement, 3, key->build);
    sqlite3_bind_int64(statement, 4, key->first);
    sqlite3_bind_int64(statement, 5, key->count);
    sqlite3_bind_int64(statement, 6, block_checksum(key, file->numbers, n * sizeof *numbers));
    sqlite3_bind_blob64(statement, 7, file->numbers, n * sizeof *numbers, SQLITE_STATIC);
    if (store_file_finish(file, statement, failure) != 0)
        return -1;
    *id = sqlite3_last_insert_rowid(file->db);
    return 0;
}

int store_file_remove(struct store_file *file, int64_t id, struct failure *failure)
{
    sqlite3_bind_int64(file->remove_block, 1, id);
    return store_file_finish(file, file->remove_block, failure);
}

int store_file_numbers(struct store_file *file, int64_t id, const struct block_key *key, size_t n,
                       const double **numbers, struct failure *failure)
{
    sqlite3_stmt *const statement = file->get_block;

    *numbers = NULL;
    make_room(file, n + 1);
    file->steps = 0;
    sqlite3_bind_int64(statement, 1, id);
    const int code = sqlite3_step(statement);
    struct block_key found;
    size_t nfound;
    if (code == SQLITE_ROW && read_key(statement, 0, &found, &nfound) && nfound == n && found.cell == key->cell &&
        found.layout == key->layout && found.build == key->build && found.first == key->first &&
        found.count == key->count) {
        store_pack(file->numbers, sqlite3_column_blob(statement, 6), n);
        *numbers = file->numbers;
    }
    sqlite3_reset(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : store_file_failure(file, failure);
}
