/* store_file.h - the file of a result store: a SQLite database of names and blocks. It knows nothing of experiments.
 *
 * A block holds the numbers of one layout for a stretch of repetitions of one cell, as a packed vector of little-endian
 * doubles (undefined ones as they are), with a checksum over its key and its numbers. A layout is a list of series,
 * whose numbers are in the block series by series, each in order of repetition; or it is one accumulated vector
 * ("sums") over the stretch. Cells, series, layouts and builds are known by fingerprints of their texts, so that
 * processes need not agree on numbers for them, and so that a damaged name is noticed. */
#ifndef LDPBENCH_STORE_FILE_H
#define LDPBENCH_STORE_FILE_H

#include "support/failure.h"
#include "tasks/task.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store_layout {
    int64_t id;
    bool sums;
    size_t nseries;
    int64_t *series; /* [nseries] */
};

struct block_key {
    int64_t cell, layout, build;
    uint32_t first, count; /* repetitions */
};

struct store_file {
    sqlite3 *db;
    char *path;
    sqlite3_stmt *put_cell, *put_block, *get_block, *remove_block, *get_version;
    double *numbers; /* what store_file_numbers returned last */
    size_t room;
    bool old;      /* it was there before */
    bool young;    /* it was made by this process, and nobody has added results */
    int written;   /* changes up to when it was made */
    int64_t steps; /* of SQLite in the present query, or in those since one was prepared */
};

/* ---- fingerprints ---- */

int64_t text_id(const char *text);
int64_t series_id(const struct series *series);
int64_t layout_id(const struct store_layout *layout);

/* ---- opening ---- */

enum store_mode {
    STORE_READ,  /* an existing store, to read */
    STORE_WRITE, /* made where there is none */
    STORE_RENEW  /* the same; what is there and cannot be used is removed */
};

/* Opens FILE and, unless to read, begins a transaction that no other process can write in. A file that is no store,
 * is damaged in its structure or has another format is refused (exit status 2). */
int store_file_open(const char *path, enum store_mode mode, struct store_file *file, struct failure *failure);
void store_file_close(struct store_file *file);

/* Whether a statement makes one of the tables that every store has. */
bool store_file_is_fixed(const char *sql);

int store_file_sql(struct store_file *file, const char *sql, struct failure *failure);
int store_file_prepare(struct store_file *file, const char *sql, sqlite3_stmt **statement, struct failure *failure);

/* Drops the transaction, makes every later commit wait for the disk, and begins again. */
int store_file_sync(struct store_file *file, const char *begin, struct failure *failure);

/* Ends a transaction; what it wrote is on the disk then, but for the tables of a new store. */
int store_file_commit(struct store_file *file, struct failure *failure);

/* Runs a statement that returns no rows, and resets it. */
int store_file_finish(struct store_file *file, sqlite3_stmt *statement, struct failure *failure);

/* The same of SQL, with its values: of each kind i an int64_t, t a text, b bytes and their number. */
int store_file_run(struct store_file *file, struct failure *failure, const char *sql, const char *kinds, ...);

/* Fails with SQLite's message, as bad input if the file is the cause. */
int store_file_failure(struct store_file *file, struct failure *failure);

/* Copies the names and blocks of another store that this one lacks, unchecked, in the present transaction. The other is
 * let go of after its end. */
int store_file_copy(struct store_file *file, const char *other, struct failure *failure);
void store_file_detach(struct store_file *file);

/* Whether another connection has written since the last call. */
bool store_file_changed(struct store_file *file, int64_t *version);

/* A malloc'd value of the table `about`; *value is NULL where there is none. */
int store_file_get(struct store_file *file, const char *name, char **value, struct failure *failure);
int store_file_set(struct store_file *file, const char *name, const char *value, struct failure *failure);

/* ---- names ---- */

/* Adds a name where it is not there yet. */
int store_file_add_cell(struct store_file *file, int64_t id, const char *key, struct failure *failure);
int store_file_add_build(struct store_file *file, int64_t id, const char *build, struct failure *failure);
int store_file_add_series(struct store_file *file, int64_t id, const struct series *series, struct failure *failure);
int store_file_add_layout(struct store_file *file, const struct store_layout *layout, struct failure *failure);

/* Callbacks for each undamaged name that is read; NULL: names of that kind are not read, but series where what is
 * damaged is removed. Each returns 0, or -1 with the failure set. Texts and arrays are valid during the call. */
struct name_visitor {
    void *context;
    int (*cell)(void *context, int64_t id, const char *key, struct failure *failure);
    int (*build)(void *context, int64_t id, const char *build, struct failure *failure);
    int (*series)(void *context, int64_t id, const struct series *series, struct failure *failure);
    int (*layout)(void *context, const struct store_layout *layout, struct failure *failure);
};

/* Reads all names; *damaged counts those whose text does not match their fingerprint; they are removed if asked for. */
int store_file_names(struct store_file *file, const struct name_visitor *visitor, bool remove, size_t *damaged,
                     struct failure *failure);

/* ---- blocks ---- */

struct block_row {
    int64_t id;
    struct block_key key;
    size_t n;   /* numbers */
    bool sound; /* the checksum fits */
};

/* Reads all blocks with ids above `after`, in order of ids. */
int store_file_blocks(struct store_file *file, int64_t after,
                      int (*visit)(void *context, const struct block_row *row, struct failure *failure), void *context,
                      struct failure *failure);

int store_file_put(struct store_file *file, const struct block_key *key, const double *numbers, size_t n, int64_t *id,
                   struct failure *failure);
int store_file_remove(struct store_file *file, int64_t id, struct failure *failure);

/* The n numbers of a block, valid until the next call; NULL if it is gone, damaged or has another key. */
int store_file_numbers(struct store_file *file, int64_t id, const struct block_key *key, size_t n,
                       const double **numbers, struct failure *failure);

#endif
