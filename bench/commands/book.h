/* book.h - the tables that ldpbench estimate reads: a folder of CSV files. */
#ifndef LDPBENCH_BOOK_H
#define LDPBENCH_BOOK_H

#include "support/failure.h"
#include "synopsis.h"

/* An attribute of some table. */
struct attribute {
    char *name, **value;
    size_t nvalues, room;
};

/* A file. */
struct table {
    char *file;
    size_t ncolumns, attribute[LDP_SET_MAX];
    double variance, users; /* NAN: not given */
    uint32_t *value;        /* [rows][ncolumns] */
    double *frequency;      /* [rows] */
    size_t rows, room;
    double *cells; /* once all values are known */
};

/* All files, and what is made of them. */
struct book {
    struct attribute attribute[LDP_ATTRIBUTES_MAX];
    size_t d;
    struct table *table;
    size_t ntables;
    uint32_t cardinality[LDP_ATTRIBUTES_MAX];
    struct ldp_given_table *given; /* [ntables] */
    struct ldp_set *sets;
    size_t nsets, *first;
    double *answer;
};

/* Reads every file *.csv of a folder. */
int book_read(struct book *book, const char *folder, struct failure *failure);

/* Numbers the values, checks that every cell is there, and finds variances: given, of the oracle with that number of
 * users, or all equal. epsilon 0: not given. */
int book_arrange(struct book *book, const struct ldp_oracle_spec *oracle, double epsilon, struct failure *failure);

/* The attribute of that name, or SIZE_MAX. */
size_t book_find(const struct book *book, const char *name, size_t length);

void book_clear(struct book *book);

#endif
