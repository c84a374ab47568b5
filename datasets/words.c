/* words.c - see words.h. */
#include "words.h"

#include "support/memory.h"

#include <stdio.h>
#include <stdlib.h>

size_t words_add(struct words *words, const char *text, size_t length, size_t line)
{
    const size_t found = label_index_find(&words->index, words->word, text, length);
    size_t count = words->count;

    if (found != LABEL_NONE)
        return found;
    *ARRAY_ADD(words->line, count, words->line_room) = line;
    *ARRAY_ADD(words->word, words->count, words->room) = xstrndup(text, length);
    label_index_add(&words->index, words->word, words->count - 1);
    return words->count - 1;
}

int words_add_once(struct words *words, const struct lines *lines, const char *text, size_t length, const char *what,
                   struct failure *failure)
{
    const size_t before = words->count, number = words_add(words, text, length, lines->number);
    char expected[64];

    if (number == before)
        return 0;
    snprintf(expected, sizeof expected, "each %s once (see line %zu)", what, words->line[number]);
    return lines_fail(lines, failure, expected, text, length);
}

void words_clear(struct words *words)
{
    labels_free(words->word, words->count);
    free(words->line);
    label_index_clear(&words->index);
    *words = (struct words){0};
}
