/* store.c - see store.h.
 *
 * Cells and series are identified by a fingerprint of their canonical texts, so that no table of numbers has to be
 * kept in memory or agreed on by two processes. The texts are stored beside, for people and for the check that a
 * store belongs to the experiment.
 *
 * The rollback journal (not the write-ahead log) is used because it works on the shared file systems of clusters;
 * transactions are short and half a second apart, so two processes rarely wait for each other. */
#include "run/store.h"

#include "support/text.h"
#include "tasks/task.h"

#include <assert.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct put {
    struct unit unit;
    size_t nmeasured; /* numbers, all repetitions */
    double *measured, *sums;
    uint32_t done;
};

/* A series of a cell, by what the store calls it. */
struct name {
    sqlite3_int64 id;
    size_t series;
};

/* What the store makes of a layout. */
struct kind {
    const struct layout *layout;
    size_t ndistinct;    /* two labels of one method are one series */
    struct name *series; /* [nseries], by id: the order of the table */
    sqlite3_int64 *series_ids, *sums_ids;
};

struct store {
    const struct experiment *experiment;
    sqlite3 *db;
    char *path;
    sqlite3_stmt *put_measurement, *put_sums, *get_series, *get_repetitions, *get_sums, *get_block;
    struct put *puts;
    size_t nputs, room;
    size_t ncells;
    sqlite3_int64 *cell_ids;
    struct kind **kinds; /* [ncells]; neighbours of one layout share one, which the first of them owns */
    bool held;
    size_t held_cell;
};

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS about(name TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS cell(id INTEGER PRIMARY KEY, key TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS series(id INTEGER PRIMARY KEY, key TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS measurement(cell INTEGER, series INTEGER, repetition INTEGER, value REAL,"
    " PRIMARY KEY(cell, series, repetition)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS sums(cell INTEGER, series INTEGER, block INTEGER, repetitions INTEGER, vector BLOB,"
    " PRIMARY KEY(cell, series, block));";

static int database_failure(struct store *store, struct failure *failure)
{
    int code = sqlite3_errcode(store->db);

    if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: expected a result store, got something else (%s); remove it or use another folder (-o)",
                    store->path, sqlite3_errmsg(store->db));
    return fail(failure, EXIT_MACHINE, "%s: %s", store->path, sqlite3_errmsg(store->db));
}

static sqlite3_int64 text_id(const char *text)
{
    return (sqlite3_int64)(ldp_fingerprint(text, strlen(text)).lo >> 1);
}

/* What the store calls a cell: its key with all else that decides its numbers. */
static char *stored_cell_key(const struct experiment *experiment, size_t cell)
{
    char *key = experiment->task->cell_key(experiment->setup, cell);
    char *full =
        key ? text_format("version=%d|seed=%llu|%s", LDP_ALGORITHM_VERSION, (unsigned long long)experiment->seed, key)
            : NULL;

    free(key);
    return full;
}

static int run_sql(struct store *store, const char *sql, struct failure *failure)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : database_failure(store, failure);
}

static int prepare(struct store *store, const char *sql, sqlite3_stmt **statement, struct failure *failure)
{
    return sqlite3_prepare_v2(store->db, sql, -1, statement, NULL) == SQLITE_OK ? 0 : database_failure(store, failure);
}

static int finish(struct store *store, sqlite3_stmt *statement, struct failure *failure)
{
    int code = sqlite3_step(statement);

    sqlite3_reset(statement);
    return code == SQLITE_DONE ? 0 : database_failure(store, failure);
}

/* Reads of one cell in one transaction: to lock the file for each of them costs more than they do. Renewed from cell to
 * cell, so that others who write need not wait for long. */
static int hold_cell(struct store *store, size_t cell, struct failure *failure)
{
    if (!store->held || store->held_cell == cell)
        return 0;
    if (store->held_cell != SIZE_MAX && run_sql(store, "COMMIT", failure) != 0)
        return -1;
    store->held_cell = SIZE_MAX;
    if (run_sql(store, "BEGIN", failure) != 0)
        return -1;
    store->held_cell = cell;
    return 0;
}

void store_hold(struct store *store)
{
    assert(!store->held);
    store->held = true;
    store->held_cell = SIZE_MAX;
}

int store_release(struct store *store, struct failure *failure)
{
    bool open = store->held && store->held_cell != SIZE_MAX;

    store->held = false;
    return open ? run_sql(store, "COMMIT", failure) : 0;
}

static int by_id(const void *a, const void *b)
{
    const struct name *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

/* Writes a cell or series into a table of names; takes over the key. */
static int insert_name(struct store *store, sqlite3_stmt *statement, char *key, sqlite3_int64 *id,
                       struct failure *failure)
{
    int result;

    if (!key)
        return fail_memory(failure);
    *id = text_id(key);
    sqlite3_bind_int64(statement, 1, *id);
    sqlite3_bind_text(statement, 2, key, -1, SQLITE_STATIC);
    result = finish(store, statement, failure);
    free(key);
    return result;
}

static void kind_free(struct kind *kind)
{
    if (!kind)
        return;
    free(kind->series);
    free(kind->series_ids);
    free(kind->sums_ids);
    free(kind);
}

static char *series_key(const struct series *series)
{
    return text_format("%s|%s|%s|%s", series->method, series->query, series->point, series->measure);
}

static int insert_kind(struct store *store, sqlite3_stmt *statement, const struct layout *layout, struct kind **out,
                       struct failure *failure)
{
    struct kind *kind = *out = calloc(1, sizeof *kind);

    if (!kind)
        return fail_memory(failure);
    kind->layout = layout;
    kind->series = malloc((layout->nseries + 1) * sizeof *kind->series);
    kind->series_ids = malloc((layout->nseries + 1) * sizeof *kind->series_ids);
    kind->sums_ids = malloc((layout->nsums + 1) * sizeof *kind->sums_ids);
    if (!kind->series || !kind->series_ids || !kind->sums_ids)
        return fail_memory(failure);
    for (size_t i = 0; i < layout->nseries; i++) {
        if (insert_name(store, statement, series_key(&layout->series[i]), &kind->series_ids[i], failure) != 0)
            return -1;
        kind->series[i] = (struct name){.id = kind->series_ids[i], .series = i};
    }
    for (size_t i = 0; i < layout->nsums; i++)
        if (insert_name(store, statement, series_key(&layout->sums[i]), &kind->sums_ids[i], failure) != 0)
            return -1;
    qsort(kind->series, layout->nseries, sizeof *kind->series, by_id);
    for (size_t i = 0; i < layout->nseries; i++)
        kind->ndistinct += i == 0 || kind->series[i].id != kind->series[i - 1].id;
    return 0;
}

/* Writes the experiment's cells and series into tables of what is wanted, and keeps their ids. */
static int insert_names(struct store *store, struct failure *failure)
{
    const struct experiment *experiment = store->experiment;
    const struct task *task = experiment->task;
    sqlite3_stmt *cell_statement = NULL, *series_statement = NULL;
    int result = -1;

    store->ncells = experiment->setup->ncells;
    store->cell_ids = malloc(store->ncells * sizeof *store->cell_ids);
    store->kinds = calloc(store->ncells, sizeof(struct kind *));
    if (!store->cell_ids || !store->kinds)
        return fail_memory(failure);
    if (run_sql(store,
                "CREATE TEMP TABLE wanted_cell(id INTEGER PRIMARY KEY, key TEXT);"
                "CREATE TEMP TABLE wanted_series(id INTEGER PRIMARY KEY, key TEXT);"
                "BEGIN",
                failure) != 0)
        return -1;
    if (prepare(store, "INSERT OR IGNORE INTO wanted_cell VALUES(?1, ?2)", &cell_statement, failure) != 0 ||
        prepare(store, "INSERT OR IGNORE INTO wanted_series VALUES(?1, ?2)", &series_statement, failure) != 0)
        goto out;
    for (size_t cell = 0; cell < store->ncells; cell++) {
        const struct layout *layout = task->layout(experiment->setup, cell);

        if (insert_name(store, cell_statement, stored_cell_key(experiment, cell), &store->cell_ids[cell], failure) != 0)
            goto out;
        if (cell > 0 && store->kinds[cell - 1]->layout == layout)
            store->kinds[cell] = store->kinds[cell - 1];
        else if (insert_kind(store, series_statement, layout, &store->kinds[cell], failure) != 0)
            goto out;
    }
    result = 0;
out:
    sqlite3_finalize(cell_statement);
    sqlite3_finalize(series_statement);
    if (run_sql(store, "COMMIT", failure) != 0)
        return -1;
    return result;
}

/* The first text that a query finds, copied into text; false if it finds none. */
static bool find_text(struct store *store, const char *sql, char *text, size_t size)
{
    sqlite3_stmt *statement = NULL;
    bool found = false;

    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0)) {
        snprintf(text, size, "%s", (const char *)sqlite3_column_text(statement, 0));
        found = true;
    }
    sqlite3_finalize(statement);
    return found;
}

/* A store of a release whose numbers differ holds nothing that could be used. */
static int judge_version(struct store *store, const char *folder, struct failure *failure)
{
    char text[300];
    long version;

    if (find_text(store, "SELECT key FROM cell LIMIT 1", text, sizeof text) &&
        sscanf(text, "version=%ld|", &version) == 1 && version != LDP_ALGORITHM_VERSION)
        return fail(
            failure, EXIT_BAD_INPUT,
            "%s: holds results of algorithm version %ld, this program's is %d; use another folder (-o) or --fresh "
            "to discard them",
            folder, version, LDP_ALGORITHM_VERSION);
    return 0;
}

/* Whether everything that the store holds is a part of the experiment. */
static int judge(struct store *store, const char *folder, struct failure *failure)
{
    static const struct {
        const char *sql, *what;
    } strangers[] = {
        {"SELECT key FROM cell WHERE id NOT IN (SELECT id FROM wanted_cell) LIMIT 1", "cell"},
        {"SELECT key FROM series WHERE id NOT IN (SELECT id FROM wanted_series) LIMIT 1", "series"},
    };
    char text[300];

    if (judge_version(store, folder, failure) != 0)
        return -1;
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (find_text(store, strangers[i].sql, text, sizeof text))
            return fail(
                failure, EXIT_BAD_INPUT,
                "%s: holds results of another config (%s %s); use another folder (-o) or --fresh to discard them",
                folder, strangers[i].what, text);
    if (find_text(store, "SELECT value FROM about WHERE name = 'experiment'", text, sizeof text) &&
        strcmp(text, store->experiment->name) != 0)
        return fail(failure, EXIT_BAD_INPUT,
                    "%s: holds results of experiment \"%s\"; use another folder (-o) or --fresh to discard them",
                    folder, text);
    if (find_text(store, "SELECT value FROM about WHERE name = 'repetitions'", text, sizeof text) &&
        strtoul(text, NULL, 10) > store->experiment->repetitions)
        return fail(
            failure, EXIT_BAD_INPUT,
            "%s: holds %s repetitions, the config asks for %lu; use another folder (-o) or --fresh to discard them",
            folder, text, (unsigned long)store->experiment->repetitions);
    return 0;
}

static int record_about(struct store *store, struct failure *failure)
{
    sqlite3_stmt *statement = NULL;
    int result;

    if (prepare(store, "INSERT OR REPLACE INTO about VALUES('experiment', ?1), ('repetitions', ?2)", &statement,
                failure) != 0)
        return -1;
    sqlite3_bind_text(statement, 1, store->experiment->name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 2, store->experiment->repetitions);
    result = finish(store, statement, failure);
    sqlite3_finalize(statement);
    return result;
}

int store_open(const char *folder, const struct experiment *experiment, bool fresh, struct store **out,
               struct failure *failure)
{
    struct store *store = calloc(1, sizeof *store);
    int result = -1;

    if (!store)
        return fail_memory(failure);
    store->experiment = experiment;
    store->path = text_format("%s/store.sqlite", folder);
    if (!store->path) {
        fail_memory(failure);
        goto out;
    }
    /* No mutex: one caller at a time (store.h). */
    if (sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        NULL) != SQLITE_OK) {
        database_failure(store, failure);
        goto out;
    }
    sqlite3_busy_timeout(store->db, 60000);
    if (run_sql(store, "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY",
                failure) != 0 ||
        insert_names(store, failure) != 0 || run_sql(store, "BEGIN IMMEDIATE", failure) != 0 ||
        run_sql(store, schema, failure) != 0)
        goto out;
    if (fresh) {
        if (run_sql(store,
                    "DELETE FROM measurement; DELETE FROM sums; DELETE FROM cell; DELETE FROM series;"
                    "DELETE FROM about",
                    failure) != 0)
            goto out;
    } else if (judge(store, folder, failure) != 0) {
        goto out;
    }
    if (run_sql(store,
                "INSERT OR IGNORE INTO cell SELECT id, key FROM wanted_cell;"
                "INSERT OR IGNORE INTO series SELECT id, key FROM wanted_series",
                failure) != 0 ||
        record_about(store, failure) != 0 || run_sql(store, "COMMIT", failure) != 0)
        goto out;
    if (prepare(store, "INSERT OR IGNORE INTO measurement VALUES(?1, ?2, ?3, ?4)", &store->put_measurement, failure) ||
        prepare(store,
                "INSERT INTO sums VALUES(?1, ?2, ?3, ?4, ?5) ON CONFLICT(cell, series, block) DO UPDATE SET"
                " repetitions = excluded.repetitions, vector = excluded.vector"
                " WHERE excluded.repetitions > repetitions",
                &store->put_sums, failure) ||
        prepare(store,
                "SELECT repetition, value FROM measurement WHERE cell = ?1 AND series = ?2 AND repetition < ?3"
                " ORDER BY repetition",
                &store->get_series, failure) ||
        prepare(store, "SELECT series, repetition FROM measurement WHERE cell = ?1 AND repetition < ?2 ORDER BY series",
                &store->get_repetitions, failure) ||
        prepare(store, "SELECT repetitions, vector FROM sums WHERE cell = ?1 AND series = ?2 AND block = ?3",
                &store->get_sums, failure) ||
        prepare(store, "SELECT repetitions FROM sums WHERE cell = ?1 AND series = ?2 AND block = ?3", &store->get_block,
                failure))
        goto out;
    result = 0;
out:
    if (result == 0)
        *out = store;
    else
        store_close(store);
    return result;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    sqlite3_finalize(store->put_measurement);
    sqlite3_finalize(store->put_sums);
    sqlite3_finalize(store->get_series);
    sqlite3_finalize(store->get_repetitions);
    sqlite3_finalize(store->get_sums);
    sqlite3_finalize(store->get_block);
    sqlite3_close(store->db);
    for (size_t i = 0; i < store->nputs; i++) {
        free(store->puts[i].measured);
        free(store->puts[i].sums);
    }
    free(store->puts);
    for (size_t cell = 0; store->kinds && cell < store->ncells; cell++)
        if (cell == 0 || store->kinds[cell] != store->kinds[cell - 1])
            kind_free(store->kinds[cell]);
    free(store->kinds);
    free(store->cell_ids);
    free(store->path);
    free(store);
}

