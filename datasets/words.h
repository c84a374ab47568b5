/* words.h - different words, numbered as they come. */
#ifndef LDPBENCH_WORDS_H
#define LDPBENCH_WORDS_H

#include "labels.h"
#include "lines.h"

/* All zero at the start. */
struct words {
    char **word;
    size_t *line; /* where each was first seen */
    size_t count, room, line_room;
    struct label_index index;
};

/* The number of a word, which is added if it is new. */
size_t words_add(struct words *words, const char *text, size_t length, size_t line);

/* Adds a word of the current line, which must be new; what it is, such as "value", is named if it is not. */
int words_add_once(struct words *words, const struct lines *lines, const char *text, size_t length, const char *what,
                   struct failure *failure);

void words_clear(struct words *words);

#endif
