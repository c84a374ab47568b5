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
    bool typed, worded, empty; /* has a cell that is not empty, words in them, empty ones */
    bool coded, ordered;       /* by coding.c; in its order */
    struct words words;
    uint32_t most; /* of the cells that are not empty */
    size_t most_line;
};

struct reading {
    char **names; /* [d], of the columns that are used */
    size_t d, ncolumns;
    size_t *place; /* [ncolumns]: the attribute of a column; SIZE_MAX: not used */
    bool counted;
    struct coding coding;
    uint32_t *values; /* [rows][d] */
    uint64_t *counts; /* [rows]; where counted */
    size_t rows, room;
    uint64_t n;
    struct column *column; /* [d] */
};

/* Reads the header: the separator, and the columns that are used (records_header.c). */
int records_header(struct reading *reading, struct lines *lines, const struct dataset_request *request,
                   struct failure *failure);

#endif