static int fail_removed(const struct store *store, struct failure *failure)
{
    return fail(failure, EXIT_MACHINE,
                "%s: results are not as they were left: another process removed them, or the file is damaged (--fresh "
                "begins anew)",
                store->path);
}

/* How many of a block's repetitions its sums hold: the same for all its vectors, or 0. */
static int block_done(struct store *store, size_t cell, uint32_t block, uint32_t *done, struct failure *failure)
{
    const struct kind *kind = store->kinds[cell];

    *done = 0;
    for (size_t i = 0; i < kind->layout->nsums; i++) {
        uint32_t here = 0;
        int code;

        sqlite3_bind_int64(store->get_block, 1, store->cell_ids[cell]);
        sqlite3_bind_int64(store->get_block, 2, kind->sums_ids[i]);
        sqlite3_bind_int64(store->get_block, 3, block);
        code = sqlite3_step(store->get_block);
        if (code == SQLITE_ROW)
            here = (uint32_t)sqlite3_column_int64(store->get_block, 0);
        sqlite3_reset(store->get_block);
        if (code != SQLITE_ROW && code != SQLITE_DONE)
            return database_failure(store, failure);
        if (here > STORE_BLOCK)
            return fail_removed(store, failure);
        if (here == 0 || (i > 0 && here != *done)) {
            *done = 0;
            return 0;
        }
        *done = here;
    }
    return 0;
}

