/* records_reading.h - what the reader of records holds while it reads; shared by its files. */
#ifndef LDPBENCH_RECORDS_READING_H
#define LDPBENCH_RECORDS_READING_H

#include "coding.h"
#include "dataset.h"
#include "lines.h"

enum { RECORDS_COLUMNS_MAX = 4096 };
#define VALUE_MAX ((UINT64_C(1) << 31) - 1)
#define EMPTY CODING_EMPTY /* an empty cell, until the other values of its column are known */

/* A column that is used. */
struct column {
    struct words words;
    uint32_t single[128]; /* the numbers + 1 of words of one character */
    struct coded_column coded;
};

struct reading {
    char **names; /* [d], of the columns that are used */
    size_t d, ncolumns;
    size_t *position; /* [ncolumns]: the attribute of a column; SIZE_MAX: not used */
    size_t count;     /* the column of the numbers of users; SIZE_MAX: there is none */
    size_t unnamed;
    bool wider;         /* records have a cell more than the header */
    bool has_row_names; /* which is their first, as R has it */
    struct words row_names;
    char *header; /* the line; NULL: it is a record */
    size_t header_length;
    struct coding coding;
    const char *missing;
    uint32_t *values; /* [rows][d] */
    uint64_t *counts; /* [rows] */
    size_t rows, room;
    uint64_t n;
    struct column *column; /* [d] */
    struct buffer notes;
};

/* Finds by the header and the first record which columns are used (records_header.c). */
int records_header(struct reading *reading, struct lines *header, struct lines *record,
                   const struct dataset_request *request, struct failure *failure);

#endif
