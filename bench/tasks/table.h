/* table.h - what a table is, as data: its file, the columns that name its rows, and the measures in it. Tasks declare
 * their tables with it, stores keep it (run/declare.h), and the reader of tables uses it. */
#ifndef LDPBENCH_TABLE_H
#define LDPBENCH_TABLE_H

#include "support/measures.h"

/* Content of a column. The last five are of the column's measure, over repetitions. */
enum column_role {
    COLUMN_EXPERIMENT,  /* the experiment's name: a key that is the same in all rows, the first */
    COLUMN_CELL,        /* a key that is the same in all rows of a cell; those come next */
    COLUMN_KEY,         /* with the others, says which row it is */
    COLUMN_FACT,        /* a further number, neither a key nor measured */
    COLUMN_REPETITIONS, /* of every measure without a COLUMN_DEFINED */
    COLUMN_MEAN,
    COLUMN_SD, /* of one repetition, n - 1 in the denominator */
    COLUMN_VARIANCE,
    COLUMN_STDERR, /* of the mean */
    COLUMN_DEFINED /* in how many repetitions the measure was defined */
};

/* Meaning of a key or a fact to a reader of the table. A table has at most one column of each part, except for
 * PART_NONE, whose columns are known by their names alone, and PART_ALGORITHM. */
enum column_part {
    PART_NONE,
    /* Labels: texts, even if all of them are numbers. */
    PART_DATASET,
    PART_ORACLE,
    PART_METHOD,
    PART_ALGORITHM,  /* another algorithm that is compared: a protocol, a synopsis, a surrogate */
    PART_SIMULATION, /* how collections were simulated */
    PART_QUERY,
    PART_TARGET, /* what a search looks for */
    /* Numbers. */
    PART_POINT, /* the parameter of the query */
    PART_DOMAIN,
    PART_USERS,
    PART_BUDGET,
    PART_RANK, /* of a value, by its true count */
    PART_VALUE,
    PART_COUNT,     /* the true count of the value */
    PART_ESTIMATE,  /* the mean estimate of the value, in users */
    PART_THRESHOLD, /* the point of the query in users */
    /* Columns of a histogram: a bin, its density, and normal distributions for all bins. */
    PART_FROM,
    PART_TO,
    PART_DENSITY,
    PART_FITTED_MEAN,
    PART_FITTED_MEAN_ERROR,
    PART_FITTED_SD,
    PART_FITTED_SD_ERROR,
    PART_PREDICTED_SD,
    COLUMN_PARTS
};

static inline bool part_is_label(enum column_part part)
{
    return part >= PART_DATASET && part <= PART_TARGET;
}

struct table_column {
    const char *name;
    enum column_role role;
    size_t of; /* keys and facts: their part; the last five roles: the index of their measure */
};

/* A measure's mean and its standard error, NAME and NAME_stderr. */
#define MEAN_COLUMNS(name, measure)                                                                                    \
    {name, COLUMN_MEAN, measure},                                                                                      \
    {                                                                                                                  \
        name "_stderr", COLUMN_STDERR, measure                                                                         \
    }

/* What reports of a user tell somebody who knows the frequencies (protocol/attack_success.h). */
#define ATTACK_MEASURES(of)                                                                                            \
    MEASURE("attack_success", "how often the best guess of " of " is right", "attack success", LDP_LESS, .high = 1),   \
        MEASURE("advantage", "by how much that is above the best guess without a report, over what it could be",       \
                "advantage", LDP_LESS, .high = 1)

/* How a table is drawn. */
enum table_form {
    FORM_PLAIN,
    FORM_QUERIES,    /* pictures are named after their queries alone, not after the table */
    FORM_TRADEOFF,   /* the first measure is bought with the others: a plot draws it against each of them */
    FORM_PRICE,      /* the last measure is the price of the first: a plot draws them against each other */
    FORM_PREDICTION, /* the first measure predicts the second: a plot draws them together */
    TABLE_FORMS
};

struct table {
    const char *file; /* its name: mse.csv */
    const char *title;
    const char *subject; /* the key whose values are compared with one another: a curve each in a plot */
    enum table_form form;
    const char *totals; /* the file of the table of whose rows this one has sums, or NULL */
    const struct table_column *columns;
    size_t ncolumns;
    const struct ldp_measure *measures; /* ended by a name NULL */
};

/* A table as a member `table`: file, title, subject, form, an array of columns, measures. */
#define TABLE(csv, words, compared, drawn, array, measured)                                                            \
    .table = {.file = csv,                                                                                             \
              .title = words,                                                                                          \
              .subject = compared,                                                                                     \
              .form = drawn,                                                                                           \
              .columns = array,                                                                                        \
              .ncolumns = sizeof(array) / sizeof *(array),                                                             \
              .measures = measured}

/* The column of a role (and measure), or NULL. */
const struct table_column *table_column(const struct table *table, enum column_role role, size_t measure);

/* Whether a column is the same in all rows of a cell. */
static inline bool column_is_of_cell(const struct table_column *column)
{
    return column->role == COLUMN_EXPERIMENT || column->role == COLUMN_CELL;
}

/* Meaning of a key or a fact; PART_NONE for other columns. */
static inline enum column_part column_part(const struct table_column *column)
{
    return column->role <= COLUMN_FACT ? (enum column_part)column->of : PART_NONE;
}

/* Whether a column is one of those that together name a row. */
static inline bool column_is_key(const struct table_column *column)
{
    return column_is_of_cell(column) || column->role == COLUMN_KEY;
}

#endif
