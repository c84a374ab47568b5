/* rows_private.h - shared by the files of rows. */
#ifndef LDPBENCH_ROWS_PRIVATE_H
#define LDPBENCH_ROWS_PRIVATE_H

#include "run/rows.h"
#include "run/store_file.h"

enum { ROW_COLUMNS = 2 + 3 * ROW_FIELDS + 8 * ROW_MEASURES };

/* A column of a statement's row. Its text is valid until the next step. */
struct row_value row_value(sqlite3_stmt *statement, int column);

/* The bits of its number, or a fingerprint of its text. */
uint64_t row_bits(const struct row_value *value);

/* The checksum of the rows up to this one; that of no rows is 0. */
int64_t row_checksum(int64_t before, const struct row_value *value, size_t count);

/* The same of a whole table, with its declaration. */
int64_t row_table_checksum(const char *declaration, int64_t rows);

/* A name in SQL, quoted; a statement about it, with "%w" in its place. */
int row_prepare(struct store_file *file, const char *sql, const char *name, sqlite3_stmt **statement,
                struct failure *failure);

/* Statements that make the tables of rows and views, NULL-terminated; freed by texts_clear. */
void row_schema(const struct task_tables *tables, struct texts *sql);

#endif