/* For each repetition of a cell, how many of its distinct series are there. */
static int count_series(struct store *store, size_t cell, uint32_t *have, struct failure *failure)
{
    const struct kind *kind = store->kinds[cell];
    size_t i = 0;
    int code;

    memset(have, 0, store->experiment->repetitions * sizeof *have);
    sqlite3_bind_int64(store->get_repetitions, 1, store->cell_ids[cell]);
    sqlite3_bind_int64(store->get_repetitions, 2, store->experiment->repetitions);
    while ((code = sqlite3_step(store->get_repetitions)) == SQLITE_ROW) {
        const sqlite3_int64 id = sqlite3_column_int64(store->get_repetitions, 0);
        const sqlite3_int64 repetition = sqlite3_column_int64(store->get_repetitions, 1);

        if (repetition < 0 || repetition >= store->experiment->repetitions)
            break; /* a damaged file */
        while (i < kind->layout->nseries && kind->series[i].id < id)
            i++;
        /* Another process, whose config has grown, may have added more. */
        if (i < kind->layout->nseries && kind->series[i].id == id)
            have[repetition]++;
    }
    sqlite3_reset(store->get_repetitions);
    if (code == SQLITE_ROW)
        return fail_removed(store, failure);
    return code == SQLITE_DONE ? 0 : database_failure(store, failure);
}

