/* table.h - what a table is, as data: its file, the columns that name its rows, and the measures in it. Tasks declare
 * their tables with it, run.json lists them with it (declared.h), and the reader of tables uses it. */
#ifndef LDPBENCH_TABLE_H
#define LDPBENCH_TABLE_H

#include "ldpbench.h"

/* What a column holds. The last five are of the column's measure, over repetitions. */
enum column_role {
    COLUMN_EXPERIMENT,  /* the experiment's name: a key that is the same in all rows, the first */
    COLUMN_CELL,        /* a key that is the same in all rows of a cell; those come next */
    COLUMN_KEY,         /* with the others, says which row it is */
    COLUMN_FACT,        /* a number beside, neither a key nor measured */
    COLUMN_REPETITIONS, /* of every measure without a COLUMN_DEFINED */
    COLUMN_MEAN,
    COLUMN_SD, /* of one repetition, n - 1 in the denominator */
    COLUMN_VARIANCE,
    COLUMN_STDERR, /* of the mean */
    COLUMN_DEFINED /* in how many repetitions the measure was defined */
};

struct table_column {
    const char *name;
    enum column_role role;
    size_t measure; /* of the last five roles */
};

struct table {
    const char *file; /* its name: mse.csv */
    const char *title;
    const char *subject; /* the key whose values are compared with one another: a curve each in a plot */
    bool tradeoff;       /* the first measure is bought with the others: a plot draws it against each of them */
    const struct table_column *columns;
    size_t ncolumns;
    const struct ldp_measure *measures; /* ended by a name NULL */
};

/* The column of a role (and measure), or NULL. */
const struct table_column *table_column(const struct table *table, enum column_role role, size_t measure);

/* Whether a column is the same in all rows of a cell. */
static inline bool column_is_of_cell(const struct table_column *column)
{
    return column->role == COLUMN_EXPERIMENT || column->role == COLUMN_CELL;
}

/* Whether a column is one of those that together name a row. */
static inline bool column_is_key(const struct table_column *column)
{
    return column_is_of_cell(column) || column->role == COLUMN_KEY;
}

#endif
