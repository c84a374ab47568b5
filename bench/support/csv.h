/* csv.h - tables (RFC 4180, a header line): writing fields, reading them back. */
#ifndef LDPBENCH_CSV_H
#define LDPBENCH_CSV_H

#include "support/failure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The path of a table in a folder: FOLDER/mse.csv, or FOLDER/mse.csv.gz where it is compressed. Malloc'd. */
char *csv_path(const char *folder, const char *file, bool compressed);

/* One field of a CSV line (RFC 4180): in quotes where it needs them. */
void csv_text(FILE *out, const char *field);

/* A number in the shortest form that reads back the same; an undefined one (NAN, an infinite ratio) as an
 * empty field. */
void csv_number(FILE *out, double value);

/* The next field of a line that these wrote, and where the rest begins; NULL at the end. The line is changed. */
char *csv_next(char **rest);

/* A table that was read. */
struct csv {
    size_t ncolumns, nrows;
    char **field; /* [(nrows + 1) * ncolumns], the header first */
    char *text;   /* what the fields point into */
};

/* 0, or -1 with a failure `FILE:LINE: expected ..., got ...`: unreadable, empty, a line with another number of fields
 * than the header, a quote that is not closed. regular: of a result folder, where it is a regular file, not a link. */
int csv_load(const char *path, bool regular, struct csv *csv, struct failure *failure);
void csv_clear(struct csv *csv);

/* The column of that name, or SIZE_MAX. */
size_t csv_column(const struct csv *csv, const char *name);

/* A field of a row (from 0). */
const char *csv_field(const struct csv *csv, size_t row, size_t column);

/* A field as a number; NAN where it is empty. -1 with a failure that names file, line and column. */
int csv_real(const struct csv *csv, const char *path, size_t row, size_t column, double *value,
             struct failure *failure);

#endif
