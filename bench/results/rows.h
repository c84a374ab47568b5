/* rows.h - a table in memory, prepared for figures and for the page of a report: key columns with numbered values,
 * measures, and numbers. */
#ifndef LDPBENCH_RESULTS_ROWS_H
#define LDPBENCH_RESULTS_ROWS_H

#include "ldp.h"
#include "results/results.h"
#include "support/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A key column, or one made from a parameter in the labels of another column: `s` of zipf(s=1.1), zipf(s=1.5). */
struct figure_key {
    char *name;
    enum column_part part;  /* PART_NONE for one made from a parameter */
    bool numeric;           /* every value is a number or missing */
    bool experiment;        /* holds the experiment's name */
    size_t parent;          /* of a key made from a parameter; otherwise SIZE_MAX */
    size_t nvalues;         /* in order of their first row */
    char *const *text;      /* "": missing */
    double *number;         /* NAN: not a number */
    const uint32_t *of_row; /* [nrows]: number of the row's value */
    /* For a parameter: its parent's labels without it; what text and of_row are. */
    uint32_t *stem_of_row, *own_of_row;
    struct interned texts, stems;
};

struct figure_measure {
    struct ldp_measure about;
    size_t index;         /* among the table's */
    double *mean, *error; /* [nrows], NAN where undefined */
};

struct figure_rows {
    const struct result_table *table;
    char *name;     /* of its file, without .csv */
    bool own_name;  /* its pictures are named after the table, not only after its queries */
    size_t subject; /* the key whose values are compared with one another; SIZE_MAX: none is known */
    struct figure_key *key;
    size_t nkeys, keys_room;
    struct figure_measure *measure;
    size_t nmeasures;
    size_t nrows;
};

/* Loads the rows of a table, which must outlive them. */
void figure_rows_load(const struct result_table *table, struct figure_rows *rows);
void figure_rows_clear(struct figure_rows *rows);

/* Whether two rows agree in all key columns except those parts (PART_NONE ends the list). */
bool figure_same_keys(const struct figure_rows *rows, size_t a, size_t b, const enum column_part *except);

/* Lists all key columns except those parts and the experiment's name in key[]; returns their number. */
enum { FIGURE_KEYS_MAX = 64 };
size_t figure_keys_but(const struct figure_rows *rows, const enum column_part *except, size_t key[FIGURE_KEYS_MAX]);

/* A key by its column's name; SIZE_MAX: there is none. */
size_t figure_key_find(const struct figure_rows *rows, const char *name);

/* The key column that is a part; SIZE_MAX: there is none. */
#define figure_key_of(rows, part) result_key_of((rows)->table, part)

/* The rows with one value of the query (of a table that has one) and, if the table has it, one of its parameter, by
 * their numbers: malloc'd. */
uint32_t *figure_point_rows(const struct figure_rows *rows, size_t query, size_t point, size_t *count);

/* Text of a row's key; "" where there is no such key. */
const char *figure_key_text(const struct figure_rows *rows, size_t row, size_t key);

/* The column of numbers that is a part: a key or a fact; SIZE_MAX: there is none. */
size_t figure_column_of(const struct figure_rows *rows, enum column_part part);

/* A number of a row in such a column; NAN where it is missing or the column is SIZE_MAX. */
double figure_number(const struct figure_rows *rows, size_t row, size_t column);

/* The largest number of repetitions of a row; 0 for a table of exact numbers. */
double figure_repetitions(const struct figure_rows *rows);

#endif