int store_pending(struct store *store, uint32_t max_length, bool whole, struct unit **out, size_t *count,
                  struct failure *failure)
{
    const struct experiment *experiment = store->experiment;
    uint32_t repetitions = experiment->repetitions;
    uint32_t *have = malloc(repetitions * sizeof *have);
    struct unit *units = NULL;
    size_t n = 0, room = 0;
    int result = -1;

    if (!have)
        return fail_memory(failure);
    store_hold(store);
    for (size_t cell = 0; cell < store->ncells; cell++) {
        const struct kind *kind = store->kinds[cell];
        const uint32_t length = kind->layout->nsums > 0 ? STORE_BLOCK : max_length;

        if (hold_cell(store, cell, failure) != 0 || count_series(store, cell, have, failure) != 0)
            goto out;
        for (uint32_t first = 0; first < repetitions; first += length) {
            struct unit unit = {.cell = (uint32_t)cell, .first = first, .whole = whole};
            uint32_t done = UINT32_MAX, end = repetitions - first < length ? repetitions - first : length;

            if (kind->layout->nsums > 0 && block_done(store, cell, first / STORE_BLOCK, &done, failure) != 0)
                goto out;
            if (whole && done < end)
                done = 0;
            for (uint32_t i = 0; i < end; i++)
                if (have[first + i] < kind->ndistinct || i >= done)
                    unit.missing |= UINT64_C(1) << i;
            if (!unit.missing)
                continue;
            if (n == room) {
                struct unit *more = realloc(units, (room = 2 * room + 64) * sizeof *units);
                if (!more) {
                    fail_memory(failure);
                    goto out;
                }
                units = more;
            }
            units[n++] = unit;
        }
    }
    result = 0;
out:
    free(have);
    if (store_release(store, failure) != 0)
        result = -1;
    if (result == 0) {
        *out = units;
        *count = n;
    } else {
        free(units);
    }
    return result;
}

