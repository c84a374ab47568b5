/* store_rows.h - the rows of tables in a store: what `sqlite3 store.sqlite "select ... from mse"` reads
 * (docs/reference.md).
 *
 * A table mse.csv is a table mse_rows of numbers and a view mse that joins them to names. Three more tables are shared
 * by all: `name`, each oracle, method, query, .. with its parameters; `run`, the cells of the last complete run;
 * `grid`, the columns of a cell. A checksum of the rows of each is in `tables`. */
#ifndef LDPBENCH_STORE_ROWS_H
#define LDPBENCH_STORE_ROWS_H

#include "run/store.h"
#include "run/store_file.h"
#include "stats/summary.h"
#include "support/numbers.h"
#include "tasks/task.h"

/* A column of a row. */
struct row_value {
    enum row_type { ROW_NONE, ROW_WHOLE, ROW_REAL, ROW_TEXT } type;
    int64_t whole;
    double real;
    const char *text;
};

/* ---- writing ---- */

struct row_writer;

/* Begins to write the rows of a complete run, in a transaction that store_complete ends. Rows that are there already
 * are compared, not written. To be closed in any case. */
int row_writer_open(struct store *store, struct row_writer **out, struct failure *failure);

/* Begins the next of the experiment's tables, whose rows table_add_row adds (labels live as long as the experiment);
 * ends it, and tells whether its rows have changed. */
int row_writer_begin(struct row_writer *writer, const struct task_table *table, struct failure *failure);
int row_writer_end(struct row_writer *writer, bool *changed, struct failure *failure);

/* Ends what was written; result -1: it is undone. */
int row_writer_close(struct row_writer *writer, int result, struct failure *failure);

/* Statements that make `grid`, then the tables of rows and their views. */
void row_schema(const struct task_tables *tables, struct texts *sql);

/* ---- reading ---- */

/* An oracle, a method, a query, ..: kind is the word of its part (run/declare.h), parameters a JSON object. */
struct row_name {
    char *kind, *name, *parameters, *label;
};

struct run_cell {
    int64_t key, layout; /* as blocks have them */
    int64_t collection;  /* the same for cells with the same collections */
    uint32_t repetitions;
};

struct row_table {
    char *name;        /* without .csv; of the first ones: name, run, grid */
    char *declaration; /* JSON as table_json writes it; of run, the build of the program; NULL: name or grid */
    int64_t rows;
    int64_t checksum;
};

/* Their indices, and that of the first of the experiment. */
enum { ROWS_OF_NAMES, ROWS_OF_RUN, ROWS_OF_GRID, ROWS_OF_TABLES };

struct rows {
    struct store_file *file;
    char *experiment;
    struct row_table *table; /* in order; [ntables] */
    size_t ntables;
    struct row_name *name;
    size_t nnames, names_room;
    struct run_cell *cell;
    size_t ncells, cells_room;
    struct row_value *grid; /* [ncells][ngrid] */
    size_t ngrid, grid_count, grid_room;
};

/* Fails as of a damaged store (exit status 2). */
int rows_damaged(const char *path, struct failure *failure);

/* Reads all but the rows of tables. -1 (exit status 2) where the store is damaged or has no complete run. To be cleared
 * in any case. */
int rows_open(struct store_file *file, struct rows *rows, struct failure *failure);
void rows_clear(struct rows *rows);

/* Calls for each row of a table, in order: value[0] is the number of the row, value[1] its cell, then the columns of
 * the table that are neither of a cell nor COLUMN_REPETITIONS, then the series of each measure. */
int rows_each(const struct rows *rows, size_t table,
              int (*visit)(void *context, const struct row_value *value, size_t count, struct failure *failure),
              void *context, struct failure *failure);

/* The texts of a row's columns, as CSV has them: field[ncolumns], numbers in number[ncolumns]; of keys and facts alone
 * if asked for, other texts are unchanged. False where the row is not of that table. */
bool row_fields(const struct rows *rows, const struct table *table, const struct row_value *value, size_t count,
                bool keys_alone, const char **field, char (*number)[NUMBER_TEXT]);

/* ---- shared ---- */

enum { ROW_COLUMNS = 2 + 3 * ROW_FIELDS + 8 * ROW_MEASURES };

/* A column of a statement's row. Its text is valid until the next step. */
struct row_value row_value(sqlite3_stmt *statement, int column);

/* The checksum of the rows up to this one, that of no rows is 0; of a whole table, with its declaration. */
int64_t row_checksum(int64_t before, const struct row_value *value, size_t count);
int64_t row_table_checksum(const char *declaration, int64_t rows);

/* Whether a column is in a table's own rows. */
static inline bool column_is_of_row(const struct table_column *column)
{
    return !column_is_of_cell(column) && column->role != COLUMN_REPETITIONS;
}

#endif
