/* coding.h - columns of cells: what values they have, in which order, and what these are called. */
#ifndef LDPBENCH_CODING_H
#define LDPBENCH_CODING_H

#include "support/failure.h"
#include "support/memory.h"
#include "words.h"

#include <stdbool.h>

/* The coding that is requested; 0: none. */
struct coding {
    size_t bins;    /* more different numbers are put into as many bins */
    size_t other;   /* of more different values all but the most frequent are one */
    bool range;     /* every whole number between those that occur is a value */
    char separator; /* of cells */
};

/* A column of a table of records: the number of each record's word, at a distance of `stride`; CODING_EMPTY: none. */
#define CODING_EMPTY UINT32_MAX
struct coded_column {
    const char *file, *name; /* for messages */
    uint32_t *value;
    const uint64_t *users; /* [rows] */
    size_t rows, stride;
    const struct words *words;
    uint32_t cardinality; /* that whole numbers from 0 have, called by themselves; 0: none. Set by coding_apply */
    /* ---- set by coding_order ---- */
    uint32_t *rank; /* [words->count]: words that are equal numbers share theirs */
    char **label;   /* [count], of values, in their order */
    double *number; /* [count]; NULL: words */
    size_t count;
};

/* Finds the different values and their order; notes what may surprise. 0, or -1 with the failure set. */
int coding_order(struct coded_column *column, const struct coding *coding, struct buffer *notes,
                 struct failure *failure);

/* Whether its numbers go into bins: not if they number the users, whole and nearly without gaps, next to other columns.
 * */
bool coding_takes_bins(const struct coded_column *column, const struct coding *coding);

/* Codes it: the values of the records are then the numbers of labels. */
int coding_apply(struct coded_column *column, const struct coding *coding, struct buffer *notes,
                 struct failure *failure);

void coding_clear(struct coded_column *column);

/* Adds a sentence part to notes. */
void coding_note(struct buffer *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