/* Reads one vector of sums and how many repetitions it holds; leaves it alone where there is none (0). */
static int read_sums(struct store *store, size_t cell, size_t i, uint32_t block, double *vector, uint32_t *repetitions,
                     struct failure *failure)
{
    size_t length = store->kinds[cell]->layout->sum_length;
    int code;

    *repetitions = 0;
    sqlite3_bind_int64(store->get_sums, 1, store->cell_ids[cell]);
    sqlite3_bind_int64(store->get_sums, 2, store->kinds[cell]->sums_ids[i]);
    sqlite3_bind_int64(store->get_sums, 3, block);
    code = sqlite3_step(store->get_sums);
    if (code == SQLITE_ROW && (size_t)sqlite3_column_bytes(store->get_sums, 1) == length * sizeof *vector) {
        memcpy(vector, sqlite3_column_blob(store->get_sums, 1), length * sizeof *vector);
        *repetitions = (uint32_t)sqlite3_column_int64(store->get_sums, 0);
    }
    sqlite3_reset(store->get_sums);
    return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : database_failure(store, failure);
}

int store_load_sums(struct store *store, const struct unit *unit, double *sums, uint32_t *done, struct failure *failure)
{
    size_t length = store->kinds[unit->cell]->layout->sum_length;
    uint32_t block = unit->first / STORE_BLOCK;
    uint64_t rest;
    int result = -1;

    /* One transaction: all vectors at the same repetition, whoever else writes. */
    if (run_sql(store, "BEGIN", failure) != 0)
        return -1;
    if (block_done(store, unit->cell, block, done, failure) != 0)
        goto out;
    for (size_t i = 0; *done > 0 && i < store->kinds[unit->cell]->layout->nsums; i++) {
        uint32_t here;
        if (read_sums(store, unit->cell, i, block, sums + i * length, &here, failure) != 0)
            goto out;
        if (here != *done) {
            fail_removed(store, failure);
            goto out;
        }
    }
    /* The unit must go on where the sums end; since it was listed they may have been emptied. */
    rest = unit->missing >> *done;
    if (rest & (rest + 1))
        fail_removed(store, failure);
    else
        result = 0;
out:
    if (run_sql(store, "COMMIT", failure) != 0)
        return -1;
    return result;
}

