/* store_blocks.c - the blocks of numbers in a store's file; see store_file.h. */
#include "run/store_file.h"

#include "support/memory.h"

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
