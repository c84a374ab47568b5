/* words.c - see words.h. */
#include "words.h"

#include "support/memory.h"

#include <stdlib.h>
#include <string.h>

size_t words_add(struct words *words, const char *text, size_t length)
{
    const size_t found = label_index_find(&words->index, words->word, text, length);

    if (found != LABEL_NONE)
        return found;
    *ARRAY_ADD(words->word, words->count, words->room) = xstrndup(text, length);
    label_index_add(&words->index, words->word, words->count - 1);
    return words->count - 1;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

uint32_t *words_sort(struct words *words)
{
    char **const came = xmalloc(words->count, sizeof *came);
    uint32_t *const number = xmalloc(words->count, sizeof *number);

    memcpy(came, words->word, words->count * sizeof *came);
    label_index_clear(&words->index);
    qsort(words->word, words->count, sizeof *words->word, by_bytes);
    for (size_t w = 0; w < words->count; w++)
        label_index_add(&words->index, words->word, w);
    for (size_t w = 0; w < words->count; w++)
        number[w] = (uint32_t)label_index_find(&words->index, words->word, came[w], strlen(came[w]));
    free(came);
    return number;
}

void words_clear(struct words *words)
{
    labels_free(words->word, words->count);
    label_index_clear(&words->index);
    *words = (struct words){0};
}