static double *copy(const double *from, size_t n)
{
    double *to = malloc((n + 1) * sizeof *to);

    if (to && n > 0)
        memcpy(to, from, n * sizeof *to);
    return to;
}

int store_put(struct store *store, const struct unit *unit, const double *measured, const double *sums, uint32_t done,
              struct failure *failure)
{
    const struct layout *layout = store->kinds[unit->cell]->layout;
    const size_t nsums = sums ? layout->nsums : 0;
    struct put put = {.unit = *unit, .done = done};

    if (store->nputs == store->room) {
        size_t room = 2 * store->room + 64;
        struct put *more = realloc(store->puts, room * sizeof *more);
        if (!more)
            return fail_memory(failure);
        store->puts = more;
        store->room = room;
    }
    put.nmeasured = (size_t)__builtin_popcountll(unit->missing) * layout->nseries;
    put.measured = copy(measured, put.nmeasured);
    if (nsums > 0)
        put.sums = copy(sums, nsums * layout->sum_length);
    if (!put.measured || (nsums > 0 && !put.sums)) {
        free(put.measured);
        free(put.sums);
        return fail_memory(failure);
    }
    store->puts[store->nputs++] = put;
    return 0;
}

static int write_put(struct store *store, const struct put *put, struct failure *failure)
{
    const size_t cell = put->unit.cell;
    const struct kind *kind = store->kinds[cell];
    sqlite3_stmt *statement = store->put_measurement;

    sqlite3_bind_int64(statement, 1, store->cell_ids[cell]);
    for (size_t j = 0; j < kind->layout->nseries; j++) {
        const double *value = put->measured + kind->series[j].series;

        sqlite3_bind_int64(statement, 2, kind->series[j].id);
        for (uint32_t i = 0; i < 64; i++) {
            if (!(put->unit.missing >> i & 1))
                continue;
            sqlite3_bind_int64(statement, 3, put->unit.first + i);
            sqlite3_bind_double(statement, 4, *value); /* NAN is kept as NULL */
            value += kind->layout->nseries;
            if (finish(store, statement, failure) != 0)
                return -1;
        }
    }
    for (size_t i = 0; put->sums && i < kind->layout->nsums; i++) {
        size_t length = store->kinds[cell]->layout->sum_length;

        sqlite3_bind_int64(store->put_sums, 1, store->cell_ids[cell]);
        sqlite3_bind_int64(store->put_sums, 2, kind->sums_ids[i]);
        sqlite3_bind_int64(store->put_sums, 3, put->unit.first / STORE_BLOCK);
        sqlite3_bind_int64(store->put_sums, 4, put->done);
        sqlite3_bind_blob64(store->put_sums, 5, put->sums + i * length, length * sizeof *put->sums, SQLITE_STATIC);
        if (finish(store, store->put_sums, failure) != 0)
            return -1;
    }
    return 0;
}

