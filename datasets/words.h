/* words.h - the words of a column of records: numbered as they come, and then in the order of their bytes. */
#ifndef LDPBENCH_WORDS_H
#define LDPBENCH_WORDS_H

#include "labels.h"

/* All zero at the start. */
struct words {
    char **word;
    size_t count, room;
    struct label_index index;
};

/* The number of a word, which is added if it is new. */
size_t words_add(struct words *words, const char *text, size_t length);

/* Sorts the words and returns the new number of each, malloc'd. */
uint32_t *words_sort(struct words *words);

void words_clear(struct words *words);

#endif
