/* coding.h - columns of records with many values: numbers in bins of equal width, rare words as one. */
#ifndef LDPBENCH_CODING_H
#define LDPBENCH_CODING_H

#include "words.h"

#include <stdbool.h>

/* The coding that is requested; 0: none. */
struct coding {
    size_t bins;        /* numbers of more different values are put into as many bins */
    size_t other;       /* of more different words all but the most frequent are one value */
    bool decimal_comma; /* numbers may have one */
};

enum coded {
    CODED_WORDS,   /* words, in the order of their first users */
    CODED_NUMBERS, /* whole numbers, without words */
    CODED_IN_ORDER /* words that are numbered in their order */
};

/* A column of a table of records: the number of each record's word, at a distance of `stride`; CODING_EMPTY: none. */
#define CODING_EMPTY UINT32_MAX
struct coded_column {
    uint32_t *value;
    const uint64_t *users; /* [rows] */
    size_t rows, stride;
    struct words words;
    uint32_t most; /* the largest value */
};

/* Whether its words are all numbers, and whether these number the users: whole, nearly all different, nearly without
 * gaps. */
bool coding_is_numeric(const struct coded_column *column, const struct coding *coding);
bool coding_counts_users(const struct coded_column *column, const struct coding *coding);

/* Codes it. */
enum coded coding_apply(struct coded_column *column, const struct coding *coding);

#endif