int store_commit(struct store *store, struct failure *failure)
{
    int result = 0;

    if (store->nputs == 0)
        return 0;
    if (run_sql(store, "BEGIN IMMEDIATE", failure) != 0)
        return -1;
    for (size_t i = 0; i < store->nputs; i++) {
        if (result == 0)
            result = write_put(store, &store->puts[i], failure);
        free(store->puts[i].measured);
        free(store->puts[i].sums);
    }
    store->nputs = 0;
    if (result == 0)
        result = run_sql(store, "COMMIT", failure);
    if (result != 0)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return result;
}

int store_series(struct store *store, size_t cell, size_t series, double *value, struct failure *failure)
{
    uint32_t repetitions = store->experiment->repetitions, n = 0;
    int code;

    if (hold_cell(store, cell, failure) != 0)
        return -1;
    sqlite3_bind_int64(store->get_series, 1, store->cell_ids[cell]);
    sqlite3_bind_int64(store->get_series, 2, store->kinds[cell]->series_ids[series]);
    sqlite3_bind_int64(store->get_series, 3, repetitions);
    while ((code = sqlite3_step(store->get_series)) == SQLITE_ROW && n < repetitions &&
           sqlite3_column_int64(store->get_series, 0) == n) {
        bool undefined = sqlite3_column_type(store->get_series, 1) == SQLITE_NULL;
        value[n++] = undefined ? NAN : sqlite3_column_double(store->get_series, 1);
    }
    sqlite3_reset(store->get_series);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        return database_failure(store, failure);
    return code == SQLITE_DONE && n == repetitions ? 0 : fail_removed(store, failure);
}

int store_sums(struct store *store, size_t cell, size_t sums, uint32_t first, double *vector, struct failure *failure)
{
    const uint32_t repetitions = store->experiment->repetitions;
    const uint32_t length = repetitions - first < STORE_BLOCK ? repetitions - first : STORE_BLOCK;
    uint32_t done;

    assert(first % STORE_BLOCK == 0 && first < repetitions);
    if (hold_cell(store, cell, failure) != 0 ||
        read_sums(store, cell, sums, first / STORE_BLOCK, vector, &done, failure) != 0)
        return -1;
    if (done < length)
        return fail_removed(store, failure);
    if (done > length)
        return fail(failure, EXIT_MACHINE,
                    "%s: another process went on to more than %lu repetitions, whose sums cannot be taken apart",
                    store->path, (unsigned long)repetitions);
    return 0;
}
